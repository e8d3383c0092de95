"""Whatever bytes come in: no parser raises, hangs or repeats something unprintable. Bounded in the fast lane; the
slow lane tries much more. What it found stands as a case in the other files."""

from __future__ import annotations

import gzip
import json
import os
import string
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorer.checking.artifact import read_artifact
from scorer.checking.rendering import as_annotations, as_markdown, as_terminal, emit
from scorer.errors import InputError, Problem
from scorer.guard import Problems, check_id, check_name, check_slug, https_link, paper, read_card, skeleton
from scorer.importing import parse_foreign
from scorer.predictions import canonical_predictions, parse_predictions, predictions_digest
from scorer.submission import parse_submission
from scorer.text import Report

Test = Callable[..., None]
DATASETS = ("demo-cxr", "iu-xray", "mimic-cxr")

# Bytes that look like the real thing, cut and mixed, find more than noise does.
_YAML = (
    "id: zed|name: |tracks: [findings]|links:\n  code: |- |? |: |&a |*a |!!x |%YAML 1.1\n|---\n|...\n|<<: |>-\n"
    "|\"|'|#|\t|\r\n|[|{|]|}|,|~|null|\\u202e|0x|1e999|12:30"
)
_JSON = (
    '{"study_id": "a", "findings": "b"}\n|{"study_id": |"impression": null|NaN|-Infinity|"\\ud83d"|study_id,report\n'
    '|a;b\n|{"a": {"model_prediction": "x"}}|\u2028|\u202e|é|中'
)
_BYTES = (
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x1f\x8b\x08",
    b"PK\x03\x04",
    b"\x80\x04",
    b"\xe9",
    b"\xed\xa0\xbd",
)
_PIECES = st.sampled_from([*(piece.encode() for piece in (_YAML + "|" + _JSON).split("|")), *_BYTES])
MESS = st.one_of(st.binary(max_size=400), st.lists(_PIECES, max_size=30).map(b"".join))
NAMES = st.text(max_size=60)


def lanes(test: Test) -> Test:
    """The same property, tried a little in every run and a lot in the slow lane."""
    quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
    n = int(os.environ.get("REXRANK_FUZZ", "150"))
    return settings(max_examples=n, deadline=2000, suppress_health_check=quiet)(test)


def fine(problems: Problems) -> None:
    for problem in problems.found:
        assert problem.message.isprintable()
        assert problem.path.isprintable()
        assert problem.field.isprintable()
        assert len(problem.message) < 1_000
    assert len(problems.found) < 500


@lanes
@given(MESS)
def test_cards(data: bytes) -> None:
    problems = Problems()
    card = read_card(data, "x.yaml", problems)
    assert (card is not None) or problems.has_errors
    fine(problems)


_FIELDS = st.sampled_from(
    "id name tracks links authors date parameters predictions inputs owner version training_data x".split()
)
_VALUES = st.recursive(
    NAMES | st.none() | st.integers() | st.floats() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@lanes
@given(st.dictionaries(_FIELDS, _VALUES))
def test_submissions_of_any_shape(document: dict[str, Any]) -> None:
    problems = Problems()
    data = json.dumps(document).encode()  # JSON is YAML
    found = parse_submission(data, "zed/submission.yaml", "zed", ["iu-xray.jsonl"], DATASETS, problems)
    assert (found is not None) != problems.has_errors
    fine(problems)


@lanes
@given(MESS, st.sampled_from(["x.jsonl", "x.jsonl.gz"]), st.booleans())
def test_predictions(data: bytes, name: str, is_packed: bool) -> None:
    problems = Problems()
    found = parse_predictions(gzip.compress(data) if is_packed else data, name, problems)
    assert found or problems.has_errors
    fine(problems)
    if found and not problems.has_errors:
        again = parse_predictions(canonical_predictions(found), "x.jsonl", Problems())
        assert predictions_digest(again) == predictions_digest(found)


@lanes
@given(MESS, st.sampled_from(["x.json", "x.csv", "x.jsonl", "x.tsv", "x", "x.csv.gz"]))
def test_foreign_files(data: bytes, name: str) -> None:
    problems = Problems()
    found = parse_foreign(data, name, problems)
    assert found is not None or problems.has_errors
    fine(problems)


_REPORTS = st.builds(Report, findings=st.text(max_size=40), impression=st.text(max_size=40))


@lanes
@given(st.dictionaries(st.text(min_size=1, max_size=12), _REPORTS, min_size=1, max_size=8))
def test_what_is_written_is_read_back(reports: dict[str, Report]) -> None:
    if any(check_id(key) for key in reports):
        return
    if any("\x00" in r.findings + r.impression or _lone(r.findings + r.impression) for r in reports.values()):
        return
    assert parse_predictions(canonical_predictions(reports), "x.jsonl", Problems()) == reports


def _lone(text: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in text)


@lanes
@given(MESS)
def test_artifacts(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_artifact(data, "scores.json")
    assert all(problem.message.isprintable() for problem in caught.value.problems)


@lanes
@given(st.one_of(NAMES, st.text(alphabet=string.printable, max_size=60)))
def test_names_ids_and_links(text: str) -> None:
    for said in (check_name(text), check_name(text, by_word=True), check_slug(text), check_id(text)):
        assert said is None or all(part.isprintable() for part in said)
    skeleton(text)
    if not https_link(text):
        assert text.isascii()
        assert not set(text) & set(" \"'<>\\`{}|^\n\t")
    assert paper(text).isprintable()


@lanes
@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_no_text_escapes_from_a_command_a_table_or_a_terminal(path: str, message: str, hint: str) -> None:
    line = emit("error", message, file=path, title=hint)
    assert "\n" not in line
    assert "\r" not in line
    head = line.removeprefix("::error").split("::", 1)[0]
    assert "::" not in head
    problem = Problem(path=path, code="x", message=message, hint=hint)
    assert len(as_annotations([problem])) == 1
    table = as_markdown([problem], "rexrank check")
    assert "<" not in table
    row = [one for one in table.split("\n") if one.startswith("| ")][1]
    assert row.count("|") == 4
    as_terminal([problem])


@pytest.mark.slow
def test_much_more_of_it() -> None:
    line = [sys.executable, "-m", "pytest", __file__, "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        line, env={**os.environ, "REXRANK_FUZZ": "2000"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
