"""Reads a submission: its card, and which prediction files lie beside it.

All problems are collected, each with its line, its field and how to fix it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from scorer.errors import printable
from scorer.guard import Card, Problems, limits, nearest, read_bytes, read_card
from scorer.submission.card import (
    CARD_NAME,
    Author,
    Inputs,
    Licence,
    Links,
    Part,
    PredictionSource,
    Submission,
    TrainingData,
)
from scorer.submission.fields import PLACEHOLDER

__all__ = ["PREDICTION_ENDINGS", "known_datasets", "parse_submission", "read_submission"]

PREDICTION_ENDINGS = (".jsonl", ".jsonl.gz")
NO_CARD = "`rexrank new MODEL` writes one"
_PARTS: Mapping[str, type[Part]] = {
    "links": Links,
    "licence": Licence,
    "inputs": Inputs,
    "authors": Author,
    "training_data": TrainingData,
    "predictions": PredictionSource,
}
_COMPUTED = re.compile(
    r"(rank|score|metric|result|bleu|rouge|bert_?score|rad_?graph|rad_?cliq|semb|chexbert|green|crimson|rate_?score)"
)


def read_submission(folder: Path) -> Submission:
    """Reads a submission folder: its card, and which prediction files lie in it (they are not opened).

    Raises:
        InputError: with every problem, its line and how to fix it.
    """
    problems = Problems()
    path = str(folder / CARD_NAME)
    data = read_bytes(folder / CARD_NAME, path, limits.CARD_BYTES, problems, NO_CARD)
    names = sorted(file.name for file in (folder / "predictions").glob("*") if not file.name.startswith("."))
    home = folder.resolve()
    known = known_datasets(home.parent.parent if home.parent.name == "submissions" else None)
    submission = None if data is None else parse_submission(data, path, home.name, names, known, problems)
    problems.raise_if_any()
    assert submission is not None
    return submission


def known_datasets(results_root: Path | None = None) -> tuple[str, ...]:
    """Ids of all dataset cards in board order, those of a results folder included."""
    from scorer.datasets import cards

    return tuple(card.id for card in cards(results_root))


def parse_submission(
    data: bytes,
    path: str,
    folder: str,
    prediction_files: Sequence[str],
    datasets: Collection[str],
    problems: Problems,
) -> Submission | None:
    """The same from bytes.

    Args:
        folder: the folder's name. prediction_files: names under its `predictions/`.
        datasets: ids of the datasets that this board knows.
    """
    card = read_card(data, path, problems)
    if card is None:
        return None
    before = len(problems.errors)
    files = _files(path, prediction_files, problems)
    _check_together(card, path, folder, files, problems)
    _check_datasets(card, path, files, datasets, problems)
    try:
        submission = Submission.model_validate(card.value)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=True):
            _add(detail, card, path, problems)
        return None
    sources = _sources(submission, card, path, files, problems)
    return submission.model_copy(update={"predictions": sources}) if len(problems.errors) == before else None


def _files(path: str, names: Sequence[str], problems: Problems) -> dict[str, PredictionSource]:
    """Prediction files by dataset: a file's place says what it is."""
    found: dict[str, PredictionSource] = {}
    for name in names:
        dataset = next(
            (name.removesuffix(end) for end in reversed(PREDICTION_ENDINGS) if name.endswith(end)), ""
        )
        where = path.removesuffix(CARD_NAME) + printable(f"predictions/{name}")
        if not dataset:
            problems.add(
                "not-predictions", "is no prediction file", path=where, hint="predictions/<dataset>.jsonl"
            )
        elif dataset in found:
            problems.add(
                "two-files", f"{found[dataset].file} is there too", path=where, hint="keep one of the two"
            )
        else:
            found[dataset] = PredictionSource(file=f"predictions/{name}")
    return found


def _check_together(
    card: Card, path: str, folder: str, files: Mapping[str, PredictionSource], problems: Problems
) -> None:
    """What fields say about each other and about the folder."""
    written = card.value
    if isinstance(identity := written.get("id"), str) and identity != folder:
        problems.add(
            "wrong-folder",
            f"{printable(identity, 64)!r} lies in the folder {printable(folder, 64)!r}",
            path=path,
            line=card.line(("id",)),
            field="id",
            hint="give the folder the name of the id",
        )
    if files or written.get("predictions"):
        hints = {"owner": "your account on the code host", "tracks": "findings, findings_impression or both"}
        for field, hint in hints.items():
            if not written.get(field):
                line = card.line((field,))
                problems.add(
                    "missing-field", "is needed for predictions", path=path, line=line, field=field, hint=hint
                )


def _check_datasets(
    card: Card,
    path: str,
    files: Mapping[str, PredictionSource],
    datasets: Collection[str],
    problems: Problems,
) -> None:
    """Dataset ids must be ids of cards; any other training data has `other: …`."""
    named: list[tuple[tuple[str | int, ...], str]] = [
        (("predictions", dataset), dataset) for dataset in files
    ]
    if isinstance(written := card.value.get("predictions"), dict):
        named += [(("predictions", dataset), dataset) for dataset in written if dataset not in files]
    if isinstance(written := card.value.get("training_data"), list):
        values = [item.get("dataset") if isinstance(item, dict) else item for item in written]
        named += [(("training_data", i), value) for i, value in enumerate(values) if isinstance(value, str)]
    for place, dataset in named:
        if dataset in datasets or PLACEHOLDER in dataset:
            continue
        near = nearest(dataset.replace(" ", "-"), datasets)
        if place[0] == "predictions" and dataset in files and files[dataset].file:
            where = path.removesuffix(CARD_NAME) + printable(files[dataset].file)
            hint = f"rename the file to predictions/{near}.jsonl" if near else f"known: {', '.join(datasets)}"
            message = f"{printable(dataset, 64)!r} is not a dataset of this board"
            problems.add("unknown-dataset", message, path=where, field="predictions", hint=hint)
            continue
        others = "" if place[0] == "predictions" else "; for any other data write `other: …`"
        problems.add(
            "unknown-dataset",
            f"{printable(dataset, 64)!r} is not a dataset of this board",
            path=path,
            line=card.line(place),
            field=str(place[0]),
            hint=(f"did you mean {near!r}" if near else f"known: {', '.join(datasets)}") + others,
        )


def _sources(
    submission: Submission, card: Card, path: str, files: Mapping[str, PredictionSource], problems: Problems
) -> dict[str, PredictionSource]:
    """The files found and the sources named in the card, merged and in order."""
    found = dict(files)
    for dataset, source in submission.predictions.items():
        line, field = card.line(("predictions", dataset)), f"predictions.{printable(dataset, 64)}"
        if source.file and (dataset not in files or files[dataset].file != source.file):
            places = " or ".join(f"predictions/{printable(dataset, 64)}{end}" for end in PREDICTION_ENDINGS)
            message = (
                f"{printable(source.file, 80)!r} is not there, or not the place of this dataset's predictions"
            )
            problems.add(
                "no-file", message, path=path, line=line, field=field, hint=f"put the file at {places}"
            )
        elif source.url and dataset in files:
            message = f"has a link and the file {files[dataset].file}"
            problems.add("two-files", message, path=path, line=line, field=field, hint="keep one of the two")
        else:
            found[dataset] = source
    return dict(sorted(found.items()))


def _add(detail: Any, card: Card, path: str, problems: Problems) -> None:
    """One pydantic error as a problem in our words."""
    place = tuple(part for part in detail["loc"] if part != "[key]")
    kind, context = str(detail["type"]), detail.get("ctx", {})
    shown = printable(str(detail["input"]), 60) if isinstance(detail["input"], str) else ""
    code, message, hint = kind, str(context.get("said", "")), str(context.get("hint", ""))
    if kind == "extra_forbidden":
        key = str(place[-1])
        fields = (_PARTS[str(place[0])] if len(place) > 1 else Submission).model_fields
        near = nearest(key, fields)
        code, message = "unknown-key", f"unknown key {printable(key, 60)!r}"
        hint = f"did you mean {near!r}?" if near else f"known keys: {', '.join(fields)}"
        if _COMPUTED.match(key.lower()):
            hint = "ranks and scores are computed here, never submitted; remove the line"
        place_line = card.line(place)
    elif kind == "missing":
        code, message, hint = "missing-field", "is missing", "`rexrank new` shows every field with an example"
        place_line = card.line(place[:-1])
    else:
        place_line = card.line(place)
        if kind == "literal_error":
            choices = str(context["expected"]).replace("'", "")
            near = nearest(shown, choices.replace(" or ", ", ").split(", "))
            code = "not-a-choice"
            what = "a track" if place[0] == "tracks" else f"one of {choices}"
            message = f"{shown!r} is not {what}" if shown else f"needs one of {choices}"
            hint = f"did you mean {near!r}?" if near else f"choose {choices}"
        elif kind in {"model_type", "dict_type"}:
            code, message, hint = (
                "wrong-type",
                "a mapping is expected",
                "write `key: value` lines under it, indented",
            )
        elif not message:
            code, message = "wrong-type", printable(str(detail["msg"]))
    field = printable(".".join(str(part) for part in place if not isinstance(part, int)))
    problems.add(code, message, path=path, line=place_line, field=field, hint=hint)
