"""CITATION.cff and .zenodo.json against their rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
import yaml

from scorer.citation_formats import cff
from scorer.citing import cite_snapshot, read_publisher
from tests.snapshots.world import PUBLISHER


def validator() -> jsonschema.protocols.Validator:
    """The official schema of CFF 1.2.0, as check-jsonschema carries it."""
    place = resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "citation-file-format.json"
    schema = json.loads(place.read_text("utf-8"))
    return jsonschema.validators.validator_for(schema)(schema)


def test_our_own_citation_file_is_valid(root: Path) -> None:
    document = yaml.load((root / "CITATION.cff").read_text("utf-8"), yaml.BaseLoader)
    validator().validate(document)


def test_the_citation_file_of_a_snapshot_is_valid(site_files: Mapping[str, bytes]) -> None:
    document = yaml.load(site_files["snapshots/2026.1/CITATION.cff"], yaml.BaseLoader)
    validator().validate(document)
    assert document["type"] == "dataset"


@pytest.mark.parametrize("doi", ["", "10.5281/zenodo.7"])
def test_with_and_without_a_doi_it_is_valid(doi: str) -> None:
    citation = cite_snapshot(PUBLISHER, version="2026.1", date="2026-03-02", doi=doi)
    validator().validate(yaml.load(cff(citation, commit="0" * 40), yaml.BaseLoader))


def test_zenodo_gets_what_its_form_asks_for(root: Path) -> None:
    document = json.loads((root / ".zenodo.json").read_text("utf-8"))
    assert document["upload_type"] in {"dataset", "software"}
    assert document["access_right"] == "open"
    assert document["license"]
    publisher = read_publisher(root / "CITATION.cff")
    assert [creator["name"] for creator in document["creators"]] == list(publisher.authors)
    assert document["title"] == publisher.title
