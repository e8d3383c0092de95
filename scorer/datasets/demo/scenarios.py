"""Illnesses of the demo patients: how common, at which age, why a film was asked for, and what it may show."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["SCENARIOS", "SIZES", "Scenario", "Spec"]


@dataclass(frozen=True)
class Spec:
    """A fact that a scenario may bring: probability, kind, and the values its slots can take."""

    probability: float
    kind: str
    slots: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Scenario:
    """weight: relative frequency. ages: lowest and highest. complaints: what follows "patient with"."""

    weight: float
    ages: tuple[int, int]
    complaints: tuple[str, ...]
    specs: tuple[Spec, ...] = ()


SIZES = ("trace", "small", "moderate", "large")
_SIDES = ("left", "right")
_BASES = ("left", "right", "both")
_LOBES = ("upper lobe", "lower lobe", "lower lobe", "mid zone")
_ZONES = ("upper", "mid", "lower")
_TIPS = ("lower superior vena cava", "cavoatrial junction", "upper atrium", "mid superior vena cava")
_DEGREES = ("mild", "mild", "moderate", "marked")
_MILLIMETRES = tuple(f"{n} mm" for n in (5, 6, 7, 8, 9, 11, 12, 14, 18))
_CENTIMETRES = ("3.2 cm", "3.8 cm", "4.1 cm", "4.5 cm", "5.3 cm", "6.0 cm")
_RIBS = ("fourth", "fifth", "sixth", "seventh", "eighth", "ninth")

SCENARIOS: dict[str, Scenario] = {
    "normal": Scenario(
        58,
        (18, 78),
        (
            "chest pain",
            "cough for two weeks",
            "shortness of breath",
            "fever",
            "positive tuberculin test",
            "planned surgery",
            "dizziness",
            "wheezing",
            "palpitations",
            "possible exposure to tuberculosis",
            "a fall from standing height",
            "night sweats",
            "sore throat and cough",
            "upper abdominal pain",
        ),
    ),
    "incidental": Scenario(
        13,
        (52, 88),
        ("chest pain", "planned surgery", "cough", "weakness", "back pain", "weight loss"),
        (
            Spec(0.5, "granuloma", {"side": _SIDES, "place": _ZONES}),
            Spec(0.45, "aorta"),
            Spec(0.55, "spine"),
            Spec(0.15, "scoliosis", {"side": _SIDES}),
            Spec(0.2, "hiatal hernia", {"size": ("small", "moderate", "large")}),
            Spec(0.15, "diaphragm", {"side": _SIDES}),
            Spec(0.15, "vertebra"),
        ),
    ),
    "heart failure": Scenario(
        9,
        (58, 92),
        (
            "shortness of breath",
            "leg swelling and dyspnea",
            "known heart failure and worse dyspnea",
            "orthopnea",
        ),
        (
            Spec(1.0, "cardiomegaly", {"size": ("mild", "moderate", "moderate", "marked")}),
            Spec(0.8, "edema", {"size": ("mild interstitial", "moderate interstitial", "alveolar")}),
            Spec(0.75, "effusion", {"side": ("both", "both", "right", "left"), "size": SIZES[:3]}),
            Spec(0.3, "pacemaker", {"side": ("left", "left", "right")}),
            Spec(0.25, "sternotomy"),
            Spec(0.3, "aorta"),
        ),
    ),
    "pneumonia": Scenario(
        9,
        (20, 85),
        (
            "fever and cough",
            "productive cough",
            "cough and pleuritic pain",
            "suspected pneumonia",
            "fever and rales",
        ),
        (
            Spec(0.75, "consolidation", {"side": _SIDES, "place": _LOBES}),
            Spec(0.35, "opacity", {"side": _BASES}),
            Spec(0.35, "effusion", {"side": _SIDES, "size": SIZES[:2]}),
            Spec(0.15, "low volumes"),
        ),
    ),
    "doubt": Scenario(
        5,
        (25, 88),
        ("cough", "fever after surgery", "confusion", "dyspnea", "possible aspiration"),
        (Spec(1.0, "opacity", {"side": _BASES}), Spec(0.4, "low volumes"), Spec(0.2, "spine")),
    ),
    "obstructive": Scenario(
        6,
        (48, 86),
        ("COPD and worse dyspnea", "cough and a history of smoking", "wheezing", "chronic cough"),
        (
            Spec(1.0, "emphysema"),
            Spec(0.2, "nodule", {"side": _SIDES, "place": _ZONES, "size": _MILLIMETRES}),
            Spec(0.25, "atelectasis", {"side": _BASES}),
            Spec(0.3, "spine"),
            Spec(0.2, "aorta"),
        ),
    ),
    "nodule": Scenario(
        4,
        (44, 84),
        ("weight loss", "hemoptysis", "a known nodule", "a long history of smoking", "known cancer"),
        (
            Spec(0.75, "nodule", {"side": _SIDES, "place": _ZONES, "size": _MILLIMETRES}),
            Spec(0.35, "mass", {"side": _SIDES, "place": _ZONES, "size": _CENTIMETRES}),
            Spec(0.3, "port", {"side": _SIDES, "place": _TIPS}),
            Spec(0.2, "effusion", {"side": _SIDES, "size": SIZES}),
        ),
    ),
    "trauma": Scenario(
        4,
        (18, 80),
        (
            "chest pain after a car accident",
            "chest wall pain after a fall",
            "blunt trauma",
            "rib pain after assault",
        ),
        (
            Spec(0.75, "rib fracture", {"side": _SIDES, "place": _RIBS}),
            Spec(
                0.45,
                "pneumothorax",
                {"side": _SIDES, "size": ("tiny", "small", "moderate"), "place": _MILLIMETRES},
            ),
            Spec(0.3, "chest tube", {"side": _SIDES, "place": ("apex", "base")}),
            Spec(0.3, "atelectasis", {"side": _BASES}),
        ),
    ),
    "intensive care": Scenario(
        5,
        (41, 88),
        (
            "respiratory failure",
            "new tubes and lines",
            "sepsis",
            "a new central line",
            "recent bypass surgery",
        ),
        (
            Spec(0.75, "endotracheal tube", {"size": _CENTIMETRES[:5]}),
            Spec(0.6, "enteric tube"),
            Spec(0.6, "central line", {"side": ("right", "right", "left"), "place": _TIPS}),
            Spec(0.2, "PICC", {"side": _SIDES, "place": _TIPS}),
            Spec(0.2, "sternotomy"),
            Spec(0.4, "low volumes"),
            Spec(0.5, "atelectasis", {"side": _BASES}),
            Spec(0.55, "effusion", {"side": _BASES, "size": SIZES[:3]}),
            Spec(0.3, "edema", {"size": ("mild interstitial", "moderate interstitial")}),
            Spec(0.3, "cardiomegaly", {"size": _DEGREES}),
        ),
    ),
    "fibrosis": Scenario(
        3,
        (56, 86),
        ("known fibrosis", "dry cough and dyspnea", "clubbing", "rheumatoid arthritis"),
        (Spec(1.0, "fibrosis"), Spec(0.3, "low volumes"), Spec(0.25, "cardiomegaly", {"size": _DEGREES})),
    ),
}
