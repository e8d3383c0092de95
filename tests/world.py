"""A small world of its own: a results folder with a dataset card, references and submissions, all invented."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.cells import Workshop
from scorer.datasets import register
from scorer.datasets.readers.jsonl import jsonl_bytes
from scorer.predictions import canonical_predictions
from scorer.statistics import Bench
from scorer.text import Report
from scorer.types import Study

CARD = """\
id: {id}
version: 1
name: Tiny knees
summary: Invented reports of knee radiographs.
modality: knee X-ray
split: test
splits:
  test: {{n_studies: {n}, n_track: {{findings: {n}, findings_impression: {n}}}}}
  valid: {{n_studies: {n}, n_track: {{findings: {n}, findings_impression: {n}}}}}
tracks: [findings, findings_impression]
access: {access}
release: {release}
licence: CC BY 4.0
source: invented
how_to_get: rexrank data add {id} PATH
reader: jsonl
ships_in: {ships_in}
knows_patients: {patients}
min_subgroup: 20
"""

_FINDINGS = (
    "The joint space is preserved.",
    "Moderate effusion in the suprapatellar recess.",
    "No fracture line is seen.",
    "Small osteophytes at the medial margin.",
    "Soft tissues are unremarkable.",
    "Two screws in the proximal tibia, unchanged.",
)
_IMPRESSIONS = ("No acute finding.", "Mild osteoarthritis.", "Effusion, cause not seen.")


@dataclass(frozen=True, kw_only=True)
class World:
    """The folder, and how to work on it."""

    root: Path
    state: Path
    dataset: str
    studies: tuple[Study, ...]

    @property
    def shop(self) -> Workshop:
        """A fresh workshop: nothing remembered from earlier calls."""
        return Workshop(self.root, self.state)

    @property
    def bench(self) -> Bench:
        return Bench(weights_dir=self.state / "weights", cache_dir=self.state / "cache")

    def submit(self, model: str, reports: Mapping[str, Report], **card: str) -> None:
        """Writes a submission folder."""
        folder = self.root / "submissions" / model
        (folder / "predictions").mkdir(parents=True, exist_ok=True)
        fields = {
            "name": model,
            "owner": "tester",
            "date": "2026-11-30",
            "tracks": "[findings, findings_impression]",
        }
        lines = [f"{key}: {value}\n" for key, value in ({"id": model} | fields | card).items()]
        (folder / "submission.yaml").write_text("".join(lines))
        (folder / "predictions" / f"{self.dataset}.jsonl").write_bytes(canonical_predictions(reports))

    def score(self, models: Sequence[str] = ()) -> None:
        """Fills what needs work."""
        shop = self.shop
        for cell in shop.cells(models, [self.dataset]):
            if shop.needs_work(cell, self.bench):
                filled = shop.fill(cell, self.bench)
                assert not filled.problem, filled.problem

    def snapshot(self) -> dict[str, bytes]:
        """Every file under scores, by relative path."""
        scores = self.root / "scores"
        return {str(p.relative_to(scores)): p.read_bytes() for p in sorted(scores.rglob("*")) if p.is_file()}


def make_world(
    folder: Path,
    *,
    n: int = 24,
    dataset: str = "tiny-knee",
    access: str = "open",
    release: str = "studies",
    patients: bool = False,
) -> World:
    """A results folder with one dataset of n studies and no submission."""
    root, state = folder / "results", folder / "state"
    (root / "submissions").mkdir(parents=True)
    home = root / "datasets"
    home.mkdir()
    # References that are not public lie outside the results folder and are registered, as a user would do it.
    is_public = release == "texts"
    references = home / "refs" if is_public else folder / "references"
    references.mkdir()
    by_split = {split: _studies(n, split, patients) for split in ("test", "valid")}
    for split, studies in by_split.items():
        (references / f"{split}.jsonl").write_bytes(jsonl_bytes(studies))
    card = CARD.format(
        id=dataset,
        n=n,
        access=access,
        release=release,
        ships_in="refs" if is_public else '""',
        patients=str(patients).lower(),
    )
    (home / f"{dataset}.yaml").write_text(card)
    if not is_public:
        register(dataset, references, state, results_root=root)
    return World(root=root, state=state, dataset=dataset, studies=by_split["test"])


def _studies(n: int, split: str, patients: bool) -> tuple[Study, ...]:
    draw = random.Random(split)
    return tuple(
        Study(
            id=f"{split}-{number:04d}",
            reference=Report(
                findings=" ".join(draw.sample(_FINDINGS, draw.randint(2, 4))),
                impression=draw.choice(_IMPRESSIONS),
            ),
            patient=f"patient-{number // 3}" if patients else None,
            indication=draw.choice(("Pain after a fall.", "Follow-up.", "Swelling.")),
        )
        for number in range(n)
    )


def spoiled(studies: Sequence[Study], share: float, seed: int = 1) -> dict[str, Report]:
    """Predictions that equal the reference but for a share of the studies, which get another study's."""
    draw = random.Random(seed)
    return {
        study.id: draw.choice(studies).reference if draw.random() < share else study.reference
        for study in studies
    }


def record_of(world: World, model: str, track: str = "findings") -> dict[str, object]:
    """A record as JSON."""
    path = world.root / "scores" / model / f"{world.dataset}.{track}.json"
    document: dict[str, object] = json.loads(path.read_text())
    return document
