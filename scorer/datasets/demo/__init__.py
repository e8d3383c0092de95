"""The demo set: invented references and four invented submissions, made by `generate` and shipped with the package."""

from __future__ import annotations

from pathlib import Path

from scorer.store import Results, write_atomic

__all__ = ["copy_demo"]

_SUBMISSIONS = Path(__file__).parent / "submissions"


def copy_demo(results_root: Path) -> tuple[str, ...]:
    """Writes the four demo submissions into a results folder; gives their ids.

    Files that are there already are made equal to the packaged ones, others are left alone.

    Raises:
        OSError: disk full, read-only folder and the like.
    """
    models = tuple(sorted(folder.name for folder in _SUBMISSIONS.iterdir() if folder.is_dir()))
    results = Results(results_root)
    for model in models:
        for source in sorted((_SUBMISSIONS / model).rglob("*")):
            if source.is_file():
                target = results.submission_dir(model) / source.relative_to(_SUBMISSIONS / model)
                write_atomic(target, source.read_bytes())
    return models
