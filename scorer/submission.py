"""A submission: who made the model, how, and where its predictions are. One folder, one `submission.yaml`.

The guard leaves every scalar as written and the schema types it, so nothing is guessed. All problems are
collected, each with its line, its field and how to fix it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from scorer.errors import printable
from scorer.guard import Card, Problems, limits, nearest, read_bytes, read_card
from scorer.guard.links import paper_url
from scorer.store import digest
from scorer.submission_fields import (
    Account,
    Date,
    Digest,
    Flag,
    Institution,
    Line,
    Link,
    MetricId,
    Name,
    Note,
    Orcid,
    Paper,
    Parameters,
    Slug,
    Version,
    as_tuple,
    fault,
    shorthand,
)
from scorer.text import Track

__all__ = [
    "CARD_NAME",
    "PREDICTION_ENDINGS",
    "Author",
    "Inputs",
    "Licence",
    "Links",
    "PredictionSource",
    "Submission",
    "TrainingData",
    "parse_submission",
    "read_submission",
    "submission_schema",
]

CARD_NAME = "submission.yaml"
PREDICTION_ENDINGS = (".jsonl", ".jsonl.gz")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Author(_Part):
    """A person; a bare name is short for `name: …`."""

    name: Institution
    orcid: Orcid | None = None


class Links(_Part):
    """Where to read about the model and get it. `paper` is `arXiv:…` or `doi:…`, whichever way it was written."""

    paper: Paper | None = None
    code: Link | None = None
    weights: Link | None = None
    project: Link | None = None

    @property
    def paper_url(self) -> str:
        """The https link of the paper; "" when there is none."""
        return paper_url(self.paper) if self.paper else ""


class Licence(_Part):
    """Licences, as SPDX ids or in words."""

    code: Line | None = None
    weights: Line | None = None


class TrainingData(_Part):
    """What the model has seen: the id of a dataset this board knows, or anything else as `other: …`."""

    dataset: Slug | None = None
    other: Line | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.dataset is None) == (self.other is None):
            raise fault("one-of", "needs a dataset id or `other: text`, one of the two")
        return self


class Inputs(_Part):
    """What the model looks at for one report."""

    images: Literal["single", "multiple"] | None = None
    prior_studies: Flag | None = None
    indication: Flag | None = None
    other: Line | None = None


class PredictionSource(_Part):
    """Where the predictions for one dataset are: a file of the folder, or a link with its digest.

    Attributes:
        file: `predictions/<dataset>.jsonl` or `.jsonl.gz`, relative to the folder; "" when remote.
        url: https link; "" when local.
        sha256: digest of the canonical predictions behind the link (`predictions_digest`); "" when local.
    """

    file: Line = ""
    url: Link = ""
    sha256: Digest = ""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if bool(self.file) == bool(self.url):
            raise fault("one-of", "needs a file, or `url` with `sha256`")
        if bool(self.url) != bool(self.sha256):
            raise fault("no-digest", "`url` and `sha256` go together", "`rexrank check` prints the sha256 of a file")
        return self


_Authors = Annotated[Author, BeforeValidator(shorthand("name"), json_schema_input_type=str | Author)]
_Training = Annotated[TrainingData, BeforeValidator(shorthand("dataset"), json_schema_input_type=str | TrainingData)]
_Source = Annotated[PredictionSource, BeforeValidator(shorthand("file"), json_schema_input_type=str | PredictionSource)]
_AsTuple = BeforeValidator(as_tuple)


class Submission(_Part):
    """A model's card and where its predictions are; what `submission.yaml` and the folder beside it say.

    Attributes:
        id: folder name. owner: account that may change the folder; needed as soon as there are predictions.
        parameters: a count. weights_access: whether readers can get the weights.
        reward_metrics: metrics used as a training signal. supersedes: id of the submission this one replaces.
        predictions: by dataset id; local files are found by their place and need not be listed.
    """

    id: Slug
    name: Name
    version: Version = "1"
    institutions: Annotated[tuple[Institution, ...], _AsTuple] = ()
    authors: Annotated[tuple[_Authors, ...], _AsTuple] = ()
    owner: Account | None = None
    date: Date | None = None
    links: Links = Links()
    licence: Licence = Licence()
    weights_access: Literal["open", "on-request", "closed"] | None = None
    base_architecture: Line | None = None
    parameters: Parameters | None = None
    training_data: Annotated[tuple[_Training, ...], _AsTuple] = ()
    inputs: Inputs = Inputs()
    decoding: Line | None = None
    reward_metrics: Annotated[tuple[MetricId, ...], _AsTuple] = ()
    tracks: Annotated[tuple[Track, ...], _AsTuple] = ()
    lifecycle: Literal["active", "superseded", "withdrawn"] = "active"
    supersedes: Slug | None = None
    predictions: Annotated[dict[str, _Source], Field(default_factory=dict)]
    notes: Note | None = None

    @property
    def digest(self) -> str:
        """sha256 of the card's content; comments, order and quoting do not count."""
        return digest(json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False).encode("utf-8"))


_PARTS: Mapping[str, type[_Part]] = {
    "links": Links,
    "licence": Licence,
    "inputs": Inputs,
    "authors": Author,
    "training_data": TrainingData,
    "predictions": PredictionSource,
}
_COMPUTED = frozenset({"rank", "ranks", "score", "scores", "metrics", "results", "bleu"})


def submission_schema() -> dict[str, Any]:
    """JSON Schema of `submission.yaml`, for editors and for the form on the site."""
    schema = Submission.model_json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": CARD_NAME, **schema}


def read_submission(folder: Path) -> Submission:
    """Reads a submission folder: its card, and which prediction files lie in it (they are not opened).

    Raises:
        InputError: with every problem, its line and how to fix it.
    """
    problems = Problems()
    path = str(folder / CARD_NAME)
    data = read_bytes(folder / CARD_NAME, path, limits.CARD_BYTES, problems)
    names = sorted(file.name for file in (folder / "predictions").glob("*") if not file.name.startswith("."))
    submission = None if data is None else parse_submission(data, path, folder.resolve().name, names, problems)
    problems.raise_if_any()
    assert submission is not None
    return submission


def parse_submission(
    data: bytes, path: str, folder: str, prediction_files: list[str], problems: Problems
) -> Submission | None:
    """The same from bytes: `folder` is the folder's name, `prediction_files` the names under `predictions/`."""
    card = read_card(data, path, problems)
    if card is None:
        return None
    try:
        submission = Submission.model_validate(card.value)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=True):
            _add(detail, card, path, problems)
        return None
    if submission.id != folder:
        problems.add(
            "wrong-folder",
            f"{submission.id!r} lies in the folder {printable(folder, 64)!r}",
            path=path,
            line=card.line(("id",)),
            field="id",
            hint="folder name and id are the same",
        )
    sources = _sources(submission, card, path, prediction_files, problems)
    if sources:
        for field in ("owner", "tracks"):
            if not getattr(submission, field):
                hint = "your account on the code host" if field == "owner" else "findings, findings_impression or both"
                problems.add("missing-field", "is needed for predictions", path=path, line=1, field=field, hint=hint)
    _known(submission, sources, card, path, problems)
    return None if problems.has_errors else submission.model_copy(update={"predictions": sources})


def _sources(
    submission: Submission, card: Card, path: str, names: list[str], problems: Problems
) -> dict[str, PredictionSource]:
    """The sources named in the card and the files found, merged: a file's place says its dataset."""
    found: dict[str, PredictionSource] = {}
    for name in names:
        dataset = next((name.removesuffix(end) for end in reversed(PREDICTION_ENDINGS) if name.endswith(end)), "")
        file = f"predictions/{name}"
        if not dataset:
            where = path.removesuffix(CARD_NAME) + printable(file)
            problems.add("not-predictions", "is no prediction file", path=where, hint="predictions/<dataset>.jsonl")
        elif dataset in found:
            where = path.removesuffix(CARD_NAME) + printable(file)
            problems.add("two-files", f"{found[dataset].file} is there too", path=where, hint="keep one of the two")
        else:
            found[dataset] = PredictionSource(file=file)
    for dataset, source in submission.predictions.items():
        line, field = card.line(("predictions", dataset)), f"predictions.{printable(dataset, 64)}"
        if source.file and (dataset not in found or found[dataset].file != source.file):
            places = " or ".join(f"predictions/{printable(dataset, 64)}{end}" for end in PREDICTION_ENDINGS)
            message = f"{printable(source.file, 80)!r} is not there or not the place of this dataset's predictions"
            problems.add("no-file", message, path=path, line=line, field=field, hint=f"put the file at {places}")
        elif source.url and dataset in found:
            message = f"has a link and the file {found[dataset].file}"
            problems.add("two-files", message, path=path, line=line, field=field, hint="keep one of the two")
        else:
            found[dataset] = source
    return dict(sorted(found.items()))


def _known(
    submission: Submission, sources: Mapping[str, PredictionSource], card: Card, path: str, problems: Problems
) -> None:
    """Dataset ids must be ids of cards; anything else has `other: …`."""
    from scorer.datasets import CARDS

    named = [(("training_data", i), item.dataset) for i, item in enumerate(submission.training_data) if item.dataset]
    for place, dataset in [*named, *((("predictions", dataset), dataset) for dataset in sources)]:
        if dataset in CARDS:
            continue
        near = nearest(dataset.replace(" ", "-"), CARDS)
        others = "" if place[0] == "predictions" else "; for any other data write `other: …`"
        problems.add(
            "unknown-dataset",
            f"{printable(dataset, 64)!r} is not a dataset of this board",
            path=path,
            line=card.line(place),
            field=printable(".".join(map(str, place))),
            hint=(f"did you mean {near!r}?" if near else f"known: {', '.join(CARDS)}") + others,
        )


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
        if key.lower() in _COMPUTED:
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
            message = f"{shown!r} is not one of {choices}" if shown else f"has no value of {choices}"
            hint = f"did you mean {near!r}?" if near else ""
        elif kind in {"model_type", "dict_type"}:
            code, message, hint = "wrong-type", "a mapping is expected", "write `key: value` lines under it, indented"
        elif not message:
            code, message = "wrong-type", printable(str(detail["msg"]))
    problems.add(code, message, path=path, line=place_line, field=printable(".".join(map(str, place))), hint=hint)
