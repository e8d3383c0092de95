"""One model's report on one study beside the reference: marked words, values, labels and entities that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.encoding.chexbert import CLASSES, LABELS
from scorer.text import Report, normalise
from scorer.types import MetricSpec, Study
from site_builder.cases import Cases, Reports, TrackNumbers
from site_builder.worddiff import Piece, word_diff
from site_builder.wording import number
from site_builder.world import World

__all__ = ["Compared", "Told", "decimals_of", "differs", "reference_pieces", "told"]

_SECTIONS = ("findings", "impression")
_UNCERTAIN_AS_POSITIVE = {CLASSES.index("positive"), CLASSES.index("uncertain")}
_CLASS_WORDS = ("not mentioned", "positive", "negative", "uncertain")
_ENTITY_WORDS = {"OBS-DP": "present", "OBS-DA": "absent", "OBS-U": "uncertain", "ANAT-DP": "anatomy"}


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One section of the reference beside the same section of a report, in pieces; () where it is absent.

    Attributes:
        is_same: both have it, with the same words. n_cut: characters that are not shown, of each.
    """

    section: str
    first: Sequence[Piece]
    second: Sequence[Piece]
    is_same: bool
    n_cut: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Told:
    """One model's report on one study.

    Attributes:
        state: "missing" (nothing for this study), "empty", "same" (as the reference) or "".
        value: by the ordering metric. cells: row of the table of values. Both "" where there is none.
        labels: (label, of the reference, of the prediction) where they differ; None without that statistic.
        counts: RadGraph entities that match, only in the prediction, only in the reference; None without it.
        entities: (heading, (words, kind)) of the same, where this machine's cache names them.
    """

    model: str
    label: str
    href: str
    is_probe: bool
    state: str
    sections: Sequence[Compared]
    value: str
    cells: Sequence[str]
    labels: Sequence[tuple[str, str, str]] | None
    counts: tuple[int, int, int] | None
    entities: Sequence[tuple[str, Sequence[tuple[str, str]]]]


def decimals_of(cases: Cases, spec: MetricSpec) -> int:
    """Digits shown of a metric of this dataset."""
    given = cases.card.decimals
    return spec.decimals if given is None else min(spec.decimals, given)


def told(
    world: World,
    cases: Cases,
    reports: Reports,
    study: Study,
    metric: MetricSpec | None,
    columns: Sequence[tuple[TrackNumbers, MetricSpec]],
) -> Told:
    """Everything about one report. metric: the ordering one, whose first column is the first track's."""
    model, track = world.model(reports.model), cases.tracks[0]
    report = reports.by_study.get(study.id)
    sections = [] if report is None else list(_sections(study.reference, report))
    cells = [
        number(one.value(reports.model, one.metrics.index(spec), study.id), decimals_of(cases, spec))
        for one, spec in columns
    ]
    at = track.place.get(study.id)
    labels = track.labels.get(reports.model) if at is not None else None
    entities = track.entities.get(reports.model) if at is not None else None
    matches, ours, theirs = (int(x) for x in entities[at]) if entities is not None else (0, 0, 0)
    return Told(
        model=reports.model,
        label=model.name,
        href=model.path,
        is_probe=reports.is_probe,
        state=_state(report, sections),
        sections=sections,
        value=next((text for text, (_, spec) in zip(cells, columns, strict=True) if spec == metric), ""),
        cells=cells,
        labels=None if labels is None else list(_label_words(labels[at])),
        counts=None if entities is None else (matches, ours - matches, theirs - matches),
        entities=()
        if entities is None
        else _entity_words(track, reports.model, at or 0, (matches, ours, theirs)),
    )


def _state(report: Report | None, sections: Sequence[Compared]) -> str:
    if report is None:
        return "missing"
    if not any(one.second for one in sections):
        return "empty"
    return "same" if all(one.is_same for one in sections) else ""


def _sections(reference: Report, report: Report) -> Iterator[Compared]:
    """Sections that one of them has; nothing is marked where the other has none."""
    for section in _SECTIONS:
        theirs, ours = normalise(getattr(reference, section)), normalise(getattr(report, section))
        pair = word_diff(theirs, ours) if theirs and ours else None
        if theirs or ours:
            yield Compared(
                section=section,
                first=pair.first if pair else _plain(theirs)[0],
                second=pair.second if pair else _plain(ours)[0],
                is_same=pair is not None and pair.is_same,
                n_cut=pair.n_cut if pair else (_plain(theirs)[1], _plain(ours)[1]),
            )


def _plain(text: str) -> tuple[Sequence[Piece], int]:
    """A text without marks, and the characters that are not shown."""
    same = word_diff(text, text)
    return same.first, same.n_cut[0]


def reference_pieces(report: Report) -> Iterator[tuple[str, Sequence[Piece], int]]:
    """(section, pieces without marks, characters that are not shown) of the sections that are there."""
    for section in _SECTIONS:
        pieces, n_cut = _plain(getattr(report, section))
        if pieces:
            yield section, pieces, n_cut


def differs(labels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(..., 14) whether one side is positive and the other is not, uncertain counting as positive."""
    is_positive = np.isin(labels, sorted(_UNCERTAIN_AS_POSITIVE))
    return np.asarray(is_positive[..., 0, :] != is_positive[..., 1, :])


def _label_words(labels: NDArray[np.int64]) -> Iterator[tuple[str, str, str]]:
    """(label, of the reference, of the prediction) of labels that differ."""
    ours, theirs = labels
    for i in np.flatnonzero(differs(labels)):
        yield LABELS[i], _CLASS_WORDS[theirs[i]], _CLASS_WORDS[ours[i]]


def _entity_words(
    track: TrackNumbers, model: str, at: int, counts: tuple[int, int, int]
) -> Sequence[tuple[str, Sequence[tuple[str, str]]]]:
    """Entities in words, if both graphs are known and are those that were counted."""
    sides = []
    for text in (track.texts[model][at], track.references[at]):
        graph = track.graphs.get(text) if text else ()
        if graph is None:
            return ()
        sides.append({(one.tokens, one.label) for one in graph})
    ours, theirs = sides
    if (len(ours & theirs), len(ours), len(theirs)) != counts:
        return ()
    groups: Mapping[str, set[tuple[str, str]]] = {
        "matched": ours & theirs,
        "missing here": theirs - ours,
        "added here": ours - theirs,
    }
    return tuple(
        (heading, [(tokens, _ENTITY_WORDS.get(label, label)) for tokens, label in sorted(found)])
        for heading, found in groups.items()
        if found
    )
