"""Numbers against what main says: the cell exists, its inputs are those on main, every figure is possible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scorer.cells import Workshop
from scorer.checking.artifact import Numbers, Pairs, Table
from scorer.datasets.base import Card
from scorer.errors import InputError, MissingError
from scorer.estimates import RESAMPLES, SEED
from scorer.metrics import METRICS
from scorer.predictions import predictions_digest
from scorer.probes import is_probe
from scorer.statistics import STATISTICS
from scorer.text import Track

__all__ = ["Wanted", "faults_of", "faults_of_pairs", "faults_of_table", "faults_of_value", "wanted"]

_PACKAGES = frozenset({"rexrank", "python", "numpy", "rapidfuzz", "torch", "transformers", "scipy"})
_METRICS = {one.spec.id: one.spec for one in METRICS}
_STATISTICS = {one.spec.id: one.spec for one in STATISTICS}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What main says of a cell: its card, and the digest of its predictions ("" for a probe)."""

    card: Card
    submitted: str


def wanted(shop: Workshop, model: str, dataset: str, track: Track) -> Wanted | None:
    """The cell on main, or None when main has no such cell."""
    card = next((card for card in shop.cards if card.id == dataset), None)
    if card is None or track not in card.tracks:
        return None
    if is_probe(model):
        return Wanted(card=card, submitted="")
    if model not in shop.results.submission_ids():
        return None
    try:
        submission = shop.submission(model)
        source = submission.predictions.get(dataset)
        if source is None or track not in submission.tracks or submission.lifecycle == "withdrawn":
            return None
        if source.file:
            return Wanted(card=card, submitted=predictions_digest(shop.predictions(model, dataset)))
    except (InputError, MissingError):
        return None
    return Wanted(card=card, submitted=source.sha256)


def faults_of(numbers: Numbers, cell: Wanted) -> Iterator[str]:
    """What is impossible about a record's numbers; nothing when all is well. Never names a value."""
    card = cell.card
    split = card.splits[card.split]
    needed = {"predictions", "references", "submitted", "dataset"}
    if not needed <= numbers.digests.keys():
        yield "a digest is missing"
    if numbers.digests.get("submitted") != cell.submitted:
        yield "was made from other predictions than those on main"
    if split.digest and numbers.digests.get("dataset") != split.digest:
        yield "was made from other references than the card's"
    if unknown := {name for name in numbers.digests if name.startswith("statistic:")} - {
        f"statistic:{spec.key}" for spec in _STATISTICS.values()
    }:
        yield f"names {len(unknown)} unknown statistics"
    is_whole = card.private_rules is None or not card.private_rules.sealed_share
    expected = split.n_track.get(numbers.track) if is_whole else None
    if not 0 < numbers.n <= split.n_studies or (expected is not None and numbers.n != expected):
        yield "has another number of studies than the card"
    if numbers.n_empty > numbers.n:
        yield "has more empty predictions than studies"
    if numbers.seed != SEED or numbers.resamples != RESAMPLES:
        yield "was resampled in another way"
    if not numbers.versions.keys() <= _PACKAGES:
        yield "names an unknown package"
    if numbers.values.keys() & numbers.missing.keys():
        yield "a metric both has a value and lacks one"
    if not (numbers.values.keys() | numbers.missing.keys()) <= _METRICS.keys():
        yield "names an unknown metric"
        return
    for metric, (value, low, high) in numbers.values.items():
        yield from faults_of_value(metric, (value, low, high), card.decimals)
    if any(not 0 <= figure <= numbers.n or figure != int(figure) for figure in numbers.figures.values()):
        yield "a figure is not a count of studies"
    known_keys = {spec.key for spec in _STATISTICS.values()}
    if not (numbers.weights.keys() | numbers.n_truncated.keys()) <= known_keys:
        yield "names an unknown statistic"


def faults_of_value(
    metric: str, figures: tuple[float, float | None, float | None], decimals: int | None
) -> Iterator[str]:
    """What is impossible about a value and its bounds; nothing for a metric that is not registered.

    A resampled interval need not hold its value: where few studies carry a label, most resamples lack some of them.
    Farther outside than the interval is wide is no chance.
    """
    spec = _METRICS.get(metric)
    if spec is None:
        return
    value, low, high = figures
    given = [figure for figure in figures if figure is not None]
    if not all(spec.low <= figure <= spec.high for figure in given):
        yield f"{metric}: outside its range"
    if (low is None) != (high is None) or (low is not None and high is not None and low > high):
        yield f"{metric}: bounds that are none"
    elif low is not None and high is not None and max(low - value, value - high) > (high - low) + 1e-9:
        yield f"{metric}: a value far outside its own interval"
    if decimals is not None and any(round(figure, decimals) != figure for figure in given):
        yield f"{metric}: more digits than the card allows"


def faults_of_table(table: Table, cell: Wanted, known_ids: frozenset[str] | None) -> Iterator[str]:
    """What is impossible about a per-study table. known_ids: ids that may stand in it; None when none are known."""
    if not cell.card.is_public:
        yield "per-study numbers of a closed dataset never leave the scoring machine"
        return
    spec = _STATISTICS.get(table.statistic)
    if spec is None or spec.version != table.version:
        yield "an unknown statistic"
        return
    if len(table.values) != len(table.study_ids) or any(
        len(row) != len(spec.columns) for row in table.values
    ):
        yield f"{table.statistic}: another number of rows or columns"
        return
    if list(table.study_ids) != sorted(set(table.study_ids)):
        yield f"{table.statistic}: studies that are not in order"
    if known_ids is None or not known_ids.issuperset(table.study_ids):
        yield f"{table.statistic}: studies that are not on main"
    for place, column in enumerate(spec.columns):
        if any(not _inside(row[place], column.low, column.high) for row in table.values):
            yield f"{table.statistic}: {column.name} outside its range"


def _inside(value: float, low: float, high: float) -> bool:
    slack = 1e-6 * max(1.0, abs(low) if math.isfinite(low) else 1.0)
    return low - slack <= value <= high + slack


def faults_of_pairs(pairs: Pairs, shop: Workshop) -> Iterator[str]:
    """What is impossible about the ranks and pairs of a closed dataset."""
    card = next((card for card in shop.cards if card.id == pairs.dataset), None)
    if card is None or card.is_public or pairs.track not in card.tracks:
        yield "no such closed dataset and track"
        return
    if not pairs.columns.keys() <= _METRICS.keys():
        yield "names an unknown metric"
    models = set(shop.results.submission_ids())
    for metric, column in pairs.columns.items():
        if not set(column.order) <= models or set(column.values) != set(column.order):
            yield f"{metric}: models that are not on main"
        if len(column.ranked.models) != len(column.order) or not _indices(
            [*column.ranked.order, *column.ranked.top], len(column.order)
        ):
            yield f"{metric}: ranks that do not fit"
        if any(pair.a not in column.values or pair.b not in column.values for pair in column.pairs):
            yield f"{metric}: pairs of unknown models"


def _indices(numbers: Iterable[int], n: int) -> bool:
    return all(0 <= number < n for number in numbers)
