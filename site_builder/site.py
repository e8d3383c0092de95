"""All sections of the site. A section is a function from the world to pages and files; a new one is a line here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable

from site_builder import badges, data_v1, feeds
from site_builder.heads import with_heads
from site_builder.page import Asset, Made
from site_builder.views import (
    board_pages,
    cases,
    compare,
    datasets,
    editions,
    form,
    history,
    home,
    insights,
    metrics,
    model_pages,
    plot_pages,
    rules,
    snapshot_pages,
)
from site_builder.world import World

__all__ = ["SECTIONS", "Section", "make_site", "static_assets"]

PLOTLY = "99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba"
"""sha256 of the plot library: plotly.js-basic-dist-min, the version of plotly.js that the plotly package holds."""

Section = Callable[[World], Iterator[Made]]

SECTIONS: tuple[Section, ...] = (
    home.make,
    board_pages.make,
    plot_pages.make,
    compare.make,
    model_pages.make,
    datasets.make,
    cases.make,
    metrics.make,
    editions.make,
    snapshot_pages.make,
    history.make,
    badges.make,
    data_v1.make,
    feeds.make,
    insights.make,
    rules.make,
    form.make,
)


def make_site(world: World) -> Iterator[Made]:
    """Every page and file of the site, each path once.

    Raises:
        ValueError: two sections make the same path.
    """
    seen: set[str] = set()
    for section in SECTIONS:
        for made in with_heads(world, section(world)):
            if made.path in seen:
                raise ValueError(f"two sections make {made.path!r}")
            seen.add(made.path)
            yield made


def static_assets() -> Iterator[Asset]:
    """Our style sheet, our scripts as one, the compare page's own; comments and indentation left out."""
    folder = resources.files("site_builder") / "assets"
    styles = (folder / "rexrank.css").read_text("utf-8")
    library = (folder / "vendor" / "plotly-basic.min.js").read_bytes()
    if hashlib.sha256(library).hexdigest() != PLOTLY:
        raise ValueError("assets/vendor/plotly-basic.min.js is not the library that was checked in")
    yield Asset(path="assets/plotly-basic.min.js", data=library)
    yield Asset(
        path="assets/plotly-LICENSE.txt", data=(folder / "vendor" / "plotly-LICENSE.txt").read_bytes()
    )
    yield Asset(path="assets/rexrank.css", data=compact(styles, "rexrank.css").encode("utf-8"))
    yield Asset(path="assets/rexrank.js", data=_script(folder / "js", folder / "rexrank.min.js"))
    yield Asset(path="assets/compare.js", data=_script(folder / "js" / "compare", folder / "compare.min.js"))


def _script(sources: Traversable, minified: Traversable) -> bytes:
    """The minified script when it was made from these sources, else the sources themselves."""
    scripts = sorted((path for path in sources.iterdir() if path.name.endswith(".js")), key=lambda p: p.name)
    source = "\n".join(path.read_text("utf-8") for path in scripts)
    mark, _, body = minified.read_text("utf-8").partition("\n")
    if mark == f"/* {hashlib.sha256(source.encode('utf-8')).hexdigest()} */":
        return body.encode("utf-8")
    return f"(() => {{\n{compact(source, 'rexrank.js')}}})();\n".encode()


def compact(source: str, name: str) -> str:
    """A script or style sheet without whole-line comments, indentation and empty lines; nothing else changes."""
    lines = (line.strip() for line in source.splitlines())
    if name.endswith(".css"):
        return re.sub(r"/\*.*?\*/", "", "\n".join(lines), flags=re.DOTALL).replace("\n\n", "\n")
    return "\n".join(line for line in lines if line and not line.startswith("//")) + "\n"
