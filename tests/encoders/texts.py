"""Invented report sentences, and the texts that have broken scorers."""

from __future__ import annotations

import random

_SIZES = ("small", "moderate", "large", "trace", "stable", "new", "mild", "unchanged")
_SITES = ("left", "right", "bilateral", "basilar", "apical", "retrocardiac")
_FINDINGS = (
    "pleural effusion",
    "pneumothorax",
    "consolidation",
    "atelectasis",
    "edema",
    "opacity",
    "rib fracture",
    "lung nodule",
)
_FRAMES = (
    "There is a {size} {site} {finding}.",
    "No {finding} is seen.",
    "{size} {site} {finding}, {other} cannot be excluded.",
    "The heart is {size} in size; the mediastinum is within normal limits.",
    "Interval change of the {site} {finding} since the prior study (2.5 cm).",
    "A {site} catheter ends in the SVC, {finding} is unlikely.",
)


def reports(n: int, seed: int = 0, sentences: int = 5) -> list[str]:
    """n invented reports of up to `sentences` sentences; the same seed gives the same reports."""
    draw = random.Random(seed)

    def sentence() -> str:
        text = draw.choice(_FRAMES).format(
            size=draw.choice(_SIZES),
            site=draw.choice(_SITES),
            finding=draw.choice(_FINDINGS),
            other=draw.choice(_FINDINGS),
        )
        return text[0].upper() + text[1:]

    return [" ".join(sentence() for _ in range(draw.randint(1, sentences))) for _ in range(n)]


LONG = " ".join(" ".join(reports(60, seed=7)).split()[:620])  # over 512 pieces in every vocabulary

MANY_PIECES = " ".join("".join(random.Random(n).choices("aeionrstl", k=24)) for n in range(50))
"""Few words and over 512 pieces: what is read in segments, without the cost of many words."""

HARD = (
    "Normal.",
    "effusion",
    ".",
    "2.5",
    "None",
    "XXXX XXXX",
    "The ___ is unchanged from ___.",
    "XXXX-year-old with (2.5 cm) nodule: no/none, right>left; T7-8!",
    "Lungs are clear.\nHeart is normal.\r\n\tNo effusion.",
    "  Heart   is    large.  ",
    "No change no change no change no change.",
    "Épanchement pleural à gauche, 5 µm – “stable”.",
    "心脏大小正常。No effusion.",
    "Nodule \u200b\u00a0here\u2028and there \U0001fac1.",
    "\u200b",
    "Heart [SEP] is </s> large <mask> [MASK] [UNK].",
    "\x00\x07bell and null",
    "a" * 300,
    LONG,
)
"""One word, marks, line ends, runs of spaces, other scripts, invisible characters, special pieces, 600 words."""
