"""RadCliQ of published rows: constants, rounding, and the reciprocal that must not be ranked."""

from __future__ import annotations

import pytest

from scorer.published import Edition
from scorer.published.cells import figures
from scorer.published.radcliq import V0, V1, raw_v1
from scorer.published.rounding import Span, decimals_of_columns, span

# Fixtures (radgraph, bertscore, semb, bleu) -> v1, v0, computed from the coefficients of the two pickles of
# rajpurkarlab/CXR-Report-Metric (commit 9c9ecad).
FIXTURES = [
    ((1.0, 1.0, 1.0, 1.0), -1.4406902828047017, -0.24213342294409346),
    ((0.0, 0.0, 0.0, 0.0), 2.4501430833271307, 5.516160804054495),
    ((0.273, 0.43, 0.315, 0.193), 1.0869824460595374, 3.335806188671839),
    ((0.5, -0.2, 0.9, 0.05), 1.2624094474819916, 3.6732722681953582),
]


@pytest.mark.parametrize(("components", "v1", "v0"), FIXTURES)
def test_both_versions_agree_with_the_published_coefficients(
    components: tuple[float, ...], v1: float, v0: float
) -> None:
    row = dict(zip(("radgraph_combined", "bertscore", "semb_score", "bleu_2"), components, strict=True))
    assert V1.value(row) == pytest.approx(v1, abs=1e-10)
    assert V0.value(row) == pytest.approx(v0, abs=1e-12)


def test_more_bleu_is_worse_in_v0_and_nothing_in_v1() -> None:
    assert V0.weights["bleu_2"] > 0
    assert "bleu_2" not in V1.weights


def test_the_span_of_a_row_holds_every_row_that_rounds_to_it() -> None:
    components = {"radgraph_combined": 0.273, "bertscore": 0.43, "semb_score": 0.315}
    allowed = V1.span({name: Span(value - 0.0005, value + 0.0005) for name, value in components.items()})
    # Half a unit in the third decimal of each: (1.2452 + 1.6508 + 0.9948) x 0.0005 = 0.00195.
    assert allowed.high - allowed.low == pytest.approx(2 * 0.00194541664, abs=1e-9)
    assert allowed.low < V1.value(components) < allowed.high


def test_order_across_the_pole_is_by_the_raw_score() -> None:
    """Perfect, middling and empty reports: reciprocals -0.694, 0.765, 0.408 would put the perfect one last."""
    shown = {"perfect": -0.694112, "middling": 0.764563, "empty": 0.408139}
    raw = {name: raw_v1({"inv_radcliq_v1": value}) for name, value in shown.items()}
    assert sorted(raw, key=lambda name: raw[name] or 0.0) == ["perfect", "middling", "empty"]
    assert raw["perfect"] == pytest.approx(-1.44069, abs=1e-5)


def test_a_reciprocal_of_zero_and_a_missing_score_have_no_raw_score() -> None:
    assert raw_v1({"inv_radcliq_v1": 0.0}) is None
    assert raw_v1({"bleu_2": 0.3}) is None
    assert raw_v1({"radcliq_v1": 1.088, "inv_radcliq_v1": 0.5}) == 1.088


def test_a_span_that_holds_zero_has_no_reciprocal() -> None:
    assert Span(-0.1, 0.1).reciprocal() is None
    assert Span(0.5, 2.0).reciprocal() == Span(0.5, 2.0)
    assert Span(-4.0, -2.0).reciprocal() == Span(-0.5, -0.25)


def test_a_dropped_trailing_zero_does_not_make_a_figure_coarser(editions: tuple[Edition, ...]) -> None:
    edition = editions[3]
    row = next(row for row in edition.rows if (row.model, row.printed) == ("MedVersa", "0.21"))
    assert span(row, decimals_of_columns(editions)) == pytest.approx((0.2095, 0.2105))


def test_raw_scores_of_2024_lie_within_0_003_of_the_formula(editions: tuple[Edition, ...]) -> None:
    """Golden: the 220 published rows with RadCliQ itself; largest distances 0.00167 (v1), 0.00242 (v0)."""
    distances: dict[str, list[float]] = {"radcliq_v1": [], "radcliq_v0": []}
    for edition in editions:
        for row in figures(edition).values():
            values = {name: figure.value for name, figure in row.items()}
            for id, linear in (("radcliq_v1", V1), ("radcliq_v0", V0)):
                if id in values:
                    distances[id].append(abs(values[id] - linear.value(values)))
    assert [len(found) for found in distances.values()] == [220, 220]
    assert max(distances["radcliq_v1"]) == pytest.approx(0.00167, abs=1e-5)
    assert max(distances["radcliq_v0"]) == pytest.approx(0.00242, abs=1e-5)
