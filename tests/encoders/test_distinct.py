"""Distinct texts of a run against a plain dictionary."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from scorer.encoding.distinct import DistinctTexts

TEXTS = st.lists(st.text(st.sampled_from("ab "), max_size=3), max_size=12)


def key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


@given(TEXTS, TEXTS, st.sets(st.sampled_from(["a", "ab", "b", "aa"])))
def test_each_text_comes_once_in_the_order_of_a_dictionary(
    predictions: list[str], references: list[str], here: set[str]
) -> None:
    texts = DistinctTexts((predictions, references), str.strip, key)
    expected = [text for text in dict.fromkeys(map(str.strip, [*predictions, *references])) if text]
    assert list(texts) == texts[:] == [texts[n] for n in range(len(texts))] == expected
    asked: list[bytes] = []
    known = {key(text) for text in here}

    def ask(keys: Sequence[bytes]) -> set[bytes]:
        asked.extend(keys)
        return known

    rest = texts.without(ask, at_once=3)
    assert list(rest) == [text for text in expected if text not in here]
    assert asked == [key(text) for text in expected]


def test_a_key_that_ends_in_zeros_is_kept_whole() -> None:
    """numpy drops trailing zeros of byte strings; these must not be taken for one another."""
    made = {"a": b"\x01" + bytes(31), "b": b"\x01" + bytes(30) + b"\x02", "c": bytes(32)}
    texts = DistinctTexts((list("abcab"), ["c"]), str, made.__getitem__)
    assert list(texts) == ["a", "b", "c"]
    assert list(texts.without(lambda keys: {bytes(32)})) == ["a", "b"]
