"""Cards: the packaged ones, those of a results folder, and what is refused."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from scorer.datasets import CARDS, READERS, card, cards
from scorer.datasets.catalogue import read_card
from scorer.errors import InputError, UsageError
from tests.datasets.world import CARD_YAML


def write_card(tmp_path: Path, text: str, name: str = "tiny") -> Path:
    path = tmp_path / "results" / "datasets" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refusal(tmp_path: Path, old: str, new: str) -> str:
    assert old in CARD_YAML
    with pytest.raises(InputError) as caught:
        read_card(write_card(tmp_path, CARD_YAML.replace(old, new)), READERS)
    return str(caught.value)


def test_cards_stand_in_board_order_and_every_packaged_card_is_registered(root: Path) -> None:
    assert tuple(found.id for found in cards()) == CARDS
    assert {path.stem for path in (root / "scorer/datasets/cards").glob("*.yaml")} == set(CARDS)


def test_closed_datasets_release_aggregates_only_and_hide_small_groups() -> None:
    for found in cards():
        if found.access != "open":
            assert found.release == "aggregate"
            assert not found.is_public
            assert found.min_subgroup >= 20
    assert {found.id for found in cards() if found.is_public} == {"demo-cxr", "iu-xray"}


def test_counts_are_those_of_the_published_files() -> None:
    n_track = {found.id: found.splits[found.split].n_track for found in cards()}
    assert n_track["mimic-cxr"] == {"findings": 2347, "findings_impression": 1624}
    assert n_track["chexpert-plus"] == {"findings": 62, "findings_impression": 62}
    assert n_track["iu-xray"] == {"findings": 590, "findings_impression": 590}
    assert card("rexgradient").splits["test"].n_studies == 10_000
    assert card("rexgradient-private").decimals == 3


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="'iuxray' is not a dataset; did you mean 'iu-xray'"):
        card("iuxray")
    with pytest.raises(UsageError, match="known: demo-cxr, iu-xray"):
        card("../../etc/passwd")


def test_a_results_folder_adds_boards_without_code(tmp_path: Path) -> None:
    write_card(tmp_path, CARD_YAML)
    results = tmp_path / "results"
    assert cards(results)[-1].id == "tiny"
    assert card("tiny", results).key == "tiny@1"
    with pytest.raises(UsageError, match="not a dataset"):
        card("tiny")


def test_a_results_folder_cannot_replace_a_packaged_card(tmp_path: Path) -> None:
    write_card(tmp_path, CARD_YAML.replace("id: tiny", "id: iu-xray"), "iu-xray")
    with pytest.raises(InputError, match=r"iu-xray\.yaml: 'iu-xray' is the id of a packaged dataset"):
        cards(tmp_path / "results")
    assert card("iu-xray", tmp_path / "results").name == "IU X-ray"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("licence: CC0", "license: CC0", "license: unknown key; did you mean 'licence'?"),
        ("n_studies: 3", "n_study: 3", "splits.test.n_study: unknown key; did you mean 'n_studies'?"),
        ("version: 1", "version: one", "version: Input should be a valid integer"),
        ("access: open", "access: public", "access: Input should be 'open'"),
        ("id: tiny", "id: Tiny", "id 'Tiny' is not the file's name in kebab-case"),
        ("split: test", "split: tests", "split 'tests' is not among splits: test"),
        ("[findings, findings_impression]", "[finding]", "tracks are one or more of findings"),
        ("reader: jsonl", "reader: excel", "reader 'excel' is not one of jsonl, rexgradient, rexrank-json"),
        ("access: open", "access: credentialed", "access 'credentialed' allows release 'aggregate' only"),
        ("release: texts", "release: aggregate", "min_subgroup is at least 20 with release 'aggregate'"),
        ("reader: jsonl", "reader: jsonl\nships_in: ../up", "ships_in is the name of a folder"),
        ("data add tiny PATH", "data add it", "how_to_get holds the line `rexrank data add tiny PATH`"),
        ("n_studies: 3", "n_studies: 3, digest: abc", "digest is 64 hexadecimal digits or empty"),
        ("name: Tiny", "name: Tiny\nname: Other", "tiny.yaml:4: name: 'name' stands twice, on lines 3 and 4"),
        ("name: Tiny", "name: Tiny: it", "tiny.yaml:3: not YAML"),
        ("version: 1", "version: 0", "version starts at 1"),
    ],
)
def test_a_wrong_card_is_refused_with_place_and_reason(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in refusal(tmp_path, old, new)


def test_every_problem_of_a_card_is_said_at_once(tmp_path: Path) -> None:
    path = write_card(tmp_path, CARD_YAML.replace("licence: CC0\n", "").replace("version: 1", "version: x"))
    with pytest.raises(InputError) as caught:
        read_card(path, READERS)
    assert {problem.field for problem in caught.value.problems} == {"licence", "version"}


HOSTILE = {
    "laughs": (
        "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*{'ab'[n > 0]}{n - 1 if n else ''}]\n" for n in range(9)),
        "anchors",
    ),
    "many anchors": ("".join(f"a{n}: &a{n} x\n" for n in range(4_000)), "anchors and aliases"),
    "many nodes": ("a: [" + "1," * 30_000 + "]", "more than 4,000 nodes"),
    "deep": ("a: " + "[" * 60_000, "deeper than 8"),
    "tag": ("a: !!python/object/apply:os.getcwd []\n", "tags"),
    "merge": (CARD_YAML + "<<: {access: open}\n", "merge keys"),
    "large": ("k: v\n" * 20_000, "over the limit (64 KiB): 97.7 KiB"),
    "not UTF-8": ("a: \udce9\n", "is not UTF-8"),
    "no day": (CARD_YAML.replace("name: Tiny", "name: 2027-02-31"), "a value that is none (ValueError)"),
}


@pytest.mark.parametrize(("text", "words"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_card_is_refused_at_once(tmp_path: Path, text: str, words: str) -> None:
    path = write_card(tmp_path, "")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    start = time.process_time()
    with pytest.raises(InputError) as caught:
        cards(tmp_path / "results")
    assert time.process_time() - start < 0.6
    assert words in str(caught.value)


def test_a_card_that_is_no_file_is_refused_and_nothing_waits_for_it(tmp_path: Path) -> None:
    path = write_card(tmp_path, "")
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(InputError, match=r"tiny\.yaml: is not a regular file"):
        cards(tmp_path / "results")
    path.unlink()
    (tmp_path / "secret").write_text("secret")
    path.symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match=r"tiny\.yaml: is a symbolic link"):
        cards(tmp_path / "results")


@pytest.mark.parametrize("text", ["", "[1, 2]", "just words", "name: 2027-01-01"])
def test_yaml_that_is_no_card_is_refused_without_a_trace(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read_card(write_card(tmp_path, text), READERS)
