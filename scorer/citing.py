"""What is cited: the board, a snapshot, or one model's row. `scorer.citation_formats` prints it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from scorer.errors import InputError, Problem

__all__ = [
    "NOBODY",
    "Citation",
    "Publisher",
    "cite_board",
    "cite_frozen_board",
    "cite_row",
    "cite_snapshot",
    "is_doi",
    "read_publisher",
    "snapshot_url",
]

_DOI = re.compile(r"10\.[0-9]{4,9}/[-._;()/:A-Za-z0-9]{1,200}")
_KEY = re.compile(r"[^a-z0-9]+")


def is_doi(text: str) -> bool:
    """Whether the text is a bare DOI (`10.5281/zenodo.123`) and nothing that could leave a URL or a field."""
    return _DOI.fullmatch(text) is not None


@dataclass(frozen=True, kw_only=True)
class Publisher:
    """Who publishes the board; read from the repository's CITATION.cff.

    Attributes:
        authors: names of groups or persons ("Family, Given"), at least one.
        url: where the site is, with a final slash; "" when it is not known.
    """

    title: str
    authors: tuple[str, ...]
    url: str = ""
    licence: str = "CC-BY-4.0"


NOBODY = Publisher(title="rexrank leaderboard", authors=("The maintainers of this leaderboard",))
"""Stands in where no CITATION.cff says who publishes."""


@dataclass(frozen=True, kw_only=True)
class Citation:
    """What is cited; every format is made from this record.

    Attributes:
        key: citation key, `[a-z0-9-]`. version: snapshot, "" for the live board. date: ISO day, "" unknown.
        url: absolute, or "" relative to a site whose address is not known. doi: bare, "" until known.
        note: signatures, n and the like, in one line.
    """

    key: str
    title: str
    authors: tuple[str, ...]
    publisher: str
    version: str
    date: str
    url: str
    licence: str
    doi: str = ""
    note: str = ""


def read_publisher(path: Path) -> Publisher:
    """Who publishes this board: the `preferred-citation` of a CITATION.cff, else the file's own title and authors.

    Args:
        path: a CITATION.cff; where there is none, a neutral publisher without address is given.

    Raises:
        InputError: the file lacks a title or authors, or is not YAML.
    """
    if not path.is_file():
        return NOBODY
    try:
        whole = yaml.safe_load(path.read_text(encoding="utf-8"))
        document = whole.get("preferred-citation", whole)
        authors = tuple(_author(one) for one in document["authors"])
        title = str(document["title"])
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        said = Problem(
            path=path.name,
            code="broken-citation-file",
            message=f"no title and authors can be read ({type(error).__name__})",
            hint="see https://citation-file-format.github.io for the form",
        )
        raise InputError([said]) from None
    url = str(document.get("url", ""))
    return Publisher(title=title, authors=authors, url=url if not url or url.endswith("/") else f"{url}/")


def _author(one: Mapping[str, Any]) -> str:
    if "name" in one:
        return str(one["name"])
    return f"{one['family-names']}, {one['given-names']}"


def snapshot_url(publisher: Publisher, version: str, board: str = "", model: str = "") -> str:
    """The permanent address of a snapshot, of a board in it, or of a model's row in that board."""
    where = f"{publisher.url}snapshots/{version}/" + (f"{board}/" if board else "")
    return f"{where}#{model}" if model else where


def cite_snapshot(
    publisher: Publisher, *, version: str, date: str, doi: str = "", note: str = ""
) -> Citation:
    """Cites a frozen snapshot."""
    return Citation(
        key=_key("rexrank", version),
        title=f"{publisher.title}, snapshot {version}",
        authors=publisher.authors,
        publisher=publisher.title,
        version=version,
        date=date,
        url=snapshot_url(publisher, version),
        licence=publisher.licence,
        doi=doi,
        note=note,
    )


def cite_board(
    publisher: Publisher, *, dataset: str, track: str, title: str, date: str, note: str = ""
) -> Citation:
    """Cites a live board, which changes; a snapshot is better where there is one.

    Args:
        title: in words ("IU X-ray, findings"). date: of the newest number on it.
    """
    return Citation(
        key=_key("rexrank", dataset, track),
        title=f"{publisher.title}: {title}",
        authors=publisher.authors,
        publisher=publisher.title,
        version="",
        date=date,
        url=f"{publisher.url}boards/{dataset}/{track}/",
        licence=publisher.licence,
        note=note,
    )


def cite_frozen_board(whole: Citation, *, board: str, title: str) -> Citation:
    """Cites one board of a snapshot.

    Args:
        whole: the snapshot. board: `<dataset>.<track>`. title: in words.
    """
    return replace(
        whole, key=_key(whole.key, board), title=f"{title}. {whole.title}", url=f"{whole.url}{board}/"
    )


def cite_row(whole: Citation, *, model: str, label: str, board: str, title: str, note: str = "") -> Citation:
    """Cites one model's row.

    Args:
        whole: the snapshot or the live board that holds it. board: `<dataset>.<track>`. title: of the board.
    """
    if not whole.version:
        key, name = _key(whole.key, model), f"{label}. {whole.title}"
        return replace(whole, key=key, title=name, url=f"{whole.url}?sel={model}", note=note)
    key, name = _key(whole.key, board, model), f"{label} on {title}. {whole.title}"
    return replace(whole, key=key, title=name, url=f"{whole.url}{board}/#{model}", note=note)


def _key(*parts: str) -> str:
    return "-".join(_KEY.sub("-", part.lower()).strip("-") for part in parts)
