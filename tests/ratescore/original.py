"""The released `ratescore` in an environment of its own: its packages cannot share ours (numpy below 2)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PACKAGES = ("ratescore==0.6.0", "medspacy==1.3.1", "transformers==4.57.6", "pandas<3", "torch")

_CODE = """
import json, logging, sys, time, warnings
warnings.filterwarnings("ignore")
from loguru import logger
logger.remove()
given = json.load(open(sys.argv[1]))
from RaTEScore import RaTEScore
found = {}
for weights in given["weights"]:
    scorer = RaTEScore(given["tagger"], given["entities"], use_gpu=False, affinity_matrix=weights)
    start = time.process_time(), time.perf_counter()
    found[weights] = [float(x) for x in scorer.compute_score(given["predictions"], given["references"])]
    found[f"{weights} seconds"] = [time.process_time() - start[0], time.perf_counter() - start[1]]
from RaTEScore.utils import sentence_split
found["sentences"] = [sentence_split([text])[0] for text in given["sentences"]]
json.dump(found, open(sys.argv[2], "w"))
"""


def interpreter(folder: Path) -> Path:
    """A Python with the released package: `REXRANK_RATESCORE_PYTHON`, or one built in `folder`."""
    if made := os.environ.get("REXRANK_RATESCORE_PYTHON"):
        return Path(made)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True, stdout=sys.stderr)
    return python


def run(
    python: Path,
    work: Path,
    encoder: Path,
    predictions: list[str],
    references: list[str],
    sentences: list[str] | None = None,
    weights: tuple[str, ...] = ("long", "short"),
) -> dict[str, Any]:
    """What the package gives: scores by weight set, seconds (CPU, wall), and sentences of texts."""
    given = {
        "tagger": str(encoder / "tagger"),
        "entities": str(encoder / "entities"),
        "predictions": predictions,
        "references": references,
        "sentences": sentences or [],
        "weights": weights,
    }
    work.mkdir(parents=True, exist_ok=True)
    (work / "given.json").write_text(json.dumps(given))
    (work / "code.py").write_text(_CODE)
    command = [str(python), str(work / "code.py"), str(work / "given.json"), str(work / "found.json")]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "LOGURU_LEVEL": "ERROR"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads((work / "found.json").read_text())
    return found
