"""The text rules and the section splitter."""

from __future__ import annotations

import pytest

from scorer.text import COMPAT_RULE, Report, compose, counts_in_track, normalise, split_sections


@pytest.mark.parametrize(
    ("text", "findings", "impression"),
    [
        ("FINDINGS: Lungs are clear. IMPRESSION: Normal.", "Lungs are clear.", "Normal."),
        ("findings : Lungs are clear.\nimpression - Normal.", "Lungs are clear.", "Normal."),
        ("FINDINGS AND IMPRESSION: Lungs are clear. Normal.", "Lungs are clear. Normal.", ""),
        ("NDICATION: Cough. IMPRESSION: Normal.", "", "Normal."),
        (
            "Lungs are clear. Impression of a rib on the lung.",
            "Lungs are clear. Impression of a rib on the lung.",
            "",
        ),
        ("Findings:Clear.Impression:Normal.", "Clear.", "Normal."),
        ("Findings: None Impression: Normal.", "", "Normal."),
        ("Impression: Normal.\nFindings: Clear.", "Clear.", "Normal."),
        ("Lungs clear.\n\nIMPRESSION:\nNormal.", "Lungs clear.", "Normal."),
        ("", "", ""),
    ],
)
def test_headers_in_any_spelling_split_into_sections(text: str, findings: str, impression: str) -> None:
    assert split_sections(text) == Report(findings=findings, impression=impression)


def test_an_absent_section_goes_with_its_header() -> None:
    assert compose(Report(findings="Clear."), "findings_impression") == "Findings: Clear."
    assert compose(Report(impression="Normal."), "findings_impression") == "Impression: Normal."
    assert compose(Report(), "findings_impression") == ""
    assert "None" not in compose(Report(findings="Clear."), "findings_impression")


def test_the_rexrank_variant_keeps_the_literal_none_and_the_white_space() -> None:
    report = Report(findings="Clear.\n Lungs  fine.")
    composed = compose(report, "findings_impression", COMPAT_RULE)
    assert composed == "Findings: Clear.\n Lungs  fine. Impression: None"


def test_white_space_of_any_kind_becomes_one_space() -> None:
    assert normalise(" a\n\n b\t\u00a0c  ") == "a b c"


def test_a_study_counts_where_its_reference_has_the_sections_of_the_track() -> None:
    only_findings, only_impression = Report(findings="Clear."), Report(impression="Normal.")
    assert counts_in_track(only_findings, "findings")
    assert not counts_in_track(only_findings, "findings_impression")
    assert not counts_in_track(only_impression, "findings")
    assert not counts_in_track(Report(findings=" \n", impression="x"), "findings")
