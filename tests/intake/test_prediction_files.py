"""Prediction files: bytes, gzip, encoding, JSON Lines, fields. Every kind of fault has its message and line."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path
from unittest import mock

import pytest

from scorer.errors import InputError
from scorer.guard import Problems, limits, nearest
from scorer.predictions import canonical_predictions, parse_predictions, predictions_digest, read_predictions
from scorer.text import Report
from tests.intake.conftest import lines, only

GOOD = lines(
    [{"study_id": "a", "findings": "Clear.", "impression": "Normal."}, {"study_id": "b", "findings": ""}]
)


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x", GOOD)
    return out.getvalue()


FILES = [
    # (what, name, bytes, code, words of the message)
    ("zip", "x.jsonl.gz", zipped(), "wrong-magic", "is a zip archive"),
    ("xz", "x.jsonl.gz", lzma.compress(GOOD), "wrong-magic", "is xz data"),
    ("bzip2", "x.jsonl.gz", bz2.compress(GOOD), "wrong-magic", "is bzip2 data"),
    ("zstd", "x.jsonl.gz", b"\x28\xb5\x2f\xfd" + GOOD, "wrong-magic", "is zstandard data"),
    ("parquet", "x.jsonl.gz", b"PAR1" + GOOD, "wrong-magic", "is a Parquet file"),
    ("pickle", "x.jsonl.gz", pickle.dumps({"a": 1}), "wrong-magic", "is a Python pickle"),
    ("plain text called gz", "x.jsonl.gz", GOOD, "wrong-magic", "does not start like gzip"),
    ("gzip called plain", "x.jsonl", gzip.compress(GOOD), "wrong-magic", "is gzip data, not text"),
    ("pickle called plain", "x.jsonl", pickle.dumps({"a": 1}), "wrong-magic", "is a Python pickle"),
    ("truncated gz", "x.jsonl.gz", gzip.compress(GOOD * 50)[:-12], "broken-gzip", "ends in the middle"),
    ("damaged gz", "x.jsonl.gz", gzip.compress(GOOD)[:10] + b"\xff" * 30, "broken-gzip", "damaged"),
    ("wrong checksum", "x.jsonl.gz", gzip.compress(GOOD)[:-8] + b"\0" * 8, "broken-gzip", "damaged"),
    ("two members", "x.jsonl.gz", gzip.compress(GOOD) * 2, "gzip-members", "more than one gzip member"),
    ("bytes after", "x.jsonl.gz", gzip.compress(GOOD) + b"hello", "gzip-members", "something after it"),
    ("bomb", "x.jsonl.gz", gzip.compress(b"\0" * 30_000_000), "too-large", "250 times its packed size"),
    ("large when unpacked", "x.jsonl.gz", gzip.compress(GOOD * 600_000, 1), "too-large", "limit"),
    (
        "lfs pointer",
        "x.jsonl",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        "lfs-pointer",
        "Git LFS",
    ),
    (
        "lfs pointer called gz",
        "x.jsonl.gz",
        b"version https://git-lfs.github.com/spec/v1\n",
        "lfs-pointer",
        "Git LFS",
    ),
    ("utf-16", "x.jsonl", GOOD.decode().encode("utf-16"), "not-utf-8", "is UTF-16"),
    ("byte order mark", "x.jsonl", b"\xef\xbb\xbf" + GOOD, "byte-order-mark", "byte order mark"),
    ("empty", "x.jsonl", b"", "empty-file", "holds no predictions"),
    ("only blank lines", "x.jsonl", b"\n \n\r\n", "empty-file", "holds no predictions"),
]


@pytest.mark.parametrize(("name", "data", "code", "words"), [c[1:] for c in FILES], ids=[c[0] for c in FILES])
def test_a_file_that_is_not_what_it_says_is_refused(name: str, data: bytes, code: str, words: str) -> None:
    problems, start = Problems(), time.perf_counter()
    assert parse_predictions(data, name, problems) == {}
    assert time.perf_counter() - start < 5
    problem = only(problems.found)
    assert (problem.code, problem.path) == (code, name)
    assert words in problem.message


def test_a_pickle_is_never_loaded(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return (Path.touch, (tmp_path / "sentinel",))

    for protocol in range(6):
        for name in ("x.jsonl", "x.jsonl.gz"):
            problems = Problems()
            assert parse_predictions(pickle.dumps(Trap(), protocol), name, problems) == {}
            assert problems.has_errors
    assert not (tmp_path / "sentinel").exists()


def test_a_plain_file_over_the_limit_is_refused() -> None:
    problems = Problems()
    parse_predictions(b" " * (limits.PREDICTION_BYTES + 1), "x.jsonl", problems)
    assert only(problems.found).message == "over the limit (32 MiB): 33,554,433 bytes"


def test_a_packed_file_over_the_limit_is_refused_before_it_is_unpacked() -> None:
    problems = Problems()
    parse_predictions(b"\x1f\x8b" + b"x" * (limits.GZIP_BYTES + limits.MIB), "x.jsonl.gz", problems)
    assert only(problems.found).message == "over the limit (16 MiB): 17.0 MiB"


ROWS = [
    # (what, second line, code, words of the message)
    ("bare NaN", b'{"study_id": "b", "findings": NaN}', "bare-nan", "NaN is not JSON"),
    ("infinity", b'{"study_id": "b", "findings": -Infinity}', "bare-nan", "-Infinity is not JSON"),
    ("large exponent", b'{"study_id": "b", "findings": 1e999}', "not-text", "a number where a text"),
    (
        "huge integer",
        b'{"study_id": "b", "findings": ' + b"9" * 5000 + b"}",
        "not-text",
        "a number where a text",
    ),
    (
        "duplicate key",
        b'{"study_id": "b", "findings": "x", "findings": "y"}',
        "duplicate-key",
        "'findings' stands twice",
    ),
    ("deep nesting", b'{"study_id": "b", "findings": ' + b"[" * 100_000, "too-deep", "deeper than 8"),
    ("trailing comma", b'{"study_id": "b", "findings": "x",}', "broken-json", "not JSON"),
    ("comment", b'{"study_id": "b", /* hm */ "findings": "x"}', "broken-json", "not JSON"),
    ("single quotes", b"{'study_id': 'b'}", "broken-json", "not JSON"),
    ("two objects a line", b'{"study_id": "b", "findings": "x"} {}', "broken-json", "Extra data"),
    ("raw line break", b'{"study_id": "b", "findings": "x\ty"}', "broken-json", "control character"),
    ("not an object", b'["b", "x"]', "not-an-object", "a list where an object"),
    ("text only", b'"hello"', "not-an-object", "a text where an object"),
    ("null", b"null", "not-an-object", "null where an object"),
    ("latin-1", b'{"study_id": "b", "findings": "caf\xe9"}', "not-utf-8", "byte 0xe9"),
    ("nul byte", b'{"study_id": "b", "findings": "x\x00"}', "nul-byte", "NUL byte"),
    ("nul escape", b'{"study_id": "b", "findings": "x\\u0000"}', "nul-byte", "NUL character"),
    ("lone surrogate", b'{"study_id": "b", "findings": "\\ud83d"}', "lone-surrogate", "half a character"),
    ("id is a number", b'{"study_id": 1, "findings": "x"}', "id-not-text", "a number, not a text"),
    ("id is null", b'{"study_id": null, "findings": "x"}', "id-not-text", "null, not a text"),
    ("no id", b'{"findings": "x"}', "no-study-id", "has no study_id"),
    ("empty id", b'{"study_id": "", "findings": "x"}', "empty-id", "is empty"),
    (
        "blank after the id",
        b'{"study_id": "b ", "findings": "x"}',
        "blank-in-id",
        "starts or ends with a blank",
    ),
    (
        "control in the id",
        b'{"study_id": "b\\n::error::x", "findings": "x"}',
        "bad-study-id",
        "'b\\\\n::error::x'",
    ),
    ("long id", b'{"study_id": "' + b"b" * 500 + b'", "findings": "x"}', "long-id", "500 characters"),
    (
        "id twice",
        b'{"study_id": "a", "findings": "x"}',
        "duplicate-study",
        "'a' stands twice, on lines 1 and 2",
    ),
    ("nothing said", b'{"study_id": "b"}', "no-sections", "neither findings nor impression"),
    (
        "both null",
        b'{"study_id": "b", "findings": null, "impression": null}',
        "no-sections",
        "neither findings",
    ),
    ("a list", b'{"study_id": "b", "findings": ["x"]}', "not-text", "a list where a text"),
    ("a flag", b'{"study_id": "b", "findings": true}', "not-text", "true or false where a text"),
    ("an object", b'{"study_id": "b", "findings": {}}', "not-text", "an object where a text"),
    (
        "long line",
        b'{"study_id": "b", "findings": "' + b"x" * 1_000_000 + b'"}',
        "long-line",
        "over the limit (256 KiB)",
    ),
    (
        "long text",
        b'{"study_id": "b", "findings": "' + b"x" * 50_000 + b'"}',
        "long-report",
        "50,000 characters",
    ),
    ("many words", b'{"study_id": "b", "findings": "' + b"a " * 9_000 + b'"}', "long-report", "9,000 words"),
    (
        "reference field",
        b'{"study_id": "b", "findings": "x", "section_findings": "y"}',
        "unknown-key",
        "section_findings",
    ),
    ("misspelt field", b'{"study_id": "b", "finding": "x", "impression": "y"}', "unknown-key", "'finding'"),
]


@pytest.mark.parametrize(("row", "code", "words"), [c[1:] for c in ROWS], ids=[c[0] for c in ROWS])
def test_a_bad_row_is_said_with_its_line(row: bytes, code: str, words: str) -> None:
    problems, start = Problems(), time.perf_counter()
    first = b'{"study_id": "a", "findings": "Clear."}\n'
    parse_predictions(first + row + b"\n", "x.jsonl", problems)
    assert time.perf_counter() - start < 2
    problem = only(problems.found)
    assert (problem.code, problem.line) == (code, 2)
    assert words in problem.message


def test_a_misspelt_field_gets_the_nearest_one_and_a_reference_field_the_reason() -> None:
    problems = Problems()
    parse_predictions(
        b'{"study_id": "a", "findings": "x", "impresion": "y", "reference_report": "z"}', "x", problems
    )
    assert {p.hint for p in problems.found} == {
        "did you mean 'impression'?",
        "predictions hold no reference text; `rexrank import` drops it",
    }


def test_a_row_without_an_id_is_no_study_and_its_misspelt_key_is_known() -> None:
    """Ids of refused lines are counted as given; what gives none is not counted as a study called None."""
    problems, refused = Problems(), set[str]()
    rows = [
        {"studyid": "a", "findings": "x"},
        {"study_id": None, "findings": "x"},
        {"study_id": 7, "findings": "x"},
    ]
    assert parse_predictions(lines(rows), "x.jsonl", problems, refused) == {}
    assert refused == {"7"}
    assert "did you mean 'study_id'?" in {p.hint for p in problems.found}


def test_all_problems_are_said_and_equal_ones_are_counted_after_twenty() -> None:
    problems = Problems()
    parse_predictions(b'{"findings": "x"}\n' * 500 + b'{"study_id": "a"}\n', "x.jsonl", problems)
    said = problems.found
    assert sum(p.code == "no-study-id" for p in said) == limits.PROBLEMS_SHOWN + 1
    assert "and 480 more problems of this kind" in said[-1].message
    assert any(p.code == "no-sections" and p.line == 501 for p in said)


def test_thousands_of_unknown_keys_are_counted_and_cost_little() -> None:
    """The nearest known word is looked for only where it will be said."""
    searched: list[str] = []
    row = {"study_id": "a", "findings": "x"} | {f"finding_{n}": "" for n in range(5_000)}
    data = lines({**row, "study_id": f"s{n}"} for n in range(60))
    problems = Problems()
    with mock.patch(
        "scorer.predictions.nearest", lambda key, known: searched.append(key) or nearest(key, known)
    ):
        assert parse_predictions(data, "x.jsonl", problems) == {}
    assert len(searched) == limits.PROBLEMS_SHOWN
    assert len(problems.found) == limits.PROBLEMS_SHOWN + 1
    assert [p.hint for p in problems.found[:20]] == ["did you mean 'findings'?"] * 20
    assert problems.found[-1].message == "and 299,980 more problems of this kind (unknown-key)"


def test_the_same_twenty_problems_are_shown_every_time() -> None:
    """Whatever the order in which a set of keys is walked."""
    code = (
        "from scorer.predictions import parse_predictions; from scorer.guard import Problems; p = Problems()\n"
        "parse_predictions(b'{%s}' % b','.join(b'\"k%d\": 1' % n for n in range(90)), 'x', p)\n"
        "print([q.message for q in p.found])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_accepted_forms_of_one_content_have_one_digest() -> None:
    plain = parse_predictions(GOOD, "x.jsonl", Problems())
    forms = {
        "packed": parse_predictions(gzip.compress(GOOD), "x.jsonl.gz", Problems()),
        "crlf": parse_predictions(GOOD.replace(b"\n", b"\r\n"), "x.jsonl", Problems()),
        "no last line end": parse_predictions(GOOD.rstrip(b"\n"), "x.jsonl", Problems()),
        "blank lines": parse_predictions(GOOD.replace(b"\n", b"\n\n \n"), "x.jsonl", Problems()),
        "shuffled": parse_predictions(b"\n".join(reversed(GOOD.split(b"\n"))), "x.jsonl", Problems()),
        "null section": parse_predictions(
            GOOD.replace(b'"findings": ""', b'"findings": "", "impression": null'), "x", Problems()
        ),
        "escaped": parse_predictions(GOOD.replace(b"Clear", b"Cl\\u0065ar"), "x", Problems()),
    }
    assert {name: predictions_digest(form) for name, form in forms.items()} == dict.fromkeys(
        forms, predictions_digest(plain)
    )
    other = parse_predictions(GOOD.replace(b"Clear.", b"Clear"), "x.jsonl", Problems())
    assert predictions_digest(other) != predictions_digest(plain)


def test_the_canonical_file_reads_back_and_its_sha256_is_the_digest(tmp_path: Path) -> None:
    reports = {"b": Report(findings="Ü \u2028 x"), "a": Report(impression="n\nm"), "10": Report()}
    file = tmp_path / "x.jsonl"
    file.write_bytes(canonical_predictions(reports))
    assert dict(read_predictions(file)) == reports
    assert [json.loads(line)["study_id"] for line in file.read_text("utf-8").split("\n")[:-1]] == [
        "10",
        "a",
        "b",
    ]


def test_texts_with_terminal_and_workflow_commands_are_only_texts() -> None:
    text = "\u001b]8;;https://x\u0007 ::error::x \u202e"
    found = parse_predictions(lines([{"study_id": "a", "findings": text}]), "x.jsonl", Problems())
    assert found["a"].findings == text


def test_a_missing_file_a_folder_and_a_link_are_said(tmp_path: Path) -> None:
    (tmp_path / "secret.jsonl").write_bytes(GOOD)
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    for name, words in (
        ("none.jsonl", "no such file"),
        ("link.jsonl", "symbolic link"),
        ("folder.jsonl", "regular file"),
    ):
        with pytest.raises(InputError, match=words):
            read_predictions(tmp_path / name)


def test_unpacking_stops_at_the_cap_and_not_at_the_end_of_memory() -> None:
    machine = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = machine.compress(b"\0" * (1 << 24)) + machine.flush(zlib.Z_FULL_FLUSH)
    packed = gzip.compress(b"")[:10] + block * 128  # 2 GiB of zeros
    start, problems = time.perf_counter(), Problems()
    parse_predictions(packed, "x.jsonl.gz", problems)
    assert only(problems.found).code == "too-large"
    assert time.perf_counter() - start < 2
