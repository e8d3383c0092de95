"""Citations: every format from one record, and no name can leave its field."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scorer.citation_formats import FORMATS, bibtex, cff, csl_json, plain, ris
from scorer.citing import Citation, Publisher, cite_board, cite_row, cite_snapshot, is_doi, read_publisher
from scorer.errors import InputError
from scorer.snapshots.cited import cited_part, cited_snapshot
from scorer.snapshots.dois import read_dois
from tests.snapshots.world import PUBLISHER, World

SNAPSHOT = cite_snapshot(PUBLISHER, version="2026.1", date="2026-03-02", doi="10.5281/zenodo.42")

# Written by hand from the BibTeX, RIS and CSL-JSON documentation.
BIBTEX = r"""@misc{rexrank-2026-1,
  title = {{Leaderboard, snapshot 2026.1}},
  author = {{The maintainers of a leaderboard}},
  year = {2026},
  date = {2026-03-02},
  version = {2026.1},
  doi = {10.5281/zenodo.42},
  howpublished = {\url{https://board.example/snapshots/2026.1/}},
  url = {https://board.example/snapshots/2026.1/},
  note = {CC-BY-4.0}
}
"""
RIS = (
    "TY  - DATA\r\nID  - rexrank-2026-1\r\nTI  - Leaderboard, snapshot 2026.1\r\n"
    "AU  - The maintainers of a leaderboard\r\nPB  - Leaderboard\r\nPY  - 2026\r\nDA  - 2026/03/02\r\n"
    "ET  - 2026.1\r\nDO  - 10.5281/zenodo.42\r\nUR  - https://board.example/snapshots/2026.1/\r\n"
    "N1  - CC-BY-4.0\r\nER  - \r\n"
)


def test_a_snapshot_cites_in_bibtex_ris_and_csl() -> None:
    assert bibtex(SNAPSHOT) == BIBTEX
    assert ris(SNAPSHOT) == RIS
    assert json.loads(csl_json(SNAPSHOT)) == [
        {
            "id": "rexrank-2026-1",
            "type": "dataset",
            "title": "Leaderboard, snapshot 2026.1",
            "author": [{"literal": "The maintainers of a leaderboard"}],
            "publisher": "Leaderboard",
            "URL": "https://board.example/snapshots/2026.1/",
            "note": "CC-BY-4.0",
            "issued": {"date-parts": [[2026, 3, 2]]},
            "version": "2026.1",
            "DOI": "10.5281/zenodo.42",
        }
    ]
    assert plain(SNAPSHOT) == (
        "The maintainers of a leaderboard (2026). Leaderboard, snapshot 2026.1. "
        "https://doi.org/10.5281/zenodo.42\n"
    )


def test_a_row_links_to_its_place_in_the_frozen_board() -> None:
    row = cite_row(
        SNAPSHOT, model="alpha", label="Alpha", board="open-set.findings", title="Open Set, findings"
    )
    assert row.url == "https://board.example/snapshots/2026.1/open-set.findings/#alpha"
    assert row.key == "rexrank-2026-1-open-set-findings-alpha"
    assert row.title == "Alpha on Open Set, findings. Leaderboard, snapshot 2026.1"


def test_the_live_board_cites_without_a_version() -> None:
    whole = cite_board(
        PUBLISHER, dataset="open-set", track="findings", title="Open Set, findings", date="2026-02-03"
    )
    assert "version" not in bibtex(whole)
    row = cite_row(whole, model="alpha", label="Alpha", board="open-set.findings", title="Open Set, findings")
    assert row.key == "rexrank-open-set-findings-alpha"
    assert row.url == "https://board.example/boards/open-set/findings/?sel=alpha"


def hostile(text: str) -> Citation:
    return cite_row(SNAPSHOT, model="zed", label=text, board="open-set.findings", title=text, note=text)


HOSTILE = (
    r"\input{/etc/passwd}",
    "}} @article{evil, title={x}",
    "a } b",
    "{ unbalanced",
    "50% & #1 $x$ _y^ ~z \\",
    'quote " here',
    "line\nTY  - JOUR\r\nER  - ",
    "<script>alert(1)</script> <i>x</i>",
    "\u202eright to left\u200b\u2066",
    "x: y\n- z # comment",
    "'single' \"double\" `back`",
)
# All that our BibTeX may hold of TeX.
ALLOWED = re.compile(
    r"\\(url|text(backslash|brace(left|right)|asciicircum|asciitilde|less|greater|bar)|[$&#%_])"
)


def assert_whole(entry: str) -> None:
    depth = 0
    for position, character in enumerate(entry):
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
        assert depth > 0 or position == len(entry) - 2 or position < entry.index("{") or character == "\n"
    assert depth == 0
    assert entry.count("\n@") == 0
    assert "\\" not in ALLOWED.sub("", entry)
    assert len(entry.splitlines()) == len(BIBTEX.splitlines())


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_stay_inside_their_bibtex_field(text: str) -> None:
    assert_whole(bibtex(hostile(text)))


@given(st.text(max_size=60))
def test_no_text_leaves_its_field_in_any_format(text: str) -> None:
    citation = hostile(text)
    assert_whole(bibtex(citation))
    lines = ris(citation).split("\r\n")
    assert all(re.match(r"[A-Z][A-Z0-9]  - ", line) for line in lines[:-1])
    assert [line[:2] for line in lines].count("TY") == [line[:2] for line in lines].count("ER") == 1
    item = json.loads(csl_json(citation))[0]
    assert not re.search("[<>]", json.dumps(item))
    document = yaml.safe_load(cff(citation, commit="0" * 40))
    assert set(document) <= {
        "cff-version", "message", "type", "title", "authors", "version", "date-released", "license", "url",
        "commit", "doi",
    }  # fmt: skip
    assert document["version"] == "2026.1"
    assert len(plain(citation).splitlines()) == 1


def test_a_doi_that_could_leave_its_field_is_no_doi() -> None:
    assert is_doi("10.5281/zenodo.1234567")
    for wrong in (
        '10.1/"><x',
        "10.5281/a b",
        "10.5281/x}",
        "https://doi.org/10.5281/x",
        "10.5281/",
        "10.5281/x\n",
    ):
        assert not is_doi(wrong)
    odd = cite_snapshot(PUBLISHER, version="2026.1", date="2026-03-02", doi='10.1/"><x')
    assert all("><x" not in form(odd) for form in FORMATS.values())


def test_without_a_known_address_no_format_shows_one() -> None:
    citation = cite_snapshot(Publisher(title="T", authors=("A",)), version="2026.1", date="2026-03-02")
    for form in FORMATS.values():
        assert "snapshots/2026.1" not in form(citation)


def test_persons_and_groups_are_told_apart() -> None:
    citation = cite_snapshot(
        Publisher(title="T", authors=("Doe, Jo", "Science and Sons, Ltd")),
        version="2026.1",
        date="2026-03-02",
    )
    assert "author = {Doe, Jo and {Science and Sons, Ltd}}" in bibtex(citation)
    assert json.loads(csl_json(citation))[0]["author"][0] == {"family": "Doe", "given": "Jo"}


def test_the_publisher_comes_from_citation_cff_and_its_preferred_citation(tmp_path: Path) -> None:
    path = tmp_path / "CITATION.cff"
    assert read_publisher(path).url == ""
    path.write_text("title: Tool\nauthors: [{name: Group}]\nurl: https://x.example\n")
    assert read_publisher(path) == Publisher(title="Tool", authors=("Group",), url="https://x.example/")
    path.write_text(
        "title: Tool\nauthors: [{name: Group}]\npreferred-citation:\n  title: Board\n"
        "  authors: [{family-names: Doe, given-names: Jo}]\n  url: https://b.example/\n"
    )
    assert read_publisher(path) == Publisher(title="Board", authors=("Doe, Jo",), url="https://b.example/")
    for broken in ("- a list", "title: x", "title: [", "just text"):
        path.write_text(broken)
        with pytest.raises(InputError, match="no title and authors"):
            read_publisher(path)


def test_the_repository_says_who_publishes(root: Path) -> None:
    assert read_publisher(root / "CITATION.cff").authors


def test_a_doi_is_shown_as_soon_as_it_is_known(world: World) -> None:
    world.freeze()
    snapshot = world.snapshot()
    assert cited_snapshot(snapshot, PUBLISHER, world.results).doi == ""
    (world.results / "snapshots" / "doi.yaml").write_text(
        "2026.1: 10.5281/zenodo.7\n2026.10: 10.5281/zenodo.8\n"
    )
    assert cited_snapshot(snapshot, PUBLISHER, world.results).doi == "10.5281/zenodo.7"
    assert read_dois(world.results)["2026.10"] == "10.5281/zenodo.8"
    (world.results / "snapshots" / "doi.yaml").write_text('"2026": 10.5281/x\n2026.1: "10.1/\\"><x"\n')
    with pytest.raises(InputError) as caught:
        read_dois(world.results)
    assert len(caught.value.problems) == 2


def test_a_cited_row_states_value_interval_rank_n_and_signature(world: World) -> None:
    snapshot = world.snapshot()
    whole = cited_snapshot(snapshot, PUBLISHER, world.results)
    row = cited_part(snapshot, whole, board="open-set.findings", model="alpha")
    assert row is not None
    assert row.note == (
        "Overlap 0.500 (95 % interval 0.400 to 0.600), rank 1 (1–2), n = 5, "
        "overlap@1|words@1|text@1|open-set@1|findings"
    )
    assert cited_part(snapshot, whole, board="open-set.findings", model="nobody") is None
    assert cited_part(snapshot, whole, board="nothing", model="alpha") is None
    board = cited_part(snapshot, whole, board="open-set.findings")
    assert board is not None
    assert board.key == "rexrank-2026-1-open-set-findings"
    assert board.url == "https://board.example/snapshots/2026.1/open-set.findings/"
    assert board.title == "Open Set, findings. Leaderboard, snapshot 2026.1"
