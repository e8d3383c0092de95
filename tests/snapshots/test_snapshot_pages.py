"""Snapshots, history, citations and badges on the site, as pages and files, before any generator."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.board import Board, Cell
from scorer.datasets.base import Card, Split
from scorer.errors import InputError
from scorer.published import read_editions
from scorer.snapshots.corrections import Correction
from scorer.snapshots.freeze import place, snapshot_files, write_snapshot
from scorer.snapshots.version import Version
from site_builder import badges, frozen
from site_builder.frozen import frozen_pages
from site_builder.models import Model
from site_builder.page import Asset, Page
from site_builder.snapshots import read_snapshots
from site_builder.views import board_pages, history, insights, model_pages, snapshot_pages
from site_builder.world import World
from tests.snapshots.world import DISTANCE, OVERLAP, PUBLISHER, board, cell, row
from tests.snapshots.world import World as Repository

FIRST = board([row("alpha", {"overlap": cell("overlap", 0.5, 1), "distance": Cell()}, label="Alpha")])
SECOND = board(
    [
        row("beta", {"overlap": cell("overlap", 0.75, 1), "distance": Cell()}, label="Beta"),
        row("alpha", {"overlap": cell("overlap", 0.5, 2), "distance": Cell()}, label="Alpha"),
    ]
)

CARD = Card(
    id="open-set",
    version=1,
    name="Open Set",
    summary="Invented.",
    split="test",
    splits={"test": Split(n_studies=5, n_track={"findings": 5})},
    tracks=("findings",),
    access="open",
    release="texts",
    licence="CC0-1.0",
    source="invented",
    how_to_get="rexrank data add open-set PATH",
    reader="jsonl",
)


def freeze(repository: Repository, version: str, one: Board) -> None:
    snapshot = repository.snapshot(version, [one])
    files = snapshot_files(snapshot, PUBLISHER, frozen_pages(snapshot, PUBLISHER))
    write_snapshot(place(repository.results, Version.parse(version)), files)
    repository.commit(version)


def site(repository: Repository, live: Board = SECOND, **more: object) -> World:
    models = {
        id: Model(id=id, name=name, is_submitted=True) for id, name in (("alpha", "Alpha"), ("beta", "Beta"))
    }
    given: dict[str, object] = {
        "boards": [live],
        "models": models,
        "metrics": [OVERLAP, DISTANCE],
        "datasets": {"open-set": CARD},
        "snapshots": read_snapshots(repository.results),
        "publisher": PUBLISHER,
        "base_url": PUBLISHER.url,
    }
    return World(**{**given, **more})  # type: ignore[arg-type]


def pages(made: object) -> dict[str, Page]:
    return {one.path: one for one in made if isinstance(one, Page)}  # type: ignore[attr-defined]


def assets(made: object) -> dict[str, bytes]:
    return {one.path: one.data for one in made if isinstance(one, Asset)}  # type: ignore[attr-defined]


@pytest.fixture
def repository(world: Repository) -> Repository:
    freeze(world, "2026.1", FIRST)
    freeze(world, "2026.2", SECOND)
    return world


def test_frozen_files_are_copied_byte_for_byte(repository: Repository) -> None:
    files = assets(snapshot_pages.make(site(repository)))
    folder = repository.results / "snapshots"
    for version in ("2026.1", "2026.2"):
        for path in (folder / version).rglob("*"):
            if path.is_file():
                assert files[f"snapshots/{path.relative_to(folder).as_posix()}"] == path.read_bytes()


def test_a_theme_change_changes_no_byte_of_a_frozen_page(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = assets(snapshot_pages.make(site(repository)))
    monkeypatch.setattr(frozen, "_style", lambda: "body { color: red }")
    changed = frozen_pages(repository.snapshot("2026.1", [FIRST]), PUBLISHER)
    assert b"color: red" in changed["index.html"], "the theme did change"
    after = assets(snapshot_pages.make(site(repository)))
    old = {path: data for path, data in before.items() if path.startswith("snapshots/2026.1/")}
    assert {path: after[path] for path in old} == old
    assert all(b"color: red" not in data for data in old.values())


def test_an_old_page_learns_of_a_newer_snapshot_only_through_its_mark(repository: Repository) -> None:
    files = assets(snapshot_pages.make(site(repository)))
    assert b"2026.2" in files["snapshots/newer/2026.1.svg"]
    assert b"the newest" in files["snapshots/newer/2026.2.svg"]
    assert b"2026.2" not in files["snapshots/2026.1/index.html"]
    assert b'src="../newer/2026.1.svg"' in files["snapshots/2026.1/index.html"]


def test_an_altered_snapshot_is_not_published(repository: Repository) -> None:
    path = repository.results / "snapshots" / "2026.1" / "board.csv"
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.6"))
    with pytest.raises(InputError, match=r"2026\.1/board\.csv: sha256"):
        read_snapshots(repository.results)


def test_the_list_names_doi_files_and_changes_and_latest_is_a_page(repository: Repository) -> None:
    (repository.results / "snapshots" / "doi.yaml").write_text("2026.1: 10.5281/zenodo.7\n")
    found = pages(snapshot_pages.make(site(repository)))
    html = found["snapshots/"].html
    assert 'href="https://doi.org/10.5281/zenodo.7"' in html
    assert 'href="../history/2026.1-2026.2/"' in html
    assert html.index("2026.2") < html.index("2026.1"), "newest first"
    assert "@misc{rexrank-2026-2," in html
    latest = found["snapshots/latest/"]
    assert latest.title == "Latest snapshot: 2026.2"
    assert 'href="../../snapshots/2026.2/open-set.findings/"' in latest.html


def test_without_snapshots_the_pages_say_so(world: Repository) -> None:
    found = pages(snapshot_pages.make(site(world)))
    assert "There is no snapshot yet" in found["snapshots/"].html
    assert "There is no snapshot yet" in found["snapshots/latest/"].html
    assert assets(snapshot_pages.make(site(world))) == {}


def test_the_sitemap_of_frozen_pages_lists_their_addresses(repository: Repository) -> None:
    root = ElementTree.fromstring(assets(snapshot_pages.make(site(repository)))["snapshots/sitemap.xml"])
    places = [element.text for element in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert "https://board.example/snapshots/2026.1/open-set.findings/" in places
    assert len(places) == 4


def test_the_page_of_two_snapshots_names_what_is_new_and_what_moved_with_the_reason(
    repository: Repository,
) -> None:
    html = pages(history.make(site(repository)))["history/2026.1-2026.2/"].html
    assert "New (1)" in html
    assert "Moved, number unchanged (1)" in html
    assert "Beta is new" in html
    assert "1 to 2" in html


def test_a_model_page_cites_the_newest_snapshot_that_holds_exactly_its_numbers(
    repository: Repository,
) -> None:
    html = pages(model_pages.make(site(repository)))["models/alpha/"].html
    assert '<h2 id="cite">' in html
    address = "https://board.example/snapshots/2026.2/open-set.findings/#alpha"
    assert f'href="../../snapshots/2026.2/open-set.findings/#alpha">{address}</a>' in html
    assert "@misc{rexrank-2026-2-open-set-findings-alpha," in html
    assert "rank 2 (2–3), n = 5, overlap@1|words@1|text@1|open-set@1|findings" in html
    changed = board([row("alpha", {"overlap": cell("overlap", 0.51, 1), "distance": Cell()}, label="Alpha")])
    html = pages(model_pages.make(site(repository, changed)))["models/alpha/"].html
    assert "Not in a snapshot yet" in html
    assert "https://board.example/boards/open-set/findings/?sel=alpha" in html


def test_a_board_page_cites_the_snapshot_that_holds_all_its_numbers_else_itself(
    repository: Repository,
) -> None:
    html = pages(board_pages.make(site(repository)))["boards/open-set/findings/"].html
    assert "@misc{rexrank-2026-2-open-set-findings," in html
    assert 'href="../../../snapshots/2026.2/open-set.findings/"' in html
    changed = board([row("alpha", {"overlap": cell("overlap", 0.51, 1), "distance": Cell()}, label="Alpha")])
    html = pages(board_pages.make(site(repository, changed)))["boards/open-set/findings/"].html
    assert "Not in a snapshot yet" in html
    assert "url = {https://board.example/boards/open-set/findings/}" in html


def test_any_two_of_the_newest_snapshots_have_a_page_and_older_ones_with_their_successor() -> None:
    numbers = list(range(12))
    pairs = history._pairs(numbers)  # type: ignore[arg-type]
    assert (0, 1) in pairs
    assert (0, 2) not in pairs
    assert (4, 11) in pairs
    assert len(pairs) == 4 + 8 * 7 // 2


def test_a_model_page_shows_its_way_through_the_snapshots_and_corrections_with_reason(
    repository: Repository,
) -> None:
    correction = Correction(
        date="2026-03-05",
        slug="alpha-split",
        kind="dispute",
        model="alpha",
        snapshots=("2026.1",),
        what="The paper states 0.6.",
        reason="The paper used another split.",
        decided_by="maintainers",
        outcome="rejected",
    )
    world = site(repository, corrections=[correction])
    html = pages(model_pages.make(world))["models/alpha/"].html
    assert "Through the snapshots" in html
    assert html.count("open-set.findings/#alpha") >= 2
    assert "dispute (rejected)" in html
    assert "The paper used another split." in html
    assert 'href="../../snapshots/2026.1/">2026.1</a> holds the old numbers' in html
    assert "The paper used another split." in pages(history.make(world))["history/"].html


def test_a_withdrawn_model_leaves_the_board_but_not_the_snapshot(repository: Repository) -> None:
    live = board([row("beta", {"overlap": cell("overlap", 0.75, 1), "distance": Cell()}, label="Beta")])
    world = site(repository, live)
    assert (
        b'id="alpha"' in assets(snapshot_pages.make(world))["snapshots/2026.2/open-set.findings/index.html"]
    )
    html = pages(model_pages.make(world))["models/alpha/"].html
    assert "Through the snapshots" in html
    assert 'id="cite"' not in html


def test_a_badge_says_rank_board_and_snapshot_and_fits_both_forms(repository: Repository) -> None:
    files = assets(badges.make(site(repository)))
    endpoint = json.loads(files["badges/alpha/open-set.findings.json"])
    assert endpoint == {
        "schemaVersion": 1,
        "label": "Open Set, findings, 2026.2",
        "message": "rank 2 (2–3)",
        "color": "informational",
    }
    root = ElementTree.fromstring(files["badges/alpha/open-set.findings.svg"])
    assert root.attrib["aria-label"] == "Open Set, findings, 2026.2: rank 2 (2–3)"
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {
        "svg", "title", "clipPath", "rect", "g", "text",
    }  # fmt: skip


def test_hostile_names_stay_text_in_badges_and_history(repository: Repository) -> None:
    name = "<script>alert(1)</script>\"'&"
    svg = badges.badge_svg(name, name)
    assert b"<script" not in svg
    assert ElementTree.fromstring(svg).attrib["aria-label"] == f"{name}: {name}"
    named = replace(row("alpha", {"overlap": cell("overlap", 0.4, 1), "distance": Cell()}), label=name)
    freeze(repository, "2026.3", board([named]))
    world = site(repository)
    for page in [*pages(history.make(world)).values(), *pages(snapshot_pages.make(world)).values()]:
        assert "<script" not in page.html


@pytest.fixture(scope="module")
def published(root: Path) -> dict[str, Page]:
    world = World(editions=read_editions(root / "results"))
    return pages(history.make(world)) | pages(insights.make(world))


@pytest.mark.parametrize(
    ("path", "figures"),
    [
        # The figures of NOTES on the published files: what changed without a word.
        ("history/rexrank-repo-2024-11-09/", ("MedVersa", "0.833", "0.992", "0.472", "0.431", "none stated")),
        ("history/rexrank-repo-2024-11-26/", ("MedVersa", "0.692", "0.532")),
        ("history/rexrank-repo-2024-08-20/", ("CheXpertPlus-MIMIC", "1.085", "0.884")),
        ("history/rexrank-repo-2026-d573c31/", ("UniRG-CXR", "1.977", "4.804", "2.007", "5.138")),
        ("history/rexrank-repo-2026-0b9b62e/", ("UniRG-CXR", "1.621", "1.622", "0.476", "0.469")),
        ("history/rexrank-repo-2024-11-04-rexrank-repo-2024-11-09/", ("MedVersa", "0.833", "0.992")),
    ],
)
def test_every_edition_page_shows_the_figures_that_changed(
    published: dict[str, Page], path: str, figures: tuple[str, ...]
) -> None:
    for figure in figures:
        assert figure in published[path].html


def test_the_quality_page_names_every_known_oddity_with_its_figures(published: dict[str, Page]) -> None:
    assert 'href="../quality/"' in published["history/"].html
    html = published["quality/"].html
    for words in (
        "MedVersa on rexgradient (findings): BLEU-2 0.233 then 0.21",
        "UniRG-CXR on iu-xray (findings): BLEU-2 0.265 then 0.376",
        "GPT4V on rexgradient (single_table): all 6 figures equal its row on chexpert-plus digit for digit",
        "LLM-CXR on rexgradient (single_table): all 6 figures equal its row on chexpert-plus digit for digit",
        "1/FineRadScore is shown as 0",
        "GREEN 0.194 is rank 29 of 30",
        "3.048 against 0.957",
        "MoERad-IU",
        "1/RadCliQ-v1 is shown as 0.605, its own components give 0.6593",
    ):
        assert words in html, words


def test_there_is_a_page_for_any_two_editions(published: dict[str, Page]) -> None:
    pairs = [path for path in published if path.count("rexrank-repo-") == 2]
    assert len(pairs) == 45
    html = published["history/"].html
    assert all(f'href="../{path}"' in html for path in pairs)
