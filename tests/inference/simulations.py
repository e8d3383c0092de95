"""Repeated draws from worlds with known truth: how often do intervals, p values and ranks err?

Trials of a batch share resamples, batches do not; the data are new in every trial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from scorer.inference.decisions import decide
from scorer.inference.models import MetricTerms, draw, finish_or_nan
from scorer.inference.pairs import permutation_p
from scorer.inference.ranks import naive_rank_intervals, tie_groups
from scorer.inference.resampling import interval, resampled_totals
from scorer.types import Floats
from tests.inference.worlds import Finish, composite, f1, f1_terms, joint_coverage, mean, mean_terms

PREVALENCES = (0.1, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True, kw_only=True)
class World:
    """A metric whose value in the population is known.

    Attributes:
        draw: (random numbers, n) -> terms of a new sample. truth: of the metric over the population.
    """

    draw: Callable[[np.random.Generator, int], Floats]
    finish: Finish
    truth: float
    is_per_study: bool = True


def skewed(rng: np.random.Generator, n: int) -> Floats:
    """Values as of a lexical metric: a tenth are 0, the others Beta(2, 5)."""
    return (rng.random(n) < 0.9) * rng.beta(2, 5, size=n)


def macro_f1(totals: Floats) -> Floats:
    """Mean F1 over labels; three terms a label."""
    return np.asarray(f1(totals.reshape(*totals.shape[:-1], -1, 3)).mean(axis=-1))


def composite_terms(rng: np.random.Generator, n: int) -> Floats:
    """Three values a study that share its difficulty u: means 1/2, 1/4 and 0.8 / 3."""
    u, v, w, x = rng.random((4, n))
    return np.column_stack([(u + v) / 2, u * w, (rng.random(n) < 0.8) * (u + x > 1) * x**0.5, np.ones(n)])


# P(u + x > 1 | x) = x, so the third mean is 0.8 E[x^1.5] = 0.8 / 2.5.
COMPOSITE_TRUTH = 2.45 - 1.25 / 2 - 1.65 / 4 - 0.99 * 0.8 / 2.5

WORLDS = {
    "mean": World(draw=lambda rng, n: mean_terms(skewed(rng, n)), finish=mean, truth=0.9 * 2 / 7),
    "corpus F1": World(
        draw=lambda rng, n: np.hstack([f1_terms(rng, n, p, 0.6, 0.75) for p in PREVALENCES]),
        finish=macro_f1,
        truth=2 * 0.6 * 0.75 / (0.6 + 0.75),
        is_per_study=False,
    ),
    "composite": World(draw=composite_terms, finish=composite, truth=COMPOSITE_TRUTH),
}


def interval_coverage(world: World, n: int, trials: int, *, resamples: int = 2000, batch: int = 100) -> float:
    """Share of trials whose 95 % interval holds the truth."""
    held = 0
    for number, rng in _batches(trials, batch):
        terms = np.stack([world.draw(rng, n) for _ in range(batch)])
        values = finish_or_nan(world.finish, resampled_totals(terms, resamples=resamples, seed=number))
        for row in values:
            low, high = interval(row)
            held += low is not None and high is not None and low <= world.truth <= high
    return held / trials


@dataclass(frozen=True, kw_only=True)
class ClusterFigures:
    """Intervals with and without regard to patients: mean widths and coverage."""

    width: float
    width_ignoring: float
    coverage: float
    coverage_ignoring: float


def cluster_figures(
    within: str, trials: int, *, patients: int = 250, resamples: int = 1000
) -> ClusterFigures:
    """Studies of a patient are alike ("alike"), unrelated ("unrelated") or complements ("opposed")."""
    widths: list[tuple[float, float]] = []
    held = np.zeros(2)
    for number, rng in _batches(trials, 1):
        sizes = rng.choice([2, 4, 6], size=patients)
        ids = np.repeat(np.arange(patients), sizes)
        values = rng.normal(scale=0.6, size=len(ids))
        if within == "alike":
            values += rng.normal(scale=0.8, size=patients)[ids]
        elif within == "opposed":
            values += np.where(np.arange(len(ids)) % 2, 0.8, -0.8)
        labels = [f"{i:04}" for i in ids]
        bounds = []
        for clusters in (labels, None):
            sums = resampled_totals(mean_terms(values), clusters=clusters, resamples=resamples, seed=number)
            low, high = interval(mean(sums))
            assert low is not None
            assert high is not None
            bounds.append((low, high))
        widths.append((bounds[0][1] - bounds[0][0], bounds[1][1] - bounds[1][0]))
        held += [low <= 0 <= high for low, high in bounds]
    width, ignoring = np.mean(widths, axis=0)
    return ClusterFigures(
        width=float(width),
        width_ignoring=float(ignoring),
        coverage=float(held[0] / trials),
        coverage_ignoring=float(held[1] / trials),
    )


def false_positive_rate(
    world: World, n: int, trials: int, *, by_patient: bool = False, swaps: int = 999, batch: int = 100
) -> float:
    """Share of trials in which p <= 0.05 although the two models are drawn from the same world."""
    positive = 0
    for number, rng in _batches(trials, batch):
        terms = np.stack([world.draw(rng, n) for _ in range(2 * batch)])
        clusters = None
        if by_patient:
            patient = rng.integers(0, n // 3, size=n)
            clusters = [f"{i:04}" for i in patient]
            # Each patient's prediction quality is the model's own: studies of a patient move together.
            terms[..., 0] += rng.normal(scale=0.3, size=(2 * batch, n // 3))[:, patient] * terms[..., -1]
        one = MetricTerms(terms=terms, finish=world.finish, better="higher", is_per_study=world.is_per_study)
        drawn = draw({"m": one}, clusters=clusters, resamples=swaps, seed=number)["m"]
        positive += sum(permutation_p(drawn, 2 * i, 2 * i + 1) <= 0.05 for i in range(batch))
    return positive / trials


@dataclass(frozen=True, kw_only=True)
class RankFigures:
    """Shares of trials.

    Attributes:
        joint: all rank intervals hold their true ranks. naive_joint: the same of bootstrapped ranks.
        naive_worst: how often the bootstrapped interval of the worst-served model holds its true rank.
        false_decision: some model is said to be better than one that is as good or better.
        false_group: some model stands in a group below a leader that is not better.
        top_missed: a truly best model is not among those that may be best.
        mean_width: ranks an interval spans on average, less one.
    """

    joint: float
    naive_joint: float
    naive_worst: float
    false_decision: float
    false_group: float
    top_missed: float
    mean_width: float


def true_means(k: int, n: int, truth: str) -> Floats:
    """Population means of k models, in units in which a model's own noise has variance 1.

    "distinct": all differ, neighbours by a fraction of a standard error. "tied": groups of five share a
    mean. "equal": all share one. "copies": as "distinct", but every fifth model repeats the one before.
    """
    error = np.sqrt(2 / n)  # of a difference
    if truth == "equal":
        return np.zeros(k)
    if truth == "tied":
        return np.repeat(np.arange(-(-k // 5)), 5)[:k] * 2.0 * error
    return np.arange(k) * 0.3 * error


def rank_figures(
    k: int, n: int, truth: str, trials: int, *, resamples: int = 1000, batch: int = 10
) -> RankFigures:
    """Ranks k models by a mean over n studies; noise is skewed and studies differ in difficulty."""
    means = true_means(k, n, truth)
    copies = [i for i in range(k) if truth == "copies" and i % 5 == 4]
    means[copies] = means[[i - 1 for i in copies]]
    ranks = 1 + (means[None, :] > means[:, None]).sum(axis=1)
    counts = np.zeros(5)
    naive_held = np.zeros(k)
    width = 0.0
    for number, rng in _batches(trials, batch):
        noise = rng.gamma(2.0, 2**-0.5, size=(batch, k, n)) - 2**0.5
        values = means[:, None] + noise + rng.normal(size=(batch, 1, n))
        values[:, copies] = values[:, [i - 1 for i in copies]]
        resampled = mean(resampled_totals(mean_terms(values), resamples=resamples, seed=number))
        for sample, rows in zip(values.mean(axis=2), resampled, strict=True):
            better = decide(sample, rows, better="higher", n_clusters=n).better
            low, high = 1 + better.sum(axis=0), k - better.sum(axis=1)
            naive_low, naive_high = naive_rank_intervals(rows, "higher")
            naive_held += (naive_low <= ranks) & (ranks <= naive_high)
            counts += [
                joint_coverage(low, high, ranks),
                joint_coverage(naive_low, naive_high, ranks),
                bool((better & (means[:, None] <= means[None, :])).any()),
                _is_group_false(sample, better, means),
                bool((low[ranks == 1] > 1).any()),
            ]
            width += float((high - low).mean())
    shares = (counts / trials).tolist()
    return RankFigures(
        joint=shares[0],
        naive_joint=shares[1],
        naive_worst=float(naive_held.min() / trials),
        false_decision=shares[2],
        false_group=shares[3],
        top_missed=shares[4],
        mean_width=width / trials,
    )


def _is_group_false(sample: Floats, better: np.ndarray, means: Floats) -> bool:
    groups = tie_groups(sample, better)
    for group in range(1, int(groups.max())):
        members = np.flatnonzero(groups == group)
        leader = members[np.argmax(sample[members])]
        if (means[groups > group] >= means[leader]).any():
            return True
    return False


def _batches(trials: int, batch: int) -> Iterator[tuple[int, np.random.Generator]]:
    assert trials % batch == 0
    return ((number, np.random.default_rng([7, number])) for number in range(trials // batch))
