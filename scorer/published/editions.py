"""Reads `results/published` and `results/models`: editions in the order of time, and model cards."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import get_args

from scorer.errors import InputError, Problem
from scorer.published.documents import DATE, FLAG, INTEGER, TEXT, TEXTS, Field, check_fields, read_yaml
from scorer.published.table import read_rows
from scorer.published.types import Edition, Kind, ModelCard

__all__ = ["CARD_FIELDS", "check_order", "newest_edition", "read_editions", "read_model_cards"]

_KIND = Field(f"one of {', '.join(get_args(Kind))}", lambda v: v in get_args(Kind), may_be_null=False)
SOURCE_FIELDS = {
    "order": INTEGER._replace(may_be_null=False),
    "kind": _KIND,
    "title": TEXT._replace(may_be_null=False),
    "date": DATE,
    "date_note": TEXT,
    "url": TEXT,
    "repo": TEXT,
    "commits": TEXTS,
    "arxiv": TEXT,
    "holds": TEXT._replace(may_be_null=False),
}
CARD_FIELDS = {
    "name": TEXT._replace(may_be_null=False),
    "institution": TEXT,
    "year_shown": INTEGER,
    "paper_arxiv": TEXT,
    "paper_doi": TEXT,
    "code_url": TEXT,
    "weights_open": FLAG,
    "base_architecture": TEXT,
    "parameters": TEXT,
    "training_data": TEXTS,
    "inputs": TEXT,
    "tracks": TEXTS,
    "licence": TEXT,
    "status_in_newest_edition": TEXT,
    "note": TEXT,
}
assert {"slug", *CARD_FIELDS} == {field.name for field in fields(ModelCard)}


def read_editions(results_root: Path) -> tuple[Edition, ...]:
    """All editions under `results_root/published`, oldest first, undated ones at their stated place.

    Raises:
        InputError: every problem in every file, with its line.
    """
    problems: list[Problem] = []
    folder = results_root / "published"
    found = [_read_edition(path, problems) for path in sorted(folder.glob("*/source.yaml"))]
    editions = sorted(
        (edition for edition in found if edition), key=lambda edition: (edition.order, edition.id)
    )
    problems += check_order(editions, folder)
    if problems:
        raise InputError(problems)
    return tuple(editions)


def _read_edition(path: Path, problems: list[Problem]) -> Edition | None:
    document = read_yaml(path, problems)
    rows = read_rows(path.parent / "scores.csv", problems, edition=path.parent.name)
    if document is None or not check_fields(document.value, SOURCE_FIELDS, path, document, (), problems):
        return None
    source = document.value
    texts = {key: source[key] or "" for key in ("title", "date_note", "url", "repo", "arxiv", "holds")}
    return Edition(
        id=path.parent.name,
        order=source["order"],
        kind=source["kind"],
        date=source["date"],
        commits=tuple(source["commits"] or ()),
        rows=rows,
        **texts,
    )


def check_order(editions: Iterable[Edition], folder: Path) -> list[Problem]:
    """Problems of the stated order: a place taken twice, or a date earlier than one before it of its kind."""
    problems: list[Problem] = []
    places: dict[int, str] = {}
    latest: dict[str, tuple[datetime.date, str]] = {}
    for edition in editions:
        path = str(folder / edition.id / "source.yaml")
        other = places.setdefault(edition.order, edition.id)
        if other != edition.id:
            problems.append(
                Problem(
                    path=path, field="order", code="order", message=f"{edition.order} is also that of {other}"
                )
            )
        if edition.date is not None:
            date, before = latest.get(edition.kind, (edition.date, edition.id))
            if edition.date < date:
                message = f"stands after {before}, which is of {date}"
                problems.append(
                    Problem(path=path, field="date", code="order", message=message, hint="sort by date")
                )
            else:
                latest[edition.kind] = (edition.date, edition.id)
    return problems


def newest_edition(editions: Sequence[Edition], dataset: str, track: str) -> Edition | None:
    """The newest complete edition of the leaderboard that holds a board; None when there is none."""
    for edition in reversed(editions):
        if edition.kind == "edition" and not edition.is_partial and edition.board(dataset, track):
            return edition
    return None


def read_model_cards(results_root: Path) -> tuple[ModelCard, ...]:
    """All model cards under `results_root/models`, by slug.

    Raises:
        InputError: every problem in every file, with its line.
    """
    problems: list[Problem] = []
    cards: list[ModelCard] = []
    names: dict[str, str] = {}
    for path in sorted((results_root / "models").glob("*.yaml")):
        document = read_yaml(path, problems)
        if document is None or not check_fields(document.value, CARD_FIELDS, path, document, (), problems):
            continue
        value = document.value
        other = names.setdefault(value["name"], path.name)
        if other != path.name:
            line = document.lines[("name",)]
            message = f"is also the name in {other}"
            problems.append(
                Problem(path=str(path), line=line, field="name", code="duplicate", message=message)
            )
        lists = {key: tuple(value[key]) if value[key] else None for key in ("training_data", "tracks")}
        cards.append(ModelCard(slug=path.stem, **{**value, **lists}))
    if problems:
        raise InputError(problems)
    return tuple(cards)
