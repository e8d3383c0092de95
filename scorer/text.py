"""The text rules: what every statistic sees, and nothing else decides.

Two rules exist. `text@1` is ours: runs of white space become one space, and a section that is not there
goes together with its header. `rexrank-compat@1` reproduces the reading behind the published ReXrank
figures: both headers always stand, and an absent section is the literal word None. Numbers made under
different rules are never ranked together; the rule is part of every signature.

De-identification marks (`XXXX`, `___`) are left in place, in references and predictions alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

__all__ = [
    "TEXT_RULE",
    "TRACKS",
    "Report",
    "Track",
    "compose",
    "counts_in_track",
    "normalise",
    "split_sections",
]

Track = Literal["findings", "findings_impression"]
TRACKS: tuple[Track, ...] = get_args(Track)

TEXT_RULE = "text@1"
COMPAT_RULE = "rexrank-compat@1"
RULES = (TEXT_RULE, COMPAT_RULE)


@dataclass(frozen=True, kw_only=True)
class Report:
    """A report in its two sections; an absent section is the empty string, never None and never "None"."""

    findings: str = ""
    impression: str = ""


def normalise(text: str) -> str:
    """Makes every run of white space (any Unicode kind) one space, and trims both ends."""
    return " ".join(text.split())


def compose(report: Report, track: Track, rule: str = TEXT_RULE) -> str:
    """Gives the one string of a report that a track scores; "" when there is nothing.

    Under `text@1`, findings: the findings section alone; findings_impression:
    `Findings: … Impression: …`, an absent section dropped with its header.
    Under `rexrank-compat@1`: texts untouched, both headers, `None` for an absent section
    (source: the ReXrank evaluation script's template).
    """
    if rule == COMPAT_RULE:
        findings, impression = report.findings or "None", report.impression or "None"
        return (
            f"Findings: {findings}"
            if track == "findings"
            else f"Findings: {findings} Impression: {impression}"
        )
    findings, impression = normalise(report.findings), normalise(report.impression)
    if track == "findings":
        return findings
    parts = [("Findings:", findings), ("Impression:", impression)]
    return " ".join(f"{header} {text}" for header, text in parts if text)


def counts_in_track(reference: Report, track: Track, rule: str = TEXT_RULE) -> bool:
    """Whether a study belongs to a track: its reference has every section of the track.

    Under `rexrank-compat@1` every study counts, its absent sections being the word None.
    """
    if rule == COMPAT_RULE:
        return True
    return bool(normalise(reference.findings)) and (
        track == "findings" or bool(normalise(reference.impression))
    )


# A header is its word (not inside another word) and a colon; at the start of a line a spaced hyphen will do.
# "Impression of a rib" in running text is therefore no header.
_HEADER = re.compile(
    r"(?<![A-Za-z])(?P<name>findings?[ \t]+and[ \t]+impressions?|findings?|impressions?)[ \t]*:"
    r"|^[ \t]*(?P<dashed>findings?|impressions?)[ \t]+-(?=\s)",
    re.IGNORECASE | re.MULTILINE,
)


def split_sections(text: str) -> Report:
    """Splits one string into its sections by its headers, in any case.

    Text without a header is findings. `Findings and impression:` yields one combined section, kept as
    findings. Text in front of the first header belongs to no section when a findings header follows;
    when only an impression header follows it is findings, unless it starts with another header
    (a word and a colon), which is dropped. A section that is the literal word None or nan is absent.
    """
    marks = list(_HEADER.finditer(text))
    if not marks:
        return Report(findings=text.strip())
    found: dict[str, list[str]] = {"findings": [], "impression": []}
    names = [
        "impression" if (m["name"] or m["dashed"]).lower().startswith("impression") else "findings"
        for m in marks
    ]
    lead = text[: marks[0].start()].strip()
    if lead and "findings" not in names and not re.match(r"[A-Za-z ]{3,40}:", lead):
        found["findings"].append(lead)
    for position, (mark, name) in enumerate(zip(marks, names, strict=True)):
        end = marks[position + 1].start() if position + 1 < len(marks) else len(text)
        found[name].append(text[mark.end() : end].strip())
    joined = {name: "\n".join(part for part in parts if part) for name, parts in found.items()}
    return Report(**{name: "" if part in {"None", "nan", "NaN"} else part for name, part in joined.items()})
