"""One scored tiny world seen as files of a site, and a browser that looks at such files without any generator."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from site_builder.page import Asset, Made, Page
from site_builder.reading import read_world
from site_builder.serving import Handler
from site_builder.site import make_site, static_assets
from site_builder.world import World as SiteWorld
from tests.world import World, make_world, spoiled


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A superseded model and its successor, scored; three that await scoring. Tests do not change it."""
    world = make_world(tmp_path_factory.mktemp("cases"), release="texts")
    world.submit("netone", spoiled(world.studies, 0.3), date="2026-03-01", lifecycle="superseded")
    world.submit("nettwo", spoiled(world.studies, 0.5), date="2026-03-02", supersedes="netone")
    world.score()
    for name in ("Model 10", "Model 2", "model 1"):
        world.submit(
            name.lower().replace(" ", "-"), spoiled(world.studies, 0.9), date="2026-02-01", name=name
        )
    return world


@pytest.fixture(scope="session")
def site_world(tiny: World) -> SiteWorld:
    return read_world(tiny.root, tiny.state)


@pytest.fixture(scope="session")
def site(site_world: SiteWorld) -> Mapping[str, Made]:
    """Every page and file of its site, by path."""
    return {made.path: made for made in (*make_site(site_world), *static_assets())}


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A weights folder with small random weights of every encoder; tests do not change it."""
    pytest.importorskip("torch", reason="needs the encoders extra")
    pytest.importorskip("transformers", reason="needs the encoders extra")
    from tests.encoders.tiny import make_tiny_weights

    folder = tmp_path_factory.mktemp("weights") / "weights"
    make_tiny_weights(folder)
    return folder


def pages_of(made: Iterable[Made]) -> dict[str, str]:
    """Markup of the pages, by path."""
    return {one.path: one.html for one in made if isinstance(one, Page)}


def write_site(made: Iterable[Made], folder: Path) -> None:
    """Writes pages in the barest frame that loads our script, and every file."""
    for one in (*made, *static_assets()):
        path = folder / (one.path if isinstance(one, Asset) else f"{one.path}index.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(one, Asset):
            path.write_bytes(one.data)
        else:
            script = f'<script src="{one.root}assets/rexrank.js"></script>'
            path.write_text(f'<!doctype html><meta charset="utf-8"><body>{one.html}{script}', "utf-8")


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address under which a folder is served as `rexrank serve` does."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
