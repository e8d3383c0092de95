"""Four demo models of graded quality: they see the scene with errors and write about what they saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scorer.datasets.demo.dice import Dice, Imitation
from scorer.datasets.demo.scenarios import SIZES
from scorer.datasets.demo.scenes import Fact, Scene
from scorer.datasets.demo.sites import Site
from scorer.datasets.demo.writing import write_report
from scorer.text import Report

__all__ = ["MODELS", "DemoModel"]


@dataclass(frozen=True, kw_only=True)
class DemoModel:
    """A make-believe report generator.

    Attributes:
        fidelity: share of wordings that happen to be the radiologist's own.
        missed, swapped, resized, invented: error rates, per fact and (invented) per study.
        constant: share of studies answered with one and the same report. empty: share left without an answer.
        house: a style of its own; None writes in the style of the study's site.
    """

    id: str
    fidelity: float = 0.0
    missed: float = 0.0
    swapped: float = 0.0
    resized: float = 0.0
    invented: float = 0.0
    constant: float = 0.0
    empty: float = 0.0
    house: Site | None = None

    def predict(self, scene: Scene, original: Dice) -> Report:
        """The prediction for one study; `original` made the choices behind the reference."""
        own = Dice(f"{self.id}|{scene.id}")
        if own.chance("empty", self.empty):
            return Report()
        if own.chance("constant", self.constant):
            return _CONSTANT
        style = self.house or replace(
            scene.site,
            mark="",
            masked=0.0,
            is_loud=False,
            is_wrapped=False,
            is_numbered=False,
            reads_priors=False,
        )
        return write_report(
            scene, self._see(scene.facts, own), style, Imitation(original, own, self.fidelity)
        )

    def _see(self, facts: Sequence[Fact], own: Dice) -> list[Fact]:
        seen = [self._look(fact, own) for fact in facts if not own.chance(f"miss {fact.kind}", self.missed)]
        if own.chance("invent", self.invented):
            invented = own.pick("invented", _INVENTED)
            if invented.kind not in {fact.kind for fact in facts}:
                seen.append(invented)
        return seen

    def _look(self, fact: Fact, own: Dice) -> Fact:
        if fact.side and own.chance(f"swap {fact.kind}", self.swapped):
            fact = replace(fact, side={"left": "right", "right": "left", "both": "left"}[fact.side])
        if fact.size in SIZES and own.chance(f"resize {fact.kind}", self.resized):
            fact = replace(fact, size=own.pick("size", SIZES))
        # No model here is given the prior study, so what it says of change is mostly nothing.
        return fact if own.chance(f"guess change of {fact.kind}", 0.25) else replace(fact, change="")


_CONSTANT = Report(
    findings="The heart is of normal size. The lungs are clear, without nodule or consolidation. There is no pleural "
    "effusion, and no pneumothorax is seen. The bones are intact.",
    impression="No acute disease in the chest.",
)
_INVENTED = (
    Fact(kind="effusion", side="left", size="small"),
    Fact(kind="atelectasis", side="both"),
    Fact(kind="cardiomegaly", size="mild"),
    Fact(kind="opacity", side="right"),
    Fact(kind="granuloma", side="right", place="mid"),
)

# From strong to weak. careful and fluent use the same words equally often; they differ in what they see.
MODELS: tuple[DemoModel, ...] = (
    DemoModel(id="demo-careful", fidelity=0.25, missed=0.06, swapped=0.02, resized=0.1, invented=0.02),
    DemoModel(id="demo-fluent", fidelity=0.38, missed=0.25, swapped=0.3, resized=0.3, invented=0.08),
    DemoModel(id="demo-hasty", fidelity=0.12, missed=0.65, swapped=0.2, resized=0.4, invented=0.3),
    DemoModel(id="demo-template", fidelity=0.2, missed=0.9, constant=0.94, empty=0.03),
)
