"""The judge path without a judge: what the client adds to a request, and 10,000 answers counted again."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.lexical import pairs
from benchmarks.table import print_table

N_REQUESTS = 2_000
N_STUDIES = 10_000

# A server of its own process that answers at once, over kept connections, with one fixed answer of judge's length.
_SERVER = """
import socketserver, sys
class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    def handle(self):
        while True:
            length = 0
            while (line := self.rfile.readline()) not in (b"\\r\\n", b""):
                if line.lower().startswith(b"content-length:"): length = int(line.split(b":")[1])
            if line == b"": return
            self.rfile.read(length)
            self.wfile.write(answer)
class Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True
    request_queue_size = 64
body = sys.argv[2].encode()
answer = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body
Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

_TEXT = (
    "[Explanation]:\n"
    + "The reports agree on most findings. " * 20
    + "\n\n[Clinically Significant Errors]:\n"
    "(a) false: 1. x\n(b) missing: 2. y; z\n\n[Clinically Insignificant Errors]:\nNo.\n\n[Matched Findings]:\n3. a; b"
)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the server did not start")


def main() -> None:
    """Prints the table."""
    from scorer.judges import Endpoint, green
    from scorer.judges.served import Served
    from scorer.judges.templates import PREDICTION, REFERENCE, Template
    from scorer.metrics.green import GREEN as METRIC
    from scorer.statistics import Bench
    from scorer.statistics.green import GREEN
    from scorer.store import digest

    prompt = json.dumps([["user", "word " * 300 + f"{REFERENCE} {PREDICTION}"]], ensure_ascii=False)
    source = replace(green.CARD.template, digest=digest(prompt.encode()))
    statistic = replace(GREEN, card=replace(green.CARD, template=source))
    answer = {"choices": [{"message": {"content": _TEXT}, "finish_reason": "stop"}], "usage": {}}
    port = _free_port()
    server = subprocess.Popen([sys.executable, "-c", _SERVER, str(port), json.dumps(answer)])
    try:
        _wait(port)
        endpoint = Endpoint(
            url=f"http://127.0.0.1:{port}/v1",
            model="m",
            weights_digest="0" * 64,
            server="none",
            concurrency=1,
        )
        template = Template(prompt)
        data = pairs(N_STUDIES)
        asked = [template.render(reference, prediction) for prediction, reference in data[:N_REQUESTS]]
        served = Served("green", endpoint, green.CARD.decoding)
        cpu, wall = time.process_time(), time.perf_counter()
        n = sum(1 for _ in served.complete(asked))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        assert n == N_REQUESTS
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(
                weights_dir=Path(folder),
                cache_dir=Path(folder),
                judges={"green": replace(endpoint, concurrency=8)},
            )
            kept = Path(folder) / "templates" / f"green-{source.digest[:12]}.json"
            kept.parent.mkdir()
            kept.write_text(prompt, "utf-8")
            predictions, references = [p for p, _ in data], [r for _, r in data]
            statistic.compute(predictions, references, bench)
            start = time.perf_counter()
            computed = statistic.compute(predictions, references, bench)
            columns = {c.name: computed.values[:, i] for i, c in enumerate(statistic.spec.columns)}
            METRIC.finish(METRIC.terms({"green": columns}).sum(axis=0))
            again = time.perf_counter() - start
    finally:
        server.kill()
        server.wait()
    print_table(
        "The judge path without a judge",
        ("what", "took", "wanted"),
        [
            ("client, CPU a request", f"{1000 * cpu / N_REQUESTS:.2f} ms", "< 2 ms"),
            (
                "client and a server that answers at once, wall a request",
                f"{1000 * wall / N_REQUESTS:.2f} ms",
                "",
            ),
            (f"{N_STUDIES:,} studies counted again from kept answers", f"{again:.2f} s", "< 5 s"),
        ],
    )
