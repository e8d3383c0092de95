"""Checks score files that a pull request brings: the scorer's own, and those that a maintainer signed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from scorer.cells import Workshop
from scorer.checking.git import Change, Git
from scorer.checking.numbers import numbers_from, pairs_from, record_of
from scorer.checking.signing import ALLOWED_SIGNERS, SIGNATURE_BYTES, is_signed_by
from scorer.checking.states import State
from scorer.checking.tree import SCORES, shown
from scorer.checking.truth import faults_of, faults_of_pairs, wanted
from scorer.guard import Problems, limits
from scorer.store import canonical_json, record_from, table_from
from scorer.text import TRACKS, Track

__all__ = ["RECORD_PATHS", "check_record_files", "is_record_path"]

RECORD_PATHS = (f"{SCORES}/", "results/pairs/")
_FILE = re.compile(
    r"results/scores/(?P<model>[a-z0-9][a-z0-9.-]{1,63})/(?P<dataset>[a-z0-9][a-z0-9-]{1,63})"
    r"\.(?P<track>findings|findings_impression)(?P<kind>(?:\.[a-z0-9_]+)?\.csv|\.state\.json|\.json(?:\.sig)?)"
)
_PAIRS = re.compile(r"results/pairs/[a-z0-9][a-z0-9-]{1,63}\.(?:findings|findings_impression)\.json")


def is_record_path(path: bytes) -> bool:
    """Whether a path is one that the scorer writes."""
    return path.startswith(tuple(prefix.encode() for prefix in RECORD_PATHS))


def check_record_files(
    git: Git,
    base: str,
    changes: Iterable[Change],
    is_scorer: bool,
    results_root: Path,
    state_dir: Path,
    problems: Problems,
) -> None:
    """Every file must be what its path says, made from what main holds; without the scorer's account, signed."""
    shop = Workshop(results_root, state_dir)
    signers = _signers(git, base)
    listed = list(changes)
    by_path = {change.path: change for change in listed}
    for change in listed:
        path = shown(change.path)
        if change.status == "D":
            if not (is_scorer and change.path.endswith(b".state.json")):
                problems.add(
                    "score-file",
                    "records are not deleted",
                    path=path,
                    hint="`lifecycle: withdrawn` hides them",
                )
            continue
        data = git.blob(change.blob, limits.ARTIFACT_BYTES) if change.mode == "100644" else None
        match = _FILE.fullmatch(path)
        if data is None or not (match or _PAIRS.fullmatch(path)):
            problems.add("not-a-record", "is not a file that the scorer writes", path=path)
        elif is_scorer:
            said = _fault(data, match, shop) if match else _pairs_fault(data, change.path, shop)
            if said:
                problems.add(
                    "impossible", said, path=path, hint="nothing is recorded; look at the scoring job"
                )
        elif not match or match["kind"] not in {".json", ".json.sig"}:
            problems.add("score-file", "score files are written by the scorer only", path=path)
        elif match["kind"] == ".json":
            _check_signed(git, change, data, match, by_path, signers, shop, problems)
        elif change.path.removesuffix(b".sig") not in by_path or len(data) > SIGNATURE_BYTES:
            hint = "a signature comes together with its record (rexrank score --export-signed KEY)"
            problems.add("score-file", "a signature without its record", path=path, hint=hint)


def _check_signed(
    git: Git,
    change: Change,
    data: bytes,
    match: re.Match[str],
    by_path: dict[bytes, Change],
    signers: bytes,
    shop: Workshop,
    problems: Problems,
) -> None:
    path = shown(change.path)
    beside = by_path.get(change.path + b".sig")
    signature = git.blob(beside.blob, SIGNATURE_BYTES) if beside else None
    if signature is None:
        hint = "leave it out: a merge starts the scoring (maintainers: rexrank score --export-signed KEY)"
        problems.add("score-file", "score files are written by the scorer only", path=path, hint=hint)
    elif not is_signed_by(data, signature, signers):
        hint = f"sign it with a key that {ALLOWED_SIGNERS} of the main branch lists"
        problems.add("bad-signature", "the signature is not by an allowed signer", path=path, hint=hint)
    elif said := _fault(data, match, shop):
        problems.add("impossible", said, path=path, hint="score it again from what main holds now")


def _signers(git: Git, base: str) -> bytes:
    entries = git.tree(base, ALLOWED_SIGNERS)
    return (git.blob(entries[0].blob, limits.CARD_BYTES) or b"") if entries else b""


def _pairs_fault(data: bytes, path: bytes, shop: Workshop) -> str:
    """Why a file is not a pair table of what main holds; "" when it is."""
    dataset, _, track = shown(path).removeprefix("results/pairs/").removesuffix(".json").rpartition(".")
    try:
        pairs = pairs_from(json.loads(data), dataset, next(one for one in TRACKS if one == track))
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        ValidationError,
        StopIteration,
        RecursionError,
    ) as error:
        return f"is not in the form of pairs ({type(error).__name__})"
    return next(iter(faults_of_pairs(pairs, shop)), "")


def _fault(data: bytes, match: re.Match[str], shop: Workshop) -> str:
    """Why a file is not what its path says; "" when it is."""
    model, dataset = match["model"], match["dataset"]
    track: Track = next(one for one in TRACKS if one == match["track"])
    cell = wanted(shop, model, dataset, track)
    if cell is None:
        return "there is no such cell on main"
    try:
        if match["kind"] == ".state.json":
            state = State.model_validate(json.loads(data))
            good = (state.model, state.dataset, state.track, state.submitted) == (
                model,
                dataset,
                track,
                cell.submitted,
            )
            return "" if good else "is about another cell"
        if match["kind"].endswith(".csv"):
            table_from(data)
            return (
                ""
                if cell.card.is_public
                else "per-study numbers of a closed dataset stay where they are scored"
            )
        record = record_from(json.loads(data))
        numbers = numbers_from(record)
        if canonical_json(json.loads(data)) != data:
            return "is not in canonical form"
        rebuilt = record_of(numbers, cell.card)
    except (ValueError, KeyError, TypeError, IndexError, ValidationError, RecursionError) as error:
        return f"is not in the form of scores ({type(error).__name__})"
    if (record.model, record.dataset, record.track) != (model, dataset, track):
        return "names another cell than its path"
    if record.estimates != rebuilt.estimates:
        return "has signatures of other versions than the registry's"
    return next(iter(faults_of(numbers, cell)), "")
