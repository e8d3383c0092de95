"""The few calls to the code host's API: bounded retries, a token that never shows, answers that are only read as
JSON objects and lists."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from scorer.errors import RexrankError, UsageError

__all__ = ["HostApi", "HostApiError"]

_LIMIT = 1 << 20
_RETRY = frozenset({403, 429, 500, 502, 503, 504})


class HostApiError(RexrankError):
    """A call failed for good; says method, path and status, never an answer's text."""


class HostApi:
    """The REST API of a code host.

    Args:
        base: https address (http only on this machine, for tests). pause: waits, replaced in tests.
    """

    def __init__(
        self,
        base: str,
        token: str,
        *,
        pause: Callable[[float], None] = time.sleep,
        seconds: float = 20,
        tries: int = 4,
    ) -> None:
        if not base.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
            raise UsageError("the API's address starts with https://")
        self._tries = tries
        self._base, self._token, self._pause, self._seconds = base.rstrip("/"), token, pause, seconds

    def get(self, path: str) -> Any:
        """The JSON answer to a GET; None where there is nothing (404)."""
        return self._call("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON answer to a POST."""
        return self._call("POST", path, json.dumps(body).encode())

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON answer to a PATCH."""
        return self._call("PATCH", path, json.dumps(body).encode())

    def upload(self, url: str, data: bytes) -> Any:
        """Sends a file to the address that the API named for it, which is the API's own or `uploads.` of it."""
        home, given = urlsplit(self._base), urlsplit(url)
        allowed = {home.netloc, home.netloc.replace("api.", "uploads.", 1)}
        if given.scheme != home.scheme or given.netloc not in allowed:
            raise HostApiError("POST to an address that is not the API's")
        return self._call("POST", url, data, kind="application/octet-stream")

    def _call(self, method: str, path: str, body: bytes | None, kind: str = "application/json") -> Any:
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "rexrank",
            **({"Content-Type": kind} if body is not None else {}),
            **({"Authorization": f"Bearer {self._token}"} if self._token else {}),
        }
        said = "no answer"
        for attempt in range(self._tries):
            if attempt:
                self._pause(2.0**attempt)
            url = path if path.startswith(("https://", "http://")) else f"{self._base}{path}"
            request = urllib.request.Request(url, data=body, headers=headers, method=method)
            try:
                with _opener().open(request, timeout=self._seconds) as answer:
                    return json.loads(answer.read(_LIMIT))
            except urllib.error.HTTPError as error:
                error.close()
                if error.code == 404 and method == "GET":
                    return None
                said = f"status {error.code}"
                if error.code not in _RETRY:
                    break
            except (OSError, ValueError) as error:
                said = type(error).__name__
        raise HostApiError(f"{method} {urlsplit(path).path}: {said}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token elsewhere."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirect)
