"""Checks a pull request by its commits, as data: which paths, modes and sizes it brings, whose they are, and
then every submission it touches. Nothing of it is checked out, run or written.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from scorer.checking.git import Change, Entry, Git
from scorer.checking.records import check_record_files, is_record_path
from scorer.checking.submission import Checked, Surroundings, check_submission, misplaced
from scorer.checking.tree import SUBMISSIONS, TreeFolder, TreeOthers, shown
from scorer.errors import printable
from scorer.guard import Problems, check_slug, limits
from scorer.submission import CARD_NAME

__all__ = ["Author", "Role", "check_pull_request"]

Role = Literal["contributor", "maintainer", "scorer"]
"""A maintainer may touch other paths and other people's entries; the scorer brings records and nothing else."""

_FOLDER = re.compile(rb"results/submissions/(?P<model>[^/]*)/(?P<inside>.+)", re.DOTALL)
_INSIDE = re.compile(rb"submission\.yaml|predictions/[a-z0-9][a-z0-9.-]{1,63}?\.jsonl(?:\.gz)?")
_MODES = {
    "120000": ("symbolic link", "put the file itself there"),
    "160000": ("link to another repository", "put the files themselves there"),
    "100755": ("executable file", "git update-index --chmod=-x PATH"),
    "040000": ("folder", "name the files"),
}


@dataclass(frozen=True, kw_only=True)
class Author:
    """Who opened the pull request; login "" when nobody knows (a check at home)."""

    login: str = ""
    role: Role = "contributor"


def check_pull_request(
    git: Git, base: str, head: str, author: Author, around: Surroundings, problems: Problems
) -> tuple[Checked, ...]:
    """Checks what `head` would bring to `base`.

    Args:
        base: commit of the branch that would be merged into. head: commit of the pull request.
        around: whose `others` is replaced by what the two commits hold.
    """
    start = git.merge_base(base, head)
    changes = list(git.changes(start, head))
    if len(changes) > limits.CHANGED_FILES:
        message = f"changes {len(changes):,} files, the limit is {limits.CHANGED_FILES:,}"
        problems.add("too-many-files", message, hint="split the pull request")
        return ()
    if not changes:
        problems.add(
            "nothing-changed", "changes nothing", hint="push the files to the branch of the pull request"
        )
        return ()
    touched: dict[str, list[Change]] = {}
    records = [change for change in changes if is_record_path(change.path)]
    if records and around.results_root is not None:
        state = around.state_dir or around.results_root
        check_record_files(git, base, records, author.role == "scorer", around.results_root, state, problems)
    for change in changes:
        if is_record_path(change.path):
            continue
        model = _model_of(change, author, problems)
        if model:
            touched.setdefault(model, []).append(change)
    _check_history(git, start, head, {change.blob for change in changes}, problems)
    entries = _entries(git, head, touched)
    owners = {one.id: one.owner for one in TreeOthers(git, base, {}).neighbours()}
    known = (
        {shown(entry.path).split("/")[2] for entry in git.tree(base, f"{SUBMISSIONS}/")} if touched else set()
    )
    around = replace(around, others=TreeOthers(git, base, entries), bytes_left=limits.PULL_REQUEST_BYTES)
    checked = []
    for model, theirs in sorted(touched.items()):
        found = Problems()
        one = check_submission(TreeFolder(git, model, entries[model]), around, found)
        claimed = ((one.submission.owner if one.submission else None) or "").lower()
        asking = author.login.lower() or claimed
        if author.role != "maintainer" and model in known and (asking != owners.get(model) or not asking):
            owner = owners.get(model, "")
            whose = f"owner is @{owner}" if owner else "it has no owner"
            for change in theirs:
                hint = "choose another id for your model, or ask its owner or a maintainer"
                problems.add("not-yours", f"not yours: {whose}", path=shown(change.path), hint=hint)
            continue
        if not entries[model]:
            hint = "set `lifecycle: withdrawn` in its card; what was published stays on record"
            message = "all of the entry would be deleted"
            problems.add("deleted-entry", message, path=f"{SUBMISSIONS}/{model}", hint=hint)
            continue
        problems.extend(found.found)
        _check_size(model, entries[model], problems)
        if author.role != "maintainer" and claimed and claimed != asking:
            _say_other_owner(model, asking, claimed, model in known, one.lines.get("owner", 0), problems)
        checked.append(one)
    return tuple(checked)


def _entries(git: Git, head: str, models: Collection[str]) -> dict[str, list[Entry]]:
    """The files of some submissions in a commit."""
    found: dict[str, list[Entry]] = {model: [] for model in models}
    listed = git.tree(head, *(f"{SUBMISSIONS}/{model}/" for model in models)) if models else []
    for entry in listed:
        found[entry.path.split(b"/")[2].decode("ascii")].append(entry)
    return found


def _model_of(change: Change, author: Author, problems: Problems) -> str:
    """The submission a change belongs to; "" when it belongs to none or may not be made, which has been said."""
    path = shown(change.path)
    match = _FOLDER.fullmatch(change.path)
    if author.role == "scorer":
        problems.add("not-a-record", "the scorer brings records only", path=path)
        return ""
    if change.status != "D" and change.mode != "100644" and match is None:
        what, hint = _MODES.get(change.mode, ("special file", ""))
        is_script = change.mode == "100755" and not path.startswith("results/")
        if not is_script:
            message = f"mode {change.mode} ({what}); only ordinary files are read"
            problems.add("bad-mode", message, path=path, hint=hint.replace("PATH", path))
    if match is None:
        if author.role == "contributor":
            hint = f"a pull request brings {SUBMISSIONS}/<model>/{CARD_NAME} and predictions; open another for the rest"
            problems.add("not-a-submission", "is not a submission path", path=path, hint=hint)
        return ""
    model = match["model"].decode("utf-8", "backslashreplace")
    if said := check_slug(model):
        problems.add(said[0], said[1], path=path, hint=said[2])
        return ""
    if not _INSIDE.fullmatch(match["inside"]):
        code, message, hint = misplaced(match["inside"].decode("utf-8", "backslashreplace"))
        problems.add(code, message, path=path, hint=hint)
        return ""
    if change.status != "D" and change.mode != "100644":
        what, hint = _MODES.get(change.mode, ("special file", ""))
        message = f"mode {change.mode} ({what}); only ordinary files are read"
        problems.add("bad-mode", message, path=path, hint=hint.replace("PATH", path))
    return model


def _check_history(git: Git, start: str, head: str, final: set[str], problems: Problems) -> None:
    """A commit in between must not smuggle in what the last one no longer shows."""
    cap = limits.PREDICTION_BYTES
    large = [
        b
        for b, size in git.new_objects(start, head).items()
        if b not in final and (size is None or size > cap)
    ]
    if large:
        problems.add(
            "large-history",
            f"a commit in between holds {len(large)} {'file' if len(large) == 1 else 'files'} over the limit "
            f"({limits.in_mib(cap)})",
            hint="rebuild the branch without that commit",
        )


def _check_size(model: str, entries: list[Entry], problems: Problems) -> None:
    """All files of an entry together; one that is too large alone says so when it is read."""
    whole = sum(entry.size or 0 for entry in entries)
    if whole > limits.SUBMISSION_BYTES:
        message = (
            f"{whole / limits.MIB:.0f} MiB in all, the limit is {limits.in_mib(limits.SUBMISSION_BYTES)}"
        )
        problems.add(
            "too-large", message, path=f"{SUBMISSIONS}/{model}", hint="pack the predictions with gzip"
        )


def _say_other_owner(
    model: str, asking: str, claimed: str, is_known: bool, line: int, problems: Problems
) -> None:
    """The card names somebody else than who asks: a gift when the entry is theirs, a mistake when it is new."""
    card = f"{SUBMISSIONS}/{model}/{CARD_NAME}"
    if is_known:
        message = f"would give the entry from @{printable(asking, 40)} to @{printable(claimed, 40)}"
        hint = "a reviewer will ask"
        problems.add("new-owner", message, path=card, line=line, field="owner", hint=hint, severity="warning")
    else:
        message = f"the pull request is by @{printable(asking, 40)}, the card says @{printable(claimed, 40)}"
        hint = "write your own account"
        problems.add("not-yours", message, path=card, line=line, field="owner", hint=hint)
