"""A submission: who made the model, how, and where its predictions are. One folder, one `submission.yaml`."""

from __future__ import annotations

from scorer.submission.card import (
    CARD_NAME,
    Author,
    Inputs,
    Licence,
    Links,
    PredictionSource,
    Submission,
    TrainingData,
    submission_schema,
)
from scorer.submission.fields import PLACEHOLDER
from scorer.submission.reading import PREDICTION_ENDINGS, known_datasets, parse_submission, read_submission

__all__ = [
    "CARD_NAME",
    "PLACEHOLDER",
    "PREDICTION_ENDINGS",
    "Author",
    "Inputs",
    "Licence",
    "Links",
    "PredictionSource",
    "Submission",
    "TrainingData",
    "known_datasets",
    "parse_submission",
    "read_submission",
    "submission_schema",
]
