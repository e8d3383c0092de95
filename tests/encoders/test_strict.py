"""Files that are verified and still do not make up the encoder are refused: never a random head."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.errors import WeightsMissing
from scorer.statistics import statistic
from scorer.statistics.base import Bench
from scorer.weights import read_lock
from scorer.weights.lock import EncoderLock, machine_lock, write_lock
from scorer.weights.store import MANIFEST

torch = pytest.importorskip("torch", reason="needs the encoders extra")


def change(tiny: Path, tmp_path: Path, encoder: str, place: str, edit: Callable[[bytes], bytes]) -> Bench:
    """A copy of one encoder's weights with one file edited and locked as edited."""
    weights = tmp_path / "weights"
    shutil.copytree(tiny / encoder, weights / encoder)
    path = weights / encoder / place
    path.write_bytes(edit(path.read_bytes()))
    digest, size = hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size
    manifest = weights / encoder / "archive" / MANIFEST
    if place.startswith("archive/"):
        document = json.loads(manifest.read_bytes())
        document["members"][place.removeprefix("archive/")] = [size, digest]
        manifest.write_bytes(json.dumps(document).encode())
    sources = [
        source.model_copy(
            update={
                "files": tuple(
                    file.model_copy(update={"size": size, "sha256": digest}) if file.to == place else file
                    for file in source.files
                )
            }
        )
        for source in read_lock(tiny).encoder(encoder).sources
    ]
    write_lock(machine_lock(weights), {encoder: EncoderLock(sources=tuple(sources))})
    return Bench(weights_dir=weights, cache_dir=tmp_path / "cache")


def resave(edit: Callable[[dict[str, Any]], Any]) -> Callable[[bytes], bytes]:
    """An edit of a checkpoint's table of tensors."""

    def edited(data: bytes) -> bytes:
        import io

        state = torch.load(io.BytesIO(data), weights_only=True)
        buffer = io.BytesIO()
        torch.save(edit(state), buffer)
        return buffer.getvalue()

    return edited


def without(table: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key != name}


def inner(edit: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[bytes], bytes]:
    return resave(lambda state: {**state, "model_state_dict": edit(state["model_state_dict"])})


HEAD = "module.linear_heads.3.weight"
SCORER = "_relation._relation_scorers.radgraph__relation_labels.weight"


def configured(**changes: Any) -> Callable[[bytes], bytes]:
    """An edit of config.json: dotted keys, with two underscores for a dot."""

    def edited(data: bytes) -> bytes:
        document = json.loads(data)
        for keys, value in changes.items():
            *path, last = keys.split("__")
            place = document
            for key in path:
                place = place[key]
            place[last] = value
        return json.dumps(document).encode()

    return edited


@pytest.mark.parametrize(
    ("encoder", "place", "edit", "said"),
    [
        (
            "chexbert",
            "chexbert.pth",
            inner(lambda t: without(t, HEAD)),
            r"1 tensors missing.*linear_heads\.3\.weight",
        ),
        (
            "chexbert",
            "chexbert.pth",
            inner(lambda t: {**t, "module.extra": t[HEAD]}),
            "1 tensors left over.*extra",
        ),
        ("chexbert", "chexbert.pth", inner(lambda t: {**t, HEAD: t[HEAD][:2]}), "1 tensors of another shape"),
        ("chexbert", "chexbert.pth", inner(lambda t: {"some.other": t[HEAD]}), "tensors missing"),
        ("chexbert", "chexbert.pth", resave(lambda t: without(t, "model_state_dict")), "no model_state_dict"),
        ("chexbert", "chexbert.pth", resave(lambda t: [1, 2]), "no table of tensors"),
        ("chexbert", "chexbert.pth", lambda data: data[: int(0.6 * len(data))], "no readable checkpoint"),
        ("chexbert", "chexbert.pth", lambda data: b"<html>not found</html>", "no readable checkpoint"),
        ("chexbert", "base/config.json", configured(model_type="gpt2"), "another kind"),
        ("chexbert", "base/config.json", lambda data: b"{", "no description"),
        ("chexbert", "base/config.json", configured(num_hidden_layers=3), "16 tensors missing"),
        ("distilroberta_base", "model.safetensors", lambda data: data[:5000], "no readable checkpoint"),
        ("distilroberta_base", "config.json", configured(num_hidden_layers=4), "has 4 layers, 5 are needed"),
        ("radgraph", "archive/weights.th", resave(lambda t: without(t, SCORER)), "1 tensors missing"),
        ("radgraph", "archive/weights.th", resave(lambda t: {**t, "_other.weight": t[SCORER]}), "left over"),
        ("radgraph", "archive/config.json", lambda data: b"{}", "cannot be read"),
        ("radgraph", "archive/config.json", configured(model__modules__coref__coref_prop=2), "coreference"),
        ("radgraph", "archive/config.json", configured(model__loss_weights__ner=0.0), "no entities"),
        ("radgraph", "archive/vocabulary/radgraph__ner_labels.txt", lambda data: data[1:], "null label"),
        ("radgraph", "archive/vocabulary/non_padded_namespaces.txt", lambda data: b"*tags\n", "padded"),
        ("radgraph", "base/config.json", configured(model_type="roberta"), "does not describe"),
    ],
)
def test_files_that_do_not_fit_are_refused_with_the_reason(
    tiny: Path, tmp_path: Path, encoder: str, place: str, edit: Callable[[bytes], bytes], said: str
) -> None:
    bench = change(tiny, tmp_path, encoder, place, edit)
    name = {"distilroberta_base": "bertscore"}.get(encoder, encoder)
    with pytest.raises(WeightsMissing, match=said) as error:
        statistic(name).compute(["Clear."], ["Large effusion."], bench)
    assert error.value.command == f"rexrank weights verify {encoder}"


@pytest.mark.parametrize(
    ("encoder", "place", "edit"),
    [
        # Old versions of transformers stored the position ids, new ones do not; either file is the same network.
        ("chexbert", "chexbert.pth", inner(lambda t: without(t, "module.bert.embeddings.position_ids"))),
        ("radgraph", "archive/weights.th", resave(lambda t: without(t, "_coref._distance_embedding.weight"))),
    ],
)
def test_the_known_harmless_tensors_may_be_there_or_not(
    tiny: Path, tmp_path: Path, encoder: str, place: str, edit: Callable[[bytes], bytes]
) -> None:
    before = statistic(encoder).compute(
        ["Clear."], ["Large effusion."], Bench(weights_dir=tiny, cache_dir=tmp_path / "before")
    )
    after = statistic(encoder).compute(
        ["Clear."], ["Large effusion."], change(tiny, tmp_path, encoder, place, edit)
    )
    assert before.values.tolist() == after.values.tolist()


def test_the_older_checkpoint_format_is_read_too(tiny: Path, tmp_path: Path) -> None:
    def old(data: bytes) -> bytes:
        import io

        buffer = io.BytesIO()
        state = torch.load(io.BytesIO(data), weights_only=True)
        torch.save(state, buffer, _use_new_zipfile_serialization=False)
        return buffer.getvalue()

    bench = change(tiny, tmp_path, "chexbert", "chexbert.pth", old)
    assert statistic("chexbert").compute(["Clear."], ["Clear."], bench).values[0, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["bertscore", "chexbert", "radgraph"])
def test_a_checkpoint_full_of_nan_is_a_stage_error_that_names_no_text(
    tiny: Path, tmp_path: Path, name: str
) -> None:
    from scorer.errors import StageError

    poison = "module.bert.embeddings.word_embeddings.weight"
    encoder, place, edit = {
        "chexbert": ("chexbert", "chexbert.pth", inner(lambda t: {**t, poison: t[poison] * float("nan")})),
        "radgraph": (
            "radgraph",
            "archive/weights.th",
            resave(
                lambda t: {
                    **t,
                    "_endpoint_span_extractor._span_width_embedding.weight": t[WIDTH] * float("nan"),
                }
            ),
        ),
        "bertscore": ("distilroberta_base", "model.safetensors", _poisoned_safetensors),
    }[name]
    bench = change(tiny, tmp_path, encoder, place, edit)
    with pytest.raises(StageError) as error:
        statistic(name).compute(["Secret one.", "Secret two."], ["Hidden.", "Hidden."], bench)
    assert "not a number (3 studies); first at study 1 of the run" in str(error.value)
    assert "ecret" not in str(error.value)


WIDTH = "_endpoint_span_extractor._span_width_embedding.weight"


def _poisoned_safetensors(data: bytes) -> bytes:
    from safetensors.torch import load, save

    return save({name: tensor * float("nan") for name, tensor in load(data).items()})
