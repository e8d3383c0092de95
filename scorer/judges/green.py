"""The judge GREEN: its card, and how its answers are counted.

Source: S. Ostmeier et al., "GREEN: Generative Radiology Report Evaluation and Error Notation" (2024) and the
release `green-score` 0.0.12. The counting gives what the release gives, except that four kinds of answer
which it silently counts as 0 errors or 0 matches are unread here: a block that is missing, a block that is
empty (the release then reads the next one in its place), an error line without its number, and a list of
matches without its number.
"""

from __future__ import annotations

import re

from scorer.judges.base import Completion, Decoding, JudgeCard, TemplateSource
from scorer.judges.reading import Reading, Status

__all__ = ["CARD", "NUMBERS", "SIGNIFICANT", "read"]

# What the release's tokeniser settings make of one question: it adds an empty answer, opens a second
# one, and its tokeniser puts the end mark last. Odd, but it is what the published numbers were made with.
_CHAT = (
    "{{ bos_token }}{% for message in messages %}{{ '<|user|>\n' + message['content'] + eos_token + '\n' }}"
    "{% endfor %}{{ '<|assistant|>\n' + eos_token + '\n<|assistant|>\n' + eos_token }}"
)

CARD = JudgeCard(
    id="green",
    weights="StanfordAIMI/GREEN-RadLlama2-7b",
    template=TemplateSource(
        package="green-score",
        version="0.0.12",
        archive="green_score-0.0.12.tar.gz",
        sha256="5e1395705b412613e4b73b22c3c63ed87c162277358f0ec08b00af8903d4d0dc",
        member="green_score-0.0.12/green_score/utils.py",
        function="make_prompt",
        arguments={"max_len": 300},
        digest="1e3370aa1e19539549c3487d2d5e6857431532080dd14cb1e75ecb4dddf5f337",
        licence="MIT",
    ),
    max_words=300,
    decoding=Decoding(max_tokens=None, context=2048),
    chat_template=_CHAT,
    dtype="float16",
)

SIGNIFICANT = (
    "false_finding",
    "missing_finding",
    "wrong_location",
    "wrong_severity",
    "false_comparison",
    "missing_comparison",
)
NUMBERS = (*SIGNIFICANT, "insignificant", "matched")
"""Counts: six kinds of significant error, all insignificant errors (-1 where unread), matched findings."""

_LETTERS, _DIGITS = re.compile(r"\([a-f]\) .*"), re.compile(r"\([1-6]\) .*")
_COUNT = re.compile(r"(?<=: )\b\d+\b(?=\.)")
_LEADING = re.compile(r"\d+\b(?=\.)")
_MOST_DIGITS = 4  # a longer number is a judge that has lost its thread, not a count
# The release decodes with its tokeniser's clean-up of spaces; a server does not.
_CLEAN_UP = (
    *((f" {mark}", mark) for mark in ".?!,"),
    (" ' ", "'"),
    *((f" {ending}", ending) for ending in ("n't", "'m", "'s", "'ve", "'re")),
)


def read(completion: Completion) -> Reading:
    """Counts one answer; `NUMBERS` in order."""
    text = _answer(completion.text)
    significant, trouble = _errors(_block(text, "Clinically Significant Errors"))
    insignificant, _ = _errors(_block(text, "Clinically Insignificant Errors"))
    matched, unmatched = _matched(_block(text, "Matched Findings"))
    trouble = trouble or unmatched
    if significant is None or matched is None:
        status = trouble if completion.finish == "stop" else Status.CUT_OFF
        return Reading(status=status, numbers=(0.0,) * len(NUMBERS))
    total = -1 if insignificant is None else sum(insignificant)
    return Reading(status=Status.READ, numbers=tuple(map(float, (*significant, total, matched))))


def _answer(text: str) -> str:
    """The part that counts: what follows the word of explanation, as the release cuts it."""
    for marred, clean in _CLEAN_UP:
        text = text.replace(marred, clean)
    text = text.split("<|assistant|>")[-1]
    if "[Explanation]:" in text:
        parts = text.split("[Explanation]:")
        text = parts[1] if "[Explanation]:\n    <Explanation>\n" in text else parts[-1]
    return text.replace("</s>", "").replace("<unk>", "")


def _block(text: str, name: str) -> str | None:
    """What stands under a heading up to the next blank line; None when missing or empty."""
    found = re.search(rf"\[{name}\]:\s*(.*?)(?:\n\s*\n|\Z)", text, re.DOTALL)
    return None if found is None or not found[1].strip() or found[1].startswith("[") else found[1]


def _errors(block: str | None) -> tuple[tuple[int, ...] | None, Status]:
    """Errors by kind, (a) to (f), or (1) to (6) where no letter stands; a kind named twice counts as its
    alphabetically last line, like the release."""
    if block is None:
        return None, Status.MALFORMED
    if block.startswith("No"):
        return (0,) * 6, Status.READ
    lines, kinds = sorted(_LETTERS.findall(block)), "abcdef"
    if not lines:
        lines, kinds = sorted(_DIGITS.findall(block)), "123456"
    if not lines:
        return None, Status.MALFORMED
    counts = [0] * 6
    for line in lines:
        count = _COUNT.search(line)
        if count is None or len(count[0]) > _MOST_DIGITS:
            return None, Status.UNCOUNTED
        counts[kinds.index(line[1])] = int(count[0])
    return tuple(counts), Status.READ


def _matched(block: str | None) -> tuple[int | None, Status]:
    if block is None:
        return None, Status.MALFORMED
    if block.startswith("No"):
        return 0, Status.READ
    count = _LEADING.match(block)
    if count is None or len(count[0]) > _MOST_DIGITS:
        return None, Status.UNCOUNTED
    return int(count[0]), Status.READ
