"""A host with a small repository, and how contributors and workflows see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorer.datasets import load
from tests.intake.conftest import lines
from tests.workflows.host import Host

CARD = "id: {model}\nname: {name}\nowner: {owner}\ntracks: [findings, findings_impression]\n"


def card(model: str = "zed", owner: str = "zoe", name: str = "") -> bytes:
    return CARD.format(model=model, owner=owner, name=name or model.capitalize()).encode()


def demo(mark: str = "zed") -> bytes:
    """Predictions for demo-cxr that nobody else has."""
    return lines(
        {
            "study_id": study.id,
            "findings": f"The lungs are clear, says {mark}.",
            "impression": f"Normal {n % 7}.",
        }
        for n, study in enumerate(load("demo-cxr"))
    )


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Main holds one entry, `rival`, of @rita."""
    made = Host(tmp_path / "host")
    made.commit(
        {
            "README.md": "hello\n",
            ".github/workflows/score.yml": "name: score\n",
            "results/submissions/rival/submission.yaml": card("rival", "rita", "Rival Net"),
            "results/submissions/rival/predictions/demo-cxr.jsonl": demo("rival"),
        },
        branch="main",
    )
    return made


@pytest.fixture
def base(host: Host, tmp_path: Path) -> Path:
    """What the workflow checks out: main."""
    return host.clone(tmp_path / "checkout")
