"""Pages of models: what it is, where it stands, what is odd about it; then every number with its signature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scorer.board import Board, BoardColumn, Cell, Row, Signal
from scorer.metrics.chexbert import label_scores
from scorer.metrics.entities import without_entities
from scorer.published import METRICS, Edition, PublishedRow
from scorer.published.rounding import Columns, decimals_of_columns, span
from scorer.types import Record
from site_builder.badges import model_badges
from site_builder.models import Model
from site_builder.page import Asset, Made, Page
from site_builder.plots.dots import dots
from site_builder.plots.plot import Plot, plot_assets
from site_builder.render import render
from site_builder.views.boards import board_path, board_title, few_of
from site_builder.views.cases import cases_path, has_cases
from site_builder.views.citations import cited_boards, moments
from site_builder.views.reported import board_id, own_note, when_short
from site_builder.wording import count, interval, natural_key, number, rank_range
from site_builder.world import World, track_label

__all__ = ["make"]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a model stands on one board, by the board's ordering column."""

    board: str
    href: str
    metric: str
    rank: str
    of: int
    value: str
    interval: str
    tie: str


@dataclass(frozen=True, kw_only=True)
class EstimateLine:
    """One number with everything that is known about it."""

    metric: str
    href: str
    arrow: str
    value: str
    interval: str
    rank: str
    n: int
    n_empty: int
    signature: str
    state: str


@dataclass(frozen=True, kw_only=True)
class BoardNumbers:
    """All numbers of a model on one board."""

    id: str
    title: str
    href: str
    lines: Sequence[EstimateLine]
    signals: Sequence[Signal]
    record_href: str
    plots: Sequence[Plot]
    labels: Sequence[tuple[str, str, str, str, str]]
    cases: str
    provenance: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class ReportedHistory:
    """Published figures of a model on one board, an edition a row, oldest first, with the remarks on them."""

    title: str
    columns: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, str, Sequence[tuple[str, str, bool]]]]
    notes: Sequence[str]


def make(world: World) -> Iterator[Made]:
    """The list of models, and a page for each."""
    on_boards = _places(world)
    published = _published(world)
    censuses: dict[tuple[str, str], _Census] = {(b.dataset, b.track): _census(b) for b in world.boards}
    printed = decimals_of_columns(world.editions)
    models = sorted(world.models.values(), key=lambda m: (m.is_probe, natural_key(m.name), m.id))
    for known in on_boards:
        if known not in world.models:
            models.append(world.model(known))
    yield Page(
        path="models/",
        title="Models",
        description=f"{count(len(models), 'model')}: cards, ranks and signals.",
        date=world.date,
        html=render(
            "models.html",
            "../",
            models=[_line(m, on_boards.get(m.id, ()), published) for m in models],
            few=few_of(len(models)),
        ),
        find="models",
    )
    for model in models:
        yield from _page(
            world,
            model,
            on_boards.get(model.id, ()),
            published.get(model.published_name, ()),
            censuses,
            printed,
        )


def _places(world: World) -> dict[str, list[tuple[Board, Row]]]:
    found: dict[str, list[tuple[Board, Row]]] = {}
    for board in world.boards:
        for row in board.rows:
            found.setdefault(row.model, []).append((board, row))
    return found


def _published(world: World) -> dict[str, list[tuple[Edition, PublishedRow]]]:
    found: dict[str, list[tuple[Edition, PublishedRow]]] = {}
    for edition in world.editions:
        for row in edition.rows:
            found.setdefault(row.model, []).append((edition, row))
    return found


def _line(
    model: Model,
    places: Sequence[tuple[Board, Row]],
    published: Mapping[str, Sequence[tuple[Edition, PublishedRow]]],
) -> dict[str, object]:
    return {
        "label": model.name,
        "href": model.path,
        "is_probe": model.is_probe,
        "institutions": ", ".join(model.institutions),
        "weights": model.weights,
        "size": model.size,
        "year": model.year,
        "n_boards": len(places),
        "n_published": len(published.get(model.published_name, ())),
        "lifecycle": model.lifecycle,
    }


def _page(
    world: World,
    model: Model,
    places: Sequence[tuple[Board, Row]],
    published: Sequence[tuple[Edition, PublishedRow]],
    censuses: Mapping[tuple[str, str], _Census],
    printed: Columns,
) -> Iterator[Made]:
    shown = (*places, *_former_places(world, model))
    boards = tuple(_numbers(world, board, row) for board, row in shown)
    standings = tuple(
        s
        for board, row in places
        if (s := _standing(world, board, row, censuses[board.dataset, board.track]))
    )
    yield Page(
        path=model.path,
        title=model.label,
        description=_summary(model, standings, len(published)),
        date=model.date,
        find=" ".join((model.label, *model.institutions)),
        html=render(
            "model.html",
            "../../",
            m=model,
            boards=boards,
            standings=standings,
            signals=[(b.title, s) for b in boards for s in b.signals],
            history=_history(world, published, printed),
            cited=tuple(cited_boards(world, places)),
            badges=() if model.is_probe else tuple(model_badges(world, model.id)),
            moments=tuple(moments(world, model.id)),
            corrections=[c for c in world.corrections if c.model == model.id],
            predecessors=[world.models[model.supersedes]] if model.supersedes in world.models else [],
            successors=world.successors.get(model.id, ()),
        ),
    )
    for numbers in boards:
        yield from plot_assets(model.path, numbers.plots)
    for board, row in shown:
        record = world.records.get((row.model, board.dataset, board.track))
        if record is not None:
            data = world.record_bytes(record)
            yield Asset(path=f"{model.path}{board.dataset}.{board.track}.json", data=data)


def _former_places(world: World, model: Model) -> Iterator[tuple[Board, Row]]:
    """Unranked rows of a superseded model: it left the boards, its numbers stay on its page."""
    for board in world.boards if model.lifecycle == "superseded" else ():
        record = world.records.get((model.id, board.dataset, board.track))
        if record is None:
            continue
        cells = {}
        for column in board.columns:
            e = record.estimate(column.spec.id)
            state = "current" if e and e.signature == column.signature else "stale" if e else "missing"
            cells[column.spec.id] = Cell(
                estimate=e, state=state, reason=record.missing.get(column.spec.id, "")
            )
        yield (
            board,
            Row(
                model=model.id,
                label=model.label,
                is_probe=False,
                cells=cells,
                n=record.n,
                n_empty=record.n_empty,
            ),
        )


def _summary(model: Model, standings: Sequence[Standing], n_published: int) -> str:
    where = "; ".join(f"rank {s.rank} of {s.of} on {s.board} by {s.metric}" for s in standings if s.rank)
    reported = count(n_published, "figure") + " as reported by others" if n_published else ""
    nowhere = model.lifecycle if model.lifecycle in {"superseded", "withdrawn"} else "awaiting scoring"
    return f"{model.label}: " + ("; ".join(part for part in (where, reported) if part) or nowhere)


@dataclass(frozen=True, kw_only=True)
class _Census:
    """How many rows a board ranks by its ordering column, and how many stand in each tie group."""

    n_ranked: int
    groups: Mapping[int | None, int]


def _census(board: Board) -> _Census:
    cells = [row.cells[board.order] for row in board.rows if not row.is_probe and board.order in row.cells]
    ranked = [cell for cell in cells if cell.rank is not None]
    return _Census(n_ranked=len(ranked), groups=Counter(cell.group for cell in ranked))


def _standing(world: World, board: Board, row: Row, census: _Census) -> Standing | None:
    column = next((c for c in board.columns if c.spec.id == board.order), None)
    cell = row.cells.get(board.order)
    if column is None or cell is None or cell.estimate is None:
        return None
    e, decimals = cell.estimate, _decimals(world, board, column)
    tie = ""
    if cell.group is not None and cell.rank is not None:
        others = census.groups[cell.group] - 1
        tie = f"not separable from {count(others, 'other model')}" if others else "separable from all others"
    return Standing(
        board=board_title(world, board),
        href=board_path(board.dataset, board.track),
        metric=column.spec.label,
        rank=rank_range(cell.rank, cell.rank_low, cell.rank_high),
        of=census.n_ranked,
        value=number(e.value, decimals),
        interval=interval(e.low, e.high, decimals),
        tie=tie,
    )


def _decimals(world: World, board: Board, column: BoardColumn) -> int:
    card = world.datasets[board.dataset]
    return column.spec.decimals if card.decimals is None else min(column.spec.decimals, card.decimals)


def _numbers(world: World, board: Board, row: Row) -> BoardNumbers:
    lines = []
    for column in board.columns:
        cell, decimals = row.cells[column.spec.id], _decimals(world, board, column)
        e = cell.estimate
        lines.append(
            EstimateLine(
                metric=column.spec.label,
                href=f"metrics/{column.spec.id}/",
                arrow="" if not column.spec.is_ranked else "↑" if column.spec.better == "higher" else "↓",
                value=number(e.value, decimals) if e else "",
                interval=interval(e.low, e.high, decimals) if e else "",
                rank=rank_range(cell.rank, cell.rank_low, cell.rank_high),
                n=e.n if e else row.n,
                n_empty=e.n_empty if e else row.n_empty,
                signature=e.signature if e else "",
                state=""
                if cell.state == "current"
                else cell.reason or {"missing": "awaiting scoring"}.get(cell.state, cell.state),
            )
        )
    record = world.records.get((row.model, board.dataset, board.track))
    return BoardNumbers(
        id=f"{board.dataset}-{board.track}",
        title=board_title(world, board),
        href=board_path(board.dataset, board.track),
        lines=tuple(lines),
        signals=tuple(row.signals),
        record_href=f"{board.dataset}.{board.track}.json" if record else "",
        plots=tuple(_subgroups(world, board, row)),
        labels=tuple(_labels(record)) if record else (),
        cases=cases_path(board.dataset) if has_cases(world, board.dataset, row.model) else "",
        provenance=_provenance(record) if record else (),
    )


def _labels(record: Record) -> Iterator[tuple[str, str, str, str, str]]:
    """CheXbert label, precision, recall, F1, and positive references."""
    for score in label_scores(record.figures):
        precision, recall, f1 = (number(value, 3) for value in (score.precision, score.recall, score.f1))
        yield score.label, precision, recall, f1, f"{score.support:,}"


def _subgroups(world: World, board: Board, row: Row) -> Iterator[Plot]:
    column = next((c for c in board.columns if c.spec.id == board.order), None)
    if column is None:
        return
    e = row.cells[board.order].estimate
    for table in world.subgroups(board, row):
        if board.order not in table.by_metric:
            continue  # this model awaits the metric by which others are ordered
        plot = dots(
            f"{board.dataset}-{board.track}-{table.attribute}",
            f"{table.label}: {column.spec.label}",
            column.spec.label,
            _decimals(world, board, column),
            e.value if e else None,
            table.by_metric[board.order],
        )
        if plot is not None:
            yield plot


def _provenance(record: Record) -> tuple[tuple[str, str], ...]:
    """What the numbers were made from, as (label, words)."""
    pairs = [
        ("bootstrap", f"{record.resamples:,} resamples by {record.clusters}, seed {record.seed}"),
        ("versions", ", ".join(f"{name} {version}" for name, version in sorted(record.versions.items()))),
    ]
    pairs += [
        (f"sha256 of {name.replace(':', ' ')}", digest) for name, digest in sorted(record.digests.items())
    ]
    pairs += [(f"weights of {key}", digest) for key, digest in sorted(record.weights.items())]
    pairs += [(f"texts cut by {key}", str(n)) for key, n in sorted(record.n_truncated.items())]
    pairs += [
        (f"references without an entity for {name}", f"{n} of {record.n}")
        for name, n in without_entities(record.figures)
    ]
    return tuple(pairs)


def _history(
    world: World, published: Sequence[tuple[Edition, PublishedRow]], printed: Columns
) -> tuple[ReportedHistory, ...]:
    """Published figures by board; a figure that no rounding makes equal to the one above it is marked."""
    boards: dict[tuple[str, str, str], dict[str, dict[str, PublishedRow]]] = {}
    editions = {edition.id: edition for edition, _ in published}
    for edition, row in published:
        boards.setdefault(row.board, {}).setdefault(edition.id, {})[row.metric] = row
    found = []
    for place, by_edition in boards.items():
        metrics = [m for m in METRICS if any(m.id in rows for rows in by_edition.values())]
        last: dict[str, PublishedRow] = {}
        notes: dict[str, None] = {}
        lines = []
        for id, rows in by_edition.items():
            cells = []
            for metric in metrics:
                figure = rows.get(metric.id)
                if figure is None:
                    cells.append(("", "", False))
                    continue
                before = last.get(metric.id, figure)
                last[metric.id] = figure
                note = own_note(figure.note)
                notes.setdefault(note)
                differs = not span(before, printed).meets(span(figure, printed))
                cells.append((figure.printed, note, differs))
            lines.append((when_short(editions[id]), f"editions/{id}/#{board_id(place)}", tuple(cells)))
        name = world.dataset_name(world.board_of(place[0], place[1]) or place[0])
        found.append(
            ReportedHistory(
                title=f"{name}, {place[1].replace('-', ' ')} split, {track_label(place[2])}",
                columns=tuple((m.label, "↑" if m.better == "higher" else "↓") for m in metrics),
                rows=tuple(lines),
                notes=tuple(filter(None, notes)),
            )
        )
    return tuple(found)
