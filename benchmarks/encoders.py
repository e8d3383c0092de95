"""The encoders against plain forward passes, and against the packages as they are.

Networks have the real shapes and random weights; texts are IU X-ray references with two prediction sets where they
are at hand, else the demo set's. Everything runs on one thread and is timed in CPU seconds, so that other programs
on the machine change little. `python -m benchmarks.encoders --studies 590` measures the whole test split.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.table import print_table

STUDIES = 40
"""By default: enough to see the ratios, and done in minutes."""

ENCODERS = ("bertscore", "chexbert", "radgraph")


@dataclass(frozen=True, kw_only=True)
class Texts:
    """References, and the predictions of a first and of a later model."""

    source: str
    references: list[str]
    first: list[str]
    later: list[str]


def main(arguments: Sequence[str] = ()) -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.encoders", description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--weights", type=Path, help="keep the random weights in this folder")
    chosen = parser.parse_args(arguments)
    texts = read_texts(chosen.studies)
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        weights = chosen.weights or work / "weights"
        if not (weights / "lock.yaml").is_file():
            apart(make_weights, weights, texts)
        report(texts, measure(texts, weights, work))


def read_texts(studies: int) -> Texts:
    """The first studies of IU X-ray in order of id, or of the demo set."""
    shared = Path(os.environ.get("REXRANK_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    folder = shared / "data" / "iu_xray"
    if folder.is_dir():
        found = json.loads((folder / "ReXRank_IUXray_test.json").read_text("utf-8"))
        references = {study: row["report"] for study, row in found.items()}
        first, later = (
            _predictions(folder / f"predictions/{name}.jsonl") for name in ("oracle-retrieval", "ladder-50")
        )
        source = "IU X-ray"
    else:
        from scorer.datasets import load

        references = {s.id: f"{s.reference.findings} {s.reference.impression}" for s in load("demo-cxr")}
        turned = list(references.values())
        first = dict(zip(references, turned[1:] + turned[:1], strict=True))
        later = dict(zip(references, turned[7:] + turned[:7], strict=True))
        later = {study: f"{text} Stable." for study, text in later.items()}
        source = "demo-cxr"
    ids = sorted(references)[:studies]
    first_texts, later_texts, truths = (
        [" ".join(side[i].split()) for i in ids] for side in (first, later, references)
    )
    return Texts(source=source, references=truths, first=first_texts, later=later_texts)


def _predictions(path: Path) -> dict[str, str]:
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return {row["study_id"]: row["report"] for row in rows}


def measure(texts: Texts, weights: Path, work: Path) -> dict[str, Any]:
    """CPU seconds and peak MiB of every part, each in a process of its own."""
    cache = work / "cache"
    distinct = list(dict.fromkeys([*texts.references, *texts.first]))
    new = [text for text in dict.fromkeys(texts.later) if text not in set(distinct)]
    found: dict[str, Any] = {"distinct": len(distinct), "new": len(new)}
    for name in ENCODERS:
        found[name, "floor", "first"], found[name, "floor peak"] = apart(floor, weights, name, distinct)
        found[name, "floor", "later"] = apart(floor, weights, name, new)[0]
    found["ours", "first"], found["peak"] = apart(ours, weights, cache, texts.first, texts.references)
    found["ours", "later"], _ = apart(ours, weights, cache, texts.later, texts.references)
    found["ours", "warm"], _ = apart(warm, weights, cache, texts.later, texts.references)
    half = len(texts.references) // 2
    some = texts.first[:half], texts.references[:half]
    found["ours", "half"], _ = apart(ours, weights, work / "other", *some)
    found["half distinct"] = len({*some[0], *some[1]})
    for name in ENCODERS:
        for model, predictions in (("first", texts.first), ("later", texts.later)):
            told = apart(package, weights, work / "official", name, predictions, texts.references)
            found[name, "package", model], found[name, "package peak"] = told
    return found


def report(texts: Texts, found: dict[str, Any]) -> None:
    """The tables."""
    rows = []
    for model in ("first", "later"):
        own = found["ours", model]
        plain = sum(found[name, "floor", model] for name in ENCODERS)
        theirs = sum(found[name, "package", model] for name in ENCODERS)
        own_total = sum(own.values())
        asked = {"first": "2x", "later": "3x"}[model]
        for name in ENCODERS:
            rows.append(
                (
                    f"{model} model, {name}",
                    f"{found[name, 'floor', model]:.1f}",
                    f"{own[name]:.1f}",
                    f"{found[name, 'package', model]:.1f}",
                    f"{own[name] / found[name, 'floor', model]:.2f}",
                    f"{found[name, 'package', model] / own[name]:.1f}x",
                    "",
                )
            )
        rows.append(
            (
                f"**{model} model, all three**",
                f"{plain:.1f}",
                f"{own_total:.1f}",
                f"{theirs:.1f}",
                f"**{own_total / plain:.2f}**",
                f"**{theirs / own_total:.1f}x**",
                f"at most 1.15; {asked}",
            )
        )
    n = len(texts.references)
    print_table(
        f"Encoders: {n} studies of {texts.source}, {found['distinct']} distinct texts, {found['new']} new with the"
        " later model; one thread, CPU s, weights loaded anew every time",
        ("", "plain forward", "rexrank", "packages", "rexrank / plain", "faster than packages", "asked"),
        rows,
    )
    largest = max(found[name, "floor peak"] for name in ENCODERS)
    per_text = [sum(found["ours", "first"].values()) / found["distinct"]]
    per_text.append(sum(found["ours", "half"].values()) / found["half distinct"])
    print_table(
        "Encoders: memory, warm cache, growth",
        ("", "measured", "asked"),
        [
            ("peak MiB of a whole first model", f"{found['peak']:.0f}", ""),
            ("of the largest encoder alone", f"{largest:.0f}", ""),
            ("ratio", f"{found['peak'] / largest:.2f}", "1.5"),
            (
                "largest package alone",
                f"{max(found[name, 'package peak'] for name in ENCODERS):.0f}",
                "",
            ),
            ("warm cache: all metrics and intervals, CPU s", f"{found['ours', 'warm']:.1f}", "10 s"),
            (
                "CPU s a distinct text, half and all studies",
                f"{per_text[1]:.3f}, {per_text[0]:.3f}",
                "linear",
            ),
        ],
    )


def apart(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """What `work` gives in a process of its own, and that process's peak memory in MiB."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        result: tuple[Any, float] = pool.submit(_measured, work, arguments).result()
    return result


def _measured(work: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, float]:
    # The libraries take as long for everybody, and longer than all else when studies are few.
    import torch
    import transformers.models.bert.modeling_bert
    import transformers.models.roberta.modeling_roberta

    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    result = work(*arguments)
    return result, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def make_weights(folder: Path, texts: Texts) -> None:
    """Random weights of the real shapes; vocabularies learned from the texts."""
    from tests.encoders.tiny import BASE, make_tiny_weights

    everything = [*texts.references, *texts.first, *texts.later]
    make_tiny_weights(
        folder, size=BASE, texts=everything, encoders=("distilroberta_base", "chexbert", "radgraph")
    )


def floor(weights: Path, name: str, texts: list[str]) -> float:
    """Plain fp32 forward passes over the texts, in batches of like length; tokenising and loading not counted."""
    import torch

    from scorer.encoding.engine import PIECES
    from scorer.encoding.transformer import pad
    from scorer.statistics import statistic
    from scorer.weights import locate

    encoder = statistic_encoder(name)
    assert statistic(name).spec.encoder == encoder.id
    network = encoder.load(locate(encoder.id, weights), "cpu")
    items = [network.tokenise(text) for text in texts]
    if name == "radgraph":
        rows = [segment for item in items for segment in item.pieces[1]]
        forward = network._transformer
    else:
        rows = [item.pieces for item in items]
        forward = network._network["bert"] if name == "chexbert" else network._network
    rows.sort(key=len, reverse=True)
    start = time.process_time()
    with torch.inference_mode():
        while rows:
            count = max(1, PIECES["cpu"] // len(rows[0]))
            ids, mask = pad(rows[:count], 0, "cpu")
            forward(ids, attention_mask=mask)
            rows = rows[count:]
    return time.process_time() - start


def statistic_encoder(name: str) -> Any:
    """The encoder of a statistic."""
    from scorer.encoding.chexbert import CHEXBERT
    from scorer.encoding.radgraph import RADGRAPH
    from scorer.statistics.bertscore import BERTSCORE

    return {"bertscore": BERTSCORE.encoder, "chexbert": CHEXBERT, "radgraph": RADGRAPH}[name]


def ours(weights: Path, cache: Path, predictions: list[str], references: list[str]) -> dict[str, float]:
    """The three statistics as `rexrank score` computes them, loading included: CPU seconds each."""
    tables_of = _compute(weights, cache, predictions, references)
    return {name: seconds for name, (seconds, _) in tables_of.items()}


def warm(weights: Path, cache: Path, predictions: list[str], references: list[str]) -> float:
    """Statistics from the cache, every metric and every interval: CPU seconds."""
    from scorer.inference.resampling import interval, resampled_totals
    from scorer.metrics import METRICS

    start = time.process_time()
    found = _compute(weights, cache, predictions, references, ("ngrams", *ENCODERS))
    tables = {name: table for name, (_, table) in found.items()}
    able = [one for one in METRICS if set(one.spec.needs) <= set(tables)]
    terms = [one.terms(tables) for one in able]
    drawn = resampled_totals(np.hstack(terms))
    at = 0
    for one, own in zip(able, terms, strict=True):
        one.finish(own.sum(axis=0))
        interval(np.asarray(one.finish(drawn[:, at : at + own.shape[1]])))
        at += own.shape[1]
    return time.process_time() - start


def _compute(
    weights: Path,
    cache: Path,
    predictions: list[str],
    references: list[str],
    names: Sequence[str] = ENCODERS,
) -> dict[str, tuple[float, dict[str, Any]]]:
    from scorer.statistics import Bench, statistic

    bench = Bench(weights_dir=weights, cache_dir=cache)
    found = {}
    for name in names:
        start = time.process_time()
        values = statistic(name).compute(predictions, references, bench).values
        columns = [column.name for column in statistic(name).spec.columns]
        found[name] = time.process_time() - start, dict(zip(columns, values.T, strict=True))
    return found


def package(weights: Path, work: Path, name: str, predictions: list[str], references: list[str]) -> float:
    """A reference package's own classes on the same weights, as its users call them: CPU seconds."""
    from tests.encoders import official

    work.mkdir(exist_ok=True)
    start = time.process_time()
    if name == "bertscore":
        official.bertscore(weights / "distilroberta_base", work, predictions, references, batch_size=256)
    elif name == "chexbert":
        one = official.Chexbert(weights / "chexbert", work)
        one.report(predictions, references)
        # The official pipeline computes [CLS] in a second pass, 18 texts at a time in the order of input.
        for side in (predictions, references):
            one.vectors(side, 18)
    else:
        annotate = official.radgraph(weights / "radgraph", work, "radgraph")
        annotate([*predictions, *references])
    return time.process_time() - start


if __name__ == "__main__":
    main(sys.argv[1:])
