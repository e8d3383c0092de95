"""CheXbert against f1chexbert 0.0.2 on the same checkpoint."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from scorer.encoding.chexbert import LABELS
from scorer.metrics import metric
from scorer.metrics.chexbert import label_figures, label_scores
from scorer.statistics.base import Bench
from scorer.statistics.chexbert import CHEXBERT
from scorer.types import Floats
from tests.encoders import official
from tests.encoders.parity import PREDICTIONS, REFERENCES, check_chexbert

Encoded = dict[str, tuple[Floats, Floats]]


def test_labels_and_cosines_equal_the_package_on_hard_texts(
    bench: Bench, chexbert_encodings: Encoded
) -> None:
    check_chexbert(bench, chexbert_encodings)


@pytest.mark.parametrize("batch_size", [1, 3])
def test_the_batch_size_changes_no_label(bench: Bench, chexbert_encodings: Encoded, batch_size: int) -> None:
    check_chexbert(dataclasses.replace(bench, batch_size=batch_size), chexbert_encodings)


def test_label_f1_equals_the_package_s_own_report(bench: Bench, official_chexbert: official.Chexbert) -> None:
    """Golden: f1chexbert 0.0.2 `forward` (uncertain as positive), tolerance 1e-12."""
    values = CHEXBERT.compute(PREDICTIONS, REFERENCES, bench).values
    names = [column.name for column in CHEXBERT.spec.columns]
    tables = {"chexbert": dict(zip(names, values.T, strict=True))}
    reports = dict(zip((14, 5), official_chexbert.report(PREDICTIONS, REFERENCES), strict=True))
    for count, report in reports.items():
        for average in ("micro", "macro", "weighted"):
            one = metric(f"chexbert_f1_{count}_{average}_uncertain_positive")
            ours = float(one.finish(one.terms(tables).sum(axis=0)))
            assert ours == pytest.approx(report[f"{average} avg"]["f1-score"], abs=1e-12)
    for score in label_scores(label_figures(tables)):
        theirs = reports[14][score.label]
        assert (score.precision, score.recall, score.f1, score.support) == pytest.approx(
            (theirs["precision"], theirs["recall"], theirs["f1-score"], theirs["support"]), abs=1e-12
        )


def test_the_labels_stand_in_the_package_s_order(official_chexbert: official.Chexbert) -> None:
    assert tuple(official_chexbert.scorer.target_names) == LABELS


def test_an_empty_side_has_cosine_zero_and_blank_labels(bench: Bench) -> None:
    values = CHEXBERT.compute(["", "Large effusion."], ["Large effusion.", "Large effusion."], bench).values
    assert values[0, 0] == 0.0
    assert not values[0, 1:15].any()
    np.testing.assert_array_equal(values[0, 15:], values[1, 15:])
    assert values[1, 0] == pytest.approx(1.0)


def test_texts_beyond_512_pieces_are_cut_and_counted(bench: Bench, tmp_path: Path) -> None:
    computed = CHEXBERT.compute(["word " * 600, "Short."], ["Short.", "word " * 600], bench)
    assert computed.n_truncated == 2
    assert CHEXBERT.compute(["Short."], ["Short."], bench).n_truncated == 0


def test_every_value_lies_in_the_range_its_column_states(bench: Bench) -> None:
    values = CHEXBERT.compute(PREDICTIONS, REFERENCES, bench).values
    for place, column in enumerate(CHEXBERT.spec.columns):
        assert column.low <= values[:, place].min() <= values[:, place].max() <= column.high, column.name


def test_a_record_keeps_counts_per_label_and_the_model_page_shows_them(bench: Bench) -> None:
    from types import SimpleNamespace

    from site_builder.views.model_pages import _labels

    values = CHEXBERT.compute(PREDICTIONS, REFERENCES, bench).values
    names = [column.name for column in CHEXBERT.spec.columns]
    figures = label_figures({"chexbert": dict(zip(names, values.T, strict=True))})
    assert len(figures) == 3 * len(LABELS)
    assert all(0 <= count <= len(PREDICTIONS) for count in figures.values())
    rows = list(_labels(SimpleNamespace(figures=figures)))  # type: ignore[arg-type]
    assert [row[0] for row in rows] == list(LABELS)
    assert any(float(row[3]) > 0 for row in rows)
