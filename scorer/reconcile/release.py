"""Publishes a frozen snapshot: its folder on main, a tag, and a release with its files that nothing can change."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from scorer.errors import UsageError
from scorer.reconcile.host_api import HostApi, HostApiError
from scorer.reconcile.publish import Published, publish
from scorer.reconcile.record import Taken
from scorer.snapshots.version import Version

__all__ = ["release"]

ASSETS = ("snapshot.json", "board.csv", "CITATION.cff", "SHA256SUMS")


def release(
    version: Version,
    results: Path,
    remote: str,
    *,
    branch: str = "main",
    api: HostApi | None = None,
    repository: str = "",
    token: str = "",
    pause: Callable[[float], None] | None = None,
) -> Published:
    """Pushes the snapshot's folder and tag together, then makes the release: as a draft, its files, then public.

    Raises:
        UsageError: there is no such snapshot here. RexrankError: the push or the API refuses.
    """
    folder = results / "snapshots" / str(version)
    if not (folder / "SHA256SUMS").is_file():
        raise UsageError(f"there is no snapshot {version} here; make it with: rexrank freeze {version}")

    def take(root: Path) -> Taken:
        target = root / "snapshots" / str(version)
        shutil.copytree(folder, target, dirs_exist_ok=True)
        return Taken(written=tuple(sorted(path for path in target.rglob("*") if path.is_file())), dropped=())

    more = {} if pause is None else {"pause": pause}
    done = publish(
        results.resolve().parent,
        remote,
        take,
        branch=branch,
        token=token,
        paths=(f"results/snapshots/{version}",),
        message=f"Snapshot {version}",
        tag=version.tag,
        **more,  # type: ignore[arg-type]
    )
    if api is not None:
        _make_release(version, folder, api, repository)
    return done


def _make_release(version: Version, folder: Path, api: HostApi, repository: str) -> None:
    home = f"/repos/{repository}/releases"
    if api.get(f"{home}/tags/{version.tag}") is not None:
        return
    body = {"tag_name": version.tag, "name": f"Snapshot {version}", "body": "See SHA256SUMS.", "draft": True}
    made = api.post(home, body)
    if not isinstance(made, dict) or not isinstance(made.get("id"), int):
        raise HostApiError(f"POST {home}: an answer without an id")
    upload = str(made.get("upload_url", "")).split("{")[0]
    for name in ASSETS:
        if (folder / name).is_file():
            api.upload(f"{upload}?name={quote(name)}", (folder / name).read_bytes())
    api.patch(f"{home}/{made['id']}", {"draft": False})
