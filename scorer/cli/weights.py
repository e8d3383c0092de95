"""`rexrank weights`: fetch, verify and pin the weights of encoders and judges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli.common import json_option, print_json, weights_dir

if TYPE_CHECKING:
    from scorer.weights.download import Report

__all__ = ["command", "encoders_named"]


@click.group()
def command() -> None:
    """Fetch, verify and pin the weights of encoders and judges; nothing is fetched unasked."""


def encoders_named(names: tuple[str, ...]) -> tuple[str, ...]:
    """The encoders that metrics, statistics or encoders of these names need, each once, in order.

    Raises:
        UsageError: a name is none of the three.
    """
    from scorer.errors import UsageError, printable
    from scorer.metrics import METRICS
    from scorer.statistics import STATISTICS
    from scorer.weights import read_lock

    by_statistic = {one.spec.id: one.spec.encoder for one in STATISTICS}
    by_metric = {one.spec.id: [by_statistic[need] for need in one.spec.needs] for one in METRICS}
    known = read_lock(weights_dir()).encoders
    found: list[str] = []
    for name in names:
        if name not in known and name not in by_statistic and name not in by_metric:
            raise UsageError(f"{printable(name)!r} is no metric, statistic or encoder; see `rexrank doctor`")
        found += [name] if name in known else by_metric.get(name) or [by_statistic[name]]
    return tuple(dict.fromkeys(encoder for encoder in found if encoder))


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="METRIC…")
@click.option(
    "--hub", default="https://huggingface.co", show_default=True, help="The hub, or a mirror of it."
)
def pull(names: tuple[str, ...], hub: str) -> None:
    """Fetch the pinned weights that metrics, statistics or encoders need; resumes."""
    from scorer.weights import fetch

    for encoder in encoders_named(names):
        with _bar(encoder) as report:
            fetched = fetch.pull(encoder, weights_dir(), report=report, hub=hub)
        click.echo(f"{encoder}: {', '.join(fetched) or 'all there'}")


@command.command()
@click.argument("names", nargs=-1, metavar="[METRIC…]")
@json_option
@click.pass_context
def verify(context: click.Context, names: tuple[str, ...], as_json: bool) -> None:
    """Read every byte of the weights and compare with the lock."""
    from scorer.weights import read_lock, store

    encoders = encoders_named(names) if names else tuple(read_lock(weights_dir()).encoders)
    rows = [
        {"encoder": encoder, "file": file.to, "state": state}
        for encoder in encoders
        for file, state in store.verify(encoder, weights_dir())
    ]
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            click.echo(f"{row['state']:9} {row['encoder']}/{row['file']}")
    # Without names the question is whether what is here is right; with names, whether it is here and right.
    bad = {"wrong"} if not names else {"wrong", "absent", "unpinned"}
    if any(row["state"] in bad for row in rows):
        context.exit(3)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="ENCODER…")
@click.option(
    "--hub", default="https://huggingface.co", show_default=True, help="The hub, or a mirror of it."
)
@click.option(
    "--from",
    "given",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Take the files from this folder instead of a hub.",
)
@click.option(
    "--lock",
    "lock_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The lock file to write (default: this machine's own, in front of the packaged one).",
)
def lock(names: tuple[str, ...], hub: str, given: Path | None, lock_path: Path | None) -> None:
    """Pin encoders to the files that this machine trusts; a maintainer's task, done once."""
    from scorer.weights import fetch
    from scorer.weights.lock import machine_lock

    target = lock_path or machine_lock(weights_dir())
    for encoder in encoders_named(names):
        with _bar(encoder) as report:
            entry = fetch.pin(encoder, weights_dir(), target, report=report, hub=hub, given=given)
        click.echo(f"{encoder}: weights digest {entry.digest}, written to {target}")


@contextmanager
def _bar(encoder: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, object] = {}

        def report(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(f"{encoder}/{name}", total=total or None)
            bars.update(tasks[name], completed=done, total=total or None)  # type: ignore[arg-type]

        yield report
