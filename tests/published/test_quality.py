"""The checks find every known oddity of the published figures, and nothing in figures that fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli.published import command
from scorer.published import Edition, PublishedRow
from scorer.published.checks.changes import check_changes
from scorer.published.checks.copies import check_copies
from scorer.published.checks.formula import check_formula
from scorer.published.checks.sources import check_sources, compare_sources
from scorer.published.checks.standing import check_standing
from scorer.published.checks.tracks import check_tracks
from scorer.published.checks.zeros import check_zeros
from scorer.published.quality import check_quality, count_by_kind
from scorer.published.types import Finding

Check = Callable[[Sequence[Edition]], Iterator[Finding]]


@pytest.fixture(scope="module")
def findings(editions: tuple[Edition, ...]) -> tuple[Finding, ...]:
    return check_quality(editions)


def _pick(
    findings: tuple[Finding, ...], kind: str, model: str, dataset: str, track: str = ""
) -> list[Finding]:
    return [
        finding
        for finding in findings
        if (finding.kind, finding.model, finding.dataset) == (kind, model, dataset)
        and track in ("", finding.track)
    ]


def _one(findings: tuple[Finding, ...], kind: str, model: str, dataset: str, track: str = "") -> Finding:
    (found,) = _pick(findings, kind, model, dataset, track)
    return found


def _moved(finding: Finding, metric: str) -> tuple[float, float]:
    values = dict(finding.values)
    return values[f"{metric} before"], values[f"{metric} after"]


def test_the_list_is_short(findings: tuple[Finding, ...]) -> None:
    """Of 6,334 figures: 12 cells break the formula, 28 rows changed, and so on."""
    assert count_by_kind(findings) == {
        "formula": 12,
        "changed": 28,
        "copied": 2,
        "zero": 1,
        "standing": 1,
        "tracks": 1,
        "sources": 2,
    }


def test_every_finding_leads_to_the_figures_it_speaks_of(
    findings: tuple[Finding, ...], editions: tuple[Edition, ...]
) -> None:
    by_id = {edition.id: edition for edition in editions}
    for finding in findings:
        assert finding.rows
        assert finding.sentence.endswith(".")
        for id, line in finding.rows:
            row = by_id[id].rows[line - 2]
            assert (row.line, row.model) == (line, finding.model)
            assert id in finding.editions


@pytest.mark.parametrize(
    ("model", "dataset", "shown", "computed"),
    [
        # The seven cells that are furthest off; hand: 1 / (2.45014 - 1.24522 rg - 1.65085 bs - 0.99477 semb).
        ("CheXpertPlus-MIMIC", "rexgradient", 0.791, 0.8017),
        ("CheXpertPlus-CheX", "rexgradient", 0.748, 0.7558),
        ("CheXpertPlus-CheX-MIMIC", "rexgradient", 0.838, 0.8514),
        ("GPT4V", "rexgradient", 0.605, 0.6593),
        ("CheXpertPlus-MIMIC", "iu-xray", 1.111, 1.1297),
        ("CheXpertPlus-CheX", "iu-xray", 0.995, 1.0103),
        ("CheXpertPlus-CheX-MIMIC", "iu-xray", 1.249, 1.2811),
    ],
)
def test_reciprocals_that_break_the_formula_are_found_in_all_five_editions(
    findings: tuple[Finding, ...], model: str, dataset: str, shown: float, computed: float
) -> None:
    finding = _one(findings, "formula", model, dataset, "findings_impression")
    assert finding.metric == "inv_radcliq_v1"
    assert dict(finding.values)["shown"] == shown
    assert dict(finding.values)["from its components"] == pytest.approx(computed, abs=5e-5)
    assert [id.removeprefix("rexrank-repo-") for id in finding.editions] == [
        "2024-11-26",
        "2025-01-27",
        "2025-06-05",
        "2025-09-05",
        "2026-d573c31",
    ]


def test_formula_breaks_beyond_the_seven_are_small_and_were_re_scored_with_them(
    findings: tuple[Finding, ...],
) -> None:
    """Five more cells lie outside what rounding allows, by less than 1 %; all twelve changed on 2024-11-26."""
    broken = [finding for finding in findings if finding.kind == "formula"]
    off = sorted(abs(dict(f.values)["shown"] / dict(f.values)["from its components"] - 1) for f in broken)
    assert off[4] < 0.008 < off[5]
    for finding in broken:
        changed = _one(findings, "changed", finding.model, finding.dataset, "findings_impression")
        assert changed.editions == ("rexrank-repo-2024-11-04", "rexrank-repo-2024-11-26")


def test_rows_first_published_in_2025_or_2026_agree_with_their_components(
    findings: tuple[Finding, ...],
) -> None:
    """UniRG-CXR's 4.804 and 5.138 on IU X-ray and MedGemma 1.5's 3.048 included."""
    models = {finding.model for finding in findings if finding.kind == "formula"}
    assert models == {"CheXpertPlus-MIMIC", "CheXpertPlus-CheX", "CheXpertPlus-CheX-MIMIC"} | {
        "GPT4V",
        "RadFM",
        "MedVersa",
    }


def test_seventeen_of_88_reciprocals_differ_from_the_score_of_three_weeks_before(
    editions: tuple[Edition, ...],
) -> None:
    first, then = editions[2], editions[4]
    changed = list(check_changes([first, then]))
    converted = [finding for finding in changed if "inv_radcliq_v1 after" in dict(finding.values)]
    assert len([row for row in then.rows if row.metric == "inv_radcliq_v1"]) == 88
    assert len(converted) == 17
    assert [(f.model, f.dataset) for f in converted if f.track == "findings"] == [("MedVersa", "rexgradient")]
    assert sum(f.track == "findings_impression" for f in converted) == 16


def test_medversa_changed_within_five_days(findings: tuple[Finding, ...]) -> None:
    first, second = _pick(findings, "changed", "MedVersa", "rexgradient", "findings")
    assert first.editions == ("rexrank-repo-2024-11-04", "rexrank-repo-2024-11-09")
    assert _moved(first, "radcliq_v1") == (0.833, 0.992)
    assert _moved(first, "bertscore") == (0.472, 0.431)
    assert second.editions == ("rexrank-repo-2024-11-09", "rexrank-repo-2024-11-26")
    assert _moved(second, "green") == (0.692, 0.532)


@pytest.mark.parametrize(
    ("dataset", "track", "metric", "old", "new"),
    [
        ("iu-xray", "findings", "inv_radcliq_v1", 1.977, 4.804),
        ("iu-xray", "findings_impression", "inv_radcliq_v1", 2.007, 5.138),
        ("chexpert-plus", "findings", "inv_radcliq_v1", 1.008, 1.156),
        ("chexpert-plus", "findings_impression", "inv_radcliq_v1", 0.530, 0.702),
        ("mimic-cxr", "findings", "inv_radcliq_v1", 1.217, 1.233),
        ("mimic-cxr", "findings_impression", "inv_radcliq_v1", 1.108, 1.066),
        ("rexgradient", "findings", "inv_radcliq_v1", 1.621, 1.622),
        ("rexgradient", "findings", "green", 0.476, 0.469),
        ("rexgradient", "findings", "ratescore", 0.622, 0.618),
    ],
)
def test_unirg_cxr_changed_under_one_name(
    findings: tuple[Finding, ...], dataset: str, track: str, metric: str, old: float, new: float
) -> None:
    finding = _one(findings, "changed", "UniRG-CXR", dataset, track)
    assert _moved(finding, metric) == (old, new)
    assert finding.editions[0] == "rexrank-repo-2025-09-05"


@pytest.mark.parametrize("dataset", ["mimic-cxr", "iu-xray", "chexpert-plus"])
def test_chexpertplus_mimic_changed_on_three_sets_in_august_2024(
    findings: tuple[Finding, ...], dataset: str
) -> None:
    finding = _one(findings, "changed", "CheXpertPlus-MIMIC", dataset, "single_table")
    assert finding.editions == ("rexrank-repo-2024-07-22", "rexrank-repo-2024-08-20")
    if dataset == "iu-xray":
        assert _moved(finding, "radcliq_v1") == (1.085, 0.884)


@pytest.mark.parametrize(("model", "v1"), [("GPT4V", 2.316), ("LLM-CXR", 2.369)])
def test_rows_copied_from_another_dataset_are_found(
    findings: tuple[Finding, ...], model: str, v1: float
) -> None:
    finding = _one(findings, "copied", model, "rexgradient", "single_table")
    assert finding.editions == ("rexrank-repo-2024-08-20",)
    assert dict(finding.values)["radcliq_v1"] == v1
    assert "all 6 figures equal its row on chexpert-plus" in finding.sentence
    if model == "GPT4V":
        assert "other figures in 2024-11-04 (findings_impression" in finding.sentence
        assert "radcliq_v1 2.316 then 1.516" in finding.sentence


@pytest.mark.parametrize(
    ("model", "dataset", "own", "official"),
    [("MoERad-IU", "iu-xray", 0.500, 1.922), ("MoERad-MIMIC", "mimic-cxr", 1.3447, 0.726)],
)
def test_authors_own_figures_differ_from_official_ones(
    findings: tuple[Finding, ...], model: str, dataset: str, own: float, official: float
) -> None:
    values = dict(_one(findings, "sources", model, dataset).values)
    assert values["radcliq_v1 reported"] == own
    assert values["inv_radcliq_v1 official"] == official


def test_the_paper_and_the_later_readme_agree_with_the_leaderboard(editions: tuple[Edition, ...]) -> None:
    """All 16 bars (and five radar values) of the UniRG paper are the newest edition, rounded to two decimals."""
    compared = compare_sources(editions)
    paper = [c for c in compared if c.reported.edition.startswith("unirg")]
    assert sum("figure 1(d)" in c.reported.note for c in paper) == 16
    assert len(paper) == 21
    assert all(c.agrees for c in paper)
    readme = [c for c in compared if c.reported.edition == "moerad-readme-2026-01"]
    assert len(readme) == 16
    assert all(c.agrees for c in readme)


def test_a_placeholder_zero_is_found(findings: tuple[Finding, ...]) -> None:
    finding = _one(findings, "zero", "UniRG-CXR", "chexpert-plus", "findings")
    assert (finding.metric, finding.editions) == ("inv_fineradscore", ("rexrank-repo-2025-09-05",))


def test_maira_2_green_on_iu_xray_is_far_off_in_every_edition(findings: tuple[Finding, ...]) -> None:
    finding = _one(findings, "standing", "MAIRA-2", "iu-xray", "findings")
    assert finding.metric == "green"
    assert dict(finding.values)["shown"] == 0.194
    assert len(finding.editions) == 6
    assert dict(finding.values)["rank"] == 29
    assert dict(finding.values)["models"] == 30


def test_medgemma_differs_between_tracks_as_no_other_model(findings: tuple[Finding, ...]) -> None:
    finding = _one(findings, "tracks", "MedGemma 1.5 4B", "rexgradient")
    values = dict(finding.values)
    assert (values["findings"], values["findings_impression"]) == (0.957, 3.048)


# What the checks must not list, and what they must list in figures made up for the purpose.


def _edition(
    id: str, rows: list[tuple[str, str, str, str, str]], order: int, kind: str = "edition"
) -> Edition:
    """Rows are (dataset, track, model, metric, printed)."""
    made = tuple(
        PublishedRow(
            edition=id,
            dataset=dataset,
            split="test",
            track=track,
            model=model,
            metric=metric,
            value=float(printed),
            printed=printed,
            trained_on_dataset=None,
            note="",
            line=line,
        )
        for line, (dataset, track, model, metric, printed) in enumerate(rows, start=2)
    )
    return Edition(
        id=id,
        order=order,
        kind=kind,  # type: ignore[arg-type]
        title=id,
        date=None,
        date_note="",
        url="",
        repo="",
        commits=(),
        arxiv="",
        holds="",
        rows=made,
    )


def _row(
    model: str, score: tuple[str, str], dataset: str = "a", bertscore: str = "0.430"
) -> list[tuple[str, ...]]:
    shown = (
        ("radgraph_combined", "0.273"),
        ("bertscore", bertscore),
        ("semb_score", "0.315"),
        ("bleu_2", "0.193"),
    )
    return [(dataset, "findings", model, metric, printed) for metric, printed in (*shown, score)]


def _rows(*rows: list[tuple[str, ...]]) -> list[tuple[str, str, str, str, str]]:
    return [cell for row in rows for cell in row]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("metric", "fits", "breaks"),
    [
        ("radcliq_v1", "1.088", "1.437"),  # the formula gives 1.086982
        ("radcliq_v1", "1.090", "1.092"),  # at most 0.003 plus half a printed unit away
        ("radcliq_v0", "3.338", "3.342"),  # the formula gives 3.335806; rounding of four components 0.0036
        ("inv_radcliq_v1", "0.920", "0.923"),  # 1 / (1.086982 +- 0.00195) = 0.9183 to 0.9216
    ],
)
def test_a_row_must_agree_with_its_own_columns(metric: str, fits: str, breaks: str) -> None:
    edition = _edition("e", _rows(_row("One", (metric, fits)), _row("Two", (metric, breaks))), 1)
    assert [finding.model for finding in check_formula([edition])] == ["Two"]


def test_a_row_without_all_components_is_not_judged() -> None:
    rows = [cell for cell in _row("One", ("radcliq_v1", "9.000")) if cell[3] != "semb_score"]
    assert list(check_formula([_edition("e", _rows(rows), 1)])) == []


def test_a_change_of_column_is_no_change_of_figure() -> None:
    first = _edition("e1", _rows(_row("One", ("radcliq_v1", "1.088"))), 1)
    same = _edition("e2", _rows(_row("One", ("inv_radcliq_v1", "0.919"))), 2)
    other = _edition("e2", _rows(_row("One", ("inv_radcliq_v1", "0.921"))), 2)
    assert list(check_changes([first, same])) == []  # 1 / 1.088 = 0.9191
    (finding,) = check_changes([first, other])
    assert "0.919 (1/1.088) then 0.921" in finding.sentence


def test_a_change_with_a_stated_reason_is_not_listed() -> None:
    first = _edition("e1", _rows(_row("One", ("radcliq_v1", "1.088"))), 1)
    then = _edition("e2", _rows(_row("One", ("radcliq_v1", "1.088"), bertscore="0.450")), 2)
    assert len(list(check_changes([first, then]))) == 1
    noted = replace(then, rows=tuple(replace(row, note="reason: new weights") for row in then.rows))
    assert list(check_changes([first, noted])) == []


def test_the_original_of_two_equal_rows_is_the_one_that_stands_elsewhere_too() -> None:
    twice = _rows(_row("One", ("radcliq_v1", "1.087"), "a"), _row("One", ("radcliq_v1", "1.087"), "b"))
    for dataset, copy in (("a", "b"), ("b", "a")):
        before = _edition("e1", _rows(_row("One", ("radcliq_v1", "1.087"), dataset)), 1)
        (finding,) = check_copies([before, _edition("e2", twice, 2)])
        assert finding.dataset == copy
        assert f"its row on {dataset} digit for digit, where they also stand in e1" in finding.sentence
    (finding,) = check_copies([_edition("e2", twice, 2)])
    assert "also stand" not in finding.sentence


def test_three_equal_figures_are_no_copy() -> None:
    row = [("a", "findings", "One", m, "0.100") for m in ("bleu_2", "green", "ratescore")]
    other = [("b", *cell[1:]) for cell in row]
    assert list(check_copies([_edition("e", _rows(row, other), 1)])) == []  # type: ignore[arg-type]


def test_a_zero_in_a_row_of_zeros_is_a_measurement() -> None:
    zeros = [
        ("a", "findings", "One", m, "0.000") for m in ("bleu_2", "green", "ratescore", "radgraph_combined")
    ]
    assert list(check_zeros([_edition("e", _rows(zeros), 1)])) == []  # type: ignore[arg-type]
    one = [(*cell[:4], "0.000" if cell[3] == "green" else "0.200") for cell in zeros]
    (finding,) = check_zeros([_edition("e", _rows(one), 1)])  # type: ignore[arg-type]
    assert finding.metric == "green"


def _field(dataset: str, odd: dict[str, str]) -> list[tuple[str, str, str, str, str]]:
    """Twelve models whose six metrics rise together, with figures of `odd` (metric -> printed) for M11."""
    ids = ("bleu_2", "bertscore", "semb_score", "radgraph_combined", "ratescore", "green")
    wobble = (0.003, -0.004, 0.002, -0.001, 0.004, -0.003)
    rows = []
    for model in range(12):
        for place, metric in enumerate(ids):
            value = 0.2 + 0.02 * model + wobble[(model + place) % 6]
            printed = odd.get(metric, f"{value:.3f}") if model == 11 else f"{value:.3f}"
            rows.append((dataset, "findings", f"M{model}", metric, printed))
    return rows


def test_one_metric_far_below_all_others_is_listed() -> None:
    edition = _edition("e", _field("a", {"green": "0.190"}) + _field("b", {}), 1)
    (finding,) = check_standing([edition])
    assert (finding.model, finding.dataset, finding.metric) == ("M11", "a", "green")


def test_a_metric_that_is_far_off_on_every_dataset_is_a_trait_and_not_listed() -> None:
    edition = _edition("e", _field("a", {"green": "0.190"}) + _field("b", {"green": "0.195"}), 1)
    assert list(check_standing([edition])) == []


def test_the_worst_and_the_best_model_are_not_listed_for_being_so() -> None:
    everywhere = dict.fromkeys(
        ("bleu_2", "bertscore", "semb_score", "radgraph_combined", "ratescore", "green"), "0.900"
    )
    edition = _edition("e", _field("a", everywhere) + _field("b", {}), 1)
    assert list(check_standing([edition])) == []


def test_fewer_than_six_models_say_nothing_about_tracks() -> None:
    rows = [
        ("a", track, f"M{n}", "radcliq_v1", f"{1 + n / 10 + (track == 'findings') * n / 5:.3f}")
        for n in range(5)
        for track in ("findings", "findings_impression")
    ]
    assert list(check_tracks([_edition("e", rows, 1)])) == []


def test_rounded_copies_of_official_figures_agree() -> None:
    official = _edition("e", _rows(_row("One", ("inv_radcliq_v1", "0.919"))), 1)
    rounded = _edition("p", _rows([("a", "findings", "One", "inv_radcliq_v1", "0.92")]), 2, kind="paper")
    wrong = _edition("p", _rows([("a", "findings", "One", "inv_radcliq_v1", "0.93")]), 2, kind="paper")
    assert list(check_sources([official, rounded])) == []
    (finding,) = check_sources([official, wrong])
    assert "0.93 against 0.919" in finding.sentence


def test_the_command_prints_every_finding_with_a_count_per_kind(root: Path) -> None:
    plain = CliRunner().invoke(command, ["quality", "--results", str(root / "results")])
    assert plain.exit_code == 0
    assert "copied: a row repeats another row digit for digit (2)" in plain.output
    as_json = CliRunner().invoke(command, ["quality", "--results", str(root / "results"), "--json"])
    assert len(json.loads(as_json.output)) == 47
