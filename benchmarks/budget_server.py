"""A server that packs what it sends, as hosts of static sites do, and remembers what was asked for."""

from __future__ import annotations

import functools
import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

__all__ = ["Served", "served"]

PACKED = {".html", ".css", ".js", ".json", ".svg", ".csv", ".xml", ".txt"}


@functools.lru_cache(maxsize=256)
def _packed(path: Path, _written: int) -> bytes:
    return gzip.compress(path.read_bytes(), 6, mtime=0)


@dataclass(frozen=True, kw_only=True)
class Served:
    """A site below `/repo/`: its address with a trailing slash, and path -> bytes sent since the last `forget`."""

    address: str
    folder: Path
    sent: dict[str, int] = field(default_factory=dict)


class _Packing(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Served

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        is_packed = path.suffix in PACKED
        body = _packed(path, path.stat().st_mtime_ns) if is_packed else path.read_bytes()
        self.site.sent[path.relative_to(self.site.folder).as_posix()] = len(body)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        if is_packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """Serves `folder`, whose sub-folder `repo` holds a site, while the block runs."""

    class Handler(_Packing):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    address = f"http://127.0.0.1:{server.server_port}/repo/"
    site = Handler.site = Served(address=address, folder=folder / "repo")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
