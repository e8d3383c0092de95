"""What a new metric or statistic version would do, or did, to the boards: shift per model, moves, correlation.

Before: what current code gives from the stored per-study statistics is set against the records on disk; a
metric bump needs nothing else. After: the records on disk are set against those of a commit, which is what
the pull request of a statistic bump shows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from scorer.cells import Workshop
from scorer.datasets.base import Card
from scorer.estimates import as_tables, signature_of
from scorer.inference.ranks import competition_ranks
from scorer.inference.resampling import totals
from scorer.metrics import METRICS, Metric
from scorer.probes import is_probe
from scorer.snapshots.repository import Repository
from scorer.store import digest, record_from, table_bytes
from scorer.types import Better, Record, StudyTable

__all__ = ["Column", "Move", "Value", "against_commit", "preview", "set_against"]


@dataclass(frozen=True, kw_only=True)
class Value:
    """A number and its signature."""

    value: float
    signature: str


@dataclass(frozen=True, kw_only=True)
class Move:
    """One model's number and rank before and after; ranks are by value, None for probes."""

    model: str
    old: float
    new: float
    old_rank: int | None
    new_rank: int | None

    @property
    def shift(self) -> float:
        return self.new - self.old


@dataclass(frozen=True, kw_only=True)
class Column:
    """One metric on one board, before and after.

    Attributes:
        old_signature, new_signature: the same when only code or packages changed.
        moves: by size of the shift, largest first.
        spearman, kendall: rank correlation of the models' numbers; None for fewer than two or all equal.
        n_lost: models that had a number and cannot be recomputed here.
    """

    board: str
    metric: str
    better: Better
    decimals: int
    old_signature: str
    new_signature: str
    moves: tuple[Move, ...]
    spearman: float | None
    kendall: float | None
    n_lost: int = 0

    def as_dict(self) -> dict[str, object]:
        """The JSON form."""
        return {**asdict(self), "moves": [{**asdict(move), "shift": move.shift} for move in self.moves]}


def preview(shop: Workshop, datasets: Iterable[str] = (), *, every: bool = False) -> tuple[Column, ...]:
    """What the registered metrics give from the stored statistics, against the records on disk.

    Args:
        datasets: only these; empty means all. every: also columns in which nothing changes.
    """
    cards = {card.id: card for card in shop.cards}
    wanted = set(datasets)
    old: dict[str, dict[str, dict[str, Value]]] = {}
    new: dict[str, dict[str, dict[str, Value]]] = {}
    for record in shop.results.records():
        card = cards.get(record.dataset)
        if card is None or (wanted and card.id not in wanted):
            continue
        board = f"{record.dataset}.{record.track}"
        tables = _tables(shop, card, record)
        for one in METRICS:
            estimate = record.estimate(one.spec.id)
            if estimate is not None:
                held = Value(value=estimate.value, signature=estimate.signature)
                old.setdefault(board, {}).setdefault(one.spec.id, {})[record.model] = held
            computed = _value(one, tables, card, record)
            if computed is not None:
                new.setdefault(board, {}).setdefault(one.spec.id, {})[record.model] = computed
    return set_against(old, new, every=every)


def against_commit(
    shop: Workshop, repository: Repository, commit: str, *, every: bool = False
) -> tuple[Column, ...]:
    """The records on disk against those of a commit."""
    records = list(shop.results.records())
    paths = {
        shop.results.record_path(r.model, r.dataset, r.track).relative_to(shop.results.root).as_posix(): r
        for r in records
    }
    then = [record_from(json.loads(data)) for data in repository.read(commit, paths).values()]
    return set_against(_numbers(then), _numbers(records), every=every)


Numbers = Mapping[str, Mapping[str, Mapping[str, Value]]]
"""Board -> metric -> model -> number."""


def set_against(old: Numbers, new: Numbers, *, every: bool = False) -> tuple[Column, ...]:
    """Two sets of numbers, column by column, over the models that both have."""
    found = []
    for board, columns in old.items():
        for one in METRICS:
            before = columns.get(one.spec.id, {})
            after = new.get(board, {}).get(one.spec.id, {})
            both = [model for model in before if model in after]
            if not both or (not every and all(before[model] == after[model] for model in both)):
                continue
            found.append(_column(board, one, both, before, after))
    return tuple(found)


def _column(
    board: str, one: Metric, both: Sequence[str], before: Mapping[str, Value], after: Mapping[str, Value]
) -> Column:
    models = [model for model in both if not is_probe(model)]
    old = [before[model].value for model in models]
    new = [after[model].value for model in models]
    better = one.spec.better
    old_ranks = dict(zip(models, competition_ranks(old, better), strict=True))
    new_ranks = dict(zip(models, competition_ranks(new, better), strict=True))
    moves = [
        Move(
            model=model,
            old=before[model].value,
            new=after[model].value,
            old_rank=old_ranks.get(model),
            new_rank=new_ranks.get(model),
        )
        for model in both
    ]
    return Column(
        board=board,
        metric=one.spec.id,
        better=better,
        decimals=one.spec.decimals,
        old_signature=before[both[0]].signature,
        new_signature=after[both[0]].signature,
        moves=tuple(sorted(moves, key=lambda move: (-abs(move.shift), move.model))),
        spearman=_correlation("spearmanr", old, new),
        kendall=_correlation("kendalltau", old, new),
        n_lost=len(before) - len(both),
    )


def _correlation(name: str, old: Sequence[float], new: Sequence[float]) -> float | None:
    if len(set(old)) < 2 or len(set(new)) < 2:
        return None
    from scipy import stats

    return float(getattr(stats, name)(old, new).statistic)


def _tables(shop: Workshop, card: Card, record: Record) -> dict[str, StudyTable]:
    """The tables that the record was made from; one with another digest than the record states is left out."""
    found = {}
    place = shop.tables_of(card)
    for name, stated in record.digests.items():
        if name.startswith("statistic:"):
            key = name.removeprefix("statistic:")
            id = key.partition("@")[0]
            table = place.read_table(place.table_path(record.model, record.dataset, record.track, id))
            if table is not None and table.statistic == key and digest(table_bytes(table)) == stated:
                found[key] = table
    return found


def _value(one: Metric, tables: Mapping[str, StudyTable], card: Card, record: Record) -> Value | None:
    """The metric's value now; None where a statistic of the registered version is not stored."""
    from scorer.statistics import statistic

    keys = {needed: statistic(needed).spec.key for needed in one.spec.needs}
    if any(key not in tables for key in keys.values()):
        return None
    terms = one.terms(as_tables({needed: tables[key] for needed, key in keys.items()}))
    value = float(one.finish(totals(terms)))
    if not math.isfinite(value):
        return None
    shown = value if card.decimals is None else round(value, card.decimals)
    return Value(value=shown, signature=signature_of(one, card.key, record.track))


def _numbers(records: Iterable[Record]) -> Numbers:
    found: dict[str, dict[str, dict[str, Value]]] = {}
    for record in records:
        board = found.setdefault(f"{record.dataset}.{record.track}", {})
        for estimate in record.estimates:
            held = Value(value=estimate.value, signature=estimate.signature)
            board.setdefault(estimate.metric, {})[record.model] = held
    return found
