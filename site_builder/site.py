"""All sections of the site. A section is a function from the world to pages and files; a new one is a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from site_builder.page import Made
from site_builder.views import board_pages, editions, model_pages, home, datasets, metrics
from site_builder.world import World

__all__ = ["SECTIONS", "Section", "make_site"]

Section = Callable[[World], Iterator[Made]]

SECTIONS: tuple[Section, ...] = (
    home.make,
    board_pages.make,
    model_pages.make,
    datasets.make,
    metrics.make,
    editions.make,
)


def make_site(world: World) -> Iterator[Made]:
    """Every page and file of the site, each path once.

    Raises:
        ValueError: two sections make the same path.
    """
    seen: set[str] = set()
    for section in SECTIONS:
        for made in section(world):
            if made.path in seen:
                raise ValueError(f"two sections make {made.path!r}")
            seen.add(made.path)
            yield made
