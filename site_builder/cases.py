"""What the case explorer shows of one dataset: references, models' reports, and their per-study numbers.

The one place of the builder that reads texts. It gives texts of open datasets only, whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scorer.board import Board
from scorer.boards.tables import RecordTables
from scorer.cells import Workshop
from scorer.datasets import card as card_of
from scorer.datasets.base import Card
from scorer.encoding import kept_encodings
from scorer.encoding.chexbert import LABELS
from scorer.encoding.radgraph import Graph, unpack
from scorer.errors import InputError, MissingError, UsageError
from scorer.estimates import as_tables
from scorer.metrics import METRICS, Metric
from scorer.pairing import pair_studies
from scorer.probes import probe
from scorer.scoring import inputs_key, run_inputs
from scorer.statistics.chexbert import label_column
from scorer.statistics.radgraph import RADGRAPH
from scorer.text import TRACKS, Report
from scorer.types import Floats, MetricSpec, Run, Study, StudyTable

__all__ = ["MOST", "Cases", "Reports", "TrackNumbers", "datasets_asked", "read_cases"]

MOST = 8
"""Models whose reports are shown: the first of the board. More would be long pages that nobody reads."""


@dataclass(frozen=True, kw_only=True)
class Reports:
    """A model's or probe's reports, by study id; a study may be missing where nothing was scored yet."""

    model: str
    is_probe: bool
    by_study: Mapping[str, Report]


@dataclass(frozen=True, kw_only=True)
class TrackNumbers:
    """Per-study numbers of one track, of those models whose tables were made from exactly the texts shown.

    Attributes:
        board: of the track. place: study id -> row of the arrays; studies outside the track have none.
        metrics: those whose value on one study means something and that some model has.
        values: model -> (metrics, n); NaN where a model lacks a metric or a study has no value.
        labels: model -> (n, 2, 14) CheXbert classes of prediction and reference, where that table is.
        entities: model -> (n, 3) RadGraph entities that match, of the prediction and of the reference.
        graphs: composed text -> graph, as far as this machine's cache still holds them.
        texts: model -> composed predictions, (n). references: composed, (n).
    """

    board: Board
    place: Mapping[str, int]
    metrics: Sequence[MetricSpec]
    values: Mapping[str, Floats]
    labels: Mapping[str, NDArray[np.int64]]
    entities: Mapping[str, NDArray[np.int64]]
    graphs: Mapping[str, Graph]
    texts: Mapping[str, Sequence[str]]
    references: Sequence[str]

    def value(self, model: str, metric: int, study: str) -> float | None:
        """One number; None where there is none."""
        if model not in self.values or study not in self.place:
            return None
        value = float(self.values[model][metric, self.place[study]])
        return value if np.isfinite(value) else None


@dataclass(frozen=True, kw_only=True)
class Cases:
    """All studies of a dataset with the reports on them.

    Attributes:
        reports: models in board order, then probes. tracks: in card order, boards with a row only.
        n_more: models that the board shows and this explorer does not, being over `MOST`.
        absent: (model, public words why its reports are not here).
    """

    card: Card
    studies: Sequence[Study]
    reports: Sequence[Reports]
    tracks: Sequence[TrackNumbers]
    n_more: int = 0
    absent: Sequence[tuple[str, str]] = field(default=())

    @property
    def models(self) -> Sequence[Reports]:
        """Without probes."""
        return [one for one in self.reports if not one.is_probe]


def datasets_asked(shop: Workshop, asked: Sequence[str]) -> tuple[str, ...]:
    """Datasets whose texts are shown: those whose card releases them, and those asked for, in card order.

    Raises:
        UsageError: one asked for does not exist or is not open. DatasetMissing: it is not on this machine.
    """
    closed = [card for card in (card_of(id, shop.results.root) for id in asked) if card.access != "open"]
    if closed:
        said = ", ".join(f"{card.id} ({card.access})" for card in closed)
        raise UsageError(f"cases of {said}: access is not open, so no page may show its texts")
    for id in asked:
        shop.studies(id, shop.card(id).split)
    return tuple(c.id for c in shop.cards if c.access == "open" and (c.release == "texts" or c.id in asked))


def read_cases(
    shop: Workshop, cache: Path | None, boards: Sequence[Board], shown: Sequence[str], dataset: str
) -> Cases | None:
    """The cases of a dataset; None where its texts are not shown, or no model's reports are at hand.

    Args:
        cache: where encodings of earlier runs lie. boards: all of the site. shown: see `datasets_asked`.
    """
    card = shop.card(dataset)
    own = [board for board in boards if board.dataset == dataset and board.rows]
    if dataset not in shown or card.access != "open" or not own:
        return None
    try:
        studies = shop.studies(dataset, card.split)
    except MissingError:
        return None
    reports, absent, n_more = _reports(shop, own, dataset)
    if not reports:
        return None
    reports += _probes(shop, card, own[0], studies)
    return Cases(
        card=card,
        studies=studies,
        reports=tuple(reports),
        tracks=tuple(_numbers(shop, cache, card, board, studies, reports) for board in own),
        n_more=n_more,
        absent=tuple(absent),
    )


def _reports(
    shop: Workshop, boards: Sequence[Board], dataset: str
) -> tuple[list[Reports], list[tuple[str, str]], int]:
    """The first models of the boards with their reports, those without, and how many more there are."""
    models = dict.fromkeys(row.model for board in boards for row in board.rows if not row.is_probe)
    found: list[Reports] = []
    absent: list[tuple[str, str]] = []
    for i, model in enumerate(models):
        if len(found) == MOST:
            return found, absent, len(models) - i
        try:
            found.append(
                Reports(model=model, is_probe=False, by_study=shop.predictions(model, dataset)),
            )
        except MissingError:
            absent.append((model, "its predictions are not on the machine that built this site"))
        except InputError:
            absent.append((model, "its predictions cannot be read"))
    return found, absent, 0


def _probes(shop: Workshop, card: Card, board: Board, studies: Sequence[Study]) -> list[Reports]:
    """The probes of a board, made anew for its track; without one that this machine cannot make."""
    training = shop.training(card)
    makers = [probe(row.model) for row in board.rows if row.is_probe]
    return [
        Reports(model=one.model, is_probe=True, by_study=one.make(studies, training, board.track))
        for one in makers
        if training or not one.needs_training
    ]


def _numbers(
    shop: Workshop,
    cache: Path | None,
    card: Card,
    board: Board,
    studies: Sequence[Study],
    reports: Sequence[Reports],
) -> TrackNumbers:
    """The numbers of a track. A table counts only if its key says that it was made from the texts at hand."""
    shown = {column.spec.id for column in board.columns}
    wanted = [m for m in METRICS if m.spec.is_per_study and m.spec.is_ranked and m.spec.id in shown]
    values: dict[str, Floats] = {}
    tables: dict[str, Mapping[str, StudyTable]] = {}
    runs: dict[str, Run] = {}
    for one in reports:
        try:
            run = pair_studies(one.model, card, board.track, one.by_study, studies)
        except InputError:
            continue  # incomplete predictions have no numbers
        found = dict(_tables_of(shop, card, run))
        if found:
            runs[one.model], tables[one.model] = run, found
            values[one.model] = _values(wanted, found, run.n)
    has = [any(not np.isnan(array[i]).all() for array in values.values()) for i in range(len(wanted))]
    first = next(iter(runs.values()), None)
    return TrackNumbers(
        board=board,
        place={id: i for i, id in enumerate(first.study_ids)} if first else {},
        metrics=tuple(m.spec for m, is_there in zip(wanted, has, strict=True) if is_there),
        values={model: array[has] for model, array in values.items()},
        labels={m: _labels(t["chexbert"]) for m, t in tables.items() if "chexbert" in t},
        entities={m: _entities(t["radgraph"]) for m, t in tables.items() if "radgraph" in t},
        graphs=dict(_graphs(cache, tables, runs)),
        texts={model: run.predictions for model, run in runs.items()},
        references=first.references if first else (),
    )


def _tables_of(shop: Workshop, card: Card, run: Run) -> Iterator[tuple[str, StudyTable]]:
    """The run's own tables by statistic."""
    assert run.track in TRACKS
    record = shop.results.read_record(run.model, run.dataset, run.track)
    tables = RecordTables(shop.tables_of(card), record)
    key = inputs_key(*run_inputs(run, card.key), card.key, run.track) if tables else ""
    for name, table in tables.items():
        if table.inputs == key and table.study_ids == run.study_ids:
            yield name, table


def _values(metrics: Sequence[Metric], tables: Mapping[str, StudyTable], n: int) -> Floats:
    """(metrics, n), NaN where a statistic is missing."""
    found = np.full((len(metrics), n), np.nan)
    by_name = as_tables(tables)
    with np.errstate(divide="ignore", invalid="ignore"):
        for row, one in zip(found, metrics, strict=True):
            if all(needed in by_name for needed in one.spec.needs):
                row[:] = one.finish(one.terms(by_name))
    return found


def _columns(table: StudyTable, names: Sequence[str]) -> NDArray[np.int64]:
    return table.values[:, [table.columns.index(name) for name in names]].astype(np.int64)


def _labels(table: StudyTable) -> NDArray[np.int64]:
    names = [label_column(side, label) for side in ("prediction", "reference") for label in LABELS]
    return _columns(table, names).reshape(-1, 2, len(LABELS))


def _entities(table: StudyTable) -> NDArray[np.int64]:
    return _columns(table, ["entity_matches", "entity_prediction", "entity_reference"])


def _graphs(
    cache: Path | None, tables: Mapping[str, Mapping[str, StudyTable]], runs: Mapping[str, Run]
) -> Iterator[tuple[str, Graph]]:
    """Graphs of the texts whose matches were counted, made with the same weights."""
    for model, found in tables.items():
        if cache is not None and "radgraph" in found:
            texts = (*runs[model].references, *runs[model].predictions)
            digest = found["radgraph"].weights_digest
            for text, data in kept_encodings(RADGRAPH.encoder, digest, cache, texts).items():
                yield text, unpack(data)
