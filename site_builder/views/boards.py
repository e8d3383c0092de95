"""The board of one dataset and track: columns, rows in their order, badges, leaders, filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from scorer.board import Board, BoardColumn, Cell, Row
from site_builder.models import Model
from site_builder.wording import count, interval, listed, number, p_value, rank_range, sort_key
from site_builder.world import CONSTANT, World, track_label

__all__ = ["BoardView", "board_path", "board_title", "board_view", "few_of", "leaders"]

LONG, FEW = 100, 30
"""A board of more than `LONG` rows begins with its first `FEW`, as many as a phone lays out at once; the others stand
on a page of their own, where the script fetches them."""


@dataclass(frozen=True, kw_only=True)
class ColumnView:
    """A metric as a column. `leaders` share first place; `compared` is what a number is held against."""

    id: str
    label: str
    group: str
    better: str
    signature: str
    href: str
    leaders: Sequence[tuple[str, str]]
    leading: str
    facts: Sequence[str]
    method: str
    is_order: bool
    compared: str
    is_ranked: bool
    is_shown: bool


@dataclass(frozen=True, kw_only=True)
class CellView:
    """A number, formatted. `ranks` is "rank,low,high,group"; `word` stands where no number is."""

    text: str = ""
    interval: str = ""
    key: str = ""
    ranks: str = ""
    word: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class RowView:
    """A model or probe. `tie` is 1 or 2, alternating, for a group of rows that are not separable, else 0."""

    id: str
    label: str
    href: str
    is_probe: bool
    rank: str
    tie: int
    badges: Sequence[tuple[str, str]]
    facets: Mapping[str, str]
    note: str
    n: int
    n_empty: int
    cells: Sequence[CellView]


@dataclass(frozen=True, kw_only=True)
class Facet:
    """A filter: its URL key, label, and (value, label) options in order."""

    key: str
    label: str
    options: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class BoardView:
    """A board, ready to be written down."""

    dataset: str
    dataset_name: str
    track: str
    track_label: str
    path: str
    title: str
    lede: str
    order: str
    order_sentence: str
    columns: Sequence[ColumnView]
    groups: Sequence[tuple[str, int]]
    rows: Sequence[RowView]
    facets: Sequence[Facet]
    presets: Sequence[tuple[str, str]]
    n: int
    few: int
    closed: str
    awaiting: Sequence[str]

    @property
    def first(self) -> Sequence[RowView]:
        """The rows that the board's page begins with."""
        return self.rows[: self.few or None]


def few_of(n_rows: int, most: int = 150, first: int = 100) -> int:
    """How many rows a list of `n_rows` begins with; 0 for all. The style sheet hides what follows the usual hundred."""
    return first if n_rows > most else 0


def board_path(dataset: str, track: str) -> str:
    """The address of a board below the site's root."""
    return f"boards/{dataset}/{track}/"


def board_title(world: World, board: Board) -> str:
    """`IU X-ray, findings`."""
    return f"{world.dataset_name(board.dataset)}, {track_label(board.track)}"


def leaders(world: World, column: BoardColumn) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Who is first in a column, as words and as (name, address) pairs; ("", ()) when nobody is ranked."""
    pairs = tuple((world.model(id).name, world.model(id).path) for id in column.top)
    names = [name for name, _ in pairs]
    if not names:
        return "", ()
    if len(names) == 1:
        return f"First: {names[0]}", pairs
    return f"First place is shared by {listed(names, most=6)}: not separable", pairs


def board_view(world: World, board: Board) -> BoardView:
    """Formats a board; order of rows and columns, ranks and groups are the board's own."""
    card = world.datasets[board.dataset]
    decimals = {
        c.spec.id: c.spec.decimals if card.decimals is None else min(c.spec.decimals, card.decimals)
        for c in board.columns
    }
    ties = _ties(board)
    rows = tuple(
        RowView(
            id=row.model,
            label=row.label,
            href=world.model(row.model).path,
            is_probe=row.is_probe,
            rank=_rank(row.cells.get(board.order)),
            tie=ties[i],
            badges=_badges(row, world.model(row.model)),
            facets=_facets(row, world.model(row.model)),
            note=", ".join(world.model(row.model).institutions),
            n=row.n,
            n_empty=row.n_empty,
            cells=tuple(_cell(row, c, decimals[c.spec.id]) for c in board.columns),
        )
        for i, row in enumerate(board.rows)
    )
    models = [row for row in board.rows if not row.is_probe]
    ordering = next((c for c in board.columns if c.spec.id == board.order), None)
    columns = tuple(_column(world, board, c, decimals[c.spec.id]) for c in board.columns)
    return BoardView(
        dataset=board.dataset,
        dataset_name=card.name,
        track=board.track,
        track_label=track_label(board.track),
        path=board_path(board.dataset, board.track),
        title=board_title(world, board),
        lede=_lede(world, board, len(models)),
        order=board.order,
        order_sentence=(
            f"Ordered by {ordering.spec.label}, {ordering.spec.better} is better"
            + ("" if board.order == "radcliq_v1" else "; by RadCliQ-v1 once that is scored here")
            + "."
            if ordering
            else ""
        ),
        columns=columns,
        groups=_groups(columns),
        rows=rows,
        facets=_facet_views(rows),
        presets=_presets(columns),
        n=board.n,
        few=few_of(len(rows), LONG, FEW),
        closed="" if card.is_public else card.access,
        awaiting=tuple(r.label for r in models if not r.n),
    )


def _lede(world: World, board: Board, n_models: int) -> str:
    card = world.datasets[board.dataset]
    section = "findings section alone" if board.track == "findings" else "findings and impression together"
    patients = f" of {count(board.n_patients, 'patient')}" if board.n_patients else ""
    studies = (
        f"{count(board.n, 'study', 'studies')}{patients} of the {card.split} split"
        if board.n
        else f"the {card.split} split"
    )
    newest = f"; newest submission {board.date}" if board.date else ""
    return f"{studies}, {section}; {count(n_models, 'model')}{newest}."


def _column(world: World, board: Board, column: BoardColumn, decimals: int) -> ColumnView:
    spec = column.spec
    leading, pairs = leaders(world, column)
    facts = []
    if column.resolvable is not None:
        facts.append(
            f"smallest difference this test set can tell apart: {number(column.resolvable, decimals)}"
        )
    if column.below_probe is not None and column.below_probe[1]:
        below, n = column.below_probe
        facts.append(f"models below the probe constant-normal: {below} of {n}")
    return ColumnView(
        id=spec.id,
        label=spec.label,
        group=spec.group,
        better=spec.better,
        signature=column.signature,
        href=f"metrics/{spec.id}/",
        leaders=pairs,
        leading=leading,
        facts=tuple(facts),
        method=column.method,
        is_order=spec.id == board.order,
        compared=_compared(board, column, decimals),
        is_ranked=spec.is_ranked,
        is_shown=spec.on_board,
    )


def _compared(board: Board, column: BoardColumn, decimals: int) -> str:
    """`best 0.763, median 0.249, constant-normal 0.279` of the models in a column."""
    given = [(row, e.value) for row in board.rows if (e := row.cells[column.spec.id].estimate)]
    values = sorted(value for row, value in given if not row.is_probe)
    if not values:
        return ""
    best = values[-1 if column.spec.better == "higher" else 0] if column.spec.is_ranked else None
    constant = next((value for row, value in given if row.model == CONSTANT), None)
    named = [("best", best), ("median", median(values)), ("constant-normal", constant)]
    return ", ".join(f"{name} {number(value, decimals)}" for name, value in named if value is not None)


def _groups(columns: Sequence[ColumnView]) -> tuple[tuple[str, int], ...]:
    """Runs of columns of one group, as (group, how many are shown)."""
    runs: list[tuple[str, int]] = []
    for column in columns:
        if runs and runs[-1][0] == column.group:
            runs[-1] = (column.group, runs[-1][1] + column.is_shown)
        else:
            runs.append((column.group, int(column.is_shown)))
    return tuple(runs)


def _rank(cell: Cell | None) -> str:
    return rank_range(cell.rank, cell.rank_low, cell.rank_high) if cell else ""


def _ties(board: Board) -> list[int]:
    """1 or 2, alternating, for the rows from the first to the last of a tie group of two or more; else 0."""
    groups: dict[int, list[int]] = {}
    for i, row in enumerate(board.rows):
        cell = row.cells.get(board.order)
        if not row.is_probe and cell and cell.group is not None:
            groups.setdefault(cell.group, []).append(i)
    found = [0] * len(board.rows)
    for group, members in groups.items():
        if len(members) > 1:
            found[members[0] : members[-1] + 1] = [2 - group % 2] * (members[-1] + 1 - members[0])
    return found


def _cell(row: Row, column: BoardColumn, decimals: int) -> CellView:
    cell = row.cells[column.spec.id]
    if cell.estimate is None:
        word = {"failed": "failed", "stale": "stale"}.get(
            cell.state, "awaiting scoring" if not row.is_probe else "none"
        )
        return CellView(word=word, reason=cell.reason)
    e = cell.estimate
    ranks = ""
    if cell.rank is not None:
        parts = (cell.rank, cell.rank_low or "", cell.rank_high or "", cell.group or "")
        ranks = ",".join(str(part) for part in parts).rstrip(",")
    return CellView(
        text=number(e.value, decimals),
        interval=interval(e.low, e.high, decimals),
        key=sort_key(e.value, decimals + 3),
        ranks=ranks,
        word="stale" if cell.state == "stale" else "",
        reason="; ".join(
            part
            for part in (
                cell.reason,
                p_value(cell.p_above) and f"{p_value(cell.p_above)} against the next better model",
            )
            if part
        ),
    )


def _badges(row: Row, model: Model) -> tuple[tuple[str, str], ...]:
    """(kind, words) marks beside a name."""
    if row.is_probe:
        return (("probe", "probe"),)
    marks = []
    if model.weights in {"open", "on request"}:
        marks.append(("open", "open weights" if model.weights == "open" else "weights on request"))
    if row.in_domain:
        marks.append(("domain", "in-domain"))
    if model.uses_prior:
        marks.append(("prior", "prior used"))
    if not row.n:
        marks.append(("awaiting", "awaiting scoring"))
    if any(cell.state == "stale" for cell in row.cells.values()):
        marks.append(("stale", "stale"))
    if model.lifecycle in {"superseded", "withdrawn"}:
        marks.append(("stale", model.lifecycle))
    if row.signals:
        marks.append(("signal", count(len(row.signals), "signal")))
    return tuple(marks)


def _facets(row: Row, model: Model) -> dict[str, str]:
    """What the filters look at; unknown facts are left out and match no choice but "any"."""
    if row.is_probe:
        return {}
    found = {
        "open": model.weights or "not stated",
        "size": model.band,
        "trained": {True: "in-domain", False: "elsewhere", None: "not stated"}[row.in_domain],
        "inputs": {True: "prior studies", False: "current study", None: "not stated"}[model.uses_prior],
        "inst": "|".join(model.institutions),
        "year": model.year,
    }
    return {key: value for key, value in found.items() if value}


_FACETS = (
    ("open", "Weights"),
    ("size", "Parameters"),
    ("trained", "Trained on this dataset"),
    ("inputs", "Inputs"),
    ("inst", "Institution"),
    ("year", "Year"),
)


def _facet_views(rows: Sequence[RowView]) -> tuple[Facet, ...]:
    """Filters that can tell rows apart: at least two values among the models."""
    found = []
    for key, label in _FACETS:
        values = {value for row in rows for value in row.facets.get(key, "").split("|") if value}
        if len(values) > 1:
            order = sorted(
                values, key=lambda v: ("under 1B", "1B to 10B", "over 10B").index(v) if key == "size" else v
            )
            found.append(Facet(key=key, label=label, options=tuple((value, value) for value in order)))
    return tuple(found)


REXRANK = ("radcliq_v1", "bleu_2", "bertscore", "semb_score", "radgraph_combined", "ratescore", "green")


def _presets(columns: Sequence[ColumnView]) -> tuple[tuple[str, str], ...]:
    """(label, comma-separated columns) of the named views; a preset that would be empty is left out."""
    ids = [column.id for column in columns]
    wanted = {
        "default": [column.id for column in columns if column.is_shown],
        "as in ReXrank": [id for id in REXRANK if id in ids],
        "clinical": [c.id for c in columns if c.group in {"clinical", "composite", "judge"}],
        "lexical": [c.id for c in columns if c.group == "lexical"],
        "all": ids,
    }
    return tuple((label, ",".join(chosen)) for label, chosen in wanted.items() if chosen)
