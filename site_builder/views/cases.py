"""The case explorer: a dataset's studies by disagreement, and on a page each the reference beside every report."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scorer.guard import check_slug
from scorer.text import Report, normalise
from scorer.types import MetricSpec, Study
from site_builder.cases import Cases, Reports, TrackNumbers
from site_builder.page import Made, Page
from site_builder.render import render
from site_builder.views.boards import board_path, board_title, few_of
from site_builder.views.told import decimals_of, differs, reference_pieces, told
from site_builder.wording import listed, number
from site_builder.world import World, track_label

__all__ = ["cases_path", "has_cases", "make"]

EXCERPT = 90
"""Characters of a reference in the list."""


def cases_path(dataset: str) -> str:
    """The address of a dataset's cases below the site's root."""
    return f"datasets/{dataset}/cases/"


def has_cases(world: World, dataset: str, model: str = "") -> bool:
    """Whether the dataset has cases, and the model's reports are among them."""
    cases = world.cases(dataset)
    return cases is not None and (not model or any(one.model == model for one in cases.reports))


def slug(study: str) -> str:
    """A study's page name: its id where that is a safe file name, else a name made from its digest."""
    plain = study.lower().replace("_", "-")
    if check_slug(plain) is None and plain not in {"index", "readme"} and study.isascii():
        return study
    return f"study-{hashlib.sha256(study.encode('utf-8')).hexdigest()[:16]}"


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """How far the models are apart on one study.

    Attributes:
        values: by model, in the order shown; None where a model has none.
        spread: best minus worst, never negative; None with fewer than two values. median: over the models.
        labels: mean number of CheXbert labels in which a model differs from the reference; None without them.
    """

    study: Study
    values: Sequence[float | None]
    spread: float | None
    median: float | None
    labels: float | None


def make(world: World) -> Iterator[Made]:
    """For every dataset whose texts are shown: the list of its studies, and a page for each."""
    for dataset in world.datasets:
        cases = world.cases(dataset)
        if cases is not None:
            yield from _dataset(world, cases)


def _dataset(world: World, cases: Cases) -> Iterator[Made]:
    track = cases.tracks[0]
    metric = _ordering(track)
    ordered = _ordered(cases, track, metric)
    path = cases_path(cases.card.id)
    labels = [world.model(one.model).name for one in cases.models]
    decimals = decimals_of(cases, metric) if metric else 0
    shared = {
        "cases": cases,
        "path": path,
        "metric": metric,
        "models": labels,
        "board": (board_title(world, track.board), board_path(track.board.dataset, track.board.track)),
        "has_labels": bool(track.labels),
        "notes": _notes(track),
    }
    yield Page(
        path=path,
        title=f"Cases of {cases.card.name}",
        description=f"{cases.card.name}: references and the reports of {listed(labels, most=3)} side by side, "
        "by disagreement.",
        date=track.board.date,
        find=f"{cases.card.name} cases",
        html=render(
            "cases.html",
            "../../../",
            **shared,
            absent=[(world.model(model).name, why) for model, why in cases.absent],
            few=few_of(len(ordered)),
            rows=[
                {
                    "id": one.study.id,
                    "slug": slug(one.study.id),
                    "excerpt": (excerpt := _excerpt(one.study.reference)),
                    "whole": _rest(one.study.reference, excerpt),
                    "values": [number(value, decimals) for value in one.values],
                    "spread": number(one.spread, decimals),
                    "median": number(one.median, decimals),
                    "labels": number(one.labels, 1),
                }
                for one in ordered
            ],
        ),
    )
    by_board = _by_board(cases)
    for i, one in enumerate(ordered):
        counted = [t for t in cases.tracks if one.study.id in t.place]
        columns = [(t, spec) for t in counted for spec in t.metrics]
        yield Page(
            path=f"{path}{slug(one.study.id)}/",
            title=f"Study {one.study.id}, {cases.card.name}",
            description=f"One study of {cases.card.name}: the reference beside {len(labels)} models' reports.",
            date=track.board.date,
            meta={"robots": "noindex"},  # reports of a test set are no reading matter for crawlers
            html=render(
                "case.html",
                "../../../../",
                **shared,
                study=one.study,
                place=i + 1,
                of=len(ordered),
                spread=number(one.spread, decimals),
                n_ends=sum(value is not None for value in one.values),
                ends=_ends(one, labels, metric, decimals),
                reference=list(reference_pieces(one.study.reference)),
                facts=_facts(cases, one.study),
                columns=[spec for _, spec in columns],
                groups=[(track_label(t.board.track), len(t.metrics)) for t in counted if t.metrics],
                is_scored=metric is not None,
                told=[told(world, cases, reports, one.study, metric, columns) for reports in by_board],
                before=slug(ordered[i - 1].study.id) if i else "",
                after=slug(ordered[i + 1].study.id) if i + 1 < len(ordered) else "",
            ),
        )


def _ordering(track: TrackNumbers) -> MetricSpec | None:
    """The board's own ordering metric where it has a value per study, else the first that has."""
    return next((spec for spec in track.metrics if spec.id == track.board.order), None) or next(
        iter(track.metrics), None
    )


def _ordered(cases: Cases, track: TrackNumbers, metric: MetricSpec | None) -> list[Disagreement]:
    """Studies by spread, largest first, then by the median, worst first, then by id; without values last."""
    place = track.metrics.index(metric) if metric else 0
    wrong = {model: differs(labels).sum(axis=-1) for model, labels in track.labels.items()}
    found = []
    for study in cases.studies:
        values = [track.value(one.model, place, study.id) if metric else None for one in cases.models]
        known = [value for value in values if value is not None]
        at = track.place.get(study.id)
        counts = [
            float(wrong[one.model][at]) for one in cases.models if one.model in wrong and at is not None
        ]
        found.append(
            Disagreement(
                study=study,
                values=values,
                spread=max(known) - min(known) if len(known) > 1 else None,
                median=float(np.median(known)) if known else None,
                labels=float(np.mean(counts)) if counts else None,
            )
        )
    sign = -1.0 if metric and metric.better == "lower" else 1.0

    def key(one: Disagreement) -> tuple[bool, float, float, str]:
        return one.median is None, -(one.spread or 0.0), sign * (one.median or 0.0), one.study.id

    return sorted(found, key=key)


def _ends(one: Disagreement, labels: Sequence[str], metric: MetricSpec | None, decimals: int) -> str:
    """`0.120 (Model A) to 0.830 (Model B)`, worst first; "" with fewer than two values."""
    known = [(value, label) for value, label in zip(one.values, labels, strict=True) if value is not None]
    if metric is None or len(known) < 2:
        return ""
    known.sort(key=lambda pair: pair[0], reverse=metric.better == "lower")
    (worst, last), (best, first) = known[0], known[-1]
    return f"{number(worst, decimals)} ({last}) to {number(best, decimals)} ({first})"


def _notes(track: TrackNumbers) -> list[str]:
    """What the labels and entities on the pages are, or that there are none."""
    text = f"on the text that the {track_label(track.board.track)} board scores"
    return [
        f"Labels are CheXbert's {text}, uncertain as positive."
        if track.labels
        else "Label disagreements are unavailable: CheXbert is not scored here.",
        f"Entities are RadGraph's {text}."
        if track.entities
        else "Graph entities are unavailable: RadGraph is not scored here.",
    ]


def _excerpt(report: Report) -> str:
    """What the reference says in the end, cut at a blank."""
    text = normalise(report.impression) or normalise(report.findings)
    return text if len(text) <= EXCERPT else text[:EXCERPT].rpartition(" ")[0] + " …"


def _rest(report: Report, excerpt: str) -> str:
    """The reference's words when the excerpt lacks some, so that a search finds them; else ""."""
    whole = " ".join(filter(None, (normalise(report.findings), normalise(report.impression))))
    return "" if whole == excerpt else whole


def _facts(cases: Cases, study: Study) -> list[tuple[str, str]]:
    pairs = [("Indication", normalise(study.indication))]
    pairs += [(label, study.attributes.get(key, "")) for key, label in cases.card.attributes.items()]
    return [(label, words) for label, words in pairs if words]


def _by_board(cases: Cases) -> list[Reports]:
    """Models and probes in the order of the first board, then models of other boards."""
    place = {row.model: i for i, row in enumerate(cases.tracks[0].board.rows)}
    return sorted(cases.reports, key=lambda one: place.get(one.model, len(place)))
