"""Two texts side by side: what is marked, what is not, and that no word is lost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.errors import printable
from scorer.text import normalise
from site_builder.worddiff import MOST, Piece, word_diff


def written(pieces: Sequence[Piece]) -> str:
    """`[…]` around what only the first text holds, `{…}` around what only the second holds."""
    marks = {"": "{}", "del": "[{}]", "ins": "{{{}}}"}
    return "".join(marks[kind].format(text) for kind, text in pieces)


def plain(pieces: Sequence[Piece]) -> str:
    return "".join(text for _, text in pieces)


@pytest.mark.parametrize(
    ("first", "second", "left", "right"),
    [
        ("No effusion.", "Small effusion.", "[No] effusion.", "{Small} effusion."),
        ("A nodule on the right.", "A nodule on the left.", "A nodule on the [right].", "A nodule on the {left}."),
        ("Heart normal.", "Heart normal. Lungs clear.", "Heart normal.", "Heart normal. {Lungs clear.}"),
        ("5.3 cm mass", "5.4 cm mass", "[5.3] cm mass", "{5.4} cm mass"),
        ("", "Clear.", "", "{Clear.}"),
        ("", "", "", ""),
    ],
)  # fmt: skip
def test_marks_stand_around_the_words_that_differ(first: str, second: str, left: str, right: str) -> None:
    pair = word_diff(first, second)
    assert (written(pair.first), written(pair.second)) == (left, right)


def test_a_lone_common_word_between_large_changes_is_part_of_the_change() -> None:
    pair = word_diff("alpha beta gamma the delta epsilon zeta", "one two three the four five six")
    assert written(pair.first) == "[alpha beta gamma the delta epsilon zeta]"
    assert written(pair.second) == "{one two three the four five six}"


def test_a_common_word_between_small_changes_stays_common() -> None:
    assert written(word_diff("left lung clear", "right lung dense").first) == "[left] lung [clear]"


def test_case_and_white_space_make_no_difference() -> None:
    pair = word_diff("NO ACUTE\n  disease.", "No acute disease.")
    assert pair.is_same
    assert plain(pair.first) == "NO ACUTE disease."


def test_characters_that_do_not_print_are_shown_as_escapes() -> None:
    pair = word_diff("clear", "cl\u202eear\x01")
    assert plain(pair.second) == "cl\\u202eear\\x01"


def test_a_very_long_text_is_cut_and_the_rest_counted() -> None:
    pair = word_diff("clear", "clear " * MOST)
    assert len(plain(pair.second)) <= MOST
    assert pair.n_cut == (0, 6 * MOST - 1 - MOST)


TEXTS = st.text(alphabet=st.sampled_from("ab .,-\n\u202e<é1"), max_size=60)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_pieces_join_to_the_texts_and_marks_belong_to_their_side(first: str, second: str) -> None:
    pair = word_diff(first, second)
    assert plain(pair.first) == printable(normalise(first), MOST)
    assert plain(pair.second) == printable(normalise(second), MOST)
    assert {kind for kind, _ in pair.first} <= {"", "del"}
    assert {kind for kind, _ in pair.second} <= {"", "ins"}
    assert all(text for _, text in (*pair.first, *pair.second))


@settings(deadline=None)
@given(TEXTS)
def test_a_text_beside_itself_has_no_mark(text: str) -> None:
    assert word_diff(text, text).is_same


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_what_is_not_marked_reads_the_same_on_both_sides(first: str, second: str) -> None:
    pair = word_diff(first, second)
    common = ["".join(t for kind, t in side if not kind).casefold() for side in (pair.first, pair.second)]
    assert "".join(common[0].split()) == "".join(common[1].split())
