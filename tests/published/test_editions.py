"""What `results/published` and `results/models` hold reads back strictly and in the order of time."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from scorer.errors import InputError
from scorer.metrics import METRICS as REGISTERED
from scorer.published import METRICS, Edition, metric, newest_edition, read_editions, read_model_cards
from scorer.published.slugs import assign_slugs, slug


def test_ten_editions_and_three_other_sources_stand_in_the_order_of_time(
    editions: tuple[Edition, ...],
) -> None:
    assert [edition.id.removeprefix("rexrank-repo-") for edition in editions] == [
        "2024-07-22",
        "2024-08-20",
        "2024-11-04",
        "2024-11-09",
        "2024-11-26",
        "2025-01-27",
        "2025-06-05",
        "2025-09-05",
        "2026-0b9b62e",
        "2026-d573c31",
        "moerad-readme-early",
        "moerad-readme-2026-01",
        "unirg-paper-2601.17151",
    ]
    assert Counter(edition.kind for edition in editions) == {"edition": 10, "authors": 2, "paper": 1}
    assert sum(len(edition.rows) for edition in editions) == 6334


def test_every_figure_names_a_source_that_can_be_looked_up(editions: tuple[Edition, ...]) -> None:
    for edition in editions:
        assert all(url.startswith("https://") for _, url in edition.links)
        assert edition.links
        assert all(row.edition == edition.id for row in edition.rows)
        lines = [row.line for row in edition.rows]
        assert lines == list(range(2, len(lines) + 2))
    assert editions[9].links[0] == (
        "rajpurkarlab/ReXrank at d573c31",
        "https://github.com/rajpurkarlab/ReXrank/tree/d573c317e201ad5af055a35ce9105f43d3ba1129",
    )
    assert editions[-1].links[0] == ("arXiv 2601.17151", "https://arxiv.org/abs/2601.17151")


def test_the_edition_of_which_two_files_were_seen_is_partial(editions: tuple[Edition, ...]) -> None:
    assert [edition.id for edition in editions if edition.is_partial] == ["rexrank-repo-2026-0b9b62e"]
    newest = newest_edition(editions, "rexgradient", "findings")
    assert newest is not None
    assert newest.id == "rexrank-repo-2026-d573c31"
    assert newest_edition(editions, "rexvqa", "vqa") is editions[7]
    assert newest_edition(editions, "rexvqa", "findings") is None


def test_every_published_model_has_one_card(editions: tuple[Edition, ...], root: Path) -> None:
    cards = read_model_cards(root / "results")
    names = {row.model for edition in editions for row in edition.rows}
    assert names <= {card.name for card in cards}
    assert len({card.slug for card in cards}) == len(cards) == 44
    (unirg,) = (card for card in cards if card.name == "UniRG-CXR")
    assert (unirg.slug, unirg.institution, unirg.parameters) == ("unirg-cxr", "Microsoft Research", "8B")
    (vqa,) = (card for card in cards if card.name == "Eagle2-9B")
    assert (vqa.institution, vqa.weights_open, vqa.training_data) == (None, None, None)


def test_every_column_has_one_meaning(editions: tuple[Edition, ...]) -> None:
    used = {row.metric for edition in editions for row in edition.rows}
    assert used == {entry.id for entry in METRICS}
    assert len(used) == len(METRICS)
    raw, inverse = metric("radcliq_v1"), metric("inv_radcliq_v1")
    assert (raw.better, inverse.better, inverse.reciprocal_of) == ("lower", "higher", "radcliq_v1")
    assert (raw.is_ranked, inverse.is_ranked) == (True, False)
    assert not metric("inv_fineradscore").is_ranked
    with pytest.raises(KeyError):
        metric("radcliq")


def test_a_column_that_we_score_too_has_the_same_direction() -> None:
    ours = {one.spec.id: one.spec for one in REGISTERED}
    shared = [entry for entry in METRICS if entry.id in ours]
    assert "bleu_2" in {entry.id for entry in shared}
    for entry in shared:
        assert entry.better == ours[entry.id].better, entry.id
        assert entry.is_recomputable


def test_a_reader_of_damaged_results_gets_every_problem(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "results" / "published", tmp_path / "published")
    shutil.copytree(root / "results" / "models", tmp_path / "models")
    folder = tmp_path / "published" / "rexrank-repo-2024-11-09"
    source = folder / "source.yaml"
    source.write_text(
        source.read_text().replace("order: 4", "order: 3").replace("kind: edition", "kind: rumour")
    )
    other = tmp_path / "published" / "rexrank-repo-2024-08-20" / "source.yaml"
    other.write_text(
        other.read_text().replace("order: 2", "order: 1").replace("2024-08-20\n", "2024-07-01\n")
    )
    scores = folder / "scores.csv"
    scores.write_text(scores.read_text().replace("0.", "1.", 1))
    with pytest.raises(InputError) as caught:
        read_editions(tmp_path)
    said = "\n".join(map(str, caught.value.problems))
    assert "kind: is not one of edition, authors, paper" in said
    assert "rexrank-repo-2024-08-20/source.yaml: order: 1 is also that of rexrank-repo-2024-07-22" in said
    assert "date: stands after rexrank-repo-2024-07-22, which is of 2024-07-22; sort by date" in said
    assert "scores.csv:2: value: 1." in said
    card = tmp_path / "models" / "unirg-cxr.yaml"
    card.write_text(card.read_text().replace("name: UniRG-CXR", "name: MedVersa"))
    with pytest.raises(InputError, match=r"name: is also the name in medversa\.yaml"):
        read_model_cards(tmp_path)


def test_an_empty_results_folder_has_no_edition_and_no_card(tmp_path: Path) -> None:
    assert read_editions(tmp_path) == ()
    assert read_model_cards(tmp_path) == ()


def test_addresses_are_readable_and_differ_whatever_the_name() -> None:
    names = ["C++ / v1.0", "C++ v1.0", "模型", "模型二", "Alpha", "alpha"]
    slugs = assign_slugs(names, {})
    assert len(set(slugs.values())) == 6
    assert all(value.isascii() and value == value.lower() and "--" not in value for value in slugs.values())
    assert slugs == assign_slugs(reversed(names), {})
    assert slug("MedGemma 1.5 4B") == "medgemma-1-5-4b"
    assert slug("C++ v1.0").startswith("c-v1-0-")


def test_a_new_model_never_moves_another_ones_address() -> None:
    before = assign_slugs(["Alpha", "Beta"], {})
    after = assign_slugs(["ALPHA", "Alpha", "Beta", "beta x"], before)
    assert {name: after[name] for name in before} == before
    assert len(set(after.values())) == 4
    assert after["ALPHA"].startswith("alpha-")
