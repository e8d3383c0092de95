"""Two texts side by side: which words of the one are not in the other, in reading order."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import LCSseq

from scorer.errors import printable
from scorer.text import normalise

__all__ = ["MOST", "Pair", "Piece", "word_diff"]

MOST = 4_000
"""Characters of a text that are shown; the longest reference known has about 3,500."""

_TOKEN = re.compile(r"(\w+(?:['’.,/-]\w+)*|[^\w\s])\s*")
_FEW = 2
"""So few common words between two changes are read as part of one change: an article is no common ground."""

Kind = Literal["", "del", "ins"]
Piece = tuple[Kind, str]
"""A run of text: common to both, in the first text only, or in the second text only."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Both texts in pieces that join to the texts as shown.

    Attributes:
        first: pieces "" and "del". second: pieces "" and "ins".
        n_cut: characters at the end that are not shown, of each text.
    """

    first: Sequence[Piece]
    second: Sequence[Piece]
    n_cut: tuple[int, int]

    @property
    def is_same(self) -> bool:
        """Whether nothing is marked: the same words, whatever their case."""
        return not any(kind for kind, _ in (*self.first, *self.second))


@dataclass(frozen=True, kw_only=True)
class _Text:
    """A text as it is compared.

    Attributes:
        tokens: words and marks as written, with the blank that follows. keys: the same, case and blanks left out.
        n_words: words before each token, and in all. n_cut: characters left out at the end.
    """

    tokens: Sequence[str]
    keys: Sequence[str]
    n_words: Sequence[int]
    n_cut: int


@functools.lru_cache(maxsize=8_192)
def _read(text: str) -> _Text:
    whole = normalise(text)
    shown = whole[:MOST] if whole.isprintable() else printable(whole[:MOST], MOST)
    found = [(match[0], match[1].casefold()) for match in _TOKEN.finditer(shown)]
    keys = [key for _, key in found]
    return _Text(
        tokens=[token for token, _ in found],
        keys=keys,
        n_words=[0, *itertools.accumulate(key[0].isalnum() for key in keys)],
        n_cut=max(0, len(whole) - MOST),
    )


@functools.lru_cache(maxsize=16_384)
def word_diff(first: str, second: str) -> Pair:
    """Compares by words and punctuation marks; case and white space make no difference.

    White space is normalised as scoring does, and characters that do not print are shown as escapes.
    """
    ours, theirs = _read(first), _read(second)
    left: list[Piece] = []
    right: list[Piece] = []
    for is_common, (a, b), (c, d) in _runs(ours, theirs):
        _add(left, "" if is_common else "del", "".join(ours.tokens[a:b]))
        _add(right, "" if is_common else "ins", "".join(theirs.tokens[c:d]))
    return Pair(first=tuple(left), second=tuple(right), n_cut=(ours.n_cut, theirs.n_cut))


Run = tuple[bool, tuple[int, int], tuple[int, int]]
"""Whether the two stretches are common, and where they begin and end in each text."""


def _runs(ours: _Text, theirs: _Text) -> list[Run]:
    """Common stretches and changes by turns, with crumbs of common words between large changes taken away."""

    def size(run: Run) -> int:
        (a, b), (c, d) = run[1:]
        return max(ours.n_words[b] - ours.n_words[a], theirs.n_words[d] - theirs.n_words[c])

    runs: list[Run] = []
    for op in LCSseq.opcodes(ours.keys, theirs.keys):
        _join(runs, (op.tag == "equal", (op.src_start, op.src_end), (op.dest_start, op.dest_end)))
    kept: list[Run] = []
    for i, run in enumerate(runs):
        is_between = run[0] and 0 < i < len(runs) - 1
        if is_between and size(run) <= min(_FEW, size(kept[-1]) - 1, size(runs[i + 1]) - 1):
            run = (False, *run[1:])
        _join(kept, run)
    return kept


def _join(runs: list[Run], run: Run) -> None:
    """Appends a run, or makes the last one longer when it is of the same kind."""
    if runs and runs[-1][0] == run[0]:
        last = runs.pop()
        run = (run[0], (last[1][0], run[1][1]), (last[2][0], run[2][1]))
    runs.append(run)


def _add(pieces: list[Piece], kind: Kind, text: str) -> None:
    """Appends a run; the blank at the end of a marked run stays outside the mark."""
    bare = text.rstrip() if kind else text
    parts: tuple[Piece, Piece] = (kind, bare), ("", text[len(bare) :])
    for one, part in parts:
        if part and pieces and pieces[-1][0] == one:
            part = pieces.pop()[1] + part
        if part:
            pieces.append((one, part))
