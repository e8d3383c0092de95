"""The table that every benchmark prints, and the clock they share."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

__all__ = ["cpu_seconds", "print_table"]


def cpu_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The least CPU seconds of this process over some repeats; waiting for other programs does not count."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a Markdown table."""
    print(f"\n### {title}\n")
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
