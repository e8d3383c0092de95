"""BERTScore, SembScore, label F1, RadGraph and RadCliQ from per-study tables; every number derived or sourced."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from scorer.encoding.chexbert import LABELS
from scorer.metrics import METRICS, metric
from scorer.metrics.chexbert import CHEXBERT_F1, FIVE, label_errors, label_figures, label_scores
from scorer.metrics.entities import entity_figures, without_entities
from scorer.metrics.radcliq import V0, V1, radcliq
from scorer.statistics.chexbert import label_column
from scorer.types import Floats


def value(metric_id: str, tables: Any) -> float:
    one = metric(metric_id)
    return float(one.finish(one.terms(tables).sum(axis=0)))


def per_study(metric_id: str, tables: Any) -> list[float]:
    one = metric(metric_id)
    return [float(one.finish(terms)) for terms in one.terms(tables)]


def labels_table(predictions: Floats, references: Floats, cosine: Floats | None = None) -> Any:
    columns = {"cosine": np.zeros(len(predictions)) if cosine is None else cosine}
    for side, rows in (("prediction", predictions), ("reference", references)):
        columns |= {label_column(side, label): rows[:, place] for place, label in enumerate(LABELS)}
    return {"chexbert": columns}


def test_a_label_error_is_a_finding_made_up_or_left_out_and_uncertain_counts_as_found() -> None:
    # Classes: 0 blank, 1 positive, 2 negative, 3 uncertain.
    predictions, references = np.zeros((1, 14)), np.zeros((1, 14))
    predictions[0, :6], references[0, :6] = [1, 0, 1, 2, 3, 0], [0, 1, 1, 0, 1, 3]
    errors = label_errors(labels_table(predictions, references))
    assert errors.tolist() == [[1, 1, 0, 0, 0, 1] + [0] * 8]


def graph_table(**counts: tuple[float, float, float]) -> Any:
    """One study; level -> (matches, prediction, reference), all else 0."""
    columns = {}
    for level in ("entity", "relation", "partial", "complete"):
        for name, count in zip(
            ("matches", "prediction", "reference"), counts.get(level, (0, 0, 0)), strict=True
        ):
            columns[f"{level}_{name}"] = np.array([float(count)])
    return {"radgraph": columns}


# ---------------------------------------------------------------- BERTScore and SembScore: means of a column


def test_an_empty_report_counts_as_zero_in_bertscore_and_is_not_a_great_negative() -> None:
    # 99 studies with 0.43 and one empty: 0.4257, where the package's -5.550157 would give 0.370198.
    table = {"bertscore": {"f1": np.array([0.43] * 99 + [0.0])}}
    assert value("bertscore", table) == pytest.approx(0.4257, abs=1e-12)


def test_semb_score_is_the_mean_cosine() -> None:
    labels = np.zeros((2, 14))
    assert value("semb_score", labels_table(labels, labels, np.array([0.25, 0.75]))) == 0.5


# ---------------------------------------------------------------- CheXbert F1


def test_every_variant_of_label_f1_has_an_id_of_its_own() -> None:
    wanted = {
        f"chexbert_f1_{labels}_{average}_uncertain_{uncertain}"
        for labels, average, uncertain in product(
            (14, 5), ("micro", "macro", "weighted"), ("positive", "negative")
        )
    }
    assert {one.spec.id for one in CHEXBERT_F1} == wanted
    assert {one.spec.id for one in METRICS if one.spec.page == "chexbert_f1" and one.spec.on_board} == {
        "chexbert_f1_14_macro_uncertain_positive",
        "chexbert_f1_5_micro_uncertain_positive",
    }


@pytest.fixture
def three_studies() -> Any:
    """Edema: hit, missed. Cardiomegaly: uncertain against positive, false alarm. Fracture: hit. Rest blank."""
    ours, theirs = np.zeros((3, 14)), np.zeros((3, 14))
    edema, heart, fracture = (LABELS.index(label) for label in ("Edema", "Cardiomegaly", "Fracture"))
    ours[0, edema], theirs[0, edema], theirs[1, edema] = 1, 1, 1
    ours[0, heart], theirs[0, heart], ours[1, heart], theirs[1, heart] = 3, 1, 1, 2
    ours[2, fracture] = theirs[2, fracture] = 1
    return labels_table(ours, theirs)


@pytest.mark.parametrize(
    ("metric_id", "expected"),
    [
        # Edema tp 1 fp 0 fn 1: F1 2/3. Cardiomegaly tp 1 fp 1 fn 0: 2/3. Fracture tp 1: 1. Eleven labels: 0.
        ("chexbert_f1_14_micro_uncertain_positive", 2 * 3 / (2 * 3 + 1 + 1)),
        ("chexbert_f1_14_macro_uncertain_positive", (2 / 3 + 2 / 3 + 1) / 14),
        ("chexbert_f1_14_weighted_uncertain_positive", (2 * 2 / 3 + 1 * 2 / 3 + 1) / 4),
        ("chexbert_f1_5_micro_uncertain_positive", 2 * 2 / (2 * 2 + 1 + 1)),
        ("chexbert_f1_5_macro_uncertain_positive", (2 / 3 + 2 / 3) / 5),
        ("chexbert_f1_5_weighted_uncertain_positive", 2 / 3),
        # Uncertain as negative: Cardiomegaly tp 0 fp 1 fn 1: 0.
        ("chexbert_f1_14_micro_uncertain_negative", 2 * 2 / (2 * 2 + 1 + 2)),
        ("chexbert_f1_14_macro_uncertain_negative", (2 / 3 + 0 + 1) / 14),
        ("chexbert_f1_14_weighted_uncertain_negative", (2 * 2 / 3 + 0 + 1) / 4),
        ("chexbert_f1_5_micro_uncertain_negative", 2 * 1 / (2 * 1 + 1 + 2)),
        ("chexbert_f1_5_macro_uncertain_negative", (2 / 3) / 5),
        ("chexbert_f1_5_weighted_uncertain_negative", (2 * 2 / 3) / 3),
    ],
)
def test_label_f1_of_three_studies_by_hand(three_studies: Any, metric_id: str, expected: float) -> None:
    assert value(metric_id, three_studies) == pytest.approx(expected, abs=1e-15)


def test_label_f1_equals_scikit_learn_on_random_labels() -> None:
    """Golden: scikit-learn 1.7.2 `f1_score` with zero_division 0, tolerance 1e-12."""
    f1_score = pytest.importorskip("sklearn.metrics").f1_score
    draw = np.random.default_rng(5)
    for rate in (0.02, 0.2, 0.5):
        ours, theirs = (
            np.where(draw.random((40, 14)) < rate, draw.integers(1, 4, (40, 14)), 0) for _ in range(2)
        )
        table = labels_table(ours.astype(float), theirs.astype(float))
        for one in CHEXBERT_F1:
            places = [LABELS.index(label) for label in one.labels]
            positive = (1, 3) if one.uncertain == "positive" else (1,)
            expected = f1_score(
                np.isin(theirs, positive)[:, places],
                np.isin(ours, positive)[:, places],
                average=one.average,
                zero_division=0,
            )
            assert value(one.spec.id, table) == pytest.approx(expected, abs=1e-12)


def test_nothing_positive_on_either_side_is_zero_and_no_nan() -> None:
    table = labels_table(np.full((3, 14), 2.0), np.full((3, 14), 2.0))
    assert {value(one.spec.id, table) for one in CHEXBERT_F1} == {0.0}


def test_finish_reads_any_number_of_resamples_at_once(three_studies: Any) -> None:
    for one in CHEXBERT_F1:
        terms = one.terms(three_studies)
        stacked = one.finish(np.stack([terms.sum(axis=0), terms[0] * 3, terms[2]]))
        assert stacked.shape == (3,)
        assert stacked[0] == one.finish(terms.sum(axis=0))


def test_per_label_figures_name_support_and_keep_undefined_ones_at_zero(three_studies: Any) -> None:
    by_label = {score.label: score for score in label_scores(label_figures(three_studies))}
    edema, heart = by_label["Edema"], by_label["Cardiomegaly"]
    assert (edema.precision, edema.recall, edema.support) == (1.0, 0.5, 2)
    assert edema.f1 == pytest.approx(2 / 3)
    assert (heart.precision, heart.recall, heart.support) == (0.5, 1.0, 1)
    assert (by_label["Pneumonia"].f1, by_label["Pneumonia"].support) == (0.0, 0)
    assert tuple(by_label) == LABELS


def test_without_the_statistic_there_are_no_figures_and_no_rows() -> None:
    assert label_figures({}) == {}
    assert label_scores({"distinct_predictions": 3.0}) == ()


def test_the_five_labels_are_the_competition_tasks() -> None:
    assert set(FIVE) == {"Atelectasis", "Cardiomegaly", "Consolidation", "Edema", "Pleural Effusion"}


# ---------------------------------------------------------------- RadGraph


@pytest.mark.parametrize(
    ("counts", "combined", "partial"),
    [
        ({}, 0.0, 0.0),  # none, none
        ({"entity": (0, 0, 2), "partial": (0, 0, 2)}, 0.0, 0.0),  # none, two entities
        ({"entity": (0, 2, 0), "partial": (0, 2, 0)}, 0.0, 0.0),
        # Equal reports without relations lose half of the combined score and nothing of the partial one.
        ({"entity": (3, 3, 3), "partial": (3, 3, 3)}, 0.5, 1.0),
        # effusion[present] -> pleural against effusion[absent] -> pleural: half the entities, no relation.
        ({"entity": (1, 2, 2), "relation": (0, 1, 1), "partial": (1, 2, 2)}, 0.25, 0.5),
        ({"entity": (2, 2, 2), "relation": (1, 1, 1), "partial": (2, 2, 2)}, 1.0, 1.0),
    ],
)
def test_radgraph_of_one_study_by_hand(counts: Any, combined: float, partial: float) -> None:
    table = graph_table(**counts)
    assert value("radgraph_combined", table) == combined
    assert value("radgraph_partial", table) == partial


def test_each_reward_level_reads_its_own_sets_and_checkpoint() -> None:
    table = graph_table(entity=(1, 2, 2), partial=(1, 4, 4), complete=(1, 5, 5))
    table["radgraph_xl"] = graph_table(entity=(2, 2, 2), partial=(3, 4, 4), complete=(4, 5, 5))["radgraph"]
    found = {
        name: value(name, table)
        for name in (
            "radgraph_simple",
            "radgraph_partial",
            "radgraph_complete",
            "radgraph_xl_simple",
            "radgraph_xl_partial",
            "radgraph_xl_complete",
        )
    }
    assert list(found.values()) == [0.5, 0.25, 0.2, 1.0, 0.75, 0.8]


# ---------------------------------------------------------------- RadCliQ


def radcliq_tables(rows: Floats) -> Any:
    """Tables whose components are these (n, 4) features: graph F1 by counts of a thousand, BLEU by its tokens."""
    n = len(rows)
    graph: dict[str, Floats] = {}
    for level in ("entity", "relation"):
        graph |= {
            f"{level}_matches": rows[:, 0] * 1000,
            f"{level}_prediction": np.full(n, 1000.0),
            f"{level}_reference": np.full(n, 1000.0),
        }
    # Clipped matches that make both precisions equal to the wanted BLEU, at equal lengths.
    length = 10001.0
    ngrams = {
        "match_1": rows[:, 3] * length,
        "match_2": rows[:, 3] * (length - 1),
        "prediction_tokens": np.full(n, length),
        "reference_tokens": np.full(n, length),
    }
    return {
        "radgraph": graph,
        "bertscore": {"f1": rows[:, 1]},
        "chexbert": {"cosine": rows[:, 2]},
        "ngrams": ngrams,
    }


GOLDEN = [
    # (radgraph_combined, bertscore, semb_score, bleu_2), v1, v0. Source: CXR-Report-Metric's pickles, constants read
    # with an opcode dump, evaluated in double precision; tolerance 1e-12.
    ((1.0, 1.0, 1.0, 1.0), -1.4406902828047017, -0.24213342294409346),
    ((0.0, 0.0, 0.0, 0.0), 2.4501430833271307, 5.516160804054495),
    ((0.273, 0.43, 0.315, 0.193), 1.0869824460595374, 3.335806188671839),
    ((0.5, -0.2, 0.9, 0.05), 1.2624094474819916, 3.6732722681953582),
]


@pytest.mark.parametrize(("features", "v1", "v0"), GOLDEN)
def test_radcliq_of_known_components(features: tuple[float, ...], v1: float, v0: float) -> None:
    assert float(radcliq(np.array(features), V1)) == pytest.approx(v1, abs=1e-12)
    assert float(radcliq(np.array(features), V0)) == pytest.approx(v0, abs=1e-12)
    tables = radcliq_tables(np.array([features]))
    # BLEU of 0 matches is 0; the other values come back to the last digits through the tables.
    assert value("radcliq_v1", tables) == pytest.approx(v1, abs=1e-9)
    assert value("radcliq_v0", tables) == pytest.approx(v0, abs=1e-9)


def test_radcliq_is_lower_for_the_better_report_and_its_inverse_orders_nothing() -> None:
    rows = np.array([[1, 1, 1, 1], [0.2, 0.3, 0.4, 0.1], [0, 0, 0, 0]], dtype=float)
    tables = radcliq_tables(rows)
    raw = per_study("radcliq_v1", tables)
    assert raw == pytest.approx([-1.440690, 1.307938, 2.450143], abs=1e-6)
    assert raw == sorted(raw)
    assert metric("radcliq_v1").spec.better == metric("radcliq_v0").spec.better == "lower"
    assert not metric("inv_radcliq_v1").spec.is_ranked


def test_the_inverse_is_that_of_the_mean_and_not_the_mean_of_inverses() -> None:
    tables = radcliq_tables(np.array([[1, 1, 1, 1], [0.2, 0.3, 0.4, 0.1], [0, 0, 0, 0]], dtype=float))
    assert value("radcliq_v1", tables) == pytest.approx(0.772463, abs=1e-6)
    assert value("inv_radcliq_v1", tables) == pytest.approx(1.294560, abs=1e-5)


def test_the_inverse_of_a_mean_that_is_not_positive_is_not_a_number() -> None:
    assert np.isnan(value("inv_radcliq_v1", radcliq_tables(np.ones((2, 4)))))
    finish = metric("inv_radcliq_v1").finish
    assert np.isnan(finish(np.array([[0.0, 4.0], [-4.0, 4.0]]))).all()


def test_more_bleu_changes_nothing_in_v1_and_worsens_v0() -> None:
    low, high = np.array([0.3, 0.4, 0.5, 0.1]), np.array([0.3, 0.4, 0.5, 0.9])
    assert abs(radcliq(low, V1) - radcliq(high, V1)) < 1e-10
    assert radcliq(high, V0) > radcliq(low, V0)


def test_an_exact_match_without_relations_has_the_value_of_the_public_thread() -> None:
    # Graph 0.5, all else 1: raw -0.818082, whose inverse -1.222371 puzzled people.
    raw = float(radcliq(np.array([0.5, 1.0, 1.0, 1.0]), V1))
    assert raw == pytest.approx(-0.818082, abs=1e-6)
    assert 1 / raw == pytest.approx(-1.222371, abs=1e-5)


def test_a_row_whose_columns_disagree_with_its_radcliq_is_recognised() -> None:
    recomputed = float(radcliq(np.array([0.273, 0.430, 0.315, 0.193]), V1))
    assert abs(recomputed - 1.088) <= 0.003
    assert abs(recomputed - 1.437) > 0.003


def test_no_value_leaves_the_range_that_its_metric_states() -> None:
    best = radcliq_tables(np.ones((1, 4)))
    worst = radcliq_tables(np.zeros((1, 4)))
    for name in ("radcliq_v1", "radcliq_v0"):
        spec = metric(name).spec
        assert spec.low - 1e-9 <= value(name, best) <= value(name, worst) <= spec.high


def test_references_without_an_entity_are_counted_per_encoder() -> None:
    tables = {
        "radgraph": {"entity_reference": np.array([3.0, 0.0, 0.0])},
        "ratescore": {"reference_entities": np.array([0.0, 1.0, 2.0])},
        "chexbert": {"cosine": np.zeros(3)},
    }
    figures = entity_figures(tables)
    assert figures == {
        "radgraph_references_without_entities": 2.0,
        "ratescore_references_without_entities": 1.0,
    }
    assert without_entities(figures) == (("RadGraph", 2), ("RaTEScore", 1))
    assert without_entities({}) == ()
