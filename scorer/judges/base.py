"""What a judge is: a language model that reads two reports and writes an answer, which code then counts.

    pair -> render -> Prompt -> backend -> Completion -> parse -> a row of numbers

A judge's numbers depend on its weights, its template and how its answer was decoded; the three together
are its `Identity`. Everything here is data: no text is read, no server called.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

__all__ = [
    "Backend",
    "Completion",
    "Decoding",
    "Endpoint",
    "Finish",
    "Identity",
    "JudgeCard",
    "Message",
    "Prompt",
    "TemplateSource",
]

Finish = Literal["stop", "length", "too_long"]
"""How an answer ended: by itself; cut by the token limit; not begun, since the prompt alone fills the context."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """One turn of a prompt: role "system" or "user", and its text."""

    role: str
    content: str


Prompt = tuple[Message, ...]


@dataclass(frozen=True, kw_only=True)
class Completion:
    """A judge's raw answer.

    Attributes:
        text: exactly as it came. finish: see `Finish`.
        prompt_tokens, completion_tokens: as the server counted; 0 where it does not say.
    """

    text: str
    finish: Finish
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How an answer is decoded: always greedy, temperature 0 and seed 0.

    Attributes:
        max_tokens: longest answer; None leaves the rest of the server's context, which a served judge fixes.
        context: tokens of prompt and answer together that the judge is served with.
        schema: JSON schema of the answer, for servers that decode under constraints; None for free text.
    """

    max_tokens: int | None
    context: int
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class TemplateSource:
    """Where a judge's own prompt comes from: a released package that its user fetches; never this repository.

    Attributes:
        package, version, archive, sha256: the release on the package index and the file's digest.
        member: path inside the archive. function: name of the function that builds the prompt.
        arguments: keyword arguments besides the two reports.
        system_member: path of the source that holds the system turn; "" where there is none.
        digest: sha256 of the extracted template. licence: as the package states it.
    """

    package: str
    version: str
    archive: str
    sha256: str
    member: str
    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    system_member: str = ""
    digest: str
    licence: str


@dataclass(frozen=True, kw_only=True)
class JudgeCard:
    """A judge that statistics can name.

    Attributes:
        id: snake_case. weights: id on the model hub. architecture: for the cost model and the pages.
        template: where the prompt comes from.
        max_words: each report is cut to this many words first; 0 for no cut.
        chat_template: Jinja text that a server must apply; "" leaves the weights' own.
        dtype: of the weights when served.
    """

    id: str
    weights: str
    template: TemplateSource
    max_words: int
    decoding: Decoding
    chat_template: str = ""
    dtype: str


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a judge answers on this machine; registered by `rexrank judge use`.

    Attributes:
        url: base of an OpenAI-compatible server ("http://127.0.0.1:8000/v1"); "" runs the judge in process.
        model: the served name, or in process the weights folder.
        weights_digest: sha256 of the weights, taken when the judge was registered or served.
        server: name and version as the server says them.
        constrained: whether the server decodes under a JSON schema.
        concurrency: requests under way at once. timeout_s: of one request.
        patience_s: how long a server that is away or busy is waited for.
        api_key: sent as a bearer token when not empty; never shown.
        door: of a process whose network is cut, the doorkeeper that opens connections; see `scorer.judges.doors`.
    """

    url: str
    model: str
    weights_digest: str
    server: str
    constrained: bool = False
    concurrency: int = 16
    timeout_s: float = 600.0
    patience_s: float = 300.0
    api_key: str = field(default="", repr=False)
    door: int | None = None


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What a judge's numbers depend on, in digests and names.

    Attributes:
        weights, template: sha256. decoding: its canonical form, with the constraint actually in force.
        server: name and version.
    """

    judge: str
    weights: str
    template: str
    decoding: str
    server: str

    @property
    def digest(self) -> str:
        """sha256 over all parts."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


class Backend(Protocol):
    """Something that answers prompts."""

    def complete(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Completion]]:
        """Yields (position of the prompt, its completion) as answers arrive, in any order.

        Prompts are drawn from the iterable only as places become free, so it may be long.

        Raises:
            StageError: the judge failed for good; answers yielded before are good.
        """
        ...
