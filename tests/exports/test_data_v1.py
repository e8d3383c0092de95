"""Everything under /data/v1/: each file fits its schema, loads in pandas, and holds texts as texts."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

from scorer.snapshots.csv_text import csv_bytes, guarded
from scorer.snapshots.snapshot import CELL_COLUMNS
from site_builder import data_v1
from site_builder.data_v1.documents import SCHEMAS
from site_builder.page import Asset
from site_builder.world import World
from tests.exports.conftest import HOSTILE

ROOT = "data/v1/"


def schemas(files: Mapping[str, bytes]) -> dict[str, dict[str, object]]:
    return {name: json.loads(files[f"{ROOT}schema/{name}.json"]) for name in SCHEMAS}


def name_of(document: Mapping[str, str]) -> str:
    return document["format"].removeprefix("rexrank-").removesuffix("/1")


def test_every_json_file_fits_its_schema_and_every_schema_is_one(site_files: Mapping[str, bytes]) -> None:
    known = schemas(site_files)
    for schema in known.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    seen = set()
    paths = [p for p in site_files if p.startswith(ROOT) and p.endswith(".json") and "/schema/" not in p]
    for path in [*paths, "snapshots/2026.1/snapshot.json"]:
        if path.endswith("croissant.json"):
            continue
        document = json.loads(site_files[path])
        jsonschema.Draft202012Validator(known[name_of(document)]).validate(document)
        seen.add(name_of(document))
    assert seen == set(SCHEMAS), "a schema without a file that it describes"


def test_a_schema_refuses_what_it_does_not_describe(site_files: Mapping[str, bytes]) -> None:
    document = json.loads(site_files[f"{ROOT}boards/tiny-knee.findings.json"])
    validator = jsonschema.Draft202012Validator(schemas(site_files)["board"])
    assert validator.is_valid(document)
    for spoil in (
        lambda d: d.update(more=1),
        lambda d: d.pop("rows"),
        lambda d: d["rows"][0].update(n="24"),
        lambda d: d["rows"][0]["cells"]["bleu_2"].update(state="fine"),
    ):
        spoiled = json.loads(json.dumps(document))
        spoil(spoiled)
        assert not validator.is_valid(spoiled)


def test_the_index_lists_every_file_with_its_true_size_and_digest(site_files: Mapping[str, bytes]) -> None:
    index = json.loads(site_files[f"{ROOT}index.json"])
    listed = {entry["path"]: entry for entry in index["files"]}
    there = {p.removeprefix(ROOT) for p in site_files if p.startswith(ROOT) and "/schema/" not in p}
    assert set(listed) == there - {"index.json"}
    for path, entry in listed.items():
        data = site_files[ROOT + path]
        assert (entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        assert entry["schema_path"] is None or ROOT + entry["schema_path"] in site_files


def test_a_board_holds_what_the_record_holds(site_world: World, site_files: Mapping[str, bytes]) -> None:
    board = json.loads(site_files[f"{ROOT}boards/tiny-knee.findings.json"])
    record = site_world.records["good", "tiny-knee", "findings"]
    cells = next(row["cells"] for row in board["rows"] if row["model"] == "good")
    for estimate in record.estimates:
        cell = cells[estimate.metric]
        assert (cell["value"], cell["low"], cell["high"]) == (estimate.value, estimate.low, estimate.high)
        assert (cell["n"], cell["signature"]) == (estimate.n, estimate.signature)
    assert board["snapshot"] == "2026.2"


def test_csv_and_json_of_a_board_hold_the_same_numbers(site_files: Mapping[str, bytes]) -> None:
    board = json.loads(site_files[f"{ROOT}boards/tiny-knee.findings.json"])
    table = pd.read_csv(io.BytesIO(site_files[f"{ROOT}boards/tiny-knee.findings.csv"]))
    assert tuple(table.columns) == CELL_COLUMNS
    assert len(table) == len(board["rows"]) * len(board["columns"])
    values = table.set_index(["model", "metric"])["value"]
    for row in board["rows"]:
        for metric, cell in row["cells"].items():
            assert values[row["model"], metric] == cell["value"]


def test_a_model_file_carries_its_numbers_and_the_address_to_cite(site_files: Mapping[str, bytes]) -> None:
    document = json.loads(site_files[f"{ROOT}models/poor.json"])
    assert {place["board"] for place in document["places"]} == {
        "tiny-knee.findings",
        "tiny-knee.findings_impression",
    }
    place = document["places"][0]
    assert place["snapshot"] == "2026.2"
    assert place["address"] == "snapshots/2026.2/tiny-knee.findings/#poor"
    assert b'id="poor"' in site_files["snapshots/2026.2/tiny-knee.findings/index.html"]


def test_snapshots_are_listed_with_doi_and_digests(site_files: Mapping[str, bytes]) -> None:
    document = json.loads(site_files[f"{ROOT}snapshots.json"])
    assert document["latest"] == "2026.2"
    first, second = document["snapshots"]
    assert (first["doi"], second["doi"]) == ("10.5281/zenodo.7", None)
    for path, digest in first["files"].items():
        assert hashlib.sha256(site_files[first["page"] + path]).hexdigest() == digest


def test_corrections_are_there_with_their_reason(site_files: Mapping[str, bytes]) -> None:
    (one,) = json.loads(site_files[f"{ROOT}corrections.json"])["corrections"]
    assert (one["model"], one["outcome"], one["reason"]) == (
        "poor",
        "rejected",
        "The paper used another split.",
    )


def test_two_builds_give_the_same_bytes(site_world: World, site_files: Mapping[str, bytes]) -> None:
    again = {made.path: made.data for made in data_v1.make(site_world) if isinstance(made, Asset)}
    assert again == {path: data for path, data in site_files.items() if path.startswith(ROOT)}


def blocks(root: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (root / "docs" / "data.md").read_text("utf-8"), re.S)


def test_every_one_liner_of_the_docs_loads_its_file(
    root: Path, site_files: Mapping[str, bytes], tmp_path: Path
) -> None:
    for path, data in site_files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    codes = blocks(root)
    assert len(codes) == 5
    for code in codes:
        assert len(code.strip().splitlines()) == 1
        names: dict[str, object] = {"pandas": pd}
        exec(code.replace("SITE", str(tmp_path)).replace("demo-cxr", "tiny-knee"), names)
        loaded = [v for k, v in names.items() if isinstance(v, pd.DataFrame | pd.Series)]
        assert len(loaded) == 1


def test_every_column_and_file_of_version_1_is_documented(
    root: Path, site_files: Mapping[str, bytes]
) -> None:
    text = (root / "docs" / "data.md").read_text("utf-8")
    for column in CELL_COLUMNS:
        assert f"`{column}`" in text
    for path in site_files:
        if path.startswith(ROOT) and "/" not in (name := path.removeprefix(ROOT)):
            stem, _, ending = name.partition(".")
            assert f"`{name}`" in text or (f"`{stem}.json`, `.csv`" in text and ending == "csv"), name


@pytest.mark.parametrize("text", HOSTILE[:7])
def test_a_text_that_a_spreadsheet_would_run_is_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"
    cell = next(
        csv.reader(io.StringIO(csv_bytes(["a"], [{"a": text}]).decode().partition("\n")[2], newline=""))
    )[0]
    assert cell == f"'{text}"


def test_numbers_are_never_guarded_and_none_is_empty() -> None:
    row = {"a": -0.05, "b": -2, "c": None, "d": True, "e": "plain", "f": 1e-7}
    assert csv_bytes(list(row), [row]) == b"a,b,c,d,e,f\n-0.05,-2,,true,plain,1e-07\n"


def test_hostile_texts_are_guarded_in_csv_and_unchanged_in_json(hostile_world: World) -> None:
    files = {made.path: made.data for made in data_v1.make(hostile_world) if isinstance(made, Asset)}
    for path, data in files.items():
        if path.endswith(".csv"):
            for line in csv.reader(io.StringIO(data.decode(), newline="")):
                for value in line:
                    is_number = re.fullmatch(r"-?[0-9.e+-]+", value) is not None
                    assert is_number or not value.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r")), (
                        path,
                        value,
                    )
    models = json.loads(files[f"{ROOT}models.json"])["models"]
    assert {model["name"] for model in models} <= set(HOSTILE)
    assert any(model["name"] == HOSTILE[0] for model in models)
    for model in models:
        for link in model["links"]:
            assert link["url"].startswith("https://")
