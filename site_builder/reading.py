"""Reads a results folder into a `World`. The only part of the builder that opens files of `results/`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scorer.board import Board
from scorer.datasets import cards
from scorer.errors import InputError
from scorer.metrics import METRICS
from scorer.probes import PROBES
from scorer.published import read_editions, read_model_cards
from scorer.store import Results
from scorer.submission import read_submission
from site_builder.models import Model, from_card, from_submission, merge, probe
from site_builder.world import World

__all__ = ["read_world"]


def _warn(line: str) -> None:
    print(f"rexrank build: {line}", file=sys.stderr)


def read_world(root: Path, base_url: str = "", said: Callable[[str], None] = _warn) -> World:
    """Everything that the pages show.

    A submission that cannot be read any more (an old schema, a broken file) keeps its page with a note and
    does not stop the build.

    Args:
        root: the results folder. base_url: where the site will stand. said: takes one warning a line.

    Raises:
        InputError: published editions, records or dataset cards are broken.
    """
    results = Results(root)
    models: dict[str, Model] = {one.model: probe(one.model, one.label, one.what) for one in PROBES}
    for card in read_model_cards(root):
        models[card.slug] = from_card(card)
    for id in results.submission_ids():
        try:
            model = from_submission(read_submission(results.submission_dir(id)))
        except InputError as error:
            said(f"submissions/{id} needs an update: {error.problems[0].message}")
            model = Model(id=id, name=id, is_submitted=True, lifecycle="needs update", note="Its card cannot be read by this version.")
        models[id] = merge(model, models[id]) if id in models else model
    return World(
        boards=_boards(results),
        models=models,
        datasets={card.id: card for card in cards(root)},
        metrics=tuple(metric.spec for metric in METRICS),
        records={(r.model, r.dataset, r.track): r for r in results.records()},
        editions=read_editions(root),
        results=root,
        base_url=base_url,
    )


def _boards(results: Results) -> Sequence[Board]:
    from scorer.board import build_boards

    return build_boards(results)
