"""The rows of a board in the making: submissions and probes with their record and per-study tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from scorer._version import __version__
from scorer.boards.memory import recall_words, remember_words
from scorer.boards.tables import RecordTables
from scorer.cells import Workshop
from scorer.checking.states import read_state
from scorer.checking.truth import faults_of_value
from scorer.datasets.base import Card
from scorer.errors import InputError, MissingError
from scorer.estimates import contradicted, signature_of
from scorer.metrics import METRICS, Metric
from scorer.probes import PROBES
from scorer.store import canonical_json, digest
from scorer.text import Track
from scorer.types import Estimate, Record

__all__ = ["Entry", "clusters_of", "current", "entry_of", "estimate_of", "gather", "same_weights"]

_METRICS = {one.spec.id: one for one in METRICS}
_CONTRADICTED: dict[str, frozenset[str]] = {}
"""By a digest of everything that the verdict depends on."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One row in the making. why_not: why there is no record, in public words."""

    model: str
    label: str
    date: str
    record: Record | None
    tables: RecordTables
    why_not: str = "awaiting scoring"


def gather(shop: Workshop, card: Card, track: Track) -> list[Entry]:
    """Active submissions with predictions for the dataset and track, then the probes that have a record."""
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
        found.append(entry_of(shop, card, track, model, submission.name, str(submission.date or "")))
    for one in PROBES:
        entry = entry_of(shop, card, track, one.model, one.label, "")
        if entry.record is not None:
            found.append(entry)
    return found


def entry_of(shop: Workshop, card: Card, track: Track, model: str, label: str, date: str) -> Entry:
    """One row in the making: the record, and the tables that it names and that are at hand."""
    record = shop.results.read_record(model, card.id, track)
    tables = RecordTables(shop.tables_of(card), record)
    if record is not None and card.is_public:
        # Of a public dataset every number has its table beside it; a number without one rests on nothing.
        named = {
            key.partition("@")[0] for e in record.estimates for key in e.signature.split("|")[1].split("+")
        }
        bare = named.difference(tables.digests)
        if bare:
            record = _marked(record, {f"{name}@" for name in bare}, "unverified=table")
    elif record is not None and tables.unverified:
        record = _marked(record, {f"{name}@" for name in tables.unverified}, "unverified=table")
    if record is not None and (wrong := _wrong(shop, card, record, tables)):
        edited = (replace(e, signature=f"{e.signature};unverified=value") for e in record.estimates)
        pairs = zip(record.estimates, edited, strict=True)
        record = replace(record, estimates=tuple(new if old.metric in wrong else old for old, new in pairs))
    state = read_state(shop.results.root, model, card.id, track) if record is None else None
    why_not = state.sentence if state is not None else "awaiting scoring"
    return Entry(model=model, label=label, date=date, record=record, tables=tables, why_not=why_not)


def current(record: Record, card: Card) -> tuple[Estimate, ...]:
    """The estimates of a record that were made by the registered versions."""
    return tuple(
        e
        for e in record.estimates
        if e.metric in _METRICS and e.signature == signature_of(_METRICS[e.metric], card.key, record.track)
    )


def _wrong(shop: Workshop, card: Card, record: Record, tables: RecordTables) -> frozenset[str]:
    """Metrics whose number cannot be: it contradicts its own interval, or of a public dataset its own tables.

    Tables are read for it once in a process, and not at all when an earlier build has looked at the same ones.
    """
    estimates = current(record, card)
    impossible = frozenset(
        e.metric for e in estimates if any(faults_of_value(e.metric, (e.value, e.low, e.high), card.decimals))
    )
    if not card.is_public:
        return impossible
    facts = [[e.signature, e.value] for e in estimates]
    key = digest(canonical_json(["contradicted", __version__, facts, tables.digests, card.decimals]))
    if key not in _CONTRADICTED:
        known = recall_words(shop.cache_dir, key)
        found = frozenset(contradicted(estimates, tables, card.decimals) if known is None else known)
        if known is None:
            remember_words(shop.cache_dir, key, sorted(found))
        _CONTRADICTED[key] = found
    return impossible | _CONTRADICTED[key]


def _marked(record: Record, statistics: Collection[str], mark: str) -> Record:
    """The record with a detail added to the signatures that rest on one of the statistics (`id@` or `id@version`),
    so that nothing else compares with them."""

    def rests(estimate: Estimate) -> bool:
        keys = estimate.signature.split("|")[1].split("+")
        return any(key.startswith(one) for key in keys for one in statistics)

    estimates = tuple(
        replace(e, signature=f"{e.signature};{mark}") if rests(e) else e for e in record.estimates
    )
    return replace(record, estimates=estimates)


def same_weights(entries: Sequence[Entry]) -> list[Entry]:
    """Numbers made with other weights than most rows' are not comparable: they are treated as stale."""
    seen: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        seen.update(entry.record.weights.items() if entry.record else ())
    usual: dict[str, str] = {}
    for (statistic, weights), _ in sorted(seen.items(), key=lambda item: (-item[1], item[0])):
        usual.setdefault(statistic, weights)
    kept = []
    for entry in entries:
        odd = {
            key
            for key, digest in (entry.record.weights if entry.record else {}).items()
            if usual[key] != digest
        }
        if odd and entry.record is not None:
            entry = replace(entry, record=_marked(entry.record, odd, "weights=other"))
        kept.append(entry)
    return kept


def estimate_of(entry: Entry, one: Metric, card: Card, track: Track) -> tuple[Estimate | None, bool]:
    """The estimate, and whether it is current."""
    estimate = entry.record.estimate(one.spec.id) if entry.record is not None else None
    return estimate, estimate is not None and estimate.signature == signature_of(one, card.key, track)


def clusters_of(shop: Workshop, card: Card, entries: Sequence[Entry]) -> list[str] | None:
    """Patient per study, in table order, where the dataset knows patients and is here."""
    if not card.knows_patients:
        return None
    ids = next((table.study_ids for entry in entries for table in entry.tables.values()), None)
    if ids is None:
        return None
    try:
        patients = {study.id: study.patient or study.id for study in shop.studies(card.id, card.split)}
    except MissingError:
        return None
    if any(study_id not in patients for study_id in ids):
        return None  # the references on this machine are not those that were scored; nothing is said of which
    return [patients[study_id] for study_id in ids]
