"""The judges end to end against a real OpenAI-compatible server (`transformers serve`) and in process."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer.errors import StageError
from scorer.judges import Endpoint
from scorer.judges.base import Decoding
from scorer.judges.reading import Status
from scorer.metrics.crimson import CRIMSON
from scorer.metrics.green import GREEN
from tests.judges.conftest import RealServer, bench_with, endpoint_of, our_crimson, our_green
from tests.judges.proxy import Judge

pytest.importorskip("fastapi", reason="transformers serve needs fastapi, uvicorn and openai")

SHORT = Decoding(max_tokens=64, context=16384)
PREDICTIONS = [f"Prediction {n}." for n in range(30)]
REFERENCES = [f"Reference {n}." for n in range(30)]


def value(metric: Any, computed: Any, spec: Any) -> float:
    names = [column.name for column in spec.columns]
    columns = {spec.id: dict(zip(names, computed.values.T, strict=True))}
    return float(metric.finish(metric.terms(columns).sum(axis=0)))


@pytest.mark.slow
def test_a_served_judge_and_the_same_one_in_process_give_the_same_rows(
    tiny_green: Path, real_server: Callable[..., RealServer], tmp_path: Path
) -> None:
    statistic = our_green(decoding=SHORT)
    server = real_server(tiny_green)
    served = statistic.compute(PREDICTIONS, REFERENCES, bench_with(tmp_path, green=endpoint_of(server.url)))
    assert server.n_requests() == 30
    inside = Endpoint(url="", model=str(tiny_green), weights_digest="a" * 64, server="transformers")
    local = statistic.compute(PREDICTIONS, REFERENCES, bench_with(tmp_path, green=inside))
    assert np.array_equal(served.values, local.values)
    assert value(GREEN, served, statistic.spec) == 0.5
    assert served.weights_digest != local.weights_digest, "another server is another identity"


def test_crimson_runs_in_process(tiny_crimson: Path, tmp_path: Path) -> None:
    inside = Endpoint(url="", model=str(tiny_crimson), weights_digest="a" * 64, server="transformers")
    statistic = our_crimson(decoding=SHORT)
    computed = statistic.compute(PREDICTIONS[:3], REFERENCES[:3], bench_with(tmp_path, crimson=inside))
    assert value(CRIMSON, computed, statistic.spec) == pytest.approx(2 / 3)


def test_a_judge_that_writes_gibberish_yields_no_score(tiny_random: Path, tmp_path: Path) -> None:
    inside = Endpoint(url="", model=str(tiny_random), weights_digest="a" * 64, server="transformers")
    statistic = our_green(decoding=Decoding(max_tokens=8, context=16384))
    with pytest.raises(StageError, match=r"unread answers \(3 studies\)"):
        statistic.compute(PREDICTIONS[:3], REFERENCES[:3], bench_with(tmp_path, green=inside))


def test_a_prompt_that_fills_the_context_is_unread_in_process(tiny_green: Path, tmp_path: Path) -> None:
    inside = Endpoint(url="", model=str(tiny_green), weights_digest="a" * 64, server="transformers")
    statistic = our_green(decoding=Decoding(max_tokens=None, context=300))
    texts = ["word " * 200, "short"]
    computed = statistic.compute(texts, ["r", "r"], bench_with(tmp_path, green=inside))
    assert list(computed.values[:, 0]) == [Status.CUT_OFF, Status.READ]


RUN = """
    import sys
    from pathlib import Path
    from tests.judges.conftest import bench_with, endpoint_of, our_green
    from tests.judges.test_real_server import PREDICTIONS, REFERENCES, SHORT
    bench = bench_with(Path({folder!r}), green=endpoint_of({url!r}, concurrency=3, patience_s=60.0))
    table = our_green(decoding=SHORT).compute(PREDICTIONS, REFERENCES, bench)
    sys.stdout.write(repr(table.values.tolist()) + table.weights_digest)
"""


def run(folder: Path, url: str) -> subprocess.Popen[bytes]:
    code = textwrap.dedent(RUN).format(folder=str(folder), url=url)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.slow
def test_a_killed_run_resumes_and_the_server_is_asked_nothing_twice(
    tiny_green: Path, real_server: Callable[..., RealServer], judge: Callable[..., Judge], tmp_path: Path
) -> None:
    server = real_server(tiny_green)
    # After twelve questions the proxy lets no more through, so that the kill finds the run waiting.
    proxy = judge(upstream=server.url, fault=lambda number, body: "hold" if number >= 12 else "pass")
    first = run(tmp_path, proxy.url)
    deadline = time.monotonic() + 60
    while sum(proxy.asked.values()) < 15 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)  # the last answers are on their way into the store
    first.kill()
    first.wait()
    assert first.stdout is not None
    assert first.stderr is not None
    first.stdout.close()
    first.stderr.close()
    assert server.n_requests() == 12
    proxy.fault = lambda number, body: "pass"
    proxy.released.set()
    out, err = run(tmp_path, proxy.url).communicate(timeout=120)
    assert server.n_requests() == 30, err.decode()
    assert set(proxy.answered.values()) == {1}
    assert len(proxy.answered) == 30
    whole, err = run(tmp_path / "whole", proxy.url).communicate(timeout=120)
    assert out == whole, "an interrupted run ends like one that was not"
    assert b"nan" not in out


@pytest.mark.slow
def test_a_server_that_is_killed_and_started_again_mid_run_is_waited_for(
    tiny_green: Path, real_server: Callable[..., RealServer], judge: Callable[..., Judge], tmp_path: Path
) -> None:
    server = real_server(tiny_green)
    seen, is_up = threading.Event(), threading.Event()
    is_up.set()

    def fault(number: int, body: dict[str, Any]) -> str:
        if number == 10:
            seen.set()
        return "pass" if is_up.is_set() else "503"

    proxy = judge(upstream=server.url, fault=fault)

    def restart() -> None:
        seen.wait(60)
        server.kill()
        is_up.clear()
        server.start()  # this server does not bear several questions while it loads, so the proxy keeps them off
        is_up.set()

    thread = threading.Thread(target=restart)
    thread.start()
    bench = bench_with(tmp_path, green=endpoint_of(proxy.url, patience_s=120.0))
    computed = our_green(decoding=SHORT).compute(PREDICTIONS, REFERENCES, bench)
    thread.join()
    assert (computed.values[:, 0] == Status.READ).all()
    assert sum(proxy.asked.values()) > 30, "some questions met a dead server and were asked again"
    assert set(proxy.answered.values()) >= {1}


@pytest.mark.slow
def test_slow_busy_and_broken_answers_of_a_real_server_change_nothing(
    tiny_crimson: Path, real_server: Callable[..., RealServer], judge: Callable[..., Judge], tmp_path: Path
) -> None:
    server = real_server(tiny_crimson)
    faults = ["slow", "429", "half", "garbage", "503", "drop"]
    proxy = judge(upstream=server.url, fault=lambda n, body: faults[n // 2] if n % 2 and n < 12 else "pass")
    bench = bench_with(tmp_path, crimson=endpoint_of(proxy.url))
    statistic = our_crimson(decoding=SHORT)
    computed = statistic.compute(PREDICTIONS, REFERENCES, bench)
    assert value(CRIMSON, computed, statistic.spec) == pytest.approx(2 / 3)
    assert len(proxy.answered) == 30
