"""Croissant: the official validator accepts the metadata, and its loader reads our tables by it."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path

import pytest

from site_builder import data_v1
from site_builder.page import Asset
from site_builder.world import World

mlcroissant = pytest.importorskip("mlcroissant", reason="the Croissant validator is a development dependency")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_the_validator_accepts_it_without_a_word(
    site_files: Mapping[str, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(jsonld=json.loads(site_files["data/v1/croissant.json"]))
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert not issues.warnings
    assert not caplog.records
    assert dataset.metadata.cite_as.startswith("@misc{rexrank-2026-2")


def test_the_validator_can_refuse(site_files: Mapping[str, bytes]) -> None:
    document = json.loads(site_files["data/v1/croissant.json"])
    document["recordSet"][0]["field"][0]["source"]["fileObject"]["@id"] = "nothing.csv"
    with pytest.raises(mlcroissant.ValidationError):
        mlcroissant.Dataset(jsonld=document)


def test_its_loader_reads_every_number_of_the_boards(
    site_world: World, site_files: Mapping[str, bytes], tmp_path: Path
) -> None:
    from dataclasses import replace

    nowhere = replace(site_world, base_url="", publisher=replace(site_world.publisher, url=""))
    for made in data_v1.make(nowhere):
        if isinstance(made, Asset) and made.path.count("/") == 2:
            (tmp_path / Path(made.path).name).write_bytes(made.data)
    dataset = mlcroissant.Dataset(jsonld=tmp_path / "croissant.json")
    records = list(dataset.records("boards"))
    board = json.loads(site_files["data/v1/boards/tiny-knee.findings.json"])
    expected = {
        (row["model"], metric): cell["value"]
        for row in board["rows"]
        for metric, cell in row["cells"].items()
    }
    read = {
        (record["boards/model"].decode(), record["boards/metric"].decode()): record["boards/value"]
        for record in records
        if record["boards/track"] == b"findings"
    }
    assert read == expected


def test_every_file_and_digest_is_true(site_files: Mapping[str, bytes]) -> None:
    import hashlib

    document = json.loads(site_files["data/v1/croissant.json"])
    for one in document["distribution"]:
        data = site_files["data/v1/" + one["name"]]
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
        assert one["contentUrl"] == f"https://board.example/x/data/v1/{one['name']}"
