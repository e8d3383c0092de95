"""`rexrank canary`: does a fixed submission still get its frozen numbers?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from scorer.cli.common import json_option, print_json

__all__ = ["command"]


@click.command("canary")
@click.option(
    "--freeze",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the numbers of now to this file instead (after a deliberate change).",
)
@json_option
def command(freeze: Path | None, as_json: bool) -> None:
    """Score a fixed demo submission and compare every number and interval with the frozen ones.

    Exit 1 when one differs: a dependency, the machine or the code changed a number without a version.
    """
    from scorer.reconcile.canary import differences, frozen_bytes, frozen_numbers, numbers_now
    from scorer.store import write_atomic

    now = numbers_now()
    if freeze:
        write_atomic(freeze, frozen_bytes(now))
        click.echo(str(freeze))
        return
    said = differences(now, frozen_numbers())
    if as_json:
        print_json({"ok": not said, "differences": said})
    else:
        for line in said:
            click.echo(line)
        n = sum(len(figures) for figures in now.values())
        click.echo(f"{n} numbers, {len(said)} differences")
    if said:
        sys.exit(1)
