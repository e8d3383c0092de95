"""Figures, ranges, ranks and names as pages write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.wording import (
    count,
    interval,
    listed,
    natural_key,
    number,
    p_value,
    rank_range,
    signed,
    sort_key,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.1995, "0.200"), (0.2005, "0.201"), (0.0005, "0.001"), (0.1445, "0.144")],
)
def test_rounding_is_half_up_from_the_exact_float_as_in_a_browser(value: float, shown: str) -> None:
    assert number(value, 3) == shown


def test_negative_numbers_have_an_ascii_sign_and_negative_zero_has_none() -> None:
    assert number(-0.05, 2) == "-0.05"
    assert float(number(-0.05, 2)) == -0.05
    assert number(-0.0004, 3) == "0.000"


@given(st.floats(min_value=-1e6, max_value=1e6), st.integers(min_value=0, max_value=6))
def test_a_shown_number_is_within_half_a_step_and_parses(value: float, decimals: int) -> None:
    assert abs(float(number(value, decimals)) - value) <= 0.5 * 10**-decimals * (1 + 1e-9)


def test_missing_numbers_are_blank_never_zero_or_nan() -> None:
    assert number(None, 3) == sort_key(None, 6) == interval(None, 0.2, 3) == p_value(None) == ""


def test_an_interval_is_two_bounds_and_a_minus_never_meets_the_dash() -> None:
    assert interval(0.2621, 0.2972, 3) == "0.262–0.297"
    assert interval(-0.05, 0.02, 2) == "-0.05 to 0.02"


def test_a_rank_is_written_with_its_interval() -> None:
    assert rank_range(3, 2, 6) == "3 (2–6)"
    assert rank_range(1, 1, 1) == "1 (1)"
    assert rank_range(4, None, None) == "4"
    assert rank_range(None, None, None) == ""


def test_names_sort_as_people_do() -> None:
    assert sorted(["Model 10", "Model 2", "model 1"], key=natural_key) == ["model 1", "Model 2", "Model 10"]


@given(st.lists(st.text(max_size=8), max_size=6))
def test_natural_order_is_total_and_tells_every_two_names_apart(names: list[str]) -> None:
    keys = {natural_key(name) for name in names}
    assert len(keys) == len(set(names))


def test_small_words() -> None:
    assert signed(0.012, 3) == "+0.012"
    assert signed(-0.004, 3) == "-0.004"
    assert signed(0.0001, 3) == "0.000"
    assert p_value(0.0123) == "p = 0.012"
    assert p_value(0.0001) == "p < 0.001"
    assert count(1, "study", "studies") == "1 study"
    assert count(1204, "study", "studies") == "1,204 studies"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdef"), most=3) == "a, b, c and 3 more"


@given(st.floats(min_value=-1e4, max_value=1e4))
def test_a_sort_key_is_plain_ascii_and_keeps_the_decimals_asked_for(value: float) -> None:
    key = sort_key(value, 6)
    assert key.isascii()
    assert "e" not in key
    assert float(key) == pytest.approx(value, rel=1e-12, abs=0.5000001e-6)
