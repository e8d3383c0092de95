"""Asks whether links answer. A link that does not is marked for people; nothing is taken off a board for it."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from pathlib import Path

from scorer.cells import Workshop
from scorer.errors import InputError
from scorer.guard import Problems
from scorer.reconcile.fetch import status_of
from scorer.submission import CARD_NAME

__all__ = ["check_links"]


def check_links(results: Path, problems: Problems, ask: Callable[[str], int] = status_of) -> int:
    """Adds a warning for each link that does not answer with success; gives how many were asked.

    Args:
        ask: the status a link answers with, after redirects.
    """
    shop = Workshop(results, results)
    known: dict[str, str] = {}
    n = 0
    for model in shop.results.submission_ids():
        try:
            submission = shop.submission(model)
        except InputError:
            continue
        links = submission.links
        named = {
            "code": links.code,
            "weights": links.weights,
            "project": links.project,
            "paper": links.paper_url,
        }
        for field, link in named.items():
            if not link:
                continue
            n += 1
            if link not in known:
                known[link] = _answer(link, ask)
            if known[link]:
                path = f"results/submissions/{model}/{CARD_NAME}"
                message = f"does not answer ({known[link]})"
                hint = "the entry stays; ask its owner for the new address"
                problems.add(
                    "dead-link", message, path=path, field=f"links.{field}", hint=hint, severity="warning"
                )
    return n


def _answer(link: str, ask: Callable[[str], int]) -> str:
    """Why a link counts as broken; "" when it answers. Places that refuse robots (401, 403, 429) answer."""
    try:
        status = ask(link)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return type(error).__name__
    return "" if status < 400 or status in {401, 403, 405, 429} else f"status {status}"
