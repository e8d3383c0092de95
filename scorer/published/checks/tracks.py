"""A model whose two tracks differ as no other model's do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from scorer.published.cells import figures
from scorer.published.checks.outliers import FAR, Place, finding, spread
from scorer.published.standing import board_values
from scorer.published.types import Edition, Finding, PublishedRow

__all__ = ["check_tracks"]

FEWEST_PAIRS = 6


def check_tracks(editions: Sequence[Edition]) -> Iterator[Finding]:
    """A model whose RadCliQ-v1 on the two tracks of a dataset differs in a way no other model's does.

    Listed when its difference is at least `FAR` robust standard deviations from the median difference of at
    least `FEWEST_PAIRS` models with both tracks. The newest edition speaks; the same figures are listed once.
    """
    listed: dict[tuple[Place, float, float], tuple[Edition, list[PublishedRow], float, float]] = {}
    for edition in editions:
        if edition.kind != "edition" or edition.is_partial:
            continue
        rows = figures(edition)
        for dataset, split in dict.fromkeys(board[:2] for board in edition.boards):
            pair = [
                board_values(edition, dataset, track, split) for track in ("findings", "findings_impression")
            ]
            raw = [
                {m: row["radcliq_v1"] for m, row in board.items() if "radcliq_v1" in row} for board in pair
            ]
            differences = {m: raw[0][m] - raw[1][m] for m in raw[0] if m in raw[1]}
            for model, distance in _far(differences).items():
                place = (dataset, split, "findings_impression", model)
                shown = [
                    figure
                    for track in ("findings", "findings_impression")
                    for id in ("radcliq_v1", "inv_radcliq_v1")
                    if (figure := rows[dataset, split, track, model].get(id))
                ]
                listed[place, raw[0][model], raw[1][model]] = (edition, shown, differences[model], distance)
    for (place, first, second), (edition, shown, difference, _) in listed.items():
        yield finding(
            "tracks",
            place,
            shown[-1].metric,
            shown,
            (
                ("findings", shown[0].value),
                ("findings_impression", shown[-1].value),
                ("RadCliQ-v1 gained", difference),
            ),
            f"{shown[-1].printed} against {shown[0].printed} on findings (RadCliQ-v1 {second:.3f} against "
            f"{first:.3f}); no other model gains as much from one track to the other",
            edition.label,
        )


def _far(differences: Mapping[str, float]) -> dict[str, float]:
    """The values at least `FAR` robust standard deviations from the median of all, with that distance."""
    if len(differences) < FEWEST_PAIRS:
        return {}
    values = np.array(list(differences.values()))
    scale = float(spread(values))
    if not scale:
        return {}
    distances = (values - np.median(values)) / scale
    return {m: float(d) for m, d in zip(differences, distances, strict=True) if abs(d) >= FAR}
