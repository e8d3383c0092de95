"""Hostile and broken inputs of a pull request, a folder each, and what must be said of them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scorer.datasets import load
from tests.intake.conftest import lines
from tests.workflows.conftest import card, demo
from tests.workflows.host import File

__all__ = ["ATTACKS", "CANARY", "ELSEWHERE", "HOME", "Attack"]

HOME = "results/submissions"
IDS = [study.id for study in load("demo-cxr")]
CANARY = "touch-this-file"


@dataclass(frozen=True, kw_only=True)
class Attack:
    """What one folder of the pull request holds and what must be said of it.

    Attributes:
        row: of the list of attacks. name: of the folder, with the row in front.
        card: the card's bytes, or further lines of a good one. files: others, relative to the folder; None deletes.
        predictions: of demo-cxr. says: words that must stand in messages, with the fix where it matters; none at all
            when the input is accepted. line: of the first message, where it is known.
    """

    row: int
    name: str
    card: bytes | str = ""
    files: Mapping[str | bytes, File] = field(default_factory=dict)
    predictions: bytes | None = None
    says: tuple[str, ...] = ()
    line: int = 0

    @property
    def id(self) -> str:
        return f"r{self.row:02}-{self.name}"

    def tree(self) -> dict[str | bytes, File]:
        whole = self.card if isinstance(self.card, bytes) else card(self.id) + self.card.encode()
        found: dict[str | bytes, File] = {f"{HOME}/{self.id}/submission.yaml": whole}
        if self.predictions is not None:
            found[f"{HOME}/{self.id}/predictions/demo-cxr.jsonl"] = self.predictions
        for name, file in self.files.items():
            raw = name if isinstance(name, bytes) else name.encode()
            found[f"{HOME}/{self.id}/".encode() + raw] = file
        return found


def named(name: str) -> bytes:
    """The end of a card: a display name instead of the usual one."""
    return json.dumps(name, ensure_ascii=False).encode()


def as_named(row: int, id: str, name: str, *says: str) -> Attack:
    whole = b"id: r%02d-%s\nowner: zoe\ntracks: [findings, findings_impression]\nname: " % (row, id.encode())
    return Attack(row=row, name=id, card=whole + named(name) + b"\n", says=says, line=4)


def raw(row: int, id: str, data: bytes, *says: str, line: int = 0) -> Attack:
    """A card of these bytes."""
    return Attack(row=row, name=id, card=data, says=says, line=line)


def extra(row: int, id: str, text: str, *says: str) -> Attack:
    """A good card with one more line."""
    return Attack(row=row, name=id, card=text + "\n", says=says, line=5)


def rows(id: str, **changes: Any) -> bytes:
    """Predictions for every study; `changes` replace fields of the first."""
    found: list[dict[str, Any]] = [
        {"study_id": i, "findings": f"Clear, says {id}.", "impression": f"Seen {n % 9}."}
        for n, i in enumerate(IDS)
    ]
    found[0].update(changes)
    return lines(found)


def texts(row: int, id: str, data: bytes, *says: str, line: int = 0) -> Attack:
    """Predictions of these bytes."""
    return Attack(row=row, name=id, predictions=data, says=says, line=line)


def line_of(row: int, id: str, line: bytes, *says: str) -> Attack:
    """Good predictions whose second line is this one."""
    first, _, *rest = rows(id).split(b"\n")
    return texts(row, id, b"\n".join([first, line, *rest]), *says, line=2)


def renamed(row: int, id: str, data: bytes, *says: str) -> Attack:
    return Attack(row=row, name=id, files={"predictions/demo-cxr.jsonl.gz": data}, says=says)


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x", b"x")
    return out.getvalue()


class Trap:
    """Unpickling it leaves a file behind."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (os.system, (f"touch {CANARY}",))


FIRST = json.dumps(IDS[0]).encode()
NOT_A_PATH = "is not a submission path"
ATTACKS = [
    Attack(
        row=4,
        name="path",
        files={"a\n::add-mask::a": "x"},
        says=("does not belong in a submission", "a\\n::add-mask::a"),
    ),
    Attack(
        row=6,
        name="passwd",
        files={"predictions/iu-xray.jsonl": ("120000", b"/etc/hostname")},
        says=("mode 120000 (symbolic link)",),
    ),
    Attack(
        row=6,
        name="rival",
        files={"predictions/iu-xray.jsonl": ("120000", b"../../rival/predictions/demo-cxr.jsonl")},
        says=("mode 120000 (symbolic link)",),
    ),
    Attack(
        row=8, name="gitlink", files={"sub": ("160000", b"1" * 40)}, says=("does not belong in a submission",)
    ),
    Attack(
        row=8,
        name="gitlink-predictions",
        files={"predictions/iu-xray.jsonl": ("160000", b"1" * 40)},
        says=("mode 160000 (link to another repository)",),
    ),
    Attack(
        row=9,
        name="executable",
        files={"submission.yaml": ("100755", card("r09-executable"))},
        says=(
            "mode 100755 (executable file)",
            "git update-index --chmod=-x results/submissions/r09-executable/submission.yaml",
        ),
    ),
    Attack(row=10, name="attributes", files={".gitattributes": "* filter=evil"}, says=("does not belong",)),
    Attack(
        row=11,
        name="lfs",
        predictions=b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        says=("is a Git LFS pointer, not the file", "commit the file itself"),
    ),
    Attack(
        row=19,
        name="scores",
        files={"scores/iu.json": "{}"},
        says=("score files are written by the scorer only",),
    ),
    renamed(21, "zip", zipped(), "is a zip archive"),
    renamed(21, "xz", lzma.compress(b"x"), "is xz data"),
    renamed(21, "bz2", bz2.compress(b"x"), "is bzip2 data"),
    renamed(21, "zstd", b"\x28\xb5\x2f\xfdx", "is zstandard data"),
    renamed(21, "parquet", b"PAR1x", "is a Parquet file"),
    renamed(21, "pickle", pickle.dumps(Trap(), 4), "is a Python pickle"),
    renamed(21, "old-pickle", pickle.dumps(Trap(), 0), "does not start like gzip data"),
    renamed(21, "bomb", gzip.compress(b"\0" * 60_000_000), "250 times its packed size"),
    raw(22, "megabyte", b"".join(b"k%d: v\n" % n for n in range(110_000)), "over the limit (64 KiB)"),
    raw(22, "anchors", b"".join(b"a%d: &a%d x\n" % (n, n) for n in range(50_000)), "over the limit (64 KiB)"),
    raw(
        22,
        "fewer-anchors",
        b"".join(b"a%d: &a%d x\n" % (n, n) for n in range(3_000)),
        "anchors and aliases",
        line=1,
    ),
    raw(
        22,
        "laughs",
        b"a: &a [x]\n" + b"".join(b"b%d: [*a, *a]\n" % n for n in range(9)),
        "anchors and aliases",
        line=1,
    ),
    raw(23, "deep", b"[" * 10_000, "deeper than 8", line=1),
    raw(23, "deep-value", b"id: " + b"[" * 10_000, "deeper than 8", line=1),
    extra(25, "object", f"x: !!python/object/apply:os.system ['touch {CANARY}']", "tags (!) are not allowed"),
    extra(25, "getcwd", "x: !!python/object/apply:os.getcwd []", "tags (!) are not allowed"),
    extra(25, "include", "x: !include x", "tags (!) are not allowed"),
    extra(25, "binary", "x: !!binary aGk=", "tags (!) are not allowed"),
    raw(25, "version", b"%YAML 9.9\n---\nid: x\n", "directives (%YAML, %TAG) are not allowed", line=1),
    raw(25, "tag", b"%TAG ! tag:x,2000:\n---\nid: x\n", "directives (%YAML, %TAG) are not allowed", line=1),
    raw(27, "two", card("r27-two") + b"---\nid: y\n", "one mapping expected", line=5),
    raw(27, "empty", b"", "one mapping expected"),
    raw(27, "list", b"- a\n- b\n", "one mapping expected", line=1),
    raw(27, "string", b"hello\n", "one mapping expected", line=1),
    raw(
        28,
        "utf-16",
        card("r28-utf-16").decode().encode("utf-16"),
        "is UTF-16",
        "UTF-8 without a byte order mark",
        line=1,
    ),
    raw(28, "mark", b"\xef\xbb\xbf" + card("r28-mark"), "byte order mark", line=1),
    raw(28, "latin", card("r28-latin") + b"notes: caf\xe9\n", "is not UTF-8 (byte 0xe9)", line=5),
    raw(28, "nul", card("r28-nul") + b"notes: a\0b\n", "NUL byte", line=5),
    extra(28, "surrogate", 'notes: "\\ud83d"', "invalid Unicode character escape code"),
    raw(28, "crlf", card("r28-crlf").replace(b"\n", b"\r\n")),
    texts(28, "utf-16-texts", rows("x").decode().encode("utf-16"), "is UTF-16"),
    texts(28, "mark-texts", b"\xef\xbb\xbf" + rows("y"), "byte order mark"),
    texts(28, "crlf-texts", rows("crlf").replace(b"\n", b"\r\n")),
    line_of(28, "latin-text", b'{"study_id": "x", "findings": "caf\xe9"}', "is not UTF-8 (byte 0xe9)"),
    line_of(28, "surrogate-text", b'{"study_id": "x", "findings": "\\ud83d"}', "half a character"),
    extra(29, "calendar", "date: 2026-02-31", "'2026-02-31' is not in the calendar"),
    extra(29, "hex", "parameters: 0x" + "f" * 60_000, "is not a number of parameters"),
    extra(29, "digits", "parameters: " + "9" * 5_000, "is not a number of parameters"),
    extra(29, "infinite", "parameters: .inf", "'.inf' is not a number of parameters"),
    extra(29, "exponent", "parameters: 1e999", "'1e999' is not a number of parameters"),
    extra(29, "zero", "parameters: -0", "'-0' is not a number of parameters"),
    extra(29, "underscore", "parameters: 1_000", "'1_000' is not a number of parameters"),
    extra(29, "sexagesimal", "parameters: 12:30", "'12:30' is not a number of parameters"),
    extra(29, "yes", "inputs: {prior_studies: yes}", "'yes' is neither true nor false"),
    extra(29, "tilde", "inputs: {prior_studies: ~}"),
    extra(29, "no-as-licence", "licence: {code: no}"),
    extra(29, "nothing", "weights_access: ~"),
    extra(29, "tilde-as-name", "institutions: [~]", "has no value"),
    as_named(31, "override", "Med\u202eGemma", "U+202E"),
    as_named(31, "zero-width", "Med\u200bGemma", "U+200B"),
    as_named(31, "isolate", "Med\u2066Gemma", "U+2066"),
    as_named(31, "mark", "Med\ufeffGemma", "U+FEFF"),
    as_named(31, "pile", "Q" + "\u0316" * 70, "more than two marks"),
    as_named(31, "pile-200", "Q" + "\u0316" * 200, "201 characters"),
    as_named(31, "joiner", "Doctor \U0001f468\u200d\u2695", "U+200D"),
    as_named(32, "cyrillic", "Мedgemma", "U+041C"),
    as_named(32, "whole", "RivaI Net", "can be taken for the existing entry 'rival'"),
    as_named(33, "svg", "<svg/onload=top.name=1>", "holds < or >"),
    as_named(33, "script", "</script><script>alert(1)</script>", "holds < or >"),
    as_named(33, "attribute", '"><a href=x', "holds < or >"),
    as_named(33, "quotes", "'-prompt-'"),
    extra(37, "doi", "links: {paper: '10.1/\"><x'}", "neither an arXiv id nor a DOI"),
    extra(37, "arxiv", "links: {paper: '2411.15122v1;id'}", "neither an arXiv id nor a DOI"),
    extra(37, "bibtex", "authors: ['\\input{/etc/passwd}', 'a } imbalance']"),
    extra(37, "csl", "authors: ['<img src=x onerror=alert(1)>']", "holds < or >"),
    extra(38, "formula", "institutions: ['=HYPERLINK(\"http://x\";\"y\")', '+1+1', '-2', '@SUM(A1)']"),
    extra(38, "tab", 'institutions: ["\\t=1+1"]', "blank"),
    extra(38, "return", 'institutions: ["\\r=1+1"]', "blank"),
    texts(
        40,
        "wrong",
        rows("wrong", study_id="nobody"),
        "1 study (nobody) has no place in demo-cxr",
        f"1 study ({IDS[0]}) has no prediction",
    ),
    texts(
        40,
        "missing",
        rows("missing").split(b"\n", 1)[1],
        f"200 references but 199 predictions: 1 study ({IDS[0]}) has no prediction",
    ),
    texts(
        40,
        "extra",
        rows("extra") + lines([{"study_id": "more", "findings": "x"}]),
        "1 study (more) has no place in demo-cxr",
    ),
    texts(
        40,
        "many",
        b"\n".join(rows("many").split(b"\n")[8:]),
        f"7 studies ({', '.join(sorted(IDS)[:5])}, …) have no prediction",
    ),
    texts(
        40,
        "twice",
        rows("twice") + rows("twice").split(b"\n")[0] + b"\n",
        f"study {IDS[0]!r} stands twice, on lines 1 and 201",
        line=201,
    ),
    texts(40, "number", rows("number", study_id=1), "the id is a number, not a text", 'write "1"', line=1),
    texts(40, "blank", rows("blank", study_id=IDS[0] + " "), "starts or ends with a blank", line=1),
    texts(40, "shuffled", b"\n".join(reversed(rows("shuffled").split(b"\n")[:-1]))),
    texts(41, "empty", rows("empty", findings="", impression="")),
    texts(41, "blank", rows("blank-text", findings="  \n", impression=" ")),
    texts(41, "marks", rows("marks", findings="...", impression="?!")),
    texts(
        41,
        "null",
        rows("null", findings=None, impression=None),
        "has neither findings nor impression",
        line=1,
    ),
    texts(41, "number", rows("number", findings=3), "a number where a text is expected", line=1),
    texts(41, "list", rows("list", findings=["x"]), "a list where a text is expected", line=1),
    texts(41, "megabyte", rows("megabyte", findings="x" * 1_000_000), "over the limit (256 KiB)", line=1),
    texts(
        41,
        "tokens",
        rows("tokens", findings="a " * 100_000),
        "200,000 characters",
        "the limit is 20,000",
        line=1,
    ),
    texts(41, "words", rows("words", findings="a " * 9_000), "9,000 words", line=1),
    texts(
        43,
        "escapes",
        rows("escapes", findings="\u001b]8;;https://x\u0007 ::error::x", impression="\u001b[2J"),
    ),
    texts(
        43,
        "escaped-id",
        rows("escapes-2", study_id="\u001b[31m::error::x"),
        "x1b[31m::error::x' holds control characters",
    ),
    line_of(44, "nan", b'{"study_id": "x", "findings": NaN}', "NaN is not JSON"),
    line_of(44, "exponent", b'{"study_id": "x", "findings": 1e999}', "a number where a text is expected"),
    line_of(
        44,
        "twice",
        b'{"study_id": "x", "findings": "a", "findings": "b"}',
        "'findings' stands twice in one object",
    ),
    line_of(44, "deep", b'{"study_id": "x", "findings": ' + b"[" * 100_000 + b"}", "deeper than 8"),
    line_of(44, "comma", b'{"study_id": "x", "findings": "a",}', "remove the trailing comma"),
    line_of(44, "comment", b'{"study_id": "x", /* hm */ "findings": "a"}', "JSON has no comments"),
    line_of(44, "cut", b'{"study_id": "x", "findings": "a', "it ends in the middle"),
    texts(44, "blank-lines", rows("blank-lines").replace(b"\n", b"\n\n")),
    texts(44, "no-last-end", rows("no-last-end").rstrip(b"\n")),
    texts(
        45,
        "copied",
        lines(
            {"study_id": s.id, "findings": s.reference.findings, "impression": s.reference.impression}
            for s in load("demo-cxr")
        ),
        "warning: 190 of 200 predictions are word for word the reference",
    ),
    texts(
        45,
        "constant",
        lines({"study_id": i, "findings": "Normal." if n % 10 else f"Odd {n}."} for n, i in enumerate(IDS)),
        "warning: 180 of 200 predictions are one and the same text",
    ),
    texts(
        46,
        "probe",
        lines({"study_id": i, "findings": "" if n else "One real report."} for n, i in enumerate(IDS)),
        "warning: 199 of 200 predictions are empty; each counts as the worst value",
    ),
    texts(47, "blanks", rows("blanks", findings=" " * 19_000 + "!")),
    texts(47, "letters", rows("letters", findings="a" * 19_000 + "!")),
    texts(47, "nested", rows("nested", findings='("' * 9_000, impression="'(" * 9_000)),
]

ELSEWHERE: dict[str, tuple[int, File, str]] = {
    # path -> (row, content, words)
    ".github/workflows/score.yml": (2, "on: push", NOT_A_PATH),
    ".gitmodules": (8, '[submodule "x"]\n\tpath = x\n\turl = https://example.org/x\n', NOT_A_PATH),
    ".gitattributes": (10, "* filter=evil diff=evil\n", NOT_A_PATH),
    ".mailmap": (10, "x", NOT_A_PATH),
    ".lfsconfig": (10, "x", NOT_A_PATH),
    f"{HOME}/con/submission.yaml": (15, card("con"), "'con' is a reserved name"),
    f"{HOME}/aux/submission.yaml": (15, card("aux"), "'aux' is a reserved name"),
    f"{HOME}/a./submission.yaml": (15, card("a."), "ends in a dot"),
    f"{HOME}/{'x' * 200}/submission.yaml": (15, card("x"), "200 characters"),
    f"{HOME}/rival/predictions/demo-cxr.jsonl": (18, demo("mine now"), "not yours: owner is @rita"),
    f"{HOME}/rival/submission.yaml": (18, None, "not yours: owner is @rita"),
    "results/scores/zed/iu-xray.findings.json": (19, "{}", "score files are written by the scorer only"),
}
