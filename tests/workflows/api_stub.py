"""The code host's API on the loopback: remembers what was asked, answers from a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Answer", "Asked", "Stub", "serving"]

Answer = tuple[int, Any]
"""(status, JSON value, or bytes as they are)"""


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    body: Any
    authorization: str


@dataclass
class Stub:
    """answer: gives the answer to a request. asked: all of them, in order."""

    answer: Callable[[Asked], Answer]
    asked: list[Asked] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(answer: Callable[[Asked], Answer]) -> Iterator[Stub]:
    """Serves until the block ends."""
    stub = Stub(answer)

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            is_json = "json" in (self.headers.get("Content-Type") or "")
            body = json.loads(data) if data and is_json else data
            asked = Asked(self.command, self.path, body, self.headers.get("Authorization") or "")
            stub.asked.append(asked)
            status, value = stub.answer(asked)
            out = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            if status in {301, 302, 307}:
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.send_header("Content-Length", str(len(out)))
            self.end_headers()
            self.wfile.write(out)

        do_GET = do_POST = do_PATCH = _do

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    stub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
