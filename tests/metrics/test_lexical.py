"""BLEU, ROUGE-L and the figures of form: hand values, golden values of other packages, properties."""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.statistics.lexical import words
from scorer.text import compose, split_sections
from tests.statistics.helpers import per_study, tables, value

THREE = [
    (
        "the heart is of normal size and the lungs are clear",
        "the heart is of normal size and the lungs are clear",
    ),
    (
        "there is a large left effusion with mild edema",
        "there is a small left effusion with mild atelectasis",
    ),
    ("line ends below the carina", "tube ends above the carina"),
]


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        # golden: fast-bleu 0.0.90 and nltk 3.10.4 method1 agree on each of these
        ("normal", "normal", 0.316228),  # sqrt(1 * 0.1): one word has no bigram
        ("heart normal.", "heart normal.", 1.0),
        ("b a", "a b", 0.316228),
        ("x y", "a b", 0.0),
        (".", "Heart is enlarged.", 0.015744),
        ("Heart is enlarged.", "Heart is enlarged. Lungs are clear. No bone lesion.", 0.135335),  # e^-2
        ("No change from prior.", "XXXX change from prior.", 0.774597),
        ("No change from prior.", "___ change from prior.", 0.774597),
        ("XXXX change from prior.", "XXXX change from prior.", 1.0),
        ("Легкие чистые", "Легкие чистые", 1.0),
        ("肺野清晰 双肺", "肺野清晰 双肺", 1.0),
        ("corazón de tamaño normal", "corazón de tamaño normal", 1.0),
        ("", "Heart is enlarged.", 0.0),
    ],
)
def test_bleu_2_of_one_study_is_the_value_of_the_original(
    prediction: str, reference: str, expected: float
) -> None:
    assert value("bleu_2", [(prediction, reference)]) == pytest.approx(expected, abs=5e-7)


def test_bleu_is_the_mean_over_studies_and_not_the_corpus_score() -> None:
    assert value("bleu_2", THREE) == pytest.approx(0.694838, abs=5e-7)  # corpus BLEU-2 would be 0.781607
    assert value("bleu_4", THREE) == pytest.approx(0.519138, abs=5e-7)  # corpus BLEU-4 would be 0.682546


def test_each_prediction_meets_its_own_reference_only() -> None:
    pairs = [("Large left effusion.", "Lungs are clear."), ("Large left effusion.", "Large left effusion.")]
    assert per_study("bleu_2", pairs) == pytest.approx([0.091287, 1.0], abs=5e-7)


def test_a_missing_prediction_scored_as_empty_costs_its_share() -> None:
    pairs = [*THREE[:2], ("", THREE[2][1])]
    assert value("bleu_2", pairs) == pytest.approx(0.565739, abs=5e-7)


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("Heart normal. No effusion.", "No effusion. Heart normal.", 0.5),  # golden: rouge-score 0.1.2
        ("Heart normal.\nNo effusion.", "No effusion.\nHeart normal.", 0.5),
        ("Легкие чистые", "Легкие чистые", 1.0),  # rouge-score drops these letters and gives 0
        ("corazon de tamano normal", "corazón de tamaño normal", 0.5),  # 2 of 4 words on each side
        (".", "Heart is enlarged.", 0.0),
        ("", "Heart is enlarged.", 0.0),
    ],
)
def test_rouge_l_reads_words_of_every_script(prediction: str, reference: str, expected: float) -> None:
    assert value("rouge_l", [(prediction, reference)]) == pytest.approx(expected)


def _random_pairs(n: int) -> list[tuple[str, str]]:
    draw = random.Random(5)
    words = "the heart lungs are clear no effusion. left right small 2.5 cm, XXXX pneumothorax. mild edema".split()

    def text() -> str:
        return " ".join(draw.choices(words, k=draw.randint(0, 25)))

    return [(text(), text() or "clear.") for _ in range(n)]


def test_bleu_equals_nltk_on_random_texts() -> None:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    from scorer.statistics.lexical import bleu_tokens

    pairs = _random_pairs(300)
    smooth = SmoothingFunction().method1
    for order in (2, 4):
        weights = (1 / order,) * order
        expected = [sentence_bleu([bleu_tokens(r)], bleu_tokens(p), weights, smooth) for p, r in pairs]
        assert per_study(f"bleu_{order}", pairs) == pytest.approx(expected, abs=1e-12)


def test_rouge_l_equals_rouge_score_on_random_english_texts() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    pairs = _random_pairs(300)
    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    expected = [scorer.score(r, p)["rougeL"].fmeasure for p, r in pairs]
    assert per_study("rouge_l", pairs) == pytest.approx(expected, abs=1e-12)


def test_order_of_studies_changes_no_study() -> None:
    pairs = _random_pairs(50)
    forward, backward = per_study("bleu_4", pairs), per_study("bleu_4", pairs[::-1])
    assert (forward == backward[::-1]).all()


def test_length_ratio_and_empty_rate_describe_form() -> None:
    pairs = [("a b c", "a b"), ("", "c d")]
    assert value("length_ratio", pairs) == 3 / 4
    assert value("empty_rate", pairs) == 1 / 2


def test_ten_thousand_characters_of_one_word_do_no_harm() -> None:
    assert value("bleu_2", [("a" * 10_000, "a b")]) == 0.0
    assert tables([("a " * 5_000, "a b")])["ngrams"]["match_1"][0] == 1


def test_the_seven_prediction_sets_of_iu_xray_give_the_recorded_means(shared: Path) -> None:
    """Golden: fast-bleu 0.0.90 on the findings_impression track, to 1e-12."""
    folder = shared / "data" / "iu_xray"
    references = json.loads((folder / "ReXRank_IUXray_test.json").read_text())
    expected = {
        row["submission"]: float(row["bleu_2_mean"])
        for row in csv.DictReader((folder / "expected_bleu_2.csv").read_text().splitlines())
    }
    assert len(expected) == 7
    for name, mean in expected.items():
        lines = (folder / "predictions" / f"{name}.jsonl").read_text().splitlines()
        pairs = []
        for row in map(json.loads, lines):
            reference = split_sections(references[row["study_id"]]["report"])
            pairs.append(
                (
                    compose(split_sections(row["report"]), "findings_impression"),
                    compose(reference, "findings_impression"),
                )
            )
        assert len(pairs) == 590
        assert value("bleu_2", pairs) == pytest.approx(mean, abs=1e-12)


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_the_fast_way_to_cut_ascii_words_is_the_pattern(text: str) -> None:
    assert words(text) == re.findall(r"[^\W_]+", text.lower())
