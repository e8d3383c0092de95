"""The parity checks can fail: each known trap, put into our code, is caught by the check that guards it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scorer.encoding.chexbert
import scorer.encoding.token_vectors
import scorer.encoding.transformer
import scorer.metrics.chexbert
import scorer.metrics.radgraph
import scorer.statistics.bertscore
import scorer.statistics.radgraph
from scorer.encoding import Item
from scorer.encoding.radgraph import RADGRAPH
from scorer.encoding.radgraph.heads import Heads
from scorer.encoding.transformer import Tokeniser
from scorer.metrics import metric
from scorer.statistics import statistic
from scorer.statistics.base import Bench
from scorer.types import Floats
from tests.encoders import official
from tests.encoders.parity import PREDICTIONS, REFERENCES, check_bertscore, check_chexbert, check_radgraph
from tests.encoders.test_radgraph import test_reward_levels_equal_the_package_s as reward_levels
from tests.encoders.test_strict import HEAD, change, inner, without

Patch = pytest.MonkeyPatch


def caught(check: Callable[[], Any]) -> None:
    """The check fails, as an assertion and not by an accident."""
    with pytest.raises(AssertionError):
        check()


def test_a_first_word_without_its_leading_space_is_caught(
    bench: Bench, official_bertscore: Floats, monkeypatch: Patch
) -> None:
    real = Tokeniser.__init__

    def init(self: Tokeniser, folder: Path, weights: Any) -> None:
        real(self, folder, weights)
        from transformers import RobertaTokenizerFast

        self._fast = RobertaTokenizerFast.from_pretrained(folder, add_prefix_space=False)
        self._slow_options = {}

    monkeypatch.setattr(Tokeniser, "__init__", init)
    caught(lambda: check_bertscore(bench, official_bertscore))


def test_idf_weights_are_caught(bench: Bench, tiny: Path, work: Path) -> None:
    folder = tiny / "distilroberta_base"
    weighted = official.bertscore(folder, work, PREDICTIONS, REFERENCES, idf=True, idf_sents=list(REFERENCES))
    caught(lambda: check_bertscore(bench, weighted))


def test_one_baseline_for_all_three_is_caught(
    bench: Bench, official_bertscore: Floats, monkeypatch: Patch
) -> None:
    from dataclasses import replace

    from scorer.statistics.bertscore import BASELINE, BERTSCORE

    mutant = replace(BERTSCORE, baseline=(BASELINE[2],) * 3)
    caught(lambda: check_bertscore(bench, official_bertscore, mutant))


def test_matching_without_the_special_pieces_is_caught(
    bench: Bench, official_bertscore: Floats, monkeypatch: Patch
) -> None:
    real = scorer.statistics.bertscore.greedy_match

    def bare(*sides: tuple[Any, Any]) -> Any:
        return real(*((counts[counts], vectors[counts]) for counts, vectors in sides))

    monkeypatch.setattr(scorer.statistics.bertscore, "greedy_match", bare)
    caught(lambda: check_bertscore(bench, official_bertscore))


@pytest.mark.parametrize("layers", [4, 6])
def test_another_layer_is_caught(bench: Bench, official_bertscore: Floats, layers: int) -> None:
    from dataclasses import replace

    from scorer.statistics.bertscore import BERTSCORE

    mutant = replace(BERTSCORE, encoder=replace(BERTSCORE.encoder, layers=layers))
    caught(lambda: check_bertscore(bench, official_bertscore, mutant))


@pytest.mark.parametrize("module", ["token_vectors", "chexbert", "radgraph"])
def test_a_batch_that_comes_back_in_another_order_is_caught(
    bench: Bench,
    official_bertscore: Floats,
    chexbert_encodings: Mapping[str, tuple[Floats, Floats]],
    official_radgraph: Any,
    monkeypatch: Patch,
    module: str,
) -> None:
    place = {
        "token_vectors": scorer.encoding.token_vectors,
        "chexbert": scorer.encoding.chexbert,
        "radgraph": scorer.encoding.radgraph.encoder,
    }[module]
    real = place._Loaded.encode  # type: ignore[attr-defined]

    def turned(self: Any, items: Sequence[Item]) -> list[bytes]:
        return list(reversed(real(self, items)))

    monkeypatch.setattr(place._Loaded, "encode", turned)  # type: ignore[attr-defined]
    checks = {
        "token_vectors": lambda: check_bertscore(bench, official_bertscore),
        "chexbert": lambda: check_chexbert(bench, chexbert_encodings),
        "radgraph": lambda: check_radgraph(RADGRAPH, bench, official_radgraph["radgraph"]),
    }
    caught(checks[module])


def test_lenient_loading_would_give_random_heads_and_is_caught(
    tiny: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    import torch

    bench = change(tiny, tmp_path, "chexbert", "chexbert.pth", inner(lambda table: without(table, HEAD)))

    def lenient(network: Any, state: Any, weights: Any, device: str) -> None:
        network.to_empty(device=device)
        for parameter in network.parameters():
            torch.nn.init.normal_(parameter)
        kept = {name: tensor.float() for name, tensor in state.items()}
        network.load_state_dict(kept, strict=False)
        for name, buffer in network.named_buffers():
            buffer.copy_(torch.arange(buffer.shape[-1]) if name.endswith("position_ids") else 0 * buffer)
        network.eval()

    monkeypatch.setattr(scorer.encoding.chexbert, "load_strictly", lenient)
    # The guard of test_strict: a checkpoint without a head must be refused. The mutant computes instead.
    with pytest.raises(pytest.fail.Exception), pytest.raises(Exception, match="missing"):
        statistic("chexbert").compute(["Clear."], ["Large effusion."], bench)


def test_the_word_none_for_an_empty_text_is_caught(bench: Bench, monkeypatch: Patch) -> None:
    """The package annotates the word None in place of an empty report."""

    def check() -> None:
        values = statistic("bertscore").compute(["", "None"], ["None", "None"], bench).values
        assert values[0, 3] == 1.0
        assert values[0, 2] == 0.0

    check()
    kind = scorer.encoding.token_vectors.TokenVectors
    real = kind.normalise
    monkeypatch.setattr(kind, "normalise", lambda self, text: real(self, text) or "None")
    caught(check)


def test_cutting_before_the_last_special_piece_is_caught(
    bench: Bench, chexbert_encodings: Mapping[str, tuple[Floats, Floats]], monkeypatch: Patch
) -> None:
    def framed(self: Tokeniser, text: str, limit: int) -> tuple[list[int], bool]:
        ids = [self.start, *self.pieces(text), self.end]
        return ids[:limit], len(ids) > limit

    monkeypatch.setattr(Tokeniser, "framed", framed)
    caught(lambda: check_chexbert(bench, chexbert_encodings))


def test_five_labels_in_place_of_fourteen_are_caught(
    bench: Bench, official_chexbert: official.Chexbert, monkeypatch: Patch
) -> None:
    from tests.encoders.test_chexbert import test_label_f1_equals_the_package_s_own_report as check

    check(bench, official_chexbert)
    kind = scorer.metrics.chexbert.ChexbertF1
    five, fourteen = (metric(f"chexbert_f1_{count}_macro_uncertain_positive") for count in (5, 14))
    swapped = {kind: {14: five, 5: fourteen}}[kind]
    monkeypatch.setattr(
        "tests.encoders.test_chexbert.metric",
        lambda name: swapped[int(name.split("_")[2])] if "macro" in name else metric(name),
    )
    caught(lambda: check(bench, official_chexbert))


def test_uncertain_as_negative_is_caught(
    bench: Bench, official_chexbert: official.Chexbert, monkeypatch: Patch
) -> None:
    from tests.encoders.test_chexbert import test_label_f1_equals_the_package_s_own_report as check

    monkeypatch.setattr(
        "tests.encoders.test_chexbert.metric", lambda name: metric(name.replace("positive", "negative"))
    )
    caught(lambda: check(bench, official_chexbert))


def test_one_for_two_empty_sets_is_caught(monkeypatch: Patch) -> None:
    """By hand: two reports without relations have relation F1 0, so an exact match has 0.5 combined."""
    from tests.metrics.test_clinical import graph_table, test_radgraph_of_one_study_by_hand

    def generous(tables: Any, level: str, which: str = "radgraph") -> Floats:
        table = tables[which]
        sizes = table[f"{level}_prediction"] + table[f"{level}_reference"]
        return np.where(sizes > 0, 2 * table[f"{level}_matches"] / np.maximum(1, sizes), 1.0)

    assert float(generous(graph_table(), "relation")[0]) == 1.0
    monkeypatch.setattr(scorer.metrics.radgraph, "level_f1", generous)
    caught(lambda: test_radgraph_of_one_study_by_hand({"entity": (3, 3, 3), "partial": (3, 3, 3)}, 0.5, 1.0))


def test_lower_case_in_every_set_is_caught(monkeypatch: Patch) -> None:
    from dataclasses import replace

    import tests.encoders.test_radgraph as module
    from tests.encoders.test_radgraph import graph

    real = scorer.statistics.radgraph.graph_sets
    monkeypatch.setattr(
        module,
        "graph_sets",
        lambda one: real(tuple(replace(entity, tokens=entity.tokens.lower()) for entity in one)),
    )
    large = graph(("Large", "OBS-DP", ())), graph(("large", "OBS-DP", ()))
    caught(lambda: reward_levels(*large))


def test_fewer_related_spans_are_caught(bench: Bench, official_radgraph: Any, monkeypatch: Patch) -> None:
    real = Heads._likeliest
    monkeypatch.setattr(
        Heads,
        "_likeliest",
        lambda self, scores, begin, stop, count: real(self, scores, begin, stop, count // 2),
    )
    caught(lambda: check_radgraph(RADGRAPH, bench, official_radgraph["radgraph"]))


def test_reading_512_pieces_only_is_caught(bench: Bench, official_radgraph: Any, monkeypatch: Patch) -> None:
    loaded = scorer.encoding.radgraph.encoder._Loaded
    real = loaded.tokenise

    def cut(self: Any, text: str) -> Item:
        item = real(self, text)
        words, segments, counts = item.pieces
        # A reader that cuts at 512 pieces instead of going on: words behind the cut have no pieces.
        kept = sum(len(segment) - 2 for segment in segments[:1])
        shortened = [min(count, max(0, kept - sum(counts[:place]))) for place, count in enumerate(counts)]
        return Item(pieces=(words, segments[:1], shortened), length=item.length)

    monkeypatch.setattr(loaded, "tokenise", cut)
    caught(lambda: check_radgraph(RADGRAPH, bench, official_radgraph["radgraph"]))
