"""Predictions and references: complete or refused, ids named only where they may be."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.datasets.base import Card, Split
from scorer.errors import InputError
from scorer.pairing import pair_studies
from scorer.text import Report
from scorer.types import Study


def card(release: str = "texts") -> Card:
    access = "open" if release == "texts" else "credentialed"
    return Card(
        id="tiny",
        version=1,
        name="Tiny",
        summary="x",
        split="test",
        splits={"test": Split(n_studies=3)},
        tracks=("findings", "findings_impression"),
        access=access,
        release=release,
        licence="x",
        source="x",
        how_to_get="x",
        reader="x",
    )


def studies(*ids: str, patient: str | None = None) -> list[Study]:
    return [
        Study(id=i, reference=Report(findings=f"F {i}", impression=f"I {i}"), patient=patient) for i in ids
    ]


def predictions(*ids: str) -> dict[str, Report]:
    return {i: Report(findings=f"f {i}", impression=f"i {i}") for i in ids}


def test_pairs_stand_in_order_of_study_id_whatever_order_they_came_in() -> None:
    ids = ["10", "9", "CXR9001_IM-0007", "12_34", "1234", "a"]
    run = pair_studies("zed", card(), "findings", predictions(*reversed(ids)), studies(*ids))
    assert run.study_ids == tuple(sorted(ids))
    assert run.predictions == tuple(f"f {i}" for i in sorted(ids))
    assert run.references == tuple(f"F {i}" for i in sorted(ids))
    assert (run.model, run.dataset, run.track, run.patients) == ("zed", "tiny", "findings", None)


def test_a_missing_study_is_refused_and_named() -> None:
    with pytest.raises(InputError) as caught:
        pair_studies("zed", card(), "findings", predictions("a", "b"), studies("a", "b", "c"))
    assert str(caught.value).startswith("3 references but 2 predictions: 1 study (c) has no prediction")


def test_an_extra_study_is_refused_and_named() -> None:
    with pytest.raises(
        InputError, match=r"2 references but 3 predictions: 1 study \(90000099\) has no place in tiny test"
    ):
        pair_studies("zed", card(), "findings", predictions("a", "b", "90000099"), studies("a", "b"))


def test_missing_and_extra_are_both_said_with_counts_and_the_first_five() -> None:
    wanted, given_ids = [f"r{n}" for n in range(9)], [f"p{n}" for n in range(7)]
    with pytest.raises(InputError) as caught:
        pair_studies("zed", card(), "findings", predictions(*given_ids), studies(*wanted))
    assert "9 studies (r0, r1, r2, r3, r4, …) have no prediction" in str(caught.value)
    assert "7 studies (p0, p1, p2, p3, p4, …) have no place" in str(caught.value)


def test_ids_of_a_closed_dataset_are_never_named() -> None:
    with pytest.raises(InputError) as caught:
        pair_studies(
            "zed", card("aggregate"), "findings", predictions("secret-1"), studies("secret-2", "secret-2")
        )
    assert "secret" not in str(caught.value)
    assert "1 study has no prediction" in str(caught.value)
    assert "1 study has more than one reference" in str(caught.value)


def test_two_references_for_one_study_are_refused() -> None:
    with pytest.raises(InputError, match=r"1 study \(a\) has more than one reference"):
        pair_studies("zed", card(), "findings", predictions("a"), studies("a", "a"))


def test_ids_that_look_like_equal_numbers_are_different_studies() -> None:
    ids = ["12_34", "1234", "42", "042", "1e5", "100000"]
    run = pair_studies("zed", card(), "findings", predictions(*ids), studies(*ids))
    assert run.n == 6


def test_a_study_counts_only_where_its_reference_has_the_sections() -> None:
    refs = [
        Study(id="both", reference=Report(findings="Clear.", impression="Normal.")),
        Study(id="findings only", reference=Report(findings="Heart is enlarged.")),
        Study(id="impression only", reference=Report(impression="Normal.")),
    ]
    given_reports = {s.id: Report(findings="Heart is enlarged.", impression="Cardiomegaly.") for s in refs}
    run = pair_studies("zed", card(), "findings", given_reports, refs)
    assert run.study_ids == ("both", "findings only")
    assert run.predictions[1] == run.references[1] == "Heart is enlarged."
    run = pair_studies("zed", card(), "findings_impression", given_reports, refs)
    assert run.study_ids == ("both",)


def test_a_prediction_is_needed_only_for_studies_that_count() -> None:
    refs = [*studies("a"), Study(id="b", reference=Report(impression="Normal."))]
    assert pair_studies("zed", card(), "findings", predictions("a"), refs).n == 1
    assert pair_studies("zed", card(), "findings", predictions("a", "b"), refs).n == 1


def test_an_empty_prediction_is_paired_and_counted() -> None:
    run = pair_studies(
        "zed", card(), "findings", {"a": Report(), "b": Report(findings="x")}, studies("a", "b")
    )
    assert (run.n, run.n_empty) == (2, 1)


def test_a_track_without_studies_is_refused() -> None:
    refs = [Study(id="a", reference=Report(impression="Normal."))]
    with pytest.raises(InputError, match="no study counts"):
        pair_studies("zed", card(), "findings", predictions("a"), refs)


def test_the_whole_reference_is_kept_when_the_prediction_is_short() -> None:
    refs = [Study(id="a", reference=Report(findings="Heart is enlarged. Lungs are clear. No bone lesion."))]
    run = pair_studies("zed", card(), "findings", {"a": Report(findings="Heart is enlarged.")}, refs)
    assert run.references == ("Heart is enlarged. Lungs are clear. No bone lesion.",)


def test_patients_are_clusters_and_a_study_without_one_is_its_own() -> None:
    refs = [*studies("a", "b", patient="p"), *studies("c")]
    run = pair_studies("zed", card(), "findings", predictions("a", "b", "c"), refs)
    assert run.patients == ("p", "p", "c")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=20, unique=True), st.randoms())
def test_any_order_gives_the_same_run(ids: list[str], shuffle: random.Random) -> None:
    one = pair_studies("zed", card(), "findings", predictions(*ids), studies(*ids))
    shuffle.shuffle(ids)
    assert pair_studies("zed", card(), "findings", predictions(*ids), studies(*ids)) == one
