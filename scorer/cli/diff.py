"""`rexrank diff`: what changed between two snapshots or two published editions, and why."""

from __future__ import annotations

from dataclasses import asdict
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
    """Print what changed from OLD to NEW: two snapshots (2026.1), or two published editions by id.

    New, withdrawn, scored anew and moved, each with its reason where one is recorded. A snapshot and a
    published edition are never compared: they were made by other code.
    """
    from scorer.errors import UsageError
    from scorer.snapshots.version import Version

    are_snapshots = [Version.is_version(name) for name in (old, new)]
    if all(are_snapshots):
        _snapshots(results, old, new, as_json)
    elif any(are_snapshots):
        raise UsageError("a snapshot and a published edition cannot be compared: other code made the figures")
    else:
        _editions(results, old, new, as_json)


def _snapshots(results: Path, old: str, new: str, as_json: bool) -> None:
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


def _editions(results: Path, old: str, new: str, as_json: bool) -> None:
    from scorer.errors import UsageError, printable
    from scorer.published import read_editions
    from scorer.published.history import diff_editions

    editions = {edition.id: edition for edition in read_editions(results)}
    for name in (old, new):
        if name not in editions:
            there = ", ".join(editions) or "none"
            raise UsageError(
                f"{printable(name)!r} is neither a snapshot nor a published edition; editions: {there}"
            )
    difference = diff_editions(editions[old], editions[new])
    if as_json:
        print_json(asdict(difference))
        return
    click.echo(f"{old} to {new}, as reported")
    for board in difference.boards:
        click.echo(f"\n{board.dataset} {board.split} {board.track}")
        if not board.earlier:
            click.echo("  a new board")
        for model in board.new:
            click.echo(f"  new: {model}")
        for model in board.gone:
            click.echo(f"  gone: {model}")
        for change in board.changes:
            reason = "" if change.is_explained else "; no reason stated"
            row = change.later
            click.echo(
                f"  other figure: {row.model} {row.metric}; {change.old:.3f} to {change.new:.3f}{reason}"
            )
        for move in board.moves:
            click.echo(f"  moved: {move.model} {move.metric}; rank {move.old} to {move.new}")
    for dataset, split, track in difference.boards_gone:
        click.echo(f"\n{dataset} {split} {track}\n  not in {new}")


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
