"""Fetching: resumed, verified, renamed; and every way in which a server can fail."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from scorer.errors import MissingError, StageError, UsageError, WeightsMissing
from scorer.weights import fetch, locate, missing, store
from scorer.weights.download import ATTEMPTS, download, file_url
from tests.weights.conftest import GRAPH, NETWORK, archive_of
from tests.weights.hub import HEAD, Hub


def silent(name: str, done: int, total: int) -> None:
    pass


def test_a_pull_fetches_verifies_and_makes_the_encoder_available(hub: Hub, weights: Path) -> None:
    assert missing("plain", weights) == (
        "weights of plain are absent or not the locked ones (net.bin)",
        "rexrank weights pull plain",
    )
    assert fetch.pull("plain", weights, report=silent, hub=hub.url) == ["net.bin"]
    found = locate("plain", weights)
    assert (found.folder / "net.bin").read_bytes() == NETWORK
    assert hub.asked == [(f"/owner/one/resolve/{HEAD}/net.bin", "")]
    assert not list(weights.rglob("*.part"))


def test_a_second_pull_asks_nobody(hub: Hub, weights: Path) -> None:
    fetch.pull("plain", weights, report=silent, hub=hub.url)
    hub.asked.clear()
    assert fetch.pull("plain", weights, report=silent, hub=hub.url) == []
    assert hub.asked == []


def test_progress_counts_bytes_up_to_the_whole(hub: Hub, weights: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    fetch.pull("plain", weights, report=lambda *told: seen.append(told), hub=hub.url)
    assert seen[-1] == ("net.bin", len(NETWORK), len(NETWORK))
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_an_answer_that_breaks_off_is_continued_where_it_stopped(hub: Hub, weights: Path) -> None:
    hub.break_after = [1000, 5000]
    fetch.pull("plain", weights, report=silent, hub=hub.url)
    assert (weights / "plain" / "net.bin").read_bytes() == NETWORK
    assert [asked for _, asked in hub.asked] == ["", "bytes=1000-", "bytes=6000-"]


def test_a_download_that_keeps_breaking_off_is_continued_by_the_next_call(hub: Hub, weights: Path) -> None:
    hub.break_after = [100] * ATTEMPTS
    with pytest.raises(MissingError, match="cannot be reached or breaks off") as error:
        fetch.pull("plain", weights, report=silent, hub=hub.url)
    assert error.value.command == "rexrank weights pull plain"
    assert missing("plain", weights) is not None
    fetch.pull("plain", weights, report=silent, hub=hub.url)
    assert hub.asked[-1][1] == f"bytes={100 * ATTEMPTS}-"
    assert missing("plain", weights) is None


def test_a_server_without_ranges_is_read_from_the_start_again(hub: Hub, weights: Path) -> None:
    hub.break_after, hub.ignores_ranges = [1000], True
    fetch.pull("plain", weights, report=silent, hub=hub.url)
    assert (weights / "plain" / "net.bin").read_bytes() == NETWORK


def test_a_part_file_that_is_longer_than_the_file_is_thrown_away(hub: Hub, weights: Path) -> None:
    (weights / "plain").mkdir(parents=True)
    (weights / "plain" / "net.bin.part").write_bytes(NETWORK + b"more")
    fetch.pull("plain", weights, report=silent, hub=hub.url)
    assert (weights / "plain" / "net.bin").read_bytes() == NETWORK


def test_without_a_known_size_a_part_file_beyond_the_end_is_thrown_away(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "net.bin.part").write_bytes(NETWORK + b"more")
    url = file_url(hub.url, "owner/one", HEAD, "net.bin")
    size, _ = download(url, tmp_path / "net.bin", size=None, sha256=None, command="again", report=silent)
    assert size == len(NETWORK)
    assert (tmp_path / "net.bin").read_bytes() == NETWORK


def test_other_bytes_than_the_locked_ones_are_refused_and_removed(hub: Hub, weights: Path) -> None:
    hub.files["owner/one/net.bin"] = NETWORK[:-1] + b"\x00"
    with pytest.raises(MissingError, match="sent other bytes for net"):
        fetch.pull("plain", weights, report=silent, hub=hub.url)
    assert [path.name for path in (weights / "plain").iterdir()] == [".lock"]


def test_a_wrong_file_on_disk_is_fetched_again(hub: Hub, weights: Path) -> None:
    fetch.pull("plain", weights, report=silent, hub=hub.url)
    path = weights / "plain" / "net.bin"
    path.write_bytes(path.read_bytes()[: int(0.6 * len(NETWORK))])
    with pytest.raises(WeightsMissing, match=r"net\.bin"):
        locate("plain", weights)
    assert fetch.pull("plain", weights, report=silent, hub=hub.url) == ["net.bin"]
    assert locate("plain", weights)


def test_a_changed_byte_is_noticed_even_when_the_size_is_right(hub: Hub, weights: Path) -> None:
    fetch.pull("plain", weights, report=silent, hub=hub.url)
    path = weights / "plain" / "net.bin"
    path.write_bytes(b"\xff" + NETWORK[1:])
    assert [state for _, state in store.verify("plain", weights)] == ["wrong"]
    assert missing("plain", weights) is not None


def test_a_verified_file_is_not_read_again_until_it_changes(
    hub: Hub, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch.pull("plain", weights, report=silent, hub=hub.url)
    read: list[Path] = []
    real = store.hash_file
    monkeypatch.setattr(store, "hash_file", lambda path: (read.append(path), real(path))[1])
    locate("plain", weights)
    assert read == []
    os.utime(weights / "plain" / "net.bin", ns=(1, 1))
    locate("plain", weights)
    assert [path.name for path in read] == ["net.bin"]


@pytest.mark.parametrize(
    ("status", "said"),
    [(401, "asks for a login"), (403, "refuses"), (404, "no such file"), (503, "cannot be reached")],
)
def test_a_refusal_says_what_the_server_said_and_what_to_run(
    hub: Hub, weights: Path, status: int, said: str
) -> None:
    hub.status = status
    with pytest.raises(MissingError, match=said) as error:
        fetch.pull("plain", weights, report=silent, hub=hub.url)
    assert error.value.command == "rexrank weights pull plain"
    assert error.value.exit_code == 3


def test_an_unreachable_hub_is_one_clear_error(weights: Path, hub: Hub) -> None:
    with pytest.raises(MissingError, match=r"127\.0\.0\.1:9 cannot be reached"):
        fetch.pull("plain", weights, report=silent, hub="http://127.0.0.1:9")


def test_a_full_disk_is_not_tried_again(hub: Hub, weights: Path) -> None:
    def full(name: str, done: int, total: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        fetch.pull("plain", weights, report=full, hub=hub.url)
    assert len(hub.asked) == 1


def test_plain_http_is_for_the_loopback_interface_only(weights: Path) -> None:
    with pytest.raises(UsageError, match="https only"):
        fetch.pull("plain", weights, report=silent, hub="http://example.org")


def test_an_archive_is_unpacked_whole_and_its_members_are_checked(hub: Hub, weights: Path) -> None:
    fetch.pull("graph", weights, report=silent, hub=hub.url)
    folder = locate("graph", weights).folder / "archive"
    assert (folder / "vocabulary" / "labels.txt").read_bytes() == b"a\nb\n"
    assert not list(weights.rglob("*.tar.gz"))
    (folder / "vocabulary" / "labels.txt").write_bytes(b"a\nc\n")
    assert missing("graph", weights) is not None


def test_a_half_unpacked_folder_is_no_archive(hub: Hub, weights: Path) -> None:
    folder = weights / "graph" / "archive"
    folder.mkdir(parents=True)
    (folder / "config.json").write_bytes(b'{"model": {"name": "owner/base"}}')
    assert [state for _, state in store.verify("graph", weights)] == ["wrong"]
    fetch.pull("graph", weights, report=silent, hub=hub.url)
    assert locate("graph", weights)


@pytest.mark.parametrize("name", ["../escape", "/escape"])
def test_an_archive_member_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(archive_of({"config.json": b"{}", name: b"x"}))
    with pytest.raises(StageError, match="unsafe archive member"):
        store.unpack(path, "0" * 64, tmp_path / "inner" / "archive")
    assert not list(tmp_path.rglob("*escape*"))
    assert not (tmp_path / "inner" / "archive").exists()


def test_a_truncated_archive_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(GRAPH[: len(GRAPH) // 2])
    with pytest.raises(StageError, match="unpack"):
        store.unpack(path, "0" * 64, tmp_path / "inner" / "archive")
    assert list((tmp_path / "inner").iterdir()) == []
