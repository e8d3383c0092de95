"""A server between a client and a judge that can fail on purpose, and a judge that is only a function."""

from __future__ import annotations

import hashlib
import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[[int, dict[str, Any]], str]
"""(number of the request, its body) -> what to do: "pass", "429", "503", "500", "400", "too long", "slow",
"garbage", "not an answer", "half", "drop", "hold"."""


class Judge:
    """A server whose answers come from `answer`, or from another server; it logs every question.

    Attributes:
        asked: times that each question (sha256 of its last turn) came in.
        answered: times that each was answered in full. fault: what to do with a request.
    """

    def __init__(
        self,
        answer: Callable[[dict[str, Any]], str] = lambda body: "",
        upstream: str = "",
        fault: Fault = lambda number, body: "pass",
    ) -> None:
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.fault, self.answer, self.upstream = fault, answer, upstream
        self.under_way = self.most_under_way = 0
        self.released = threading.Event()
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                owner.get(self)

            def do_POST(self) -> None:
                with owner._lock:
                    owner.under_way += 1
                    owner.most_under_way = max(owner.most_under_way, owner.under_way)
                try:
                    owner.post(self)
                finally:
                    with owner._lock:
                        owner.under_way -= 1

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass  # a client that went away is part of the tests

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def get(self, handler: BaseHTTPRequestHandler) -> None:
        if handler.path == "/v1/models":
            self._send(handler, 200, {"data": [{"id": "tiny", "owned_by": "test"}]})
        elif handler.path == "/version":
            self._send(handler, 200, {"version": "1.2"})
        else:
            self._send(handler, 404, {})

    def post(self, handler: BaseHTTPRequestHandler) -> None:
        data = handler.rfile.read(int(handler.headers["Content-Length"]))
        body = json.loads(data)
        question = hashlib.sha256(body["messages"][-1]["content"].encode()).hexdigest()
        with self._lock:
            number = sum(self.asked.values())
            self.asked[question] += 1
            self.bodies.append(body)
            self.headers.append(dict(handler.headers))
        fault = self.fault(number, body)
        if fault == "slow":
            time.sleep(1.0)
        elif fault == "hold":
            self.released.wait()
            return
        elif fault in ("429", "503", "500", "400"):
            headers = {"Retry-After": "0.05"} if fault == "429" else {}
            self._send(handler, int(fault), {"error": "no"}, headers)
            return
        elif fault == "too long":
            self._send(handler, 400, {"error": {"code": "context_length_exceeded"}})
            return
        elif fault == "garbage":
            self._send_bytes(handler, 200, b"<html>bad gateway</html>")
            return
        elif fault == "not an answer":
            self._send(handler, 200, {"choices": []})
            return
        elif fault == "drop":
            handler.close_connection = True
            return
        status, kind, answer = (
            self._forward(data) if self.upstream else (200, "application/json", self._own(body))
        )
        if fault == "half":
            handler.send_response(200)
            handler.send_header("Content-Type", kind)
            handler.send_header("Content-Length", str(len(answer)))
            handler.end_headers()
            handler.wfile.write(answer[: len(answer) // 2])
            handler.close_connection = True
            return
        with self._lock:
            self.answered[question] += 1
        self._send_bytes(handler, status, answer, {"Content-Type": kind})

    def _own(self, body: dict[str, Any]) -> bytes:
        choice = {"message": {"role": "assistant", "content": self.answer(body)}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 7, "completion_tokens": 3}
        return json.dumps({"choices": [choice], "usage": usage}).encode()

    def _forward(self, data: bytes) -> tuple[int, str, bytes]:
        host = self.upstream.removeprefix("http://").partition("/")[0]
        connection = http.client.HTTPConnection(host, timeout=60)
        try:
            connection.request("POST", "/v1/chat/completions", data, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.headers["Content-Type"], response.read()
        except (OSError, http.client.HTTPException):
            return 503, "application/json", b"{}"
        finally:
            connection.close()

    def _send(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        document: Any,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._send_bytes(handler, status, json.dumps(document).encode(), headers or {})

    def _send_bytes(
        self, handler: BaseHTTPRequestHandler, status: int, data: bytes, headers: dict[str, str] | None = None
    ) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)
