"""Every hostile or broken input of a pull request, all in one, through the real command.

One pull request brings a folder for each input, beside a good one. The gate must name each in plain words, say all of
them at once, leave the good one alone, execute and write nothing, and stay within its time and memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from tests.workflows.attacks import ATTACKS, CANARY, ELSEWHERE, HOME, Attack
from tests.workflows.conftest import card, demo
from tests.workflows.host import File, Host, git
from tests.workflows.steps import ROOT

MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, file=open(sys.argv[1], "w"))
sys.exit(code)
"""
"""Runs a command and writes its peak of memory in MiB to a file; a process of its own, since a child begins as large
as its parent."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What three runs of the command gave. megabytes: the most memory of any of them."""

    problems: list[dict[str, Any]]
    annotations: list[str]
    terminal: str
    summary: str
    megabytes: float
    left_behind: list[str]


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    folder = tmp_path_factory.mktemp("attacks")
    host = Host(folder / "host")
    first: dict[str | bytes, File] = {
        "README.md": "hello\n",
        ".github/workflows/score.yml": "name: score\n",
        f"{HOME}/rival/submission.yaml": card("rival", "rita", "Rival Net"),
        f"{HOME}/rival/predictions/demo-cxr.jsonl": demo("rival"),
        f"{HOME}/med/submission.yaml": card("med", "mia", "MedGemma"),
    }
    host.commit(first, branch="main")
    base = host.clone(folder / "checkout")
    for setting in ("smudge", "clean", "process"):
        git(base, "config", f"filter.evil.{setting}", f"touch {folder}/{CANARY}")
    git(base, "config", "diff.evil.textconv", f"touch {folder}/{CANARY}")
    files: dict[str | bytes, File] = {
        f"{HOME}/zed/submission.yaml": card(),
        f"{HOME}/zed/predictions/demo-cxr.jsonl": demo(),
    }
    for attack in ATTACKS:
        files.update(attack.tree())
    files.update({path: content for path, (_, content, _) in ELSEWHERE.items()})
    head = host.pull_request(1, files)
    before = sorted(path for path in folder.rglob("*"))
    command = [
        *(sys.executable, "-m", "scorer.cli", "check", "--pull-request", host.main, head),
        *("--fetch", "origin", "--author", "zoe"),
    ]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "REXRANK_HOME": str(folder / "state"),
        "HOME": str(folder),
    }
    said, peaks = [], []
    for more in (["--json"], ["--annotations", "--summary", str(folder / "summary.md")], []):
        line = [sys.executable, "-c", MEASURED, str(folder / "peak"), *command, *more]
        done = subprocess.run(line, cwd=base, env=environment, capture_output=True, check=False, timeout=120)
        assert done.returncode == 1, done.stderr.decode()
        assert done.stderr == b"", "problems are results, and nothing else is said"
        said.append(done.stdout.decode("utf-8"))
        peaks.append(float((folder / "peak").read_text()))
    known = {*before, folder / "summary.md", folder / "peak"}
    return Verdict(
        problems=json.loads(said[0])["problems"],
        annotations=said[1].splitlines(),
        terminal=said[2],
        summary=(folder / "summary.md").read_text("utf-8"),
        megabytes=max(peaks),
        left_behind=[str(path) for path in folder.rglob("*") if path not in known],
    )


def of(verdict: Verdict, folder: str) -> list[dict[str, Any]]:
    return [p for p in verdict.problems if f"{p['path']}/".startswith(f"{folder}/")]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_an_input_is_refused_in_plain_words_or_accepted_as_documented(
    verdict: Verdict, attack: Attack
) -> None:
    found = of(verdict, f"{HOME}/{attack.id}")
    said = [
        f"{'warning: ' if p['severity'] == 'warning' else ''}{p['path']} {p['message']} {p['hint']}"
        for p in found
    ]
    errors = [p for p in found if p["severity"] == "error"]
    for words in attack.says:
        is_warning = words.startswith("warning: ")
        assert any(
            words.removeprefix("warning: ") in one and one.startswith("warning: ") == is_warning
            for one in said
        ), "\n".join(said)
    refused = any(not words.startswith("warning: ") for words in attack.says)
    assert bool(errors) == refused, said
    if attack.line and refused:
        assert attack.line in {p["line"] for p in errors}, found


@pytest.mark.parametrize("path", ELSEWHERE, ids=lambda path: path[:60])
def test_a_path_that_is_not_the_contributors_is_refused(verdict: Verdict, path: str) -> None:
    row, _, words = ELSEWHERE[path]
    found = [p for p in verdict.problems if p["path"] == path]
    assert [words in p["message"] for p in found] == [True], (row, found)


def test_the_good_submission_beside_them_is_good(verdict: Verdict) -> None:
    assert of(verdict, f"{HOME}/zed") == []
    assert f"{HOME}/zed: good" in verdict.terminal


def test_there_is_one_annotation_a_problem_and_no_other_command(verdict: Verdict) -> None:
    assert len(verdict.annotations) == len(verdict.problems)
    for line in verdict.annotations:
        assert line.startswith(("::error file=", "::warning file=")), line
        assert line.isprintable()


def test_nothing_untrusted_reaches_a_terminal_or_a_summary_unescaped(verdict: Verdict) -> None:
    assert all(line.isprintable() for line in verdict.terminal.splitlines())
    for sign in ("<script", "<svg", "<img", "](", "\u202e", "\u001b"):
        assert sign not in verdict.summary
    assert "root:" not in verdict.terminal + verdict.summary, "no link was followed"


def test_nothing_is_executed_or_left_behind(verdict: Verdict) -> None:
    assert verdict.left_behind == []


def test_all_of_them_together_take_less_than_512_mb(verdict: Verdict) -> None:
    """Their time is measured by benchmarks.intake."""
    assert 20 < verdict.megabytes < 512
