"""Everything the pages are made of, read once from the results folder and the registries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.board import Board, Row
from scorer.citing import NOBODY, Publisher
from scorer.datasets.base import Card
from scorer.store import canonical_json
from scorer.text import Track
from scorer.types import MetricSpec, Record
from site_builder.models import Model

if TYPE_CHECKING:
    from scorer.boards.closed import ClosedColumn
    from scorer.published import Edition
    from scorer.snapshots.corrections import Correction
    from scorer.snapshots.document import BoardDocument
    from scorer.subgroups import SubgroupTable
    from site_builder.cases import Cases
    from site_builder.snapshots import FrozenSnapshot
    from site_builder.studies import StudyValues
    from site_builder.views.citations import CitedBoard

__all__ = ["TRACK_LABELS", "World", "track_label"]

TRACK_LABELS: Mapping[str, str] = {
    "findings": "findings",
    "findings_impression": "findings + impression",
    "single_table": "single table, before tracks existed",
    "vqa": "question answering",
}


CONSTANT = "probe-constant-normal"
"""The probe that models are counted against."""


@dataclass(frozen=True, kw_only=True)
class World:
    """The only input of the views.

    Attributes:
        boards: one per dataset and track that a card names, in card order, empty ones included.
        models: by id: submissions, probes and models known from published editions.
        datasets: cards by id, in board order. metrics: the registry, in column order.
        records: by (model, dataset, track). editions: published ones, oldest first.
        snapshots: frozen ones, oldest first. corrections: on record, oldest first.
        publisher: who publishes, for citations.
        results: the results folder, for files that are offered as they are; None in tests without one.
        base_url: where the site will stand, with a trailing slash; "" when not known.
        words: hand-written pages, relative to the docs folder, each with what its metrics measure (see `measured`).
        record_bytes: a record as it lies in the results folder.
        study_values, closed_pairs, subgroups: read on demand, see `site_builder.studies` and `.subgroups`.
        cases: of a dataset, None where its texts are not shown, see `site_builder.cases`.
    """

    boards: Sequence[Board] = ()
    models: Mapping[str, Model] = field(default_factory=dict)
    datasets: Mapping[str, Card] = field(default_factory=dict)
    metrics: Sequence[MetricSpec] = ()
    records: Mapping[tuple[str, str, str], Record] = field(default_factory=dict)
    editions: Sequence[Edition] = ()
    snapshots: Sequence[FrozenSnapshot] = ()
    corrections: Sequence[Correction] = ()
    publisher: Publisher = NOBODY
    results: Path | None = None
    base_url: str = ""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    record_bytes: Callable[[Record], bytes] = lambda record: canonical_json(asdict(record))
    study_values: Callable[[Board], StudyValues | None] = lambda board: None
    subgroups: Callable[[Board, Row], Sequence[SubgroupTable]] = lambda board, row: ()
    closed_pairs: Callable[[Board], Mapping[str, ClosedColumn]] = lambda board: {}
    cases: Callable[[str], Cases | None] = lambda dataset: None

    def board(self, dataset: str, track: str) -> Board | None:
        return next((b for b in self.boards if (b.dataset, b.track) == (dataset, track)), None)

    def model(self, id: str) -> Model:
        """The model, or one that knows its id only: a record may outlive its card."""
        return self.models.get(id) or Model(id=id, name=id)

    @cached_property
    def cited(self) -> dict[tuple[str, str, str], CitedBoard]:
        """What `site_builder.views.citations` has made, by (dataset, track, model)."""
        return {}

    @cached_property
    def successors(self) -> Mapping[str, Sequence[Model]]:
        """Models by the id of the one they supersede."""
        found: dict[str, list[Model]] = {}
        for model in self.models.values():
            if model.supersedes:
                found.setdefault(model.supersedes, []).append(model)
        return found

    @cached_property
    def by_published_name(self) -> Mapping[str, Model]:
        return {m.published_name: m for m in self.models.values() if m.published_name}

    def dataset_name(self, dataset: str) -> str:
        """The card's name, or a readable form of the id for datasets that only published editions name."""
        card = self.datasets.get(dataset)
        return card.name if card else {"rexvqa": "ReXVQA"}.get(dataset, dataset)

    @cached_property
    def cards_by_split(self) -> Mapping[tuple[str, str], str]:
        cards = self.datasets.values()
        plain = {(card.id, card.split): card.id for card in cards}
        return plain | {
            (card.id.removesuffix(f"-{card.split}"), f"{card.split}-test"): card.id for card in cards
        }

    def board_of(self, dataset: str, split: str) -> str:
        """The dataset on whose boards figures of a published dataset and split belong; "" for none."""
        return self.cards_by_split.get((dataset, split), "")

    @cached_property
    def documents(self) -> Mapping[tuple[str, str], BoardDocument]:
        """The data form of every board, by dataset and track."""
        from scorer.snapshots.document import board_document

        return {(board.dataset, board.track): board_document(board) for board in self.boards}

    @cached_property
    def date(self) -> str:
        """The newest date of anything shown, ISO; "" when nothing is dated."""
        dates = [board.date for board in self.boards]
        dates += [edition.date.isoformat() for edition in self.editions if edition.date]
        dates += [model.date for model in self.models.values()]
        dates += [frozen.snapshot.date for frozen in self.snapshots]
        dates += [correction.date for correction in self.corrections]
        return max(dates, default="")


def track_label(track: Track | str) -> str:
    """A track in words."""
    return TRACK_LABELS.get(track, track)
