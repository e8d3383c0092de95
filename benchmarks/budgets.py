"""`python -m benchmarks.budgets [PART …]`: every budget of the site beside its limit; exit 1 if one is broken.

Builds a site of 30 and of 1,000 models and the site of the repository's own results, and looks at them in
chromium. Seconds and milliseconds are of this machine and mean something only when it does nothing else.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import budget_building, budget_lighthouse, budget_pages, site
from benchmarks.budget_building import ROOT
from benchmarks.budget_server import served
from benchmarks.site_worlds import DATASET
from benchmarks.table import print_table

__all__ = ["PARTS", "Budget", "main", "measure"]

BOARD, OWN_BOARD = f"boards/{DATASET}/findings/", "boards/demo-cxr/findings/"


@dataclass(frozen=True, kw_only=True)
class Budget:
    """One line of the table. `measured` is None where nothing could be measured; `note` then says why."""

    what: str
    measured: float | None
    limit: float
    unit: str = ""
    is_least: bool = False
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the limit is kept; what was not measured breaks nothing."""
        if self.measured is None:
            return True
        return self.measured >= self.limit if self.is_least else self.measured <= self.limit


@dataclass(frozen=True, kw_only=True)
class Sites:
    """Folders with a site in `repo` each: n models -> folder, 0 for the repository's own results."""

    folder: Path

    def of(self, n: int) -> Path:
        """The folder of a site, built when it is first asked for."""
        folder = self.folder / f"models-{n}"
        if not folder.is_dir():
            folder.mkdir()
            if n:
                budget_building.build_site(folder / "repo", n)
            else:
                from site_builder.building import build

                # Below the path at which it is served, which the page for unknown addresses needs.
                build(results=ROOT / "results", out=folder / "repo", base_url="https://board.example/repo/")
        return folder


def weight(sites: Sites) -> Iterator[Budget]:
    """Bytes, packed as a host packs them."""
    for n, limit in ((30, 100), (1000, 250)):
        with budget_pages.browser() as browser, served(sites.of(n)) as place:
            found = budget_pages.board_weight(browser, place, BOARD, f"{BOARD}plots/")
        what = (
            f"board page of {n:,} models x {budget_building.METRICS_SHOWN} metrics, all files before a click"
        )
        yield Budget(what=what, measured=found.page / 1000, limit=limit, unit="kB gz")
    rows = gzip.compress((sites.of(1000) / "repo" / BOARD / "all" / "index.html").read_bytes(), 9, mtime=0)
    what = "rows that the first sort of 1,000 fetches"
    yield Budget(what=what, measured=len(rows) / 1000, limit=300, unit="kB gz")
    yield Budget(what="plotly, after a click", measured=found.plotly / 1000, limit=400, unit="kB gz")
    yield Budget(what="files of plotly before a click", measured=found.plotly_early, limit=0)
    assets = sites.of(30) / "repo" / "assets"
    for name, limit in (("rexrank.js", 6), ("rexrank.css", 4)):
        size = len(gzip.compress((assets / name).read_bytes(), 9, mtime=0))
        yield Budget(what=f"our {name}", measured=size / 1024, limit=limit, unit="KiB gz")


def speed(sites: Sites) -> Iterator[Budget]:
    """Sorting and comparing in the browser."""
    for n, limit in ((30, 50), (1000, 120)):
        with budget_pages.browser() as browser, served(sites.of(n)) as place:
            found = budget_pages.board_speed(browser, place.address + BOARD)
        what = f"click to sorted frame, {n:,} rows, median of all columns"
        note = f"{found.clock:.0f} ms by the clock, the first click {found.first:.0f}"
        yield Budget(what=what, measured=found.own, limit=limit, unit="ms", note=note)
    yield Budget(what="rows laid out of 1,000", measured=found.rows, limit=100)
    with budget_pages.browser() as browser, served(sites.of(0)) as place:
        spent = budget_pages.compare_seconds(browser, place.address)
    yield Budget(what="comparing two models on 2,347 studies x 15 metrics", measured=spent, limit=1, unit="s")


def quality(sites: Sites) -> Iterator[Budget]:
    """Faults over every kind of page, in both schemes."""
    from tests.browser.test_quality import KINDS

    axe = ROOT / "tests" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.is_file():
        for what in ("axe violations", "console errors", "third-party requests", "layout shift"):
            yield Budget(
                what=what, measured=None, limit=0, note="axe-core is missing: npm --prefix tests/browser ci"
            )
        return
    plans = ((0, KINDS), (30, ("", BOARD, f"{BOARD}plots/", "models/model-0001/")), (1000, ("", BOARD)))
    for n, kinds in plans:
        with budget_pages.browser() as browser, served(sites.of(n)) as place:
            found = budget_pages.sweep(browser, place, kinds, axe)
        where = f"{2 * len(kinds)} looks at the site of {f'{n:,} models' if n else 'our own results'}"
        faults = ("axe violations", found.violations), ("console errors", found.console)
        for what, problems in (*faults, ("third-party requests", found.elsewhere)):
            note = "; ".join(problems[:4])
            yield Budget(what=f"{what}, {where}", measured=len(problems), limit=0, note=note)
        worst = max(found.shifts, key=lambda path: found.shifts[path])
        yield Budget(
            what=f"largest layout shift, {where}", measured=found.shifts[worst], limit=0.05, note=worst
        )


def lighthouse(sites: Sites) -> Iterator[Budget]:
    """Mobile scores of home, board and plot pages."""
    absent = budget_lighthouse.install()
    plans = ((0, OWN_BOARD), (30, BOARD), (1000, BOARD))
    for n, board in plans:
        with served(sites.of(n)) as place:
            for path in ("", board, f"{board}plots/"):
                limits = dict.fromkeys(budget_lighthouse.CATEGORIES, 100.0) | {"performance": 95.0}
                found, unmet = (
                    ({}, [absent]) if absent else budget_lighthouse.scores(place.address + path, 95)
                )
                for name, limit in limits.items():
                    what = f"Lighthouse {name}, /{path} of {f'{n:,} models' if n else 'our own results'}"
                    note = ", ".join(unmet)
                    yield Budget(what=what, measured=found.get(name), limit=limit, is_least=True, note=note)


def building(sites: Sites) -> Iterator[Budget]:
    """Processor time of builds, and whether two give the same bytes."""
    site.ours(sites.folder, 10)  # imports and templates, once
    peer, whole, twice = (
        site.plain(sites.folder, 1000),
        site.ours(sites.folder, 1000),
        site.ours(sites.folder, 2000),
    )
    what = "CPU of building 1,000 models, of plain mkdocs with equal content"
    yield Budget(what=what, measured=whole / peer, limit=1, unit="x", note=f"{whole:.1f} s and {peer:.1f} s")
    yield Budget(what="growth from 1,000 to 2,000 models", measured=twice / whole, limit=2.2, unit="x")
    for name, results in (
        ("30 models", sites.of(30) / "world" / "results"),
        ("1,000 models", sites.of(1000) / "world" / "results"),
        ("our own results", ROOT / "results"),
    ):
        with tempfile.TemporaryDirectory(dir=sites.folder) as folder:
            wrong = budget_building.differing(results, Path(folder))
        what = f"files that differ between two builds, {name}"
        yield Budget(what=what, measured=len(wrong), limit=0, note=", ".join(wrong[:4]))


def serving(sites: Sites) -> Iterator[Budget]:
    """The wait of somebody who edits a submission while `rexrank serve` runs."""
    waited, spent = budget_building.serve_seconds(sites.folder / "edited", 100)
    what = "from an edit to the site served anew, 100 models"
    yield Budget(what=what, measured=waited, limit=2, unit="s", note=f"{spent:.1f} s of CPU")


PARTS: dict[str, Callable[[Sites], Iterator[Budget]]] = {
    "weight": weight,
    "speed": speed,
    "quality": quality,
    "lighthouse": lighthouse,
    "building": building,
    "serving": serving,
}


def measure(parts: list[str]) -> list[Budget]:
    """All lines of the named parts, in the order of `PARTS`."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # so that no disk is measured
    found = []
    with tempfile.TemporaryDirectory(dir=memory) as name:
        sites = Sites(folder=Path(name))
        for part in parts:
            print(f"measuring {part} …", file=sys.stderr)
            for one in PARTS[part](sites):
                print(f"  {one.what}: {one.measured} {one.unit} {one.note}".rstrip(), file=sys.stderr)
                found.append(one)
    return found


def main(parts: list[str] | None = None) -> int:
    """Prints the table and gives 1 if a limit is broken, else 0."""
    found = measure(parts or list(PARTS))
    rows = []
    for one in found:
        shown = "absent" if one.measured is None else f"{one.measured:.3g} {one.unit}".strip()
        limit = f"{'at least' if one.is_least else 'at most'} {one.limit:g} {one.unit}".strip()
        verdict = "not measured" if one.measured is None else "holds" if one.holds else "BROKEN"
        rows.append((one.what, shown, limit, verdict, one.note if not one.holds or one.unit else ""))
    print_table("Budgets of the site", ("", "measured", "limit", "", "note"), rows)
    return 0 if all(one.holds for one in found) else 1


if __name__ == "__main__":
    unknown = sorted(set(sys.argv[1:]).difference(PARTS))
    if unknown:
        sys.exit(f"no part named {', '.join(unknown)}; there are {', '.join(PARTS)}")
    sys.exit(main(sys.argv[1:]))
