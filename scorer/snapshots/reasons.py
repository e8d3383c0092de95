"""Why a number differs between two snapshots, read off the identities that both carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from scorer.signature import Signature
from scorer.snapshots.corrections import Correction
from scorer.snapshots.document import CellDocument
from scorer.snapshots.snapshot import DefinitionDocument, RecordDocument, Snapshot

__all__ = ["Reason", "ReasonKind", "reasons_for_leaving", "reasons_for_number"]

ReasonKind = Literal[
    "submission", "metric", "statistic", "dataset", "text", "weights", "packages", "correction", "lifecycle",
    "others", "unexplained",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Reason:
    """A cause, and its words with the change entry."""

    kind: ReasonKind
    words: str


def reasons_for_leaving(new: Snapshot, model: str, corrections: Iterable[Correction]) -> tuple[Reason, ...]:
    """Why a model is on a board no longer."""
    found = [_correction(one) for one in corrections]
    card = next((one for one in new.models if one.id == model), None)
    if card is not None and card.lifecycle != "active":
        successor = next((one.name for one in new.models if one.supersedes == model), "its submission")
        by = successor if card.lifecycle == "superseded" else "its submission"
        found.append(Reason(kind="lifecycle", words=f"{card.lifecycle} by {by}"))
    return tuple(found) or (Reason(kind="unexplained", words="its submission or its number is gone"),)


def reasons_for_number(
    old: Snapshot,
    new: Snapshot,
    board: str,
    model: str,
    metric: str,
    was: CellDocument,
    now: CellDocument,
    corrections: Sequence[Correction],
) -> tuple[Reason, ...]:
    """Every identity that differs behind two numbers; "unexplained" when none does."""
    found = [_correction(one) for one in corrections if one.concerns_metric(metric)]
    if was.signature is None and now.signature is not None:
        known = {column.metric for b in old.boards if b.id == board for column in b.columns}
        words = "no number before" if metric in known else "a new metric on this board"
        found.append(Reason(kind="metric", words=words))
    elif now.signature is None:
        found.append(Reason(kind="metric", words=now.reason or "the metric left this board"))
    elif was.signature is not None:
        found += _signatures(old, new, Signature.parse(was.signature), Signature.parse(now.signature))
        found += _provenance(
            _record(old, board, model), _record(new, board, model), Signature.parse(now.signature)
        )
    return tuple(found) or (Reason(kind="unexplained", words="no recorded identity differs"),)


def _signatures(old: Snapshot, new: Snapshot, was: Signature, now: Signature) -> Iterator[Reason]:
    if was.metric != now.metric:
        yield Reason(kind="metric", words=_bump(was.metric, now.metric, new.metrics))
    before, after = _by_name(was.statistics), _by_name(now.statistics)
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            words = _bump(before.get(name, ""), after.get(name, ""), new.statistics)
            yield Reason(kind="statistic", words=words)
    if was.dataset != now.dataset:
        yield Reason(kind="dataset", words=f"{was.dataset} became {now.dataset}")
    if was.text != now.text:
        yield Reason(kind="text", words=f"text rule {was.text} became {now.text}")


def _by_name(keys: Iterable[str]) -> dict[str, str]:
    return {key.split("@")[0]: key for key in keys}


def _bump(was: str, now: str, definitions: Iterable[DefinitionDocument]) -> str:
    """ "overlap@1 became overlap@2 (2026-05-01: counts words once)", every entry in between."""
    if not was or not now:
        return f"{was or now} {'joined' if now else 'left'} the metric"
    name, _, version = now.partition("@")
    entries = [
        f"{change.date}: {change.what}"
        for one in definitions
        if one.id == name
        for change in one.changes
        if int(was.partition("@")[2]) < change.version <= int(version)
    ]
    return f"{was} became {now}" + (f" ({'; '.join(entries)})" if entries else "")


def _record(snapshot: Snapshot, board: str, model: str) -> RecordDocument | None:
    return next((r for r in snapshot.records if r.model == model and f"{r.dataset}.{r.track}" == board), None)


def _provenance(
    was: RecordDocument | None, now: RecordDocument | None, signature: Signature
) -> Iterator[Reason]:
    if was is None or now is None:
        return
    if was.digests.get("predictions") != now.digests.get("predictions"):
        yield Reason(kind="submission", words="other predictions were submitted")
    if was.digests.get("references") != now.digests.get("references"):
        yield Reason(kind="dataset", words="the references differ")
    for statistic in signature.statistics:
        if was.weights.get(statistic, "") != now.weights.get(statistic, ""):
            yield Reason(kind="weights", words=f"{statistic} was computed with other weights")
    packages = sorted(
        f"{name} {was.versions.get(name, 'absent')} → {now.versions.get(name, 'absent')}"
        for name in {*was.versions, *now.versions}
        if was.versions.get(name) != now.versions.get(name)
    )
    if packages:
        yield Reason(kind="packages", words=", ".join(packages))


def _correction(one: Correction) -> Reason:
    return Reason(kind="correction", words=f"{one.date}: {one.what} ({one.reason})")
