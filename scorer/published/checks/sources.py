"""The same model with other figures in another source: authors' own or a paper's against the leaderboard's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorer.published.metrics import METRICS, metric
from scorer.published.rounding import decimals_of_columns, span
from scorer.published.types import Edition, Finding, PublishedRow

__all__ = ["Comparison", "check_sources", "compare_sources"]

_RAW = {m.id: m.reciprocal_of for m in METRICS if m.reciprocal_of}
_RECIPROCAL = {raw: id for id, raw in _RAW.items()}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A figure of another source beside the leaderboard's newest figure for the same cell.

    Attributes:
        reported: the other source's figure. official: the leaderboard's, perhaps as the reciprocal.
        agrees: whether one number can stand behind both, allowing for the rounding of each.
    """

    reported: PublishedRow
    official: PublishedRow
    agrees: bool


def compare_sources(editions: Sequence[Edition]) -> tuple[Comparison, ...]:
    """Every figure of authors and papers for which the leaderboard ever showed the same cell."""
    columns = decimals_of_columns(editions)
    official = {row.cell: row for edition in editions if edition.kind == "edition" for row in edition.rows}
    found: list[Comparison] = []
    for edition in editions:
        for row in edition.rows if edition.kind != "edition" else ():
            same = official.get(row.cell)
            other = official.get((*row.cell[:-1], _RAW.get(row.metric) or _RECIPROCAL.get(row.metric, "")))
            own = span(row, columns)
            if same is None and other is not None:
                inverse = own.reciprocal()
                agrees = inverse is not None and inverse.meets(span(other, columns))
                found.append(Comparison(reported=row, official=other, agrees=agrees))
            elif same is not None:
                found.append(Comparison(reported=row, official=same, agrees=own.meets(span(same, columns))))
    return tuple(found)


def check_sources(editions: Sequence[Edition]) -> Iterator[Finding]:
    """One finding per source, board and model with the figures that cannot be the same number."""
    labels = {edition.id: edition.label for edition in editions}
    rows: dict[tuple[str, ...], list[Comparison]] = {}
    for comparison in compare_sources(editions):
        if not comparison.agrees:
            reported = comparison.reported
            rows.setdefault((reported.edition, *reported.cell[:4]), []).append(comparison)
    for (edition, dataset, split, track, model), differing in rows.items():
        told = ", ".join(
            f"{metric(c.reported.metric).label} {c.reported.printed} against {_shown(c)}" for c in differing
        )
        newest = dict.fromkeys(c.official.edition for c in differing)
        yield Finding(
            kind="sources",
            editions=(edition, *newest),
            dataset=dataset,
            split=split,
            track=track,
            model=model,
            metric=differing[0].reported.metric if len(differing) == 1 else "",
            values=tuple(
                pair
                for c in differing
                for pair in (
                    (f"{c.reported.metric} reported", c.reported.value),
                    (f"{c.official.metric} official", c.official.value),
                )
            ),
            rows=tuple((row.edition, row.line) for c in differing for row in (c.reported, c.official)),
            sentence=f"{model} on {dataset} ({track}): {told}; {labels[edition]} against "
            f"{' and '.join(labels[id] for id in newest)}.",
        )


def _shown(comparison: Comparison) -> str:
    """The leaderboard's figure, read in the reported one's metric."""
    official = comparison.official
    if official.metric == comparison.reported.metric:
        return official.printed
    return f"{1 / official.value:.3f} (1/{official.printed})" if official.value else official.printed
