"""Subgroups of the demo set: eight sites, and what the tables tell by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorer.cells import Workshop
from scorer.datasets.demo import copy_demo
from scorer.metrics.lexical import BLEU_2
from scorer.statistics import Bench
from scorer.subgroups import subgroups


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    folder = tmp_path_factory.mktemp("demo")
    copy_demo(folder / "results")
    made = Workshop(folder / "results", folder / "state")
    for cell in made.cells(["demo-hasty"]):
        made.fill(cell, Bench(weights_dir=folder, cache_dir=folder))
    return made


def test_the_eight_sites_are_estimated_and_their_studies_add_up(shop: Workshop) -> None:
    tables = {
        t.attribute: t for t in subgroups(shop, shop.card("demo-cxr"), "findings", "demo-hasty", [BLEU_2])
    }
    sites = tables["site"].by_metric["bleu_2"]
    assert len(sites.groups) == 8
    assert all(group.low is not None and group.low <= group.value <= group.high for group in sites.groups)  # type: ignore[operator]
    assert sites.worst in {group.label for group in sites.groups}
    bands = tables["length_band"].by_metric["bleu_2"]
    assert sum(group.n or 0 for group in bands.groups) == 190
    record = shop.results.read_record("demo-hasty", "demo-cxr", "findings")
    assert record is not None
    overall = record.estimate("bleu_2")
    assert overall is not None
    mean = sum((group.n or 0) * (group.value or 0) for group in bands.groups) / 190
    assert mean == pytest.approx(overall.value)


def test_without_tables_nothing_is_claimed(shop: Workshop, tmp_path: Path) -> None:
    assert subgroups(shop, shop.card("demo-cxr"), "findings", "nobody") == ()
