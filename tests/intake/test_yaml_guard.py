"""YAML: every hostile or broken kind ends in one plain problem with its line, and quickly."""

from __future__ import annotations

import time

import pytest

from scorer.guard import Problems, read_card
from tests.intake.conftest import only

REFUSED = [
    # (what, bytes, code, words of the message, line)
    ("anchor", b"a: &x 1\nb: 2\n", "yaml-anchor", "anchors and aliases", 1),
    ("alias", b"a: 1\nb: *x\n", "yaml-anchor", "anchors and aliases", 2),
    ("merge key", b"a: 1\n<<: {b: 2}\n", "yaml-merge", "merge keys", 2),
    ("python tag", b"a: !!python/object/apply:os.getcwd []\n", "yaml-tag", "tags", 1),
    ("include tag", b"a: !include x\n", "yaml-tag", "tags", 1),
    ("binary tag", b"a: !!binary aGk=\n", "yaml-tag", "tags", 1),
    ("tag on the top", b"!!map\na: 1\n", "yaml-tag", "tags", 1),
    ("yaml directive", b"%YAML 1.1\n---\na: 1\n", "yaml-directive", "directives", 1),
    ("unknown version", b"%YAML 9.9\n---\na: 1\n", "yaml-directive", "directives", 1),
    ("tag directive", b"%TAG ! tag:x,2000:\n---\na: 1\n", "yaml-directive", "directives", 1),
    ("two documents", b"a: 1\n---\nb: 2\n", "not-a-mapping", "second document", 2),
    ("empty", b"", "not-a-mapping", "is empty; one mapping expected", 0),
    ("only a comment", b"# nothing\n", "not-a-mapping", "is empty; one mapping expected", 0),
    ("a list", b"- a\n- b\n", "not-a-mapping", "is a list; one mapping expected", 1),
    ("a bare string", b"hello\n", "not-a-mapping", "is one value; one mapping expected", 1),
    ("deep lists", b"a: " + b"[" * 10_000, "too-deep", "deeper than 8", 1),
    ("deep mappings", b"".join(b" " * n + b"a:\n" for n in range(50)), "too-deep", "deeper than 8", 9),
    ("many nodes", b"a: [" + b"1," * 20_000 + b"]", "too-many-nodes", "more than 4,000", 1),
    ("too large", b"k: v\n" * 20_000, "too-large", "over the limit (64 KiB)", 0),
    ("anchors, large", b"".join(b"a%d: &a%d x\n" % (n, n) for n in range(50_000)), "too-large", "64 KiB", 0),
    (
        "duplicate key",
        b"name: A\nowner: x\nname: B\n",
        "duplicate-key",
        "'name' stands twice, on lines 1 and 3",
        3,
    ),
    ("inner duplicate", b"links:\n  code: a\n  code: b\n", "duplicate-key", "on lines 2 and 3", 3),
    ("colon in a value", b"id: x\nname: Model: v2\n", "broken-yaml", "mapping values are not allowed", 2),
    ("at sign", b"name: @best\n", "broken-yaml", "cannot start any token", 1),
    ("tab", b"a:\n\tb: 1\n", "broken-yaml", "cannot start any token", 2),
    ("open quote", b'a: "x\n', "broken-yaml", "unexpected end of stream", 2),
    ("list as key", b"? [a, b]\n: c\n", "bad-key", "plain word", 1),
    ("utf-16", "a: 1\n".encode("utf-16"), "not-utf-8", "is UTF-16", 1),
    ("byte order mark", b"\xef\xbb\xbfa: 1\n", "byte-order-mark", "byte order mark", 1),
    ("latin-1", b"a: 1\nb: caf\xe9\n", "not-utf-8", "byte 0xe9", 2),
    ("nul", b"a: 1\nb: x\x00y\n", "nul-byte", "NUL", 2),
    ("escape character", b"a: x\x1b[0m\n", "broken-yaml", "control characters are not allowed", 0),
    ("lone surrogate", b'a: "\\ud83d"\n', "broken-yaml", "invalid Unicode character escape code", 1),
]


@pytest.mark.parametrize(
    ("data", "code", "words", "line"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED]
)
def test_hostile_yaml_is_refused_with_its_line_in_plain_words_and_at_once(
    data: bytes, code: str, words: str, line: int
) -> None:
    problems, start = Problems(), time.perf_counter()
    read_card(data, "submission.yaml", problems)
    assert time.perf_counter() - start < 0.6
    problem = only(problems.found)
    assert (problem.code, problem.line, problem.path) == (code, line, "submission.yaml")
    assert words in problem.message
    assert "Traceback" not in str(problem)


def test_scalars_stay_the_text_that_was_written() -> None:
    written = ["no", "12:30", "010", "1e3", "2026-02-31", "0x10", ".inf", "1_000", "-0", "yes", "1.10"]
    data = "".join(f"k{n}: {word}\n" for n, word in enumerate(written)).encode()
    problems = Problems()
    card = read_card(data, "x", problems)
    assert card is not None
    assert list(card.value.values()) == written
    assert not problems.found


@pytest.mark.parametrize("nothing", ["", "~", "null", "NULL"])
def test_an_unquoted_nothing_is_no_value_and_a_quoted_one_is_text(nothing: str) -> None:
    card = read_card(f'a: {nothing}\nb: "{nothing}"\n'.encode(), "x", Problems())
    assert card is not None
    assert card.value == {"a": None, "b": nothing}


def test_lines_are_kept_for_every_place() -> None:
    card = read_card(b"# c\nid: a\nlinks:\n  paper: p\nauthors:\n- one\n- name: two\n", "x", Problems())
    assert card is not None
    assert card.line(("id",)) == 2
    assert card.line(("links", "paper")) == 4
    assert card.line(("authors", 1, "name")) == 7
    assert card.line(("authors", 1, "orcid")) == 7, (
        "a place that is not there has the line of what is around it"
    )


def test_crlf_is_read_like_lf() -> None:
    card = read_card(b"id: a\r\nnotes: |\r\n  x\r\n  y\r\n", "x", Problems())
    assert card is not None
    assert card.value == {"id": "a", "notes": "x\ny\n"}


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("name: Model #2", True),
        ('name: "Model #2"', False),
        ("name: Model  # a comment", False),
        ("name: Model#2", False),
    ],
)
def test_a_value_cut_at_a_hash_is_warned_about(text: str, warned: bool) -> None:
    problems = Problems()
    read_card(f"{text}\nid: a\n".encode(), "x", problems)
    assert [p.code for p in problems.found] == ["cut-at-hash"] * warned
    assert not problems.has_errors
    if warned:
        assert "'Model' is read" in problems.found[0].message
        assert "double quotes" in problems.found[0].hint


def test_every_duplicate_key_is_named_and_not_only_the_first() -> None:
    problems = Problems()
    read_card(b"a: 1\nb: 2\na: 3\nb: 4\n", "x", problems)
    assert [(p.field, p.line) for p in problems.found] == [("a", 3), ("b", 4)]


def test_hints_say_what_to_do() -> None:
    for data, word in (
        (b"name: A: b\n", "double quotes"),
        (b"name: @b\n", "double quotes"),
        (b"a:\n\tb: 1\n", "spaces"),
    ):
        problems = Problems()
        read_card(data, "x", problems)
        assert word in only(problems.found).hint
