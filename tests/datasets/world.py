"""Invented datasets for the tests of readers and registrations."""

from __future__ import annotations

import json
from pathlib import Path

from scorer.datasets.base import Card, Split


def make_card(**changes: object) -> Card:
    fields: dict[str, object] = {
        "id": "tiny",
        "version": 1,
        "name": "Tiny",
        "summary": "Three invented studies.",
        "split": "test",
        "splits": {"test": Split(n_studies=3)},
        "tracks": ("findings", "findings_impression"),
        "access": "open",
        "release": "texts",
        "licence": "CC0",
        "source": "invented",
        "how_to_get": "rexrank data add tiny PATH",
        "reader": "rexrank-json",
        "attributes": {"view": "Views", "sex": "Sex", "age_band": "Age"},
    }
    return Card(**{**fields, **changes})  # type: ignore[arg-type]


CLOSED = make_card(access="credentialed", release="aggregate", knows_patients=True, min_subgroup=20)


def study(**fields: object) -> dict[str, object]:
    return {"section_findings": "Lungs are clear.", "section_impression": "Normal chest.", **fields}


def write_json(path: Path, content: object) -> Path:
    """Python writes an absent section as the bare token NaN, as the ReXrank files do."""
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


CARD_YAML = """\
id: tiny
version: 1
name: Tiny
summary: Three invented studies.
split: test
splits:
  test: {n_studies: 3}
tracks: [findings, findings_impression]
access: open
release: texts
licence: CC0
source: invented
how_to_get: rexrank data add tiny PATH
reader: jsonl
"""
