"""Ranks and pair tables of closed datasets, made where the per-study tables are and published as numbers.

Per-study numbers of a closed dataset never leave the scoring machine, so what a reader elsewhere can know about
ranks and pairs has to be computed there: `results/pairs/<dataset>.<track>.json`, written by `rexrank score`.
A column of it counts only while it names exactly the models and values that the records hold.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scorer.errors import InputError, Problem
from scorer.inference.models import Draws
from scorer.inference.pairs import Comparison, compare_all
from scorer.inference.ranks import Ranked, RankedColumn
from scorer.store import canonical_json, write_atomic
from scorer.text import Track

__all__ = ["ClosedColumn", "closed_document", "closed_path", "read_closed", "write_closed"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClosedColumn:
    """One metric's ranks and pairs.

    Attributes:
        values: model -> value, what the column was made from. ranked: places follow `order`.
        order: models in the order of `ranked.models`. pairs: (a, b) -> comparison, a before b in `order`.
    """

    values: Mapping[str, float]
    order: Sequence[str]
    ranked: RankedColumn
    pairs: Mapping[tuple[str, str], Comparison]


def closed_path(root: Path, dataset: str, track: Track) -> Path:
    """Where the document of a dataset and track lies."""
    return root / "pairs" / f"{dataset}.{track}.json"


def closed_document(
    columns: Mapping[str, tuple[Sequence[str], Mapping[str, float], RankedColumn, Draws]],
    decimals: int | None,
) -> dict[str, Any]:
    """The document for columns: metric -> (models in order, values, ranks, draws over those models).

    Args:
        decimals: digits that the dataset's card allows; None for full floats.
    """

    def cut(value: Any) -> Any:
        return round(value, decimals) if decimals is not None and isinstance(value, float) else value

    document: dict[str, Any] = {"schema": 1, "columns": {}}
    for metric, (models, values, ranked, draws) in columns.items():
        pairs = []
        for a, b, comparison in compare_all(draws):
            fields = dataclasses.asdict(comparison)
            exact = {key: fields.pop(key) for key in ("p", "effect")}
            pairs.append({"a": models[a], "b": models[b], **{k: cut(v) for k, v in fields.items()}, **exact})
        document["columns"][metric] = {
            "order": list(models),
            "values": {model: cut(value) for model, value in values.items()},
            "ranked": dataclasses.asdict(ranked),
            "pairs": pairs,
        }
    return document


def write_closed(root: Path, dataset: str, track: Track, document: Mapping[str, Any]) -> bool:
    """Gives whether anything changed."""
    return write_atomic(closed_path(root, dataset, track), canonical_json(document))


def read_closed(root: Path, dataset: str, track: Track) -> Mapping[str, ClosedColumn]:
    """Metric -> column; nothing when there is no document.

    Raises:
        InputError: the file is damaged.
    """
    path = closed_path(root, dataset, track)
    if not path.is_file():
        return {}
    try:
        document = json.loads(path.read_bytes())
        return {metric: _column(column) for metric, column in document["columns"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "restore it from git or run rexrank score where the references are"
        message = f"not a pair table ({type(error).__name__})"
        raise InputError([Problem(path=str(path), code="broken-file", message=message, hint=hint)]) from error


def ranked_from(document: Mapping[str, Any]) -> RankedColumn:
    """Rebuilds a ranked column from its JSON form."""
    kept = dict(document)
    models = tuple(None if model is None else Ranked(**model) for model in kept.pop("models"))
    return RankedColumn(models=models, order=tuple(kept.pop("order")), top=tuple(kept.pop("top")), **kept)


def _column(document: Mapping[str, Any]) -> ClosedColumn:
    pairs = {}
    for pair in document["pairs"]:
        fields = dict(pair)
        a, b = fields.pop("a"), fields.pop("b")
        pairs[a, b] = Comparison(**fields)
    return ClosedColumn(
        values=document["values"],
        order=tuple(document["order"]),
        ranked=ranked_from(document["ranked"]),
        pairs=pairs,
    )
