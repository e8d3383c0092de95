"""Checks one submission: which files it may hold, its card, its predictions, and how they fit the dataset."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from scorer.checking.folder import Folder
from scorer.checking.neighbours import DiskOthers, Neighbour, Others, check_name_is_free, check_supersedes
from scorer.datasets import Card, cards, load
from scorer.errors import DatasetMissing, InputError, Problem, RexrankError, printable
from scorer.guard import Problems, limits
from scorer.pairing import id_problems
from scorer.predictions import parse_content, predictions_digest, unpack_predictions
from scorer.submission import CARD_NAME, PREDICTION_ENDINGS, Submission, parse_submission
from scorer.text import TRACKS, Report, Track, counts_in_track, normalise
from scorer.types import Study

__all__ = ["Checked", "Surroundings", "check_predictions", "check_submission"]

SCORE_WORDS = ("score", "record", "snapshot", "metric")
SAME_TEXT_SHARE = 0.2


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a check found besides problems.

    Attributes:
        submission: the card, or None where it cannot be read.
        predictions: reports by dataset, of the files that could be read.
        digests: `predictions_digest` by dataset. notes: what could not be checked here, in plain words.
        unchecked: datasets whose references are not on this machine.
        lines: line of each top key of the card.
    """

    path: str
    submission: Submission | None = None
    predictions: Mapping[str, Mapping[str, Report]] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)


@dataclass(kw_only=True)
class Surroundings:
    """What a submission is compared with; read once for many submissions.

    Attributes:
        results_root: further dataset cards and the other submissions; None when there are none.
        others: the other submissions, where they are not those of `results_root` on disk.
        state_dir: where references are registered; None when none may be looked at.
        bytes_left: of unpacked predictions that may still be read; None for no limit.
    """

    results_root: Path | None = None
    state_dir: Path | None = None
    others: Others | None = None
    bytes_left: int | None = None
    studies: dict[str, tuple[Study, ...] | None] = field(default_factory=dict)

    @cached_property
    def cards(self) -> dict[str, Card]:
        return {card.id: card for card in cards(self.results_root)}

    @cached_property
    def neighbours(self) -> tuple[Neighbour, ...]:
        return self.everybody_else.neighbours()

    @cached_property
    def everybody_else(self) -> Others:
        return self.others or DiskOthers(self.results_root)

    def references(self, dataset: str) -> tuple[Study, ...] | None:
        """The studies of a dataset's scored split, or None where this machine does not have them."""
        if dataset not in self.studies:
            try:
                found = load(dataset, state_dir=self.state_dir, results_root=self.results_root)
            except DatasetMissing:
                found = None
            self.studies[dataset] = found
        return self.studies[dataset]


def check_submission(folder: Folder, around: Surroundings, problems: Problems) -> Checked:
    """Checks a folder; every problem is added to `problems`."""
    names = folder.names()
    _check_names(folder, names, problems)
    card_path = f"{folder.path}/{CARD_NAME}"
    data = folder.read(CARD_NAME, limits.CARD_BYTES, problems)
    inside = [name.removeprefix("predictions/") for name in names if _dataset_of(name)]
    submission, lines = None, _lines_of(data or b"")
    if data is not None:
        submission = parse_submission(data, card_path, folder.name, inside, tuple(around.cards), problems)
    if submission is not None:
        check_name_is_free(submission, around.neighbours, card_path, lines.get("name", 0), problems)
        check_supersedes(submission, around.neighbours, card_path, lines.get("supersedes", 0), problems)
    predictions: dict[str, Mapping[str, Report]] = {}
    digests: dict[str, str] = {}
    notes: list[str] = []
    unchecked: list[str] = []
    for name in names:
        if (card := around.cards.get(_dataset_of(name))) is None:
            continue
        found = _check_file(folder, name, card, submission, around, problems)
        if found is None:
            continue
        predictions[card.id], digests[card.id] = found
        if around.references(card.id) is None:
            unchecked.append(card.id)
            notes.append(
                f"{folder.path}/{name}: study ids were not compared with the references of {card.id}, "
                f"which are not on this machine (rexrank data add {card.id} PATH)"
            )
    if submission is not None and not submission.predictions:
        notes.append(
            f"{card_path}: no predictions, so nothing will be scored; they lie at predictions/<dataset>.jsonl"
        )
    return Checked(
        path=folder.path,
        submission=submission,
        predictions=predictions,
        digests=digests,
        notes=tuple(notes),
        unchecked=tuple(unchecked),
        lines=lines,
    )


def _lines_of(data: bytes) -> dict[str, int]:
    """Line of each key that stands at the margin of a card."""
    found: dict[str, int] = {}
    for number, text in enumerate(data.split(b"\n"), start=1):
        if match := re.match(rb"[a-z_]+(?=:)", text):
            found.setdefault(match[0].decode("ascii"), number)
    return found


def _dataset_of(name: str) -> str:
    """The dataset whose predictions a file holds by its place; "" for any other file."""
    ending = next((end for end in reversed(PREDICTION_ENDINGS) if name.endswith(end)), "")
    bare = name.removeprefix("predictions/")
    return bare.removesuffix(ending) if ending and name.startswith("predictions/") and "/" not in bare else ""


def _check_names(folder: Folder, names: Iterable[str], problems: Problems) -> None:
    for name in names:
        if name == CARD_NAME or _dataset_of(name):
            continue
        code, message, hint = misplaced(name)
        problems.add(code, message, path=printable(f"{folder.path}/{name}", 300), hint=hint)


def misplaced(name: str) -> tuple[str, str, str]:
    """Why a file has no place in a submission: (code, message, hint)."""
    if any(word in name.split("/")[0].split(".")[0].lower() for word in SCORE_WORDS):
        return (
            "score-file",
            "score files are written by the scorer only",
            "leave it out: a merge starts the scoring",
        )
    hint = f"a folder holds {CARD_NAME} and predictions/<dataset>.jsonl (or .jsonl.gz)"
    return "unexpected-file", "does not belong in a submission", hint


def _check_file(
    folder: Folder,
    name: str,
    card: Card,
    submission: Submission | None,
    around: Surroundings,
    problems: Problems,
) -> tuple[dict[str, Report], str] | None:
    path = f"{folder.path}/{name}"
    if not card.is_public:
        problems.add(
            "closed-dataset",
            f"predictions for {card.id} must not lie in the repository ({card.access} access)",
            path=path,
            hint="they can repeat protected text: keep the file where your data agreement allows, and give its "
            "link and sha256 under predictions, or ask a maintainer to score it where the references are",
        )
        return None
    cap = limits.GZIP_BYTES if name.endswith(".gz") else limits.PREDICTION_BYTES
    if around.bytes_left is not None and around.bytes_left <= 0:
        whole = limits.in_mib(limits.PULL_REQUEST_BYTES)
        message = f"not read: the files before it reach the limit of a pull request ({whole})"
        problems.add("too-much", message, path=path, hint="split the pull request")
        return None
    data = folder.read(name, cap, problems)
    before = len(problems.errors)
    content = None if data is None else unpack_predictions(data, path, problems)
    if data is None or content is None:
        return None
    if around.bytes_left is not None:
        around.bytes_left -= len(content)
    refused: set[str] = set()
    reports = parse_content(content, path, problems, refused)
    if not reports:
        return None
    digest = predictions_digest(reports) if len(problems.errors) == before else ""
    tracks = submission.tracks if submission else TRACKS
    check_predictions(reports, card, tracks, around, path, problems, refused)
    model = submission.id if submission else folder.name
    if digest and (other := around.everybody_else.copied_from(model, card.id, data, digest)):
        message = f"holds the same predictions as {other!r}"
        problems.add("copied-predictions", message, path=path, hint="one entry for one set of predictions")
    return reports, digest


def check_predictions(
    reports: Mapping[str, Report],
    card: Card,
    tracks: Iterable[Track],
    around: Surroundings,
    path: str,
    problems: Problems,
    refused: Collection[str] = (),
) -> None:
    """Compares predictions with each other, and with the dataset's references where they are on this machine.

    Every study that counts in one of `tracks` needs a prediction. Those in `refused` have one whose line was
    refused already, so they are not called missing as well.
    """
    _say_repeats(reports, path, problems)
    try:
        studies = around.references(card.id)
    except InputError:
        raise
    except RexrankError as error:
        problems.add("references-unreadable", str(error), path=path)
        return
    wanted = tuple(tracks)
    if studies is None:
        problems.extend(_count_problems(reports, card, wanted, path))
        return
    needed = [study.id for study in studies if any(counts_in_track(study.reference, t) for t in wanted)]
    predicted = {*reports, *refused}
    problems.extend(id_problems(card, predicted, needed, [study.id for study in studies], path))
    if card.is_public:
        same = sum(
            1
            for study in studies
            if (given := reports.get(study.id))
            and normalise(given.findings)
            and (normalise(given.findings), normalise(given.impression))
            == (normalise(study.reference.findings), normalise(study.reference.impression))
        )
        if same > 0.5 * len(studies):
            message = f"{same:,} of {len(studies):,} predictions are word for word the reference"
            problems.add("suspicious", message, path=path, hint="a reviewer will ask", severity="warning")


def _count_problems(
    reports: Mapping[str, Report], card: Card, tracks: Iterable[Track], path: str
) -> Iterable[Problem]:
    """What the card alone tells without the references: too few predictions for a track, or too many."""
    split = card.splits[card.split]
    counts = [split.n_track[track] for track in tracks if track in split.n_track]
    least = max(counts, default=0)
    if len(reports) < least or len(reports) > split.n_studies > 0:
        yield Problem(
            path=path,
            code="wrong-count",
            message=f"{len(reports):,} predictions, but {card.id} {card.split} has {split.n_studies:,} studies",
            hint="predict each study of the split once; rexrank data add shows which are missing",
        )


def _say_repeats(reports: Mapping[str, Report], path: str, problems: Problems) -> None:
    """Warns of a set that is mostly empty or mostly one text: legal, scored, and told to the reviewer."""
    n = len(reports)
    texts = Counter((r.findings.strip(), r.impression.strip()) for r in reports.values())
    empty = texts.pop(("", ""), 0)
    if empty:
        problems.add(
            "empty-predictions",
            f"{empty:,} of {n:,} predictions are empty; each counts as the worst value",
            path=path,
            severity="warning",
        )
    if texts and n >= 20 and (most := max(texts.values())) > SAME_TEXT_SHARE * n:
        message = f"{most:,} of {n:,} predictions are one and the same text"
        problems.add("suspicious", message, path=path, hint="a reviewer will ask", severity="warning")
