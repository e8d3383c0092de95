"""What a number is, in one printed line that also parses back.

    radgraph_combined@1|radgraph@1|text@1|iu-xray@1|findings

metric | statistics joined by + in alphabetical order | text rule | dataset | track. Two numbers may be
compared, ranked or averaged only when their signatures are equal. The long form appends what can change
a number without changing its definition (weights digests, package versions, seed), as `;key=value`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from scorer.text import TRACKS, Track

__all__ = ["Signature"]

_KEY = re.compile(r"[a-z0-9][a-z0-9_.-]*@[0-9]+")
_DETAIL = re.compile(r"[A-Za-z0-9_.:@-]+=[A-Za-z0-9_.:+-]+")


@dataclass(frozen=True, kw_only=True)
class Signature:
    """The identity of a number; `str()` prints it and `parse` reads it back, both forms without loss."""

    metric: str
    statistics: tuple[str, ...]
    text: str
    dataset: str
    track: Track
    details: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return "|".join([self.metric, "+".join(sorted(self.statistics)), self.text, self.dataset, self.track])

    def long(self) -> str:
        """The short form and every detail, sorted by key."""
        return ";".join([str(self), *(f"{key}={self.details[key]}" for key in sorted(self.details))])

    @classmethod
    def parse(cls, printed: str) -> Signature:
        """Reads either form back.

        Raises:
            ValueError: when the text is not a signature; the message says which part is not.
        """
        short, *details = printed.split(";")
        parts = short.split("|")
        if len(parts) != 5:
            raise ValueError(f"a signature has 5 parts between bars, this has {len(parts)}")
        metric, statistics, text, dataset, track = parts
        for part in (metric, *statistics.split("+"), text, dataset):
            if not _KEY.fullmatch(part):
                raise ValueError(f"{part!r} is not of the form name@version")
        if track not in TRACKS:
            raise ValueError(f"{track!r} is not a track")
        for detail in details:
            if not _DETAIL.fullmatch(detail):
                raise ValueError(f"{detail!r} is not of the form key=value")
        return cls(
            metric=metric,
            statistics=tuple(sorted(statistics.split("+"))),
            text=text,
            dataset=dataset,
            track=track,
            details=dict(detail.split("=", 1) for detail in details),
        )
