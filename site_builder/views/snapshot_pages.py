"""Snapshots on the site: the list, the page `latest`, and every frozen file copied as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from scorer.citation_formats import FORMATS
from scorer.citing import cite_snapshot
from scorer.snapshots.cited import board_title
from site_builder.badges import badge_svg
from site_builder.page import Asset, Made, Page
from site_builder.render import render
from site_builder.snapshots import FrozenSnapshot
from site_builder.world import World

__all__ = ["SnapshotView", "make", "snapshot_views"]


@dataclass(frozen=True, kw_only=True)
class SnapshotView:
    """A snapshot in one line, with its citation. `changes` is the page of what changed since the one before."""

    version: str
    date: str
    path: str
    commit: str
    n_models: int
    boards: tuple[tuple[str, str], ...]
    doi: str
    formats: tuple[tuple[str, str], ...]
    changes: str


def snapshot_views(world: World) -> tuple[SnapshotView, ...]:
    """All snapshots, newest first."""
    frozen = list(world.snapshots)
    views = []
    for place, one in enumerate(frozen):
        citation = cite_snapshot(world.publisher, version=one.version, date=one.snapshot.date, doi=one.doi)
        views.append(
            SnapshotView(
                version=one.version,
                date=one.snapshot.date,
                path=one.path,
                commit=one.snapshot.commit,
                n_models=sum(not model.is_probe for model in one.snapshot.models),
                boards=tuple(
                    (board_title(one.snapshot, b), f"{one.path}{b.id}/") for b in one.snapshot.boards
                ),
                doi=one.doi,
                formats=tuple((name, FORMATS[key](citation)) for name, key in _FORMATS),
                changes=f"history/{frozen[place - 1].version}-{one.version}/" if place else "",
            )
        )
    return tuple(reversed(views))


_FORMATS = (("BibTeX", "bibtex"), ("RIS", "ris"), ("CSL-JSON", "csl"))


def make(world: World) -> Iterator[Made]:
    """The list, the newest one's page, all frozen files, and the marks that tell old pages of newer ones."""
    views = snapshot_views(world)
    yield Page(
        path="snapshots/",
        title="Snapshots",
        description="Frozen, checksummed sets of numbers to cite: every table as it stood, at a permanent address.",
        date=views[0].date if views else world.date,
        find="snapshots versions cite",
        html=render("snapshots.html", "../", snapshots=views, latest=views[0] if views else None),
    )
    yield Page(
        path="snapshots/latest/",
        title=f"Latest snapshot: {views[0].version}" if views else "Latest snapshot",
        description="The newest frozen set of numbers, with its citation.",
        date=views[0].date if views else world.date,
        html=render("snapshot_latest.html", "../../", s=views[0] if views else None),
    )
    for frozen in world.snapshots:
        for path, data in frozen.files.items():
            yield Asset(path=f"{frozen.path}{path}", data=data)
        yield Asset(path=f"snapshots/newer/{frozen.version}.svg", data=newer_mark(world.snapshots, frozen))
    if world.base_url and world.snapshots:
        yield Asset(path="snapshots/sitemap.xml", data=_sitemap(world))


def newer_mark(snapshots: Sequence[FrozenSnapshot], frozen: FrozenSnapshot) -> bytes:
    """The little picture on a frozen page: the only thing there that a later build decides."""
    newest = snapshots[-1]
    if newest.version == frozen.version:
        return badge_svg("this is", "the newest")
    return badge_svg("newer", f"{newest.version} of {newest.snapshot.date}")


def _sitemap(world: World) -> bytes:
    """Frozen pages are files to the generator, so its own sitemap lacks them."""
    places = [
        (f"{world.base_url}{frozen.path}{path.removesuffix('index.html')}", frozen.snapshot.date)
        for frozen in world.snapshots
        for path in frozen.files
        if path.endswith("index.html")
    ]
    urls = "".join(
        f"<url><loc>{escape(place)}</loc><lastmod>{date}</lastmod></url>\n" for place, date in places
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    ).encode()
