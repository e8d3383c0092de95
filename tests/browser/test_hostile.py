"""Names, notes and links that would act if a page took them for markup, all the way to a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from site_builder.building import build
from site_builder.reading import read_world
from site_builder.world import World
from tests.browser.conftest import Site, serve, watch
from tests.site.conftest import Links, needs_plugin
from tests.world import make_world, spoiled

pytestmark = pytest.mark.browser

# What the check refuses, forced past it: markup, template and script breakers, characters that turn or hide
# text, formulas of spreadsheets, commands of TeX, of terminals and of workflow logs.
HOSTILE = {
    "svg": "Vector <svg/onload=top.name=1>",
    "script": "</script><script>top.name=1</script>",
    "title": "</title><img src=x onerror=top.name=1>",
    "quote": "\"><a href='javascript:top.name=1'>x</a>",
    "prompt": "'-prompt(1)-'",
    "template": "{{ 7*7 }}{% raw %}${7*7}",
    "turned": "safe\u202eelpmaxe\u2066\u200b\ufeffx",
    "marks": "a" + "\u0301" * 200,
    "formula": '=HYPERLINK("http://x";"y")',
    "plus": "+1+1",
    "tex": "\\input{/etc/passwd}}{",
    "terminal": "\x1b]8;;http://x\x07y ::error::x",
    "bold": "<b>b</b><br>&amp;amp;",
}
LINKS = (
    ("code", "javascript:top.name=1"),
    ("paper", 'https://doi.org/10.1/"><x'),
    ("arXiv", "https://arxiv.org/abs/2411.15122v1;id\n"),
    ("good", "https://example.org/paper"),
)


def hostile(world: World) -> World:
    """The world with a hostile text wherever a submitter's words stand."""
    models = {
        id: replace(
            model,
            name=HOSTILE[id],
            institutions=(HOSTILE[id], "=1+1"),
            note=HOSTILE[id],
            trained_on=(HOSTILE[id],),
            facts=((HOSTILE[id], HOSTILE[id]),),
            links=LINKS,
        )
        if id in HOSTILE
        else model
        for id, model in world.models.items()
    }
    boards = [
        replace(board, rows=[replace(row, label=HOSTILE.get(row.model, row.label)) for row in board.rows])
        for board in world.boards
    ]
    return replace(world, models=models, boards=boards)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A whole site of such models, below `/repo/`."""
    needs_plugin()
    folder = tmp_path_factory.mktemp("hostile")
    world = make_world(folder, release="texts", patients=True)
    for place, name in enumerate(HOSTILE):
        world.submit(name, spoiled(world.studies, 0.1 + 0.05 * place, seed=place))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REXRANK_HOME", str(world.state))
        patch.setenv("REXRANK_CACHE", str(folder / "cache"))
        world.score()
        patch.setattr(
            "site_builder.mkdocs_plugin.read_world",
            lambda *given, **more: hostile(read_world(*given, **more)),
        )
        server, address = serve(folder / "served")
        build(results=world.root, out=folder / "served" / "repo", base_url=address)
    yield Site(folder=folder / "served" / "repo", address=address)
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """A page on which no dialog opens, no script of a submitter runs and nothing else goes wrong."""
    page = browser.new_page()
    found = watch(page, site.address)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    assert dialogs == []
    assert page.evaluate("top.name") == ""
    assert page.locator("a[href^='javascript:'], [onload], [onerror], img[src='x']").count() == 0
    page.close()
    assert found.problems == []


def shown(text: str) -> str:
    """A text as a browser gives it back: runs of white space are one, control characters are as they are."""
    return " ".join(text.split())


def test_names_stand_as_they_are_in_tables_titles_and_meta(page: Page, site: Site) -> None:
    page.goto(f"{site.address}boards/tiny-knee/findings/")
    names = {shown(x) for x in page.locator("#board tbody th a").all_text_contents()}
    assert {shown(name) for name in HOSTILE.values()} <= names
    for id, name in HOSTILE.items():
        page.goto(f"{site.address}models/{id}/")
        assert shown(page.locator("h1").text_content() or "") == shown(name), id
        assert shown(name) in shown(page.locator("head title").text_content() or ""), id
        for kind in ("[property='og:title']", "[name=description]", "[property='og:description']"):
            content = page.locator(f"meta{kind}").get_attribute("content") or ""
            assert "\\" in name or shown(name)[:6] in shown(content) or kind != "[property='og:title']", (
                id,
                kind,
            )
        links = page.locator("article .rx-links a, article a[rel*=nofollow]").evaluate_all(
            "x => x.map(a => a.href)"
        )
        assert set(links) <= {"https://example.org/paper"}, (id, links)


def test_a_note_a_copy_and_a_comparison_take_names_as_text(page: Page, site: Site) -> None:
    page.goto(f"{site.address}boards/tiny-knee/findings/")
    for row in page.locator("#board tbody tr").all():
        row.locator("td[data-v]").first.hover()
        name = shown(row.locator("th a").text_content() or "")
        assert shown(page.locator(".rx-pop strong").text_content() or "").startswith(name)
    page.locator("th[data-k=name] button").click()
    page.get_by_role("button", name="Copy, download").click()
    with page.expect_download() as got:
        page.get_by_role("button", name="CSV").click()
    text = Path(got.value.path()).read_text("utf-8")
    assert "\"'=HYPERLINK" in text
    assert '"\'+1+1"' in text
    page.goto(f"{site.address}compare/?board=tiny-knee/findings&models=svg,script,quote,bold")
    expect(page.locator(".rx-compared table")).to_have_count(3)
    said = page.locator(".rx-compared").text_content() or ""
    assert all(HOSTILE[name] in said for name in ("svg", "script", "quote", "bold"))


def test_plots_show_names_as_text_drawn_and_explored(page: Page, site: Site) -> None:
    page.goto(f"{site.address}boards/tiny-knee/findings/plots/")
    drawn = " ".join(page.locator("svg.rx-plot").all_text_contents())
    assert HOSTILE["bold"] in drawn
    page.get_by_role("button", name="Explore").first.click()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    said = set()
    plot = page.locator(".js-plotly-plot").first
    count = plot.evaluate("p => p.data.map(d => d.x.length)")
    for curve, points in enumerate(count):
        for point in range(points):
            plot.evaluate("(p, at) => Plotly.Fx.hover(p, [at])", {"curveNumber": curve, "pointNumber": point})
            page.wait_for_timeout(80)  # plotly takes no two hovers at once
            said.update(shown(x) for x in plot.locator(".hovertext").all_text_contents())
    for id in ("svg", "script", "title", "quote", "bold"):
        assert any(shown(HOSTILE[id]) in words for words in said), (
            id,
            sorted(x for x in said if id[:3] in x),
        )
    assert plot.locator(".hovertext a, .hovertext b").count() == 0


def test_search_and_feeds_and_json_take_names_as_text(page: Page, site: Site) -> None:
    page.goto(site.address)
    page.wait_for_load_state("networkidle")
    page.get_by_role("textbox", name="Search").fill("Vector")
    page.keyboard.press("End")  # the theme listens to keys
    found = page.locator(".md-search-result__item").first
    expect(found).to_contain_text(HOSTILE["svg"], timeout=20_000)
    for file in ("data/v1/models.json", "feed.json"):
        text = (site.folder / file).read_text("utf-8")
        document: Any = json.loads(text)
        assert HOSTILE["svg"] in json.dumps(document, ensure_ascii=False), file
    feed = ElementTree.fromstring((site.folder / "feed.xml").read_bytes())
    titles = [entry.text or "" for entry in feed.iter("{http://www.w3.org/2005/Atom}title")]
    assert any(HOSTILE["svg"] in title for title in titles)


def test_no_page_has_an_element_or_attribute_from_a_name(site: Site) -> None:
    for path in site.folder.rglob("*.html"):
        text = path.read_text("utf-8")
        for part in (
            "<svg/onload",
            "<script>top",
            "onerror=top.name=1>",
            "href='javascript",
            'href="javascript',
        ):
            assert part not in text, (path, part)
        assert not [
            a for a in Links(text).addresses if a.strip().lower().startswith(("javascript:", "data:text"))
        ]
