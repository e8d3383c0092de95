"""`rexrank status`: which cells are missing, stale or failed, and why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option, state_dir

__all__ = ["command"]


@click.command("status")
@click.argument("models", nargs=-1)
@click.option("--dataset", "datasets", multiple=True, help="Only this dataset (may be given several times).")
@click.option("--all", "every", is_flag=True, help="List current cells too.")
@click.option("--verify", is_flag=True, help="Also compute every record anew from its tables and compare.")
@results_option
@json_option
def command(
    models: tuple[str, ...],
    datasets: tuple[str, ...],
    every: bool,
    verify: bool,
    results: Path,
    as_json: bool,
) -> None:
    """List missing, stale and failed cells with the reason; nothing is scored."""
    from scorer.cells import Workshop
    from scorer.errors import InputError

    shop = Workshop(results, state_dir())
    if verify:
        from scorer.verification import verify_records

        problems = list(verify_records(shop))
        if problems:
            raise InputError(problems)
    cells = shop.cells(models, datasets)
    shown = [cell for cell in cells if every or cell.state != "current"]
    if as_json:
        print_json(
            {
                "cells": [
                    {
                        "model": cell.model,
                        "dataset": cell.dataset,
                        "track": cell.track,
                        "state": cell.state,
                        "reasons": list(cell.reasons),
                        "statistics": list(cell.statistics),
                    }
                    for cell in shown
                ]
            }
        )
        return
    for cell in shown:
        click.echo(
            f"{cell.state:8} {cell.model}  {cell.dataset}  {cell.track}  {'; '.join(cell.reasons[:3])}"
        )
    counted = Counter(cell.state for cell in cells)
    click.echo(", ".join(f"{counted[state]} {state}" for state in ("current", "stale", "missing", "failed")))
