"""The pages of a snapshot: made once, when it is frozen, and copied for ever after.

Each page is complete in itself: its style stands in it, it runs no script (its own policy forbids any) and
it loads nothing but one small picture that says whether there is a newer snapshot. That picture is the only
thing about a frozen page that a later build can change, and the page reads the same without it.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from dataclasses import dataclass
from typing import Any

import jinja2
from markupsafe import Markup

from scorer.citation_formats import bibtex
from scorer.citing import Publisher, cite_snapshot, snapshot_url
from scorer.numbers import shown
from scorer.snapshots.cited import board_title
from scorer.snapshots.document import BoardDocument, CellDocument, ColumnDocument, RowDocument
from scorer.snapshots.snapshot import Snapshot

__all__ = ["frozen_pages"]


@dataclass(frozen=True, kw_only=True)
class _Cell:
    value: str
    interval: str
    rank: str
    note: str
    is_first: bool


@dataclass(frozen=True, kw_only=True)
class _Row:
    model: str
    label: str
    is_probe: bool
    in_domain: bool | None
    n: str
    n_empty: str
    cells: tuple[_Cell, ...]


@dataclass(frozen=True, kw_only=True)
class _Column:
    label: str
    better: str
    signature: str
    method: str
    resolvable: str


@dataclass(frozen=True, kw_only=True)
class _Board:
    id: str
    title: str
    n: str
    n_models: int
    order: str
    top: str
    columns: tuple[_Column, ...]
    rows: tuple[_Row, ...]
    signals: tuple[tuple[str, str], ...]


def frozen_pages(snapshot: Snapshot, publisher: Publisher) -> dict[str, bytes]:
    """The snapshot's pages by path in its folder: `index.html` and `<dataset>.<track>/index.html`."""
    boards = [_board(snapshot, board) for board in snapshot.boards]
    citation = cite_snapshot(publisher, version=snapshot.version, date=snapshot.date)
    common = {"snapshot": snapshot, "publisher": publisher, "bibtex": bibtex(citation)}
    pages = {"index.html": _page("index.html", up="../", address=citation.url, boards=boards, **common)}
    for board in boards:
        address = snapshot_url(publisher, snapshot.version, board.id)
        example = (
            snapshot_url(publisher, snapshot.version, board.id, board.rows[0].model) if board.rows else ""
        )
        pages[f"{board.id}/index.html"] = _page(
            "board.html", up="../../", address=address, board=board, example=example, **common
        )
    return pages


def _page(template: str, *, address: str, **values: Any) -> bytes:
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' data:; base-uri 'none'; "
        "form-action 'none'"
    )
    html = (
        _environment()
        .get_template(template)
        .render(
            policy=policy,
            style=Markup(style),
            address=address if address.startswith("https://") else "",
            **values,
        )
    )
    return (html.rstrip("\n") + "\n").encode("utf-8")


@functools.cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("site_builder", "templates/frozen"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def _style() -> str:
    loader = _environment().loader
    assert loader is not None
    source, _, _ = loader.get_source(_environment(), "style.css")
    return source


def _board(snapshot: Snapshot, board: BoardDocument) -> _Board:
    columns = sorted(board.columns, key=lambda column: not column.on_board)  # stable: board columns first
    labels = {row.model: row.label for row in board.rows}
    order = next((column for column in columns if column.metric == board.order), None)
    top = [labels[model] for model in order.top if model in labels] if order else []
    return _Board(
        id=board.id,
        title=board_title(snapshot, board),
        n=f"{board.n:,}",
        n_models=sum(not row.is_probe for row in board.rows),
        order=order.label if order else board.order,
        top=", ".join(top) or "no ranked model",
        columns=tuple(_column(column) for column in columns),
        rows=tuple(_row(row, columns) for row in board.rows),
        signals=tuple((row.label, signal.sentence) for row in board.rows for signal in row.signals),
    )


def _column(column: ColumnDocument) -> _Column:
    known = column.resolvable is not None
    return _Column(
        label=column.label,
        better=f"{column.better} is better" if column.is_ranked else "not ranked",
        signature=column.signature,
        method=column.method,
        resolvable=shown(column.resolvable, column.decimals) if known and column.resolvable else "",
    )


def _row(row: RowDocument, columns: list[ColumnDocument]) -> _Row:
    return _Row(
        model=row.model,
        label=row.label,
        is_probe=row.is_probe,
        in_domain=row.in_domain,
        n=f"{row.n:,}",
        n_empty=f"{row.n_empty:,}",
        cells=tuple(_cell(row.cells[column.metric], column.decimals) for column in columns),
    )


def _cell(cell: CellDocument, decimals: int) -> _Cell:
    interval = (
        f"{shown(cell.low, decimals)} to {shown(cell.high, decimals)}"
        if cell.low is not None and cell.high is not None
        else ""
    )
    return _Cell(
        value="—" if cell.value is None else shown(cell.value, decimals),
        interval=interval,
        rank=cell.rank_words,
        note="" if cell.state == "current" else cell.state,
        is_first=cell.group == 1,
    )
