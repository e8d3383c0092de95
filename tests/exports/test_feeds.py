"""Feeds, heads of pages, robots: valid by their specifications, and dated by the results."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from html.parser import HTMLParser

import jsonschema

from site_builder import feeds, heads
from site_builder.page import Page
from site_builder.site import make_site
from site_builder.world import World
from tests.exports.conftest import HOSTILE, SITE

ATOM = "{http://www.w3.org/2005/Atom}"
MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T00:00:00Z"
# Written after the text of JSON Feed 1.1.
JSON_FEED = {
    "type": "object",
    "required": ["version", "title", "items"],
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": {"type": "string", "minLength": 1},
        "home_page_url": {"type": "string", "pattern": "^https://"},
        "feed_url": {"type": "string", "pattern": "^https://"},
        "authors": {"type": "array", "items": {"type": "object", "minProperties": 1}},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "content_text"],
                "properties": {
                    "id": {"type": "string", "minLength": 1},
                    "url": {"type": "string", "pattern": "^https://"},
                    "title": {"type": "string"},
                    "content_text": {"type": "string", "minLength": 1},
                    "date_published": {"type": "string", "pattern": f"^{MOMENT}$"},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}


def assert_atom(data: bytes) -> ElementTree.Element:
    """What RFC 4287 asks of a feed and its entries."""
    feed = ElementTree.fromstring(data)
    assert feed.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):
        assert len(feed.findall(ATOM + name)) == 1, name
    assert feed.findall(f"{ATOM}author/{ATOM}name"), "entries have no author of their own"
    assert [link.get("rel") for link in feed.findall(f"{ATOM}link")].count("self") == 1
    entries = feed.findall(f"{ATOM}entry")
    identities = [entry.findtext(f"{ATOM}id") or "" for entry in [feed, *entries]]
    assert len(set(identities)) == len(identities)
    for identity in identities:
        assert re.fullmatch(r"tag:[a-z0-9.-]+,[0-9]{4}:[A-Za-z0-9./_-]+", identity)
    for entry in entries:
        for name in ("id", "title", "updated", "summary"):
            assert len(entry.findall(ATOM + name)) == 1, name
        assert re.fullmatch(MOMENT, entry.findtext(f"{ATOM}updated") or "")
        (link,) = entry.findall(f"{ATOM}link")
        assert (link.get("href") or "").startswith(SITE)
    return feed


def test_the_atom_feed_is_one_and_its_newest_event_comes_first(site_files: Mapping[str, bytes]) -> None:
    feed = assert_atom(site_files["feed.xml"])
    dates = [entry.findtext(f"{ATOM}updated") or "" for entry in feed.findall(f"{ATOM}entry")]
    assert dates == sorted(dates, reverse=True)
    assert feed.findtext(f"{ATOM}updated") == dates[0] == "2026-12-01T00:00:00Z"


def test_the_json_feed_is_one_and_tells_the_same(site_files: Mapping[str, bytes]) -> None:
    document = json.loads(site_files["feed.json"])
    jsonschema.Draft202012Validator(JSON_FEED).validate(document)
    titles = [item["title"] for item in document["items"]]
    atom = ElementTree.fromstring(site_files["feed.xml"])
    assert titles == [entry.findtext(f"{ATOM}title") for entry in atom.findall(f"{ATOM}entry")]
    assert "Snapshot 2026.1" in titles
    assert "poor was submitted" in titles
    assert "Dispute: poor" in titles
    poor = next(item for item in document["items"] if item["title"] == "poor was submitted")
    assert re.search(r"rank 3 \(\d", poor["content_text"])


def test_hostile_texts_leave_both_feeds_valid(hostile_world: World) -> None:
    found = feeds.events(hostile_world)
    assert_atom(feeds.atom(hostile_world, found))
    document = json.loads(feeds.json_feed(hostile_world, found))
    jsonschema.Draft202012Validator(JSON_FEED).validate(document)
    assert any(HOSTILE[0] in item["title"] for item in document["items"])


def test_an_event_keeps_its_identity_when_others_come(site_world: World) -> None:
    before = {event.id for event in feeds.events(site_world)}
    from dataclasses import replace

    fewer = replace(site_world, corrections=(), snapshots=site_world.snapshots[:1])
    assert {event.id for event in feeds.events(fewer)} < before


def test_robots_names_both_sitemaps(site_files: Mapping[str, bytes]) -> None:
    assert site_files["robots.txt"].decode().splitlines() == [
        "User-agent: *",
        "Allow: /",
        f"Sitemap: {SITE}sitemap.xml",
        f"Sitemap: {SITE}snapshots/sitemap.xml",
    ]


class _Head(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.data.append(data)


def made_pages(world: World) -> dict[str, Page]:
    return {made.path: made for made in make_site(world) if isinstance(made, Page)}


def test_every_page_links_the_feeds_and_says_what_it_is(site_world: World) -> None:
    for path, page in made_pages(site_world).items():
        links = [a for tag, a in _Head(page.head).tags if tag == "link"]
        assert {link["href"] for link in links} == {f"{page.root}feed.xml", f"{page.root}feed.json"}
        assert page.meta["og:url"] == SITE + path
        assert page.meta["og:site_name"]
        assert page.description


def test_boards_describe_themselves_as_datasets_with_existing_downloads(
    site_world: World, site_files: Mapping[str, bytes]
) -> None:
    pages = made_pages(site_world)
    document = json.loads("".join(_Head(pages["boards/tiny-knee/findings/"].head).data))
    assert document["@type"] == "Dataset"
    assert document["license"].startswith("https://creativecommons.org/")
    assert 50 <= len(document["description"]) <= 5000
    for one in document["distribution"]:
        assert one["contentUrl"].removeprefix(SITE) in site_files
    home = json.loads("".join(_Head(pages[""].head).data))
    assert home["version"] == "2026.2"


def test_no_text_can_end_the_data_block(hostile_world: World) -> None:
    for page in made_pages(hostile_world).values():
        head = _Head(page.head)
        assert [a.get("type") for tag, a in head.tags if tag == "script"] in ([], ["application/ld+json"])
        assert {tag for tag, _ in head.tags} <= {"link", "script"}
        if head.data:
            assert json.loads("".join(head.data))["creator"][0]["name"] == HOSTILE[8]
    assert (
        "<"
        not in heads.as_script({"a": "</script>"}).removeprefix('<script type="application/ld+json">')[:-9]
    )
