"""What identifies a split: its canonical references, their digest and their counts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from scorer.datasets.base import Card
from scorer.text import TRACKS, counts_in_track
from scorer.types import Study

__all__ = ["count_tracks", "differences", "references_digest"]


def references_digest(studies: Iterable[Study]) -> str:
    """sha256 over id, patient, findings and impression of every study, in ascending id order.

    One compact JSON line a study, UTF-8, LF; line ends inside texts count as LF. Indications and attributes
    are left out: no score depends on them.
    """
    whole = hashlib.sha256()
    for study in sorted(studies, key=lambda study: study.id):
        fields = {
            "study_id": study.id,
            "patient": study.patient,
            "findings": _line_ends(study.reference.findings),
            "impression": _line_ends(study.reference.impression),
        }
        line = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        whole.update(line.encode("utf-8") + b"\n")
    return whole.hexdigest()


def count_tracks(studies: Sequence[Study]) -> dict[str, int]:
    """How many studies count in each track."""
    return {track: sum(counts_in_track(study.reference, track) for study in studies) for track in TRACKS}


def differences(card: Card, split: str, studies: Sequence[Study]) -> list[str]:
    """How studies differ from what the card says of a split, in figures; empty when they agree."""
    expected = card.splits[split]
    if len(studies) != expected.n_studies:
        return [f"{split}: {len(studies)} studies, the card says {expected.n_studies}"]
    counts = count_tracks(studies)
    said = [
        f"{split}: {counts[track]} studies have the sections of {track}, the card says {n}"
        for track, n in expected.n_track.items()
        if counts[track] != n
    ]
    if not said and expected.digest and references_digest(studies) != expected.digest:
        said.append(f"{split}: the counts agree but the references are not the ones this card describes")
    return said


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
