"""Ranking and tables: what a reader sees, in markup and in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from scorer.board import Board, Cell
from scorer.boards import build_board
from scorer.inference.ranks import competition_ranks
from scorer.statistics import Bench
from site_builder.models import Model
from site_builder.page import Made, Page
from site_builder.site import make_site
from site_builder.world import World as SiteWorld
from tests.cases.conftest import pages_of, serve, write_site
from tests.snapshots.test_snapshot_pages import CARD
from tests.snapshots.world import board, cell, row
from tests.world import make_world, spoiled

HOSTILE = ("<img src=x onerror=alert(1)>", "</script><b>x", '"><svg onload=alert(1)>', "{{ 7*7 }}")


def two_columns() -> Board:
    """One metric with a missing, a negative and two values that look alike; one where lower is better."""
    given: dict[str, tuple[float | None, float | None]] = {
        "A": (0.2004, 1.09),
        "B": (None, 1.44),
        "C": (0.29, 0.69),
        "D": (0.2003, None),
        "E": (-0.05, 2.0),
    }
    overlap = competition_ranks([pair[0] for pair in given.values()], "higher")
    distance = competition_ranks([pair[1] for pair in given.values()], "lower")

    def one(metric: str, value: float | None, rank: int | None) -> Cell:
        return Cell() if value is None else cell(metric, value, rank)

    rows = [
        row(name.lower(), {"overlap": one("overlap", x, i), "distance": one("distance", y, j)}, label=name)
        for (name, (x, y)), i, j in zip(given.items(), overlap, distance, strict=True)
    ]
    order = {"c": 0, "a": 1, "d": 2, "e": 3, "b": 4}
    return board(sorted(rows, key=lambda r: order[r.model]))


def world_of(one: Board) -> SiteWorld:
    models = {r.model: Model(id=r.model, name=r.label, is_submitted=True) for r in one.rows}
    return SiteWorld(boards=[one], models=models, datasets={"open-set": CARD})


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("board")
    write_site(make_site(world_of(two_columns())), folder)
    with serve(folder) as address:
        yield address


def names(page: Any) -> str:
    return "".join(page.locator("#board tbody tr:visible th a").all_inner_texts())


@pytest.mark.browser
def test_missing_stays_last_and_the_first_click_shows_the_best_whichever_way_a_metric_points(
    browser: Any, address: str
) -> None:
    page = browser.new_page()
    page.goto(f"{address}boards/open-set/findings/")
    assert names(page) == "CADEB"
    heads = page.locator("#board thead th[data-k]:not([data-k=name])")
    distance = heads.nth(1)
    assert "↓" in distance.inner_text()
    assert "↑" in heads.nth(0).inner_text()
    distance.locator("button").click()
    assert names(page) == "CABED"  # lower is better: 0.69 on top, the missing one last
    assert distance.get_attribute("aria-sort") == "ascending"
    # Ranks are those of the sorted column, counted from its values and not from rows.
    assert page.locator("#board tbody .rx-rank").all_inner_texts()[0].startswith("1")
    assert page.locator("#board tbody tr:has(a[href*='models/d/']) .rx-rank").inner_text() == ""
    distance.locator("button").click()
    assert names(page) == "EBACD"
    heads.nth(0).locator("button").click()
    assert names(page) == "CADEB"  # the raw number decides: A and D both show 0.200
    heads.nth(0).locator("button").click()
    assert names(page) == "EDACB"  # a negative number is below 0 and above nothing at all
    assert page.locator("tr:has(a[href*='models/e/']) td[data-v]").first.inner_text().startswith("-0.050")
    page.close()


@pytest.mark.browser
def test_a_view_that_was_sent_opens_with_the_same_order_and_filter(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}boards/open-set/findings/")
    page.locator("#board thead th[data-k=distance] button").click()
    page.locator("input[name=find]").fill("c")
    page.locator("select[name=show]").select_option("off")
    page.wait_for_url("**sort=distance**")
    sent, seen = page.url, names(page)
    page.close()
    elsewhere = browser.new_context().new_page()
    elsewhere.goto(sent)
    assert names(elsewhere) == seen == "C"
    assert elsewhere.locator("input[name=find]").input_value() == "c"
    assert elsewhere.locator("#board").get_attribute("data-show") == "off"
    elsewhere.locator("input[name=find]").fill("")
    assert names(elsewhere) == "CABED"
    elsewhere.context.close()


def test_models_without_a_number_stand_at_the_bottom_in_natural_order(site_world: SiteWorld) -> None:
    one = next(b for b in site_world.boards if b.dataset == "tiny-knee")
    assert [r.label for r in one.rows if not r.is_probe][-3:] == ["model 1", "Model 2", "Model 10"]
    # A person's order, measured with a numeric collator; plain text order puts Model 10 first.
    assert all(r.cells[one.order].rank is None for r in one.rows[-3:])


def test_a_board_with_radcliq_starts_with_the_lowest(weights: Path, tmp_path: Path) -> None:
    world = make_world(tmp_path, n=6)
    bench = Bench(weights_dir=weights, cache_dir=tmp_path / "cache")
    shop = world.shop
    for model, share in (("a-worst", 1.0), ("b-middle", 0.5), ("c-best", 0.0)):
        world.submit(model, spoiled(world.studies, share))
        for filled in shop.cells([model], [world.dataset]):
            if filled.track == "findings":
                shop.fill(filled, bench)
    one = build_board(world.shop, shop.card(world.dataset), "findings")
    assert one is not None
    assert one.order == "radcliq_v1"
    cells = [r.cells["radcliq_v1"] for r in one.rows]
    values = [c.estimate.value for c in cells if c.estimate]
    assert values == sorted(values)
    assert [c.rank for c in cells] == [1, 2, 3]
    assert one.rows[0].model == "c-best"


def test_both_versions_of_a_model_stay_reachable_and_one_stands_on_the_board(
    site: Mapping[str, Made], site_world: SiteWorld
) -> None:
    on_boards = {r.model for b in site_world.boards for r in b.rows}
    assert "nettwo" in on_boards
    assert "netone" not in on_boards
    pages = pages_of(site.values())
    old, new = pages["models/netone/"], pages["models/nettwo/"]
    assert 'A newer version stands here: <a href="../../models/nettwo/">nettwo</a>' in old
    assert 'Follows <a href="../../models/netone/">netone</a>' in new
    assert "On no board: superseded." in old
    assert "Awaiting scoring" not in old
    # The numbers of the old version, which may be the better ones, stay on its page without a rank.
    record = site_world.records["netone", "tiny-knee", "findings"]
    value = next(e for e in record.estimates if e.metric == "bleu_2").value
    line = old.split('href="../../metrics/bleu_2/"')[1].split("</tr>")[0]
    assert f"<td>{value:.3f}</td>" in line
    assert re.search(r"–[0-9.]+</td><td></td><td>24</td>", line)
    assert "models/netone/tiny-knee.findings.json" in site
    assert "None of the rules" not in old  # rules look at boards only: nothing is claimed about it


class Markup(HTMLParser):
    """Elements and attributes that could act."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        source = dict(attrs).get("src") or ""
        if tag in {"script", "iframe", "object", "embed"} or (tag == "img" and not source.startswith("../")):
            self.found.append(f"{tag} {source}")
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().lower().startswith(
                ("javascript:", "data:text")
            ):
                self.found.append(f"{tag} {name}")


@pytest.fixture(scope="module")
def hostile() -> SiteWorld:
    """The board with names and links that would act if a page took them for markup."""
    calm = two_columns()
    rows = [replace(r, label=HOSTILE[place % 4]) for place, r in enumerate(calm.rows)]
    world = world_of(replace(calm, rows=rows))
    spoiled = {
        id: replace(
            model,
            institutions=(HOSTILE[1],),
            note=HOSTILE[0],
            links=(("code", "javascript:alert(1)"), ("paper", "https://example.org/paper")),
        )
        for id, model in world.models.items()
    }
    return replace(world, models=spoiled)


def test_markup_in_names_is_text_on_every_page_and_a_script_link_is_left_out(hostile: SiteWorld) -> None:
    pages = [made for made in make_site(hostile) if isinstance(made, Page)]
    assert len(pages) > 8
    own = '<script src="../assets/compare.js" defer></script>'
    for page in pages:
        html = page.html.replace(own, "") if page.path == "compare/" else page.html
        assert Markup(html).found == [], page.path
    model = next(page.html for page in pages if page.path == "models/a/")
    assert "javascript" not in model
    assert 'href="https://example.org/paper"' in model
    assert "&lt;img" in model


@pytest.mark.browser
def test_markup_in_names_never_runs_in_a_browser(browser: Any, hostile: SiteWorld, tmp_path: Path) -> None:
    write_site(make_site(hostile), tmp_path)
    ran: list[str] = []
    with serve(tmp_path) as address:
        page = browser.new_page()
        page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
        page.goto(f"{address}boards/open-set/findings/")
        assert HOSTILE[0] in page.locator("#board tbody").inner_text()
        page.locator("#board td[data-v]").first.hover()  # the note of a cell is made by a script
        assert page.locator(".rx-pop strong").inner_text().startswith(HOSTILE[0])
        page.locator("#board tbody input[type=checkbox]").first.check()
        page.locator("#board thead th.rx-model button").click()
        assert page.locator("#board img, #board svg[onload], .rx-pop img").count() == 0
        page.goto(f"{address}boards/open-set/findings/plots/")
        page.goto(f"{address}models/c/")
        assert page.locator("h1").inner_text() == HOSTILE[0]
        assert not ran
        page.close()


def test_a_model_without_paper_has_no_link_and_no_word_none(site: Mapping[str, Made]) -> None:
    html = pages_of(site.values())["models/nettwo/"]
    assert "rx-links" not in html
    assert not re.search(r">\s*None\s*<|href=\"(None)?\"", html)
