"""Judges behind any server that speaks the OpenAI chat protocol (vLLM, llama.cpp, `transformers serve`).

Plain sockets of the standard library: no environment proxy is consulted and no redirect followed, so a
report goes to the registered host and nowhere else. What can pass is waited for: a server that is away,
restarting, busy (429) or failing (5xx) up to the endpoint's patience, an answer that breaks off or is not
of the protocol a few times. What cannot pass, such as a refused key, ends the run; answers had are kept.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import queue
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from scorer.errors import StageError, UsageError
from scorer.judges.base import Completion, Decoding, Endpoint, Finish, Prompt
from scorer.judges.doors import open_door

__all__ = ["Served", "address", "is_loopback"]

_MOST_BROKEN = 4
"""Tries at an answer that breaks off or is not of the protocol."""
_LONGEST_PAUSE_S = 20.0
_BUSY = {408, 409, 425, 429}


def is_loopback(url: str) -> bool:
    """Whether a URL's host is written as a loopback address; a name, even `localhost`, may lead elsewhere."""
    try:
        return ipaddress.ip_address(urlsplit(url).hostname or "").is_loopback
    except ValueError:
        return False


def address(url: str) -> tuple[str, int]:
    """Host and port of a server."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


class _Away(Exception):
    """The server is away or busy; `pause` is what it asked for, in seconds."""

    def __init__(self, kind: str, pause: float | None = None) -> None:
        self.kind, self.pause = kind, pause
        super().__init__(kind)


class _Broken(Exception):
    """An answer broke off or is not of the protocol."""


class Served:
    """A backend over one endpoint; see `scorer.judges.base.Backend`.

    Raises:
        UsageError: the endpoint's URL is not http(s), or not on this machine where it must be.
    """

    def __init__(
        self, judge: str, endpoint: Endpoint, decoding: Decoding, loopback_only: bool = False
    ) -> None:
        parts = urlsplit(endpoint.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"judge {judge}: its address is not an http or https URL; see rexrank judge use -h"
            )
        if loopback_only and not is_loopback(endpoint.url):
            raise UsageError(
                f"judge {judge}: reports of this dataset may not leave this machine; serve the judge here and "
                f"register it by address: rexrank judge use {judge} http://127.0.0.1:8000/v1"
            )
        self._judge, self.endpoint = judge, endpoint
        self._is_tls, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self.path = parts.path.rstrip("/") + "/chat/completions"
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if endpoint.api_key:
            self.headers["Authorization"] = f"Bearer {endpoint.api_key}"
        self._request: dict[str, Any] = {
            "model": endpoint.model,
            "temperature": 0.0,
            "seed": 0,
            "stream": False,
        }
        if decoding.max_tokens is not None:
            self._request["max_tokens"] = decoding.max_tokens
        if decoding.schema is not None and endpoint.constrained:
            schema = {"name": judge, "schema": decoding.schema, "strict": True}
            self._request["response_format"] = {"type": "json_schema", "json_schema": schema}

    def complete(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Completion]]:
        """Keeps `endpoint.concurrency` requests under way; see `Backend.complete`."""
        source, lock, stop = enumerate(prompts), threading.Lock(), threading.Event()
        results: queue.Queue[tuple[int, Completion] | BaseException | None] = queue.Queue()

        def work() -> None:
            line = _Line(self)
            try:
                while not stop.is_set():
                    with lock:
                        drawn = next(source, None)
                    if drawn is None:
                        break
                    position, prompt = drawn
                    results.put((position, line.ask(prompt, stop)))
            except BaseException as error:
                results.put(error)
            finally:
                line.close()
                results.put(None)

        threads = [threading.Thread(target=work, daemon=True) for _ in range(self.endpoint.concurrency)]
        for thread in threads:
            thread.start()
        n_working, failure = len(threads), None
        try:
            while n_working:
                result = results.get()
                if result is None:
                    n_working -= 1
                elif isinstance(result, BaseException):
                    failure = failure or result
                    stop.set()  # answers under way still arrive and are kept
                else:
                    yield result
        finally:
            stop.set()
        for thread in threads:
            thread.join()
        if failure is not None:
            raise failure

    def connect(self) -> http.client.HTTPConnection:
        """A fresh connection."""
        timeout, door = self.endpoint.timeout_s, self.endpoint.door
        context = ssl.create_default_context() if self._is_tls else None
        connection = (
            http.client.HTTPConnection(self._host, self._port, timeout=timeout)
            if context is None
            else http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=context)
        )
        if door is None:
            connection.connect()
        else:
            opened = open_door(door, self._host, connection.port, timeout)
            connection.sock = context.wrap_socket(opened, server_hostname=self._host) if context else opened
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def body(self, prompt: Prompt) -> bytes:
        """The request for one prompt."""
        messages = [{"role": message.role, "content": message.content} for message in prompt]
        return json.dumps({**self._request, "messages": messages}).encode("utf-8")

    def failed(self, kind: str, advice: str) -> StageError:
        return StageError(self._judge, kind, advice=advice)


class _Line:
    """One connection to the server, opened again whenever it breaks."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._connection: http.client.HTTPConnection | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def ask(self, prompt: Prompt, stop: threading.Event) -> Completion:
        """One answer, however often it takes; `stop` ends the waiting, not a request under way."""
        body, patience = self._served.body(prompt), self._served.endpoint.patience_s
        n_broken, n_away, since = 0, 0, time.monotonic()
        while True:
            try:
                return self._exchange(body)
            except _Broken as error:
                n_broken += 1
                if n_broken >= _MOST_BROKEN or stop.is_set():
                    raise self._served.failed(str(error), "the judge's server keeps breaking off") from None
                pause = 0.1 * 2**n_broken
            except _Away as error:
                n_away += 1
                waited = time.monotonic() - since
                if waited >= patience or stop.is_set():
                    advice = (
                        f"the judge's server was away or busy for {waited:.0f} s; answers so far are kept"
                    )
                    raise self._served.failed(error.kind, advice) from None
                pause = min(error.pause or 0.1 * 2 ** min(n_away, 10), _LONGEST_PAUSE_S)
            self.close()
            stop.wait(pause)

    def _exchange(self, body: bytes) -> Completion:
        try:
            if self._connection is None:
                self._connection = self._served.connect()
            self._connection.request("POST", self._served.path, body=body, headers=self._served.headers)
            response = self._connection.getresponse()
            data = response.read()
        except TimeoutError:
            raise _Broken("Timeout") from None
        except (http.client.RemoteDisconnected, ConnectionError, socket.gaierror) as error:
            # Nothing was answered: a server that is not up, or an idle connection that it closed.
            raise _Away(type(error).__name__) from None
        except (http.client.HTTPException, OSError) as error:
            raise _Broken(type(error).__name__) from None
        if response.will_close:
            self.close()
        if response.status == 200:
            return _completion(data, response.headers.get("Content-Type", ""))
        if response.status in _BUSY or response.status >= 500:
            raise _Away(f"HTTP {response.status}", _retry_after(response.headers.get("Retry-After")))
        if response.status in (400, 413, 422) and _says_too_long(data):
            return Completion(text="", finish="too_long")
        raise self._served.failed(f"HTTP {response.status}", "the judge's server refuses the request")


def _retry_after(value: str | None) -> float | None:
    """Seconds that a busy server asks for; its date form and nonsense are ignored."""
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _says_too_long(data: bytes) -> bool:
    text = data[:4000].lower()
    return b"context_length_exceeded" in text or b"maximum context length" in text or b"context size" in text


def _completion(data: bytes, content_type: str) -> Completion:
    """A completion from a JSON answer or from a stream of events.

    Raises:
        _Broken: it is neither, or it has no end.
    """
    try:
        if "text/event-stream" in content_type:
            return _from_events(data.decode("utf-8"))
        document = json.loads(data)
        choice, usage = document["choices"][0], document.get("usage") or {}
        text, finish = choice["message"]["content"] or "", choice["finish_reason"]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise _Broken("NotAnAnswer") from None
    return _checked(text, finish, usage)


def _from_events(stream: str) -> Completion:
    pieces: list[str] = []
    finish: str | None = None
    usage: dict[str, Any] = {}
    for line in stream.splitlines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        event = json.loads(data)
        usage = event.get("usage") or usage
        for choice in event["choices"]:
            pieces.append(choice["delta"].get("content") or "")
            finish = choice.get("finish_reason") or finish
    return _checked("".join(pieces), finish, usage)


def _checked(text: Any, finish: Any, usage: Any) -> Completion:
    """Raises `_Broken` unless the answer has an end and its text is text."""
    if not isinstance(text, str) or finish not in ("stop", "length"):
        raise _Broken("NoEnd")
    ended: Finish = "length" if finish == "length" else "stop"
    counts = [usage.get(name) or 0 for name in ("prompt_tokens", "completion_tokens")]
    return Completion(text=text, finish=ended, prompt_tokens=int(counts[0]), completion_tokens=int(counts[1]))
