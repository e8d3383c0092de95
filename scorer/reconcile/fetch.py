"""Gets a linked prediction file: from public https addresses only, within the caps, checked by its digest."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from scorer.guard import Problems, https_link, limits
from scorer.predictions import parse_predictions, predictions_digest
from scorer.store import write_atomic
from scorer.submission import PredictionSource

__all__ = ["Refused", "download", "fetch_predictions", "is_public_address", "status_of"]

_REDIRECTS = 5
_SECONDS = 300.0


def fetch_predictions(
    source: PredictionSource, model: str, dataset: str, state_dir: Path, problems: Problems
) -> Path | None:
    """The place of a verified copy under the state folder, or None with the problem said (never its content)."""
    folder = state_dir / "predictions" / model
    path = f"{model}/{dataset}"
    for place in (folder / f"{dataset}.jsonl", folder / f"{dataset}.jsonl.gz"):
        if place.is_file() and _digest_of(place.read_bytes(), place.name) == source.sha256:
            return place
    try:
        data = download(source.url)
    except (OSError, http.client.HTTPException, ValueError) as error:
        said = str(error) if isinstance(error, Refused) else type(error).__name__
        problems.add("cannot-fetch", f"the link cannot be read ({said})", path=path, hint="check the link")
        return None
    place = folder / f"{dataset}.jsonl{'.gz' if data[:2] == bytes([0x1F, 0x8B]) else ''}"
    if _digest_of(data, place.name) != source.sha256:
        hint = "`rexrank check` prints the sha256 of a prediction file"
        problems.add(
            "other-predictions", "the link holds other predictions than the card says", path=path, hint=hint
        )
        return None
    write_atomic(place, data)
    return place


def is_public_address(address: str) -> bool:
    """Whether an IP address is one of the public internet."""
    found = ipaddress.ip_address(address.split("%")[0])
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_global and not found.is_multicast


class Refused(ValueError):
    """Why a link was not followed; holds nothing that came over the wire."""


def _digest_of(data: bytes, name: str) -> str:
    """Digest of a prediction file's content; "" when it is not one."""
    unread = Problems()
    reports = parse_predictions(data, name, unread)
    return "" if unread.has_errors else predictions_digest(reports)


def download(url: str, cap: int = limits.PREDICTION_BYTES) -> bytes:
    """What a public https address holds.

    Raises:
        OSError, http.client.HTTPException, ValueError: it cannot be had, is not public, or is over `cap`.
    """
    deadline = time.monotonic() + _SECONDS
    with _follow(url, "GET", deadline) as answer:
        if answer.status != 200:
            raise Refused(f"status {answer.status}")
        return _read(answer, cap, deadline)


def status_of(url: str) -> int:
    """The status that a public https address answers with; raises like `download`."""
    with _follow(url, "HEAD", time.monotonic() + 30) as answer:
        return answer.status


@contextlib.contextmanager
def _follow(url: str, method: str, deadline: float) -> Iterator[http.client.HTTPResponse]:
    for _ in range(_REDIRECTS + 1):
        if said := https_link(url):
            raise Refused(f"leads to an address that is not accepted: {said}")
        parts = urlsplit(url)
        assert parts.hostname is not None
        connection = _Connection(parts.hostname, deadline)
        try:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request(
                method, target, headers={"User-Agent": "rexrank", "Accept-Encoding": "identity"}
            )
            answer = connection.getresponse()
            if answer.status not in {301, 302, 303, 307, 308}:
                yield answer
                return
            url = urljoin(url, answer.getheader("Location") or "")
        finally:
            connection.close()
    raise Refused("too many redirects")


def _read(answer: http.client.HTTPResponse, cap: int, deadline: float) -> bytes:
    found = bytearray()
    while chunk := answer.read(1 << 16):
        found += chunk
        if len(found) > cap:
            raise Refused(f"over the limit ({limits.in_mib(cap)})")
        if time.monotonic() > deadline:
            raise Refused("takes too long")
    return bytes(found)


class _Connection(http.client.HTTPSConnection):
    """Connects to the address it has looked at: a name that points inside is refused, whatever it says later."""

    def __init__(self, host: str, deadline: float) -> None:
        super().__init__(host, 443, timeout=max(1.0, min(30.0, deadline - time.monotonic())))
        self._context_used = ssl.create_default_context()

    def connect(self) -> None:
        """Resolves, refuses addresses that are not public, connects to the one that was checked."""
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        addresses = [str(entry[4][0]) for entry in found]
        if not addresses or not all(is_public_address(address) for address in addresses):
            raise Refused("leads to an address that is not public")
        plain = socket.create_connection((addresses[0], self.port), self.timeout)
        self.sock = self._context_used.wrap_socket(plain, server_hostname=self.host)
