"""Asks a judge about pairs: from the store where the answer is there, from the backend where it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from scorer.judges.base import Backend, Completion, Endpoint, Identity, JudgeCard
from scorer.judges.completions import Completions, pair_digest
from scorer.judges.inprocess import InProcess
from scorer.judges.served import Served
from scorer.judges.templates import Template
from scorer.store import digest

__all__ = ["ask", "backend", "completions_path", "cut", "identity"]

Progress = Callable[[str, int, int], None]


def completions_path(cache_dir: Path) -> Path:
    """The store of raw answers in a cache folder."""
    return cache_dir / "completions.sqlite"


def cut(text: str, max_words: int) -> str:
    """The text's first words, joined by single spaces; the text untouched where a judge sets no limit."""
    return " ".join(text.split()[:max_words]) if max_words else text


def identity(card: JudgeCard, endpoint: Endpoint, device: str = "cpu") -> Identity:
    """What the numbers of this judge behind this endpoint depend on."""
    limit = card.decoding.max_tokens or "rest"
    schema = (
        "schema" if card.decoding.schema is not None and endpoint.url and endpoint.constrained else "free"
    )
    chat = digest(card.chat_template.encode())[:12] if card.chat_template else "own"
    kind = device.partition(":")[0]
    return Identity(
        judge=card.id,
        weights=endpoint.weights_digest,
        template=card.template.digest,
        decoding=f"greedy,seed=0,max_tokens={limit},context={card.decoding.context},{schema},chat={chat}",
        server=endpoint.server if endpoint.url else f"{endpoint.server} {kind}",
    )


def backend(card: JudgeCard, endpoint: Endpoint, device: str, loopback_only: bool) -> Backend:
    """The backend that an endpoint names.

    Raises:
        UsageError: the endpoint may not be used here; see `Served`.
    """
    if endpoint.url:
        return Served(card.id, endpoint, card.decoding, loopback_only)
    return InProcess(card, endpoint, device)


def ask(
    card: JudgeCard,
    template: Template,
    who: Identity,
    answering: Backend,
    pairs: Sequence[tuple[str, str]],
    store: Completions,
    progress: Progress,
) -> list[Completion]:
    """The judge's answers to (reference, prediction) pairs, in order; equal pairs are asked once.

    Each answer is committed before the next is awaited, so an interrupted run loses only what was under way.

    Raises:
        StageError: the judge failed for good.
    """
    read = [
        (cut(reference, card.max_words), cut(prediction, card.max_words)) for reference, prediction in pairs
    ]
    keys = [pair_digest(*pair) for pair in read]
    distinct = dict(zip(keys, read, strict=True))
    store.register(who)
    known = store.get(who, distinct)
    wanted = [(key, pair) for key, pair in distinct.items() if key not in known]
    progress(card.id, len(known), len(distinct))
    if wanted:
        prompts = (template.render(*pair) for _, pair in wanted)
        for position, completion in answering.complete(prompts):
            key = wanted[position][0]
            store.put(who, key, completion)
            known[key] = completion
            progress(card.id, len(known), len(distinct))
    return [known[key] for key in keys]
