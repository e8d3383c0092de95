"""What a real browser says about built pages: weight, speed of sorting, layout shift, axe, console, comparing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.budget_server import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["Speed", "Swept", "Weight", "board_speed", "board_weight", "browser", "compare_seconds", "sweep"]

SHIFT = """window.shift = 0; new PerformanceObserver(list => { for (const e of list.getEntries())
if (!e.hadRecentInput) window.shift += e.value; }).observe({ type: "layout-shift", buffered: true });"""

# From the click to the moment after the frame in which the table stands sorted.
CLICK = """async (head) => {
  const frame = () => new Promise(done => requestAnimationFrame(() => {
    const channel = new MessageChannel(); channel.port1.onmessage = done; channel.port2.postMessage(0); }));
  const before = head.ariaSort;
  await frame();
  const start = performance.now();
  head.querySelector("button").click();
  do await frame(); while (head.ariaSort == before);
  return performance.now() - start;
}"""

LAID_OUT = (
    "[...document.querySelectorAll('#board tbody tr')].filter(row => row.getClientRects().length).length"
)


@dataclass(frozen=True, kw_only=True)
class Weight:
    """Bytes of a board page, packed, before the first click; of plotly; and whether it came too early."""

    page: int
    plotly: int
    plotly_early: int


@dataclass(frozen=True, kw_only=True)
class Swept:
    """Faults over many pages: axe violations, console errors, requests to elsewhere, and the largest layout shift."""

    violations: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    shifts: dict[str, float] = field(default_factory=dict)


@contextmanager
def browser() -> Iterator[Browser]:
    """Debian's chromium, as the browser tests start it."""
    import shutil

    from playwright.sync_api import sync_playwright

    from tests.conftest import FLAGS

    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield started
        started.close()


def board_weight(browser: Browser, site: Served, board: str, plots: str) -> Weight:
    """Weighs a board page with everything it loads, then asks a plot page for plotly."""
    page = browser.new_context().new_page()
    site.sent.clear()
    page.goto(site.address + board, timeout=120_000)
    page.wait_for_load_state("networkidle")
    weight = sum(site.sent.values())
    page.goto(site.address + plots, timeout=120_000)
    page.wait_for_load_state("networkidle")
    early = sum("plotly" in path for path in site.sent)
    page.get_by_role("button", name="Explore").first.click()
    page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
    plotly = sum(size for path, size in site.sent.items() if "plotly" in path)
    page.context.close()
    return Weight(page=weight, plotly=plotly, plotly_early=early)


@dataclass(frozen=True, kw_only=True)
class Speed:
    """Milliseconds from a click on a heading to the sorted frame, and the rows that are laid out then.

    `own` is the time of the page's thread, which is what the page costs; `clock` has whatever else runs on the
    machine in it. Both are medians over all columns, each sorted both ways. `first` is the first click by the
    clock, which on a long board waits for the rows that were not there yet.
    """

    own: float
    clock: float
    first: float
    rows: int


def board_speed(browser: Browser, address: str) -> Speed:
    """Sorts a board by each of its columns, both ways."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(address, timeout=120_000)
    page.wait_for_load_state("networkidle")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(m["value"] for m in metrics if m["name"] == "TaskDuration"))

    own, clock = [], []
    for head in page.locator("#board th[data-g]:not([hidden])").element_handles():
        for _ in range(2):
            before = spent()
            clock.append(head.evaluate(CLICK))
            own.append(spent() - before)
            page.wait_for_timeout(200)  # what the page does after the frame is no part of the wait
    rows = page.evaluate(LAID_OUT)
    page.context.close()
    return Speed(own=median(own), clock=median(clock), first=clock[0], rows=rows)


def sweep(browser: Browser, site: Served, paths: Iterable[str], axe: Path) -> Swept:
    """Opens every page in a phone's width and light, and in a desk's width and dark."""
    from tests.browser.conftest import watch

    found = Swept()
    script = axe.read_text("utf-8")
    for scheme, width in (("light", 390), ("dark", 1280)):
        context = browser.new_context(
            color_scheme="dark" if scheme == "dark" else "light",
            viewport={"width": width, "height": 800},
            bypass_csp=True,
            reduced_motion="reduce",
        )
        context.add_init_script(SHIFT)
        page = context.new_page()
        seen = watch(page, site.address)
        for path in paths:
            page.goto(site.address + path, timeout=120_000)
            page.wait_for_load_state("networkidle")
            found.shifts[f"/{path} {scheme}"] = page.evaluate("shift")
            page.evaluate(script)
            result = page.evaluate("axe.run({ resultTypes: ['violations'] })")
            found.violations.extend(f"/{path} {scheme}: {v['id']}" for v in result["violations"])
        found.elsewhere.extend(x for x in seen.problems if x.startswith("leaves"))
        found.console.extend(x for x in seen.problems if not x.startswith("leaves"))
        context.close()
    return found


def compare_seconds(browser: Browser, address: str) -> float:
    """Seconds of the page's thread for comparing two models on 2,347 studies by 15 metrics, everything counted."""
    from tests.browser.conftest import offer_many_studies, thread_seconds

    page = browser.new_context().new_page()
    offer_many_studies(page)
    spent = thread_seconds(page, f"{address}compare/?board=many/findings&models=a,b", 15)
    page.context.close()
    return spent
