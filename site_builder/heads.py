"""What stands in the head of pages for machines: feed links, Open Graph text, and JSON-LD of the data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import Any

from scorer.board import Board
from site_builder.data_v1.croissant import LICENCE_URL
from site_builder.page import Made, Page
from site_builder.views.boards import board_path, board_title
from site_builder.world import World

__all__ = ["as_script", "board_json_ld", "catalogue_json_ld", "with_heads"]


def with_heads(world: World, made: Iterable[Made]) -> Iterator[Made]:
    """The same pages and files, pages with their machine-readable heads."""
    boards = {board_path(board.dataset, board.track): board for board in world.boards if board.rows}
    for one in made:
        if not isinstance(one, Page):
            yield one
            continue
        described = None
        if one.path in ("", "snapshots/"):
            described = catalogue_json_ld(world)
        elif one.path in boards:
            described = board_json_ld(world, boards[one.path])
        yield replace(
            one,
            meta={**_open_graph(world, one), **one.meta},
            head=one.head + _feeds(one.root) + (as_script(described) if described else ""),
        )


def _open_graph(world: World, page: Page) -> Mapping[str, str]:
    """Title and description are set by the generator seam; there is no picture, so the card is a plain one."""
    return {
        "og:type": "website" if not page.path else "article",
        "og:site_name": world.publisher.title,
        "og:url": f"{world.base_url}{page.path}" if world.base_url else "",
        "twitter:card": "summary",
    }


def _feeds(root: str) -> str:
    here = escape(root)
    return (
        f'<link rel="alternate" type="application/atom+xml" title="Score events" href="{here}feed.xml">'
        f'<link rel="alternate" type="application/feed+json" title="Score events" href="{here}feed.json">'
    )


def as_script(document: Mapping[str, Any]) -> str:
    """JSON-LD as a data block; no text in it can end the block or be read as markup."""
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/ld+json">{text}</script>'


def _common(world: World) -> dict[str, Any]:
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "license": LICENCE_URL,
        "isAccessibleForFree": True,
        "creator": [{"@type": "Organization", "name": name} for name in world.publisher.authors],
        "keywords": ["radiology", "report generation", "leaderboard", "evaluation"],
    }


def board_json_ld(world: World, board: Board) -> dict[str, Any]:
    """A schema.org Dataset for one board: what is measured, and where the numbers are as CSV and JSON."""
    title = board_title(world, board)
    n_models = sum(not row.is_probe for row in board.rows)
    return {
        **_common(world),
        "name": f"{world.publisher.title}: {title}",
        "description": f"Scores of {n_models} models on {board.n} studies of {title}, with 95 % intervals, ranks with "
        "their intervals, tie groups and signatures.",
        **_place(world, board_path(board.dataset, board.track)),
        **({"dateModified": board.date} if board.date else {}),
        "variableMeasured": [
            {"@type": "PropertyValue", "propertyID": column.spec.id, "name": column.spec.label}
            for column in board.columns
        ],
        "distribution": _downloads(world, f"boards/{board.dataset}.{board.track}"),
    }


def catalogue_json_ld(world: World) -> dict[str, Any]:
    """A schema.org Dataset for all boards together, with the newest snapshot as its version."""
    newest = world.snapshots[-1] if world.snapshots else None
    document = {
        **_common(world),
        "name": world.publisher.title,
        "description": "Numbers of models that write radiology reports, by dataset, track and metric, with intervals, "
        "ranks, tie groups and signatures; frozen in snapshots.",
        **_place(world, ""),
        "distribution": _downloads(world, "boards", json_file=False),
    }
    if world.date:
        document["dateModified"] = world.date
    if newest:
        document["version"] = newest.version
        document["datePublished"] = newest.snapshot.date
    if newest and newest.doi:
        document["identifier"] = f"https://doi.org/{newest.doi}"
    return document


def _place(world: World, path: str) -> dict[str, str]:
    return {"url": f"{world.base_url}{path}"} if world.base_url else {}


def _downloads(world: World, name: str, *, json_file: bool = True) -> list[dict[str, str]]:
    kinds = [("csv", "text/csv"), *([("json", "application/json")] if json_file else [])]
    return [
        {
            "@type": "DataDownload",
            "encodingFormat": media,
            "contentUrl": f"{world.base_url}data/v1/{name}.{ending}",
        }
        for ending, media in kinds
    ]
