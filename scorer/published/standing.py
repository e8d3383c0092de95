"""Ranks within one published board, and what they say: the reward gap, and models below a given figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from scorer.inference.ranks import competition_ranks
from scorer.naming import natural_key
from scorer.published.cells import figures
from scorer.published.metrics import metric as definition
from scorer.published.radcliq import raw_v1
from scorer.published.types import Edition
from scorer.types import Better

__all__ = ["GapRow", "RewardGap", "board_values", "models_below", "ranks", "reward_gap"]

JUDGES = ("green", "crimson")


def ranks(values: Mapping[str, float | None], better: Better) -> dict[str, int | None]:
    """Rank by name, 1 is best; equal values share the better rank, and a missing one has none."""
    return dict(zip(values, competition_ranks(list(values.values()), better), strict=True))


def board_values(edition: Edition, dataset: str, track: str, split: str = "") -> dict[str, dict[str, float]]:
    """Model -> metric -> value of one board; RadCliQ-v1 is read from its reciprocal where only that stands.

    Args:
        split: "" means the one the edition names first for the dataset and track.
    """
    found: dict[str, dict[str, float]] = {}
    for (its_dataset, its_split, its_track, model), row in figures(edition).items():
        if (its_dataset, its_track) == (dataset, track):
            split = split or its_split
            if its_split == split:
                values = {name: figure.value for name, figure in row.items()}
                raw = raw_v1(values)
                found[model] = values if raw is None else {**values, "radcliq_v1": raw}
    return found


@dataclass(frozen=True, kw_only=True)
class GapRow:
    """A model's ranks under one reward-like metric and under judges.

    Attributes:
        ranks: metric id -> rank, None where the figure is missing.
        gap: median rank under the judges minus rank under RadCliQ-v1; positive when judges place it lower.
            None when either is missing.
    """

    model: str
    ranks: Mapping[str, int | None]
    gap: float | None


@dataclass(frozen=True, kw_only=True)
class RewardGap:
    """The reward gap of one published board, by rank under RadCliQ-v1.

    Attributes:
        metrics: "radcliq_v1" and the judges that the edition has. n: models on the board.
    """

    edition: str
    dataset: str
    track: str
    metrics: tuple[str, ...]
    n: int
    rows: tuple[GapRow, ...]


def reward_gap(edition: Edition, dataset: str, track: str, split: str = "") -> RewardGap:
    """How far ranks by RadCliQ-v1, a common training reward, are from ranks by GREEN and CRIMSON.

    RadCliQ-v1 orders the rows (lower first), never its reciprocal. A board without it has no rows.
    """
    board = board_values(edition, dataset, track, split)
    present = {name for values in board.values() for name in values}
    metrics = tuple(name for name in ("radcliq_v1", *JUDGES) if name in present)
    by_metric = {
        name: ranks({model: values.get(name) for model, values in board.items()}, definition(name).better)
        for name in metrics
    }
    rows: list[GapRow] = []
    for model in board if "radcliq_v1" in present else ():
        own = {name: by_metric[name][model] for name in metrics}
        reward = own["radcliq_v1"]
        judged = [rank for name in metrics[1:] if (rank := own[name]) is not None]
        gap = median(judged) - reward if judged and reward is not None else None
        rows.append(GapRow(model=model, ranks=own, gap=gap))
    rows.sort(key=lambda row: (row.ranks["radcliq_v1"] or len(rows) + 1, natural_key(row.model), row.model))
    return RewardGap(
        edition=edition.id, dataset=dataset, track=track, metrics=metrics, n=len(rows), rows=tuple(rows)
    )


def models_below(edition: Edition, dataset: str, track: str, metric: str, value: float) -> tuple[int, int]:
    """(k, n): of the n models with a figure in a column, the k that are worse than a value."""
    board = board_values(edition, dataset, track)
    column = [values[metric] for values in board.values() if metric in values]
    if definition(metric).better == "higher":
        return sum(figure < value for figure in column), len(column)
    return sum(figure > value for figure in column), len(column)
