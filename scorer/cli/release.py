"""`rexrank release`: publish a frozen snapshot."""

from __future__ import annotations

import os
from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option

__all__ = ["command"]


@click.command("release")
@click.argument("version")
@click.option(
    "--push", "remote", required=True, metavar="REMOTE", help="Push the snapshot and its tag there."
)
@click.option("--branch", default="main", show_default=True, help="The branch that is published to.")
@click.option("--repository", default="", metavar="OWNER/NAME", help="Make a release there too.")
@click.option(
    "--api", default="https://api.github.com", show_default=True, help="Address of the code host's API."
)
@results_option
@json_option
def command(
    version: str, remote: str, branch: str, repository: str, api: str, results: Path, as_json: bool
) -> None:
    """Publish snapshot VERSION, made by `rexrank freeze`: a commit and a tag, pushed together, and a release.

    The token is read from REXRANK_TOKEN.
    """
    from scorer.reconcile.host_api import HostApi
    from scorer.reconcile.release import release
    from scorer.snapshots.version import Version

    token = os.environ.get("REXRANK_TOKEN", "")
    host = HostApi(api, token) if repository else None
    wanted = Version.parse(version)
    done = release(wanted, results, remote, branch=branch, api=host, repository=repository, token=token)
    if as_json:
        print_json({"version": str(wanted), "how": done.how, "commit": done.commit})
    else:
        click.echo(f"{wanted}: {done.how}, {done.commit}")
