"""CSV as text and nothing but text: no type is guessed and no word means "no value"."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from scorer.errors import printable
from scorer.guard.files import Text
from scorer.guard.problems import Problems

__all__ = ["read_table"]

Row = tuple[int, dict[str, str]]


def read_table(source: Text, needed: Sequence[str], problems: Problems) -> Iterator[Row]:
    """(line, column -> text) of each row; a comma, semicolon or tab separates, whichever the header uses.

    Rows with another number of cells than the header are said and left out, as are missing columns.
    """
    header_line = source.text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header_line.count)
    csv.field_size_limit(max(csv.field_size_limit(), 1 << 20))
    reader = csv.reader(io.StringIO(source.text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    line = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            problems.add(
                "broken-csv",
                f"not CSV: {printable(str(error))}",
                path=source.path,
                line=line,
                hint="texts with line breaks or quotes stand between double quotes",
            )
            return
        first, line = line, reader.line_num + 1
        if not row:
            continue
        if header is None:
            header = [name.strip() for name in row]
            if not _header_good(header, needed, source.path, problems):
                return
        elif len(row) != len(header):
            problems.add(
                "ragged-row",
                f"{len(row)} cells where the header has {len(header)}",
                path=source.path,
                line=first,
                hint="put texts that hold a comma between double quotes",
            )
        else:
            yield first, dict(zip(header, row, strict=True))
    if header is None:
        problems.add("empty-file", "holds no header line", path=source.path, line=1)


def _header_good(header: Sequence[str], needed: Sequence[str], path: str, problems: Problems) -> bool:
    missing = [name for name in needed if name not in header]
    twice = sorted({name for name in header if header.count(name) > 1})
    shown = ", ".join(printable(name, 40) for name in header[:20])
    for name in missing:
        problems.add("missing-column", f"no column {name!r}; found: {shown}", path=path, line=1)
    for name in twice:
        problems.add(
            "duplicate-column", f"the column {printable(name, 40)!r} stands twice", path=path, line=1
        )
    return not missing and not twice
