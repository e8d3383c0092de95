"""`submission.yaml`: strict, every problem at once with line and fix, typed by the schema."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml

from scorer.cli.new import TEMPLATE
from scorer.errors import InputError, Problem
from scorer.guard import Problems
from scorer.submission import Submission, parse_submission, read_submission, submission_schema
from tests.intake.conftest import CARD, only

DATASETS = ("demo-cxr", "iu-xray", "mimic-cxr", "chexpert-plus")

FULL = """\
id: zed
name: Zed
version: 1.10
institutions: [Example University]
authors:
  - Ada Example
  - name: Bob Example
    orcid: 0000-0002-1825-0097
owner: "@someone"
date: 2026-03-01
links:
  paper: 2411.15120
  code: https://github.com/someone/zed
licence: {code: MIT, weights: CC-BY-4.0}
weights_access: open
base_architecture: "Encoder: a ViT"
parameters: 1.5B
training_data:
  - mimic-cxr
  - other: studies of our own
inputs: {images: multiple, prior_studies: true, indication: false}
decoding: greedy
reward_metrics: [radgraph_combined]
tracks: [findings]
lifecycle: active
predictions:
  mimic-cxr:
    url: https://example.org/zed.jsonl.gz
    sha256: AAAA
notes: |
  Two
  lines.
""".replace("AAAA", "0" * 64)


def parse(text: str, files: tuple[str, ...] = ()) -> tuple[Submission | None, tuple[Problem, ...]]:
    problems = Problems()
    submission = parse_submission(
        text.encode("utf-8"), "zed/submission.yaml", "zed", files, DATASETS, problems
    )
    return submission, problems.found


def test_a_full_card_is_read_and_typed() -> None:
    card, said = parse(FULL, ("iu-xray.jsonl", "demo-cxr.jsonl.gz"))
    assert not said
    assert card is not None
    assert card.version == "1.10", "not a number that loses its zero"
    assert card.date == "2026-03-01"
    assert card.owner == "someone"
    assert card.parameters == 1_500_000_000
    assert card.links.paper == "arXiv:2411.15120"
    assert [author.name for author in card.authors] == ["Ada Example", "Bob Example"]
    assert [(item.dataset, item.other) for item in card.training_data] == [
        ("mimic-cxr", None),
        (None, "studies of our own"),
    ]
    assert card.inputs.prior_studies is True
    assert card.inputs.indication is False
    assert card.notes == "Two\nlines."
    assert list(card.predictions) == ["demo-cxr", "iu-xray", "mimic-cxr"]
    assert card.predictions["demo-cxr"].file == "predictions/demo-cxr.jsonl.gz"
    assert card.predictions["mimic-cxr"].url == "https://example.org/zed.jsonl.gz"


def test_a_card_without_predictions_needs_neither_owner_nor_tracks() -> None:
    card, said = parse("id: zed\nname: Zed\n")
    assert card is not None
    assert not said
    _, said = parse("id: zed\nname: Zed\n", ("iu-xray.jsonl",))
    assert [(p.code, p.field) for p in said] == [("missing-field", "owner"), ("missing-field", "tracks")]


def test_a_missing_paper_is_fine() -> None:
    card, said = parse(CARD)
    assert card is not None
    assert not said
    assert card.links.paper_url == ""


FIELDS = [
    # (line of YAML that replaces or joins, field, code, words of the message)
    ("institution: [x]", "institution", "unknown-key", "unknown key 'institution'"),
    ("rank: 1", "rank", "unknown-key", "unknown key 'rank'"),
    ("tracks: [finding]", "tracks", "not-a-choice", "'finding' is not a track"),
    ("tracks: findings", "tracks", "wrong-type", "a list is expected"),
    ("tracks: []", "tracks", "", ""),
    ("name: {a: b}", "name", "wrong-type", "one value expected, found a mapping"),
    ("name: [a]", "name", "wrong-type", "found a list"),
    ("name: ~", "name", "no-value", "has no value"),
    ('name: "<b>x"', "name", "angle-brackets", "< or >"),
    ("name: МedGemma", "name", "mixed-scripts", "U+041C"),
    ("date: 2026-02-31", "date", "bad-date", "not in the calendar"),
    ("date: 01.02.2026", "date", "bad-date", "not a date"),
    ("date: 12:30", "date", "bad-date", "not a date"),
    ("parameters: 0x" + "9" * 9, "parameters", "bad-number", "not a number of parameters"),
    ("parameters: " + "9" * 5000, "parameters", "bad-number", "not a number of parameters"),
    ("parameters: .inf", "parameters", "bad-number", "'.inf'"),
    ("parameters: 1e999", "parameters", "bad-number", "'1e999'"),
    ("parameters: -0", "parameters", "bad-number", "'-0'"),
    ("parameters: 0", "parameters", "bad-number", "out of range"),
    ("parameters: 1_000", "parameters", "bad-number", "'1_000'"),
    ("parameters: 12:30", "parameters", "bad-number", "'12:30'"),
    ("parameters: ٣", "parameters", "bad-number", "not a number"),
    ("parameters: yes", "parameters", "bad-number", "'yes'"),
    ("inputs: {prior_studies: yes}", "inputs.prior_studies", "bad-flag", "'yes' is neither true nor false"),
    ("inputs: {prior_studies: 1}", "inputs.prior_studies", "bad-flag", "'1' is neither"),
    ("inputs: {images: both}", "inputs.images", "not-a-choice", "'both' is not one of single or multiple"),
    ("inputs: multiple", "inputs", "wrong-type", "a mapping is expected"),
    ("lifecycle: retired", "lifecycle", "not-a-choice", "'retired' is not one of"),
    ("links: {code: 'htp:/example'}", "links.code", "bad-link", "only https://"),
    ("links: {code: 'javascript:alert(1)'}", "links.code", "bad-link", "only https://"),
    ("links: {project: 'https://a b'}", "links.project", "bad-link", "not a plain https link"),
    ("links: {paper: '10.1/\"><x'}", "links.paper", "bad-paper", "neither an arXiv id nor a DOI"),
    ("links: {paper: '2411.15122v1;id'}", "links.paper", "bad-paper", "neither an arXiv id nor a DOI"),
    ("authors: [{name: A, orcid: 0000-0002-1825-0098}]", "authors.orcid", "bad-orcid", "check digit"),
    ("authors: [{orcid: 0000-0002-1825-0097}]", "authors.name", "missing-field", "is missing"),
    ("owner: a b", "owner", "bad-account", "not an account name"),
    (
        "training_data: [CheXpert Plus]",
        "training_data",
        "unknown-dataset",
        "'CheXpert Plus' is not a dataset",
    ),
    ("training_data: [{other: x, dataset: iu-xray}]", "training_data", "one-of", "one of the two"),
    ("supersedes: A", "supersedes", "bad-id", "'A' is not an id"),
    (
        f"predictions: {{iu-x: {{url: https://e.org/x, sha256: '{0:064}'}}}}",
        "predictions",
        "unknown-dataset",
        "'iu-x' is not a dataset",
    ),
    ("predictions: {mimic-cxr: {url: https://e.org/x}}", "predictions.mimic-cxr", "no-digest", "go together"),
    (
        "predictions: {mimic-cxr: {url: https://e.org/x, sha256: abc}}",
        "predictions.mimic-cxr.sha256",
        "bad-value",
        "not a sha256",
    ),
    ("predictions: {iu-xray: predictions/iu-xray.jsonl}", "predictions.iu-xray", "no-file", "is not there"),
    (
        "predictions: {iu-xray: ../../rival/predictions/iu-xray.jsonl}",
        "predictions.iu-xray",
        "no-file",
        "not the place",
    ),
    ("notes: " + "x" * 3000, "notes", "long-text", "3,000 characters"),
    ("name: CHANGE ME", "name", "placeholder", "text of the template"),
]


@pytest.mark.parametrize(("line", "field", "code", "words"), FIELDS, ids=[f[0][:50] for f in FIELDS])
def test_a_wrong_field_is_named_with_its_line(line: str, field: str, code: str, words: str) -> None:
    key = line.split(":")[0]
    kept = [old for old in CARD.splitlines() if not old.startswith(f"{key}:")]
    _, said = parse("\n".join([*kept, line]) + "\n")
    if not code:
        assert not said
        return
    problem = only(said)
    assert (problem.field, problem.code, problem.line) == (field, code, len(kept) + 1)
    assert words in problem.message


def test_all_problems_are_said_at_once() -> None:
    text = "id: other\nname: <x>\ndat: 2026\ntracks: [finding]\ntraining_data: [nope]\nparameters: many\n"
    _, said = parse(text, ("nope.jsonl", "x.txt"))
    assert {(p.code, p.line) for p in said} >= {
        ("wrong-folder", 1),
        ("angle-brackets", 2),
        ("unknown-key", 3),
        ("not-a-choice", 4),
        ("unknown-dataset", 5),
        ("bad-number", 6),
        ("missing-field", 1),
        ("not-predictions", 0),
    }


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("institution", "did you mean 'institutions'?"),
        ("license", "did you mean 'licence'?"),
        ("trainingdata", "did you mean 'training_data'?"),
        ("rank", "ranks and scores are computed here, never submitted; remove the line"),
        ("scores", "ranks and scores are computed here, never submitted; remove the line"),
    ],
)
def test_an_unknown_key_gets_the_nearest_known_one(key: str, hint: str) -> None:
    _, said = parse(f"{CARD}{key}: x\n")
    assert only(said).hint == hint


def test_both_the_plain_and_the_packed_file_are_refused() -> None:
    _, said = parse(CARD, ("iu-xray.jsonl", "iu-xray.jsonl.gz"))
    assert only(said).code == "two-files"


def test_a_link_beside_a_file_is_refused() -> None:
    digest = "0" * 64
    _, said = parse(
        f"{CARD}predictions:\n  iu-xray: {{url: https://e.org/x, sha256: '{digest}'}}\n", ("iu-xray.jsonl",)
    )
    assert only(said).code == "two-files"


def test_no_yaml_is_said_with_the_command_that_writes_one(tmp_path: Path) -> None:
    (tmp_path / "zed").mkdir()
    with pytest.raises(
        InputError, match=r"submission\.yaml: there is no such file; `rexrank new MODEL` writes one"
    ):
        read_submission(tmp_path / "zed")


def test_reading_a_folder_finds_its_files(write: Callable[..., Path]) -> None:
    folder = write(files={"demo-cxr.jsonl": b"never opened here"})
    assert list(read_submission(folder).predictions) == ["demo-cxr"]


def test_the_digest_of_a_card_does_not_see_comments_order_and_quotes() -> None:
    one, _ = parse(CARD)
    other, _ = parse(
        "# hello\nname: 'Zed'\ntracks:\n- findings\n- findings_impression\nid: zed\nowner: \"@someone\"\n"
    )
    changed, _ = parse(CARD.replace("Zed", "Zed 2"))
    assert one is not None
    assert other is not None
    assert changed is not None
    assert one.digest == other.digest != changed.digest


def test_the_schema_accepts_what_the_reader_accepts() -> None:
    validator = jsonschema.Draft202012Validator(submission_schema())
    validator.check_schema(submission_schema())
    for text in (CARD, FULL):
        document = yaml.load(text, Loader=yaml.BaseLoader)
        document.get("inputs", {}).update(
            {k: v == "true" for k, v in document.get("inputs", {}).items() if k != "images"}
        )
        assert list(validator.iter_errors(document)) == []
    wrong = yaml.load(CARD + "institution: x\n", Loader=yaml.BaseLoader)
    assert [error.validator for error in validator.iter_errors(wrong)] == ["additionalProperties"]


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        (
            "id",
            ["zed", "a1", "net.v1-2", "a" * 64],
            ["abc-", "a..b", "-a", "a", "Abc", "a" * 65, "a.", "a b"],
        ),
        ("name", ["Zed", "Zed 2"], ["   "]),
        ("version", ["1.0", "2026-11", "v1_2+b"], ["1 0", "-1", "x" * 33]),
        ("owner", ["me", "@me-2"], ["me and you!", "-me", "me-", "a--b"]),
        (
            "date",
            ["2026", "2026-11", "2026-11-30"],
            ["yesterday", "30.11.2026", "2026-1-1", "2026-13-01", "2026-11-32"],
        ),
        ("parameters", ["7B", "350 M", "1.5B", "7000000000"], ["lots", "7 billion", "B7"]),
        (
            "links",
            ["https://example.org/x", "https://a.example.org"],
            ["https://", "https:// x.y", "http://example.org"],
        ),
        ("paper", ["2411.15122", "arXiv:2411.15122", "10.1000/xyz"], ["lots"]),
    ],
)
def test_what_the_schema_refuses_the_reader_refuses(key: str, good: list[str], bad: list[str]) -> None:
    validator = jsonschema.Draft202012Validator(submission_schema())
    base = yaml.load(CARD, Loader=yaml.BaseLoader)

    def verdicts(value: str) -> tuple[bool, bool]:
        under = {"links": {"code": value}, "paper": {"paper": value}}.get(key)
        document = {**base, **({"links": under} if under else {key: value})}
        _, said = parse(yaml.safe_dump(document))
        ours = [one for one in said if one.code not in {"wrong-folder"}]
        return validator.is_valid(document), not ours

    for value in good:
        assert verdicts(value) == (True, True), value
    for value in bad:
        assert verdicts(value) == (False, False), value


def test_every_field_of_the_card_stands_in_the_template() -> None:
    for field in Submission.model_fields:
        if field not in {"lifecycle", "supersedes"}:
            assert f"{field}:" in TEMPLATE


def test_the_largest_card_is_read_in_no_time() -> None:
    text = (
        CARD
        + "institutions:\n"
        + "  - University of Somewhere\n" * 199
        + "notes: |\n"
        + "  word word\n" * 150
    )
    start = time.perf_counter()
    card, said = parse(text)
    assert card is not None
    assert not said
    assert time.perf_counter() - start < 0.5
