"""Predictions and references become a `Run`, complete or not at all."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping

from scorer.datasets.base import Card
from scorer.errors import InputError, Problem, printable
from scorer.text import TEXT_RULE, Report, Track, compose, counts_in_track
from scorer.types import Run, Study

__all__ = ["id_problems", "pair_studies"]

_SHOWN = 5


def pair_studies(
    submission_id: str,
    card: Card,
    track: Track,
    predictions: Mapping[str, Report],
    studies: Iterable[Study],
    rule: str = TEXT_RULE,
) -> Run:
    """Pairs every study that counts in the track with its prediction, in ascending order of study id.

    A study counts when its reference has all sections of the track; predictions for the other studies of the
    split are allowed and not looked at. The whole reference is used, whatever the prediction's length.

    Raises:
        InputError: a counted study has no prediction, a prediction has no study, or a study stands twice.
            Ids are named only where the dataset is open; elsewhere the counts alone are said.
    """
    ordered = sorted(studies, key=lambda study: study.id)
    ids = [study.id for study in ordered]
    counted = [study for study in ordered if counts_in_track(study.reference, track, rule)]
    problems = list(id_problems(card, predictions, [study.id for study in counted], ids))
    if twice := sorted({a for a, b in itertools.pairwise(ids) if a == b}):
        message = f"{card.id}: {_named(twice, card)} more than one reference"
        problems.append(
            Problem(code="duplicate-reference", message=message, hint="one reference report a study")
        )
    if not counted:
        message = f"{card.id}: no study counts in the track {track}"
        problems.append(Problem(code="empty-track", message=message))
    if problems:
        raise InputError(problems)
    patients = tuple(study.patient or study.id for study in counted)
    return Run(
        model=submission_id,
        dataset=card.id,
        track=track,
        study_ids=tuple(study.id for study in counted),
        predictions=tuple(compose(predictions[study.id], track, rule) for study in counted),
        references=tuple(compose(study.reference, track, rule) for study in counted),
        patients=patients if any(study.patient for study in counted) else None,
    )


def id_problems(
    card: Card, predicted: Collection[str], needed: Collection[str], known: Collection[str], path: str = ""
) -> Iterable[Problem]:
    """What is wrong with a set of predicted study ids: missing ones and ones that the split does not have."""
    both = f"{len(known):,} references but {len(predicted):,} predictions"
    if missing := sorted(set(needed).difference(predicted)):
        yield Problem(
            path=path,
            code="missing-studies",
            message=f"{both}: {_named(missing, card)} no prediction",
            hint='add them; an empty prediction is written "findings": ""',
        )
    if extra := sorted(set(predicted).difference(known)):
        yield Problem(
            path=path,
            code="unknown-studies",
            message=f"{both}: {_named(extra, card)} no place in {card.id} {card.split}",
            hint="remove them, and check that the right split was predicted",
        )


def _named(ids: list[str], card: Card) -> str:
    """ "2 studies (a, b) have" where ids may be public, "2 studies have" where not."""
    said = "1 study" if len(ids) == 1 else f"{len(ids):,} studies"
    if card.is_public:
        shown = ", ".join(printable(study_id, 60) for study_id in ids[:_SHOWN])
        said += f" ({shown}{', …' if len(ids) > _SHOWN else ''})"
    return f"{said} {'has' if len(ids) == 1 else 'have'}"
