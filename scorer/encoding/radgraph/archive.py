"""An unpacked DyGIE++ archive: its configuration, labels and tensors, each checked."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scorer.encoding.transformer import read_state, refuse
from scorer.weights import Weights

if TYPE_CHECKING:
    import torch

__all__ = ["Archive", "read_archive"]

_NAMES = (
    (r"_embedder\.token_embedder_bert\._matched_embedder\.transformer_model\.", "transformer."),
    (r"_endpoint_span_extractor\._span_width_embedding\.", "width."),
    (r"_ner\._ner_scorers\.{kind}__ner_labels\.0\._module\._linear_layers\.", "entity.hidden."),
    (r"_ner\._ner_scorers\.{kind}__ner_labels\.1\._module\.", "entity.score."),
    (
        r"_relation\._mention_pruners\.{kind}__relation_labels\._scorer\.0\._module\._linear_layers\.",
        "mention.hidden.",
    ),
    (r"_relation\._mention_pruners\.{kind}__relation_labels\._scorer\.1\._module\.", "mention.score."),
    (r"_relation\._relation_feedforwards\.{kind}__relation_labels\._linear_layers\.", "relation.hidden."),
    (r"_relation\._relation_scorers\.{kind}__relation_labels\.", "relation.score."),
)
"""Name in a DyGIE++ checkpoint -> name here."""

_UNUSED = ("_coref.", "_events.", "transformer.pooler.")


@dataclass(frozen=True, kw_only=True)
class Archive:
    """What the network is made from.

    Attributes:
        entity_labels, relation_labels: without the null label.
        max_span_width: longest candidate span, in words. spans_per_word: share of spans that may be related.
        max_length: word pieces a segment, special ones included.
        feature_size: of the width embedding, which has `width_rows` rows.
        hidden: sizes of the hidden layers of every head.
    """

    entity_labels: tuple[str, ...]
    relation_labels: tuple[str, ...]
    max_span_width: int
    width_rows: int
    spans_per_word: float
    max_length: int
    feature_size: int
    hidden: tuple[int, ...]
    state: dict[str, torch.Tensor]


def read_archive(weights: Weights, kind: str) -> Archive:
    """Reads `archive/` of an encoder's folder.

    Args:
        kind: namespace of the checkpoint, `radgraph` or `radgraph-xl`.

    Raises:
        WeightsMissing: a part is missing or of a kind that this network does not have.
    """
    folder = weights.folder / "archive"
    try:
        config = json.loads((folder / "config.json").read_bytes())
        model, reader = config["model"], config["dataset_reader"]
        forward = model["feedforward_params"]
        sizes = forward["hidden_dims"]
        _check(model, weights)
        return Archive(
            entity_labels=_labels(weights, f"{kind}__ner_labels", null=True),
            relation_labels=_labels(weights, f"{kind}__relation_labels", null=False),
            max_span_width=int(reader["max_span_width"]),
            width_rows=int(model["max_span_width"]),
            spans_per_word=float(model["modules"]["relation"]["spans_per_word"]),
            max_length=int(reader["token_indexers"]["bert"]["max_length"]),
            feature_size=int(model["feature_size"]),
            hidden=tuple(sizes) if isinstance(sizes, list) else (int(sizes),) * int(forward["num_layers"]),
            state=_state(weights, kind),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise refuse(weights, f"the archive cannot be read ({type(error).__name__}: {error})") from error


def _check(model: dict[str, Any], weights: Weights) -> None:
    """Refuses what would change entities or relations and is not built here."""
    if model["modules"].get("coref", {}).get("coref_prop", 0):
        raise refuse(weights, "the archive propagates coreference, which no RadGraph release does")
    if not (model["loss_weights"]["ner"] > 0 and model["loss_weights"]["relation"] > 0):
        raise refuse(weights, "the archive finds no entities or no relations")


def _labels(weights: Weights, namespace: str, *, null: bool) -> tuple[str, ...]:
    folder = weights.folder / "archive" / "vocabulary"
    if "*labels" not in (folder / "non_padded_namespaces.txt").read_text("utf-8").split():
        raise refuse(weights, "the label vocabularies of the archive are padded")
    lines = (folder / f"{namespace}.txt").read_text("utf-8").split("\n")
    if lines[-1] == "":
        lines.pop()
    if null and (not lines or lines.pop(0) != ""):
        raise refuse(weights, f"{namespace}.txt does not begin with the null label")
    return tuple(lines)


def _state(weights: Weights, kind: str) -> dict[str, torch.Tensor]:
    state = {}
    for name, tensor in read_state(weights.folder / "archive" / "weights.th", weights).items():
        for pattern, instead in _NAMES:
            short, count = re.subn("^" + pattern.replace("{kind}", re.escape(kind)), instead, name)
            if count:
                name = short
                break
        if not name.startswith(_UNUSED):
            state[name] = tensor
    return state
