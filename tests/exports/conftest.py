"""A scored tiny world with two snapshots, seen as the builder sees it; and one in which every text is hostile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.snapshots.corrections import Correction
from scorer.snapshots.freeze import place, snapshot_files, write_snapshot
from scorer.snapshots.gather import gather
from scorer.snapshots.version import Version
from scorer.types import MetricSpec
from site_builder.frozen import frozen_pages
from site_builder.page import Asset
from site_builder.reading import read_world
from site_builder.site import make_site
from site_builder.world import World
from tests.snapshots.world import PUBLISHER
from tests.snapshots.world import World as Repository
from tests.world import make_world, spoiled

SITE = "https://board.example/x/"

HOSTILE = (
    '=HYPERLINK("http://x";"y")',
    "+1+1",
    "-2",
    "@SUM(A1)",
    "\tTAB",
    "\rCR",
    " =1+1",
    "</script><script>alert(1)</script>",
    '"><svg/onload=alert(1)>',
    "]]> & \u2028 \u202e \x0b",
)


def build(folder: Path) -> World:
    """Two models, a snapshot, a third model, a second snapshot."""
    tiny = make_world(folder, release="texts")
    git = Repository(folder)
    (folder / ".gitignore").write_text("state/\n")
    git.git("init", "-q", "-b", "main")
    for version, added in (("2026.1", (("good", 0.1), ("poor", 0.6))), ("2026.2", (("middle", 0.3),))):
        for model, share in added:
            tiny.submit(model, spoiled(tiny.studies, share))
        tiny.score()
        git.commit("records")
        wanted = Version.parse(version)
        snapshot = gather(tiny.root, tiny.state).snapshot(wanted, git.repository.head())
        files = snapshot_files(snapshot, PUBLISHER, frozen_pages(snapshot, PUBLISHER))
        write_snapshot(place(tiny.root, wanted), files)
        git.commit(version)
    (tiny.root / "snapshots" / "doi.yaml").write_text("2026.1: 10.5281/zenodo.7\n")
    correction = tiny.root / "corrections" / "2026-12-01-poor-split.yaml"
    correction.parent.mkdir()
    correction.write_text(
        "kind: dispute\nmodel: poor\nwhat: The paper states another value.\n"
        "reason: The paper used another split.\ndecided_by: maintainers\noutcome: rejected\n"
    )
    return read_world(tiny.root, tiny.state, base_url=SITE)


@pytest.fixture(scope="session")
def site_world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build(tmp_path_factory.mktemp("exports"))


@pytest.fixture(scope="session")
def site_files(site_world: World) -> Mapping[str, bytes]:
    """Every file of the site that is no page."""
    return {made.path: made.data for made in make_site(site_world) if isinstance(made, Asset)}


@pytest.fixture(scope="session")
def hostile_world(site_world: World) -> World:
    """The same world with a hostile text wherever a submitter's or maintainer's words stand."""
    texts = iter(HOSTILE * 10)

    def spoil(world: World) -> World:
        models = {
            id: replace(
                m, name=next(texts), institutions=(next(texts),), weights=next(texts), note=next(texts)
            )
            for id, m in world.models.items()
        }
        boards = [
            replace(b, rows=[replace(r, label=models[r.model].name) for r in b.rows]) for b in world.boards
        ]
        metrics: list[MetricSpec] = [
            replace(m, changes=((2, "2026-12-02", next(texts)), *m.changes)) for m in world.metrics
        ]
        correction: Correction = world.corrections[0].model_copy(update={"what": next(texts)})
        publisher = replace(world.publisher, title=HOSTILE[7], authors=(HOSTILE[8],))
        return replace(
            world,
            models=models,
            boards=boards,
            metrics=metrics,
            corrections=[correction],
            publisher=publisher,
        )

    return spoil(site_world)
