"""Pages of published editions: the index, and one page per source with every figure it holds."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from scorer.published import METRICS, Edition
from site_builder.page import Asset, Made, Page
from site_builder.render import render
from site_builder.views.reported import reported_tables, when_short
from site_builder.world import World

__all__ = ["make"]

_KINDS = {"edition": "leaderboard tables", "authors": "by the model's authors", "paper": "a paper"}


@dataclass(frozen=True, kw_only=True)
class EditionView:
    """One source of published figures."""

    title: str
    when: str
    kind: str
    href: str
    links: tuple[tuple[str, str], ...]
    holds: str
    n: int
    n_models: int
    n_boards: int
    older: tuple[str, str] | None
    newer: tuple[str, str] | None


def make(world: World) -> Iterator[Made]:
    """The index, a page per edition, and its figures as CSV with the line each was read from."""
    views = tuple(_view(world, edition) for edition in world.editions)
    n = sum(view.n for view in views)
    yield Page(
        path="editions/",
        title="Published editions",
        description=f"{n:,} figures that others published, as reported, each traceable to its source.",
        date=world.date,
        find="editions as reported published figures",
        html=render("editions.html", "../", editions=views[::-1], metrics=METRICS, n=n),
    )
    for edition, view in zip(world.editions, views, strict=True):
        tables = reported_tables(world, edition)
        yield Page(
            path=view.href,
            title=f"{edition.title}, as reported",
            description=f"{view.n} figures as reported, {edition.when}: {edition.holds}",
            date=edition.date.isoformat() if edition.date else "",
            find=edition.title,
            html=render("edition.html", "../../", e=view, tables=tables),
        )
        yield Asset(path=f"{view.href}scores.csv", data=_csv(edition))


def _view(world: World, edition: Edition) -> EditionView:
    at = list(world.editions).index(edition)
    around = [world.editions[i] if 0 <= i < len(world.editions) else None for i in (at - 1, at + 1)]
    older, newer = ((when_short(e), f"editions/{e.id}/") if e else None for e in around)
    return EditionView(
        title=edition.title,
        when=edition.when,
        kind=_KINDS[edition.kind],
        href=f"editions/{edition.id}/",
        links=edition.links,
        holds=edition.holds,
        n=len(edition.rows),
        n_models=len({row.model for row in edition.rows}),
        n_boards=len(edition.boards),
        older=older,
        newer=newer,
    )


def _csv(edition: Edition) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            "edition",
            "line",
            "dataset",
            "split",
            "track",
            "model",
            "metric",
            "value",
            "trained_on_dataset",
            "note",
        ]
    )
    known = {True: "true", False: "false", None: "unknown"}
    for row in edition.rows:
        place = [row.edition, row.line, row.dataset, row.split, row.track]
        writer.writerow([*place, row.model, row.metric, row.printed, known[row.trained_on_dataset], row.note])
    return out.getvalue().encode("utf-8")
