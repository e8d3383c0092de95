"""The case explorer: whose texts are shown, in which order, beside which numbers, and that texts stay texts."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import numpy as np
import pytest
from click.testing import CliRunner

from scorer.cli import rexrank
from scorer.encoding import EncodingCache, kept_encodings
from scorer.encoding.chexbert import LABELS
from scorer.encoding.encoder import encoding_key
from scorer.encoding.radgraph import Entity, pack
from scorer.errors import DatasetMissing, UsageError
from scorer.metrics.lexical import BLEU_2
from scorer.statistics.lexical import NgramMatches, ngram_matches
from scorer.statistics.radgraph import RADGRAPH
from scorer.text import Report
from scorer.types import Floats
from site_builder import building
from site_builder.cases import MOST, Cases
from site_builder.page import Asset, Page
from site_builder.reading import read_world
from site_builder.site import make_site, static_assets
from site_builder.views.cases import slug
from site_builder.views.told import told
from tests.site.conftest import Links, needs_plugin, text_of
from tests.world import World, make_world, spoiled

Made = Mapping[str, Page | Asset]


def scored(folder: Path, release: str = "texts", shares: Sequence[float] = (0.1, 0.9)) -> World:
    """A world with one model for each share of spoiled studies: model-0, model-1, …"""
    world = make_world(folder, release=release)
    for i, share in enumerate(shares):
        world.submit(f"model-{i}", spoiled(world.studies, share, seed=i))
    world.score()
    return world


def cases_of(world: World, asked: Sequence[str] = ()) -> Cases:
    found = read_world(world.root, world.state, asked=asked).cases(world.dataset)
    assert found is not None
    return found


def pages_of(world: World, asked: Sequence[str] = ()) -> dict[str, Page]:
    """Pages of the explorer, by what follows `cases/`."""
    start = f"datasets/{world.dataset}/cases/"
    made = make_site(read_world(world.root, world.state, asked=asked))
    return {p.path.removeprefix(start): p for p in made if isinstance(p, Page) and p.path.startswith(start)}


@pytest.fixture(scope="module")
def open_world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Tests do not change it."""
    return scored(tmp_path_factory.mktemp("open"))


def test_a_dataset_that_releases_its_texts_has_a_list_and_a_page_for_each_study(pages: Made) -> None:
    found = [path for path in pages if path.startswith("datasets/demo-cxr/cases/")]
    assert len(found) == 201
    for path in ("datasets/demo-cxr/", "boards/demo-cxr/findings/", "models/demo-template/"):
        page = pages[path]
        assert isinstance(page, Page)
        assert "datasets/demo-cxr/cases/" in page.html
    other = pages["models/medversa/"]
    assert isinstance(other, Page)
    assert "cases/" not in other.html


def test_every_link_of_the_explorer_resolves(pages: Made) -> None:
    for path, page in pages.items():
        if path.startswith("datasets/demo-cxr/cases/") and isinstance(page, Page):
            links = Links(page.html)
            for address in links.addresses:
                target, _, fragment = address.partition("#")
                whole = urljoin(f"https://example.org/{path}", target).removeprefix("https://example.org/")
                assert target == "?" or whole in pages, (path, address)
                assert not fragment or fragment in links.ids or target, (path, address)


def test_study_pages_stay_out_of_the_search_and_out_of_other_peoples_indexes(pages: Made) -> None:
    page = pages["datasets/demo-cxr/cases/CX0179_1/"]
    assert isinstance(page, Page)
    assert page.find == ""
    assert page.meta["robots"] == "noindex"


def test_pages_stay_light(pages: Made) -> None:
    for path, page in pages.items():
        if path.startswith("datasets/demo-cxr/cases/") and isinstance(page, Page):
            data = page.html.encode()
            assert len(data) < 60_000 or len(gzip.compress(data)) < 20_000, path


def test_texts_of_other_datasets_are_shown_only_when_asked_for(tmp_path: Path) -> None:
    world = scored(tmp_path, release="studies")
    assert pages_of(world) == {}
    assert len(pages_of(world, [world.dataset])) == 25


def test_the_command_and_the_settings_ask_for_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_plugin()
    world = scored(tmp_path, release="studies")
    monkeypatch.setenv("REXRANK_HOME", str(world.state))
    out = tmp_path / "out"
    common = ["build", "--results", str(world.root), "--out", str(out)]
    page = out / "datasets" / world.dataset / "cases" / world.studies[0].id / "index.html"

    assert CliRunner().invoke(rexrank, common).exit_code == 0
    assert not page.exists()

    assert CliRunner().invoke(rexrank, [*common, "--cases", world.dataset]).exit_code == 0
    assert world.studies[0].reference.findings in text_of(page.read_text("utf-8"))
    index = json.loads((out / "search" / "search_index.json").read_text("utf-8"))
    found = [entry["location"] for entry in index["docs"] if "cases/" in entry["location"]]
    assert found == [f"datasets/{world.dataset}/cases/"]

    packaged = (Path(building.__file__).parent / "mkdocs.yml").read_text("utf-8")
    own = packaged.replace("  - rexrank\n", f"  - rexrank: {{cases: [{world.dataset}]}}\n")
    (tmp_path / "docs").mkdir()
    page.unlink()
    (tmp_path / "mkdocs.yml").write_text(own, "utf-8")
    assert CliRunner().invoke(rexrank, common).exit_code == 0
    assert page.exists()


def test_marks_are_said_to_those_who_do_not_see_them() -> None:
    style = next(asset.data.decode() for asset in static_assets() if asset.path == "assets/rexrank.css")
    assert 'content:" [only in the report] "' in style
    assert 'content:" [only in the reference] "' in style


def test_a_dataset_that_is_not_open_is_refused_whoever_asks(tmp_path: Path) -> None:
    world = make_world(tmp_path, access="credentialed", release="aggregate")
    world.submit("model", spoiled(world.studies, 0.5))
    with pytest.raises(UsageError, match=r"mimic-cxr \(credentialed\), tiny-knee \(credentialed\)"):
        read_world(world.root, world.state, asked=["mimic-cxr", "iu-xray", "tiny-knee"])
    assert pages_of(world) == {}
    done = CliRunner().invoke(
        rexrank,
        ["build", "--results", str(world.root), "--out", str(tmp_path / "out"), "--cases", "tiny-knee"],
    )
    assert done.exit_code != 0
    assert not (tmp_path / "out").exists()


def test_asking_for_a_dataset_that_is_not_here_names_the_command(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    with pytest.raises(DatasetMissing, match="rexrank data add iu-xray PATH"):
        read_world(world.root, tmp_path / "elsewhere", asked=["iu-xray"])
    with pytest.raises(UsageError, match="did you mean 'iu-xray'"):
        read_world(world.root, world.state, asked=["iu-xry"])


def test_without_a_models_report_there_are_no_pages_and_it_is_said(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    said: list[str] = []
    found = read_world(world.root, world.state, said=said.append, asked=[world.dataset])
    assert found.cases(world.dataset) is None
    assert said == [f"no model's predictions for {world.dataset} are at hand, so there are no cases to show"]


HOSTILE = (
    '<script>alert(1)</script> <img src=x onerror=alert(2)> "><svg/onload=alert(3)> {{ 7 * 7 }} {% raw %} '
    "[click](javascript:alert(4)) </ins></p></article> &lt;b&gt; \u202eright to left"
)


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_hostile_texts_are_shown_literally(tmp_path: Path) -> None:
    world = make_world(tmp_path, release="texts")
    reports = {study.id: Report(findings=HOSTILE, impression=HOSTILE) for study in world.studies}
    world.submit("model", reports, name="'Net & {{ 1 }}'")
    pages = pages_of(world)
    page = pages[f"{world.studies[0].id}/"]
    found = Tags(page.html)
    assert found.tags.isdisjoint({"script", "img", "svg", "article", "b", "i"})
    assert not {name for name in found.attributes if name.startswith("on")}
    words = " ".join(unescape(re.sub(r"<[^>]+>", "", page.html)).split())
    assert HOSTILE.replace("\u202e", "\\u202e") in words
    assert "\u202e" not in page.html
    assert "Net & {{ 1 }}, findings" in words


def test_a_study_id_that_is_no_file_name_gets_a_name_of_its_own() -> None:
    assert slug("CX0101_1") == "CX0101_1"
    for bad in ("../up", "a/b", "con", "index", "README", "<b>", "é", "x" * 100, "a..b", "%2e", "a b", "-"):
        made = slug(bad)
        assert re.fullmatch(r"study-[0-9a-f]{16}", made), bad
        assert slug(made) == made
    assert slug("a/b") != slug("a/c")


def bleu(references: Sequence[str], predictions: Sequence[str]) -> Floats:
    columns = [column.name for column in NgramMatches.spec.columns]
    values = ngram_matches(list(predictions), list(references))
    return BLEU_2.per_study({"ngrams": {name: values[:, i] for i, name in enumerate(columns)}})


def test_studies_stand_by_the_spread_of_the_models_values(open_world: World) -> None:
    table = np.stack(
        [
            bleu(
                [study.reference.findings for study in open_world.studies],
                [spoiled(open_world.studies, share, seed=i)[s.id].findings for s in open_world.studies],
            )
            for i, share in enumerate((0.1, 0.9))
        ]
    )
    spread = dict(zip([s.id for s in open_world.studies], np.ptp(table, axis=0), strict=True))
    order = re.findall(r'<a href="(test-\d+)/">', pages_of(open_world)[""].html)
    assert sorted(order) == sorted(spread)
    assert [round(spread[id], 9) for id in order] == sorted(
        (round(x, 9) for x in spread.values()), reverse=True
    )
    assert spread[order[0]] > 0.3


def test_pages_lead_through_the_studies_in_the_order_of_the_list(open_world: World) -> None:
    pages = pages_of(open_world)
    order = re.findall(r'<a href="(test-\d+)/">', pages[""].html)
    for i, id in enumerate(order):
        html = pages[f"{id}/"].html
        assert re.findall(r'href="../([^"/.]+)/" rel="prev"', html) == [*order[i - 1 : i], *order[i - 1 : i]]
        assert re.findall(r'href="../([^"/.]+)/" rel="next"', html) == order[i + 1 : i + 2] * 2
        assert f"case {i + 1} of 24 by disagreement" in html


def test_the_reference_and_every_report_stand_on_the_page_word_for_word(open_world: World) -> None:
    wrong = spoiled(open_world.studies, 0.9, seed=1)
    study = next(s for s in open_world.studies if wrong[s.id].findings != s.reference.findings)
    html = pages_of(open_world)[f"{study.id}/"].html
    words = " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())
    assert study.reference.findings in words
    assert wrong[study.id].findings in words
    assert "<ins>" in html
    assert 'id="m-probe-shuffled-references"' in html.split('id="probes"')[1]
    assert 'id="m-model-0"' in html.split('id="probes"')[0]


def test_numbers_stand_beside_the_texts_they_were_computed_from_only(tmp_path: Path) -> None:
    world = scored(tmp_path)
    assert {"model-0", "model-1"} <= set(cases_of(world).tracks[0].values)
    world.submit("model-1", spoiled(world.studies, 0.5, seed=7))
    changed = cases_of(world)
    assert "model-1" not in changed.tracks[0].values
    assert [one.model for one in changed.models] == ["model-0", "model-1"]
    assert not any("a spread of" in page.html for page in pages_of(world).values())


def test_predictions_that_are_not_here_or_incomplete_are_said(tmp_path: Path) -> None:
    world = scored(tmp_path)
    world.submit("elsewhere", {}, predictions=f"{{{world.dataset}: {{url: 'https://example.org/p.jsonl', "
                 f"sha256: '{'0' * 64}'}}}}")  # fmt: skip
    (world.root / "submissions" / "elsewhere" / "predictions" / f"{world.dataset}.jsonl").unlink()
    first, *others = world.studies
    world.submit("partly", {study.id: study.reference for study in others} | {others[0].id: Report()})
    pages = pages_of(world)
    assert "Not shown: elsewhere; its predictions are not on the machine" in text_of(pages[""].html)
    assert "No prediction for this study." in pages[f"{first.id}/"].html
    assert "An empty prediction" in pages[f"{others[0].id}/"].html.split('id="m-partly"')[1]
    assert "The same words as the reference." in pages[f"{others[1].id}/"].html.split('id="m-partly"')[1]


def test_a_study_that_counts_on_no_board_has_its_texts_and_no_values(pages: Made) -> None:
    page = next(
        p for path, p in pages.items() if path.startswith("datasets/demo-cxr/cases/") and isinstance(p, Page)
        and "It counts on no board" in p.html
    )  # fmt: skip
    assert "None: this study counts on no board." in page.html
    assert 'class="rx-two rx-pair"' in page.html


def test_of_many_models_the_first_of_the_board_are_shown(tmp_path: Path) -> None:
    world = scored(tmp_path, shares=[0.1 * i for i in range(MOST + 2)])
    site = read_world(world.root, world.state)
    board = site.board(world.dataset, "findings")
    assert board is not None
    cases = cases_of(world)
    assert [one.model for one in cases.models] == [row.model for row in board.rows if not row.is_probe][:MOST]
    assert "2 more models stand there" in pages_of(world)[""].html


def test_pages_are_the_same_twice(open_world: World) -> None:
    assert pages_of(open_world) == pages_of(open_world)


def labelled(cases: Cases, model: str) -> Cases:
    """The same cases with label classes and entity counts of a model on the first study."""
    track = cases.tracks[0]
    n = len(track.place)
    labels = np.zeros((n, 2, len(LABELS)), dtype=np.int64)
    labels[0, 0, LABELS.index("Pleural Effusion")] = 2
    labels[0, 1, LABELS.index("Pleural Effusion")] = 1
    labels[0, 0, LABELS.index("Edema")] = 3
    labels[0, 1, LABELS.index("Edema")] = 1
    entities = np.zeros((n, 3), dtype=np.int64)
    entities[0] = (1, 3, 2)
    graphs = {
        track.texts[model][0]: tuple(
            Entity(tokens=tokens, label=label, start=i, end=i)
            for i, (tokens, label) in enumerate(
                [("effusion", "OBS-DA"), ("lung", "ANAT-DP"), ("mass", "OBS-DP")]
            )
        ),
        track.references[0]: (
            Entity(tokens="effusion", label="OBS-DP", start=0, end=0),
            Entity(tokens="lung", label="ANAT-DP", start=1, end=1),
        ),
    }
    changed = replace(track, labels={model: labels}, entities={model: entities}, graphs=graphs)
    return replace(cases, tracks=(changed, *cases.tracks[1:]))


def test_labels_and_entities_that_differ_are_named(open_world: World) -> None:
    site = read_world(open_world.root, open_world.state)
    wrong = spoiled(open_world.studies, 0.9, seed=1)
    assert wrong[open_world.studies[0].id] != open_world.studies[0].reference
    cases = labelled(cases_of(open_world), "model-1")
    reports = next(one for one in cases.reports if one.model == "model-1")
    one = told(site, cases, reports, open_world.studies[0], None, [])
    # Uncertain counts as positive, so edema agrees.
    assert one.labels == [("Pleural Effusion", "positive", "negative")]
    assert one.counts == (1, 2, 1)
    assert one.entities == (
        ("matched", [("lung", "anatomy")]),
        ("missing here", [("effusion", "present")]),
        ("added here", [("effusion", "absent"), ("mass", "present")]),
    )
    html = {
        page.path: page.html
        for page in make_site(replace(site, cases=lambda dataset: cases if dataset == "tiny-knee" else None))
        if isinstance(page, Page)
    }
    shown = html[f"datasets/tiny-knee/cases/{open_world.studies[0].id}/"]
    assert "<mark>Pleural Effusion</mark>, positive in the reference, negative here" in shown
    assert "Entities: 1 matched, 1 missing here, 2 added here" in shown
    assert "<del>effusion</del> (present)" in shown
    assert "<ins>mass</ins> (present)" in shown
    assert "Labels that differ" in html["datasets/tiny-knee/cases/"]


def test_entities_are_named_only_if_the_graphs_are_those_that_were_counted(open_world: World) -> None:
    site = read_world(open_world.root, open_world.state)
    cases = labelled(cases_of(open_world), "model-1")
    cases.tracks[0].entities["model-1"][0] = (2, 3, 2)
    reports = next(one for one in cases.reports if one.model == "model-1")
    one = told(site, cases, reports, open_world.studies[0], None, [])
    assert one.counts == (2, 1, 0)
    assert one.entities == ()


def test_without_encoders_the_pages_say_what_is_unavailable(open_world: World) -> None:
    html = pages_of(open_world)[f"{open_world.studies[0].id}/"].html
    assert "Label disagreements are unavailable: CheXbert is not scored here." in html
    assert "Graph entities are unavailable: RadGraph is not scored here." in html


def test_kept_encodings_are_read_by_weights_and_text_and_nothing_is_written(tmp_path: Path) -> None:
    encoder, graph = RADGRAPH.encoder, pack((Entity(tokens="lung", label="ANAT-DP", start=0, end=0),))
    assert kept_encodings(encoder, "d", tmp_path, ["lung"]) == {}
    assert list(tmp_path.iterdir()) == []
    with EncodingCache(tmp_path / "encodings.sqlite") as cache:
        cache.write([(encoding_key(encoder, "d", "lung"), graph, False)])
    before = (tmp_path / "encodings.sqlite").read_bytes()
    assert kept_encodings(encoder, "d", tmp_path, [" lung", "heart", ""]) == {" lung": graph}
    assert kept_encodings(encoder, "other", tmp_path, ["lung"]) == {}
    assert (tmp_path / "encodings.sqlite").read_bytes() == before
    (tmp_path / "encodings.sqlite").write_bytes(b"no database at all, but long enough to be looked at")
    assert kept_encodings(encoder, "d", tmp_path, ["lung"]) == {}
