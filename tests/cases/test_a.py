"""Input files: what other tools read wrongly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scorer.datasets.base import Card, Split
from scorer.datasets.readers.common import Complaints, parse_json
from scorer.importing import import_predictions
from scorer.pairing import pair_studies
from scorer.text import TRACKS, Report, compose
from scorer.types import Study
from site_builder.page import Asset, Made
from tests.statistics.helpers import per_study, value


def card(n: int) -> Card:
    return Card(
        id="tiny",
        version=1,
        name="Tiny",
        summary="Invented.",
        split="test",
        splits={"test": Split(n_studies=n)},
        tracks=TRACKS,
        access="open",
        release="texts",
        licence="x",
        source="x",
        how_to_get="x",
        reader="jsonl",
    )


def test_ids_with_the_same_tail_after_an_underscore_stay_four_studies() -> None:
    # Keeping the best study of each tail would leave two, both perfect: 1.0.
    heard = {
        "CXR9001_IM-0007": "Heart is enlarged.",
        "CXR9002_IM-0007": "Lungs are clear.",
        "patient90001_study1": "Lungs are clear.",
        "patient90002_study1": "Heart is enlarged.",
    }
    studies = [Study(id=id, reference=Report(findings="Lungs are clear.")) for id in heard]
    predictions = {id: Report(findings=text) for id, text in heard.items()}
    run = pair_studies("zed", card(4), "findings", predictions, studies)
    assert run.study_ids == tuple(sorted(heard))
    scores = per_study("bleu_2", list(zip(run.predictions, run.references, strict=True)))
    assert scores[[1, 2]].tolist() == [1.0, 1.0]
    assert scores.max() == 1.0
    assert scores.mean() < 0.6


def test_two_missing_texts_never_meet_as_the_word_nan(tmp_path: Path) -> None:
    # "nan" against "nan" would be 0.316228 (measured with fast-bleu 0.0.90, smoothing 1).
    file = tmp_path / "x.json"
    file.write_text('{"a": {"model_prediction": NaN}, "b": {"model_prediction": NaN}}')
    predictions = import_predictions(file).reports
    studies = [
        Study(id="a", reference=Report(impression="Normal.")),
        Study(id="b", reference=Report(findings="Lungs are clear.")),
    ]
    run = pair_studies("zed", card(2), "findings", predictions, studies)
    assert (run.study_ids, run.n_empty) == (("b",), 1)
    assert value("bleu_2", list(zip(run.predictions, run.references, strict=True))) == 0.0


@pytest.mark.parametrize("mark", ["XXXX", "___"])
def test_de_identification_marks_are_words_on_either_side(mark: str) -> None:
    text = f"{mark} change from prior."
    assert compose(Report(findings=text), "findings") == text
    assert value("bleu_2", [(text, text)]) == 1.0
    # Measured with fast-bleu 0.0.90 and nltk 3.10.4; a stripped mark would give another value.
    assert value("bleu_2", [("No change from prior.", text)]) == pytest.approx(0.774597, abs=5e-7)


@pytest.mark.parametrize(
    ("text", "bleu_2", "rouge_l"),
    [
        ("Легкие чистые", 1.0, 1.0),
        ("corazón de tamaño normal", 1.0, 1.0),
        # No blanks, so one word: BLEU-2 of any one-word match, sqrt(1 x 0.1). The metric's page says so.
        ("肺野清晰", 0.316228, 1.0),
    ],
)
def test_identical_texts_of_other_scripts_are_matches(text: str, bleu_2: float, rouge_l: float) -> None:
    assert value("bleu_2", [(text, text)]) == pytest.approx(bleu_2, abs=5e-7)
    assert value("rouge_l", [(text, text)]) == rouge_l


def test_the_page_of_bleu_says_what_one_word_and_scripts_without_blanks_give(root: Path) -> None:
    page = (root / "docs" / "metrics" / "bleu.md").read_text("utf-8")
    assert "one-word reports score 0.316" in page
    assert "without blanks" in page


def test_no_number_in_a_file_for_the_browser_is_too_large_for_it(site: Mapping[str, Made]) -> None:
    # Beyond 2^53 JSON.parse changes digits (measured: 90051329123456789 becomes 90051329123456780).
    def whole(digits: str) -> int:
        assert abs(int(digits)) < 2**53, digits
        return int(digits)

    files = [made for made in site.values() if isinstance(made, Asset) and made.path.endswith(".json")]
    assert len(files) > 20
    for made in files:
        json.loads(made.data, parse_int=whole)


def test_a_large_id_is_the_same_text_in_references_and_predictions(tmp_path: Path) -> None:
    digits = "90051329123456789"
    file = tmp_path / "x.json"
    file.write_text(f'[{{"study_id": {digits}, "report": "Clear."}}]')
    assert list(import_predictions(file).reports) == [digits]
    read: Any = parse_json(f'{{"study_id": {digits}}}', Complaints(tmp_path, card(1)))
    assert str(read["study_id"]) == digits
