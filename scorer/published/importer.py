"""Turns a table of published figures, its sources and the models' facts into files of `results/`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.errors import InputError, Problem, printable
from scorer.published.documents import DATE, TEXT, TEXTS, Document, Field, check_fields, read_yaml, to_yaml
from scorer.published.editions import CARD_FIELDS, check_order, read_model_cards
from scorer.published.slugs import assign_slugs
from scorer.published.table import NAME, read_rows, rows_bytes
from scorer.published.types import Edition, PublishedRow

__all__ = ["Import", "plan_import"]

_OPTIONAL_TEXT = TEXT._replace(may_be_absent=True)
_SOURCE = {
    "title": TEXT._replace(may_be_null=False),
    "url": _OPTIONAL_TEXT,
    "repo": _OPTIONAL_TEXT,
    "commits": TEXTS._replace(may_be_absent=True),
    "arxiv": _OPTIONAL_TEXT,
    "date": DATE,
    "holds": TEXT._replace(may_be_null=False),
}
_MODELS = {"note": _OPTIONAL_TEXT, "models": Field("a list of models", lambda v: isinstance(v, list), False)}


@dataclass(frozen=True, kw_only=True)
class Import:
    """What an import would write.

    Attributes:
        files: path below the results folder -> content. Nothing is deleted.
        n_figures, n_editions, n_models: what the files hold.
    """

    files: Mapping[str, bytes]
    n_figures: int
    n_editions: int
    n_models: int


def plan_import(scores: Path, sources: Path, models: Path | None, results_root: Path) -> Import:
    """Reads everything, checks everything and gives the files to write; the same input gives the same bytes.

    Every model named in a figure gets a card; where `models` says nothing of it, all facts stay null.
    Existing cards keep their addresses.

    Args:
        scores: CSV with a first column `source_id`. sources: YAML, source id -> where the figures were read.
        models: YAML with a list `models`; None imports no cards.
        results_root: existing cards are read from it; nothing is written.

    Raises:
        InputError: every problem in every file, with its line.
    """
    problems: list[Problem] = []
    rows = read_rows(scores, problems)
    editions = _editions(sources, rows, problems)
    known = {edition.id for edition in editions}
    for id in dict.fromkeys(row.edition for row in rows):
        if id not in known:
            first = next(row.line for row in rows if row.edition == id)
            message = f"'{printable(id)}' is not in {sources.name}"
            problems.append(
                Problem(
                    path=str(scores), line=first, field="source_id", code="unknown-source", message=message
                )
            )
    cards = _cards(models, rows, problems) if models is not None else {}
    if problems:
        raise InputError(problems)
    files: dict[str, bytes] = {}
    for edition in editions:
        files[f"published/{edition.id}/source.yaml"] = to_yaml(_source(edition))
        files[f"published/{edition.id}/scores.csv"] = rows_bytes(edition.rows)
    taken = {card.name: card.slug for card in read_model_cards(results_root)} if cards else {}
    addresses = assign_slugs(cards, taken)
    for name, card in cards.items():
        files[f"models/{addresses[name]}.yaml"] = to_yaml(card)
    return Import(files=files, n_figures=len(rows), n_editions=len(editions), n_models=len(cards))


def _editions(path: Path, rows: tuple[PublishedRow, ...], problems: list[Problem]) -> list[Edition]:
    document = read_yaml(path, problems)
    if document is None:
        return []
    if not isinstance(document.value, dict) or not document.value:
        problems.append(
            Problem(path=str(path), line=1, code="wrong-type", message="is not a mapping of sources")
        )
        return []
    editions: list[Edition] = []
    for order, (id, source) in enumerate(document.value.items(), start=1):
        line = document.lines.get((str(id),), 0)
        if not NAME.fullmatch(str(id)):
            message = f"'{printable(str(id))}' is not a lower-case name"
            problems.append(
                Problem(path=str(path), line=line, code="bad-id", message=message, hint="use kebab-case")
            )
            continue
        if not check_fields(source, _SOURCE, path, document, (id,), problems):
            continue
        own = tuple(row for row in rows if row.edition == id)
        if not own:
            problems.append(
                Problem(path=str(path), line=line, code="no-figures", message=f"{id} has no figure")
            )
        editions.append(
            Edition(
                id=id,
                order=order,
                # A paper has an arXiv id, a table of the leaderboard a commit; the rest are authors' pages.
                kind="paper" if source.get("arxiv") else "edition" if source.get("commits") else "authors",
                date_note=_remark(document, (id, "date")),
                date=source["date"],
                commits=tuple(source.get("commits") or ()),
                rows=own,
                **{key: source.get(key) or "" for key in ("title", "url", "repo", "arxiv", "holds")},
            )
        )
    problems += check_order(editions, path.parent)
    return editions


def _remark(document: Document, at: tuple[str | int, ...]) -> str:
    """The remark behind a key on its own line, which says what is known of a missing date."""
    line = document.text.splitlines()[document.lines[at] - 1]
    found = re.search(r"\s#\s*(.+)$", line)
    return found[1].strip() if found else ""


def _source(edition: Edition) -> dict[str, Any]:
    return {
        "order": edition.order,
        "kind": edition.kind,
        "title": edition.title,
        "date": edition.date,
        "date_note": edition.date_note or None,
        "url": edition.url or None,
        "repo": edition.repo or None,
        "commits": list(edition.commits) or None,
        "arxiv": edition.arxiv or None,
        "holds": edition.holds,
    }


def _cards(path: Path, rows: tuple[PublishedRow, ...], problems: list[Problem]) -> dict[str, dict[str, Any]]:
    document = read_yaml(path, problems)
    if document is None or not check_fields(document.value, _MODELS, path, document, (), problems):
        return {}
    cards: dict[str, dict[str, Any]] = {}
    for position, model in enumerate(document.value["models"]):
        at = ("models", position)
        if not check_fields(model, CARD_FIELDS, path, document, at, problems):
            continue
        if model["name"] in cards:
            line = document.lines[(*at, "name")]
            message = f"'{printable(model['name'])}' is described twice"
            problems.append(
                Problem(path=str(path), line=line, field="name", code="duplicate", message=message)
            )
        # Copies of lists, so that shared YAML anchors do not come back as anchors in a card.
        cards[model["name"]] = {
            key: list(model[key]) if isinstance(model[key], list) else model[key] for key in CARD_FIELDS
        }
    for row in rows:
        cards.setdefault(row.model, {**dict.fromkeys(CARD_FIELDS), "name": row.model})
    return cards
