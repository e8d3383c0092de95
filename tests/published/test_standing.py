"""Ranks within a published board: ties, gaps, the reward gap, and models below a figure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.published import Edition
from scorer.published.standing import board_values, models_below, ranks, reward_gap


def test_missing_never_outranks_present_and_ties_share() -> None:
    values = {"A": 0.31, "B": None, "C": 0.29, "D": 0.31, "E": -0.05}
    assert ranks(values, "higher") == {"A": 1, "B": None, "C": 3, "D": 1, "E": 4}
    assert ranks(values, "lower") == {"A": 3, "B": None, "C": 2, "D": 3, "E": 1}


def test_lower_is_better_where_the_metric_says_so() -> None:
    assert ranks({"A": 1.09, "B": 1.44, "C": 0.69}, "lower") == {"A": 2, "B": 3, "C": 1}


@given(st.dictionaries(st.text(max_size=3), st.none() | st.integers(-3, 3).map(float)))
def test_a_rank_is_one_more_than_the_number_of_better_values(values: dict[str, float | None]) -> None:
    found = ranks(values, "higher")
    present = [value for value in values.values() if value is not None]
    for name, value in values.items():
        assert found[name] == (None if value is None else 1 + sum(other > value for other in present))


def test_unirg_cxr_is_first_by_radcliq_21st_by_green_and_19th_by_crimson_of_30(
    editions: tuple[Edition, ...],
) -> None:
    found = reward_gap(editions[9], "rexgradient", "findings")
    assert (found.n, found.metrics) == (30, ("radcliq_v1", "green", "crimson"))
    assert found.rows[0].model == "UniRG-CXR"
    assert found.rows[0].ranks == {"radcliq_v1": 1, "green": 21, "crimson": 19}
    assert found.rows[0].gap == 19


def test_the_gap_is_ordered_by_the_raw_score_and_complete(editions: tuple[Edition, ...]) -> None:
    found = reward_gap(editions[9], "mimic-cxr", "findings_impression")
    assert found.metrics == ("radcliq_v1", "green")
    order = [row.ranks["radcliq_v1"] for row in found.rows]
    assert None not in order
    assert order == sorted(order, key=lambda rank: rank or 0)
    assert found.n == 9


def test_a_board_without_radcliq_has_no_gap(editions: tuple[Edition, ...]) -> None:
    assert reward_gap(editions[7], "rexvqa", "vqa").rows == ()
    assert reward_gap(editions[9], "no-such-set", "findings").rows == ()


def test_two_splits_of_a_dataset_are_never_mixed(editions: tuple[Edition, ...]) -> None:
    first = editions[0]
    test = board_values(first, "iu-xray", "single_table")
    assert test == board_values(first, "iu-xray", "single_table", "test")
    assert test != board_values(first, "iu-xray", "single_table", "valid")
    assert len(test) == 10


@pytest.mark.parametrize(
    ("track", "value", "expected"), [("findings", 0.2785, (28, 30)), ("findings_impression", 0.2998, (8, 9))]
)
def test_most_published_models_lie_below_one_constant_normal_report(
    editions: tuple[Edition, ...], track: str, value: float, expected: tuple[int, int]
) -> None:
    """BLEU-2 of the constant that scores best on the validation split, on IU X-ray's test split."""
    assert models_below(editions[9], "iu-xray", track, "bleu_2", value) == expected


def test_below_means_worse_in_the_metrics_own_direction(editions: tuple[Edition, ...]) -> None:
    column = sorted(row["radcliq_v1"] for row in board_values(editions[9], "iu-xray", "findings").values())
    assert models_below(editions[9], "iu-xray", "findings", "radcliq_v1", column[0]) == (29, 30)
    assert models_below(editions[9], "iu-xray", "findings", "radcliq_v1", 99.0) == (0, 30)
    assert models_below(editions[9], "iu-xray", "findings", "bleu_2", 1.0) == (30, 30)


def test_a_board_nobody_published_has_no_model_below(editions: tuple[Edition, ...]) -> None:
    assert models_below(editions[9], "demo-cxr", "findings", "bleu_2", 0.5) == (0, 0)
    with pytest.raises(KeyError):
        models_below(editions[9], "iu-xray", "findings", "bleu", 0.5)
