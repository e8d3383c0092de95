"""The client against servers that fail in every way that servers fail."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer.errors import MissingError, StageError, UsageError
from scorer.judges.base import Decoding
from scorer.judges.reading import Status
from scorer.judges.served import Served, is_loopback
from tests.judges.conftest import bench_with, endpoint_of, our_crimson, our_green
from tests.judges.proxy import Judge

PAIRS = [(f"reference {n} is clear", f"prediction {n}") for n in range(40)]
PREDICTIONS, REFERENCES = [p for _, p in PAIRS], [r for r, _ in PAIRS]


def answer_by_number(body: dict[str, Any]) -> str:
    """An answer with as many matches as the number in the question, so that mix-ups show."""
    found = re.search(r"prediction (\d+)", body["messages"][-1]["content"])
    assert found is not None
    return (
        "[Explanation]:\nx\n\n[Clinically Significant Errors]:\n(a) t: 1. x\n\n"
        f"[Clinically Insignificant Errors]:\nNo.\n\n[Matched Findings]:\n{found[1]}. x"
    )


def matched(values: Any) -> list[float]:
    return list(values[:, -1])


Start = Callable[..., Judge]


@pytest.mark.parametrize("fault", ["pass", "429", "503", "500", "garbage", "not an answer", "half", "drop"])
def test_every_answer_reaches_its_study_whatever_fails_on_the_way(
    fault: str, judge: Start, tmp_path: Path
) -> None:
    server = judge(answer_by_number, fault=lambda number, body: fault if number % 5 == 1 else "pass")
    computed = our_green().compute(
        PREDICTIONS, REFERENCES, bench_with(tmp_path, green=endpoint_of(server.url))
    )
    assert matched(computed.values) == [float(n) for n in range(40)]
    assert set(computed.values[:, 0]) == {Status.READ}
    assert len(server.asked) == 40
    assert set(server.answered.values()) == {1}, "an answer that arrived is not asked for again"


def test_requests_under_way_are_bounded(judge: Start, tmp_path: Path) -> None:
    server = judge(answer_by_number, fault=lambda number, body: "slow" if number < 6 else "pass")
    endpoint = endpoint_of(server.url, concurrency=3)
    our_green().compute(PREDICTIONS[:12], REFERENCES[:12], bench_with(tmp_path, green=endpoint))
    assert server.most_under_way == 3


def test_a_server_that_stays_away_ends_the_run_after_its_patience(tmp_path: Path) -> None:
    endpoint = endpoint_of("http://127.0.0.1:9/v1", patience_s=0.3)
    with pytest.raises(StageError, match="ConnectionRefusedError") as raised:
        our_green().compute(PREDICTIONS, REFERENCES, bench_with(tmp_path, green=endpoint))
    assert "prediction" not in str(raised.value)


def test_a_server_that_never_makes_sense_ends_the_run(judge: Start, tmp_path: Path) -> None:
    server = judge(answer_by_number, fault=lambda number, body: "garbage")
    with pytest.raises(StageError, match="NotAnAnswer"):
        our_green().compute(
            PREDICTIONS[:2], REFERENCES[:2], bench_with(tmp_path, green=endpoint_of(server.url))
        )


def test_a_refusal_ends_the_run_at_once_and_keeps_what_was_answered(judge: Start, tmp_path: Path) -> None:
    server = judge(answer_by_number, fault=lambda number, body: "400" if number >= 10 else "pass")
    bench = bench_with(tmp_path, green=endpoint_of(server.url, concurrency=1))
    with pytest.raises(StageError, match="HTTP 400"):
        our_green().compute(PREDICTIONS, REFERENCES, bench)
    assert sum(server.asked.values()) == 11
    server.fault = lambda number, body: "pass"
    computed = our_green().compute(PREDICTIONS, REFERENCES, bench)
    assert matched(computed.values) == [float(n) for n in range(40)]
    assert sum(server.asked.values()) == 41, "the ten answers had are not asked for again"


def test_a_pair_that_fills_the_whole_context_is_unread_and_not_a_failure(
    judge: Start, tmp_path: Path
) -> None:
    server = judge(answer_by_number, fault=lambda number, body: "too long" if number == 0 else "pass")
    computed = our_green().compute(
        PREDICTIONS, REFERENCES, bench_with(tmp_path, green=endpoint_of(server.url, concurrency=1))
    )
    assert computed.values[0, 0] == Status.CUT_OFF
    assert matched(computed.values)[1:] == [float(n) for n in range(1, 40)]


def test_equal_pairs_are_asked_once_and_a_second_run_asks_nothing(judge: Start, tmp_path: Path) -> None:
    server = judge(answer_by_number)
    bench = bench_with(tmp_path, green=endpoint_of(server.url))
    first = our_green().compute(PREDICTIONS * 3, REFERENCES * 3, bench)
    assert sum(server.asked.values()) == 40
    second = our_green().compute(PREDICTIONS[::-1] * 3, REFERENCES[::-1] * 3, bench)
    assert sum(server.asked.values()) == 40
    assert np.array_equal(first.values, second.values[::-1])
    assert first.weights_digest == second.weights_digest


def test_an_answer_of_other_weights_or_another_server_is_not_reused(judge: Start, tmp_path: Path) -> None:
    server = judge(answer_by_number)
    digests = set()
    for change in ({}, {"weights_digest": "b" * 64}, {"server": "test 1.3"}):
        bench = bench_with(tmp_path, green=endpoint_of(server.url, **change))
        digests.add(our_green().compute(PREDICTIONS, REFERENCES, bench).weights_digest)
    assert sum(server.asked.values()) == 120
    assert len(digests) == 3


def test_the_request_is_greedy_and_seeded_and_carries_the_key(judge: Start, tmp_path: Path) -> None:
    server = judge(lambda body: "{}")
    bench = bench_with(tmp_path, crimson=endpoint_of(server.url, api_key="k-1", constrained=True))
    with pytest.raises(StageError, match="unread"):
        our_crimson().compute(PREDICTIONS[:3], REFERENCES[:3], bench)
    body = server.bodies[0]
    assert (body["temperature"], body["seed"], body["stream"]) == (0.0, 0, False)
    assert body["max_tokens"] == 8192
    assert body["response_format"]["json_schema"]["schema"]["required"][0] == "reference_findings"
    assert server.headers[0]["Authorization"] == "Bearer k-1"
    assert "k-1" not in repr(bench)


def test_a_constraint_is_only_asked_of_a_server_that_offers_it(judge: Start, tmp_path: Path) -> None:
    server = judge(lambda body: "{}")
    with pytest.raises(StageError):
        our_crimson().compute(
            PREDICTIONS[:3], REFERENCES[:3], bench_with(tmp_path, crimson=endpoint_of(server.url))
        )
    assert "response_format" not in server.bodies[0]


def test_an_empty_prediction_is_not_asked_about(judge: Start, tmp_path: Path) -> None:
    server = judge(answer_by_number)
    computed = our_green().compute(
        ["", "prediction 7"], ["a", "b"], bench_with(tmp_path, green=endpoint_of(server.url))
    )
    assert list(computed.values[:, 0]) == [Status.EMPTY, Status.READ]
    assert not computed.values[0, 1:].any()
    assert len(server.asked) == 1


def test_reports_of_closed_datasets_go_to_this_machine_only(tmp_path: Path) -> None:
    decoding = Decoding(max_tokens=None, context=2048)
    for url in ("http://judge.example/v1", "http://localhost:8000/v1", "http://10.0.0.4:8000/v1"):
        with pytest.raises(UsageError, match="may not leave"):
            Served("green", endpoint_of(url), decoding, loopback_only=True)
        bench = bench_with(tmp_path, green=endpoint_of(url))
        closed = type(bench)(
            weights_dir=bench.weights_dir, cache_dir=bench.cache_dir, judges=bench.judges, loopback_only=True
        )
        lack = our_green().missing(closed)
        assert lack is not None
        assert "may not leave" in lack[0]
        with pytest.raises(MissingError):
            our_green().compute(["x"], ["y"], closed)
        assert our_green().missing(bench) is None
    for url in ("http://127.0.0.1:8000/v1", "http://[::1]:8000/v1", "https://127.1.2.3/v1"):
        assert is_loopback(url)
        Served("green", endpoint_of(url), decoding, loopback_only=True)


def test_an_address_that_is_no_url_is_refused() -> None:
    with pytest.raises(UsageError, match="not an http"):
        Served("green", endpoint_of("ftp://127.0.0.1/"), Decoding(max_tokens=None, context=1))


def test_a_stream_of_events_is_read_like_one_answer(judge: Start, tmp_path: Path) -> None:
    from scorer.judges.served import _Broken, _completion

    pieces = [{"role": "assistant"}, {"content": "Matched "}, {"content": "é"}]
    events = [{"choices": [{"delta": piece}]} for piece in pieces]
    end = {"choices": [{"delta": {}, "finish_reason": "length"}], "usage": {"completion_tokens": 2}}
    stream = "".join(f"data: {json.dumps(one)}\n\n" for one in [*events, end]) + "data: [DONE]\n\n"
    read = _completion(stream.encode(), "text/event-stream; charset=utf-8")
    assert (read.text, read.finish, read.completion_tokens) == ("Matched é", "length", 2)
    with pytest.raises(_Broken):
        _completion(stream[: stream.index('{"choices": [{"delta": {},')].encode(), "text/event-stream")
    with pytest.raises(_Broken):
        _completion(b'data: {"error": "out of memory"}', "text/event-stream")


def test_the_store_keeps_raw_answers_and_who_gave_them(judge: Start, tmp_path: Path) -> None:
    import sqlite3

    server = judge(answer_by_number)
    computed = our_green().compute(
        PREDICTIONS[:4], REFERENCES[:4], bench_with(tmp_path, green=endpoint_of(server.url))
    )
    with sqlite3.connect(tmp_path / "cache" / "completions.sqlite") as database:
        rows = database.execute("SELECT identity, text, finish, prompt_tokens FROM completions").fetchall()
        ((digest, identity),) = database.execute("SELECT * FROM identities").fetchall()
    database.close()
    assert {row[0] for row in rows} == {digest} == {computed.weights_digest}
    assert all("[Matched Findings]" in row[1] and row[2:] == ("stop", 7) for row in rows)
    assert json.loads(identity)["server"] == "test 1.2"
    assert hashlib.sha256(identity.encode()).hexdigest() == digest


def test_kept_answers_are_their_owners_alone_and_a_damaged_file_is_not_thrown_away(tmp_path: Path) -> None:
    from scorer.judges.completions import Completions

    path = tmp_path / "cache" / "completions.sqlite"
    with Completions(path):
        assert path.stat().st_mode & 0o077 == 0
    path.write_bytes(b"not a database, " * 100)
    with pytest.raises(StageError, match="move it away"):
        Completions(path)
    assert path.read_bytes().startswith(b"not a database")
