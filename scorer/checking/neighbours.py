"""What a submission must not share with the others: a name that can be taken for theirs, or their predictions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scorer.guard import Problems, limits, read_bytes, read_card, skeleton
from scorer.store import Results
from scorer.submission import CARD_NAME, Submission

__all__ = ["DiskOthers", "Neighbour", "Others", "check_name_is_free", "check_supersedes", "neighbour_from"]


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """What matters of another submission: its id, name and owner, "" where its card does not say."""

    id: str
    name: str
    owner: str
    supersedes: str


class Others(Protocol):
    """The other submissions, wherever they lie."""

    def neighbours(self) -> tuple[Neighbour, ...]:
        """Those whose card can be read, in order of id."""

    def copied_from(self, model: str, dataset: str, data: bytes, canonical: str) -> str:
        """Id of another submission with the same predictions for a dataset; "" when there is none.

        Args:
            data: a file's bytes, compared with the files of others. canonical: digest of its content,
                compared with the digests in their records.
        """


def neighbour_from(model: str, data: bytes) -> Neighbour | None:
    """What a card says, or None where it cannot be read: another submission's faults are not this one's."""
    card = read_card(data, "", Problems())
    if card is None:
        return None
    texts = {key: value for key, value in card.value.items() if isinstance(value, str)}
    return Neighbour(
        id=model,
        name=texts.get("name", ""),
        owner=texts.get("owner", "").removeprefix("@").lower(),
        supersedes=texts.get("supersedes", ""),
    )


class DiskOthers:
    """The submissions of a results folder; none without one."""

    def __init__(self, results_root: Path | None) -> None:
        self.root = results_root

    def neighbours(self) -> tuple[Neighbour, ...]:
        results = self._results()
        if results is None:
            return ()
        found = []
        for model in results.submission_ids():
            data = read_bytes(results.submission_dir(model) / CARD_NAME, "", limits.CARD_BYTES, Problems())
            found.append(None if data is None else neighbour_from(model, data))
        return tuple(one for one in found if one is not None)

    def copied_from(self, model: str, dataset: str, data: bytes, canonical: str) -> str:
        results, mine = self._results(), hashlib.sha256(data).digest()
        if results is None:
            return ""
        for other in results.submission_ids():
            if other == model:
                continue
            for file in sorted((results.submission_dir(other) / "predictions").glob(f"{dataset}.jsonl*")):
                if file.stat().st_size == len(data) and hashlib.sha256(file.read_bytes()).digest() == mine:
                    return other
            for record in sorted((results.root / "scores" / other).glob(f"{dataset}.*.json")):
                if f'"{canonical}"' in record.read_text(encoding="utf-8", errors="replace"):
                    return other
        return ""

    def _results(self) -> Results | None:
        return None if self.root is None else Results(self.root)


def check_name_is_free(
    submission: Submission, neighbours: tuple[Neighbour, ...], path: str, line: int, problems: Problems
) -> None:
    """A name may be used again by its own owner (another version); by anybody else not even a look-alike."""
    mine = (submission.owner or "").lower()
    own_look = skeleton(submission.name)
    for other in neighbours:
        if other.id == submission.id or skeleton(other.name) != own_look:
            continue
        if mine and other.owner == mine:
            continue
        same = "is the name of" if other.name == submission.name else "can be taken for"
        problems.add(
            "confusable-name",
            f"{submission.name!r} {same} the existing entry {other.id!r}",
            path=path,
            line=line,
            field="name",
            hint="choose a name that cannot be mistaken for it",
        )


def check_supersedes(
    submission: Submission, neighbours: tuple[Neighbour, ...], path: str, line: int, problems: Problems
) -> None:
    """Only an existing entry of the same owner can be superseded."""
    wanted = submission.supersedes
    if wanted is None:
        return
    other = next((one for one in neighbours if one.id == wanted), None)
    if wanted == submission.id or other is None:
        message = f"there is no other submission {wanted!r}"
        hint = "write the id of its folder"
        problems.add("unknown-submission", message, path=path, line=line, field="supersedes", hint=hint)
    elif other.owner != (submission.owner or "").lower():
        message = f"{wanted!r} belongs to @{other.owner}" if other.owner else f"{wanted!r} has no owner"
        hint = "only its owner can supersede it"
        problems.add("not-yours", message, path=path, line=line, field="supersedes", hint=hint)
