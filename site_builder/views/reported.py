"""Figures that others published, as tables of their own: as reported, with the change since the edition before."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scorer.published import METRICS, Edition, PublishedMetric, PublishedRow
from scorer.published.standing import models_below
from site_builder.wording import listed, natural_key, number, signed, sort_key
from site_builder.world import CONSTANT, World, track_label

FIGURE_SPACE = "\u2007"
"""As wide as a digit: aligns decimal points without adding digits that were not printed."""

__all__ = [
    "ReportedTable",
    "board_id",
    "editions_of",
    "own_note",
    "previous",
    "reported_table",
    "reported_tables",
    "when_short",
]

Place = tuple[str, str, str]
"""(dataset, split, track) as published."""


@dataclass(frozen=True, kw_only=True)
class ReportedColumn:
    """A published metric. `href` is below the site's root; "" without a page."""

    id: str
    label: str
    group: str
    better: str
    note: str
    href: str
    compared: str


@dataclass(frozen=True, kw_only=True)
class ReportedCell:
    """A published figure: `text` as printed, `pad` to align its point, `change` since the edition before."""

    text: str = ""
    pad: str = ""
    key: str = ""
    change: str = ""
    note: str = ""
    line: int = 0


@dataclass(frozen=True, kw_only=True)
class ReportedRow:
    """A model in an edition. `place` is ours, by the ordering column, equal figures sharing one."""

    place: str
    name: str
    href: str
    id: str
    is_new: bool
    in_domain: str
    note: str
    cells: Sequence[ReportedCell]


@dataclass(frozen=True, kw_only=True)
class ReportedTable:
    """One board of one edition."""

    id: str
    title: str
    edition: str
    edition_title: str
    when: str
    href: str
    board_href: str
    links: Sequence[tuple[str, str]]
    order: str
    compared_with: str
    is_partial: bool
    columns: Sequence[ReportedColumn]
    rows: Sequence[ReportedRow]
    notes: Sequence[str]
    n_figures: int


def board_id(place: Place) -> str:
    """The anchor of a board on an edition's page."""
    return "-".join(place)


def editions_of(world: World, dataset: str, track: str) -> tuple[tuple[Edition, Place], ...]:
    """Editions that hold figures for one of our boards, oldest first, with the place of the figures."""
    found = []
    for edition in world.editions:
        for place in edition.boards:
            if world.board_of(place[0], place[1]) == dataset and place[2] == track:
                found.append((edition, place))
    return tuple(found)


def when_short(edition: Edition) -> str:
    """The date, or for an undated edition what its id says after the source's name."""
    return (
        edition.date.isoformat()
        if edition.date
        else edition.id.removeprefix("rexrank-repo-").replace("-", " ")
    )


def previous(world: World, edition: Edition, place: Place) -> Edition | None:
    """The complete edition of the leaderboard before this one that holds the same board."""
    before = [
        e for e in world.editions if e.order < edition.order and e.kind == "edition" and not e.is_partial
    ]
    return next((e for e in reversed(before) if place in e.boards), None)


def reported_tables(world: World, edition: Edition) -> tuple[ReportedTable, ...]:
    """Every board of an edition, in the order of the source."""
    return tuple(reported_table(world, edition, place) for place in edition.boards)


def reported_table(world: World, edition: Edition, place: Place) -> ReportedTable:
    """One board of an edition, ordered by RadCliQ-v1 where it is known, else by the first ranked column."""
    rows = edition.board(place[0], place[2], place[1])
    columns = [metric for metric in METRICS if any(row.metric == metric.id for row in rows)]
    before = previous(world, edition, place)
    old = {row.cell: row for row in before.board(place[0], place[2], place[1])} if before else {}
    order, keys = _ordering(columns, rows)
    by_model: dict[str, dict[str, PublishedRow]] = {}
    for row in rows:
        by_model.setdefault(row.model, {})[row.metric] = row
    names = sorted(
        by_model, key=lambda name: (keys.get(name) is None, keys.get(name) or 0.0, natural_key(name))
    )
    digits = {m.id: max(_decimals(row.printed) for row in rows if row.metric == m.id) for m in columns}
    in_old = {row.model for row in old.values()}
    dataset = world.board_of(place[0], place[1])
    boards = {(card.id, track) for card in world.datasets.values() for track in card.tracks}
    return ReportedTable(
        id=board_id(place),
        title=f"{world.dataset_name(dataset or place[0])}, {place[1].replace('-', ' ')} split, {track_label(place[2])}",
        edition=edition.id,
        edition_title=edition.title,
        when=when_short(edition),
        href=f"editions/{edition.id}/",
        board_href=f"boards/{dataset}/{place[2]}/" if (dataset, place[2]) in boards else "",
        links=edition.links,
        order=order,
        compared_with=when_short(before) if before else "",
        is_partial=edition.is_partial,
        columns=tuple(
            _column(world, metric, [r for r in rows if r.metric == metric.id]) for metric in columns
        ),
        rows=tuple(
            ReportedRow(
                place=_place(keys, name) if edition.kind == "edition" and not edition.is_partial else "",
                name=name,
                href=world.by_published_name[name].path if name in world.by_published_name else "",
                id=world.by_published_name[name].id if name in world.by_published_name else "",
                is_new=bool(before) and name not in in_old,
                in_domain=_in_domain(by_model[name].values()),
                note=_shared_note(by_model[name].values()),
                cells=tuple(
                    _cell(by_model[name].get(metric.id), old, digits[metric.id]) for metric in columns
                ),
            )
            for name in names
        ),
        notes=(
            *_below_constant(world, dataset, place[2], edition),
            *dict.fromkeys(row.note for row in rows if row.note and not row.note.startswith("shown as")),
        ),
        n_figures=len(rows),
    )


def _below_constant(world: World, dataset: str, track: str, edition: Edition) -> Iterator[str]:
    """How many published rows one report for every study would beat, where our probe was scored on the same set."""
    probe = world.records.get((CONSTANT, dataset, track))
    published = {metric.id: metric for metric in METRICS if metric.is_ranked}
    found = []
    for e in probe.estimates if probe else ():
        metric = published.get(e.metric)
        below, n = models_below(edition, dataset, track, e.metric, e.value) if metric else (0, 0)
        if metric and n:
            found.append(f"{below} of {n} by {metric.label} ({number(e.value, metric.decimals)})")
    if found:
        yield (
            "Below our probe constant-normal, which gives every study the same report: "
            f"{listed(found)}. The probe is scored here, the rows are as reported."
        )


def _ordering(
    columns: Sequence[PublishedMetric], rows: Iterable[PublishedRow]
) -> tuple[str, dict[str, float]]:
    """What the rows are ordered by, in words, and an ascending key per model."""
    ids = {metric.id for metric in columns}
    if "radcliq_v1" in ids:
        return "RadCliQ-v1, lower is better", {r.model: r.value for r in rows if r.metric == "radcliq_v1"}
    if "inv_radcliq_v1" in ids:
        # 1/v1 has a pole at v1 = 0, so its own order is not one of quality; v1 = 1/(1/v1) is.
        found = {r.model: 1 / r.value for r in rows if r.metric == "inv_radcliq_v1" and r.value}
        return "RadCliQ-v1 recovered from its reciprocal, lower is better", found
    first = next((metric for metric in columns if metric.is_ranked), columns[0])
    sign = 1 if first.better == "lower" else -1
    return f"{first.label}, {first.better} is better", {
        r.model: sign * r.value for r in rows if r.metric == first.id
    }


def _place(keys: dict[str, float], name: str) -> str:
    return str(1 + sum(other < keys[name] for other in keys.values())) if name in keys else ""


def _column(world: World, metric: PublishedMetric, rows: Sequence[PublishedRow]) -> ReportedColumn:
    ordered = sorted(rows, key=lambda row: row.value, reverse=metric.better == "higher")
    ours = {spec.id for spec in world.metrics}
    note = "" if metric.is_ranked else "legacy display value, not an order of quality"
    if metric.reciprocal_of and metric.is_ranked is False:
        note = f"a reciprocal; {note}"
    return ReportedColumn(
        id=metric.id,
        label=metric.label,
        group=metric.group,
        better=metric.better,
        note=note,
        compared=f"best {ordered[0].printed}, median {ordered[len(ordered) // 2].printed}",
        href=f"methods/#{metric.id}" if metric.id in ours else f"editions/#{metric.id}",
    )


def _cell(
    row: PublishedRow | None, old: dict[tuple[str, str, str, str, str], PublishedRow], digits: int
) -> ReportedCell:
    if row is None:
        return ReportedCell()
    then = old.get(row.cell)
    return ReportedCell(
        text=row.printed,
        pad=FIGURE_SPACE * (digits - _decimals(row.printed)),
        key=sort_key(row.value, 6),
        change=signed(row.value - then.value, _decimals(row.printed, then.printed))
        if then and then.value != row.value
        else "",
        note=own_note(row.note),
        line=row.line,
    )


@functools.cache
def own_note(note: str) -> str:
    """A cell's remark without what is said of the whole table."""
    whole = ("single-table edition", "only rows new or changed", "self-reported", "two decimals")
    return "; ".join(part for part in note.split("; ") if not part.startswith((*whole, "shown as")))


def _shared_note(rows: Iterable[PublishedRow]) -> str:
    names = {
        part.removeprefix("shown as ")
        for row in rows
        for part in row.note.split("; ")
        if part.startswith("shown as")
    }
    return f"shown as {names.pop()}" if len(names) == 1 else ""


def _in_domain(rows: Iterable[PublishedRow]) -> str:
    known = {row.trained_on_dataset for row in rows}
    return "yes" if True in known else "no" if False in known else ""


def _decimals(*printed: str) -> int:
    return max(len(text.partition(".")[2]) for text in printed)
