"""The home page: what this is, who shares first place where, what changed lately, three ways in."""

from __future__ import annotations

from collections.abc import Iterator

from site_builder.page import Made, Page
from site_builder.render import render
from site_builder.views.board_pages import board_line
from site_builder.wording import count
from site_builder.world import World

__all__ = ["make"]

NEWS = 8


def make(world: World) -> Iterator[Made]:
    """The home page."""
    lines = [board_line(world, board) for board in world.boards]
    totals = (
        count(sum(m.is_submitted for m in world.models.values()), "submission"),
        count(len(world.datasets), "dataset"),
        count(len(world.metrics), "metric"),
    )
    n_figures = sum(len(edition.rows) for edition in world.editions)
    yield Page(
        path="",
        title="rexrank",
        description="Leaderboards for models that write radiology reports, with intervals, tie groups and probes.",
        date=world.date,
        find="home start",
        html=render(
            "home.html",
            "",
            boards=sorted(lines, key=lambda line: not line.n_models),
            news=_news(world),
            n_figures=n_figures,
            n_editions=len(world.editions),
            date=world.date,
            totals=", ".join(totals),
        ),
    )


def _news(world: World) -> list[tuple[str, str, str]]:
    """(date, words, address) of the newest submissions, editions and metric changes."""
    found = [
        (m.date, f"{m.label} submitted", m.path) for m in world.models.values() if m.date and m.is_submitted
    ]
    found += [
        (e.date.isoformat(), f"{e.title}, as reported", f"editions/{e.id}/") for e in world.editions if e.date
    ]
    for spec in world.metrics:
        found += [
            (date, f"{spec.label} version {v}: {what}", f"metrics/{spec.id}/#changes")
            for v, date, what in spec.changes
            if v > 1
        ]
    return sorted(found, key=lambda item: (item[0], item[1]), reverse=True)[:NEWS]
