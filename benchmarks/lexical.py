"""BLEU-2 and ROUGE-L for 10,000 pairs against nltk and rouge-score; a check of 10,000 predictions."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from benchmarks.table import cpu_seconds, print_table

N = 10_000
PEER = 1_000  # the peers are timed on fewer pairs; their time grows linearly


def pairs(n: int) -> list[tuple[str, str]]:
    """Pairs of the length of IU X-ray reports (about 35 words), from the demo set's sentences."""
    from scorer.datasets import load

    draw = random.Random(0)
    texts = [" ".join([s.reference.findings, s.reference.impression]).split() for s in load("demo-cxr")]
    words = [word for text in texts for word in text]

    def text() -> str:
        start = draw.randrange(len(words) - 60)
        return " ".join(words[start : start + draw.randint(15, 55)])

    made = []
    for _ in range(n):
        reference = text()
        prediction = reference.split()
        for place in range(len(prediction)):
            if draw.random() < 0.4:
                prediction[place] = draw.choice(words)
        made.append((" ".join(prediction), reference))
    return made


def main() -> None:
    """Prints the two tables."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from rouge_score.rouge_scorer import RougeScorer

    from scorer.metrics.lexical import BLEU_2, ROUGE_L
    from scorer.statistics import Bench
    from scorer.statistics.lexical import CommonSubsequence, NgramMatches, bleu_tokens

    data = pairs(N)
    predictions, references = [p for p, _ in data], [r for _, r in data]
    bench = Bench(weights_dir=Path(), cache_dir=Path())

    def ours() -> None:
        tables = {}
        for one in (NgramMatches(), CommonSubsequence()):
            values = one.compute(predictions, references, bench).values
            tables[one.spec.id] = {c.name: values[:, i] for i, c in enumerate(one.spec.columns)}
        for metric in (BLEU_2, ROUGE_L):
            metric.finish(metric.terms(tables).sum(axis=0))

    rouge, smooth = RougeScorer(["rougeL"], use_stemmer=False), SmoothingFunction().method1

    def peers() -> None:
        for prediction, reference in data[:PEER]:
            sentence_bleu([bleu_tokens(reference)], bleu_tokens(prediction), (0.5, 0.5), smooth)
            rouge.score(reference, prediction)

    own, other = cpu_seconds(ours), cpu_seconds(peers, 1) * N / PEER
    print_table(
        f"BLEU-2, BLEU-4 and ROUGE-L of {N:,} pairs",
        ("", "CPU s", "ratio", "asked"),
        [
            ("nltk sentence_bleu (2) + rouge-score", f"{other:.2f}", "1.0", ""),
            ("rexrank (BLEU to order 4)", f"{own:.2f}", f"{other / own:.1f}x faster", "8x"),
        ],
    )
    _check(data)


def _check(data: list[tuple[str, str]]) -> None:
    from scorer.predictions import canonical_predictions, predictions_digest, read_predictions
    from scorer.text import Report

    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for n in (N // 10, N):
            path = Path(folder) / f"{n}.jsonl"
            path.write_bytes(
                canonical_predictions({f"s{i:06d}": Report(findings=p) for i, (p, _) in enumerate(data[:n])})
            )
            rows.append((n, cpu_seconds(lambda path=path: predictions_digest(read_predictions(path)))))  # type: ignore[misc]
    growth = rows[1][1] / rows[0][1]
    print_table(
        "Reading and checking a prediction file",
        ("predictions", "CPU s", "growth", "asked"),
        [
            (f"{rows[0][0]:,}", f"{rows[0][1]:.3f}", "", ""),
            (f"{rows[1][0]:,}", f"{rows[1][1]:.3f}", f"{growth:.1f}x for 10x", "12x, under 1 s"),
        ],
    )


if __name__ == "__main__":
    main()
