"""Does a record hold what its per-study tables give? Everything is computed anew and compared, to the last digits on
which two processors agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scorer.boards.entries import clusters_of, current, entry_of
from scorer.cells import Workshop
from scorer.checking.truth import faults_of_value
from scorer.datasets import cards
from scorer.errors import Problem
from scorer.estimates import agree, as_tables, contradicted, estimate_all
from scorer.metrics import METRICS
from scorer.scoring import rounded
from scorer.types import Record

__all__ = ["verify_record", "verify_records"]

_EDITED = "{} is not what the per-study tables give"


def verify_records(shop: Workshop) -> Iterator[Problem]:
    """A problem for every record with an edited table or with a number that its tables do not give.

    Records whose tables are not on this machine (closed datasets elsewhere) cannot be verified and are passed over;
    so are numbers of an older metric version.
    """
    known = {card.id for card in cards(shop.results.root)}
    for record in shop.results.records():
        path = str(shop.results.record_path(record.model, record.dataset, record.track))
        if record.dataset not in known:
            yield Problem(path=path, code="unknown-dataset", message=f"no card for {record.dataset}")
            continue
        yield from verify_record(shop, record, path)


def verify_record(shop: Workshop, record: Record, path: str) -> Iterator[Problem]:
    """The problems of one record."""
    card = shop.card(record.dataset)
    hint = "restore both files from git, or run rexrank score"
    entry = entry_of(shop, card, record.track, record.model, record.model, "")
    for name in sorted(entry.tables.unverified):
        table = shop.tables_of(card).table_path(record.model, card.id, record.track, name)
        message = "is not the table that the record was made from"
        yield Problem(path=str(table), code="edited-table", message=message, hint=hint)
    if card.is_public:
        named = {
            key.partition("@")[0] for e in record.estimates for key in e.signature.split("|")[1].split("+")
        }
        for name in sorted(named.difference(entry.tables.digests, entry.tables.unverified)):
            message = f"the table of {name} that its numbers rest on is not there"
            yield Problem(path=path, code="missing-table", message=message, hint=hint)
    for estimate in record.estimates:
        figures = (estimate.value, estimate.low, estimate.high)
        for said in faults_of_value(estimate.metric, figures, card.decimals):
            yield Problem(path=path, field=estimate.metric, code="impossible", message=said, hint=hint)
    if not entry.tables:
        return
    clusters = clusters_of(shop, card, [entry])
    if (clusters is None) != (record.clusters == "study"):
        # Patients are not known here, so intervals cannot be computed as they were; values can.
        for metric in sorted(contradicted(current(record, card), entry.tables, card.decimals)):
            yield Problem(
                path=path, field=metric, code="edited-record", message=_EDITED.format(metric), hint=hint
            )
        return
    estimates, _ = estimate_all(
        METRICS,
        as_tables(dict(entry.tables)),
        dataset_key=card.key,
        track=record.track,
        n=record.n,
        n_empty=record.n_empty,
        clusters=clusters,
        resamples=record.resamples,
        seed=record.seed,
    )
    fresh = {e.signature: e for e in estimates}
    if card.decimals is not None:
        cut = rounded(replace(record, estimates=estimates), card.decimals)
        fresh = {e.signature: e for e in cut.estimates}
    for estimate in record.estimates:
        again = fresh.get(estimate.signature)
        if again is not None and not agree(again, estimate):
            message = _EDITED.format(estimate.metric)
            yield Problem(path=path, field=estimate.metric, code="edited-record", message=message, hint=hint)
