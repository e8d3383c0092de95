"""Pull requests as data: every hostile kind ends in plain words, nothing acts, nothing is written."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.checking.git import Git, quarantine
from scorer.cli import rexrank
from scorer.errors import RexrankError, UsageError
from scorer.guard import limits
from scorer.text import TRACKS
from tests.intake.conftest import lines
from tests.workflows.conftest import card, demo
from tests.workflows.host import File, Host, git

ZED = "results/submissions/zed"
RIVAL = "results/submissions/rival"
GOOD: dict[str | bytes, File] = {
    f"{ZED}/submission.yaml": card(),
    f"{ZED}/predictions/demo-cxr.jsonl": demo(),
}


def check(base: Path, head: str, *more: str) -> Result:
    """`rexrank check --pull-request` as validate.yml runs it, in the checkout of main."""
    commit = git(base, "rev-parse", "HEAD").decode().strip()
    arguments = ["check", "--pull-request", commit, head, "--fetch", "origin", "--author", "zoe", *more]
    return CliRunner().invoke(rexrank, arguments)


@pytest.fixture(autouse=True)
def nothing_is_written(base: Path, host: Host, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a pull request holds, main and the checkout stay as they were."""

    def state() -> tuple[bytes, list[str]]:
        files = sorted(
            str(p.relative_to(base)) for p in base.rglob("*") if ".git/" not in f"{p.relative_to(base)}/"
        )
        return git(base, "status", "--porcelain", "--ignored"), files

    monkeypatch.chdir(base)
    before = state()
    yield
    assert state() == before


def problems(base: Path, head: str, *more: str) -> list[dict[str, object]]:
    result = check(base, head, "--json", *more)
    assert result.exit_code == 1, result.output
    return list(json.loads(result.stdout)["problems"])


def test_a_good_pull_request_is_good_with_a_preview_inside_the_board(
    host: Host, base: Path, tmp_path: Path
) -> None:
    head = host.pull_request(1, GOOD)
    result = check(base, head, "--summary", str(tmp_path / "summary.md"))
    assert result.exit_code == 0, result.output
    assert "results/submissions/zed: good" in result.stdout
    summary = (tmp_path / "summary.md").read_text()
    assert "## Everything is in order" in summary
    assert "### Preview: demo-cxr, findings\n" in summary
    assert "| **zed** |" in summary
    assert "rexrank check --pull-request origin/main HEAD" in summary


HOSTILE: list[tuple[str, dict[str | bytes, File], str, str]] = [
    # (what, files on top of main, code, words of the message)
    ("workflow", {".github/workflows/score.yml": "on: push"}, "not-a-submission", "is not a submission path"),
    ("setup file", {"setup.py": "x"}, "not-a-submission", "is not a submission path"),
    ("git attributes", {".gitattributes": "* filter=x"}, "not-a-submission", "is not a submission path"),
    ("attributes inside", {f"{ZED}/.gitattributes": "* filter=x"}, "unexpected-file", "does not belong"),
    ("mailmap", {".mailmap": "x"}, "not-a-submission", "is not a submission path"),
    ("lfs configuration", {".lfsconfig": "x"}, "not-a-submission", "is not a submission path"),
    ("git modules", {".gitmodules": "x"}, "not-a-submission", "is not a submission path"),
    (
        "dataset card",
        {"results/datasets/mine.yaml": "id: mine"},
        "not-a-submission",
        "is not a submission path",
    ),
    (
        "published edition",
        {"results/published/x/scores.csv": "x"},
        "not-a-submission",
        "not a submission path",
    ),
    (
        "record",
        {"results/scores/zed/demo-cxr.findings.json": "{}"},
        "score-file",
        "written by the scorer only",
    ),
    ("scores inside", {f"{ZED}/scores/iu.json": "{}"}, "score-file", "written by the scorer only"),
    ("snapshot", {"results/snapshots/2027.1/board.csv": "x"}, "not-a-submission", "not a submission path"),
    ("line break in a path", {f"{ZED}/a\n::add-mask::a": "x"}, "unexpected-file", "does not belong"),
    ("not utf-8 path", {ZED.encode() + b"/\xff\xfe": "x"}, "unexpected-file", "does not belong"),
    ("bidi path", {f"{ZED}/predictions/iu\u202expl.jsonl": "x"}, "unexpected-file", "does not belong"),
    ("upper case file", {f"{ZED}/Submission.yaml": "x"}, "unexpected-file", "does not belong"),
    ("deep predictions", {f"{ZED}/predictions/a/demo-cxr.jsonl": "x"}, "unexpected-file", "does not belong"),
    (
        "symbolic link",
        {f"{ZED}/predictions/iu-xray.jsonl": ("120000", b"/etc/hostname")},
        "bad-mode",
        "symbolic link",
    ),
    (
        "link to another's",
        {f"{ZED}/predictions/iu-xray.jsonl": ("120000", b"../../rival/predictions/demo-cxr.jsonl")},
        "bad-mode",
        "mode 120000 (symbolic link)",
    ),
    ("linked card", {f"{ZED}/submission.yaml": ("120000", b"/etc/hostname")}, "bad-mode", "mode 120000"),
    (
        "gitlink",
        {f"{ZED}/predictions/iu-xray.jsonl": ("160000", b"1" * 40)},
        "bad-mode",
        "mode 160000 (link to another repository)",
    ),
    (
        "executable",
        {f"{ZED}/submission.yaml": ("100755", card())},
        "bad-mode",
        "mode 100755 (executable file)",
    ),
    (
        "slug con",
        {"results/submissions/con/submission.yaml": card("con")},
        "reserved-id",
        "'con' is a reserved name",
    ),
    (
        "slug aux",
        {"results/submissions/aux/submission.yaml": card("aux")},
        "reserved-id",
        "'aux' is a reserved name",
    ),
    ("slug a.", {"results/submissions/a./submission.yaml": card("a.")}, "bad-id", "ends in a dot"),
    ("slug 200", {f"results/submissions/{'x' * 200}/submission.yaml": card("x")}, "bad-id", "200 characters"),
    (
        "upper case slug",
        {"results/submissions/Zed/submission.yaml": card("Zed")},
        "bad-id",
        "'Zed' is not an id",
    ),
    (
        "lfs pointer",
        {f"{ZED}/predictions/iu-xray.jsonl": "version https://git-lfs.github.com/spec/v1\n"},
        "lfs-pointer",
        "Git LFS pointer",
    ),
    (
        "pickle called gz",
        {f"{ZED}/predictions/iu-xray.jsonl.gz": b"\x80\x04x"},
        "wrong-magic",
        "Python pickle",
    ),
    (
        "card of one megabyte",
        {f"{ZED}/submission.yaml": "k: v\n" * 210_000},
        "too-large",
        "over the limit (64 KiB)",
    ),
    (
        "closed dataset",
        {f"{ZED}/predictions/mimic-cxr.jsonl": "secret"},
        "closed-dataset",
        "must not lie in the repository",
    ),
    (
        "another's predictions",
        {f"{RIVAL}/predictions/demo-cxr.jsonl": demo("x")},
        "not-yours",
        "not yours: owner is @rita",
    ),
    (
        "another's card",
        {f"{RIVAL}/submission.yaml": card("rival", "zoe")},
        "not-yours",
        "not yours: owner is @rita",
    ),
    (
        "deletes another's",
        {f"{RIVAL}/predictions/demo-cxr.jsonl": None},
        "not-yours",
        "not yours: owner is @rita",
    ),
    (
        "look-alike",
        {f"{ZED}/submission.yaml": card(name="RivaI-Net")},
        "confusable-name",
        "can be taken for the existing entry 'rival'",
    ),
    (
        "copied predictions",
        {f"{ZED}/predictions/demo-cxr.jsonl": demo("rival")},
        "copied-predictions",
        "the same predictions as 'rival'",
    ),
    (
        "somebody else's name",
        {f"{ZED}/submission.yaml": card(owner="rita")},
        "not-yours",
        "by @zoe, the card says @rita",
    ),
]


@pytest.mark.parametrize(("files", "code", "words"), [h[1:] for h in HOSTILE], ids=[h[0] for h in HOSTILE])
def test_a_hostile_change_is_said_plainly_and_nothing_of_it_acts(
    host: Host, base: Path, files: dict[str | bytes, File], code: str, words: str
) -> None:
    head = host.pull_request(1, {**GOOD, **files})
    start = time.perf_counter()
    found = problems(base, head)
    assert time.perf_counter() - start < 10
    hits = [p for p in found if p["code"] == code]
    assert hits, found
    assert words in str(hits[0]["message"])
    for p in found:
        assert "\n" not in f"{p['path']}{p['message']}{p['hint']}"
        assert f"{p['path']}{p['message']}{p['hint']}".isprintable()
        assert "secret" not in str(p)


def test_a_link_is_never_followed(host: Host, base: Path) -> None:
    head = host.pull_request(1, {f"{ZED}/submission.yaml": ("120000", b"/etc/passwd")})
    result = check(base, head)
    assert result.exit_code == 1
    assert "root:" not in result.output


def test_annotations_escape_what_a_path_could_inject(host: Host, base: Path) -> None:
    head = host.pull_request(1, {**GOOD, f"{ZED}/a\r\n::add-mask::a%0A,b:c": "x"})
    result = check(base, head, "--annotations")
    printed = result.stdout.splitlines()
    assert len(printed) == 1
    assert printed[0].startswith(
        "::error file=results/submissions/zed/a\\r\\n%3A%3Aadd-mask%3A%3Aa%250A%2Cb%3Ac,title="
    )


def test_annotations_carry_file_and_line_one_per_problem(host: Host, base: Path) -> None:
    text = card().replace(b"[findings,", b"[finding,") + b"instituton: x\n"
    head = host.pull_request(1, {**GOOD, f"{ZED}/submission.yaml": text})
    printed = check(base, head, "--annotations").stdout.splitlines()
    assert printed == [
        "::error file=results/submissions/zed/submission.yaml,line=4,title=not-a-choice::"
        "tracks: 'finding' is not a track (fix: did you mean 'findings'?)",
        "::error file=results/submissions/zed/submission.yaml,line=5,title=unknown-key::"
        "instituton: unknown key 'instituton' (fix: did you mean 'institutions'?)",
    ]


def test_the_summary_lists_every_problem_as_text(host: Host, base: Path, tmp_path: Path) -> None:
    text = card() + b"'[x](javascript:alert(1))<img>': 1\ndate: soon\n"
    head = host.pull_request(1, {**GOOD, f"{ZED}/submission.yaml": text})
    check(base, head, "--summary", str(tmp_path / "summary.md"))
    summary = (tmp_path / "summary.md").read_text()
    assert "## 2 problems to fix" in summary
    assert "<img>" not in summary
    assert "](" not in summary
    assert "Preview" not in summary


def test_a_file_over_the_cap_is_refused_without_being_downloaded(
    host: Host, base: Path, tmp_path: Path
) -> None:
    large = b'{"study_id": "a", "findings": "' + b"x" * 40_000_000 + b'"}\n'
    head = host.pull_request(1, {**GOOD, f"{ZED}/predictions/iu-xray.jsonl": large})
    found = problems(base, head)
    assert [(p["code"], p["path"], p["message"]) for p in found] == [
        ("too-large", f"{ZED}/predictions/iu-xray.jsonl", "over the limit (32 MiB)")
    ]
    blob = git(host.origin, "rev-parse", f"{head}:{ZED}/predictions/iu-xray.jsonl").decode().strip()
    with quarantine(base, "origin", head) as got:
        assert got.blob(blob, 10**9) is None, "it stays away"
        assert not list(got.folder.glob("FETCH_HEAD"))
    with pytest.raises(RexrankError):
        Git(base).run("cat-file", "-e", blob)


def test_a_packed_file_has_its_own_cap(host: Host, base: Path) -> None:
    packed = b"\x1f\x8b" + bytes(range(256)) * 100_000
    head = host.pull_request(1, {**GOOD, f"{ZED}/predictions/iu-xray.jsonl.gz": packed})
    assert [p["message"] for p in problems(base, head)] == ["over the limit (16 MiB): 24.4 MiB"]


def test_a_commit_in_between_cannot_smuggle_in_a_large_file(host: Host, base: Path) -> None:
    between = host.commit({"results/submissions/zed/predictions/big.jsonl": b"x" * 40_000_000}, host.main)
    head = host.pull_request(1, {**GOOD, "results/submissions/zed/predictions/big.jsonl": None}, between)
    assert [(p["code"]) for p in problems(base, head)] == ["large-history"]


def test_files_that_are_new_on_main_are_not_taken_for_deletions(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = host.pull_request(1, GOOD)
    host.commit({"results/submissions/other/submission.yaml": card("other", "olga")}, host.main, "main")
    newer = host.clone(tmp_path / "newer")
    monkeypatch.chdir(newer)
    assert check(newer, head).exit_code == 0


def test_an_id_that_was_taken_meanwhile_is_refused(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = host.pull_request(1, GOOD)
    host.commit({f"{ZED}/submission.yaml": card("zed", "olga")}, host.main, "main")
    newer = host.clone(tmp_path / "newer")
    monkeypatch.chdir(newer)
    assert {p["message"] for p in problems(newer, head)} == {"not yours: owner is @olga"}


def test_the_owner_may_change_the_entry_and_only_the_owner(host: Host, base: Path) -> None:
    changed = {f"{RIVAL}/predictions/demo-cxr.jsonl": demo("rival, second version")}
    head = host.pull_request(1, changed)
    assert check(base, head, "--author", "Rita").exit_code == 0, "accounts do not differ by case"
    assert check(base, head, "--author", "zoe").exit_code == 1
    assert check(base, head, "--author", "zoe", "--role", "maintainer").exit_code == 0


def test_an_owner_may_swap_the_plain_file_for_a_packed_one(host: Host, base: Path) -> None:
    files: dict[str | bytes, File] = {
        f"{RIVAL}/predictions/demo-cxr.jsonl": None,
        f"{RIVAL}/predictions/demo-cxr.jsonl.gz": gzip.compress(demo("rival")),
    }
    assert check(base, host.pull_request(1, files), "--author", "rita").exit_code == 0


def test_an_entry_is_withdrawn_and_not_deleted(host: Host, base: Path) -> None:
    files: dict[str | bytes, File] = dict.fromkeys(
        (f"{RIVAL}/submission.yaml", f"{RIVAL}/predictions/demo-cxr.jsonl"), None
    )
    found = problems(base, host.pull_request(1, files), "--author", "rita")
    assert [p["code"] for p in found] == ["deleted-entry"]
    assert "lifecycle: withdrawn" in str(found[0]["hint"])


def test_giving_an_entry_away_is_told_to_the_reviewer(host: Host, base: Path) -> None:
    head = host.pull_request(1, {f"{RIVAL}/submission.yaml": card("rival", "zoe", "Rival Net")})
    result = check(base, head, "--author", "rita", "--json")
    assert result.exit_code == 0
    assert [p["message"] for p in json.loads(result.stdout)["problems"]] == [
        "would give the entry from @rita to @zoe"
    ]


def test_two_entries_of_one_pull_request_cannot_copy_each_other(host: Host, base: Path) -> None:
    other = "results/submissions/zed-b"
    files = {**GOOD, f"{other}/submission.yaml": card("zed-b"), f"{other}/predictions/demo-cxr.jsonl": demo()}
    assert {p["code"] for p in problems(base, host.pull_request(1, files))} == {"copied-predictions"}


def test_all_problems_of_a_pull_request_are_said_at_once(host: Host, base: Path) -> None:
    files: dict[str | bytes, File] = {
        "setup.py": "x",
        f"{ZED}/submission.yaml": "id: other\nname: <x>\n",
        f"{ZED}/predictions/demo-cxr.jsonl": b'{"study_id": 1}\n{',
        f"{RIVAL}/submission.yaml": None,
    }
    codes = {str(p["code"]) for p in problems(base, host.pull_request(1, files))}
    assert codes >= {
        "not-a-submission",
        "wrong-folder",
        "angle-brackets",
        "missing-field",
        "id-not-text",
        "broken-json",
        "not-yours",
    }


def test_a_maintainer_may_touch_other_paths_and_score_files_stay_the_scorers(host: Host, base: Path) -> None:
    head = host.pull_request(1, {"README.md": "changed", "results/datasets/knee.yaml": "id: knee"})
    assert check(base, head, "--role", "maintainer").exit_code == 0
    head = host.pull_request(2, {"results/scores/zed/demo-cxr.findings.json": "{}"})
    assert check(base, head, "--role", "maintainer").exit_code == 1


def test_too_many_files_are_refused_before_any_is_read(host: Host, base: Path) -> None:
    files = {f"results/submissions/m{n}/submission.yaml": b"x" for n in range(501)}
    assert [p["code"] for p in problems(base, host.pull_request(1, dict(files)))] == ["too-many-files"]


@pytest.mark.parametrize("is_packed", [False, True])
def test_no_further_file_is_read_beyond_the_limit_of_a_pull_request(
    host: Host, base: Path, monkeypatch: pytest.MonkeyPatch, is_packed: bool
) -> None:
    """Whatever is unpacked counts, so that many small packed files cannot cost more than a few large ones."""
    files: dict[str | bytes, File] = {}
    for n in range(4):
        home, data = f"results/submissions/zed-{n}x", demo(f"zed {n}")
        files[f"{home}/submission.yaml"] = card(f"zed-{n}x")
        files[f"{home}/predictions/demo-cxr.jsonl{'.gz' * is_packed}"] = (
            gzip.compress(data) if is_packed else data
        )
    monkeypatch.setattr(limits, "PULL_REQUEST_BYTES", 2 * len(demo("zed 0")))
    found = problems(base, host.pull_request(1, files))
    assert [(p["code"], str(p["path"]).split("/")[2]) for p in found] == [
        ("too-much", "zed-2x"),
        ("too-much", "zed-3x"),
    ]
    assert str(found[0]["message"]).startswith(
        "not read: the files before it reach the limit of a pull request ("
    )


@pytest.mark.parametrize(
    "head", ["main", "HEAD~1", "--upload-pack=touch x", "0" * 39, "0" * 40 + "x", "Z" * 40, ""]
)
def test_only_a_full_commit_id_is_fetched(base: Path, head: str) -> None:
    with pytest.raises(UsageError, match="not a full commit id"), quarantine(base, "origin", head):
        pass


def test_a_damaged_object_is_refused_while_it_comes_in(host: Host, base: Path) -> None:
    tree = b"100644 .git\0" + bytes.fromhex(
        git(host.origin, "hash-object", "-w", "--stdin", data=b"x").decode()
    )
    made = (
        git(host.origin, "hash-object", "-t", "tree", "-w", "--stdin", "--literally", data=tree)
        .decode()
        .strip()
    )
    head = git(host.origin, "commit-tree", made, "-p", host.main, "-m", "x").decode().strip()
    git(host.origin, "update-ref", "refs/pull/1/head", head)
    [problem] = problems(base, head)
    assert str(problem["message"]).startswith("git fetch failed (")
    assert "git refuses something in it" in str(problem["message"])


@pytest.mark.parametrize("name", [b"..", b".", b"", b".git", b".GIT"], ids=repr)
def test_a_path_that_no_folder_can_have_is_refused_while_it_comes_in(
    host: Host, base: Path, name: bytes
) -> None:
    def tree(mode: bytes, name: bytes, object: str) -> str:
        data = mode + b" " + name + b"\0" + bytes.fromhex(object)
        line = ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"]
        return git(host.origin, *line, data=data).decode().strip()

    blob = git(host.origin, "hash-object", "-w", "--stdin", data=card()).decode().strip()
    folder = tree(b"40000", name, tree(b"100644", b"submission.yaml", blob))
    made = tree(b"40000", b"results", tree(b"40000", b"submissions", folder))
    head = git(host.origin, "commit-tree", made, "-p", host.main, "-m", "x").decode().strip()
    git(host.origin, "update-ref", "refs/pull/1/head", head)
    result = check(base, head, "--annotations")
    assert result.exit_code == 1
    [line] = result.stdout.splitlines()
    assert line.startswith("::error title=cannot-fetch::git fetch failed (")


JUNK_PAIRS = [b"", b"[]", b"{}", b"\xff", b'{"columns": []}', b'{"columns": {"bleu_2": 3}}', b"[" * 100_000]


def test_junk_in_place_of_a_pair_table_is_refused_even_from_the_scorer(host: Host, base: Path) -> None:
    """Each under the name of a closed dataset that exists."""
    names = [
        f"{d}.{t}"
        for d in ("mimic-cxr", "chexpert-plus", "rexgradient", "rexgradient-private")
        for t in TRACKS
    ]
    files = {f"results/pairs/{name}.json": junk for name, junk in zip(names, JUNK_PAIRS, strict=False)}
    found = problems(base, host.pull_request(1, dict(files)), "--role", "scorer")
    assert {p["path"] for p in found} == set(files)
    for p in found:
        assert p["code"] == "impossible"
        assert "is not in the form of pairs (" in str(p["message"])


def test_hooks_filters_and_settings_of_a_checkout_do_not_act(host: Host, base: Path, tmp_path: Path) -> None:
    sentinel = tmp_path / "sentinel"
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        file = base / ".git" / "hooks" / hook
        file.write_text(f"#!/bin/sh\ntouch {sentinel}\n")
        file.chmod(0o755)
    head = host.pull_request(1, {**GOOD, ".gitattributes": "* filter=evil diff=evil\n"})
    check(base, head)
    assert not sentinel.exists()


def test_a_range_that_changes_nothing_is_said(host: Host, base: Path) -> None:
    assert [p["code"] for p in problems(base, host.main)] == ["nothing-changed"]


def test_twenty_submissions_are_checked_within_ten_seconds(host: Host, base: Path) -> None:
    text = "The heart is of normal size and the lungs are clear. No effusion is seen on either side. " * 3
    files: dict[str | bytes, File] = {}
    for n in range(20):
        rows = ({"study_id": f"s{i}", "findings": f"{text} {n} {i}"} for i in range(590))
        files[f"results/submissions/m{n}/submission.yaml"] = card(f"m{n}")
        files[f"results/submissions/m{n}/predictions/iu-xray.jsonl"] = lines(rows)
    head = host.pull_request(1, files)
    start = time.process_time()
    assert check(base, head).exit_code == 0
    assert time.process_time() - start < 10
