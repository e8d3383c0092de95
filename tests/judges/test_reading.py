"""Answers of judges, counted: values derived by hand, and every kind of answer that cannot be counted."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.judges import crimson, green
from scorer.judges.base import Completion
from scorer.judges.reading import Reading, Status, too_many_unread
from scorer.metrics.crimson import CRIMSON, CRIMSON_UNREAD, score
from scorer.metrics.green import GREEN, GREEN_UNREAD


def said(text: str, finish: Any = "stop") -> Completion:
    return Completion(text=text, finish=finish)


def green_answer(
    significant: str = "(a) t: 1. x\n(b) t: 0.",
    insignificant: str = "No errors.",
    matched: str = "3. a; b; c",
) -> str:
    return (
        f"[Explanation]:\nwords\n\n[Clinically Significant Errors]:\n{significant}\n\n"
        f"[Clinically Insignificant Errors]:\n{insignificant}\n\n[Matched Findings]:\n{matched}"
    )


def green_value(*rows: Reading) -> tuple[float, float]:
    """The metric and the unread share over some readings."""
    table = np.array([row.row for row in rows])
    columns = {"green": dict(zip(("status", *green.NUMBERS), table.T, strict=True))}
    value = GREEN.finish(GREEN.terms(columns).sum(axis=0))
    return float(value), float(GREEN_UNREAD.finish(GREEN_UNREAD.terms(columns).sum(axis=0)))


def crimson_value(answer: dict[str, Any]) -> float:
    reading = crimson.read(said(json.dumps(answer)))
    assert reading.status is Status.READ
    return float(
        score({name: np.array([x]) for name, x in zip(crimson.NUMBERS, reading.numbers, strict=True)})[0]
    )


# GREEN = matched / (matched + significant), so each expected value is arithmetic on the answer's own counts.
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (green_answer(), 3 / 4),
        (green_answer(significant="No errors."), 1.0),
        (green_answer(matched="0. "), 0.0),
        (green_answer(matched="No matches."), 0.0),
        (green_answer(significant="(b) t: 2. x; y\n(f) t: 1. z"), 3 / 6),
        (green_answer(significant="(1) t: 2. x\n(6) t: 1. z"), 3 / 6),
        (green_answer(significant="(a) t: 1. see (b) t: 5. y"), 3 / 4),  # one line, one kind
        (
            green_answer(significant="(a) t: 1. x\n(a) t: 4. y"),
            3 / 7,
        ),  # named twice: the last in order counts
        (green_answer(significant="(a) t: 1 . x"), 3 / 4),  # " ." is "." after the tokeniser's clean-up
        ("[Explanation]:\nfirst\n" + green_answer(), 3 / 4),
        (green_answer() + "</s>", 3 / 4),
        (green_answer(insignificant="(a) t: 9. x"), 3 / 4),  # insignificant errors do not count
        (green_answer(insignificant="(a) t: nine. x"), 3 / 4),
    ],
)
def test_green_is_matches_over_matches_and_significant_errors(answer: str, expected: float) -> None:
    reading = green.read(said(answer))
    assert reading.status is Status.READ
    assert green_value(reading) == (expected, 0.0)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("", Status.MALFORMED),
        ("The reports agree.", Status.MALFORMED),
        (green_answer().partition("[Matched")[0], Status.MALFORMED),
        (green_answer().replace("Clinically Significant", "Important"), Status.MALFORMED),
        (green_answer(significant=""), Status.MALFORMED),  # the release reads the next block in its place
        (green_answer(significant="some errors"), Status.MALFORMED),
        (green_answer(significant="(a) t: one. x"), Status.UNCOUNTED),  # the release counts 0 errors here
        (green_answer(significant="(a) t: 1. x\n(b) none"), Status.UNCOUNTED),
        (green_answer(matched="three. a; b; c"), Status.UNCOUNTED),  # the release counts 0 matches here
        (green_answer(matched="9" * 5000 + ". a"), Status.UNCOUNTED),
        (green_answer(significant=f"(a) t: {'9' * 5000}. a"), Status.UNCOUNTED),
    ],
)
def test_an_answer_that_green_cannot_count_is_unread_and_never_a_zero(answer: str, status: Status) -> None:
    reading = green.read(said(answer))
    assert reading.status is status
    good = green.read(said(green_answer()))
    assert green_value(reading, good) == (3 / 4, 1 / 2), "the value is that of the study that was read"


def test_an_unread_answer_that_ended_at_the_token_limit_says_so() -> None:
    cut = green_answer()[:60]
    assert green.read(said(cut, "length")).status is Status.CUT_OFF
    assert green.read(said("", "too_long")).status is Status.CUT_OFF
    assert crimson.read(said('{"reference_findings": [', "length")).status is Status.CUT_OFF
    assert green.read(said(green_answer(), "length")).status is Status.READ, "its numbers came before the cut"


def test_an_empty_prediction_has_the_worst_value_and_counts() -> None:
    empty = Reading(status=Status.EMPTY, numbers=(0.0,) * len(green.NUMBERS))
    assert green_value(empty, green.read(said(green_answer()))) == (3 / 8, 0.0)


def test_no_study_read_is_no_value() -> None:
    unread = green.read(said(""))
    value, share = green_value(unread, unread)
    assert math.isnan(value)
    assert share == 1.0


@pytest.mark.parametrize(
    ("n_unread", "n", "expected"),
    [(1, 1, False), (1, 5, False), (2, 5, True), (6, 590, False), (7, 590, True)],
)
def test_at_most_one_study_in_a_hundred_rounded_up_may_be_unread(
    n_unread: int, n: int, expected: bool
) -> None:
    assert too_many_unread(n_unread, n) is expected


def crimson_answer(
    references: list[str] = ["urgent"],  # noqa: B006
    predictions: list[str] = ["urgent"],  # noqa: B006
    matched: list[tuple[int, int]] = [(1, 1)],  # noqa: B006
    false: list[str] = [],  # noqa: B006
    missing: list[str] = [],  # noqa: B006
    attributes: list[tuple[str, str, str]] = [],  # noqa: B006
) -> dict[str, Any]:
    def findings(letter: str, levels: list[str]) -> list[dict[str, str]]:
        return [
            {"id": f"{letter}{place}", "finding": "x", "clinical_significance": level}
            for place, level in enumerate(levels, start=1)
        ]

    return {
        "reference_findings": findings("R", references),
        "predicted_findings": findings("P", predictions),
        "matched_findings": [{"ref_id": f"R{r}", "pred_id": f"P{p}"} for r, p in matched],
        "errors": {
            "false_findings": false,
            "missing_findings": missing,
            "attribute_errors": [
                {
                    "ref_id": ref,
                    "pred_id": "P1",
                    "severity": severity,
                    "error_types": [kind],
                    "explanation": "",
                }
                for ref, severity, kind in attributes
            ],
        },
    }


ACTION, MINOR, BENIGN = "actionable_not_urgent", "not_actionable_not_urgent", "benign_expected"


# Weights 1, 1/2, 1/4, 0; S = (correct - false) / reference; a negative S becomes -d / (1 + d), d = false - correct.
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (crimson_answer(), 1.0),
        (crimson_answer([], [], []), 1.0),  # two normal reports
        (crimson_answer(["urgent", ACTION], ["urgent"], missing=["R2"]), 1 / 1.5),
        (crimson_answer(attributes=[("R1", "significant", "location")]), 1 / 1.5),
        (crimson_answer(attributes=[("R1", "negligible", "location")]), 1.0),
        (crimson_answer(attributes=[("R1", "odd", "location")]), 1 / 1.25),  # unknown severity: a quarter
        (crimson_answer([ACTION], attributes=[("R1", "significant", "severity")] * 2), 0.5 / 1.5),
        (crimson_answer(["urgent"], ["urgent", MINOR], false=["P2"]), 0.75),
        (crimson_answer(["odd"], ["urgent"]), 1.0),  # unknown significance: a quarter
        (crimson_answer([ACTION], ["urgent"], [], false=["P1"], missing=["R1"]), -1 / 2),  # d = 1
        (crimson_answer([ACTION], [ACTION, "urgent"], false=["P2"]), -0.5 / 1.5),  # d = 1 - 1/2
        (crimson_answer([], ["urgent"], [], false=["P1"]), -1 / 2),  # nothing in the reference, d = 1
        (crimson_answer([BENIGN], [BENIGN], []), 1.0),  # no weight anywhere
        (crimson_answer([BENIGN], [ACTION], [], false=["P1"], missing=["R1"]), -0.5 / 1.5),
        (crimson_answer([], [], [(1, 1)]), 0.0),  # matches without a list: each weighs 1, none is right
        (
            crimson_answer(["urgent"], ["urgent"], [(1, 1), (1, 2)]),
            1.0,
        ),  # one reference matched twice counts once
        (crimson_answer(["urgent"], [], [], false=["P9"], missing=["R1", "R9"]), 0.0),  # unknown ids weigh 0
    ],
)
def test_crimson_weighs_what_the_judge_lists(answer: dict[str, Any], expected: float) -> None:
    assert crimson_value(answer) == pytest.approx(expected, abs=1e-15)


def test_crimson_counts_errors_by_kind() -> None:
    answer = crimson_answer(attributes=[("R1", "significant", "location"), ("R1", "negligible", "temporal")])
    answer["errors"]["attribute_errors"][0]["error_types"] = ["location", "severity"]
    numbers = dict(zip(crimson.NUMBERS, crimson.read(said(json.dumps(answer))).numbers, strict=True))
    assert numbers["attribute_errors"] == 2
    assert [numbers[f"{kind}_errors"] for kind in crimson.ATTRIBUTES] == [1, 1, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no object",
        "{}",  # the release reads this as a perfect report
        '{"reference_findings": []}',
        "[" * 100_000,
        '{"a":' * 100_000,
        json.dumps({**crimson_answer(), "errors": {}}),
        json.dumps({**crimson_answer(), "matched_findings": None}),
        json.dumps({**crimson_answer(), "reference_findings": [{"finding": "no id"}]}),
        json.dumps({**crimson_answer(), "reference_findings": [{"id": ["R1"]}]}),
        json.dumps(crimson_answer(false=[{"id": "P1"}])),  # type: ignore[list-item]
        json.dumps(crimson_answer())[:-40],
    ],
)
def test_an_answer_that_crimson_cannot_weigh_is_unread(text: str) -> None:
    reading = crimson.read(said(text))
    assert reading.status is Status.MALFORMED
    assert not any(reading.numbers)


@pytest.mark.parametrize(
    "text",
    [
        "```json\n" + json.dumps(crimson_answer(), indent=2) + "\n```",
        "Here it is: " + json.dumps(crimson_answer()) + " Done.",
        json.dumps(crimson_answer()).replace('"x"', r'"x\_y \L"'),
        json.dumps(crimson_answer()).replace('"x"', '"so-called "nodule" here"'),
        json.dumps(crimson_answer()).replace(
            '"errors"', '"matched_findings": [], "errors"'
        ),  # first key counts
    ],
)
def test_marks_of_a_hurried_writer_are_forgiven(text: str) -> None:
    reading = crimson.read(said(text))
    assert reading.status is Status.READ
    assert reading.numbers[:2] == (1.0, 1.0)


def test_the_share_of_unread_answers_is_its_own_metric() -> None:
    assert (GREEN_UNREAD.spec.id, CRIMSON_UNREAD.spec.id) == ("green_unread", "crimson_unread")
    assert not GREEN_UNREAD.spec.is_ranked
    columns = {"status": np.array([float(one) for one in Status])}
    assert CRIMSON_UNREAD.finish(CRIMSON_UNREAD.terms({"crimson": columns}).sum(axis=0)) == 3 / 5


def test_an_empty_prediction_is_the_worst_for_crimson() -> None:
    columns = {name: np.zeros(1) for name in crimson.NUMBERS} | {"status": np.array([float(Status.EMPTY)])}
    assert float(CRIMSON.finish(CRIMSON.terms({"crimson": columns}).sum(axis=0))) == -1.0


@given(st.text())
@settings(deadline=None)
def test_no_answer_breaks_a_reader(text: str) -> None:
    for reader in (green.read, crimson.read):
        reading = reader(said(text))
        assert reading.status is not Status.EMPTY


@given(st.tuples(*[st.integers(0, 200).map(lambda quarters: quarters / 4) for _ in range(4)]))
@settings(deadline=None)
def test_crimson_stays_in_its_range(weights: tuple[float, float, float, float]) -> None:
    reference, correct, false, missing = weights
    columns = {
        "reference_weight": np.array([reference]),
        "correct_weight": np.array([min(correct, reference)]),
        "false_weight": np.array([false]),
        "missing_weight": np.array([missing]),
    }
    assert -1 < score(columns)[0] <= 1
