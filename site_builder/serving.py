"""Builds the site, serves it on this machine, and builds again when results or pages change."""

from __future__ import annotations

import functools
import http.server
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from scorer.errors import RexrankError, UsageError
from site_builder.building import build

__all__ = ["Handler", "fingerprint", "serve"]

INTERVAL = 0.4
"""Seconds between two looks at the watched folders."""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of one folder; the site's own page where there is none; nothing is kept unasked."""

    def end_headers(self) -> None:
        # Not "no-store": the theme asks for its style sheets a second time, and the page would lose its looks.
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.is_file():
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        return None

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: requests are no news."""


def fingerprint(folders: tuple[Path, ...]) -> int:
    """Changes whenever a file under the folders appears, disappears or is written."""
    return hash(tuple(_stamps(folders)))


def _stamps(folders: tuple[Path, ...]) -> Iterator[tuple[str, int, int]]:
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            try:
                stat = path.stat()
            except FileNotFoundError:
                continue
            yield str(path), stat.st_mtime_ns, stat.st_size


def serve(
    *,
    results: Path,
    out: Path,
    port: int,
    said: Callable[[str], None],
    stop: threading.Event | None = None,
) -> None:
    """Serves until interrupted, or until `stop` is set.

    Raises:
        UsageError: the port is taken.
        RexrankError: the first build failed; later failures are said and the old site stays.
    """
    stop = stop or threading.Event()
    watched = (results, results.resolve().parent / "docs")
    seen = fingerprint(watched)
    n = build(results=results, out=out)
    try:
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", port), functools.partial(Handler, directory=str(out))
        )
    except OSError as error:
        raise UsageError(f"port {port} cannot be used ({error.strerror}); choose another --port") from None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    said(f"{n} pages at http://127.0.0.1:{server.server_port}/  (Ctrl-C stops)")
    try:
        while not stop.wait(INTERVAL):
            if (now := fingerprint(watched)) == seen:
                continue
            seen, begun = now, time.monotonic()
            try:
                n = build(results=results, out=out)
                said(f"{n} pages built again in {time.monotonic() - begun:.1f} s")
            except RexrankError as error:
                said(f"not built, the old site stays: {error}")
    finally:
        server.shutdown()
        server.server_close()
