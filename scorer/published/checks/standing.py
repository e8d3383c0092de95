"""One metric far off where the model stands by all its others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scorer.published.cells import figures
from scorer.published.checks.outliers import FAR, Place, finding, spread
from scorer.published.metrics import METRICS
from scorer.published.standing import board_values
from scorer.published.types import Edition, Finding, PublishedRow

__all__ = ["check_standing"]

FEWEST_MODELS = 10
# Composites repeat their components; reciprocals repeat the composite.
_INDEPENDENT = tuple(m.id for m in METRICS if m.is_ranked and m.group not in ("composite", "vqa"))


def check_standing(editions: Sequence[Edition]) -> Iterator[Finding]:
    """One metric far off where the model stands by its others on the same board.

    A figure is listed when, in every complete edition that shows it among at least `FEWEST_MODELS` models,
    (a) it is at least `FAR` robust standard deviations from the line (Theil-Sen) that predicts the metric
    from the median of the model's other standardised metrics, (b) its rank is more than half the field away
    from the median of the model's other ranks, and (c) the same metric is less than half as far off, in the
    same direction, on each of the model's other datasets, so that it is no trait of the model.
    """
    seen: dict[
        tuple[Place, str, float], list[tuple[Edition, PublishedRow, tuple[float, float, int] | None]]
    ] = {}
    for edition in editions:
        if edition.kind != "edition" or edition.is_partial:
            continue
        off = {board: _distances(edition, board) for board in edition.boards}
        for place, row in figures(edition).items():
            board = place[:3]
            for id, figure in row.items():
                here = off[board].get((place[3], id))
                if here is None:
                    continue
                distance, own, others, n = here
                elsewhere = [
                    found[0] * np.sign(distance)
                    for other, distances in off.items()
                    if other[0] != place[0]
                    and other[2] == place[2]
                    and (found := distances.get((place[3], id)))
                ]
                is_off = (
                    abs(distance) >= FAR
                    and abs(own - others) > n / 2
                    and bool(elsewhere)
                    and max(elsewhere) < abs(distance) / 2
                )
                seen.setdefault((place, id, figure.value), []).append(
                    (edition, figure, (own, others, n) if is_off else None)
                )
    for (place, id, _), showings in seen.items():
        if all(standing for _, _, standing in showings):
            edition, figure, standing = showings[-1]
            assert standing is not None
            own, others, n = standing
            yield finding(
                "standing",
                place,
                id,
                [figure for _, figure, _ in showings],
                (
                    ("shown", figure.value),
                    ("rank", own),
                    ("median rank by its other metrics", others),
                    ("models", n),
                ),
                f"{figure.printed} is rank {own:g} of {n}, while the median of its other ranks is {others:g}, and it "
                f"is no outlier by this metric on other datasets",
                edition.label
                if len(showings) == 1
                else f"{edition.label} and {len(showings) - 1} earlier editions",
            )


def _distances(
    edition: Edition, board: tuple[str, str, str]
) -> dict[tuple[str, str], tuple[float, float, float, int]]:
    """(model, metric) -> (robust distance from the line, its rank, median of its other ranks, n models)."""
    from scipy.stats import rankdata, theilslopes

    dataset, split, track = board
    values = board_values(edition, dataset, track, split)
    metrics = [id for id in _INDEPENDENT if all(id in row for row in values.values())]
    if len(values) < FEWEST_MODELS or len(metrics) < 4:
        return {}
    table = np.array([[row[id] for id in metrics] for row in values.values()])
    scales = spread(table)
    if not scales.all():
        return {}
    standard = (table - np.median(table, axis=0)) / scales
    rank = rankdata(-table, method="min", axis=0)
    found: dict[tuple[str, str], tuple[float, float, float, int]] = {}
    for column, id in enumerate(metrics):
        rest = [other for other in range(len(metrics)) if other != column]
        by_others = np.median(standard[:, rest], axis=1)
        slope, intercept, *_ = theilslopes(standard[:, column], by_others)
        residual = standard[:, column] - intercept - slope * by_others
        scale = spread(residual)
        if not scale:
            continue
        distance = (residual - np.median(residual)) / scale
        for row, model in enumerate(values):
            median_rank = float(np.median(rank[row, rest]))
            found[model, id] = (float(distance[row]), float(rank[row, column]), median_rank, len(values))
    return found
