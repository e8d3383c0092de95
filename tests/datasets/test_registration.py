"""Registration: what is verified, what is remembered, and what is said when a dataset is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli.data import command
from scorer.datasets import CARDS, count_tracks, load, references_digest, register, state_of
from scorer.datasets import card as card_of
from scorer.errors import DatasetMissing, InputError, RexrankError, UsageError
from tests.datasets.world import CARD_YAML, study, write_json


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A results folder with one card for ReXrank JSON, and a copy of its three studies."""
    folder = tmp_path / "results" / "datasets"
    folder.mkdir(parents=True)
    (folder / "tiny.yaml").write_text(CARD_YAML.replace("jsonl", "rexrank-json"), encoding="utf-8")
    write_json(tmp_path / "copy.json", {id: study() for id in ("c", "a", "b")})
    return tmp_path


def add(world: Path, path: Path | None = None) -> None:
    register("tiny", path or world / "copy.json", world / "state", results_root=world / "results")


def get(world: Path, split: str | None = None) -> tuple[str, ...]:
    return tuple(s.id for s in load("tiny", split, world / "state", results_root=world / "results"))


def test_what_is_registered_is_loaded_in_ascending_order(world: Path) -> None:
    add(world)
    assert get(world) == ("a", "b", "c")
    assert state_of(card_of("tiny", world / "results"), world / "state") == "registered"


def test_what_is_not_registered_says_the_command(world: Path) -> None:
    for state in (None, world / "state"):
        with pytest.raises(DatasetMissing) as caught:
            load("tiny", state_dir=state, results_root=world / "results")
        assert caught.value.exit_code == 3
        assert caught.value.command == "rexrank data add tiny PATH"


def test_changed_references_are_refused(world: Path) -> None:
    add(world)
    write_json(world / "copy.json", {id: study(section_findings="Other.") for id in "abc"})
    with pytest.raises(InputError, match="test: the references have changed since they were registered"):
        get(world)
    add(world)
    assert get(world) == ("a", "b", "c")


def test_references_that_are_gone_say_the_command(world: Path) -> None:
    add(world)
    (world / "copy.json").unlink()
    with pytest.raises(
        DatasetMissing, match="no longer where they were registered; to get it: rexrank data add tiny"
    ):
        get(world)
    assert state_of(card_of("tiny", world / "results"), world / "state") == "gone"


def test_an_unknown_split_is_a_usage_error(world: Path) -> None:
    with pytest.raises(UsageError, match="'train' is not a split of tiny; it has test"):
        get(world, "train")


def test_wrong_counts_are_refused_and_nothing_is_registered(world: Path) -> None:
    write_json(world / "copy.json", {"a": study()})
    with pytest.raises(InputError, match="test: 1 studies, the card says 3; rexrank data add tiny PATH"):
        add(world)
    assert not (world / "state").exists()


def test_wrong_track_counts_are_refused(world: Path) -> None:
    path = world / "results/datasets/tiny.yaml"
    path.write_text(path.read_text().replace("n_studies: 3", "n_studies: 3, n_track: {findings: 2}"))
    with pytest.raises(InputError, match="test: 3 studies have the sections of findings, the card says 2"):
        add(world)


def test_another_digest_than_the_cards_is_refused(world: Path) -> None:
    path = world / "results/datasets/tiny.yaml"
    path.write_text(path.read_text().replace("n_studies: 3", "n_studies: 3, digest: " + "a" * 64))
    with pytest.raises(InputError, match="the counts agree but the references are not the ones"):
        add(world)


def test_a_card_that_moved_on_after_registration_is_noticed(world: Path) -> None:
    add(world)
    path = world / "results/datasets/tiny.yaml"
    path.write_text(path.read_text().replace("n_studies: 3", "n_studies: 3, digest: " + "a" * 64))
    with pytest.raises(InputError, match="register the copy the card describes"):
        get(world)


def test_a_path_that_is_not_there_or_holds_no_scored_split_is_refused(world: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        add(world, world / "nowhere")
    (world / "empty").mkdir()
    with pytest.raises(InputError, match="test: the scored split is not there"):
        add(world, world / "empty")


def test_a_damaged_state_file_says_how_to_mend_it(world: Path) -> None:
    add(world)
    (world / "state" / "datasets.json").write_text("{")
    with pytest.raises(InputError, match="delete it and register the datasets again"):
        get(world)


def test_a_dataset_of_a_fork_can_ship_with_its_card(world: Path) -> None:
    folder = world / "results/datasets"
    (folder / "tiny.yaml").write_text(CARD_YAML + "ships_in: tiny\n", encoding="utf-8")
    (folder / "tiny").mkdir()
    lines = "".join(json.dumps({"study_id": id, "findings": "Clear."}) + "\n" for id in "abc")
    (folder / "tiny" / "test.jsonl").write_text(lines, encoding="utf-8")
    assert get(world) == ("a", "b", "c")
    with pytest.raises(UsageError, match="ships with its card"):
        add(world)
    (folder / "tiny" / "test.jsonl").write_text(lines[:30].rstrip() + "\n", encoding="utf-8")
    with pytest.raises(InputError):
        get(world)


# The real thing


def test_iu_xray_is_the_published_file(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "iu_xray"
    found = register("iu-xray", folder, tmp_path)
    assert {split: len(studies) for split, studies in found.items()} == {"test": 590, "valid": 296}
    assert count_tracks(found["test"]) == {"findings": 590, "findings_impression": 590}
    test = load("iu-xray", state_dir=tmp_path)
    assert test == found["test"]
    assert references_digest(test) == card_of("iu-xray").splits["test"].digest
    assert load("iu-xray", "valid", tmp_path) == found["valid"]
    assert len({(s.reference.findings, s.reference.impression) for s in test}) == 425
    assert sum("XXXX" in s.reference.findings + s.reference.impression for s in test) == 236


def test_the_test_file_alone_registers_the_scored_split(shared: Path, tmp_path: Path) -> None:
    found = register("iu-xray", shared / "data/iu_xray/ReXRank_IUXray_test.json", tmp_path)
    assert list(found) == ["test"]
    with pytest.raises(DatasetMissing, match="the valid split of iu-xray was not there"):
        load("iu-xray", "valid", tmp_path)


# The command


def test_data_add_registers_and_data_list_says_so(shared: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    added = run(command, ["add", "iu-xray", str(shared / "data/iu_xray")])
    assert added.exit_code == 0
    assert "iu-xray test: 590 studies (590 in findings, 590 in findings_impression)" in added.stdout
    listed = json.loads(run(command, ["list", "--json"]).stdout)["datasets"]
    states = {entry["dataset"]: entry["state"] for entry in listed}
    assert states.pop("iu-xray") == "registered"
    assert states.pop("demo-cxr") == "ships"
    assert set(states.values()) == {"missing"}


def test_data_list_says_how_to_get_each_missing_dataset() -> None:
    result = CliRunner().invoke(command, ["list"])
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(CARDS)
    for id in CARDS[1:]:
        assert f"rexrank data add {id} PATH" in result.stderr


def test_data_add_says_so_when_the_state_cannot_be_written(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("REXRANK_HOME", str(tmp_path / "file"))
    result = CliRunner().invoke(command, ["add", "iu-xray", str(shared / "data/iu_xray")])
    assert isinstance(result.exception, RexrankError)
    assert "nothing was registered" in str(result.exception)


def test_data_add_refuses_another_dataset_in_figures_only(shared: Path) -> None:
    result = CliRunner().invoke(
        command, ["add", "mimic-cxr", str(shared / "data/iu_xray/ReXRank_IUXray_test.json")]
    )
    assert isinstance(result.exception, InputError)
    assert "590 studies: the patient is not named" in str(result.exception)
    assert "CXR" not in str(result.exception).replace("IUXray", "")
