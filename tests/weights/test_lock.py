"""The lock: strict, and made on a trusted machine."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli import rexrank
from scorer.errors import InputError, MissingError, UsageError, WeightsMissing
from scorer.metrics import METRICS
from scorer.statistics import STATISTICS
from scorer.weights import fetch, locate, missing, read_lock
from scorer.weights.lock import machine_lock
from tests.weights.conftest import GRAPH, NETWORK
from tests.weights.hub import HEAD, Hub
from tests.weights.test_pull import silent


def test_the_packaged_lock_is_well_formed_and_names_every_encoder_of_every_statistic() -> None:
    lock = read_lock()
    for statistic in STATISTICS:
        if statistic.spec.encoder:
            assert lock.encoder(statistic.spec.encoder).licences


def test_an_unpinned_encoder_is_refused_with_the_command_that_pins_it(hub: Hub, weights: Path) -> None:
    assert not read_lock(weights).encoder("open").is_pinned
    with pytest.raises(WeightsMissing, match="not pinned") as error:
        locate("open", weights)
    assert error.value.command == "rexrank weights lock open"
    with pytest.raises(MissingError, match="not pinned"):
        fetch.pull("open", weights, report=silent, hub=hub.url)
    assert hub.asked == []


def test_locking_pins_commit_size_and_digest_and_finds_the_repository_that_an_archive_names(
    hub: Hub, weights: Path
) -> None:
    entry = fetch.pin("open", weights, machine_lock(weights), report=silent, hub=hub.url)
    pinned = {file.to: (source.repository, source.revision, file.size) for source, file in entry.files()}
    assert pinned == {
        "net.bin": ("owner/one", HEAD, len(NETWORK)),
        "archive": ("owner/one", HEAD, len(GRAPH)),
        "base/vocab.txt": ("owner/base", HEAD, 6),  # the optional extra.json is not there and is dropped
    }
    assert locate("open", weights).digest == entry.digest
    assert read_lock(weights).encoder("open") == entry


def test_the_weights_digest_is_that_of_the_places_and_digests_in_order(hub: Hub, weights: Path) -> None:
    lines = f"net.bin {hashlib.sha256(NETWORK).hexdigest()}\n"
    assert read_lock(weights).encoder("plain").digest == hashlib.sha256(lines.encode()).hexdigest()


def test_locking_from_a_folder_keeps_copies_and_says_that_they_are_local(
    weights: Path, tmp_path: Path
) -> None:
    given = tmp_path / "given"
    (given / "base").mkdir(parents=True)
    (given / "net.bin").write_bytes(b"mine")
    (given / "graph.tar.gz").write_bytes(GRAPH)
    (given / "base" / "vocab.txt").write_bytes(b"[PAD]\n")
    entry = fetch.pin("open", weights, machine_lock(weights), report=silent, given=given)
    assert {source.revision for source in entry.sources} == {"local"}
    assert (locate("open", weights).folder / "net.bin").read_bytes() == b"mine"
    (weights / "open" / "net.bin").unlink()
    lack = missing("open", weights)
    assert lack is not None
    assert lack[1] == "rexrank weights lock open --from FOLDER"
    with pytest.raises(MissingError, match="locked from a folder"):
        fetch.pull("open", weights, report=silent)


def test_locking_from_a_folder_names_every_file_that_it_lacks(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    with pytest.raises(InputError) as error:
        fetch.pin("open", weights, machine_lock(weights), report=silent, given=tmp_path / "given")
    assert [problem.message for problem in error.value.problems] == [
        "holds no graph.tar.gz",
        "holds no net.bin",
    ]


def test_a_machine_lock_stands_in_front_of_the_packaged_one_entry_by_entry(hub: Hub, weights: Path) -> None:
    plain = read_lock(weights).encoder("plain")
    fetch.pin("open", weights, machine_lock(weights), report=silent, hub=hub.url)
    assert read_lock(weights).encoder("plain") == plain
    assert not read_lock().encoder("open").is_pinned


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("schema: 2\nencoders: {}\n", "schema"),
        ("encoders: {a: {sources: [], colour: red}}\n", "encoders.a.colour"),
        (
            "encoders: {a: {sources: [{repository: o/n, revision: main, licence: MIT, files: []}]}}\n",
            "encoders.a.sources.0.revision",
        ),
        (
            "encoders: {a: {sources: [{repository: o/n, revision: null, licence: MIT,"
            " files: [{path: f, to: ../f, size: 1, sha256: null}]}]}}\n",
            "encoders.a.sources.0.files.0.to",
        ),
    ],
)
def test_a_malformed_lock_names_the_field(weights: Path, text: str, field: str) -> None:
    weights.mkdir(parents=True)
    machine_lock(weights).write_text(text)
    with pytest.raises(InputError) as error:
        read_lock(weights)
    assert [problem.field for problem in error.value.problems] == [field]


def test_an_encoder_that_the_lock_does_not_know_is_a_usage_error(weights: Path) -> None:
    with pytest.raises(UsageError, match="knows no encoder 'other'; it knows graph, open, plain"):
        locate("other", weights)


def test_the_command_pulls_and_verifies(hub: Hub, weights: Path) -> None:
    run = CliRunner().invoke
    result = run(rexrank, ["weights", "pull", "plain", "--hub", hub.url], catch_exceptions=False)
    assert result.stdout == "plain: net.bin\n"
    assert run(rexrank, ["weights", "verify", "plain"]).exit_code == 0
    (weights / "plain" / "net.bin").write_bytes(b"x" * len(NETWORK))
    result = run(rexrank, ["weights", "verify", "plain", "--json"])
    assert result.exit_code == 3
    assert '"state": "wrong"' in result.stdout


def test_the_command_locks_into_the_file_given(hub: Hub, weights: Path, tmp_path: Path) -> None:
    target = tmp_path / "other.yaml"
    arguments = ["weights", "lock", "open", "--hub", hub.url, "--lock", str(target)]
    result = CliRunner().invoke(rexrank, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert HEAD in target.read_text()
    assert not machine_lock(weights).exists()


def test_the_command_refuses_a_name_that_nothing_has(weights: Path) -> None:
    result = CliRunner().invoke(rexrank, ["weights", "pull", "blue"])
    assert isinstance(result.exception, UsageError)


def test_every_metric_that_needs_an_encoder_can_be_pulled_by_its_own_name() -> None:
    from scorer.cli.weights import encoders_named

    by_id = {one.spec.id: one.spec.encoder for one in STATISTICS}
    for metric in METRICS:
        assert encoders_named((metric.spec.id,)) == tuple(
            dict.fromkeys(by_id[need] for need in metric.spec.needs if by_id[need])
        )
