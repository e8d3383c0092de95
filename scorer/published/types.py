"""The records of figures that somebody else published, as reported; never ranked together with ours."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from scorer.types import Better

__all__ = ["TRACKS_PUBLISHED", "Edition", "Finding", "Kind", "ModelCard", "PublishedMetric", "PublishedRow"]

Kind = Literal["edition", "authors", "paper"]
"""Where figures stand: the leaderboard's own tables, a model's authors, or a paper."""

TRACKS_PUBLISHED = ("findings", "findings_impression", "single_table", "vqa")
"""Our two tracks, the one table that stood before tracks existed, and question answering."""


@dataclass(frozen=True, kw_only=True)
class PublishedMetric:
    """What a published column means.

    Attributes:
        id: our registry's id where the meaning is the same, an id of its own where it is not.
        low, high: closed range; a figure outside it is refused.
        better: direction of the figure as published.
        group: "lexical", "semantic", "clinical", "composite", "judge" or "vqa".
        is_ranked: false for legacy display values whose order is not an order of quality.
        is_recomputable: whether a definition exists that anybody could compute the figure from.
        reciprocal_of: id of the metric whose mean this is 1 divided by; "" otherwise.
        source: paper, file or place of the definition.
    """

    id: str
    label: str
    better: Better
    low: float
    high: float
    decimals: int
    group: str
    is_ranked: bool = True
    is_recomputable: bool = True
    reciprocal_of: str = ""
    source: str


@dataclass(frozen=True, kw_only=True)
class PublishedRow:
    """One published figure.

    Attributes:
        edition: id of the source. dataset, split: as our cards name them. track: one of `TRACKS_PUBLISHED`.
        model: the name as published, one spelling over all editions. metric: id in `METRICS`.
        value: the number. printed: its text, digit for digit.
        trained_on_dataset: whether the model was trained on this dataset; None when unknown.
        note: what the source or its reader remarks; "" when nothing.
        line: 1-based line in the edition's `scores.csv`.
    """

    edition: str
    dataset: str
    split: str
    track: str
    model: str
    metric: str
    value: float
    printed: str
    trained_on_dataset: bool | None
    note: str
    line: int

    @property
    def board(self) -> tuple[str, str, str]:
        """(dataset, split, track): what the figure may be compared within."""
        return self.dataset, self.split, self.track

    @property
    def cell(self) -> tuple[str, str, str, str, str]:
        """(dataset, split, track, model, metric): the place a figure has in an edition."""
        return *self.board, self.model, self.metric


@dataclass(frozen=True, kw_only=True)
class Edition:
    """Figures published on a date, with where they were read.

    Attributes:
        id: folder under `results/published`. order: position in time, 1-based, undated ones included.
        date: day of publication; None where unknown, and then date_note says what is known.
        url, repo, commits, arxiv: where the figures stand; "" or () when not given.
        holds: what the source holds, in plain words.
        rows: the figures, in the order of the source.
    """

    id: str
    order: int
    kind: Kind
    title: str
    date: datetime.date | None
    date_note: str
    url: str
    repo: str
    commits: tuple[str, ...]
    arxiv: str
    holds: str
    rows: tuple[PublishedRow, ...]

    @property
    def when(self) -> str:
        """The date, or what is known of it."""
        return self.date.isoformat() if self.date else (self.date_note or "undated")

    @property
    def label(self) -> str:
        """A short name: the date, or the id of an undated source."""
        return self.date.isoformat() if self.date else self.id

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """(label, address) pairs that lead to the source, the most exact first."""
        found = [
            (f"{self.repo} at {commit[:7]}", f"https://github.com/{self.repo}/tree/{commit}")
            for commit in self.commits
        ]
        if self.repo and not self.commits:
            found.append((self.repo, f"https://github.com/{self.repo}"))
        if self.arxiv:
            found.append((f"arXiv {self.arxiv}", f"https://arxiv.org/abs/{self.arxiv}"))
        return tuple(found + [(self.url.removeprefix("https://"), self.url)] * bool(self.url))

    @property
    def is_partial(self) -> bool:
        """Whether only rows new or changed since an earlier edition were seen; such a board has no ranks."""
        return bool(self.rows) and all("only rows new or changed" in row.note for row in self.rows)

    @cached_property
    def boards(self) -> tuple[tuple[str, str, str], ...]:
        """(dataset, split, track) of every board, in the order of the source."""
        return tuple(dict.fromkeys(row.board for row in self.rows))

    @cached_property
    def figures(self) -> dict[tuple[str, str, str, str], dict[str, PublishedRow]]:
        """(dataset, split, track, model) -> metric -> figure."""
        found: dict[tuple[str, str, str, str], dict[str, PublishedRow]] = {}
        for row in self.rows:
            found.setdefault((*row.board, row.model), {})[row.metric] = row
        return found

    def board(self, dataset: str, track: str, split: str | None = None) -> tuple[PublishedRow, ...]:
        """The figures of one dataset and track, over all its splits unless one is named."""
        return tuple(
            row
            for row in self.rows
            if row.dataset == dataset and row.track == track and split in (None, row.split)
        )


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something in published figures that does not fit, computed from the figures themselves.

    Attributes:
        kind: id of the check that found it, see `scorer.published.quality.CHECKS`.
        editions: ids of the sources concerned, oldest first.
        dataset, split, track, model: the row. metric: id of the column; "" when several are concerned.
        values: (what it is, figure) pairs, the evidence.
        rows: (edition id, line in its scores.csv) of the figures concerned.
        sentence: the finding in plain words.
    """

    kind: str
    editions: tuple[str, ...]
    dataset: str
    split: str
    track: str
    model: str
    metric: str
    values: tuple[tuple[str, float], ...]
    rows: tuple[tuple[str, int], ...]
    sentence: str


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """A published model without predictions here. None means not seen, not absent.

    Attributes:
        slug: file name and page address. name: as published.
        year_shown: the year printed on the leaderboard.
        weights_open: True, False, "on request", or None.
        training_data: datasets as the model's authors name them; None when not seen.
        tracks: tracks the model was listed on; None when not seen.
    """

    slug: str
    name: str
    institution: str | None
    year_shown: int | None
    paper_arxiv: str | None
    paper_doi: str | None
    code_url: str | None
    weights_open: bool | str | None
    base_architecture: str | None
    parameters: str | None
    training_data: tuple[str, ...] | None
    inputs: str | None
    tracks: tuple[str, ...] | None
    licence: str | None
    status_in_newest_edition: str | None
    note: str | None
