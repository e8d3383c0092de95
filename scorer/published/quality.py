"""What does not fit in published figures: every finding is computed, bounded by rounding, and evidenced.

A finding says what is seen, not why; models and groups are never accused of anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from scorer.published.checks.changes import check_changes
from scorer.published.checks.copies import check_copies
from scorer.published.checks.formula import check_formula
from scorer.published.checks.sources import check_sources
from scorer.published.checks.standing import check_standing
from scorer.published.checks.tracks import check_tracks
from scorer.published.checks.zeros import check_zeros
from scorer.published.types import Edition, Finding

__all__ = ["CHECKS", "check_quality", "count_by_kind"]

CHECKS: tuple[tuple[str, str, Callable[[Sequence[Edition]], Iterator[Finding]]], ...] = (
    ("formula", "RadCliQ does not follow from the row's own components", check_formula),
    ("changed", "figures changed between editions, no reason stated", check_changes),
    ("copied", "a row repeats another row digit for digit", check_copies),
    ("zero", "a zero that is no measurement", check_zeros),
    ("standing", "one metric far off the model's standing by all others", check_standing),
    ("tracks", "the two tracks of a dataset differ as for no other model", check_tracks),
    ("sources", "another source has other figures for the same cell", check_sources),
)
"""Kind, what it means, and the check."""


def check_quality(editions: Sequence[Edition]) -> tuple[Finding, ...]:
    """All findings, by kind in the order of `CHECKS`, then in the order of the editions."""
    return _found(tuple(editions))


@lru_cache(maxsize=2)  # several pages show them, and a served site is built again and again
def _found(editions: tuple[Edition, ...]) -> tuple[Finding, ...]:
    return tuple(finding for _, _, check in CHECKS for finding in check(editions))


def count_by_kind(findings: Iterable[Finding]) -> dict[str, int]:
    """Number of findings by kind, kinds without one included."""
    found = [finding.kind for finding in findings]
    return {kind: found.count(kind) for kind, _, _ in CHECKS}
