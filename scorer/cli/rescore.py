"""`rexrank rescore`: what a new metric or statistic version does to the boards; writes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli.common import json_option, print_json, results_option, state_dir

if TYPE_CHECKING:
    from scorer.snapshots.rescore import Column

__all__ = ["command"]


@click.command("rescore")
@click.option("--preview", is_flag=True, help="Current code on the stored statistics, against the records.")
@click.option("--since", metavar="COMMIT", help="The records on disk, against those of a commit.")
@click.option("--dataset", "datasets", multiple=True, help="Only this dataset (may be given several times).")
@click.option("--all", "every", is_flag=True, help="Also columns in which no number changes.")
@results_option
@json_option
def command(
    preview: bool, since: str | None, datasets: tuple[str, ...], every: bool, results: Path, as_json: bool
) -> None:
    """Print the shift per model, the largest moves and the rank correlation before and after.

    With --preview before a metric version is merged; with --since COMMIT in the pull request that scored a
    new statistic version. To write the numbers: rexrank score.
    """
    from scorer.cells import Workshop
    from scorer.errors import UsageError, printable
    from scorer.snapshots import rescore
    from scorer.snapshots.repository import Repository

    if preview == (since is not None):
        raise UsageError("choose one of --preview and --since COMMIT; `rexrank score` writes the numbers")
    shop = Workshop(results, state_dir())
    if since is None:
        columns = rescore.preview(shop, datasets, every=every)
    else:
        repository = Repository(results)
        if not repository.has(since):
            raise UsageError(f"{printable(since)!r} is not a commit of this repository")
        columns = rescore.against_commit(shop, repository, since, every=every)
        columns = tuple(c for c in columns if not datasets or c.board.rpartition(".")[0] in datasets)
    if as_json:
        print_json({"columns": [column.as_dict() for column in columns]})
        return
    if not columns:
        click.echo("no number changes")
    for column in columns:
        click.echo("\n".join(_lines(column)))


def _lines(column: Column) -> list[str]:
    from scorer.numbers import shown

    def correlation(value: float | None) -> str:
        return "not defined" if value is None else f"{value:.3f}"

    lines = [
        f"{column.board}  {column.metric} ({column.better} is better)",
        f"  before  {column.old_signature}",
        f"  after   {column.new_signature}",
        f"  rank correlation before and after: Spearman {correlation(column.spearman)}, "
        f"Kendall {correlation(column.kendall)}",
    ]
    if column.n_lost:
        lines.append(f"  {column.n_lost} without stored statistics of this version: rexrank score")
    width = max(len(move.model) for move in column.moves)
    for move in column.moves:
        old, new = shown(move.old, column.decimals), shown(move.new, column.decimals)
        rank = "" if move.old_rank is None else f"rank {move.old_rank}"
        if move.new_rank != move.old_rank:
            rank += f" to {move.new_rank}"
        # One digit more than the board shows, or a small shift would print as nothing.
        lines.append(
            f"  {move.model:{width}}  {old} to {new}  {move.shift:+.{column.decimals + 1}f}  {rank}".rstrip()
        )
    return lines
