"""Every cap on untrusted input, in one table."""

from __future__ import annotations

KIB, MIB = 1024, 1024 * 1024

CARD_BYTES = 64 * KIB
CARD_DEPTH = 8
CARD_EVENTS = 4_000

PREDICTION_BYTES = 32 * MIB
"""Of a prediction file as text; 10,000 studies of ordinary length take about 8 MiB."""
GZIP_BYTES = 16 * MIB
ARTIFACT_BYTES = 64 * MIB
GZIP_RATIO = 250
"""Repeated normal reports reach about 100; zero-filled bombs reach 1,030."""
LINE_BYTES = 256 * KIB
SUBMISSION_BYTES = 128 * MIB
CHANGED_FILES = 500
PULL_REQUEST_BYTES = 64 * MIB
"""Of all prediction files of a pull request, unpacked; no further file is read beyond it."""
STUDIES = 100_000
JSON_DEPTH = 8

IMPORT_BYTES = 512 * MIB
"""For `rexrank import`, which reads the person's own file on the person's own machine."""

ID_CHARACTERS = 128
NAME_CHARACTERS = 80
LINE_CHARACTERS = 300
NOTE_CHARACTERS = 2_000
LINK_CHARACTERS = 500
LIST_ITEMS = 200

REPORT_CHARACTERS = 20_000
"""Per section. The longest reference known has about 3,500 characters."""
REPORT_WORDS = 4_000

PROBLEMS_SHOWN = 20
"""Of one kind in one file; the rest become one line with their number."""


def in_mib(n: int) -> str:
    """A byte count as people read it: "32 MiB", "64 KiB"."""
    return f"{n / MIB:.0f} MiB" if n >= MIB else f"{n / KIB:.0f} KiB"


def over(cap: int, size: int | None = None) -> str:
    """The words for too many bytes: the limit and, where it is known, how many there are."""
    said = f"over the limit ({in_mib(cap)})"
    if size is None:
        return said
    unit, name = (MIB, "MiB") if size >= MIB else (KIB, "KiB")
    close = size - cap < 0.05 * unit  # would be shown as the limit itself
    return f"{said}: {size:,} bytes" if close else f"{said}: {size / unit:,.1f} {name}"
