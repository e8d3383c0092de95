"""Estimates within groups equal estimates on those studies alone; small groups stay hidden."""

from __future__ import annotations

import numpy as np
import pytest

from scorer.inference.resampling import interval, resampled_totals
from scorer.inference.subgroups import Subgroups, estimate_subgroups
from tests.inference.worlds import f1, mean, mean_terms

RNG = np.random.default_rng(1)
VALUES = RNG.random(60)
SITES = [("north", "south", "west")[i % 3] for i in range(60)]


def sites(**changes: object) -> Subgroups:
    arguments = {"labels": SITES, "better": "higher", "resamples": 300, **changes}
    return estimate_subgroups(mean_terms(VALUES), mean, **arguments)  # type: ignore[arg-type]


def test_each_group_is_estimated_on_its_own_studies() -> None:
    result = sites()
    assert [group.label for group in result.groups] == ["north", "south", "west"]
    for index, group in enumerate(result.groups):
        mine = VALUES[index::3]
        assert group.n == 20
        assert group.value == pytest.approx(mine.mean(), abs=1e-15)
        assert (group.low, group.high) == interval(mean(resampled_totals(mean_terms(mine), resamples=300)))


def test_patients_are_resampled_whole_within_groups() -> None:
    patients = [f"p{i // 6}" for i in range(60)]
    mine = [i for i, site in enumerate(SITES) if site == "south"]
    expected = interval(
        mean(
            resampled_totals(
                mean_terms(VALUES[mine]), clusters=[patients[i] for i in mine], resamples=300
            )
        )
    )  # fmt: skip
    group = sites(clusters=patients).groups[1]
    assert (group.low, group.high) == expected


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_worst_best_and_spread_follow_the_direction(better: str) -> None:
    means = {site: VALUES[index::3].mean() for index, site in enumerate(("north", "south", "west"))}
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    result = sites(better=better)
    assert (result.worst, result.best) == ((low, high) if better == "higher" else (high, low))
    assert result.spread == pytest.approx(means[high] - means[low])


def test_one_group_has_no_worst() -> None:
    result = sites(labels=["north"] * 60)
    assert (result.worst, result.best, result.spread) == (None, None, None)


def test_a_group_of_one_study_has_a_value_and_no_interval() -> None:
    result = sites(labels=["rare", *["common"] * 59])
    assert result.groups[1].n == 1
    assert result.groups[1].value == VALUES[0]
    assert (result.groups[1].low, result.groups[1].high) == (None, None)


def test_studies_without_the_attribute_are_counted_and_not_a_group() -> None:
    result = sites(labels=[None, "", *["north"] * 58])
    assert [group.label for group in result.groups] == ["north"]
    assert result.n_unlabelled == 2


def test_a_small_group_is_hidden_with_the_next_smallest() -> None:
    # Alone, the group of 3 could be had from the total and the others.
    result = sites(labels=["a"] * 3 + ["b"] * 20 + ["c"] * 37, least=10)
    assert [group.is_suppressed for group in result.groups] == [True, True, False]
    assert result.groups[0].n is None
    assert result.groups[0].value is None
    assert result.n_suppressed == 2


def test_small_groups_that_hide_each_other_need_no_more() -> None:
    result = sites(labels=["a"] * 6 + ["b"] * 7 + ["c"] * 47, least=10)
    assert [group.is_suppressed for group in result.groups] == [True, True, False]


def test_small_groups_that_are_small_together_take_another_with_them() -> None:
    result = sites(labels=["a", *["b"] * 2, *["c"] * 20, *["d"] * 37], least=10)
    assert [group.is_suppressed for group in result.groups] == [True, True, True, False]


def test_a_small_unlabelled_rest_is_hidden_too() -> None:
    result = sites(labels=[None] * 3 + ["b"] * 20 + ["c"] * 37, least=10)
    assert result.n_unlabelled is None
    assert [group.is_suppressed for group in result.groups] == [True, False]


def test_an_undefined_value_is_none() -> None:
    terms = np.zeros((10, 3))
    terms[5:, 0] = 1
    result = estimate_subgroups(terms, f1, ["a"] * 5 + ["b"] * 5, better="higher", resamples=50)
    assert result.groups[0].value is None
    assert result.groups[1].value == 1.0
    assert result.worst is None


def test_labels_of_other_studies_are_refused() -> None:
    with pytest.raises(ValueError, match="same studies"):
        sites(labels=["north"])
    with pytest.raises(ValueError, match="same studies"):
        sites(clusters=["p"])
