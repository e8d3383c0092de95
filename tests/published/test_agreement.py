"""Agreement between metrics and between datasets, over the models of a published edition."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy.stats import kendalltau, spearmanr

from scorer.inference.agreement import Coefficient
from scorer.published import Edition
from scorer.published.agreement import agreement_of_datasets, agreement_of_metrics
from scorer.published.standing import board_values


@pytest.mark.parametrize(("coefficient", "theirs"), [("spearman", spearmanr), ("kendall", kendalltau)])
def test_coefficients_of_the_newest_edition_are_scipys(
    editions: tuple[Edition, ...], coefficient: Coefficient, theirs: object
) -> None:
    assert callable(theirs)
    board = board_values(editions[9], "rexgradient", "findings")
    found = agreement_of_metrics(editions[9], "rexgradient", "findings", coefficient, resamples=50)
    for (a, b), cell in found.items():
        assert cell.n == 30
        signs = [-1 if metric == "radcliq_v1" else 1 for metric in (a, b)]
        columns = [[sign * row[m] for row in board.values()] for sign, m in zip(signs, (a, b), strict=True)]
        assert cell.value == pytest.approx(theirs(*columns).statistic, abs=1e-12)


def test_the_judge_agrees_less_with_radcliq_than_its_own_components(editions: tuple[Edition, ...]) -> None:
    """On ReXGradient findings of the newest edition, with intervals over 30 models that do not overlap."""
    found = agreement_of_metrics(editions[9], "rexgradient", "findings", resamples=1000)
    component, judge = found["radcliq_v1", "bertscore"], found["radcliq_v1", "green"]
    assert component.low is not None
    assert judge.high is not None
    assert component.low > judge.high
    assert found == agreement_of_metrics(editions[9], "rexgradient", "findings", resamples=1000)


def test_reciprocals_have_no_part_in_agreement(editions: tuple[Edition, ...]) -> None:
    for edition, ids in ((editions[7], 7), (editions[9], 8)):
        found = agreement_of_metrics(edition, "iu-xray", "findings", resamples=20)
        used = {metric for pair in found for metric in pair}
        assert "radcliq_v1" in used
        assert not any(metric.startswith("inv_") for metric in used)
        assert len(used) == ids


def test_datasets_are_compared_over_the_models_both_hold(editions: tuple[Edition, ...]) -> None:
    found = agreement_of_datasets(editions[9], "findings", "radcliq_v1", resamples=50)
    assert len(found) == 6
    assert all(cell.n == 30 for cell in found.values())
    assert all(cell.value is not None and cell.value > 0 for cell in found.values())
    judged = agreement_of_datasets(editions[9], "findings_impression", "crimson", resamples=50)
    assert judged == {}  # CRIMSON was published on the findings track only
    with pytest.raises(KeyError):
        agreement_of_datasets(editions[9], "findings", "rouge")


def test_the_order_of_rows_changes_no_coefficient(editions: tuple[Edition, ...]) -> None:
    turned = replace(editions[9], rows=tuple(reversed(editions[9].rows)))
    one = agreement_of_metrics(editions[9], "mimic-cxr", "findings", "kendall", resamples=20)
    two = agreement_of_metrics(turned, "mimic-cxr", "findings", "kendall", resamples=20)
    assert {pair: cell.value for pair, cell in one.items()} == pytest.approx(
        {pair: cell.value for pair, cell in two.items()}
    )
