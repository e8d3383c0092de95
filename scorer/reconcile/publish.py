"""Brings what was taken in to main: as a commit that is pushed by compare-and-retry, or as a pull request of the
bot. Always on top of main as it is at that moment, in a work tree of its own; the caller's files stay as they are.
"""

from __future__ import annotations

import base64
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.checking.git import Git
from scorer.errors import RexrankError
from scorer.reconcile.host_api import HostApi, HostApiError
from scorer.reconcile.record import Taken
from scorer.store import digest

__all__ = ["Identity", "Published", "publish"]

_TRIES = 5
SCORE_PATHS = ("results/scores", "results/pairs")


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Who commits."""

    name: str = "rexrank scorer"
    email: str = "scorer@rexrank.invalid"


@dataclass(frozen=True, kw_only=True)
class Published:
    """What happened. how: "nothing" (main has it all), "pushed" or "pull-request"; taken: of the last try."""

    how: str
    commit: str
    taken: Taken
    note: str = ""


def publish(
    home: Path,
    remote: str,
    take: Callable[[Path], Taken],
    *,
    branch: str = "main",
    api: HostApi | None = None,
    repository: str = "",
    token: str = "",
    identity: Identity | None = None,
    paths: Sequence[str] = SCORE_PATHS,
    message: str = "Scores",
    tag: str = "",
    pause: Callable[[float], None] = time.sleep,
) -> Published:
    """Publishes what `take` writes into a results folder.

    With `api` it becomes a pull request; when the API stays away, the commit is pushed to the branch like without
    one, so that scores are recorded all the same.

    Args:
        paths: what may change, and the only thing that is committed. tag: pushed with the commit, never moved.
        home: a clone. take: writes into the results folder it is given (main at that moment) and says what; it is
            called again for every try.

    Raises:
        RexrankError: five tries were overtaken, or the branch refuses the push.
    """
    who = identity or Identity()
    said = ""
    for attempt in range(_TRIES):
        if attempt:
            pause(2.0**attempt)
        with _latest(home, remote, branch, token) as tree:
            taken = take(tree.folder / "results")
            commit = _commit(tree, who, paths, message)
            if not commit:
                return Published(how="nothing", commit=tree.commit("HEAD"), taken=taken)
            if api is not None:
                try:
                    number = _propose(tree, remote, branch, api, repository, token, paths)
                    return Published(how="pull-request", commit=commit, taken=taken, note=f"#{number}")
                except HostApiError as error:
                    said, api = f"{error}; pushed instead", None
            refs = [f"HEAD:refs/heads/{branch}", *([f"HEAD:refs/tags/{tag}"] if tag else [])]
            try:
                tree.run("push", "--quiet", "--atomic", remote, *refs, more=_secret(token))
                return Published(how="pushed", commit=commit, taken=taken, note=said)
            except RexrankError:
                continue
    raise RexrankError(f"{branch} could not be pushed in {_TRIES} tries; run it again, nothing is lost")


def _secret(token: str) -> dict[str, str]:
    """The token where git finds it and no process list shows it."""
    if not token:
        return {}
    basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic}",
    }


@contextlib.contextmanager
def _latest(home: Path, remote: str, branch: str, token: str) -> Iterator[Git]:
    """A throw-away clone of the remote's branch as it is now; `home` only lends its objects."""
    url = Git(home).run("remote", "get-url", "--", remote).decode().strip() if "/" not in remote else remote
    with tempfile.TemporaryDirectory(prefix="rexrank-record-") as scratch:
        tree = Git(Path(scratch))
        tree.run("init", "--quiet", "--template=", f"--initial-branch={branch}", ".")
        tree.run("remote", "add", "origin", url)
        objects = (
            Git(home).run("rev-parse", "--path-format=absolute", "--git-path", "objects").decode().strip()
        )
        (tree.folder / ".git" / "objects" / "info").mkdir(exist_ok=True)
        (tree.folder / ".git" / "objects" / "info" / "alternates").write_text(
            f"{objects}\n", encoding="utf-8"
        )
        tree.run(
            "fetch",
            "--quiet",
            "--no-tags",
            "origin",
            f"+refs/heads/{branch}:refs/heads/now",
            more=_secret(token),
        )
        tree.run("checkout", "--quiet", "--detach", "now")
        if remote != "origin" and "/" not in remote:
            tree.run("remote", "rename", "origin", remote)
        yield tree


def _commit(tree: Git, who: Identity, paths: Sequence[str], message: str) -> str:
    """Commits what changed under `paths`; "" when nothing did."""
    there = [path for path in paths if (tree.folder / path).exists()]
    if not there:
        return ""
    tree.run("add", "--all", "--", *there)
    if not tree.run("diff", "--cached", "--name-only", "-z"):
        return ""
    settings = ["-c", f"user.name={who.name}", "-c", f"user.email={who.email}", "-c", "commit.gpgsign=false"]
    tree.run(*settings, "commit", "--quiet", "--no-verify", "--message", message)
    return tree.commit("HEAD")


def _propose(
    tree: Git, remote: str, branch: str, api: HostApi, repository: str, token: str, paths: Sequence[str]
) -> int:
    """Pushes a branch named after its content, and opens its pull request unless it is open; gives its number."""
    content = tree.run("diff", "--raw", "-z", "--no-abbrev", "now", "HEAD", "--", *paths)
    name = f"rexrank/scores-{digest(content)[:12]}"
    tree.run("push", "--quiet", "--force", remote, f"HEAD:refs/heads/{name}", more=_secret(token))
    owner = repository.split("/")[0]
    found = api.get(f"/repos/{repository}/pulls?state=open&head={owner}:{name}&base={branch}")
    for one in found if isinstance(found, list) else []:
        if isinstance(one, dict) and isinstance(one.get("number"), int):
            return int(one["number"])
    body = {
        "title": "Scores",
        "head": name,
        "base": branch,
        "body": "Records of the cells that main had none for. Numbers only, checked against main by `rexrank record`.",
    }
    made = api.post(f"/repos/{repository}/pulls", body)
    if isinstance(made, dict) and isinstance(made.get("number"), int):
        return int(made["number"])
    raise HostApiError(f"POST /repos/{repository}/pulls: an answer without a number")
