"""The engine with an encoder of one line: what is computed, in which batches, and how it fails."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scorer.encoding import Encodings, Item, NotFinite, check_device
from scorer.errors import MissingError, StageError, UsageError, WeightsMissing
from scorer.statistics.base import Bench
from scorer.weights import Weights

torch = pytest.importorskip("torch", reason="needs the encoders extra")


@dataclass
class Toy:
    """Encodes a text as its upper case; remembers what it was asked."""

    id: str = "chexbert"  # any encoder that the tiny lock pins
    version: int = 1
    loads: int = 0
    batches: list[list[str]] = field(default_factory=list)
    fail: Callable[[list[str]], None] = lambda texts: None

    def normalise(self, text: str) -> str:
        return text.strip()

    def load(self, weights: Weights, device: str) -> Toy:
        self.loads += 1
        return self

    def tokenise(self, text: str) -> Item:
        return Item(pieces=text, length=len(text), is_cut=len(text) > 20)

    def encode(self, items: Sequence[Item]) -> list[bytes]:
        self.batches.append([item.pieces for item in items])
        self.fail(self.batches[-1])
        return [item.pieces.upper().encode() for item in items]


def run(toy: Toy, bench: Bench, predictions: list[str], references: list[str]) -> dict[str, bytes]:
    with Encodings(toy, bench, predictions, references) as encodings:
        found = encodings.get([*predictions, *references])
    return {text: encoding.data for text, encoding in found.items()}


def test_each_distinct_text_is_encoded_once(bench: Bench) -> None:
    toy = Toy()
    found = run(toy, bench, ["a", "bb", "a"], [" a ", "bb", "ccc"])
    assert sorted(text for batch in toy.batches for text in batch) == ["a", "bb", "ccc"]
    assert found == {"a": b"A", " a ": b"A", "bb": b"BB", "ccc": b"CCC"}


def test_a_later_model_pays_for_its_own_texts_only(bench: Bench) -> None:
    run(Toy(), bench, ["a"], ["ref"])
    later = Toy()
    run(later, bench, ["b"], ["ref"])
    assert later.batches == [["b"]]


def test_a_warm_cache_loads_no_weights(bench: Bench) -> None:
    run(Toy(), bench, ["a"], ["b"])
    warm = Toy()
    assert run(warm, bench, ["a"], ["b"]) == {"a": b"A", "b": b"B"}
    assert warm.loads == 0


def test_another_version_or_other_weights_share_nothing(bench: Bench) -> None:
    run(Toy(), bench, ["a"], ["b"])
    for other in (Toy(version=2), Toy(id="radgraph")):
        run(other, bench, ["a"], ["b"])
        assert other.loads == 1


def test_a_text_without_content_is_not_encoded_and_has_no_encoding(bench: Bench) -> None:
    toy = Toy()
    assert run(toy, bench, ["", "  "], ["a", "a"]) == {"a": b"A"}
    assert toy.batches == [["a"]]


def test_cut_texts_stay_marked_through_the_cache(bench: Bench) -> None:
    for _ in range(2):
        with Encodings(Toy(), bench, ["x" * 21], ["y"]) as encodings:
            found = encodings.get(["x" * 21, "y"])
        assert [encoding.is_cut for encoding in found.values()] == [True, False]


def test_batches_hold_texts_of_like_length_longest_first(bench: Bench) -> None:
    toy = Toy()
    run(toy, dataclasses.replace(bench, batch_size=2), ["a", "bbbb", "cc"], ["ddd", "eeeee", "f"])
    assert [[len(text) for text in batch] for batch in toy.batches] == [[5, 4], [3, 2], [1, 1]]


def test_without_a_batch_size_the_padded_batch_is_bounded(bench: Bench) -> None:
    toy = Toy()
    run(toy, bench, [f"{'x' * 120}{index}" for index in range(10)], ["y"] * 10)
    assert [len(batch) for batch in toy.batches] == [4, 4, 3]  # 4 x 121 pieces fit into 512, 5 do not


def test_an_interrupted_run_keeps_its_finished_batches(bench: Bench) -> None:
    def stop(texts: list[str]) -> None:
        if texts == ["b"]:
            raise KeyboardInterrupt

    bench = dataclasses.replace(bench, batch_size=1)
    with pytest.raises(KeyboardInterrupt):
        run(Toy(fail=stop), bench, ["aaa", "aa"], ["b", "b"])
    again = Toy()
    run(again, bench, ["aaa", "aa"], ["b", "b"])
    assert again.batches == [["b"]]


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory"),
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"),
    ],
)
def test_out_of_memory_halves_the_batch_and_goes_on(bench: Bench, error: Exception) -> None:
    def small(texts: list[str]) -> None:
        if len(texts) > 2:
            raise error

    toy = Toy(fail=small)
    texts = [f"text {index}" for index in range(8)]
    assert len(run(toy, bench, texts, texts)) == 8
    assert [len(batch) for batch in toy.batches] == [8, 4, 2, 2, 2, 2]


def test_out_of_memory_at_a_single_text_is_a_stage_error(bench: Bench) -> None:
    def never(texts: list[str]) -> None:
        raise MemoryError

    with pytest.raises(StageError, match="out of memory at one text"):
        run(Toy(fail=never), bench, ["secret"], ["words"])


def test_a_value_that_is_no_number_names_the_study_by_its_place_and_keeps_the_text_private(
    bench: Bench,
) -> None:
    def bad(texts: list[str]) -> None:
        if "secret three" in texts:
            raise NotFinite([texts.index("secret three")])

    with pytest.raises(StageError) as error:
        run(Toy(fail=bad), bench, ["one", "two", "secret three"], ["a", "b", "c"])
    assert (
        str(error.value)
        == "chexbert: not a number (1 study); first at study 3 of the run; verify the weights"
    )


def test_the_message_of_a_foreign_exception_goes_no_further(bench: Bench) -> None:
    def fail(texts: list[str]) -> None:
        raise ValueError(f"cannot digest {texts}")

    with pytest.raises(StageError) as error:
        run(Toy(fail=fail), bench, ["secret"], ["words"])
    assert str(error.value) == "chexbert: ValueError (2 studies)"
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__


def test_encodings_that_vanish_during_a_run_are_computed_again(bench: Bench) -> None:
    toy = Toy()
    with Encodings(toy, bench, ["a"], ["b"]) as encodings:
        encodings._cache._database.execute("DELETE FROM encodings")
        assert {text: one.data for text, one in encodings.get(["a", "b"]).items()} == {"a": b"A", "b": b"B"}


def test_progress_runs_from_nothing_to_all_and_shows_no_text(bench: Bench) -> None:
    seen: list[tuple[str, int, int]] = []
    bench = dataclasses.replace(bench, batch_size=1, progress=lambda *told: seen.append(told))
    run(Toy(), bench, ["a", "b"], ["c", "c"])
    assert seen == [("chexbert", done, 3) for done in range(4)]


def test_absent_weights_are_said_before_anything_is_computed(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing) as error:
        run(Toy(), dataclasses.replace(bench, weights_dir=tmp_path / "none"), ["a"], ["b"])
    assert error.value.command == "rexrank weights lock chexbert"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_a_cuda_device_that_is_not_there_is_missing_not_replaced(bench: Bench, device: str) -> None:
    with pytest.raises(MissingError, match=device) as error:
        run(Toy(), dataclasses.replace(bench, device=device), ["a"], ["b"])
    assert "--device cpu" in error.value.command


@pytest.mark.parametrize("device", ["gpu", "cpu:0", "cuda:x", "mps"])
def test_a_device_that_no_encoder_runs_on_is_a_usage_error(device: str) -> None:
    with pytest.raises(UsageError, match="is no device"):
        check_device(device)


def test_the_number_of_threads_is_left_as_it_is(bench: Bench) -> None:
    before = torch.get_num_threads()
    run(Toy(), bench, ["a"], ["b"])
    assert torch.get_num_threads() == before
