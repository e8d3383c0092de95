"""What the demo studies show: invented patients, their illnesses, and how these change from study to study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from scorer.datasets.demo.dice import Dice
from scorer.datasets.demo.scenarios import SCENARIOS, SIZES, Scenario
from scorer.datasets.demo.sites import SITES, Site

__all__ = ["Fact", "Scene", "scenes"]


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One thing to be seen. side: "left", "right", "both" or "". change: since the prior study, or ""."""

    kind: str
    side: str = ""
    place: str = ""
    size: str = ""
    change: str = ""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One study before anybody has written about it."""

    id: str
    patient: str
    site: Site
    sex: str
    age: int
    is_portable: bool
    complaint: str
    facts: tuple[Fact, ...]
    has_prior: bool


_LASTING = {
    "aorta", "emphysema", "fibrosis", "granuloma", "hiatal hernia", "pacemaker", "port", "scoliosis", "spine",
    "sternotomy", "vertebra", "diaphragm", "cardiomegaly", "low volumes",
}  # fmt: skip
_SLOW = {"mass", "nodule", "rib fracture"}
_GONE_BEFORE_LONG = {"endotracheal tube", "enteric tube", "central line", "chest tube"}


def scenes(seed: str, first_patient: int, n_studies: int) -> Iterator[Scene]:
    """`n_studies` scenes, patient by patient, with one to four studies each."""
    left, number = n_studies, first_patient
    while left:
        dice = Dice(f"{seed}|patient {number}")
        several = dice.weighted("studies", {1: 71.0, 2: 18.0, 3: 7.0, 4: 4.0})
        for scene in _patient(dice, number, min(left, several)):
            left -= 1
            yield scene
        number += 1


def _patient(dice: Dice, number: int, n_studies: int) -> Iterator[Scene]:
    site = dice.weighted("site", {site: site.weight for site in SITES})
    weights = {name: s.weight * site.leaning.get(name, 1.0) for name, s in SCENARIOS.items()}
    name = dice.weighted("scenario", weights)
    scenario = SCENARIOS[name]
    low, high = scenario.ages
    facts = _first(dice, scenario)
    age, sex = low + int(dice.roll("age") * (high - low)), dice.pick("sex", ("female", "male"))
    for k in range(1, n_studies + 1):
        turn = dice.child(f"study {k}")
        if k > 1:
            facts = tuple(fact for old in facts if (fact := _later(turn, old)))
        yield Scene(
            id=f"CX{number:04d}_{k}",
            patient=f"P{number:04d}",
            site=site,
            sex=sex,
            age=age,
            is_portable=turn.chance("portable", 0.9 if name == "intensive care" else site.portable),
            complaint=turn.pick("complaint", scenario.complaints),
            facts=facts,
            has_prior=k > 1 or turn.chance("prior", 0.2),
        )


def _first(dice: Dice, scenario: Scenario) -> tuple[Fact, ...]:
    """The facts of a patient's first study; a scenario that has any brings at least one."""
    drawn = [spec for spec in scenario.specs if dice.chance(f"has {spec.kind}", spec.probability)]
    drawn = drawn or list(scenario.specs[:1])
    return tuple(
        Fact(
            kind=spec.kind,
            **{slot: dice.pick(f"{spec.kind} {slot}", values) for slot, values in spec.slots.items()},
        )
        for spec in drawn
    )


def _later(dice: Dice, fact: Fact) -> Fact | None:
    """A fact on the next study: unchanged, more, less, or gone."""
    if fact.kind in _LASTING:
        return replace(fact, change="unchanged" if dice.chance(f"said {fact.kind}", 0.4) else "")
    if fact.kind in _GONE_BEFORE_LONG:
        return None if dice.chance(f"removed {fact.kind}", 0.35) else replace(fact, change="")
    weights = {"unchanged": 35.0, "increased": 18.0, "decreased": 25.0, "gone": 22.0}
    if fact.kind in _SLOW:
        weights["gone"] = weights["decreased"] = 0.0
    change = dice.weighted(f"course of {fact.kind}", weights)
    if change == "gone":
        return None
    step = {"increased": 1, "decreased": -1}.get(change, 0)
    if fact.size in SIZES and step:
        place = SIZES.index(fact.size) + step
        return None if place < 0 else replace(fact, size=SIZES[min(place, 3)], change=change)
    return replace(fact, change=change)
