"""The page about datasets says what is there."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from scorer.datasets import READERS, cards, load
from scorer.datasets.base import Card, Split
from scorer.datasets.catalogue import read_card


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/datasets.md").read_text(encoding="utf-8")


def test_every_dataset_stands_in_the_table_with_its_counts(page: str) -> None:
    rows = {
        row.split("`")[1]: [cell.strip() for cell in row.split("|")]
        for row in re.findall(r"(?m)^\| `.*$", page)
    }
    assert list(rows) == [card.id for card in cards()]
    for card in cards():
        split = card.splits[card.split]
        counts = [split.n_track.get(track) for track in ("findings", "findings_impression")]
        shown = [f"{n:,}" if n is not None else "counted when registered" for n in (split.n_studies, *counts)]
        assert rows[card.id][2:6] == [card.split, *shown]
        assert f"**{card.id}.**" in page


def test_the_sample_card_is_a_card_and_shows_every_field(page: str, tmp_path: Path) -> None:
    sample = page.split("```yaml\n")[1].split("```")[0]
    path = tmp_path / "knee-mri.yaml"
    path.write_text(sample, encoding="utf-8")
    assert read_card(path, READERS).id == "knee-mri"
    for field in (*dataclasses.fields(Card), *dataclasses.fields(Split)):
        assert field.name == "digest" or re.search(rf"\b{field.name}:", sample), field.name


def test_every_reader_and_the_size_of_the_demo_are_named(page: str) -> None:
    for reader in READERS:
        assert f"**`{reader}`**" in page
    assert (
        f"200 invented studies of {len({study.patient for study in load('demo-cxr')})} invented patients"
        in page
    )
