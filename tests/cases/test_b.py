"""Metric values: what other tools count wrongly."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scorer.errors import InputError
from scorer.published import metric as published_metric
from scorer.published.importer import plan_import
from scorer.published.radcliq import raw_v1
from scorer.statistics.base import Bench
from scorer.statistics.bertscore import BERTSCORE
from tests.published.conftest import sources  # noqa: F401


def test_one_pair_of_identical_texts_has_bertscore_one(weights: Path, tmp_path: Path) -> None:
    # With idf weights every weight of a single pair is log(2/2) = 0, and 0/0 would become -5.55 after rescaling.
    text = "Lungs are clear."
    bench = Bench(weights_dir=weights, cache_dir=tmp_path)
    (row,) = BERTSCORE.compute([text], [text], bench).values
    assert row == pytest.approx([1.0, 1.0, 1.0, 0.0], abs=1e-5)


@pytest.mark.parametrize("name", ["radgraph", "chexbert", "radcliq", "chexbert_f1", "f1"])
def test_a_metric_name_that_could_mean_several_is_refused(sources: Path, tmp_path: Path, name: str) -> None:  # noqa: F811
    scores = sources / "scores.csv"
    scores.write_text(scores.read_text().replace("NetTwo,bleu_2,", f"NetTwo,{name},"))
    with pytest.raises(InputError, match=f"scores.csv:3: metric: '{name}' is not a published metric"):
        plan_import(scores, sources / "sources.yaml", sources / "models.yaml", tmp_path)


def test_one_heading_with_two_meanings_is_two_metrics_and_converts_where_documented() -> None:
    # 1/1.088 = 0.919 to the digits shown.
    raw, inverse = published_metric("radcliq_v1"), published_metric("inv_radcliq_v1")
    assert (raw.better, inverse.better, inverse.reciprocal_of) == ("lower", "higher", raw.id)
    assert raw_v1({"inv_radcliq_v1": 0.919}) == pytest.approx(1.088, abs=1e-3)


def test_published_severities_are_shown_lower_is_better_and_their_inverse_is_not_ranked() -> None:
    assert published_metric("fineradscore").better == "lower"
    assert not published_metric("inv_fineradscore").is_ranked


def test_label_f1_and_the_other_metrics_are_our_own_code(root: Path) -> None:
    # scikit-learn's private helpers returned 3, 4 and 5 values over time (measured with 1.9.1), which broke others.
    foreign = {
        "sklearn",
        "f1chexbert",
        "radgraph",
        "bert_score",
        "nltk",
        "rouge_score",
        "fast_bleu",
        "sacrebleu",
    }
    used = set()
    for path in (root / "scorer").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            used |= {module.partition(".")[0] for module in modules}
    assert "numpy" in used
    assert not used & foreign
