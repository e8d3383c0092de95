"""`rexrank plan`: what there is to score on main."""

from __future__ import annotations

import time
from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option, state_dir

__all__ = ["command"]


@click.command("plan")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the plan here.")
@click.option("--retry-failed", is_flag=True, help="Plan cells again that failed with the same predictions.")
@click.option(
    "--event",
    default="",
    help="Event that started the workflow; a schedule or a dispatch retries failed cells.",
)
@click.option(
    "--workflow-output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append `commit`, `cells` and `work` here, for later jobs.",
)
@click.option("--cost", is_flag=True, help="Say minutes and money of each cell, nothing cached.")
@click.option("--cost-device", default="a100", show_default=True, help="A device of the rates file.")
@click.option(
    "--rates",
    "rates_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Your own rates file (default: the packaged one).",
)
@results_option
@json_option
def command(
    output: Path | None,
    retry_failed: bool,
    event: str,
    workflow_output: Path | None,
    cost: bool,
    cost_device: str,
    rates_file: Path | None,
    results: Path,
    as_json: bool,
) -> None:
    """List the cells without a current record, and those that a rule holds back. Scores and writes nothing else.

    References are not needed. Quotas of private splits are counted from the history of this clone.
    """
    from scorer.cells import Workshop
    from scorer.checking.git import Git
    from scorer.errors import RexrankError, UsageError
    from scorer.reconcile import make_plan, write_plan
    from scorer.reconcile.plan import lines_of
    from scorer.store import write_atomic

    git: Git | None = Git(results.resolve().parent)
    try:
        assert git is not None
        commit = git.commit("HEAD")
    except (RexrankError, UsageError):
        git, commit = None, ""
    shop = Workshop(results, state_dir())
    plan = make_plan(
        shop,
        git=git,
        commit=commit,
        now=time.time(),
        retry_failed=retry_failed or event in {"schedule", "workflow_dispatch"},
    )
    if output:
        write_atomic(output, write_plan(plan))
    if workflow_output:
        work = "true" if plan.cells or plan.states else "false"
        with workflow_output.open("a", encoding="utf-8") as file:
            file.write(f"commit={commit}\ncells={len(plan.cells)}\nwork={work}\n")
    if as_json:
        print_json(plan.model_dump(mode="json"))
    else:
        for line in lines_of(plan):
            click.echo(line)
    if cost:
        from scorer.costs import estimate_costs, read_rates, summary, work_of
        from scorer.costs.rates import PACKAGED

        rates = read_rates(rates_file or PACKAGED)
        planned = {(cell.model, cell.dataset, cell.track) for cell in plan.cells}
        cells = [cell for cell in shop.cells() if (cell.model, cell.dataset, cell.track) in planned]
        costs = estimate_costs(
            work_of((cell, shop.card(cell.dataset)) for cell in cells), rates, rates.device(cost_device)
        )
        for line in summary(costs, rates):
            click.echo(line, err=as_json)
