"""`rexrank cite`: an entry for a reference list."""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import results_option

_FORMATS = ("bibtex", "ris", "csl", "cff", "text")


@click.command("cite")
@click.argument("version", required=False)
@click.option("--board", metavar="DATASET.TRACK", help="Cite this board of it.")
@click.option("--model", help="Cite this model's row of the board.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="bibtex", show_default=True)
@results_option
def command(version: str | None, model: str | None, board: str | None, form: str, results: Path) -> None:
    """Print the citation of a snapshot (default: the newest), of a board in it, or of a model's row."""
    from scorer.citation_formats import FORMATS
    from scorer.citing import read_publisher
    from scorer.errors import UsageError, printable
    from scorer.snapshots.cited import cited_part, cited_snapshot
    from scorer.snapshots.freeze import load_snapshot, snapshot_versions

    if model is not None and board is None:
        raise UsageError("--model needs --board DATASET.TRACK")
    newest = max(snapshot_versions(results), default=None)
    if version is None and newest is None:
        raise UsageError("there is no snapshot yet")
    snapshot = load_snapshot(results, version or str(newest))
    publisher = read_publisher(results.parent / "CITATION.cff")
    citation = cited_snapshot(snapshot, publisher, results)
    if board is not None:
        part = cited_part(snapshot, citation, board=board, model=model)
        if part is None:
            boards = ", ".join(b.id for b in snapshot.boards)
            what = f"{printable(model)} has no row on" if model else "no board"
            raise UsageError(f"{what} {printable(board)} in {snapshot.version}; boards: {boards}")
        citation = part
    click.echo(FORMATS[form](citation), nl=False)
