"""The cache of encodings: between runs, between processes, after a kill, under its limit, and damaged."""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from scorer.encoding.cache import EncodingCache
from scorer.errors import StageError

A, B, C = b"a" * 32, b"b" * 32, b"c" * 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "encodings.sqlite"


def test_what_was_written_is_read_back_by_the_next_run(path: Path) -> None:
    with EncodingCache(path) as cache:
        cache.write([(A, b"one", False), (B, b"", True)])
    with EncodingCache(path) as cache:
        assert cache.has([A, B, C]) == {A, B}
        assert cache.read([A, B, C]) == {A: (b"one", False), B: (b"", True)}


def test_the_file_is_its_owner_s_alone(path: Path) -> None:
    with EncodingCache(path) as cache:
        cache.write([(A, b"one", False)])
        found = sorted(path.parent.iterdir())
        assert [file.name.partition(".sqlite")[2] for file in found] == ["", "-shm", "-wal"]
        assert {file.stat().st_mode & 0o777 for file in found} == {0o600}


def test_more_keys_than_one_query_takes_are_found(path: Path) -> None:
    keys = [index.to_bytes(32, "big") for index in range(1201)]
    with EncodingCache(path) as cache:
        cache.write([(key, key[-2:], False) for key in keys])
        assert cache.has(keys) == set(keys)
        assert len(cache.read(keys)) == 1201


def test_two_open_caches_see_each_other_s_rows(path: Path) -> None:
    with EncodingCache(path) as one, EncodingCache(path) as other:
        one.write([(A, b"1", False)])
        other.write([(B, b"2", False)])
        assert one.has([A, B]) == other.has([A, B]) == {A, B}


_WRITER = """
import sys
from pathlib import Path
from scorer.encoding.cache import EncodingCache
cache = EncodingCache(Path(sys.argv[1]))
start = int(sys.argv[2])
for index in range(start, start + 200):
    cache.write([(index.to_bytes(32, "big"), b"x" * 3000, False)])
    if index == start + 20:
        print("going", flush=True)
if sys.argv[3] == "wait":
    print("done", flush=True)
    sys.stdin.read()
cache.close()
"""


def writer(path: Path, start: int, end: str, root: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITER, str(path), str(start), end]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )


def test_two_processes_write_at_once_and_lose_nothing(path: Path, root: Path) -> None:
    processes = [writer(path, start, "close", root) for start in (0, 1000)]
    assert [process.communicate()[0].strip() for process in processes] == ["going", "going"]
    assert [process.returncode for process in processes] == [0, 0]
    keys = [index.to_bytes(32, "big") for start in (0, 1000) for index in range(start, start + 200)]
    with EncodingCache(path) as cache:
        assert len(cache.read(keys)) == 400


def test_a_killed_process_leaves_every_finished_batch(
    path: Path, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    process = writer(path, 0, "wait", root)
    assert process.stdout is not None
    assert [process.stdout.readline().strip() for _ in range(2)] == ["going", "done"]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with EncodingCache(path) as cache:
        assert len(cache.read([index.to_bytes(32, "big") for index in range(200)])) == 200
    assert caplog.records == []


def test_the_longest_unused_rows_go_first_and_those_of_this_run_stay(path: Path) -> None:
    for key in (A, B, C):
        with EncodingCache(path, limit=10_000) as cache:
            cache.write([(key, bytes(100), False)])
    with EncodingCache(path, limit=10_000) as cache:
        cache.has([A])  # A is now the youngest
    with EncodingCache(path, limit=250) as cache:  # 300 bytes are too many; 200 may stay
        assert cache.has([A, B, C]) == {A, C}
        cache.write([(B, bytes(1000), False)])  # over the limit, but this run's own
        assert cache.has([B]) == {B}
    with EncodingCache(path, limit=250) as cache:
        assert cache.has([A, B, C]) == {C}  # equally old, so in order of key until 80 % of the limit is left


def test_a_file_that_is_no_database_is_begun_anew_and_that_is_said(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database at all, " * 500)
    with EncodingCache(path) as cache:
        cache.write([(A, b"one", False)])
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "is damaged; it is begun anew" in caplog.text
    with EncodingCache(path) as cache:
        assert cache.has([A]) == {A}


def test_pages_that_rot_while_a_run_goes_on_are_begun_anew_too(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with EncodingCache(path) as cache:
        cache.write([(index.to_bytes(32, "big"), bytes(20_000), False) for index in range(50)])
    with path.open("r+b") as file:
        file.seek(16384)  # everything behind the first page
        file.write(b"\xff" * (path.stat().st_size - 16384))
    with EncodingCache(path) as cache:
        assert cache.read([bytes(32)]) == {}
        cache.write([(A, b"one", False)])
        assert cache.read([A]) == {A: (b"one", False)}
    assert "begun anew" in caplog.text


def test_a_row_that_rots_is_not_given_out(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with EncodingCache(path) as cache:
        cache.write([(A, b"one", False)])
    database = sqlite3.connect(path)
    database.execute("UPDATE encodings SET data = x'6f6e66'")
    database.commit()
    database.close()
    with EncodingCache(path) as cache:
        assert cache.read([A]) == {}
    assert "damaged and is computed again" in caplog.text


def test_a_folder_that_cannot_be_written_only_costs_the_keeping(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("not a folder")
    with EncodingCache(tmp_path / "file" / "encodings.sqlite") as cache:
        cache.write([(A, b"one", False)])
        assert cache.read([A]) == {A: (b"one", False)}
    assert "nothing is kept" in caplog.text


def test_a_full_disk_is_a_stage_error_with_advice(path: Path) -> None:
    with EncodingCache(path) as cache:
        cache._database.execute("PRAGMA max_page_count = 10")
        with pytest.raises(StageError, match=r"full.*REXRANK_CACHE"):
            cache.write([(A, bytes(1_000_000), False)])
        assert cache.read([A]) == {}
