"""`rexrank check`: validate, say every problem at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli.common import json_option, print_json, results_dir, state_dir
from scorer.errors import DatasetMissing, UsageError

if TYPE_CHECKING:
    from scorer.checking import Checked, Surroundings
    from scorer.guard import Problems


@click.command(name="check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path, file_okay=False), help="The results folder.")
@click.option("--dataset", default="", help="Dataset of a prediction file that is checked alone.")
@click.option("--require-references", is_flag=True, help="Exit 3 when study ids cannot be compared here.")
@json_option
def command(
    paths: tuple[Path, ...], results: Path | None, dataset: str, require_references: bool, as_json: bool
) -> None:
    """Check submissions: folders, cards or prediction files.

    Without PATHS: the folder you are in when it holds a submission.yaml, else every submission here.
    Every problem is said at once, with file, line and how to fix it. Study ids are compared with the
    dataset's references when these are on this machine. Exit 0: good; 1: something to fix; 3: the
    references are needed (--require-references) and not here.
    """
    from scorer.checking import DiskFolder, Surroundings, check_submission
    from scorer.checking.rendering import as_json as to_json
    from scorer.checking.rendering import as_terminal
    from scorer.guard import Problems

    problems = Problems()
    checked: list[Checked] = []
    surroundings: dict[Path | None, Surroundings] = {}
    for path in paths or _all_here(results):
        root = _root_of(path) or (results_dir(results) if results else None)
        around = surroundings.setdefault(root, Surroundings(results_root=root, state_dir=state_dir()))
        if path.is_dir() or path.name == "submission.yaml":
            folder = path if path.is_dir() else path.parent
            checked.append(check_submission(DiskFolder(folder), around, problems))
        else:
            checked.append(_check_alone(path, dataset, around, problems))
    if as_json:
        print_json(to_json(problems.found, checked))
    else:
        click.echo(as_terminal(problems.found, checked))
    if problems.has_errors:
        sys.exit(1)
    lacking = sorted({one for found in checked for one in found.unchecked})
    if require_references and lacking:
        raise DatasetMissing(
            f"no references of {', '.join(lacking)} here", f"rexrank data add {lacking[0]} PATH"
        )


def _all_here(results: Path | None) -> Iterator[Path]:
    if results is None and Path("submission.yaml").exists():
        yield Path(".")
        return
    root = results_dir(results) / "submissions"
    folders = sorted(path for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    if not folders:
        raise UsageError(f"no submissions under {root}; name a folder, or make one with `rexrank new MODEL`")
    yield from folders


def _root_of(path: Path) -> Path | None:
    """The results folder that a submission lies in, or None when it lies elsewhere."""
    folder = Path(os.path.abspath(path))
    return next((p.parent for p in (folder, *folder.parents) if p.name == "submissions"), None)


def _check_alone(path: Path, dataset: str, around: Surroundings, problems: Problems) -> Checked:
    """A prediction file without its folder; its dataset is given or is its name."""
    from scorer.checking import Checked, check_predictions
    from scorer.checking.folder import shown_path
    from scorer.guard import limits, read_bytes
    from scorer.predictions import parse_predictions, predictions_digest
    from scorer.text import TRACKS

    shown = shown_path(path)
    name = dataset or path.name.removesuffix(".gz").removesuffix(".jsonl")
    if dataset and dataset not in around.cards:
        raise UsageError(f"{dataset!r} is not a dataset; known: {', '.join(around.cards)}")
    data = read_bytes(path, shown, limits.PREDICTION_BYTES, problems)
    reports = {} if data is None else parse_predictions(data, shown, problems)
    notes: Iterable[str] = ()
    card = around.cards.get(name)
    if card is not None and reports:
        check_predictions(reports, card, TRACKS, around, shown, problems)
        if around.references(name) is None:
            notes = [
                f"{shown}: study ids were not compared: the references of {name} are not on this machine"
            ]
    elif reports:
        notes = [f"{shown}: study ids were not compared; say which dataset it is with --dataset"]
    return Checked(
        path=shown,
        predictions={name: reports} if reports else {},
        digests={name: predictions_digest(reports)} if reports else {},
        notes=tuple(notes),
        unchecked=(name,) if notes else (),
    )
