"""Signals: what is odd about a model's predictions, as sentences with their figures.

Rules read a record's text figures and estimates, the model's card and its ranks. Thresholds are configuration
(`scorer/signals.yaml`, replaced key by key by `signals.yaml` of the results folder).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from statistics import median

import yaml

from scorer.board import Signal
from scorer.errors import InputError, Problem, printable
from scorer.figures import COPIED_WORDS
from scorer.types import Record

__all__ = ["overlap_signal", "reward_signal", "text_signals", "thresholds"]


def thresholds(results_root: Path | None = None) -> Mapping[str, float]:
    """The thresholds in force.

    Raises:
        InputError: the results folder's file holds an unknown key or something that is not a number.
    """
    values: dict[str, float] = yaml.safe_load(
        resources.files("scorer").joinpath("signals.yaml").read_text("utf-8")
    )
    path = None if results_root is None else results_root / "signals.yaml"
    if path is None or not path.is_file():
        return values
    own = yaml.safe_load(path.read_text("utf-8")) or {}
    wrong = [
        Problem(
            path=str(path),
            field=printable(str(key)),
            code="bad-threshold",
            message="not a threshold" if key not in values else "not a number",
            hint=f"known: {', '.join(values)}",
        )
        for key, value in own.items()
        if key not in values or isinstance(value, bool) or not isinstance(value, int | float)
    ]
    if wrong:
        raise InputError(wrong)
    return {**values, **own}


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def text_signals(record: Record, limits: Mapping[str, float]) -> tuple[Signal, ...]:
    """Signals that one record shows by itself; nothing for a record without text figures."""
    figures, n = record.figures, record.n
    found: list[Signal] = []

    def say(id: str, value: float, threshold: str, sentence: str, **evidence: str) -> None:
        found.append(
            Signal(id=id, sentence=sentence, value=value, threshold=limits[threshold], evidence=evidence)
        )

    if n and record.n_empty / n > limits["empty_share"]:
        share = record.n_empty / n
        say(
            "empty",
            share,
            "empty_share",
            f"{record.n_empty} of {n} predictions are empty ({_percent(share)}).",
        )
    ratio = record.estimate("length_ratio")
    if ratio is not None and not limits["length_ratio_low"] <= ratio.value <= limits["length_ratio_high"]:
        short = ratio.value < limits["length_ratio_low"]
        say(
            "length",
            ratio.value,
            "length_ratio_low" if short else "length_ratio_high",
            f"Predictions hold {ratio.value:.2f} words for each word of the references.",
        )
    if not figures or not n:
        return tuple(found)
    distinct, expected = figures["distinct_predictions"], figures["distinct_references"]
    if distinct / max(1.0, expected) < limits["distinct_ratio"]:
        say(
            "few-distinct",
            distinct / max(1.0, expected),
            "distinct_ratio",
            f"{distinct:.0f} distinct {'report' if distinct == 1 else 'reports'} of {n} ({_percent(distinct / n)});"
            f" the references hold {expected:.0f}.",
        )
    repeated, usual = figures["most_repeated"] / n, figures["most_repeated_reference"] / n
    if repeated - usual > limits["most_repeated_share"]:
        say(
            "repeated",
            repeated,
            "most_repeated_share",
            f"One report stands for {figures['most_repeated']:.0f} of {n} studies ({_percent(repeated)});"
            f" the most frequent reference stands for {figures['most_repeated_reference']:.0f}.",
        )
    own = figures["own_reference"] / n
    if own > limits["own_reference_share"]:
        say(
            "own-reference",
            own,
            "own_reference_share",
            f"{figures['own_reference']:.0f} of {n} predictions ({_percent(own)})"
            " are identical to their own study's reference.",
        )
    long = figures["long_predictions"]
    for name, threshold, whose in (
        ("any_reference", "any_reference_share", "some reference of this split"),
        ("training_report", "training_share", "some report of the training split"),
    ):
        if long and figures.get(name, 0.0) / long > limits[threshold]:
            share = figures[name] / long
            say(
                name.replace("_", "-"),
                share,
                threshold,
                f"{figures[name]:.0f} of the {long:.0f} predictions of at least {COPIED_WORDS} words"
                f" ({_percent(share)}) are identical to {whose}.",
            )
    return tuple(found)


def overlap_signal(n: int, shared: Mapping[str, int], limits: Mapping[str, float]) -> tuple[Signal, ...]:
    """The submissions with which a model shares predictions, study by study.

    Args:
        n: studies. shared: other model -> studies with the identical, non-empty prediction.
    """
    return tuple(
        Signal(
            id="overlap",
            sentence=f"{count} of {n} predictions ({_percent(count / n)}) are identical to those of {other}.",
            value=count / n,
            threshold=limits["overlap_share"],
            evidence={"model": other},
        )
        for other, count in sorted(shared.items())
        if n and count / n > limits["overlap_share"]
    )


def reward_signal(
    ranks: Mapping[str, int], rewards: Sequence[str], limits: Mapping[str, float]
) -> tuple[Signal, ...]:
    """The gap between ranks on metrics used as a training reward and ranks on the others.

    Args:
        ranks: metric id -> rank on this board. rewards: metric ids that the card names as rewards.
    """
    trained = {metric: rank for metric, rank in ranks.items() if metric in rewards}
    others = {metric: rank for metric, rank in ranks.items() if metric not in rewards}
    if not trained or not others:
        return ()
    gap = median(others.values()) - median(trained.values())
    if gap < limits["reward_gap"]:
        return ()
    return (
        Signal(
            id="reward-gap",
            sentence=f"Trained on {', '.join(sorted(trained))} as a reward: median rank {median(trained.values()):g}"
            f" there and {median(others.values()):g} on the other metrics.",
            value=gap,
            threshold=limits["reward_gap"],
            evidence={metric: f"rank {rank}" for metric, rank in sorted(ranks.items())},
        ),
    )
