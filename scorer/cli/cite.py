"""`rexrank cite`: an entry for a reference list."""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import results_option

_FORMATS = ("bibtex", "ris", "csl", "cff", "text")


@click.command("cite")
@click.argument("version", required=False)
@click.option("--model", help="Cite this model's row; needs --board.")
@click.option("--board", metavar="DATASET.TRACK", help="The board that the row stands in.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="bibtex", show_default=True)
@results_option
def command(version: str | None, model: str | None, board: str | None, form: str, results: Path) -> None:
    """Prints the citation of a snapshot (default: the newest), or of a model's row in it."""
    from scorer.citation_formats import FORMATS
    from scorer.citing import read_publisher
    from scorer.errors import UsageError, printable
    from scorer.snapshots.cited import cited_row, cited_snapshot
    from scorer.snapshots.freeze import load_snapshot, snapshot_versions

    if (model is None) != (board is None):
        raise UsageError("--model and --board go together")
    newest = max(snapshot_versions(results), default=None)
    if version is None and newest is None:
        raise UsageError("there is no snapshot yet")
    snapshot = load_snapshot(results, version or str(newest))
    publisher = read_publisher(results.parent / "CITATION.cff")
    citation = cited_snapshot(snapshot, publisher, results)
    if model is not None and board is not None:
        row = cited_row(snapshot, citation, board=board, model=model)
        if row is None:
            boards = ", ".join(b.id for b in snapshot.boards)
            raise UsageError(
                f"{printable(model)} has no row on {printable(board)}; boards in {snapshot.version}: {boards}"
            )
        citation = row
    click.echo(FORMATS[form](citation), nl=False)
