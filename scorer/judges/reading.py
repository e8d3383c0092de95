"""What comes of a judge's answer: numbers, or a reason why there are none.

Rule 1, `unread@1`: an answer that cannot be read counts neither for nor against a model. Its study leaves the
mean, the number of such studies is shown beside the value, and when more than one study in a hundred
(rounded up) is unread there is no value at all. Reasons: a judge that fails has said nothing about the
report, so 0 would be a made-up verdict; but leaving studies out must never pay, and with the limit it can
move a value by at most a hundredth of the metric's range.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from scorer.types import Column

__all__ = ["STATUS", "UNREAD_LIMIT", "Reading", "Status", "too_many_unread"]

UNREAD_LIMIT = 0.01


class Status(IntEnum):
    """How an answer was read; the values stand in stored tables and never change."""

    READ = 0
    EMPTY = 1
    """The prediction is empty: the judge was not asked, the study has the worst value."""
    MALFORMED = 2
    """The answer has not the asked form."""
    CUT_OFF = 3
    """As before, and the answer ended at the token limit."""
    UNCOUNTED = 4
    """An item stands in the answer without its number."""


STATUS = Column(name="status", unit="code", low=0, high=4)
"""First column of every judge's table."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One answer, read.

    Attributes:
        numbers: the columns after `STATUS`; all 0 unless the status is READ.
    """

    status: Status
    numbers: tuple[float, ...]

    @property
    def row(self) -> tuple[float, ...]:
        return (float(self.status), *self.numbers)


def too_many_unread(n_unread: int, n: int) -> bool:
    """Whether more answers are unread than a value can stand."""
    return n_unread > math.ceil(UNREAD_LIMIT * n)
