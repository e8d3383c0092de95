"""Builds boards: gathers the current records of a dataset and track, ranks every column, and says what is odd.

Ranks need all models' per-study tables; where they are not at hand (closed datasets away from the scoring
machine) models are ranked by value alone and no interval is claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scorer.board import Board, BoardColumn, Cell, Row, Signal
from scorer.boards.entries import Entry, clusters_of, estimate_of, gather, same_weights
from scorer.boards.ranking import board_draws, rank_columns
from scorer.cells import Workshop
from scorer.datasets.base import Card
from scorer.errors import InputError, MissingError
from scorer.estimates import signature_of
from scorer.inference.ranks import RankedColumn
from scorer.metrics import METRICS, Metric
from scorer.naming import natural_key
from scorer.probes import is_probe
from scorer.signals import overlap_signal, reward_signal, text_signals, thresholds
from scorer.text import TRACKS, Track

__all__ = ["PREFERRED_ORDER", "board_draws", "build_board", "build_boards"]

PREFERRED_ORDER = ("radcliq_v1", "bleu_2")
"""The default order is by the first of these that some model of the board has; else by the first column."""


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
    entries = gather(shop, card, track)
    if not entries:
        return None
    entries = same_weights(entries)
    metrics = [one for one in METRICS if any(estimate_of(e, one, card, track)[1] for e in entries)]
    ranked = rank_columns(shop, entries, metrics, card, track)
    columns = tuple(_column(entries, one, card, track, ranked[one.spec.id]) for one in metrics)
    order = _default_order(metrics, ranked)
    rows = [_row(entry, place, metrics, card, track, ranked) for place, entry in enumerate(entries)]
    rows = _with_signals(shop, card, track, rows, entries)
    with_tables = next((e.record for e in entries if e.record is not None), None)
    patients = clusters_of(shop, card, entries)
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


def _column(
    entries: Sequence[Entry], one: Metric, card: Card, track: Track, ranked: RankedColumn
) -> BoardColumn:
    return BoardColumn(
        spec=one.spec,
        signature=signature_of(one, card.key, track),
        top=tuple(entries[place].model for place in ranked.top),
        resolvable=ranked.resolvable,
        below_probe=_below_probe(entries, one, card, track),
        method=ranked.method,
    )


def _below_probe(entries: Sequence[Entry], one: Metric, card: Card, track: Track) -> tuple[int, int] | None:
    current = {entry.model: estimate_of(entry, one, card, track) for entry in entries}
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
    entry: Entry,
    place: int,
    metrics: Sequence[Metric],
    card: Card,
    track: Track,
    ranked: Mapping[str, RankedColumn],
) -> Row:
    cells = {}
    for one in metrics:
        estimate, is_current = estimate_of(entry, one, card, track)
        reason = entry.record.missing.get(one.spec.id, "") if entry.record is not None else entry.why_not
        state = "current" if is_current else "stale" if estimate is not None else "missing"
        if state == "stale" and estimate is not None:
            reason = _why_stale(estimate.signature, signature_of(one, card.key, track))
        if estimate is None and reason.startswith(("failed", "scoring failed")):
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


def _why_stale(signature: str, wanted: str) -> str:
    if signature.endswith(";unverified=table"):
        return "unverified: the per-study table it was scored from is not there or was changed"
    if signature.endswith(";unverified=value"):
        return "unverified: the number is not what its per-study table gives, or lies where it cannot lie"
    if signature.endswith(";weights=other"):
        return "scored with other weights than the other rows"
    return f"scored as {signature}, which is now {wanted}"


def _default_order(metrics: Sequence[Metric], ranked: Mapping[str, RankedColumn]) -> str:
    with_models = [one.spec.id for one in metrics if ranked[one.spec.id].order]
    preferred = [id for id in PREFERRED_ORDER if id in with_models]
    first = preferred or with_models or [one.spec.id for one in metrics] or [METRICS[0].spec.id]
    return first[0]


def _ordered(rows: Sequence[Row], order: str) -> tuple[Row, ...]:
    """Best first; rows without a value last, by natural name; stale values count as no value."""
    from scorer.metrics import metric

    sign = -1.0 if metric(order).spec.better == "higher" else 1.0

    def key(row: Row) -> tuple[bool, float, bool, tuple[tuple[int, int, str], ...]]:
        cell = row.cells.get(order, Cell())
        has_value = cell.state == "current" and cell.estimate is not None
        value = sign * cell.estimate.value if has_value and cell.estimate is not None else 0.0
        return (not has_value, value, row.is_probe, natural_key(row.label))

    return tuple(sorted(rows, key=key))


def _with_signals(
    shop: Workshop, card: Card, track: Track, rows: Sequence[Row], entries: Sequence[Entry]
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
    shop: Workshop, card: Card, entries: Sequence[Entry]
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


def _unscored(entries: Sequence[Entry], metrics: Sequence[Metric]) -> Mapping[str, str]:
    scored = {one.spec.id for one in metrics}
    reasons: dict[str, str] = {}
    for one in METRICS:
        if one.spec.id not in scored:
            said = [
                e.record.missing[one.spec.id] for e in entries if e.record and one.spec.id in e.record.missing
            ]
            reasons[one.spec.id] = said[0] if said else "awaiting scoring"
    return reasons
