"""Builds the whole site in one call, with the repository's mkdocs.yml or, without one, the packaged settings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from scorer.errors import UsageError

__all__ = ["build", "settings"]

PACKAGED = Path(__file__).parent / "mkdocs.yml"


def settings(results: Path) -> Path:
    """The settings file: the mkdocs.yml beside the results folder if it names our plugin or inherits, else ours."""
    own = results.resolve().parent / "mkdocs.yml"
    if own.is_file() and re.search(r"^(INHERIT:|\s*- rexrank\b)", own.read_text("utf-8"), re.MULTILINE):
        return own
    return PACKAGED


def build(*, results: Path, out: Path, base_url: str = "", cases: Sequence[str] = ()) -> int:
    """Builds the site into `out` and gives the number of generated pages.

    Args:
        cases: open datasets whose texts are shown though their cards do not say so.

    Raises:
        UsageError: `base_url` is not an absolute http(s) address, `out` holds something that is no site, or
            `cases` names a dataset that is not open.
        RexrankError: the results cannot be read.
    """
    if base_url and not re.fullmatch(r"https?://[^\s/?#\"'<>]+(/[^\s?#\"'<>]*)?", base_url):
        raise UsageError("--base-url is an absolute address such as https://example.org/board/")
    if out.exists() and (not out.is_dir() or any(out.iterdir())) and not (out / "index.html").is_file():
        raise UsageError(f"{out} is not empty and holds no site; choose another --out")
    from site_builder.mkdocs_plugin import run

    return run(settings(results), results, out, base_url, cases)
