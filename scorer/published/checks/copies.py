"""Rows that repeat another row of the same edition digit for digit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scorer.published.cells import figures
from scorer.published.checks.outliers import Place
from scorer.published.types import Edition, Finding, PublishedRow

__all__ = ["check_copies"]

FEWEST = 4
"""Figures that must agree. With three decimals each, chance is out of the question."""

Row = Mapping[str, PublishedRow]


def check_copies(editions: Sequence[Edition]) -> Iterator[Finding]:
    """One finding per pair of rows of one edition that share every figure and stand for different things.

    The original is the row whose figures stand in another edition of the leaderboard too; the other one is
    listed. When that does not decide, the later row is listed and neither is called the original.
    """
    leaderboard = [edition for edition in editions if edition.kind == "edition"]
    for edition in editions:
        first: dict[tuple[tuple[str, str], ...], tuple[Place, Row]] = {}
        for place, row in figures(edition).items():
            shown = tuple(sorted((id, figure.printed) for id, figure in row.items()))
            other, others = first.setdefault(shown, (place, row))
            if len(shown) >= FEWEST and other != place:
                others_in = [e for e in leaderboard if e is not edition]
                yield _finding(edition, others_in, (other, others), (place, row))


def _finding(
    edition: Edition, others: Sequence[Edition], one: tuple[Place, Row], two: tuple[Place, Row]
) -> Finding:
    repeated = [[e.label for e in others if _shows(e, place, row)] for place, row in (one, two)]
    if len(repeated[1]) > len(repeated[0]):
        one, two, repeated = two, one, repeated[::-1]
    (origin, originals), (place, row) = one, two
    dataset, split, track, model = place
    owner = f"{origin[3]}'s" if origin[3] != model else "its"
    told = f"{model} on {dataset} ({track}): all {len(row)} figures equal {owner} row on {origin[0]} digit for digit"
    if repeated[0] and not repeated[1]:
        more = f" and {len(repeated[0]) - 1} more editions" * (len(repeated[0]) > 1)
        told += f", where they also stand in {repeated[0][0]}{more}"
    later = [e for e in others if e.order > edition.order]
    return Finding(
        kind="copied",
        editions=(edition.id,),
        dataset=dataset,
        split=split,
        track=track,
        model=model,
        metric="",
        values=tuple((id, figure.value) for id, figure in row.items()),
        rows=tuple((edition.id, figure.line) for figure in (*originals.values(), *row.values())),
        sentence=f"{told}; {edition.label}{_later(later, place, row)}.",
    )


def _same_rows(edition: Edition, place: Place) -> Iterator[tuple[str, Row]]:
    """(track, row) of an edition that are scored against the same reference as a place."""
    dataset, split, track, model = place
    same = {"single_table", "findings_impression"}
    for candidate in sorted(same) if track in same else [track]:
        row = figures(edition).get((dataset, split, candidate, model))
        if row:
            yield candidate, row


def _shows(edition: Edition, place: Place, row: Row) -> bool:
    """Whether an edition shows a row's figures at its place, at least `FEWEST` of them and none other."""
    for _, other in _same_rows(edition, place):
        shared = row.keys() & other.keys()
        if len(shared) >= FEWEST and all(row[id].value == other[id].value for id in shared):
            return True
    return False


def _later(editions: Sequence[Edition], place: Place, row: Row) -> str:
    """What the next edition that scores the place says of it, when that is something else."""
    for edition in editions:
        for track, other in _same_rows(edition, place):
            moved = [id for id in row if id in other and other[id].value != row[id].value]
            told = ", ".join(f"{id} {row[id].printed} then {other[id].printed}" for id in moved)
            return f"; other figures in {edition.label} ({track}: {told})" if moved else ""
    return ""
