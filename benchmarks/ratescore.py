"""RaTEScore against the released package: the same random weights, texts and processor, in one run.

Uses the interpreter that `REXRANK_RATESCORE_PYTHON` names, or builds an environment for the package, which
cannot share ours.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.table import print_table

N = 590


def _pairs() -> tuple[list[str], list[str], str]:
    """IU X-ray's test reports against those of its validation split where the files are here, else invented ones."""
    root = Path(os.environ.get("REXRANK_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    folder = root / "data" / "iu_xray"
    draw = random.Random(0)
    if (folder / "ReXRank_IUXray_test.json").is_file():

        def reports(split: str) -> list[str]:
            studies = json.loads((folder / f"ReXRank_IUXray_{split}.json").read_text()).values()
            return [
                f"Findings: {s['section_findings']} Impression: {s['section_impression']}" for s in studies
            ]

        references, others = reports("test")[:N], reports("valid")
        return [draw.choice(others) for _ in references], references, f"{len(references)} IU X-ray pairs"
    from benchmarks.lexical import pairs

    made = pairs(N)
    return [p for p, _ in made], [r for _, r in made], f"{N} invented pairs"


def main() -> None:
    """Prints the table."""
    from scorer.encoding.ratescore import missing_packages
    from scorer.metrics.ratescore import RATESCORE as METRIC
    from scorer.statistics import Bench
    from scorer.statistics.ratescore import RATESCORE
    from tests.ratescore import original
    from tests.ratescore.tiny import Size, make_ratescore

    lack = missing_packages()
    if lack is not None:
        print(f"\nratescore: needs {lack[0]}")
        return
    predictions, references, what = _pairs()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        make_ratescore(work / "weights", references, Size(hidden=128, layers=4, heads=4))
        bench = Bench(weights_dir=work / "weights", cache_dir=work / "cache")
        start = time.process_time()
        computed = RATESCORE.compute(predictions, references, bench)
        ours = time.process_time() - start
        try:
            python = original.interpreter(work / "environment")
        except subprocess.CalledProcessError:
            print(f"\nratescore: {ours:.1f} CPU s for {what}; the released package cannot be installed here")
            return
        found = original.run(
            python, work / "run", work / "weights" / "ratescore", predictions, references, weights=("long",)
        )
    columns = {c.name: computed.values[:, i] for i, c in enumerate(RATESCORE.spec.columns)}
    scores = METRIC.per_study({"ratescore": columns})
    equal = sum(abs(a - b) < 2e-6 for a, b in zip(scores, found["long"], strict=True))
    theirs = found["long seconds"][0]
    print_table(
        f"RaTEScore, {what}, networks of 4 layers and width 128",
        ("who", "CPU s", "ratio", "scores equal within 2e-6"),
        [
            ("ratescore 0.6.0", f"{theirs:.1f}", "1", ""),
            ("rexrank", f"{ours:.1f}", f"{theirs / ours:.1f}x (wanted: >= 5x)", f"{equal} of {len(scores)}"),
        ],
    )
