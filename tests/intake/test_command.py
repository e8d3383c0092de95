"""The command itself: what it says when something fails that nobody foresaw, and when the disk is full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import scorer.cli
from scorer.cli import main
from tests.intake.test_check import demo
from tests.workflows.steps import ROOT

Write = Callable[..., Path]
SECRET = "The heart is enlarged, study 4711"


def raising(error: BaseException) -> Callable[..., None]:
    def run(*_: object, **__: object) -> None:
        raise error

    return run


@pytest.mark.parametrize(
    "kind", [ValueError, KeyError, RuntimeError, AssertionError, UnicodeError, RecursionError]
)
def test_an_unforeseen_error_is_told_by_class_and_place_and_never_by_its_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: type[Exception]
) -> None:
    monkeypatch.setattr(scorer.cli.rexrank, "main", raising(kind(SECRET)))
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr()
    assert stopped.value.code == 1
    assert said.out == ""
    assert said.err.startswith(f"rexrank: unexpected {kind.__name__} at test_command.py:")
    assert "please report this line" in said.err
    assert "heart" not in said.err
    assert "4711" not in said.err


def test_an_error_of_the_system_is_told_in_its_words_with_the_file_escaped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = OSError(28, "No space left on device", "a\x1b[31m\n::error::b")
    monkeypatch.setattr(scorer.cli.rexrank, "main", raising(error))
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().err
    assert said == ("rexrank: No space left on device (a\\x1b[31m\\n::error::b); what was finished is kept\n")


def limited(kib: int, here: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command where no file may grow beyond some KiB (`ulimit -f`)."""
    line = f'ulimit -f {kib}; exec "$0" -m scorer.cli "$@"'
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "REXRANK_HOME": str(here / "home"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = ["bash", "-c", line, sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)


def test_an_import_that_outgrows_the_disk_leaves_the_old_file_and_no_rest(
    write: Write, tmp_path: Path
) -> None:
    folder = write(files={"demo-cxr.jsonl": b"old"}) / "predictions"
    (tmp_path / "preds.jsonl").write_bytes(demo())
    done = limited(8, tmp_path, "import", "preds.jsonl", "--dataset", "demo-cxr", "--model", "zed")
    assert done.returncode == 1, done.stderr
    assert "cannot be written (File too large); what was there is untouched" in done.stderr
    assert "Traceback" not in done.stderr
    assert [(file.name, file.read_bytes()) for file in folder.iterdir()] == [("demo-cxr.jsonl", b"old")]


def test_scoring_that_outgrows_the_disk_says_so_and_goes_on_when_there_is_room(
    write: Write, tmp_path: Path
) -> None:
    write(files={"demo-cxr.jsonl": demo()})
    scores = tmp_path / "results" / "scores"
    done = limited(4, tmp_path, "score", "zed", "--dataset", "demo-cxr")
    assert done.returncode == 1, done.stderr
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert not [file for file in scores.rglob("*") if file.name.startswith(".") or file.suffix == ".json"]
    done = limited(4096, tmp_path, "score", "zed", "--dataset", "demo-cxr")
    assert done.returncode == 0, done.stderr
    assert json.loads((scores / "zed" / "demo-cxr.findings.json").read_text())["n"] > 100


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_result_that_cannot_be_printed_is_an_error(write: Write, tmp_path: Path) -> None:
    folder = write(files={"demo-cxr.jsonl": demo()})
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "REXRANK_HOME": str(tmp_path)}
    line = [sys.executable, "-m", "scorer.cli", "check", str(folder), "--json"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            line, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "rexrank: No space left on device; what was finished is kept\n"
