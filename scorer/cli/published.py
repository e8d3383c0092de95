"""`rexrank published`: bring in and look at figures that somebody else published."""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option

__all__ = ["command"]

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.group("published")
def command() -> None:
    """Figures that somebody else published: kept as reported, never ranked with ours."""


@command.command("import")
@click.argument("scores", type=_FILE, metavar="CSV")
@click.argument("sources", type=_FILE, metavar="SOURCES")
@click.argument("models", type=_FILE, metavar="[MODELS]", required=False)
@results_option
@json_option
def import_(scores: Path, sources: Path, models: Path | None, results: Path, as_json: bool) -> None:
    """Turn a table of published figures into results/published and results/models.

    CSV has the columns source_id, dataset, split, track, model, metric, value, trained_on_dataset and note;
    SOURCES (YAML) says where each source_id was read; MODELS (YAML) describes the models. Importing the same
    files again changes nothing; an edition that is not in them is left alone.
    """
    from scorer.published.importer import plan_import
    from scorer.store import write_atomic

    plan = plan_import(scores, sources, models, results)
    changed = [path for path, data in sorted(plan.files.items()) if write_atomic(results / path, data)]
    if as_json:
        print_json(
            {
                "figures": plan.n_figures,
                "editions": plan.n_editions,
                "models": plan.n_models,
                "changed": changed,
            }
        )
    else:
        click.echo(
            f"{plan.n_figures} figures in {plan.n_editions} editions, {plan.n_models} model cards: "
            f"{len(changed)} of {len(plan.files)} files changed in {results}"
        )
