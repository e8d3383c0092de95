"""All cells of a snapshot as one Parquet table, for analysts; never part of the repository."""

from __future__ import annotations

from pathlib import Path

from scorer.errors import MissingError
from scorer.snapshots.snapshot import CELL_COLUMNS, Snapshot, cell_rows

__all__ = ["write_parquet"]

_TYPES = {
    "is_probe": "bool",
    **dict.fromkeys(("value", "low", "high"), "float64"),
    **dict.fromkeys(("n", "n_empty", "rank", "rank_low", "rank_high", "group"), "int32"),
}


def write_parquet(snapshot: Snapshot, path: Path) -> None:
    """Writes the columns of `board.csv` with their types; texts unguarded, missing values null.

    The file's metadata names version, commit and date.

    Raises:
        MissingError: pyarrow is not installed.
    """
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise MissingError("pyarrow, which writes Parquet", "pip install pyarrow") from error
    facts = {"version": snapshot.version, "commit": snapshot.commit, "date": snapshot.date}
    fields = [arrow.field(name, arrow.type_for_alias(_TYPES.get(name, "string"))) for name in CELL_COLUMNS]
    table = arrow.Table.from_pylist(
        list(cell_rows(snapshot.boards)), schema=arrow.schema(fields, metadata=facts)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, path)
