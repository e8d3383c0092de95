"""Resampling against loops, a whole board with all pairs, and one pair against RadEval's compare_systems."""

from __future__ import annotations

import importlib.util
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from benchmarks.table import cpu_seconds, print_table

if TYPE_CHECKING:
    from scorer.inference.models import MetricTerms
    from scorer.types import Floats

RESAMPLES = 10_000
STUDIES = 2_347
PEER = "RadEval==2.2.1"
PEERS = Path(__file__).resolve().parent.parent / ".rexrank" / "peers"


def main() -> None:
    """Prints the three tables."""
    _resampling()
    _board()
    _pair()


def _resampling() -> None:
    """Totals of 10,000 studies with 40 columns."""
    terms = np.random.default_rng(0).random((10_000, 40))
    rows = terms.tolist()
    rng, few = random.Random(0), 20
    generator = np.random.default_rng(0)

    def plain() -> None:
        for _ in range(few):
            sample = [rows[rng.randrange(len(rows))] for _ in rows]
            [sum(column) for column in zip(*sample, strict=True)]

    def gathered() -> None:
        for _ in range(few):
            terms[generator.integers(0, len(terms), len(terms))].sum(axis=0)

    own, peak = _apart(_resample_once)
    loop = cpu_seconds(plain, 2) * RESAMPLES / few
    gather = cpu_seconds(gathered, 2) * RESAMPLES / few
    print_table(
        f"Bootstrap totals: 10,000 studies x 40 columns x {RESAMPLES:,} resamples",
        ("", "CPU s", "ratio", "peak MiB", "asked"),
        [
            ("Python loop over resamples and studies", f"{loop:.0f}", "1.0", "", ""),
            (
                "Python loop over resamples, numpy within",
                f"{gather:.0f}",
                f"{loop / gather:.1f}x faster",
                "",
                "",
            ),
            ("rexrank", f"{own:.1f}", f"{loop / own:.0f}x faster", f"{peak:.0f}", "100x, 8 s, 1024 MiB"),
        ],
    )


def _resample_once() -> float:
    from scorer.inference.resampling import resampled_totals

    terms = np.random.default_rng(0).random((10_000, 40))
    return cpu_seconds(lambda: resampled_totals(terms, resamples=RESAMPLES))


def _board() -> None:
    """Draws, ranks and all pairs of 15 metrics, for 15 and for 30 models."""
    steps = {}
    for k in (15, 30):
        steps[k], peak = _apart(_whole_board, k)
    small, large = steps[15], steps[30]
    rows = [
        (name, f"{small[name]:.2f}", f"{large[name]:.2f}", f"{large[name] / small[name]:.1f}x", asked)
        for name, asked in (("draws and intervals", "2x"), ("ranks", "4x"), ("all pairs", "4x"))
    ]
    whole = (sum(small.values()), sum(large.values()))
    print_table(
        f"A board: 15 metrics, {STUDIES:,} studies, {RESAMPLES:,} resamples and swaps, all pairs (435 of 30 models)",
        ("CPU s", "15 models", "30 models", "growth", "asked"),
        [
            *rows,
            ("together", f"{whole[0]:.1f}", f"{whole[1]:.1f}", f"{whole[1] / whole[0]:.1f}x", "30 s"),
            ("peak MiB", "", f"{peak:.0f}", "", "2048"),
        ],
    )


def _whole_board(k: int) -> dict[str, float]:
    from scorer.inference.models import draw
    from scorer.inference.pairs import compare_all
    from scorer.inference.ranks import rank_draws
    from scorer.inference.resampling import interval

    rng = np.random.default_rng(0)
    metrics = {f"metric_{i}": _invented(rng, k) for i in range(15)}
    clock = [time.process_time()]
    drawn = draw(metrics, resamples=RESAMPLES)
    for one in drawn.values():
        for row in one.resampled:
            interval(row)
    clock.append(time.process_time())
    for one in drawn.values():
        rank_draws(one)
    clock.append(time.process_time())
    pairs = sum(1 for one in drawn.values() for _ in compare_all(one))
    clock.append(time.process_time())
    assert pairs == 15 * k * (k - 1) / 2
    return dict(zip(("draws and intervals", "ranks", "all pairs"), np.diff(clock).tolist(), strict=True))


def _invented(rng: np.random.Generator, k: int) -> MetricTerms:
    """k models of rising quality on studies of common difficulty."""
    from scorer.inference.models import MetricTerms

    values = rng.random(STUDIES) + 0.2 * rng.normal(size=(k, STUDIES)) + np.linspace(0, 0.05, k)[:, None]
    terms = np.stack([np.clip(values, 0, 1), np.ones_like(values)], axis=-1)
    return MetricTerms(terms=terms, finish=_mean, better="higher")


def _mean(totals: Floats) -> Floats:
    return np.asarray(totals[..., 0] / totals[..., 1])


def _pair() -> None:
    """One pair of prediction lists on mean BLEU-2: test as `compare_systems` does it, and as we do."""
    peer = _radeval()
    if peer is None:
        print(f"\n### One pair against {PEER}\n\nnot measured: the package cannot be installed here")
        return
    from benchmarks.lexical import pairs
    from scorer.inference.models import MetricTerms, draw
    from scorer.inference.pairs import compare

    made = pairs(STUDIES)
    references = [reference for _, reference in made]
    systems = {"a": [f"{text} ." for text, _ in made], "b": [text for text, _ in pairs(STUDIES + 1)[1:]]}
    cached = {
        (text, reference): value
        for texts in systems.values()
        for text, reference, value in zip(texts, references, _bleu(texts, references), strict=True)
    }

    def own() -> float:
        values = np.stack([_bleu(texts, references) for texts in systems.values()])
        terms = np.stack([values, np.ones_like(values)], axis=-1)
        one = MetricTerms(terms=terms, finish=_mean, better="higher")
        return compare(draw({"bleu_2": one}, resamples=RESAMPLES)["bleu_2"]).p

    def recomputed(texts: Sequence[str], truths: Sequence[str]) -> float:
        return float(_bleu(texts, truths).mean())

    def looked_up(texts: Sequence[str], truths: Sequence[str]) -> float:
        return sum(cached[pair] for pair in zip(texts, truths, strict=True)) / len(texts)

    def theirs(metric: Callable[[Sequence[str], Sequence[str]], float], trials: int) -> float:
        arguments = {"references": references, "n_samples": trials, "print_results": False}
        _, scores = peer.compare_systems(systems, {"bleu_2": metric}, **arguments)
        return float(scores["b"]["bleu_2_pvalue"])

    ours = cpu_seconds(own)
    few, some = 5, 200
    slow = cpu_seconds(lambda: theirs(recomputed, few), 1) * RESAMPLES / few
    kind = cpu_seconds(lambda: theirs(looked_up, some), 1) * RESAMPLES / some
    print_table(
        f"One pair, mean BLEU-2, {STUDIES:,} studies, {RESAMPLES:,} swaps",
        ("", "CPU s", "rexrank is", "asked"),
        [
            ("RadEval compare_systems, metric on texts", f"{slow:.0f}", f"{slow / ours:.0f}x faster", "50x"),
            ("RadEval compare_systems, values looked up", f"{kind:.1f}", f"{kind / ours:.0f}x faster", ""),
            ("rexrank: metric, interval, p, wins, effect", f"{ours:.2f}", "", ""),
        ],
    )


def _bleu(texts: Sequence[str], references: Sequence[str]) -> Floats:
    from scorer.metrics.lexical import BLEU_2
    from scorer.statistics import Bench
    from scorer.statistics.lexical import NgramMatches

    one = NgramMatches()
    values = one.compute(texts, references, Bench(weights_dir=Path(), cache_dir=Path())).values
    tables = {one.spec.id: {column.name: values[:, i] for i, column in enumerate(one.spec.columns)}}
    return BLEU_2.per_study(tables)


def _radeval() -> ModuleType | None:
    """RadEval's module of significance tests, from a folder of its own; None where it cannot be had."""
    folder = PEERS / PEER
    if not folder.is_dir():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            str(folder),
            PEER,
        ]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return None
    spec = importlib.util.spec_from_file_location("radeval_utils", folder / "radeval" / "utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch("nltk.download"):  # it fetches a tokeniser on import, which this test does not use
        spec.loader.exec_module(module)
    return module


def _apart(work: Callable[..., Any], *arguments: int) -> tuple[Any, float]:
    """What `work` gives in a process of its own, and that process's peak memory in MiB."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        result, peak = pool.submit(_measured, work, arguments).result()
    return result, peak


def _measured(work: Callable[..., Any], arguments: Sequence[int]) -> tuple[Any, float]:
    result = work(*arguments)
    return result, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
