"""Builds boards: gathers the current records of a dataset and track, ranks every column, and says what is odd.

Ranks need all models' per-study tables; where they are not at hand (closed datasets away from the scoring
machine) models are ranked by value alone and no interval is claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scorer.board import Board, BoardColumn, Cell, Row, Signal
from scorer.cells import Workshop
from scorer.datasets.base import Card
from scorer.errors import InputError, MissingError
from scorer.estimates import as_tables, signature_of
from scorer.inference.models import Draws, MetricTerms, draw
from scorer.inference.pairs import p_against_row_above
from scorer.inference.ranks import RankedColumn, rank_column
from scorer.inference.resampling import count_clusters
from scorer.metrics import METRICS, Metric
from scorer.probes import PROBES, is_probe
from scorer.signals import overlap_signal, reward_signal, text_signals, thresholds
from scorer.text import TRACKS, Track
from scorer.types import Estimate, Record, StudyTable

__all__ = ["PREFERRED_ORDER", "board_draws", "build_board", "build_boards"]

PREFERRED_ORDER = ("radcliq_v1", "bleu_2")
"""The default order is by the first of these that some model of the board has; else by the first column."""


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """One row in the making."""

    model: str
    label: str
    date: str
    record: Record | None
    tables: Mapping[str, StudyTable]


def build_boards(shop: Workshop, datasets: Iterable[str] = ()) -> tuple[Board, ...]:
    """Every board that has a row, in card order and findings first.

    Args:
        datasets: only these; empty means all.
    """
    wanted = set(datasets)
    found = (
        build_board(shop, card, track)
        for card in shop.cards
        if not wanted or card.id in wanted
        for track in TRACKS
        if track in card.tracks
    )
    return tuple(board for board in found if board is not None)


def build_board(shop: Workshop, card: Card, track: Track) -> Board | None:
    """The board of one dataset and track; None when it would have no row."""
    entries = _entries(shop, card, track)
    if not entries:
        return None
    entries = _same_weights(entries)
    metrics = [one for one in METRICS if any(_estimate(e, one, card, track)[1] for e in entries)]
    drawn = _draws(entries, metrics, _clusters(shop, card, entries), card, track)
    ranked = {one.spec.id: _rank(entries, one, card, track, drawn.get(one.spec.id)) for one in metrics}
    columns = tuple(_column(entries, one, card, track, ranked[one.spec.id]) for one in metrics)
    order = _default_order(metrics, ranked)
    rows = [_row(entry, place, metrics, card, track, ranked) for place, entry in enumerate(entries)]
    rows = _with_signals(shop, card, track, rows, entries)
    with_tables = next((e.record for e in entries if e.record is not None), None)
    patients = _clusters(shop, card, entries)
    return Board(
        dataset=card.id,
        track=track,
        n=with_tables.n if with_tables else card.splits[card.split].n_track.get(track, 0),
        n_patients=len(set(patients)) if patients else 0,
        order=order,
        columns=columns,
        rows=_ordered(rows, order),
        date=max((entry.date for entry in entries), default=""),
        unscored=_unscored(entries, metrics),
    )


def board_draws(
    shop: Workshop, card: Card, track: Track, models: Sequence[str], metrics: Sequence[Metric] = METRICS
) -> tuple[tuple[str, ...], dict[str, Draws]]:
    """The models of `models` that have tables, in the order given, and one draw per metric that all of them have.

    Raises:
        InputError: a table is damaged.
    """
    by_model = {entry.model: entry for entry in _entries(shop, card, track)}
    entries = [by_model[model] for model in models if model in by_model and by_model[model].tables]
    able = [
        one
        for one in metrics
        if entries and all(needed in e.tables for e in entries for needed in one.spec.needs)
    ]
    return tuple(e.model for e in entries), _draws(entries, able, _clusters(shop, card, entries), card, track)


def _entries(shop: Workshop, card: Card, track: Track) -> list[_Entry]:
    found = []
    for model in shop.results.submission_ids():
        try:
            submission = shop.submission(model)
        except InputError:
            continue  # `rexrank check` names the problems; one broken folder does not take the board down
        if (
            submission.lifecycle != "active"
            or track not in submission.tracks
            or card.id not in submission.predictions
        ):
            continue
        found.append(_entry(shop, card, track, model, submission.name, str(submission.date or "")))
    for one in PROBES:
        entry = _entry(shop, card, track, one.model, one.label, "")
        if entry.record is not None:
            found.append(entry)
    return found


def _entry(shop: Workshop, card: Card, track: Track, model: str, label: str, date: str) -> _Entry:
    record = shop.results.read_record(model, card.id, track)
    tables: dict[str, StudyTable] = {}
    for key in record.digests if record is not None else ():
        if key.startswith("statistic:"):
            name = key.removeprefix("statistic:").partition("@")[0]
            table = shop.tables_of(card).read_table(
                shop.tables_of(card).table_path(model, card.id, track, name)
            )
            if table is not None and table.statistic == key.removeprefix("statistic:"):
                tables[name] = table
    return _Entry(model=model, label=label, date=date, record=record, tables=tables)


def _same_weights(entries: Sequence[_Entry]) -> list[_Entry]:
    """Numbers made with other weights than most rows' are not comparable: they are treated as stale."""
    seen: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        seen.update(entry.record.weights.items() if entry.record else ())
    usual: dict[str, str] = {}
    for (statistic, digest), _ in sorted(seen.items(), key=lambda item: (-item[1], item[0])):
        usual.setdefault(statistic, digest)
    kept = []
    for entry in entries:
        odd = {
            key
            for key, digest in (entry.record.weights if entry.record else {}).items()
            if usual[key] != digest
        }
        if odd and entry.record is not None:
            estimates = tuple(
                replace(e, signature=e.signature + ";weights=other")
                if odd.intersection(e.signature.split("|")[1].split("+"))
                else e
                for e in entry.record.estimates
            )
            entry = replace(entry, record=replace(entry.record, estimates=estimates))
        kept.append(entry)
    return kept


def _estimate(entry: _Entry, one: Metric, card: Card, track: Track) -> tuple[Estimate | None, bool]:
    """The estimate, and whether it is current."""
    estimate = entry.record.estimate(one.spec.id) if entry.record is not None else None
    return estimate, estimate is not None and estimate.signature == signature_of(one, card.key, track)


def _clusters(shop: Workshop, card: Card, entries: Sequence[_Entry]) -> list[str] | None:
    """Patient per study, in table order, where the dataset knows patients and is here."""
    ids = next((table.study_ids for entry in entries for table in entry.tables.values()), None)
    if ids is None or not card.knows_patients:
        return None
    try:
        patients = {study.id: study.patient or study.id for study in shop.studies(card.id, card.split)}
    except MissingError:
        return None
    return [patients[study_id] for study_id in ids]


def _draws(
    entries: Sequence[_Entry],
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
            and (_estimate(entry, one, card, track)[1] or not entry.record)
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
    entries: Sequence[_Entry], one: Metric, card: Card, track: Track, drawn: Draws | None
) -> RankedColumn:
    """Ranks the models of one column; probes, stale and missing numbers are no part of it."""
    values: list[float | None] = []
    rows: list[int] = []  # of each entry in `drawn`
    for entry in entries:
        estimate, is_current = _estimate(entry, one, card, track)
        has_tables = is_current and all(needed in entry.tables for needed in one.spec.needs)
        rows.append(sum(row >= 0 for row in rows) if has_tables else -1)
        ranks = estimate is not None and is_current and not is_probe(entry.model) and one.spec.is_ranked
        values.append(estimate.value if ranks and estimate is not None else None)
    present = [place for place, value in enumerate(values) if value is not None]
    if drawn is None or any(rows[place] < 0 for place in present):
        return rank_column(values, None, better=one.spec.better)
    resampled = np.full((len(entries), drawn.resampled.shape[1]), np.nan)
    for place in present:
        resampled[place] = drawn.resampled[rows[place]]
    ranked = rank_column(values, resampled, better=one.spec.better)
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


def _column(
    entries: Sequence[_Entry], one: Metric, card: Card, track: Track, ranked: RankedColumn
) -> BoardColumn:
    return BoardColumn(
        spec=one.spec,
        signature=signature_of(one, card.key, track),
        top=tuple(entries[place].model for place in ranked.top),
        resolvable=ranked.resolvable,
        below_probe=_below_probe(entries, one, card, track),
        method=ranked.method,
    )


def _below_probe(entries: Sequence[_Entry], one: Metric, card: Card, track: Track) -> tuple[int, int] | None:
    current = {entry.model: _estimate(entry, one, card, track) for entry in entries}
    values = {
        model: estimate.value for model, (estimate, is_current) in current.items() if estimate and is_current
    }
    constant = values.get("probe-constant-normal")
    models = [value for model, value in values.items() if not is_probe(model)]
    if constant is None or not models or not one.spec.is_ranked:
        return None
    worse = [value < constant if one.spec.better == "higher" else value > constant for value in models]
    return sum(worse), len(models)


def _row(
    entry: _Entry,
    place: int,
    metrics: Sequence[Metric],
    card: Card,
    track: Track,
    ranked: Mapping[str, RankedColumn],
) -> Row:
    cells = {}
    for one in metrics:
        estimate, is_current = _estimate(entry, one, card, track)
        reason = entry.record.missing.get(one.spec.id, "") if entry.record is not None else "awaiting scoring"
        state = "current" if is_current else "stale" if estimate is not None else "missing"
        if estimate is None and reason.startswith("failed"):
            state = "failed"
        cell = Cell(estimate=estimate, state=state, reason=reason)
        rank = ranked[one.spec.id].models[place]
        if rank is not None:
            cell = replace(
                cell,
                rank=rank.rank,
                rank_low=rank.low,
                rank_high=rank.high,
                group=rank.group,
                p_above=rank.p_above,
            )
        cells[one.spec.id] = cell
    return Row(
        model=entry.model,
        label=entry.label,
        is_probe=is_probe(entry.model),
        cells=cells,
        n=entry.record.n if entry.record else 0,
        n_empty=entry.record.n_empty if entry.record else 0,
    )


def _default_order(metrics: Sequence[Metric], ranked: Mapping[str, RankedColumn]) -> str:
    with_models = [one.spec.id for one in metrics if ranked[one.spec.id].order]
    preferred = [id for id in PREFERRED_ORDER if id in with_models]
    first = preferred or with_models or [one.spec.id for one in metrics] or [METRICS[0].spec.id]
    return first[0]


def _ordered(rows: Sequence[Row], order: str) -> tuple[Row, ...]:
    """Best first; rows without a value last, by natural name; stale values count as no value."""
    from scorer.metrics import metric

    sign = -1.0 if metric(order).spec.better == "higher" else 1.0

    def key(row: Row) -> tuple[bool, float, bool, str]:
        cell = row.cells.get(order, Cell())
        has_value = cell.state == "current" and cell.estimate is not None
        value = sign * cell.estimate.value if has_value and cell.estimate is not None else 0.0
        return (not has_value, value, row.is_probe, row.label.casefold())

    return tuple(sorted(rows, key=key))


def _with_signals(
    shop: Workshop, card: Card, track: Track, rows: Sequence[Row], entries: Sequence[_Entry]
) -> list[Row]:
    limits = thresholds(shop.results.root)
    shared = _shared_predictions(shop, card, entries)
    found = []
    for row, entry in zip(rows, entries, strict=True):
        signals: tuple[Signal, ...] = text_signals(entry.record, limits) if entry.record is not None else ()
        in_domain: bool | None = None
        if not row.is_probe:
            submission = shop.submission(row.model)
            trained = [data.dataset for data in submission.training_data if data.dataset]
            in_domain = card.id in trained if submission.training_data else None
            ranks = {id: cell.rank for id, cell in row.cells.items() if cell.rank is not None}
            signals += reward_signal(ranks, submission.reward_metrics, limits)
            signals += overlap_signal(row.n, shared.get(row.model, {}), limits)
        found.append(replace(row, in_domain=in_domain, signals=signals))
    return found


def _shared_predictions(
    shop: Workshop, card: Card, entries: Sequence[_Entry]
) -> Mapping[str, Mapping[str, int]]:
    """Model -> other model -> studies with the same non-empty prediction; only where predictions are public.

    A text that more than 20 models give for a study is a set phrase and says nothing about any two of them.
    """
    if not card.is_public:
        return {}
    predictions = {}
    for entry in entries:
        if not is_probe(entry.model):
            try:
                predictions[entry.model] = shop.predictions(entry.model, card.id)
            except (InputError, MissingError):
                continue
    by_text: dict[tuple[str, str, str], list[str]] = {}
    for model, reports in predictions.items():
        for study_id, report in reports.items():
            if report.findings or report.impression:
                by_text.setdefault((study_id, report.findings, report.impression), []).append(model)
    shared: dict[str, Counter[str]] = {}
    for models in by_text.values():
        for model in models if 1 < len(models) <= 20 else ():
            shared.setdefault(model, Counter()).update(other for other in models if other != model)
    return shared


def _unscored(entries: Sequence[_Entry], metrics: Sequence[Metric]) -> Mapping[str, str]:
    scored = {one.spec.id for one in metrics}
    reasons: dict[str, str] = {}
    for one in METRICS:
        if one.spec.id not in scored:
            said = [
                e.record.missing[one.spec.id] for e in entries if e.record and one.spec.id in e.record.missing
            ]
            reasons[one.spec.id] = said[0] if said else "awaiting scoring"
    return reasons
