"""A real browser, and the repository's own site served below a sub-path."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, Request, Route, ViewportSize, expect

from site_builder.building import build
from site_builder.serving import Handler
from tests.conftest import missing
from tests.site.conftest import needs_plugin

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """axe-core, the validator and the minifier, from npm."""
    folder = HERE / "node_modules"
    if not (folder / "axe-core" / "axe.min.js").is_file():
        npm = shutil.which("npm")
        if not npm:
            missing("npm")
        done = subprocess.run(
            [str(npm), "ci", "--no-audit", "--no-fund"], cwd=HERE, capture_output=True, check=False
        )
        if done.returncode:
            missing("the packages of tests/browser/package.json (npm ci failed)")
    return folder


@dataclass(frozen=True, kw_only=True)
class Site:
    """A built site and where it is served, with a trailing slash."""

    folder: Path
    address: str


def serve(folder: Path, below: str = "repo") -> tuple[ThreadingHTTPServer, str]:
    """Serves `folder`, which holds the site in the sub-folder `below`."""
    handler = functools.partial(Handler, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/{below}/"


@pytest.fixture(scope="session")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site of the repository's own results, below `/repo/`."""
    needs_plugin()
    folder = tmp_path_factory.mktemp("served")
    server, address = serve(folder)
    build(results=root / "results", out=folder / "repo", base_url=address)
    yield Site(folder=folder / "repo", address=address)
    server.shutdown()
    server.server_close()


@dataclass(frozen=True, kw_only=True)
class Watched:
    """A page together with everything that went wrong on it."""

    page: Page
    problems: list[str]


def watch(page: Page, address: str) -> Watched:
    """Notes console errors, page errors and requests that leave the server."""
    problems: list[str] = []
    host = address.split("/")[2]
    page.on(
        "console", lambda m: problems.append(f"console: {m.text}") if m.type in {"error", "warning"} else None
    )
    page.on("pageerror", lambda error: problems.append(f"error: {error}"))
    page.on(
        "request",
        lambda r: (
            problems.append(f"leaves: {r.url}")
            if r.url.startswith("http") and r.url.split("/")[2] != host
            else None
        ),
    )
    return Watched(page=page, problems=problems)


@pytest.fixture
def watched(page: Page, site: Site) -> Iterator[Watched]:
    """A page whose problems fail the test at its end."""
    found = watch(page, site.address)
    yield found
    assert found.problems == []


@pytest.fixture
def context(context: BrowserContext) -> BrowserContext:
    """Copies can be read back."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return context


def offer_studies(page: Page, document: Mapping[str, object], values: Mapping[str, object]) -> None:
    """Lets the compare page find an invented board, whatever its address: its document, and values by model."""
    page.route("**/studies.json", functools.partial(_fulfil, json.dumps(document).encode()))
    for name, rows in values.items():
        body = np.asarray(rows, dtype="<f4").tobytes()
        page.route(f"**/studies/{name}.f32", functools.partial(_fulfil, body))


def offer_many_studies(page: Page, n: int = 2347, metrics: int = 15) -> None:
    """Lets the compare page find two models, `a` and `b`, with as many studies as the largest board."""
    draw = np.random.default_rng(0)
    document = {
        "title": "Many studies",
        "order": "m0",
        "n": n,
        "labels": {"a": "A", "b": "B"},
        "metrics": [[f"m{i}", f"Metric {i}", 1, 3] for i in range(metrics)],
        "of": list(range(n)),
        "sizes": [1] * n,
        "models": ["a", "b"],
    }
    offer_studies(page, document, {name: draw.random((metrics, n)) for name in "ab"})


def _fulfil(body: bytes, route: Route, request: Request) -> None:
    route.fulfill(body=body)


def thread_seconds(page: Page, address: str, rows: int) -> float:
    """Seconds that the page's own thread works until a comparison stands there, script and layout together."""
    page.goto(address.partition("?")[0])
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})  # other programs share these cores
    page.goto(address)
    expect(page.locator(".rx-compared tbody tr")).to_have_count(rows, timeout=60_000)
    spent = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    return float(spent["TaskDuration"])


SHEET: ViewportSize = {"width": 794 - 2 * 38, "height": 1047}
"""A4 between margins of 1 cm, in CSS pixels."""


def beyond_the_sheet(page: Page, shrink: float = 1) -> list[str]:
    """Tables and drawings whose right edge the page's width would cut off.

    Args:
        shrink: how much wider than the sheet they may be. Chromium prints smaller what is up to 1.4 times as wide,
            and cuts what is 1.6 times as wide (seen in PDF files).
    """
    found: list[str] = page.evaluate(
        """shrink => [...document.querySelectorAll(".rx-scroll > *")]
        .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth * shrink)
        .map(e => `${e.className.baseVal ?? e.className}: ${e.getBoundingClientRect().right}`)""",
        shrink,
    )
    return found
