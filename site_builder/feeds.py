"""What happened, as Atom and JSON feeds, and robots.txt. Every date comes from the results, none from the clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from urllib.parse import urlsplit

from scorer.store import canonical_json
from site_builder.page import Asset, Made
from site_builder.world import World

__all__ = ["Event", "atom", "events", "json_feed", "make"]

MOST = 100


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened to the scores.

    Attributes:
        id: stable and unique, `[a-z0-9./-]`. date: ISO day. path: address below the site's root.
    """

    id: str
    date: str
    title: str
    text: str
    path: str


def make(world: World) -> Iterator[Made]:
    """The feeds and robots.txt."""
    found = events(world)
    yield Asset(path="feed.xml", data=atom(world, found))
    yield Asset(path="feed.json", data=json_feed(world, found))
    maps = ["sitemap.xml", *(["snapshots/sitemap.xml"] if world.snapshots else [])]
    lines = [f"Sitemap: {world.base_url}{name}" for name in maps] if world.base_url else []
    yield Asset(path="robots.txt", data="\n".join(["User-agent: *", "Allow: /", *lines, ""]).encode())


def events(world: World) -> tuple[Event, ...]:
    """Submissions scored, snapshots frozen, definitions changed, corrections recorded; newest first."""
    found = [*_submissions(world), *_snapshots(world), *_definitions(world), *_corrections(world)]
    return tuple(sorted(found, key=lambda event: (event.date, event.id), reverse=True)[:MOST])


def _submissions(world: World) -> Iterator[Event]:
    places: dict[str, list[str]] = {}
    for board in world.boards:
        for row in board.rows:
            cell = row.cells.get(board.order)
            if cell is not None and cell.rank is not None:
                rank = (
                    world.documents[board.dataset, board.track]
                    .by_model[row.model]
                    .cells[board.order]
                    .rank_words
                )
                places.setdefault(row.model, []).append(
                    f"rank {rank} on {world.dataset_name(board.dataset)} ({board.track.replace('_', ' and ')})"
                )
    for model in world.models.values():
        if model.is_submitted and model.date:
            where = "; ".join(places.get(model.id, ())) or "awaiting scoring"
            yield Event(
                id=f"model/{model.id}/{model.date}",
                date=model.date,
                title=f"{model.label} was submitted",
                text=f"{model.label}: {where}.",
                path=model.path,
            )


def _snapshots(world: World) -> Iterator[Event]:
    for frozen in world.snapshots:
        one = frozen.snapshot
        n_models = sum(not model.is_probe for model in one.models)
        yield Event(
            id=f"snapshot/{one.version}",
            date=one.date,
            title=f"Snapshot {one.version}",
            text=f"{len(one.boards)} boards and {n_models} models, frozen at commit {one.commit[:12]}.",
            path=frozen.path,
        )


def _definitions(world: World) -> Iterator[Event]:
    for spec in world.metrics:
        for version, date, what in spec.changes:
            if version > 1:
                yield Event(
                    id=f"metric/{spec.id}/{version}",
                    date=date,
                    title=f"{spec.label}, version {version}",
                    text=what,
                    path=f"metrics/{spec.id}/",
                )


def _corrections(world: World) -> Iterator[Event]:
    for one in world.corrections:
        yield Event(
            id=f"correction/{one.date}-{one.slug}",
            date=one.date,
            title=f"{one.kind.capitalize()}: {world.model(one.model).label}",
            text=f"{one.what} {one.reason}",
            path="history/#corrections",
        )


def _identity(world: World, event: Event) -> str:
    """A tag URI (RFC 4151): the same for an event whatever else is on the site."""
    host = urlsplit(world.base_url).hostname or "rexrank.invalid"
    return f"tag:{host},2026:{event.id}"


def _text(text: str) -> str:
    """Text for XML: what XML cannot hold becomes a blank, markup becomes text."""
    return escape("".join(c if c.isprintable() and ord(c) not in (0xFFFE, 0xFFFF) else " " for c in text))


def atom(world: World, found: tuple[Event, ...]) -> bytes:
    """Atom 1.0 (RFC 4287)."""
    home = world.base_url
    updated = f"{found[0].date if found else world.date or '2026-01-01'}T00:00:00Z"
    authors = "".join(f"<author><name>{_text(name)}</name></author>" for name in world.publisher.authors)
    feed = Event(id="feed", date="", title="", text="", path="")
    links = (
        f'<link rel="self" type="application/atom+xml" href="{_text(home)}feed.xml"/><link href="{_text(home)}"/>'
        if home
        else ""
    )
    entries = "".join(
        f"<entry><id>{_text(_identity(world, event))}</id><title>{_text(event.title)}</title>"
        f"<updated>{event.date}T00:00:00Z</updated>"
        f'<link href="{_text(home + event.path)}"/><summary>{_text(event.text)}</summary></entry>\n'
        for event in found
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<id>{_text(_identity(world, feed))}</id><title>{_text(world.publisher.title)}</title>"
        f"<updated>{updated}</updated>{authors}{links}\n{entries}</feed>\n"
    ).encode()


def json_feed(world: World, found: tuple[Event, ...]) -> bytes:
    """JSON Feed 1.1."""
    home = world.base_url
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": world.publisher.title,
        "authors": [{"name": name} for name in world.publisher.authors],
        "items": [
            {
                "id": _identity(world, event),
                "url": home + event.path,
                "title": event.title,
                "content_text": event.text,
                "date_published": f"{event.date}T00:00:00Z",
            }
            for event in found
        ],
    }
    addresses = {"home_page_url": home, "feed_url": f"{home}feed.json"} if home else {}
    return canonical_json({**document, **addresses})
