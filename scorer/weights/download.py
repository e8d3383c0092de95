"""One file over HTTP: resumed where it stopped, under a temporary name, verified before it gets its own."""

from __future__ import annotations

import contextlib
import http.client
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

from scorer.errors import MissingError, UsageError
from scorer.weights.store import hash_file

__all__ = ["HUB", "Report", "download", "file_url", "get"]

HUB = "https://huggingface.co"
ATTEMPTS = 5
TIMEOUT_S = 60.0
_CHUNK = 1 << 18

Report = Callable[[str, int, int], None]
"""Called with (file, bytes done, bytes in all or 0 when unknown)."""


def file_url(hub: str, repository: str, revision: str, path: str) -> str:
    """Where a hub keeps a file at a revision."""
    return f"{hub.rstrip('/')}/{repository}/resolve/{revision}/{urllib.parse.quote(path)}"


def download(
    url: str, target: Path, *, size: int | None, sha256: str | None, command: str, report: Report
) -> tuple[int, str]:
    """Brings a file here and gives its size and sha256.

    The bytes go to `<target>.part`, which survives an interruption and is continued by the next call. With a
    given sha256 the file is verified before it is renamed; a wrong one is removed and refused.

    Args:
        size, sha256: what the lock says; None while the lock is being made.
        command: what a reader of an error should run to try again.

    Raises:
        MissingError: the server cannot be reached, does not have the file, or sends other bytes.
    """
    part = target.with_name(target.name + ".part")
    part.parent.mkdir(parents=True, exist_ok=True)
    _fill(url, part, size, command, report)
    found = part.stat().st_size, hash_file(part)
    if (size is not None and found[0] != size) or (sha256 is not None and found[1] != sha256):
        part.unlink()
        raise MissingError(f"{_host(url)} sent other bytes for {target.name} than the lock pins", command)
    os.replace(part, target)
    return found


def get(url: str, command: str) -> bytes:
    """A small document.

    Raises:
        MissingError: as `download`.
    """
    try:
        with _open(url, {}) as response:
            return bytes(response.read())
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(url, error.code, command) from error
    except (OSError, http.client.HTTPException) as error:
        raise _unreachable(url, error, command) from error


def _fill(url: str, part: Path, size: int | None, command: str, report: Report) -> None:
    """Appends to the part file until the server has no more to give."""
    for attempt in range(1, ATTEMPTS + 1):
        have = part.stat().st_size if part.is_file() else 0
        if size is not None and have >= size:
            if have == size:
                return
            part.unlink()
            have = 0
        try:
            if _fill_once(url, part, have, report):
                return
            error: Exception = http.client.IncompleteRead(b"")
        except urllib.error.HTTPError as refused:
            with refused:
                if refused.code == 416:  # nothing at that offset: what lies here is not this file's beginning
                    part.unlink(missing_ok=True)
                elif refused.code < 500:
                    raise _refused(url, refused.code, command) from refused
                error = refused
        except (OSError, http.client.HTTPException) as broken:
            if isinstance(broken, OSError) and broken.errno == 28:  # no space left: trying again helps nobody
                raise
            error = broken
        if attempt == ATTEMPTS:
            raise _unreachable(url, error, command)
        time.sleep(0.2 * attempt)


def _fill_once(url: str, part: Path, have: int, report: Report) -> bool:
    """One request; gives whether the file is whole as far as the server says."""
    with _open(url, {"Range": f"bytes={have}-"} if have else {}) as response:
        resumed = response.status == 206 and response.headers.get("Content-Range", "").startswith(
            f"bytes {have}-"
        )
        if not resumed:
            have = 0
        length = response.headers.get("Content-Length")
        total = have + int(length) if length else 0
        with part.open("ab" if resumed else "wb") as out:
            while chunk := response.read(_CHUNK):
                out.write(chunk)
                have += len(chunk)
                report(part.name.removesuffix(".part"), have, total)
    return not total or have == total


def _open(url: str, headers: dict[str, str]) -> contextlib.AbstractContextManager[http.client.HTTPResponse]:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "https" and not (
        parts.scheme == "http" and parts.hostname in {"127.0.0.1", "::1", "localhost"}
    ):
        raise UsageError(f"{parts.scheme}://{parts.hostname}: weights are fetched over https only")
    request = urllib.request.Request(
        url, headers={"User-Agent": "rexrank", "Accept-Encoding": "identity", **headers}
    )
    opened: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=TIMEOUT_S)
    return opened


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc


def _refused(url: str, status: int, command: str) -> MissingError:
    hint = {401: "it asks for a login", 403: "it refuses", 404: "it has no such file or revision"}.get(
        status, ""
    )
    said = f" ({hint})" if hint else ""
    return MissingError(
        f"{_host(url)} answered {status}{said} for {urllib.parse.urlsplit(url).path}", command
    )


def _unreachable(url: str, error: Exception, command: str) -> MissingError:
    return MissingError(f"{_host(url)} cannot be reached or breaks off ({type(error).__name__})", command)
