"""Writes the demo dataset and its four submissions: `python -m scorer.datasets.demo.generate`.

Everything follows from the names of the choices (see `dice`), so a second run writes the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scorer.datasets.demo.dice import Dice
from scorer.datasets.demo.models import MODELS
from scorer.datasets.demo.scenes import Scene, scenes
from scorer.datasets.demo.writing import write_indication, write_report
from scorer.datasets.readers.attributes import age_band
from scorer.datasets.readers.jsonl import jsonl_bytes
from scorer.store import write_atomic
from scorer.text import Report
from scorer.types import Study

__all__ = ["generate", "main"]

_SEED = "demo-cxr@1"
# split -> (number of the first patient, studies, studies without impression, studies without findings)
_SPLITS = {"test": (101, 200, 20, 10), "valid": (601, 120, 12, 6)}


def generate() -> dict[str, bytes]:
    """All generated files: path below this folder -> content."""
    files: dict[str, bytes] = {}
    for split, (first, n, n_without_impression, n_without_findings) in _SPLITS.items():
        shown = sorted(scenes(f"{_SEED}|{split}", first, n), key=lambda scene: scene.id)
        studies = [_study(scene) for scene in shown]
        order = sorted(range(n), key=lambda i: Dice(f"{_SEED}|sections").roll(studies[i].id))
        for i in order[:n_without_impression]:
            studies[i] = replace(studies[i], reference=replace(studies[i].reference, impression=""))
        for i in order[n_without_impression : n_without_impression + n_without_findings]:
            studies[i] = replace(studies[i], reference=replace(studies[i].reference, findings=""))
        files[f"{split}.jsonl"] = jsonl_bytes(studies)
        if split == "test":
            for model in MODELS:
                predictions = [(scene.id, model.predict(scene, _dice(scene))) for scene in shown]
                files[f"submissions/{model.id}/predictions/demo-cxr.jsonl"] = _predictions_bytes(predictions)
    return files


def main() -> None:
    """Writes the demo set over the committed one."""
    for name, content in generate().items():
        write_atomic(Path(__file__).parent / name, content)


def _dice(scene: Scene) -> Dice:
    return Dice(f"{_SEED}|{scene.id}")


def _study(scene: Scene) -> Study:
    dice = _dice(scene)
    return Study(
        id=scene.id,
        reference=write_report(scene, scene.facts, scene.site, dice),
        patient=scene.patient,
        indication=write_indication(scene, dice),
        attributes={
            "site": scene.site.name,
            "sex": scene.sex,
            "age_band": age_band(scene.age),
            "view": "frontal" if scene.is_portable else "frontal and lateral",
            "condition": "abnormal" if scene.facts else "normal",
        },
    )


def _predictions_bytes(predictions: Sequence[tuple[str, Report]]) -> bytes:
    lines = (
        json.dumps(
            {"study_id": id, "findings": report.findings, "impression": report.impression}, ensure_ascii=False
        )
        for id, report in predictions
    )
    return "".join(line + "\n" for line in lines).encode("utf-8")


if __name__ == "__main__":
    main()
