"""A hub on the loopback interface that serves files with ranges and misbehaves on request."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEAD = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """What is served, and what went over the wire.

    Attributes:
        files: "owner/name/path" -> bytes, whatever the revision. asked: (path, Range header) per request.
        break_after: bytes after which the next answers break off; one entry is used up per answer.
        ignores_ranges: whether every answer starts at the first byte. status: answered instead, when not 200.
    """

    files: dict[str, bytes]
    asked: list[tuple[str, str]] = field(default_factory=list)
    break_after: list[int] = field(default_factory=list)
    ignores_ranges: bool = False
    status: int = 200
    url: str = ""


def serve(hub: Hub) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            hub.asked.append((self.path, self.headers.get("Range", "")))
            if hub.status != 200:
                self.send_error(hub.status)
                return
            if re.fullmatch(r"/api/models/.+/revision/main", self.path):
                self.answer(200, json.dumps({"sha": HEAD}).encode(), {})
                return
            found = re.fullmatch(r"/(.+?)/resolve/[^/]+/(.+)", self.path)
            body = hub.files.get(f"{found[1]}/{found[2]}") if found else None
            if body is None:
                self.send_error(404)
                return
            start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
            if start and not hub.ignores_ranges:
                if start >= len(body):
                    self.send_error(416)
                    return
                self.answer(
                    206, body[start:], {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
                )
            else:
                self.answer(200, body, {})

        def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if hub.break_after:
                body = body[: hub.break_after.pop(0)]
                self.close_connection = True
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return server
