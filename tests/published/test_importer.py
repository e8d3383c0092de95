"""Figures of others come in whole, digit for digit, or not at all."""

from __future__ import annotations

import csv
import datetime
import hashlib
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli.published import command
from scorer.errors import InputError
from scorer.published import read_editions, read_model_cards
from scorer.published.importer import Import, plan_import


def _plan(sources: Path, results: Path) -> Import:
    return plan_import(sources / "scores.csv", sources / "sources.yaml", sources / "models.yaml", results)


def _refused(sources: Path, results: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        _plan(sources, results)
    return [str(problem).removeprefix(f"{sources}/") for problem in caught.value.problems]


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def _import(sources: Path, results: Path) -> list[str]:
    arguments = [str(sources / name) for name in ("scores.csv", "sources.yaml", "models.yaml")]
    outcome = CliRunner().invoke(command, ["import", *arguments, "--results", str(results)])
    assert outcome.exit_code == 0, outcome.output
    return outcome.output.splitlines()


def test_an_import_reads_back_as_it_was_given(sources: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert _import(sources, results) == [
        f"3 figures in 2 editions, 2 model cards: 6 of 6 files changed in {results}"
    ]
    first, second = read_editions(results)
    assert (first.id, first.kind, first.date) == ("board-2024", "edition", datetime.date(2024, 1, 31))
    assert [(row.model, row.value, row.printed, row.line) for row in first.rows] == [
        ("NetOne", 0.193, "0.193", 2),
        ("NetTwo", 0.2, "0.20", 3),
    ]
    assert [row.trained_on_dataset for row in first.rows + second.rows] == [True, None, False]
    assert (second.date, second.date_note, second.when) == (None, "after 2024", "after 2024")
    assert second.rows[0].note == "shown as Net_One"
    one, two = read_model_cards(results)
    assert (one.slug, one.weights_open, one.training_data) == ("netone", "on request", ("IU X-ray",))
    assert (two.slug, two.name, two.institution, two.tracks) == ("nettwo", "NetTwo", None, None)


def test_a_second_import_changes_no_byte(sources: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    _import(sources, results)
    before = {path: path.stat().st_mtime_ns for path in results.rglob("*.*")}
    assert "0 of 6 files changed" in _import(sources, results)[0]
    assert {path: path.stat().st_mtime_ns for path in results.rglob("*.*")} == before


def test_an_address_stays_when_another_model_would_want_it(sources: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    _import(sources, results)
    _edit(sources / "scores.csv", "NetTwo", "netone")
    _import(sources, results)
    slugs = {card.name: card.slug for card in read_model_cards(results)}
    mark = hashlib.sha256(b"netone").hexdigest()[:6]
    assert slugs == {"NetOne": "netone", "NetTwo": "nettwo", "netone": f"netone-{mark}"}


def test_a_percentage_among_fractions_is_refused_with_its_line(sources: Path, tmp_path: Path) -> None:
    _edit(sources / "scores.csv", "bleu_2,0.20,", "bleu_2,19.3,")
    assert _refused(sources, tmp_path) == [
        "scores.csv:3: value: 19.3 is outside the range of bleu_2, 0 to 1; "
        "a percentage must be divided by 100"
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0.20,", "−0.20,", "scores.csv:3: value: '−0.20' is not a plain decimal number"),
        ("0.20,", "nan,", "scores.csv:3: value: 'nan' is not a plain decimal number"),
        ("0.20,", "1e-1,", "scores.csv:3: value: '1e-1' is not a plain decimal number"),
        ("0.20,", "٠.٢,", "scores.csv:3: value: '٠.٢' is not a plain decimal number"),
        ("0.20,", ",", "scores.csv:3: value: '' is not a plain decimal number"),
        ("NetTwo,bleu_2", "NetTwo,bleu", "scores.csv:3: metric: 'bleu' is not a published metric"),
        ("NetTwo,bleu_2,0.20", "NetTwo,radcliq_v1,-1.5", "outside the range of radcliq_v1, -1.441 to 13"),
        ("findings,NetTwo", "finding,NetTwo", "scores.csv:3: track: 'finding' is not a track"),
        ("NetTwo", "NetOne", "scores.csv:3: the same cell stands in line 2"),
        ("NetTwo", " NetTwo", "scores.csv:3: model: is not a printable name"),
        ("NetTwo", "Net\u202eTwo", "scores.csv:3: model: is not a printable name"),
        ("0.20,unknown", "0.20,maybe", "scores.csv:3: trained_on_dataset: 'maybe'"),
        ("0.20,unknown,", "0.20,unknown", "scores.csv:3: has 8 columns, not 9"),
        (
            "board-2024,iu-xray,test,findings,NetTwo",
            "board-2023,iu-xray,test,findings,NetTwo",
            "not in sources",
        ),
        (
            "board-2024,iu-xray,test,findings,NetTwo",
            "../../x,iu-xray,test,findings,NetTwo",
            "lower-case name",
        ),
        ("source_id,", "source,", "scores.csv:1: the first line is not the header"),
        ("NetTwo", 'Net"Two"x', ""),
        ("0.20,unknown,", '0.20,unknown,"', "is not CSV"),
    ],
)
def test_a_faulty_figure_is_refused(old: str, new: str, said: str, sources: Path, tmp_path: Path) -> None:
    _edit(sources / "scores.csv", old, new)
    if not said:  # a quote inside a plain field is part of the name
        assert _plan(sources, tmp_path).n_figures == 3
        return
    assert any(said in line for line in _refused(sources, tmp_path))


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("sources.yaml", "  title: Tables of 2025\n", "", "sources.yaml:7: board-2025.title: is missing"),
        ("sources.yaml", "commits: [def1234]", "commit: [def1234]", "did you mean 'commits'?"),
        (
            "sources.yaml",
            "[def1234]",
            "[1234567]",
            "sources.yaml:10: board-2025.commits: is not a list of texts",
        ),
        ("sources.yaml", "2024-01-31", "yesterday", "sources.yaml:5: board-2024.date: is not a date"),
        ("sources.yaml", "2024-01-31", "2024-13-31", "is not YAML"),
        (
            "sources.yaml",
            "null  # after 2024",
            "2023-01-01",
            "stands after board-2024, which is of 2024-01-31",
        ),
        ("sources.yaml", "board-2025:", "board-2024:", "sources.yaml:7: 'board-2024' stands twice"),
        ("sources.yaml", "  date: null", "  date: [", "is not YAML"),
        ("sources.yaml", "board-2025:", "../up:", "is not a lower-case name"),
        ("models.yaml", "year_shown: 2024", "year_shown: soon", "year_shown: is not a whole number"),
        ("models.yaml", "- name: NetOne", "- name: null", "models.yaml:3: models.0.name: is null; give text"),
        ("models.yaml", "paper_arxiv: '2401.00001'", "paper_arxiv: 2401.00001", "quote it if it is text"),
        ("models.yaml", "models:", "modells:", "did you mean 'models'?"),
    ],
)
def test_a_faulty_source_is_refused(
    file: str, old: str, new: str, said: str, sources: Path, tmp_path: Path
) -> None:
    _edit(sources / file, old, new)
    assert any(said in line for line in _refused(sources, tmp_path))


def test_every_problem_of_every_file_is_said_at_once(sources: Path, tmp_path: Path) -> None:
    _edit(sources / "scores.csv", "0.20,", "20,")
    _edit(sources / "scores.csv", "0.193,false", "oops,false")
    _edit(sources / "sources.yaml", "  holds: one board\n", "")
    _edit(sources / "models.yaml", "  inputs: null\n", "")
    said = _refused(sources, tmp_path)
    assert {line.split(":")[0] for line in said} == {"scores.csv", "sources.yaml", "models.yaml"}
    assert {"scores.csv:3", "scores.csv:4"} <= {":".join(line.split(":")[:2]) for line in said}


def test_files_that_are_no_text_are_refused(sources: Path, tmp_path: Path) -> None:
    (sources / "scores.csv").write_bytes(b"\xff\xfe\x00")
    (sources / "models.yaml").unlink()
    said = _refused(sources, tmp_path)
    assert "scores.csv: is not UTF-8; save it as UTF-8" in said
    assert "models.yaml: cannot be read (FileNotFoundError)" in said


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(sources: Path, tmp_path: Path) -> None:
    plain = _plan(sources, tmp_path).files
    for name in ("scores.csv", "sources.yaml"):
        data = (sources / name).read_bytes().replace(b"\n", b"\r\n")
        (sources / name).write_bytes(b"\xef\xbb\xbf" + data)
    assert _plan(sources, tmp_path).files == plain


def test_the_repository_holds_every_published_figure(root: Path, shared: Path) -> None:
    """6,334 figures of 13 sources, digit for digit, in the order of the source."""
    with (shared / "published" / "rexrank_scores.csv").open(encoding="utf-8", newline="") as file:
        given = [tuple(line.values()) for line in csv.DictReader(file)]
    words = {True: "true", False: "false", None: "unknown"}
    kept = [
        (row.edition, *row.cell, row.printed, words[row.trained_on_dataset], row.note)
        for edition in read_editions(root / "results")
        for row in edition.rows
    ]
    assert Counter(kept) == Counter(given)
    assert len(kept) == 6334
    plan = _plan_shared(shared, root)
    assert (plan.n_figures, plan.n_editions, plan.n_models) == (6334, 13, 44)
    for path, data in plan.files.items():
        assert (root / "results" / path).read_bytes() == data, path


def _plan_shared(shared: Path, root: Path) -> Import:
    folder = shared / "published"
    return plan_import(
        folder / "rexrank_scores.csv", folder / "sources.yaml", folder / "models.yaml", root / "results"
    )
