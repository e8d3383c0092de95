"""Sites built once per session from small results folders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from site_builder.building import build
from site_builder.page import Asset, Page
from site_builder.reading import read_world
from site_builder.site import make_site
from tests.world import make_world, spoiled


def needs_plugin() -> None:
    """The generator finds our plugin by its entry point, which an installed package has."""
    if not list(metadata.entry_points(group="mkdocs.plugins", name="rexrank")):
        pytest.skip("the package is not installed here, so mkdocs does not find its plugin")


@pytest.fixture(scope="session")
def pages(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Page | Asset]:
    """Everything the builder makes of the repository's own results, by path, without a generator."""
    world = read_world(root / "results", tmp_path_factory.mktemp("state"))
    return {made.path: made for made in make_site(world)}


@pytest.fixture(scope="session")
def tiny_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole site of a tiny scored world, built by mkdocs under a sub-path."""
    needs_plugin()
    folder = tmp_path_factory.mktemp("tiny")
    world = make_world(folder, release="texts", patients=True)
    for name, share in (("alpha", 0.1), ("beta", 0.12), ("gamma", 0.9)):
        world.submit(name, spoiled(world.studies, share, seed=len(name)))
    world.score()
    build(results=world.root, out=folder / "site", base_url="https://example.org/board/")
    return folder / "site"


class Links(HTMLParser):
    """Ids and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name in {"href", "src"} and value and tag != "base":
                self.addresses.append(value)


def broken_links(site: Path, base: str) -> list[tuple[str, str]]:
    """(page, address) of every link or source of a site built for `base` whose file or fragment is not there."""
    found = {path: Links(path.read_text("utf-8")) for path in site.rglob("*.html")}
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    wrong = []
    for path, links in found.items():
        at = path.relative_to(site).as_posix()
        here = base + ("" if at == "404.html" else at.removesuffix("index.html"))
        for address in links.addresses:
            whole = urljoin(here, address)
            if urlsplit(whole).netloc != urlsplit(base).netloc:
                continue
            target = unquote(urlsplit(whole).path.removeprefix(urlsplit(base).path))
            target += "index.html" if target.endswith("/") or not target else ""
            fragment = unquote(urlsplit(whole).fragment)
            if (
                not whole.startswith(base)
                or target not in files
                or (fragment and target.endswith(".html") and fragment not in found[site / target].ids)
            ):
                wrong.append((at, address))
    return wrong


def text_of(fragment: str) -> str:
    """The words of a fragment, tags left out."""
    import html

    return html.unescape(re.sub(r"<[^>]+>", " ", fragment))
