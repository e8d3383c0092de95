"""From a scene to a report, in a site's house style."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from scorer.datasets.demo.dice import Voice
from scorer.datasets.demo.facts import FACTS
from scorer.datasets.demo.phrases import ABSENT, CHANGE, NOTHING_NEW, REMARKS, SUMMARY
from scorer.datasets.demo.scenes import Fact, Scene
from scorer.datasets.demo.sites import Site
from scorer.text import Report

__all__ = ["write_indication", "write_report"]

_SYSTEMS = ("devices", "heart", "lungs", "pleura", "bones")
_BRITISH = {
    "edema": "oedema",
    "Edema": "Oedema",
    "caliber": "calibre",
    "hiatal": "hiatus",
    "hemoptysis": "haemoptysis",
}
_MASKABLE = (
    "heart",
    "lungs",
    "lung",
    "opacity",
    "size",
    "spine",
    "vessels",
    "mediastinal",
    "diaphragm",
    "effusion",
)


def write_report(scene: Scene, facts: Sequence[Fact], site: Site, voice: Voice) -> Report:
    """Findings and impression of what `facts` say, in the style of `site` and the wording of `voice`."""
    if not facts and site.stock_share and voice.chance("stock", site.stock_share):
        return Report(findings=site.stock[0], impression=site.stock[1])
    findings = _findings(scene, facts, site, voice)
    impression = _impression(facts, site, voice)
    if site.is_british:
        findings, impression = _british(findings), _british(impression)
    if site.mark and voice.chance("mask", site.masked):
        findings = _mask(findings, site.mark, voice)
    if site.is_wrapped:
        findings = "\n".join(textwrap.wrap(findings, 72))
    if site.is_loud:
        impression = f"\n{impression.upper()}\n"
    return Report(findings=findings, impression=impression)


def write_indication(scene: Scene, voice: Voice) -> str:
    """Why the study was asked for."""
    person = {"female": "woman", "male": "man"}[scene.sex]
    mark, complaint = scene.site.mark, scene.complaint
    patterns = (
        [
            f"{mark}-year-old {person} with {complaint}.",
            f"{mark} year old {scene.sex}. {_sentence(complaint)}.",
        ]
        if mark
        else [f"{scene.age}-year-old {person} with {complaint}.", f"{complaint}."]
    )
    text = voice.pick("indication", [*patterns, f"{complaint}."])
    return _british(_sentence(text)) if scene.site.is_british else _sentence(text)


def _findings(scene: Scene, facts: Sequence[Fact], site: Site, voice: Voice) -> str:
    said: dict[str, list[str]] = {system: [] for system in _SYSTEMS}
    for fact in facts:
        said[FACTS[fact.kind].system] += _fact(fact, site, voice)
    for name in _absences({fact.kind for fact in facts}, voice):
        system, *registers = ABSENT[name]
        said[system].append(voice.pick(f"no {name}", registers[site.register == "terse"]))
    if scene.has_prior and not any(fact.change for fact in facts) and voice.chance("nothing new", 0.6):
        said["bones"].append(
            voice.pick("nothing new in words", NOTHING_NEW).format(prior=_prior(site, voice))
        )
    if not site.is_by_system:
        return " ".join(sentence for sentences in said.values() for sentence in sentences)
    return "\n".join(
        f"{system.capitalize()}: {' '.join(said[system])}" for system in _SYSTEMS if said[system]
    )


def _fact(fact: Fact, site: Site, voice: Voice) -> Iterator[str]:
    is_terse = site.register == "terse"
    wording = FACTS[fact.kind]
    template = voice.pick(f"{fact.kind} in words", wording.terse if is_terse else wording.full)
    yield _sentence(template.format(**_slots(fact)))
    if fact.change:
        changed = CHANGE[fact.change][is_terse]
        yield voice.pick(f"change of {fact.kind}", changed).format(prior=_prior(site, voice))


def _absences(kinds: set[str], voice: Voice) -> Iterator[str]:
    """Names of what a reader would say is not there, given what is."""
    if not kinds & {"cardiomegaly", "aorta", "hiatal hernia"} and voice.chance("heart in one", 0.6):
        yield "heart and mediastinum"
    elif "cardiomegaly" not in kinds:
        yield "heart"
    in_lungs = {kind for kind in kinds if FACTS[kind].system == "lungs"}
    if not in_lungs:
        yield "lungs"
    elif not in_lungs & {"consolidation", "opacity", "mass"} and voice.chance("deny consolidation", 0.6):
        yield "consolidation"
    if "edema" not in kinds and voice.chance("deny edema", 0.3):
        yield "edema"
    if not kinds & {"effusion", "pneumothorax"}:
        yield "effusion and pneumothorax"
    elif "effusion" not in kinds:
        yield "effusion"
    elif "pneumothorax" not in kinds and voice.chance("deny pneumothorax", 0.85):
        yield "pneumothorax"
    if not any(FACTS[kind].system == "bones" for kind in kinds) and voice.chance("deny bones", 0.7):
        yield "bones"
    if voice.chance("deny abdomen", 0.15):
        yield "abdomen"


def _impression(facts: Sequence[Fact], site: Site, voice: Voice) -> str:
    is_terse = site.register == "terse"

    def summary(name: str) -> str:
        return voice.pick(f"summary {name}", SUMMARY[name][is_terse])

    if not facts:
        return summary("normal")
    acute = [fact for fact in facts if not FACTS[fact.kind].is_chronic and FACTS[fact.kind].impression]
    chronic = [fact for fact in facts if FACTS[fact.kind].is_chronic and FACTS[fact.kind].impression]
    items = [_clause(fact, voice) for fact in acute]
    if not acute:
        items.append(summary("nothing acute"))
    items += [_clause(fact, voice) for fact in chronic if voice.chance(f"sum up {fact.kind}", 0.5)]
    if any(FACTS[fact.kind].system == "devices" and not FACTS[fact.kind].is_chronic for fact in facts):
        items.append(summary("devices"))
    if (
        site.mark
        and {fact.kind for fact in facts} & {"pneumothorax", "mass", "nodule"}
        and voice.chance("call", 0.5)
    ):
        items.append(voice.pick("remark", REMARKS).format(mark=site.mark))
    if site.is_numbered and len(items) > 1:
        return "\n".join(f"{number}. {item}" for number, item in enumerate(items, start=1))
    return " ".join(items)


def _clause(fact: Fact, voice: Voice) -> str:
    clause = voice.pick(f"{fact.kind} in short", FACTS[fact.kind].impression).format(**_slots(fact))
    return _sentence(f"{CHANGE[fact.change][2]} {clause}." if fact.change else f"{clause}.")


def _slots(fact: Fact) -> dict[str, str]:
    is_both = fact.side == "both"
    side = "bilateral" if is_both else fact.side
    bare = f"{fact.size} {side} pleural effusion{'s' if is_both else ''}"
    return {
        "side": side,
        "onside": "on both sides" if is_both else f"on the {fact.side}",
        "base": "both bases" if is_both else f"the {fact.side} base",
        "basilar": "bibasilar" if is_both else f"{fact.side} basilar",
        "bare": bare,
        "object": bare if is_both else f"a {bare}",
        "is": "are" if is_both else "is",
        "size": fact.size,
        "a_size": f"{'an' if re.match(r'8|11|18', fact.size) else 'a'} {fact.size}",
        "place": fact.place,
    }


def _prior(site: Site, voice: Voice) -> str:
    if not site.mark:
        return voice.pick("prior", ("the prior study", "the earlier film", "the last examination"))
    return voice.pick("prior", (f"the study of {site.mark}", f"{site.mark}", "the prior study"))


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _british(text: str) -> str:
    return re.sub("|".join(_BRITISH), lambda match: _BRITISH[match[0]], text)


def _mask(text: str, mark: str, voice: Voice) -> str:
    """Hides one word, as automatic de-identification does by mistake."""
    words = [word for word in _MASKABLE if re.search(rf"\b{word}\b", text)]
    return re.sub(rf"\b{voice.pick('masked word', words)}\b", mark, text, count=1) if words else text
