"""RadGraph against radgraph 0.1.18 on the same archives, and the sets that are compared."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer.encoding.radgraph import RADGRAPH, RADGRAPH_XL, Entity, RadgraphEncoder, pack, unpack
from scorer.encoding.radgraph.text import words_v1, words_xl
from scorer.statistics.base import Bench
from scorer.statistics.radgraph import LEVELS, graph_sets
from scorer.statistics.radgraph import RADGRAPH as STATISTIC
from scorer.weights import locate
from tests.encoders import official
from tests.encoders.parity import check_radgraph
from tests.encoders.texts import HARD, LONG, MANY_PIECES, reports

ENCODERS = pytest.mark.parametrize("encoder", [RADGRAPH, RADGRAPH_XL], ids=lambda encoder: encoder.id)


@ENCODERS
def test_annotations_equal_the_package_on_hard_texts(
    encoder: RadgraphEncoder, bench: Bench, official_radgraph: Any
) -> None:
    expected = official_radgraph[encoder.id]
    assert sum(len(one["relations"]) for graph in expected.values() for one in graph.values()) > 20
    check_radgraph(encoder, bench, expected)


@pytest.mark.slow
def test_annotations_of_620_words_equal_the_package(bench: Bench, tiny: Path, work: Path) -> None:
    pytest.importorskip("radgraph")
    annotate = official.radgraph(tiny / "radgraph", work, "radgraph")
    check_radgraph(RADGRAPH, bench, {LONG: annotate([LONG])["0"]["entities"]})


@pytest.mark.parametrize("batch_size", [1, 3])
def test_the_batch_size_changes_no_annotation(bench: Bench, official_radgraph: Any, batch_size: int) -> None:
    check_radgraph(RADGRAPH, dataclasses.replace(bench, batch_size=batch_size), official_radgraph["radgraph"])


def test_a_text_of_many_pieces_is_read_in_segments_and_not_cut(bench: Bench, tiny: Path) -> None:
    item = RADGRAPH.load(locate("radgraph", tiny), "cpu").tokenise(MANY_PIECES)
    assert [len(segment) <= 512 for segment in item.pieces[1]] == [True, True]
    assert STATISTIC.compute([MANY_PIECES], ["Clear."], bench).n_truncated == 0


def test_words_equal_the_package_s() -> None:
    """Golden: radgraph 0.1.18 `preprocess_reports`."""
    utils = pytest.importorskip("radgraph.utils")
    texts = [*HARD, *reports(20), r"A\nB\f C\u2122 \"quoted\" 5%, (10%). 'x.' 20%.", "a--b;c/d,e:f.g!h?i(j)k"]
    for kind, words in (("radgraph", words_v1), ("radgraph-xl", words_xl)):
        theirs = [one["sentences"][0] for one in utils.preprocess_reports(texts, kind)]
        assert [words(text) for text in texts] == theirs


def test_hyphens_and_semicolons_stay_in_words_of_the_first_checkpoint_and_decimals_do_not() -> None:
    assert words_v1("right-sided; 2.5cm/large") == ["right-sided;", "2", ".", "5cm", "/", "large"]
    assert words_xl("right-sided; 2.5cm/large") == "right - sided ; 2 . 5cm / large".split()


@pytest.mark.parametrize("words", [words_v1, words_xl])
def test_white_space_of_any_kind_changes_no_word(words: Any) -> None:
    for text in HARD:
        assert words(text) == words(RADGRAPH.normalise(text))


def graph(*entities: tuple[str, str, tuple[tuple[str, int], ...]]) -> tuple[Entity, ...]:
    return tuple(
        Entity(tokens=tokens, label=label, start=place, end=place, relations=relations)
        for place, (tokens, label, relations) in enumerate(entities)
    )


def test_a_graph_survives_the_cache() -> None:
    one = graph(("Épanchement \ud800", "OBS-DP", (("located_at", 1),)), ("pleural", "ANAT-DP", ()))
    assert unpack(pack(one)) == one


def test_the_sets_by_hand() -> None:
    one = graph(
        ("Effusion", "OBS-DP", (("located_at", 1), ("modify", 1))),
        ("Pleural", "ANAT-DP", ()),
        ("Pleural", "ANAT-DP", ()),  # a repeat vanishes
    )
    entities, relations, partial, complete = graph_sets(one)
    assert entities == {("Effusion", "OBS-DP"), ("Pleural", "ANAT-DP")}
    assert relations == {
        (("Effusion", "OBS-DP"), ("Pleural", "ANAT-DP"), "located_at"),
        (("Effusion", "OBS-DP"), ("Pleural", "ANAT-DP"), "modify"),
    }
    assert partial == {("Effusion", "OBS-DP", True), ("Pleural", "ANAT-DP", False)}
    assert complete == {
        ("Pleural", "ANAT-DP"),
        ("effusion", "OBS-DP", "located_at", "pleural"),
        ("effusion", "OBS-DP", "modify", "pleural"),
    }


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        (graph(), graph()),
        (graph(), graph(("Large", "OBS-DP", ()))),
        (graph(("Large", "OBS-DP", ())), graph(("large", "OBS-DP", ()))),
        (
            graph(("effusion", "OBS-DP", (("located_at", 1),)), ("pleural", "ANAT-DP", ())),
            graph(("effusion", "OBS-DA", (("located_at", 1),)), ("pleural", "ANAT-DP", ())),
        ),
        (
            graph(("Effusion", "OBS-DP", (("located_at", 1),)), ("Pleural", "ANAT-DP", ())),
            graph(("effusion", "OBS-DP", (("located_at", 1),)), ("pleural", "ANAT-DP", ())),
        ),
    ],
)
def test_reward_levels_equal_the_package_s(prediction: Any, reference: Any) -> None:
    """Golden: radgraph 0.1.18 `compute_reward` with level all, exact; case counts where it counts there."""
    rewards = pytest.importorskip("radgraph.rewards")
    from tests.encoders.parity import as_package

    theirs = rewards.compute_reward(
        {"entities": as_package(prediction)}, {"entities": as_package(reference)}, "all"
    )
    ours = []
    for level in ("entity", "partial", "complete"):
        mine, other = (graph_sets(one)[LEVELS.index(level)] for one in (prediction, reference))
        ours.append(2 * len(mine & other) / max(1, len(mine) + len(other)))
    assert ours == pytest.approx(theirs, abs=1e-15)


def test_an_empty_side_has_no_entity_and_raises_nothing(bench: Bench) -> None:
    values = STATISTIC.compute(["", " \n", "Clear."], ["Large effusion.", "Clear.", ""], bench).values
    names = [column.name for column in STATISTIC.spec.columns]
    matches = [place for place, name in enumerate(names) if name.endswith("matches")]
    ours = [place for place, name in enumerate(names) if name.endswith("prediction")]
    theirs = [place for place, name in enumerate(names) if name.endswith("reference")]
    assert not values[:, matches].any()
    assert not values[:2, ours].any()
    assert not values[2, theirs].any()


def test_equal_texts_match_completely(bench: Bench) -> None:
    texts = reports(8, seed=5)
    values = STATISTIC.compute(texts, texts, bench).values.reshape(8, len(LEVELS), 3)
    np.testing.assert_array_equal(values[:, :, 0], values[:, :, 1])
    np.testing.assert_array_equal(values[:, :, 0], values[:, :, 2])
    assert values[:, 0, 0].sum() > 0
