"""Judges to test with: cards whose prompt is ours, and a real server with a tiny judge."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.judges import Endpoint, crimson, green
from scorer.judges.base import JudgeCard
from scorer.judges.templates import PREDICTION, REFERENCE
from scorer.statistics.base import Bench
from scorer.statistics.judged import Judged
from scorer.store import digest
from tests.judges.proxy import Judge
from tests.judges.tiny import CRIMSON_SCRIPT, GREEN_SCRIPT, make

OUR_PROMPT = json.dumps(
    [["system", "You compare."], ["user", f"Reference: {REFERENCE}\nPrediction: {PREDICTION}\nYour answer:"]],
    ensure_ascii=False,
)


def with_our_prompt(card: JudgeCard) -> JudgeCard:
    """The card with a prompt of our own and the weights' own chat template."""
    source = replace(card.template, digest=digest(OUR_PROMPT.encode()))
    return replace(card, template=source, chat_template="")


def our_green(**changes: Any) -> Judged:
    from scorer.statistics.green import GREEN

    return replace(GREEN, card=replace(with_our_prompt(green.CARD), **changes))


def our_crimson(**changes: Any) -> Judged:
    from scorer.statistics.crimson import CRIMSON

    return replace(CRIMSON, card=replace(with_our_prompt(crimson.CARD), **changes))


def endpoint_of(url: str, **changes: Any) -> Endpoint:
    fields = {
        "model": "tiny",
        "weights_digest": "a" * 64,
        "server": "test 1.2",
        "concurrency": 4,
        "patience_s": 20.0,
        "timeout_s": 60.0,
    }
    return Endpoint(url=url, **{**fields, **changes})


def put_prompts(weights_dir: Path) -> None:
    """Puts our prompt where the original ones would lie."""
    folder = weights_dir / "templates"
    folder.mkdir(parents=True, exist_ok=True)
    for judge in ("green", "crimson"):
        (folder / f"{judge}-{digest(OUR_PROMPT.encode())[:12]}.json").write_text(OUR_PROMPT, "utf-8")


def bench_with(tmp_path: Path, **endpoints: Endpoint) -> Bench:
    put_prompts(tmp_path / "weights")
    return Bench(weights_dir=tmp_path / "weights", cache_dir=tmp_path / "cache", judges=endpoints)


@pytest.fixture
def judge() -> Iterator[Callable[..., Judge]]:
    """Starts judges that are functions, or proxies."""
    started: list[Judge] = []

    def start(*arguments: Any, **named: Any) -> Judge:
        started.append(Judge(*arguments, **named))
        return started[-1]

    yield start
    for one in started:
        one.close()


def _needs_networks() -> None:
    for package in ("torch", "transformers"):
        pytest.importorskip(package, reason="needs the encoders extra")


@pytest.fixture(scope="session")
def tiny_green(tmp_path_factory: pytest.TempPathFactory) -> Path:
    _needs_networks()
    return make(tmp_path_factory.mktemp("judges") / "green", GREEN_SCRIPT)


@pytest.fixture(scope="session")
def tiny_crimson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    _needs_networks()
    return make(tmp_path_factory.mktemp("judges") / "crimson", CRIMSON_SCRIPT)


@pytest.fixture(scope="session")
def tiny_random(tmp_path_factory: pytest.TempPathFactory) -> Path:
    _needs_networks()
    return make(tmp_path_factory.mktemp("judges") / "random")


class RealServer:
    """`transformers serve` with one judge, on one port; can be killed and started again."""

    def __init__(self, folder: Path, log: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder, self.log, self.url = folder, log, f"http://127.0.0.1:{self.port}/v1"
        self.process: subprocess.Popen[bytes] | None = None
        self.n_warm_ups = 0

    def start(self, wait: bool = True) -> None:
        code = "from transformers.commands.transformers_cli import main; main()"
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--device", "cpu", "--log-level", "info"]
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code, "serve", *options, "--force-model", str(self.folder)],
                stdout=out,
                stderr=out,
                env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
            )
        if wait:
            self.wait()

    def wait(self) -> None:
        assert self.process is not None
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()[-2000:]
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                connection.request("GET", "/health")
                response = connection.getresponse()
                response.read()
                if response.status == 200:
                    self._warm_up(connection)
                    return
            except OSError:
                time.sleep(0.2)
            finally:
                connection.close()
        raise AssertionError("the server did not start")

    def _warm_up(self, connection: http.client.HTTPConnection) -> None:
        """One question, so that the weights are loaded: this server does not bear several at once before."""
        body = {"model": "tiny", "max_tokens": 1, "messages": [{"role": "user", "content": "warm up"}]}
        connection.request(
            "POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"}
        )
        assert connection.getresponse().status == 200
        self.n_warm_ups += 1

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def n_requests(self) -> int:
        """Questions in the server's own log, whatever became of them."""
        return self.log.read_text().count("POST /v1/chat/completions") - self.n_warm_ups


@pytest.fixture
def real_server(tmp_path: Path) -> Iterator[Callable[[Path], RealServer]]:
    started: list[RealServer] = []

    def start(folder: Path, wait: bool = True) -> RealServer:
        server = RealServer(folder, tmp_path / f"server-{len(started)}.log")
        started.append(server)
        server.start(wait)
        return server

    yield start
    for server in started:
        if server.process is not None and server.process.poll() is None:
            server.kill()
