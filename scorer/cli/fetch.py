"""`rexrank fetch`: get linked predictions onto the machine that scores."""

from __future__ import annotations

import os
from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option, state_dir, weights_dir

__all__ = ["command"]


@click.command("fetch")
@click.argument("models", nargs=-1)
@click.option(
    "--plan", "plan_file", type=click.Path(path_type=Path, dir_okay=False), help="Only for these cells."
)
@click.option("--references", is_flag=True, help="Place the references that REXRANK_REFERENCES names, too.")
@click.option(
    "--weights", default="", metavar="ENCODERS", help="Pull these weights, too (separated by blanks)."
)
@results_option
@json_option
def command(
    models: tuple[str, ...],
    plan_file: Path | None,
    references: bool,
    weights: str,
    results: Path,
    as_json: bool,
) -> None:
    """Download the predictions that submissions link to, verify their sha256, keep them out of the repository.

    A file that is here already with the right content is left alone. Only public https addresses are asked.
    A scoring machine that starts empty gets its references and weights in the same way, before its network is cut.
    """
    from scorer.cells import Workshop
    from scorer.errors import InputError
    from scorer.guard import Problems
    from scorer.reconcile import read_plan
    from scorer.reconcile.fetch import fetch_predictions

    placed = []
    if references:
        from scorer.reconcile.references import place_references

        placed = place_references(os.environ.get("REXRANK_REFERENCES", ""), state_dir(), results)
    for encoder in weights.split():
        from scorer.weights import fetch

        fetch.pull(encoder, weights_dir(), report=lambda name, done, total: None)
    shop = Workshop(results, state_dir())
    cells = None
    if plan_file:
        plan = read_plan(plan_file.read_bytes(), plan_file.name)
        cells = {(cell.model, cell.dataset) for cell in plan.cells}
    problems, got = Problems(), []
    for model in shop.results.submission_ids():
        if models and model not in models:
            continue
        try:
            submission = shop.submission(model)
        except InputError:
            continue
        for dataset, source in submission.predictions.items():
            if source.url and (cells is None or (model, dataset) in cells):
                place = fetch_predictions(source, model, dataset, state_dir(), problems)
                if place:
                    got.append(f"{model} {dataset}")
    if as_json:
        print_json(
            {
                "ok": not problems.has_errors,
                "references": placed,
                "files": got,
                "problems": [p.as_dict() for p in problems.found],
            }
        )
    else:
        for line in [*(f"references of {dataset}" for dataset in placed), *got]:
            click.echo(line)
        click.echo(f"{len(got)} files are here")
    if not as_json:
        problems.raise_if_any()
    elif problems.has_errors:
        raise SystemExit(1)
