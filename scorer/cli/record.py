"""`rexrank record`: take in what a scoring job made, publish it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option, state_dir

__all__ = ["command"]


@click.command("record")
@click.option(
    "--artifact", type=click.Path(path_type=Path, dir_okay=False), help="What the scoring job handed over."
)
@click.option(
    "--plan", "plan_file", type=click.Path(path_type=Path, dir_okay=False), help="What was to be scored."
)
@click.option("--push", "remote", default="", metavar="REMOTE", help="Publish to this remote's main branch.")
@click.option("--branch", default="main", show_default=True, help="The branch that is published to.")
@click.option(
    "--pull-request", "repository", default="", metavar="OWNER/NAME", help="Open a pull request there."
)
@click.option(
    "--api", default="https://api.github.com", show_default=True, help="Address of the code host's API."
)
@results_option
@json_option
def command(
    artifact: Path | None,
    plan_file: Path | None,
    remote: str,
    branch: str,
    repository: str,
    api: str,
    results: Path,
    as_json: bool,
) -> None:
    """Check the numbers in --artifact against main, and write them to results/scores.

    Anything impossible in it, and nothing is written. A planned cell without a result gets the state `failed`.
    With --push the change is committed on top of the remote's branch (five tries); with --pull-request too, it
    becomes a pull request. The token is read from REXRANK_TOKEN.
    """
    import re

    from scorer.cells import Workshop
    from scorer.checking.artifact import Artifact, read_artifact
    from scorer.errors import UsageError
    from scorer.guard import Problems, limits, read_bytes
    from scorer.reconcile import Plan, Taken, read_plan, take_in
    from scorer.reconcile.host_api import HostApi
    from scorer.reconcile.publish import publish

    if repository and not re.fullmatch(r"[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}", repository):
        raise UsageError("--pull-request takes OWNER/NAME")
    if repository and not remote:
        raise UsageError("--pull-request goes with --push REMOTE")
    problems = Problems()
    handed: Artifact | None = None
    if artifact and artifact.exists():
        data = read_bytes(artifact, artifact.name, limits.ARTIFACT_BYTES, problems)
        handed = None if data is None else read_artifact(data, artifact.name)
    plan = Plan()
    if plan_file:
        data = read_bytes(plan_file, plan_file.name, limits.MIB, problems)
        plan = plan if data is None else read_plan(data, plan_file.name)
    problems.raise_if_any()
    if handed and plan.commit and handed.commit != plan.commit:
        problems.add(
            "other-commit", "was not made from the planned commit", path=str(artifact and artifact.name)
        )
        problems.raise_if_any()
    if handed is None and not plan_file:
        raise UsageError("nothing to record: name --artifact, --plan or both")
    name = artifact.name if artifact else "plan"

    def take(root: Path, *, is_moved: bool) -> Taken:
        return take_in(handed, plan, Workshop(root, state_dir()), name, is_moved=is_moved)

    if not remote:
        taken, how, note = take(results, is_moved=False), "written", ""
    else:
        _strict_first(results, take)
        token = os.environ.get("REXRANK_TOKEN", "")
        host = HostApi(api, token) if repository else None
        done = publish(
            results.resolve().parent,
            remote,
            lambda root: take(root, is_moved=True),
            branch=branch,
            api=host,
            repository=repository,
            token=token,
        )
        taken, how, note = done.taken, done.how, done.note
    if as_json:
        print_json({"how": how, "note": note, "files": len(taken.written), "dropped": len(taken.dropped)})
        return
    click.echo(f"{how}: {len(taken.written)} files{f' ({note})' if note else ''}")
    for model, dataset, track in taken.dropped:
        click.echo(f"changed meanwhile, planned again next time: {model} {dataset} {track}", err=True)


def _strict_first(results: Path, take: object) -> None:
    """Judges the artifact against the very commit that was scored, in a copy, before main of now is looked at."""
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="rexrank-record-") as scratch:
        copy = Path(scratch) / "results"
        shutil.copytree(results, copy, symlinks=True)
        take(copy, is_moved=False)  # type: ignore[operator]
