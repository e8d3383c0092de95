"""Badges: "rank 3 (2–6), IU X-ray, 2026.1" as a picture of our own and as endpoint JSON, for a model's README."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from scorer.snapshots.cited import board_title
from scorer.snapshots.document import BoardDocument
from scorer.store import canonical_json
from site_builder.page import Asset, Made
from site_builder.world import World, track_label

__all__ = ["Badge", "badge_svg", "make", "model_badges"]

_WIDTHS = {
    **dict.fromkeys("iljI.,:;'|! ", 3.6),
    **dict.fromkeys("frt()-–", 4.6),
    **dict.fromkeys("mwMW@%", 10.4),
}


@dataclass(frozen=True, kw_only=True)
class Badge:
    """Where a model stands on one board.

    Attributes:
        path: address below the site's root without its ending: `badges/<model>/<dataset>.<track>`.
        label: board and snapshot ("IU X-ray, findings, 2026.1"). message: "rank 3 (2–6)".
        link: address of the numbers below the site's root.
    """

    path: str
    label: str
    message: str
    link: str


def make(world: World) -> Iterator[Made]:
    """Two files a badge: the picture, and JSON in the form that badge services read."""
    for id, model in world.models.items():
        if not model.is_probe:
            for badge in model_badges(world, id):
                yield Asset(path=f"{badge.path}.svg", data=badge_svg(badge.label, badge.message))
                endpoint = {
                    "schemaVersion": 1,
                    "label": badge.label,
                    "message": badge.message,
                    "color": "informational",
                }
                yield Asset(path=f"{badge.path}.json", data=canonical_json(endpoint))


def model_badges(world: World, model: str) -> Iterator[Badge]:
    """A model's badges, a board each: out of the newest snapshot that ranks it there, else out of the live board."""
    for board in world.boards:
        id = f"{board.dataset}.{board.track}"
        for frozen in reversed(world.snapshots):
            then = frozen.snapshot.board(board.dataset, board.track)
            badge = _badge(model, then, board_title(frozen.snapshot, then), frozen.version) if then else None
            if badge:
                yield _linked(badge, f"{frozen.path}{id}/#{model}")
                break
        else:
            title = f"{world.dataset_name(board.dataset)}, {track_label(board.track)}"
            badge = _badge(model, world.documents[board.dataset, board.track], title, board.date)
            if badge:
                yield _linked(badge, f"boards/{board.dataset}/{board.track}/?sel={model}")


def _linked(badge: Badge, link: str) -> Badge:
    return Badge(path=badge.path, label=badge.label, message=badge.message, link=link)


def _badge(model: str, board: BoardDocument, title: str, when: str) -> Badge | None:
    row = board.by_model.get(model)
    cell = row.cells.get(board.order) if row else None
    if cell is None or cell.rank is None:
        return None
    label = ", ".join(part for part in (title, when) if part)
    return Badge(path=f"badges/{model}/{board.id}", label=label, message=f"rank {cell.rank_words}", link="")


@functools.lru_cache(maxsize=4096)
def badge_svg(label: str, message: str) -> bytes:
    """A flat badge, 20 px high, readable in light and dark and without fonts of ours."""
    widths = [_width(text) + 12 for text in (label, message)]
    whole = sum(widths)
    name = escape(f"{label}: {message}")
    texts = "".join(
        f'<text x="{start + 6}" y="14" textLength="{width - 12}" fill="#fff">{escape(text)}</text>'
        for text, start, width in zip((label, message), (0, widths[0]), widths, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" aria-label="{name}">'
        f'<title>{name}</title><clipPath id="r"><rect width="{whole}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{whole}" height="20" fill="#4a4f57"/>'
        f'<rect x="{widths[0]}" width="{widths[1]}" height="20" fill="#0b5394"/></g>'
        f'<g font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g></svg>\n'
    ).encode()


def _width(text: str) -> int:
    return round(sum(_WIDTHS.get(character, 7.0) for character in text))
