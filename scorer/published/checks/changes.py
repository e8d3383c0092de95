"""Rows whose figures changed from one edition to the next, with no reason stated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorer.published.cells import Change, changes_of
from scorer.published.metrics import metric
from scorer.published.types import Edition, Finding

__all__ = ["check_changes"]


def check_changes(editions: Sequence[Edition]) -> Iterator[Finding]:
    """One finding per model, board and edition; it lists every figure that moved by more than rounding."""
    labels = {edition.id: edition.label for edition in editions}
    leaderboard = [edition for edition in editions if edition.kind == "edition"]
    rows: dict[tuple[str, ...], list[Change]] = {}
    for change in changes_of(leaderboard):
        if not change.is_explained:
            rows.setdefault((change.later.edition, *change.later.cell[:4]), []).append(change)
    for (edition, dataset, split, track, model), changes in rows.items():
        earlier = {change.earlier.edition: None for change in changes}
        moves = ", ".join(
            f"{metric(change.later.metric).label} {_old(change)} then {change.later.printed}"
            for change in changes
        )
        since = " and ".join(labels[id] for id in earlier)
        yield Finding(
            kind="changed",
            editions=(*earlier, edition),
            dataset=dataset,
            split=split,
            track=track,
            model=model,
            metric=changes[0].later.metric if len(changes) == 1 else "",
            values=tuple(
                pair
                for change in changes
                for pair in (
                    (f"{change.later.metric} before", change.old),
                    (f"{change.later.metric} after", change.new),
                )
            ),
            rows=tuple(
                (row.edition, row.line) for change in changes for row in (change.earlier, change.later)
            ),
            sentence=f"{model} on {dataset} ({track}): {moves}; {labels[edition]} against {since}, no reason stated.",
        )


def _old(change: Change) -> str:
    return f"{change.old:.3f} (1/{change.earlier.printed})" if change.is_converted else change.earlier.printed
