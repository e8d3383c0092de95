"""Ranks the columns of a board; a column that was ranked before is remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scorer._version import __version__
from scorer.boards.closed import ClosedColumn, closed_document, read_closed, write_closed
from scorer.boards.entries import Entry, clusters_of, estimate_of, gather
from scorer.boards.memory import recall, remember
from scorer.cells import Workshop
from scorer.datasets.base import Card
from scorer.estimates import as_tables
from scorer.inference.models import Draws, MetricTerms, draw
from scorer.inference.pairs import p_against_row_above
from scorer.inference.ranks import METHOD, Ranked, RankedColumn, rank_column
from scorer.inference.resampling import RESAMPLES, SEED, count_clusters
from scorer.metrics import METRICS, Metric
from scorer.probes import is_probe
from scorer.statistics import statistic
from scorer.store import canonical_json, digest
from scorer.text import Track

__all__ = ["board_draws", "noise", "publish_closed", "rank_columns"]


def board_draws(
    shop: Workshop, card: Card, track: Track, models: Sequence[str], metrics: Sequence[Metric] = METRICS
) -> tuple[tuple[str, ...], dict[str, Draws]]:
    """The models of `models` that have tables, in the order given, and one draw per metric that all of them have.

    Raises:
        InputError: a table is damaged.
    """
    by_model = {entry.model: entry for entry in gather(shop, card, track)}
    entries = [by_model[model] for model in models if model in by_model and by_model[model].tables]
    able = [
        one
        for one in metrics
        if entries and all(needed in e.tables for e in entries for needed in one.spec.needs)
    ]
    return tuple(e.model for e in entries), _draws(
        entries, able, clusters_of(shop, card, entries), card, track
    )


def rank_columns(
    shop: Workshop, entries: Sequence[Entry], metrics: Sequence[Metric], card: Card, track: Track
) -> Mapping[str, RankedColumn]:
    """Every column ranked; the models alone are drawn, and a column that was ranked before is remembered."""
    models = [place for place, entry in enumerate(entries) if not is_probe(entry.model)]
    clusters = clusters_of(shop, card, entries)
    keys = {one.spec.id: _rank_key(entries, one, card, track, clusters) for one in metrics}
    known = {id: column for id, key in keys.items() if (column := recall(shop.cache_dir, key)) is not None}
    fresh = [one for one in metrics if one.spec.id not in known and one.spec.is_ranked]
    drawn = _draws([entries[place] for place in models], fresh, clusters, card, track)
    ranked: dict[str, RankedColumn] = {}
    closed = {} if card.is_public else read_closed(shop.results.root, card.id, track)
    for one in metrics:
        column = known.get(one.spec.id)
        if column is None and one.spec.id not in drawn:
            column = _from_closed(entries, one, card, track, closed.get(one.spec.id))
        if column is None:
            column = _rank(entries, one, card, track, drawn.get(one.spec.id))
            remember(shop.cache_dir, keys[one.spec.id], column)
        ranked[one.spec.id] = column
    return ranked


def _ranked_values(entries: Sequence[Entry], one: Metric, card: Card, track: Track) -> dict[str, float]:
    """Model -> value, for what takes a rank: current numbers of models, in row order."""
    found = {}
    for entry in entries:
        estimate, is_current = estimate_of(entry, one, card, track)
        if estimate is not None and is_current and not is_probe(entry.model) and one.spec.is_ranked:
            found[entry.model] = estimate.value
    return found


def _from_closed(
    entries: Sequence[Entry], one: Metric, card: Card, track: Track, column: ClosedColumn | None
) -> RankedColumn | None:
    """A published column, its places moved to those of `entries`; None when it is of other models or values."""
    if column is None or column.values != _ranked_values(entries, one, card, track):
        return None
    place_of = {entry.model: place for place, entry in enumerate(entries)}
    places = [place_of[model] for model in column.order]
    models: list[Ranked | None] = [None] * len(entries)
    for place, model in zip(places, column.ranked.models, strict=True):
        models[place] = model
    return replace(
        column.ranked,
        models=tuple(models),
        order=tuple(places[index] for index in column.ranked.order),
        top=tuple(places[index] for index in column.ranked.top),
    )


def publish_closed(shop: Workshop, card: Card, track: Track) -> bool:
    """Writes the ranks and pairs of a closed dataset from the tables on this machine; gives whether it changed.

    Columns for which some model's table is not here are left out, so nothing is claimed that was not computed.
    """
    entries = [entry for entry in gather(shop, card, track) if not is_probe(entry.model)]
    clusters = clusters_of(shop, card, entries)
    columns = {}
    for one in METRICS:
        values = _ranked_values(entries, one, card, track)
        able = [entry for entry in entries if entry.model in values]
        if not able or not all(needed in entry.tables for entry in able for needed in one.spec.needs):
            continue
        drawn = _draws(able, [one], clusters, card, track).get(one.spec.id)
        if drawn is not None:
            ranked = _rank(able, one, card, track, drawn)
            columns[one.spec.id] = ([entry.model for entry in able], values, ranked, drawn)
    if not columns:
        return False
    return write_closed(shop.results.root, card.id, track, closed_document(columns, card.decimals))


ENCODER_NOISE = 0.0005
"""How far a number with an encoder or judge behind it may move between machines (CPU, GPU, batch, library) before
anybody should look into it. Batches alone move fp32 values by less than 1e-5; the rest is our allowance."""


def noise(one: Metric) -> float:
    """The largest difference of two values that says nothing, whatever the intervals are: `ENCODER_NOISE` where an
    encoder or judge is behind the number, 0 for numbers from the texts alone. It has nothing to do with the digits
    shown: equal as printed is no tie."""
    has_encoder = any(statistic(needed).spec.encoder for needed in one.spec.needs)
    return ENCODER_NOISE if has_encoder else 0.0


def _rank_key(
    entries: Sequence[Entry], one: Metric, card: Card, track: Track, clusters: Sequence[str] | None
) -> str:
    """Everything that a ranked column depends on."""
    rows = [
        [
            entry.model,
            estimate.value,
            is_current,
            *(entry.tables.digests.get(needed, "") for needed in one.spec.needs),
        ]
        for entry in entries
        for estimate, is_current in [estimate_of(entry, one, card, track)]
        if estimate is not None
    ]
    places = [entry.model for entry in entries]
    rule = [METHOD, SEED, RESAMPLES, __version__, one.spec.key, one.spec.better, noise(one)]
    facts = [*rule, places, rows, clusters]
    return digest(canonical_json(facts))


def _draws(
    entries: Sequence[Entry],
    metrics: Sequence[Metric],
    clusters: Sequence[str] | None,
    card: Card,
    track: Track,
) -> dict[str, Draws]:
    """Draws per metric over the entries that have its tables; metrics that too few studies allow are left out."""
    sets: dict[tuple[int, ...], dict[str, MetricTerms]] = {}
    for one in metrics:
        able = tuple(
            place
            for place, entry in enumerate(entries)
            if all(needed in entry.tables for needed in one.spec.needs)
            and (estimate_of(entry, one, card, track)[1] or not entry.record)
        )
        if not able:
            continue
        terms = np.stack([one.terms(as_tables(entries[place].tables)) for place in able])
        if count_clusters(terms.shape[1], clusters) < 2:
            continue
        sets.setdefault(able, {})[one.spec.id] = MetricTerms(
            terms=terms, finish=one.finish, better=one.spec.better, is_per_study=one.spec.is_per_study
        )
    drawn: dict[str, Draws] = {}
    for group in sets.values():
        drawn.update(draw(group, clusters=clusters))
    return drawn


def _rank(
    entries: Sequence[Entry], one: Metric, card: Card, track: Track, drawn: Draws | None
) -> RankedColumn:
    """Ranks the models of one column; probes, stale and missing numbers are no part of it."""
    values: list[float | None] = []
    rows: list[int] = []  # of each entry in `drawn`
    for entry in entries:
        estimate, is_current = estimate_of(entry, one, card, track)
        has_tables = is_current and all(needed in entry.tables for needed in one.spec.needs)
        has_tables = has_tables and not is_probe(entry.model)
        rows.append(sum(row >= 0 for row in rows) if has_tables else -1)
        ranks = estimate is not None and is_current and not is_probe(entry.model) and one.spec.is_ranked
        values.append(estimate.value if ranks and estimate is not None else None)
    present = [place for place, value in enumerate(values) if value is not None]
    if drawn is None or any(rows[place] < 0 for place in present):
        return rank_column(values, None, better=one.spec.better)
    resampled = np.full((len(entries), drawn.resampled.shape[1]), np.nan)
    for place in present:
        resampled[place] = drawn.resampled[rows[place]]
    ranked = rank_column(
        values, resampled, better=one.spec.better, n_clusters=drawn.n_clusters, tolerance=noise(one)
    )
    by_row = p_against_row_above(drawn, [rows[place] for place in ranked.order])
    p_above = [
        by_row[row] if row >= 0 and values[place] is not None else None for place, row in enumerate(rows)
    ]
    return replace(
        ranked,
        models=tuple(
            None if model is None else replace(model, p_above=p)
            for model, p in zip(ranked.models, p_above, strict=True)
        ),
    )
