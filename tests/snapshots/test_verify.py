"""Verifying: any edited byte is found and named, whatever else was edited with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorer.snapshots.freeze import sums
from scorer.snapshots.repository import Repository
from scorer.snapshots.verify import Proof, first_difference, known_versions, verify
from scorer.snapshots.version import Version
from scorer.store import Results
from tests.snapshots.world import World, make_world, record

V1 = Version(2026, 1)


def prove(world: World, version: Version = V1) -> Proof:
    return verify(world.results, version, world.repository)


def resum(folder: Path) -> None:
    """Makes SHA256SUMS fit the edited files, as a careful editor would."""
    files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    del files["SHA256SUMS"]
    (folder / "SHA256SUMS").write_bytes(sums(files))


def test_an_untouched_snapshot_is_proved_against_the_commit_that_added_it(world: World) -> None:
    world.freeze()
    commit = world.git("rev-parse", "HEAD").strip()
    proof = prove(world)
    assert proof.ok
    assert proof.is_complete
    assert (proof.anchor, proof.n_files, proof.n_records) == (f"commit {commit}", 5, 3)


def test_an_untouched_snapshot_is_proved_against_its_tag(world: World) -> None:
    world.freeze()
    world.git("tag", "-a", "-m", "frozen", "snapshot-2026.1")
    assert prove(world).anchor == "tag snapshot-2026.1"
    assert prove(world).ok


@pytest.mark.parametrize("name", ["snapshot.json", "board.csv", "CITATION.cff", "SHA256SUMS", "index.html"])
def test_an_edited_byte_is_named_with_file_offset_and_line_even_when_the_sums_were_edited_too(
    world: World, name: str
) -> None:
    folder = world.freeze()
    path = folder / name
    data = bytearray(path.read_bytes())
    offset = len(data) - 2
    data[offset] ^= 0x01
    path.write_bytes(bytes(data))
    if name != "SHA256SUMS":
        resum(folder)
    world.commit("quiet edit")
    found = {p.path: p for p in prove(world).problems}
    problem = found[f"results/snapshots/2026.1/{name}"]
    assert problem.code == "changed"
    assert f"byte {offset} " in problem.message
    assert problem.line == bytes(data).count(b"\n", 0, offset) + 1
    assert "git checkout" in problem.hint


def test_a_moved_history_does_not_help_when_there_is_a_tag(world: World) -> None:
    folder = world.freeze()
    world.git("tag", "snapshot-2026.1")
    (folder / "board.csv").write_bytes((folder / "board.csv").read_bytes().replace(b"0.5,", b"0.6,"))
    resum(folder)
    world.git("add", "-A")
    world.git("commit", "-q", "--amend", "-m", "snapshot 2026.1")
    proof = prove(world)
    assert {p.path for p in proof.problems} == {
        "results/snapshots/2026.1/board.csv",
        "results/snapshots/2026.1/SHA256SUMS",
    }


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_single_byte_edit_is_found(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    world = _frozen(tmp_path_factory)
    folder = world.results / "snapshots" / "2026.1"
    name = data.draw(st.sampled_from(sorted(p.name for p in folder.iterdir())))
    path = folder / name
    before = path.read_bytes()
    offset = data.draw(st.integers(0, len(before) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda v: v != before[offset]))
    try:
        path.write_bytes(before[:offset] + bytes([value]) + before[offset + 1 :])
        problems = [p for p in prove(world).problems if p.path.endswith(f"/{name}")]
        assert any(f"byte {offset} is" in p.message for p in problems)
    finally:
        path.write_bytes(before)


_WORLD: list[World] = []


def _frozen(factory: pytest.TempPathFactory) -> World:
    if not _WORLD:
        _WORLD.append(make_world(factory.mktemp("frozen") / "repository"))
        _WORLD[0].freeze()
    return _WORLD[0]


def test_missing_and_extra_files_are_named(world: World) -> None:
    folder = world.freeze()
    (folder / "index.html").unlink()
    (folder / "more.txt").write_text("x")
    found = {p.path.rsplit("/", 1)[1]: p.code for p in prove(world).problems}
    assert found == {"index.html": "gone", "more.txt": "extra"}


def test_a_file_replaced_by_a_link_to_the_same_bytes_is_a_change(world: World) -> None:
    folder = world.freeze()
    shutil.copy(folder / "board.csv", world.root / "copy.csv")
    (folder / "board.csv").unlink()
    (folder / "board.csv").symlink_to(world.root / "copy.csv")
    assert [p.path for p in prove(world).problems] == ["results/snapshots/2026.1/board.csv"]


def test_a_removed_snapshot_is_still_known_and_reported(world: World) -> None:
    folder = world.freeze()
    shutil.rmtree(folder)
    world.commit("remove")
    assert known_versions(world.results, world.repository) == (V1,)
    assert [p.code for p in prove(world).problems] == ["gone"]
    world.git("tag", "snapshot-2026.7", "HEAD~1")
    assert Version(2026, 7) in known_versions(world.results, world.repository)


def test_a_record_that_the_commit_does_not_hold_is_named(world: World) -> None:
    results = Results(world.results)
    results.write_record(record("alpha", 0.9))  # frozen from an uncommitted record: the digest cannot fit
    world.freeze()
    problems = prove(world).problems
    assert [(p.code, p.field) for p in problems] == [("record", "scores/alpha/open-set.findings.json")]


def test_without_git_the_sums_alone_are_compared_and_that_is_said(world: World, tmp_path: Path) -> None:
    world.freeze()
    copy = tmp_path / "unpacked" / "results"
    shutil.copytree(world.results, copy)
    assert Repository.around(copy) is None
    proof = verify(copy, V1, None)
    assert proof.ok
    assert "not a git checkout" in proof.notes[0]
    (copy / "snapshots" / "2026.1" / "board.csv").write_text("x")
    assert [p.code for p in verify(copy, V1, None).problems] == ["changed"]


def test_a_shallow_clone_says_that_it_cannot_prove_the_bytes_unless_the_tag_is_there(
    world: World, tmp_path: Path
) -> None:
    world.freeze()
    (world.root / "later").write_text("x")
    world.commit("later")
    shallow = World(tmp_path / "shallow")
    world.git("clone", "-q", "--depth", "1", world.root.as_uri(), str(shallow.root))
    proof = prove(shallow)
    assert not proof.is_complete
    assert any("git fetch --unshallow" in note for note in proof.notes)


def test_an_uncommitted_snapshot_is_proved_by_its_sums(world: World) -> None:
    folder = world.freeze()
    world.git("reset", "-q", "--soft", "HEAD~1")
    proof = prove(world)
    assert proof.ok
    assert proof.anchor == ""
    assert "not committed yet" in proof.notes[0]
    (folder / "board.csv").write_text("x")
    assert not prove(world).ok


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_first_difference_is_the_first_differing_byte(old: bytes, new: bytes) -> None:
    offset, line = first_difference(old, new)
    expected = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    assert offset == expected
    assert line == old[:offset].count(b"\n") + 1


def test_every_snapshot_of_this_repository_is_proved(root: Path) -> None:
    repository = Repository.around(root / "results")
    versions = known_versions(root / "results", repository)
    if not versions:
        pytest.skip("this repository has no snapshot yet")
    for version in versions:
        proof = verify(root / "results", version, repository)
        assert proof.ok, "\n".join(map(str, proof.problems))
