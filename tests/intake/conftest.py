"""Small worlds for intake tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli import rexrank
from scorer.errors import Problem

CARD = """\
id: zed
name: Zed
owner: someone
tracks: [findings, findings_impression]
"""


def lines(rows: Iterable[Mapping[str, object]]) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8")


def only(problems: Iterable[Problem]) -> Problem:
    """The one problem there is."""
    found = list(problems)
    assert len(found) == 1, [str(problem) for problem in found]
    return found[0]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """An empty results folder."""
    folder = tmp_path / "results"
    (folder / "submissions").mkdir(parents=True)
    return folder


@pytest.fixture
def write(results: Path) -> Callable[..., Path]:
    """Writes a submission folder: `write("zed", card=…, **{"demo-cxr.jsonl": bytes})` gives its path."""

    def make(model: str = "zed", card: str | bytes | None = None, files: Mapping[str, bytes] = {}) -> Path:
        folder = results / "submissions" / model
        (folder / "predictions").mkdir(parents=True, exist_ok=True)
        text = CARD.replace("zed", model).replace("Zed", model.capitalize()) if card is None else card
        (folder / "submission.yaml").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        for name, data in files.items():
            (folder / "predictions" / name).write_bytes(data)
        return folder

    return make


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs a verb; its own errors reach the test as exceptions."""

    def call(*arguments: object) -> Result:
        return CliRunner().invoke(rexrank, [str(argument) for argument in arguments], catch_exceptions=True)

    return call
