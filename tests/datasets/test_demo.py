"""The demo set: made by its generator, varied and coherent, with four submissions of graded quality."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from scorer.datasets import card, load
from scorer.datasets.demo import copy_demo
from scorer.datasets.demo.dice import Dice, Imitation
from scorer.datasets.demo.generate import generate
from scorer.errors import UsageError
from scorer.inference.models import Draws, MetricTerms, draw
from scorer.inference.pairs import compare
from scorer.metrics.lexical import BLEU_2
from scorer.pairing import pair_studies
from scorer.predictions import read_predictions
from scorer.statistics.base import Bench
from scorer.statistics.lexical import NgramMatches
from scorer.submission import read_submission
from scorer.text import TRACKS, Report, Track
from scorer.types import Run, Study

MODELS = ("demo-careful", "demo-fluent", "demo-hasty", "demo-template")


@pytest.fixture(scope="module")
def studies() -> tuple[Study, ...]:
    return load("demo-cxr")


@pytest.fixture(scope="module")
def predictions(root: Path) -> dict[str, Mapping[str, Report]]:
    folder = root / "scorer/datasets/demo/submissions"
    return {model: read_predictions(folder / model / "predictions/demo-cxr.jsonl") for model in MODELS}


def both(studies: tuple[Study, ...]) -> list[Report]:
    found = [study.reference for study in studies]
    return [report for report in found if report.findings and report.impression]


# The generator


def test_the_committed_files_are_what_the_generator_writes(root: Path) -> None:
    folder = root / "scorer/datasets/demo"
    made = generate()
    assert {name: (folder / name).read_bytes() for name in made} == made
    committed = {str(path.relative_to(folder)) for path in folder.rglob("*.jsonl")}
    assert committed == set(made)


def test_results_hold_the_packaged_submissions_byte_for_byte(root: Path, tmp_path: Path) -> None:
    assert copy_demo(tmp_path) == MODELS
    written = {
        path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    }
    assert len(written) == 8
    assert {name: (root / "results" / name).read_bytes() for name in written} == written


def test_copying_the_demo_twice_changes_nothing_and_mends_what_was_changed(tmp_path: Path) -> None:
    copy_demo(tmp_path)
    path = tmp_path / "submissions/demo-hasty/submission.yaml"
    before = path.read_bytes()
    path.write_text("changed")
    (tmp_path / "submissions/other").mkdir()
    copy_demo(tmp_path)
    assert path.read_bytes() == before
    assert (tmp_path / "submissions/other").is_dir()


def test_a_named_choice_depends_on_seed_and_name_alone() -> None:
    # sha256("seed|name") starts with 29618acb5163: 0x29618acb5163 / 2**48
    assert Dice("seed").roll("name") == 0x29618ACB5163 / 2**48
    dice = Dice("a")
    drawn = Counter(dice.weighted(str(n), {"x": 1.0, "y": 3.0}) for n in range(4000))
    assert 0.72 < drawn["y"] / 4000 < 0.78


def test_an_imitation_follows_with_its_fidelity() -> None:
    original, own, options = Dice("a"), Dice("b"), tuple(range(1000))
    for fidelity in (0.0, 0.3, 1.0):
        voice = Imitation(original, own, fidelity)
        same = sum(voice.pick(str(n), options) == original.pick(str(n), options) for n in range(2000))
        assert abs(same / 2000 - fidelity) < 0.04


# The texts


def test_sizes_are_as_asked(studies: tuple[Study, ...]) -> None:
    assert len(studies) == 200
    assert len(load("demo-cxr", "valid")) == 120
    assert 130 <= len({study.patient for study in studies}) <= 150
    assert sum(not study.reference.impression for study in studies) == 20
    assert sum(not study.reference.findings for study in studies) == 10
    lengths = [len(f"{report.findings} {report.impression}".split()) for report in both(studies)]
    assert 30 <= sum(lengths) / len(lengths) <= 60


def test_no_patient_stands_in_both_splits(studies: tuple[Study, ...]) -> None:
    others = load("demo-cxr", "valid")
    assert not {study.patient for study in studies} & {study.patient for study in others}
    assert not {study.id for study in studies} & {study.id for study in others}


def test_every_study_has_every_attribute_and_groups_are_large_enough(studies: tuple[Study, ...]) -> None:
    found = card("demo-cxr")
    for name in found.attributes:
        sizes = Counter(study.attributes[name] for study in studies)
        assert min(sizes.values()) >= found.min_subgroup, name
    assert len({study.attributes["site"] for study in studies}) == 8
    assert all(study.indication for study in studies)


def test_facts_of_a_patient_do_not_change_between_studies(studies: tuple[Study, ...]) -> None:
    for _, group in itertools.groupby(studies, key=lambda study: study.patient):
        assert (
            len({(s.attributes["sex"], s.attributes["age_band"], s.attributes["site"]) for s in group}) == 1
        )


@pytest.mark.parametrize(
    ("trait", "pattern", "least"),
    [
        ("negation", r"\b[Nn]o |\b[Nn]either|\bwithout|\bnot\b", 150),
        ("uncertainty", r"may be|possibl|not excluded|versus|could be|likely|suspicious|\?", 15),
        ("devices", r"tube|catheter|pacemaker|PICC|wires|port\b|\bline\b", 20),
        ("priors", r"unchanged|no change|has (in|de)creased|improved|cleared|comparison|prior|Nothing has changed", 30),
        ("laterality", r"\b([Ll]eft|[Rr]ight|[Bb]ilateral)\b", 60),
        ("sizes", r"\d+ mm|\d\.\d cm", 10),
        ("several lines", r"\n", 30),
        ("XXXX marks", r"XXXX", 15),
        ("underscore marks", r"___", 5),
        ("capitals", r"\b[A-Z]{5,}\b.*\b[A-Z]{5,}\b", 15),
        ("numbered lines", r"\b1\. .*\n2\. ", 8),
        ("British spelling", r"oedema|calibre|hiatus", 3),
    ],
)  # fmt: skip
def test_the_texts_have_the_traits_of_real_reports(
    studies: tuple[Study, ...], trait: str, pattern: str, least: int
) -> None:
    texts = [f"{study.reference.findings} | {study.reference.impression}" for study in studies]
    assert sum(bool(re.search(pattern, text)) for text in texts) >= least, trait


def test_normal_reports_repeat_and_abnormal_ones_vary(studies: tuple[Study, ...]) -> None:
    counts = {
        condition: Counter(s.reference.findings for s in studies if s.attributes["condition"] == condition)
        for condition in ("normal", "abnormal")
    }
    assert max(counts["normal"].values()) >= 5
    assert len(counts["abnormal"]) >= 0.9 * sum(counts["abnormal"].values())


def test_no_slot_is_left_open_and_every_sentence_starts_and_ends_well(studies: tuple[Study, ...]) -> None:
    for study in (*studies, *load("demo-cxr", "valid")):
        for text in (study.reference.findings, study.reference.impression):
            assert not re.search(r"[{}]|  |\.\.|None|on the \.|on the  ", text), text
            assert not text or text.strip().endswith("."), text
            assert not re.search(r"\. [a-z]|\ba [aeiou]|\ban [bcdfghj-mp-tv-z]", text), text


def sides(text: str) -> set[str]:
    words = set(re.findall(r"left|right|bilateral|both|bibasilar", text.lower()))
    return {"both" if word in {"bilateral", "bibasilar"} else word for word in words}


def test_findings_and_impression_agree(studies: tuple[Study, ...]) -> None:
    topics = {
        "pneumothorax": "pneumothorax",
        "rib fracture": "rib",
        "nodule": "nodule|rounded density",
        "mass of|mass;": "mass",
        "emphysema|copd|obstructive": "emphysema|copd|overinflated|hyperinflat",
        "oedema|edema": "oedema|edema",
        "hernia": "hernia",
        "pacemaker": "pacemaker",
    }
    for study in studies:
        findings, impression = study.reference.findings.lower(), study.reference.impression.lower()
        if not findings or not impression:
            continue
        assert sides(impression) <= sides(findings), study
        for topic, seen in topics.items():
            assert not re.search(topic, impression) or re.search(seen, findings), (topic, study)
        if study.attributes["condition"] == "normal":
            assert not sides(impression), study
            assert re.match(r"\s*(no|normal)\b", impression), study


def test_no_sentence_of_iu_x_ray_is_among_ours(shared: Path) -> None:
    """Stock phrases of up to six words cannot be avoided; anything longer is ours alone."""

    def sentences(text: str) -> set[str]:
        parts = re.split(r"(?<=[.?!])\s+", text.lower())
        return {" ".join(part.split()) for part in parts if len(part.split()) > 6}

    theirs: set[str] = set()
    for split in ("test", "valid"):
        file = shared / f"data/iu_xray/ReXRank_IUXray_{split}.json"
        for entry in json.loads(file.read_text(encoding="utf-8")).values():
            theirs |= sentences(f"{entry['section_findings']} {entry['section_impression']}")
    references = [study.reference for split in ("test", "valid") for study in load("demo-cxr", split)]
    ours = set().union(*(sentences(f"{report.findings} {report.impression}") for report in references))
    assert len(ours) > 200
    assert not ours & theirs


# The submissions


def test_every_submission_is_accepted_and_complete(
    root: Path, studies: tuple[Study, ...], predictions: dict[str, Mapping[str, Report]]
) -> None:
    for model in MODELS:
        submission = read_submission(root / "results/submissions" / model)
        assert submission.id == model
        assert set(submission.tracks) == set(TRACKS)
        assert list(predictions[model]) == [study.id for study in studies]
    empty = sum(
        not (report.findings or report.impression) for report in predictions["demo-template"].values()
    )
    assert 2 <= empty <= 6
    assert all(report.findings and report.impression for report in predictions["demo-careful"].values())


def bleu_2(
    studies: tuple[Study, ...], predictions: Mapping[str, Mapping[str, Report]], track: Track
) -> Draws:
    def terms(run: Run) -> np.ndarray:
        statistic = NgramMatches()
        values = statistic.compute(
            run.predictions, run.references, Bench(weights_dir=Path(), cache_dir=Path())
        ).values
        columns = {column.name: values[:, i] for i, column in enumerate(statistic.spec.columns)}
        return BLEU_2.terms({statistic.spec.id: columns})

    runs = [pair_studies(model, card("demo-cxr"), track, predictions[model], studies) for model in MODELS]
    metric = MetricTerms(terms=np.stack([terms(run) for run in runs]), finish=BLEU_2.finish, better="higher")
    return draw({"bleu_2": metric}, clusters=runs[0].patients)["bleu_2"]


@pytest.mark.parametrize("track", TRACKS)
def test_bleu_2_separates_all_but_the_best_two(
    studies: tuple[Study, ...], predictions: dict[str, Mapping[str, Report]], track: Track
) -> None:
    drawn = bleu_2(studies, predictions, track)
    close = compare(drawn, 0, 1)
    assert close.p > 0.2
    assert close.low is not None
    assert close.high is not None
    assert close.low < 0 < close.high
    for better, worse in ((0, 2), (1, 2), (2, 3)):
        assert compare(drawn, better, worse).difference > 0.05
        assert compare(drawn, better, worse).p < 0.001


def test_what_bleu_2_cannot_see_grows_from_careful_to_hasty(
    studies: tuple[Study, ...], predictions: dict[str, Mapping[str, Report]]
) -> None:
    """Share of sided references whose sides the prediction names exactly."""
    sided = [study for study in studies if sides(study.reference.findings) & {"left", "right"}]
    right = {
        model: sum(sides(reports[s.id].findings) == sides(s.reference.findings) for s in sided) / len(sided)
        for model, reports in predictions.items()
    }
    assert right["demo-careful"] > 0.75 > right["demo-fluent"] + 0.1
    assert right["demo-fluent"] > right["demo-hasty"] + 0.1
    assert right["demo-hasty"] > right["demo-template"]


def test_the_demo_needs_no_registration_and_has_no_third_split() -> None:
    with pytest.raises(UsageError, match="'train' is not a split of demo-cxr; it has test, valid"):
        load("demo-cxr", "train")
