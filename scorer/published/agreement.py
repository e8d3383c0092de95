"""Whether metrics order published models alike, and whether datasets do: matrices with intervals over models."""

from __future__ import annotations

from collections.abc import Mapping

from scorer.inference.agreement import Agreement, AgreementColumn, Coefficient, agreement_matrix
from scorer.inference.resampling import RESAMPLES, SEED
from scorer.published.metrics import METRICS, metric
from scorer.published.standing import board_values
from scorer.published.types import Edition

__all__ = ["agreement_of_datasets", "agreement_of_metrics"]


def agreement_of_metrics(
    edition: Edition,
    dataset: str,
    track: str,
    coefficient: Coefficient = "spearman",
    *,
    split: str = "",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[tuple[str, str], Agreement]:
    """Agreement of every two ranked metrics of one board over its models, in column order.

    Every metric is turned so that good models agree at +1. RadCliQ-v1 is read from its reciprocal where only
    that was published. RadCliQ is a sum of BERTScore, SembScore and RadGraph: it agrees with them by making.
    """
    board = board_values(edition, dataset, track, split)
    columns = {
        entry.id: AgreementColumn(values=[row.get(entry.id) for row in board.values()], better=entry.better)
        for entry in METRICS
        if entry.is_ranked and any(entry.id in row for row in board.values())
    }
    return agreement_matrix(columns, coefficient, resamples=resamples, seed=seed)


def agreement_of_datasets(
    edition: Edition,
    track: str,
    id: str,
    coefficient: Coefficient = "spearman",
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[tuple[str, str], Agreement]:
    """Agreement of every two datasets on one metric, over the models that both hold.

    Raises:
        KeyError: no published column has that id.
    """
    better = metric(id).better
    boards: Mapping[str, dict[str, dict[str, float]]] = {
        dataset: board_values(edition, dataset, track)
        for dataset in dict.fromkeys(row.dataset for row in edition.rows if row.track == track)
    }
    models = list(dict.fromkeys(model for board in boards.values() for model in board))
    columns = {
        dataset: AgreementColumn(values=[board.get(model, {}).get(id) for model in models], better=better)
        for dataset, board in boards.items()
        if any(id in row for row in board.values())
    }
    return agreement_matrix(columns, coefficient, resamples=resamples, seed=seed)
