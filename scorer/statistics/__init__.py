"""The registered statistics. To add one: its module, a line here, its test, its docs page."""

from __future__ import annotations

from scorer.statistics.base import Bench, Computed, Statistic
from scorer.statistics.bertscore import BERTSCORE
from scorer.statistics.chexbert import CHEXBERT
from scorer.statistics.crimson import CRIMSON
from scorer.statistics.green import GREEN
from scorer.statistics.lexical import CommonSubsequence, NgramMatches
from scorer.statistics.radgraph import RADGRAPH, RADGRAPH_XL
from scorer.statistics.ratescore import RATESCORE

__all__ = ["STATISTICS", "Bench", "Computed", "Statistic", "statistic"]

STATISTICS: tuple[Statistic, ...] = (
    NgramMatches(),
    CommonSubsequence(),
    BERTSCORE,
    CHEXBERT,
    RADGRAPH,
    RADGRAPH_XL,
    RATESCORE,
    GREEN,
    CRIMSON,
)

_BY_ID = {one.spec.id: one for one in STATISTICS}


def statistic(statistic_id: str) -> Statistic:
    """The registered statistic of that id.

    Raises:
        KeyError: there is none.
    """
    return _BY_ID[statistic_id]
