"""What `submission.yaml` holds: the model's card. The schema types every scalar itself, so nothing is guessed."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from scorer.guard.links import paper_url
from scorer.store import digest
from scorer.submission.fields import (
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
    "Author",
    "Inputs",
    "Licence",
    "Links",
    "Part",
    "PredictionSource",
    "Submission",
    "TrainingData",
    "submission_schema",
]

CARD_NAME = "submission.yaml"


class Part(BaseModel):
    """A strict, frozen mapping: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Author(Part):
    """A person; a bare name is short for `name: …`."""

    name: Institution
    orcid: Orcid | None = None


class Links(Part):
    """Where to read about the model and get it. `paper` is `arXiv:…` or `doi:…`, whichever way it was written."""

    paper: Paper | None = None
    code: Link | None = None
    weights: Link | None = None
    project: Link | None = None

    @property
    def paper_url(self) -> str:
        """The https link of the paper; "" when there is none."""
        return paper_url(self.paper) if self.paper else ""


class Licence(Part):
    """Licences, as SPDX ids or in words."""

    code: Line | None = None
    weights: Line | None = None


class TrainingData(Part):
    """What the model has seen: the id of a dataset this board knows, or anything else as `other: …`."""

    dataset: Line | None = None
    other: Line | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.dataset is None) == (self.other is None):
            raise fault("one-of", "needs a dataset id or `other: text`, one of the two")
        return self


class Inputs(Part):
    """What the model looks at for one report."""

    images: Literal["single", "multiple"] | None = None
    prior_studies: Flag | None = None
    indication: Flag | None = None
    other: Line | None = None


class PredictionSource(Part):
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
            raise fault(
                "no-digest", "`url` and `sha256` go together", "`rexrank check` prints the sha256 of a file"
            )
        return self


_Authors = Annotated[Author, BeforeValidator(shorthand("name"), json_schema_input_type=str | Author)]
_Training = Annotated[
    TrainingData, BeforeValidator(shorthand("dataset"), json_schema_input_type=str | TrainingData)
]
_Source = Annotated[
    PredictionSource, BeforeValidator(shorthand("file"), json_schema_input_type=str | PredictionSource)
]
_AsTuple = BeforeValidator(as_tuple)


class Submission(Part):
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
        return digest(
            json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False).encode("utf-8")
        )


def submission_schema() -> dict[str, Any]:
    """JSON Schema of `submission.yaml`, for editors and for the form on the site."""
    schema = Submission.model_json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": CARD_NAME, **schema}
