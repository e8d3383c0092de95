"""Runs become records. A cell (model, dataset, track) is filled when it is missing or stale and never
touched otherwise; per-study tables are kept as soon as each is made, so an interrupted run resumes.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from typing import TypeVar

from scorer._version import __version__
from scorer.datasets.base import Card
from scorer.errors import MissingError, StageError
from scorer.estimates import RESAMPLES, SEED, agree, as_tables, estimate_all, signature_of
from scorer.figures import text_figures
from scorer.metrics import METRICS, Metric
from scorer.metrics.chexbert import label_figures
from scorer.metrics.entities import entity_figures
from scorer.statistics import STATISTICS, Bench, Statistic
from scorer.store import Results, digest, table_bytes
from scorer.text import TEXT_RULE, Track
from scorer.types import Estimate, Record, Run, StudyTable

__all__ = ["Cell", "cell_state", "compute_table", "inputs_key", "run_inputs", "score_run"]

_T = TypeVar("_T")
_PACKAGES = ("numpy", "rapidfuzz", "torch", "transformers")


def inputs_key(
    predictions: str, references: str, dataset_key: str, track: Track, text_rule: str = TEXT_RULE
) -> str:
    """The key of one cell's inputs: a sha256 over the digests of both sides, dataset, track and text rule."""
    return digest(json.dumps([predictions, references, dataset_key, track, text_rule]).encode())


def run_inputs(run: Run, dataset_key: str, text_rule: str = TEXT_RULE) -> tuple[str, str]:
    """Digests of a run's predictions and references, over canonical content in study order."""

    def over(texts: Iterable[str]) -> str:
        state = hashlib.sha256()
        for study_id, text in zip(run.study_ids, texts, strict=True):
            state.update(
                json.dumps([study_id, text], ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
            )
        return state.hexdigest()

    return over(run.predictions), over(run.references)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What is known of one cell without scoring it.

    Attributes:
        state: "current", "stale", "missing" or "failed".
        reasons: why it is not current, in public words, e.g. "predictions changed", "bleu_2 is new".
    """

    model: str
    dataset: str
    track: Track
    state: str
    reasons: tuple[str, ...] = ()
    statistics: tuple[str, ...] = ()


def cell_state(
    record: Record | None,
    *,
    model: str,
    card: Card,
    track: Track,
    predictions: str | None,
    metrics: Iterable[Metric] = METRICS,
) -> Cell:
    """Compares a record with the registry and with the digest of the predictions as they are now.

    Args:
        predictions: digest of the submission's predictions; None when they are not at hand.
    """
    every = tuple(one.spec.id for one in STATISTICS)
    if record is None:
        return Cell(
            model=model,
            dataset=card.id,
            track=track,
            state="missing",
            reasons=("not scored",),
            statistics=every,
        )
    reasons: list[str] = []
    redo: set[str] = set()
    references = card.splits[card.split].digest
    if predictions is not None and record.digests.get("submitted") != predictions:
        reasons.append("predictions changed")
    if references and record.digests.get("dataset") != references:
        reasons.append("references changed")
    if reasons:
        redo.update(every)
    failed = False
    for metric in metrics:
        estimate = record.estimate(metric.spec.id)
        wanted = signature_of(metric, card.key, track)
        reason = record.missing.get(metric.spec.id, "")
        if estimate is not None and estimate.signature != wanted:
            reasons.append(f"{metric.spec.id}: {estimate.signature} is now {wanted}")
            redo.update(metric.spec.needs)
        elif estimate is None and not reason:
            reasons.append(f"{metric.spec.id} is new")
            redo.update(metric.spec.needs)
        elif reason.startswith("failed"):
            failed = True
            reasons.append(f"{metric.spec.id}: {reason}")
            redo.update(metric.spec.needs)
        elif reason.startswith("unavailable"):
            redo.update(metric.spec.needs)
    state = (
        "failed"
        if failed and len(reasons) == sum("failed" in r for r in reasons)
        else "stale"
        if reasons
        else "current"
    )
    return Cell(
        model=model,
        dataset=card.id,
        track=track,
        state=state,
        reasons=tuple(reasons),
        statistics=tuple(sorted(redo)),
    )


def compute_table(one: Statistic, run: Run, inputs: str, bench: Bench) -> StudyTable:
    """Computes one statistic on a run.

    Raises:
        StageError: it failed, or gave numbers that are not finite or not one row per study.
        MissingError: something it needs is not on this machine.
    """
    from numpy import isfinite

    try:
        computed = one.compute(run.predictions, run.references, bench)
    except (StageError, MissingError):
        raise
    except Exception as error:  # the message may hold a text, so only the class goes on
        raise StageError(one.spec.id, type(error).__name__, run.n) from None
    names = tuple(column.name for column in one.spec.columns)
    if computed.values.shape != (run.n, len(names)):
        raise StageError(one.spec.id, "wrong number of rows or columns", run.n)
    broken = int((~isfinite(computed.values)).any(axis=1).sum())
    if broken:
        raise StageError(one.spec.id, "not a finite number", broken)
    return StudyTable(
        statistic=one.spec.key,
        columns=names,
        study_ids=run.study_ids,
        values=computed.values,
        inputs=inputs,
        weights_digest=computed.weights_digest,
        n_truncated=computed.n_truncated,
    )


def score_run(
    run: Run,
    *,
    card: Card,
    results: Results,
    tables_in: Results,
    submitted: str,
    dataset_digest: str,
    bench: Bench,
    training: Collection[str] = (),
    recompute: Iterable[str] = (),
) -> Record:
    """Fills one cell and writes its tables and record.

    A table that is there and was made from the same inputs under the registered version is used as it is.
    A statistic that cannot run here (no weights) or fails leaves its metrics without a number and with a reason;
    the other metrics are scored, and a number that the previous record had for the same inputs is kept.

    Args:
        results: where the record goes.
        tables_in: where per-study tables go; a private store for datasets whose card does not release them.
        submitted: digest of the submission's predictions. dataset_digest: of the dataset's references.
        training: composed texts of the training split, for the figures about copied reports.
        recompute: statistic ids to compute even if their table is there.
    """
    predictions, references = run_inputs(run, card.key)
    inputs = inputs_key(predictions, references, card.key, run.track)
    previous = results.read_record(run.model, run.dataset, run.track)
    kept = previous if previous is not None and previous.digests.get("predictions") == predictions else None
    if kept is not None and kept.digests.get("references") != references:
        kept = None
    tables: dict[str, StudyTable] = {}
    why_not: dict[str, str] = {}
    forced = set(recompute)
    for one in STATISTICS:
        path = tables_in.table_path(run.model, run.dataset, run.track, one.spec.id)
        table = tables_in.read_table(path)
        if (
            table is None
            or table.inputs != inputs
            or table.statistic != one.spec.key
            or one.spec.id in forced
        ):
            absent = one.missing(bench)
            if absent is not None:
                why_not[one.spec.id] = f"unavailable: {absent[0]} (to get it: {absent[1]})"
                continue
            try:
                table = compute_table(one, run, inputs, bench)
            except StageError as error:
                why_not[one.spec.id] = f"failed: {error}"
                continue
            except MissingError as error:
                why_not[one.spec.id] = f"unavailable: {error}"
                continue
            tables_in.write_table(path, table)
        tables[one.spec.id] = table
    record = _record(run, card, tables, why_not, kept, submitted, dataset_digest, predictions, references)
    found = as_tables(tables)
    counted = {**_encoder_figures_of(kept), **label_figures(found), **entity_figures(found)}
    record = replace(record, figures={**text_figures(run, training), **counted})
    results.write_record(record)
    return record


def _encoder_figures_of(record: Record | None) -> dict[str, float]:
    """Those of the previous record, whose scores are carried too when they cannot be computed here."""
    figures = record.figures if record is not None else {}
    prefixes = tuple(f"{one.spec.id}_" for one in STATISTICS if one.spec.encoder)
    return {name: value for name, value in figures.items() if name.startswith(prefixes)}


def _of(by_key: Mapping[str, _T], statistics: Collection[str]) -> dict[str, _T]:
    """What belongs to these statistics, of something by statistic key."""
    return {key: value for key, value in by_key.items() if key.partition("@")[0] in statistics}


def _record(
    run: Run,
    card: Card,
    tables: Mapping[str, StudyTable],
    why_not: Mapping[str, str],
    kept: Record | None,
    submitted: str,
    dataset_digest: str,
    predictions: str,
    references: str,
) -> Record:
    estimates, undefined = estimate_all(
        METRICS,
        as_tables(tables),
        dataset_key=card.key,
        track=run.track,
        n=run.n,
        n_empty=run.n_empty,
        clusters=run.patients,
    )
    if kept is not None:  # a number that another processor only rounds otherwise stays as it was published
        before = {estimate.signature: estimate for estimate in kept.estimates}
        estimates = tuple(
            old if (old := before.get(one.signature)) is not None and agree(old, one) else one
            for one in estimates
        )
    missing = dict(undefined)
    carried: list[Estimate] = []
    for one in METRICS:
        lacking = [needed for needed in one.spec.needs if needed in why_not]
        if not lacking:
            continue
        old = kept.estimate(one.spec.id) if kept is not None else None
        if old is not None and old.signature == signature_of(one, card.key, run.track):
            carried.append(old)
        else:
            missing[one.spec.id] = why_not[lacking[0]]
    order = {one.spec.id: place for place, one in enumerate(METRICS)}
    digests = {f"statistic:{table.statistic}": digest(table_bytes(table)) for table in tables.values()}
    if kept is not None and carried:
        digests = {**{k: v for k, v in kept.digests.items() if k.startswith("statistic:")}, **digests}
    record = Record(
        model=run.model,
        dataset=run.dataset,
        track=run.track,
        n=run.n,
        n_empty=run.n_empty,
        estimates=tuple(sorted((*estimates, *carried), key=lambda e: order[e.metric])),
        digests={
            **digests,
            "predictions": predictions,
            "references": references,
            "submitted": submitted,
            "dataset": dataset_digest,
        },
        weights={
            **_of(kept.weights if kept and carried else {}, why_not),
            **{table.statistic: table.weights_digest for table in tables.values() if table.weights_digest},
        },
        n_truncated={
            **_of(kept.n_truncated if kept and carried else {}, why_not),
            **{table.statistic: table.n_truncated for table in tables.values() if table.n_truncated},
        },
        seed=SEED,
        resamples=RESAMPLES,
        clusters="study" if run.patients is None else "patient",
        versions=_versions(any(table.weights_digest for table in tables.values())),
        missing=missing,
    )
    return record if card.decimals is None else rounded(record, card.decimals)


def rounded(record: Record, decimals: int) -> Record:
    """The record with published digits only: what a private split may show."""

    def cut(value: float | None) -> float | None:
        return None if value is None else round(value, decimals)

    return replace(
        record,
        estimates=tuple(
            replace(e, value=round(e.value, decimals), low=cut(e.low), high=cut(e.high))
            for e in record.estimates
        ),
    )


def _versions(with_encoders: bool) -> dict[str, str]:
    names = _PACKAGES if with_encoders else _PACKAGES[:2]
    found = {"rexrank": __version__, "python": ".".join(platform.python_version_tuple()[:2])}
    for name in names:
        found[name] = metadata.version(name)
    return found
