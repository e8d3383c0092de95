"""`rexrank check`: validate, say every problem at once."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli.common import json_option, print_json, results_dir, state_dir
from scorer.errors import DatasetMissing, InputError, UsageError

if TYPE_CHECKING:
    from scorer.checking import Checked, Surroundings
    from scorer.checking.pull_request import Role
    from scorer.guard import Problems


@click.command(name="check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path, file_okay=False), help="The results folder.")
@click.option("--dataset", default="", help="Dataset of a prediction file that is checked alone.")
@click.option("--require-references", is_flag=True, help="Exit 3 when study ids cannot be compared here.")
@click.option(
    "--pull-request", "commits", nargs=2, metavar="BASE HEAD", help="Check what HEAD would bring to BASE."
)
@click.option("--fetch", "remote", default="", metavar="REMOTE", help="Get HEAD from there first, as data.")
@click.option("--author", default="", help="Account that opened the pull request.")
@click.option(
    "--role",
    type=click.Choice(["contributor", "maintainer", "scorer"]),
    default="contributor",
    help="What the author may touch.",
)
@click.option("--annotations", is_flag=True, help="Print problems as annotations of a workflow.")
@click.option(
    "--summary", type=click.Path(path_type=Path, dir_okay=False), help="Append a Markdown summary here."
)
@json_option
def command(
    paths: tuple[Path, ...],
    results: Path | None,
    dataset: str,
    require_references: bool,
    commits: tuple[str, str] | None,
    remote: str,
    author: str,
    role: Role,
    annotations: bool,
    summary: Path | None,
    as_json: bool,
) -> None:
    """Check submissions: folders, cards or prediction files.

    Without PATHS: the folder you are in when it holds a submission.yaml, else every submission here.
    Every problem is said at once, with file, line and how to fix it. Study ids are compared with the
    dataset's references when these are on this machine. With --pull-request the commits are read as data:
    nothing of them is checked out. Exit 0: good; 1: something to fix; 3: the references are needed
    (--require-references) and not here.
    """
    from scorer.checking import Surroundings
    from scorer.checking.rendering import as_annotations, as_markdown, as_terminal
    from scorer.checking.rendering import as_json as to_json
    from scorer.guard import Problems

    problems = Problems()
    checked: Sequence[Checked] = ()
    if commits:
        if paths or dataset:
            raise UsageError("--pull-request goes without paths and --dataset")
        around = Surroundings(results_root=results_dir(results), state_dir=state_dir())
        try:
            checked = _check_commits(commits, remote, author, role, around, problems)
        except InputError as error:
            problems.extend(error.problems)
        at_home = "rexrank check --pull-request origin/main HEAD"
    else:
        checked, around = _check_paths(paths or tuple(_all_here(results)), results, dataset, problems)
        at_home = "rexrank check"
    found = problems.found
    if as_json:
        print_json(to_json(found, checked))
    elif annotations:
        for line in as_annotations(found):
            click.echo(line)
    else:
        click.echo(as_terminal(found, checked))
    if summary:
        preview = "" if problems.has_errors else _preview(checked, around)
        with summary.open("a", encoding="utf-8") as file:
            file.write(as_markdown(found, at_home, checked, preview))
    if problems.has_errors:
        sys.exit(1)
    lacking = sorted({one for found_one in checked for one in found_one.unchecked})
    if require_references and lacking:
        raise DatasetMissing(
            f"no references of {', '.join(lacking)} here", f"rexrank data add {lacking[0]} PATH"
        )


def _check_commits(
    commits: tuple[str, str], remote: str, author: str, role: Role, around: Surroundings, problems: Problems
) -> Sequence[Checked]:
    from scorer.checking.git import Git, quarantine
    from scorer.checking.pull_request import Author, check_pull_request

    here = Path.cwd()
    home = Git(here)
    base = home.commit(commits[0])
    with quarantine(here, remote, commits[1]) if remote else contextlib.nullcontext(home) as git:
        who = Author(login=author, role=role)
        return check_pull_request(git, base, git.commit(commits[1]), who, around, problems)


def _check_paths(
    paths: Sequence[Path], results: Path | None, dataset: str, problems: Problems
) -> tuple[Sequence[Checked], Surroundings]:
    from scorer.checking import DiskFolder, Surroundings, check_submission
    from scorer.checking.folder import shown_path

    checked: list[Checked] = []
    surroundings: dict[Path | None, Surroundings] = {}
    around = Surroundings()
    for path in paths:
        root = _root_of(path) or (results_dir(results) if results else None)
        around = surroundings.setdefault(root, Surroundings(results_root=root, state_dir=state_dir()))
        if not os.path.lexists(path):
            shown = shown_path(path)
            home = results_dir(results) / "submissions" / path
            hint = f"did you mean {shown_path(home)}?" if home.is_dir() else "name a folder, a card or a file"
            problems.add("no-file", "there is no such file or folder", path=shown, hint=hint)
        elif path.is_dir() or path.name == "submission.yaml":
            folder = path if path.is_dir() else path.parent
            checked.append(check_submission(DiskFolder(folder), around, problems))
        else:
            checked.append(_check_alone(path, dataset, around, problems))
    return checked, around


def _preview(checked: Sequence[Checked], around: Surroundings) -> str:
    from scorer.checking.preview import preview_markdown, previews

    return preview_markdown(previews(checked, around))


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
