"""`rexrank diff`: what changed between two snapshots, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli.common import json_option, print_json, results_option

if TYPE_CHECKING:
    from scorer.snapshots.diff import Change

_TITLES = {
    "new": "new",
    "withdrawn": "withdrawn or gone",
    "rescored": "scored anew",
    "moved": "moved",
}


@click.command("diff")
@click.argument("old")
@click.argument("new")
@results_option
@json_option
def command(old: str, new: str, results: Path, as_json: bool) -> None:
    """Print what changed from snapshot OLD to NEW: new, withdrawn, scored anew, moved, each with its reason."""
    from scorer.snapshots.corrections import read_corrections
    from scorer.snapshots.diff import compare
    from scorer.snapshots.freeze import load_snapshot

    one, other = load_snapshot(results, old), load_snapshot(results, new)
    difference = compare(one, other, read_corrections(results))
    if as_json:
        print_json(difference.as_dict())
        return
    click.echo(f"{old} ({one.date}) to {new} ({other.date})")
    if not difference.changes:
        click.echo("nothing changed")
    board = ""
    for change in difference.changes:
        if change.board != board:
            board = change.board
            click.echo(f"\n{board}")
        click.echo(f"  {_line(change)}")


def _line(change: Change) -> str:
    from scorer.numbers import shown

    def number(value: float | None) -> str:
        return "none" if value is None else shown(value, change.decimals)

    what = f"{change.label} {change.metric}".strip()
    parts = [f"{_TITLES[change.kind]}: {what}"]
    if change.old_value != change.new_value or not change.is_comparable:
        parts.append(f"{number(change.old_value)} to {number(change.new_value)}")
    if change.old_rank != change.new_rank:
        parts.append(f"rank {change.old_rank or 'none'} to {change.new_rank or 'none'}")
    parts += [reason.words for reason in change.reasons]
    return "; ".join(parts)
