"""RaTEScore: hand-derived values, each step's rules, and whole runs with random weights."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.encoding.ratescore.sentences import Segmenter
from scorer.encoding.ratescore.tagger import spans
from scorer.errors import MissingError
from scorer.metrics.ratescore import RATESCORE as METRIC
from scorer.metrics.ratescore import RATESCORE_SHORT
from scorer.statistics.base import Bench
from scorer.statistics.ratescore import AFFINITY, RATESCORE, direction
from scorer.types import Floats
from tests.encoders.texts import reports

PREDICTIONS, REFERENCES = reports(24, seed=1), reports(24, seed=2)
NAMES = [column.name for column in RATESCORE.spec.columns]


def scores(values: Floats) -> Floats:
    return METRIC.per_study({"ratescore": dict(zip(NAMES, values.T, strict=True))})


def table(**columns: float) -> dict[str, dict[str, Floats]]:
    return {
        "ratescore": {name: np.array([float(columns.get(name, 1.0))]) for name in NAMES}
        | {"is_empty": np.array([columns.get("is_empty", 0.0)])}
    }


def test_the_score_is_the_harmonic_mean_of_both_directions() -> None:
    long = table(reference_in_prediction_long=0.5, prediction_in_reference_long=0.25)
    assert METRIC.per_study(long)[0] == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    assert METRIC.per_study(table(reference_in_prediction_long=0, prediction_in_reference_long=0))[0] == 0.0
    short = table(reference_in_prediction_short=0.2, prediction_in_reference_short=0.2)
    assert RATESCORE_SHORT.per_study(short)[0] == pytest.approx(0.2)
    assert RATESCORE_SHORT.spec.id == "ratescore_short"


def test_a_report_without_entities_scores_one_half_and_an_empty_one_zero() -> None:
    assert METRIC.per_study(table(prediction_entities=0))[0] == 0.5
    assert METRIC.per_study(table(reference_entities=0))[0] == 0.5
    assert METRIC.per_study(table(prediction_entities=0, is_empty=1.0))[0] == 0.0


def test_a_direction_weighs_types_and_discounts_a_negation() -> None:
    # long: anatomy-anatomy 0.2856134859160784, disease-non-disease 0.3789136708096537 kept by 0.8716553966489615
    expected = (0.9 * 0.2856134859160784 + 0.5 * 0.3789136708096537 * 0.8716553966489615) / (
        0.2856134859160784 + 0.3789136708096537
    )
    found = direction(["ANATOMY", "DISEASE"], [("ANATOMY", 0.9), ("NON-DISEASE", 0.5)], AFFINITY["long"])
    assert found == pytest.approx(expected, abs=1e-15)
    assert direction([], [], AFFINITY["long"]) == 0.0


def test_the_weights_are_not_symmetric() -> None:
    weights = AFFINITY["long"].weights
    assert weights["DISEASE", "ANATOMY"] == 0.9950209388542061
    assert weights["ANATOMY", "DISEASE"] == 0.4592143222158069
    assert AFFINITY["short"].weights["ABNORMALITY", "NON-ABNORMALITY"] == 0.9479148658006686
    assert {len(one.weights) for one in AFFINITY.values()} == {25}


# Labels between [CLS] and [SEP]; spans are (first, last, type) with [CLS] at 0.
@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("O O O", []),
        ("B-X O O", [(1, 1, "X")]),
        ("B-X I-X O", [(1, 2, "X")]),
        ("B-X I-X I-X", [(1, 3, "X")]),
        ("B-X B-Y O", [(1, 1, "X"), (2, 2, "Y")]),
        ("B-X I-X B-Y", [(1, 2, "X"), (3, 3, "Y")]),
        ("I-X I-X O", []),  # an inside without a beginning is nothing
        ("B-X I-Y O", [(1, 2, "X")]),  # the beginning names the type
        ("O O B-X", [(3, 3, "X")]),
    ],
)
def test_labels_become_spans(labels: str, expected: list[tuple[int, int, str]]) -> None:
    inner = labels.split()
    tokens = ["[CLS]", *("w" for _ in inner), "[SEP]"]
    assert spans(tokens, ["O", *inner, "O"]) == expected


def test_sentences_are_cut_by_the_rules_and_short_ones_dropped() -> None:
    text = "Heart is normal. No effusion, 2.5 cm nodule.  Ok\n\nLines of Dr. Smith: unchanged! x"
    assert Segmenter().sentences(text)[:2] == ["Heart is normal.", "No effusion, 2.5 cm nodule."]
    assert Segmenter().sentences("") == Segmenter().sentences(" \n") == Segmenter().sentences("a.") == []


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.sampled_from([*"aB1.,:;!?()-/ \n\t\u00a0é%", ". ", " No ", " 2.5", "cm. The ", "\n\n"]),
        max_size=60,
    )
)
def test_remembering_findings_changes_no_sentence(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert _REMEMBERS.sentences(text) == _FORGETS.sentences(text)


_REMEMBERS, _FORGETS = Segmenter(), Segmenter(remembers=False)


def test_the_segmenter_needs_no_spacy() -> None:
    code = (
        "import sys; from scorer.encoding.ratescore.sentences import Segmenter; "
        "Segmenter().sentences('Heart is normal. Lungs are clear.'); "
        "print('LOADED', [m for m in ('spacy', 'medspacy', 'PyRuSH') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "LOADED []" in done.stdout


def test_a_report_scores_best_against_itself(bench: Bench) -> None:
    both = RATESCORE.compute(REFERENCES, REFERENCES, bench).values
    other = RATESCORE.compute(PREDICTIONS, REFERENCES, bench).values
    assert (scores(both) >= scores(other) - 1e-6).all()
    assert np.allclose(
        both[:, NAMES.index("reference_in_prediction_long")],
        both[:, NAMES.index("prediction_in_reference_long")],
    )


def test_an_empty_prediction_moves_no_neighbour(bench: Bench) -> None:
    """The released package drops its slot, and every later report gets the score of the one before."""
    whole = RATESCORE.compute(PREDICTIONS, REFERENCES, bench).values
    holed = RATESCORE.compute([*PREDICTIONS[:5], "", "a", *PREDICTIONS[7:]], REFERENCES, bench).values
    kept = [n for n in range(24) if n not in (5, 6)]
    assert np.array_equal(whole[kept], holed[kept])
    assert list(scores(holed)[5:7]) == [0.0, 0.5]


def test_a_row_depends_on_its_own_pair_only(bench: Bench, tmp_path: Path) -> None:
    whole = RATESCORE.compute(PREDICTIONS, REFERENCES, bench).values
    alone = replace(bench, cache_dir=tmp_path / "alone", batch_size=1)
    single = np.vstack(
        [RATESCORE.compute([p], [r], alone).values for p, r in zip(PREDICTIONS, REFERENCES, strict=True)]
    )
    # Padding moves the last bits; random weights leave a few labels and matches that hang on one.
    equal = np.abs(whole - single).max(axis=1) < 1e-5
    assert equal.mean() >= 0.8
    turned = RATESCORE.compute(PREDICTIONS[::-1], REFERENCES[::-1], bench).values
    assert np.array_equal(whole, turned[::-1])


def test_a_second_run_computes_nothing(bench: Bench) -> None:
    first = RATESCORE.compute(PREDICTIONS, REFERENCES, bench)
    said: list[str] = []
    second = RATESCORE.compute(
        PREDICTIONS, REFERENCES, replace(bench, progress=lambda stage, done, total: said.append(stage))
    )
    assert np.array_equal(first.values, second.values)
    assert said == []


def test_long_sentences_are_cut_and_counted(bench: Bench) -> None:
    long = "heart " * 700 + "is large."
    computed = RATESCORE.compute([long, PREDICTIONS[0]], [REFERENCES[0]] * 2, bench)
    assert computed.n_truncated >= 1


def test_without_weights_the_command_is_named(tmp_path: Path) -> None:
    bench = Bench(weights_dir=tmp_path / "weights", cache_dir=tmp_path / "cache")
    lack = RATESCORE.missing(bench)
    assert lack is not None
    assert lack[1] == "rexrank weights lock ratescore"
    with pytest.raises(MissingError):
        RATESCORE.compute(["a"], ["b"], bench)


def test_a_checkpoint_with_a_missing_tensor_is_refused(ratescore_weights: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    from scorer.errors import WeightsMissing
    from scorer.weights.fetch import pin
    from scorer.weights.lock import machine_lock

    given = tmp_path / "given"
    for part in ("tagger", "entities"):
        (given / part).mkdir(parents=True)
        for path in (ratescore_weights / "ratescore" / part).iterdir():
            (given / part / path.name).write_bytes(path.read_bytes())
    state = load_file(given / "tagger" / "model.safetensors")
    state.pop("classifier.weight")
    save_file(state, given / "tagger" / "model.safetensors", metadata={"format": "pt"})
    weights = tmp_path / "weights"
    pin("ratescore", weights, machine_lock(weights), report=lambda *_: None, given=given)
    with pytest.raises(WeightsMissing, match="does not fit"):
        RATESCORE.compute(
            ["Heart is large."], ["Heart is small."], Bench(weights_dir=weights, cache_dir=tmp_path / "c")
        )


def test_a_short_table_of_distances_gives_the_tags_of_the_whole_one(ratescore_weights: Path) -> None:
    """Sentences from one piece to beyond the last bucket, against the library's own forward pass."""
    import torch
    from transformers import AutoModelForTokenClassification

    from scorer.encoding.ratescore.tagger import TAGGER
    from scorer.weights import locate

    network = TAGGER.load(locate("ratescore", ratescore_weights), "cpu")
    plain = AutoModelForTokenClassification.from_pretrained(ratescore_weights / "ratescore" / "tagger").eval()
    lengths = []
    for words in (1, 5, 40, 130, 300, 500):
        item = network.tokenise(" ".join(["heart", "is", "large"][n % 3] for n in range(words)))
        lengths.append(item.length)
        network.encode([item])
        ids = torch.tensor([item.pieces])
        with torch.inference_mode():
            ours = network._classifier(ids).logits  # type: ignore[attr-defined]
            theirs = plain(ids).logits
        assert torch.allclose(ours, theirs, atol=1e-5)
    assert min(lengths) < 10 < 256 < max(lengths)
