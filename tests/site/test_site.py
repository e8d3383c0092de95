"""The built site: complete, linked, the same twice, without anything from elsewhere."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchmarks.site_worlds import write_results
from scorer.published import read_editions
from site_builder.building import build
from site_builder.page import Asset, Page
from site_builder.plots.svg import CROWD, marks
from site_builder.reading import read_world
from site_builder.views import board_pages
from tests.site.conftest import Links, broken_links, needs_plugin
from tests.world import make_world, spoiled

Made = Mapping[str, Page | Asset]


def test_one_module_alone_imports_the_generator(root: Path) -> None:
    users = set()
    for path in (root / "site_builder").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            if any(name.split(".")[0] in {"mkdocs", "material", "properdocs"} for name in names):
                users.add(path.name)
    assert users == {"mkdocs_plugin.py"}


def test_every_published_figure_is_on_its_edition_page_with_its_line(root: Path, pages: Made) -> None:
    total = 0
    for edition in read_editions(root / "results"):
        page = pages[f"editions/{edition.id}/"]
        assert isinstance(page, Page)
        cells = Counter(re.findall(r'data-l="(\d+)">([^<\u2007]*)\u2007*<', page.html))
        for row in edition.rows:
            assert cells[str(row.line), row.printed] == 1, row
        assert sum(cells.values()) == len(edition.rows)
        table = pages[f"editions/{edition.id}/scores.csv"]
        assert isinstance(table, Asset)
        assert len(list(csv.DictReader(io.StringIO(table.data.decode())))) == len(edition.rows)
        for _, address in edition.links:
            assert address in page.html
        total += len(edition.rows)
    assert total == 6334


def test_published_figures_never_stand_in_our_own_table(pages: Made) -> None:
    for page in pages.values():
        if isinstance(page, Page) and page.path.startswith("boards/"):
            own = page.html.split('id="reported"')[0]
            assert "data-l=" not in own
            assert "as reported" in page.html or 'id="reported"' not in page.html


def test_every_link_and_fragment_of_the_site_resolves(tiny_site: Path) -> None:
    assert broken_links(tiny_site, "https://example.org/board/") == []


def test_nothing_is_loaded_from_elsewhere(tiny_site: Path) -> None:
    for path in tiny_site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert "Content-Security-Policy" in text
        for tag, attribute in (("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src")):
            for found in re.finditer(rf'<{tag}\b[^>]*\b{attribute}="([^"]+)"[^>]*>', text):
                address = found[1]
                assert 'rel="canonical"' in found[0] or not address.startswith(("http", "//")), address


def test_two_builds_of_the_same_results_are_byte_identical(tmp_path: Path) -> None:
    needs_plugin()
    world = make_world(tmp_path, release="texts")
    world.submit("alpha", spoiled(world.studies, 0.2))
    world.score()
    for out in ("one", "two"):
        build(results=world.root, out=tmp_path / out)
    one, two = (
        {p.relative_to(tmp_path / out): p.read_bytes() for p in (tmp_path / out).rglob("*") if p.is_file()}
        for out in ("one", "two")
    )
    assert one.keys() == two.keys()
    assert [str(path) for path in one if one[path] != two[path]] == []


def test_json_files_hold_null_where_a_number_is_missing(tiny_site: Path) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    for path in tiny_site.rglob("*.json"):
        json.loads(path.read_text("utf-8"), parse_constant=refuse)


def test_the_search_index_holds_names_and_stays_small(tiny_site: Path) -> None:
    index = (tiny_site / "search" / "search_index.json").read_text("utf-8")
    titles = {entry["title"] for entry in json.loads(index)["docs"]}
    assert {"alpha", "beta", "gamma", "Tiny knees"} <= titles
    assert len(index) < 100_000
    texts = " ".join(entry["text"] for entry in json.loads(index)["docs"] if "models/" in entry["location"])
    assert not re.search(r"0\.\d", texts)


def test_the_page_for_nothing_found_links_below_the_sub_path(tiny_site: Path) -> None:
    links = Links((tiny_site / "404.html").read_text("utf-8"))
    local = [a for a in links.addresses if a.startswith("/")]
    assert local
    assert all(address.startswith("/board/") for address in local)


def test_groups_of_columns_span_the_columns_that_are_shown(tmp_path: Path) -> None:
    results = write_results(tmp_path, 2)  # every registered metric, some of which are hidden at first
    world = read_world(results, tmp_path / "home", tmp_path / "cache", "")
    (html,) = (
        made.html
        for made in board_pages.make(world)
        if made.path == "boards/mimic-cxr/findings/" and isinstance(made, Page)
    )
    head = html[html.index("<thead>") : html.index("</thead>")]
    found = re.findall(r'<th scope="colgroup" colspan="(\d+)"( hidden)?>([^<]*)<', head)
    groups = [(group, int(span)) for span, hidden, group in found if not hidden]
    columns = re.findall(r'data-g="(\w+)"[^>]*?( hidden)?>', head)
    assert groups == list(Counter(group for group, hidden in columns if not hidden).items())
    assert any(hidden for _, hidden in columns)


def test_a_long_board_begins_with_its_first_rows_and_has_them_all_on_a_page_of_its_own(
    tmp_path: Path,
) -> None:
    results = write_results(tmp_path, 120)
    world = read_world(results, tmp_path / "home", tmp_path / "cache", "")
    made = {one.path: one for one in board_pages.make(world) if isinstance(one, Page)}
    path = "boards/mimic-cxr/findings/"
    first, whole = (
        re.findall(r"<tr [^>]*data-n=.*?</tr>", made[at].html, re.DOTALL) for at in (path, f"{path}all/")
    )
    assert (len(first), len(whole)) == (30, 120)
    assert [row.replace("../../../", "../../../../") for row in first] == whole[:30]
    assert 'data-rest="all/" data-few="30" data-total="120"' in made[path].html
    assert "data-rest" not in made[f"{path}all/"].html
    assert '<a href="all/">All 120 rows on one page</a>' in made[path].html


def test_what_has_no_direction_has_no_best_and_what_a_card_does_not_state_is_said_so(
    root: Path, pages: Made
) -> None:
    page = pages["boards/demo-cxr/findings/"]
    assert isinstance(page, Page)
    compared = dict(re.findall(r'data-k="(\w+)"[^>]*?data-m="(\w+)', page.html))
    assert (compared["bleu_2"], compared["length_ratio"]) == ("best", "median")
    world = read_world(root / "results", root / "nowhere")
    stated = {True: "prior studies", False: "current study", None: "not stated"}
    rows = re.findall(r'<tr [^>]*?data-inputs="([^"]+)".*?href="[./]*models/([^/]+)/', page.html, re.DOTALL)
    assert len(rows) == 5
    assert all(said == stated[world.models[model].uses_prior] for said, model in rows)
    assert {said for said, _ in rows} >= {"current study", "not stated"}


def test_a_figure_printed_with_fewer_digits_is_no_other_figure(pages: Made) -> None:
    """1.103 of one edition is 1.10 in the next, which prints two decimals."""
    page = pages["models/medversa/"]
    assert isinstance(page, Page)
    rows = re.findall(r"<tr><th[^>]*>.*?2026-01-23</a>.*?</tr>", page.html)
    assert any("<td>1.10<" in row for row in rows)
    assert "<strong>" in page.html
    assert all("<strong>1.10<" not in row for row in rows)


def test_a_board_of_a_hundred_rows_is_whole(tmp_path: Path) -> None:
    results = write_results(tmp_path, 100)
    world = read_world(results, tmp_path / "home", tmp_path / "cache", "")
    made = {one.path: one for one in board_pages.make(world) if isinstance(one, Page)}
    assert "boards/mimic-cxr/findings/all/" not in made
    assert made["boards/mimic-cxr/findings/"].html.count('<th scope="row" class="rx-model"><a') >= 100


def test_marks_of_a_crowd_share_one_path() -> None:
    few = marks([("M0 0", "rx-mark", "A <b>")] * CROWD)
    assert len(few) == CROWD
    assert "<title>A &lt;b&gt;</title>" in few[0]
    many = marks([("M0 0", "rx-mark", "A"), ("M1 1", "rx-hollow", "B")] * CROWD)
    assert [str(one) for one in many] == [
        f'<path d="{d * CROWD}" class="{kind}"/>' for d, kind in (("M0 0", "rx-mark"), ("M1 1", "rx-hollow"))
    ]
