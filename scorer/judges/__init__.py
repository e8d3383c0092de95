"""Judges: language models that read two reports and write an answer that code counts.

To add one: its card and reader in a module here, a line in `CARDS`, a statistic, a metric, a docs page.
"""

from __future__ import annotations

from scorer.judges import crimson, green
from scorer.judges.base import Endpoint, JudgeCard

__all__ = ["CARDS", "Endpoint", "JudgeCard", "card"]

CARDS: tuple[JudgeCard, ...] = (green.CARD, crimson.CARD)

_BY_ID = {one.id: one for one in CARDS}


def card(judge_id: str) -> JudgeCard:
    """The registered judge of that id.

    Raises:
        KeyError: there is none.
    """
    return _BY_ID[judge_id]
