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


@command.command("list")
@results_option
@json_option
def list_(results: Path, as_json: bool) -> None:
    """List the sources that results/published holds, oldest first."""
    from scorer.published import read_editions

    editions = read_editions(results)
    if as_json:
        print_json(
            [
                {
                    "id": edition.id,
                    "kind": edition.kind,
                    "date": edition.date.isoformat() if edition.date else None,
                    "title": edition.title,
                    "figures": len(edition.rows),
                    "links": [url for _, url in edition.links],
                }
                for edition in editions
            ]
        )
        return
    for edition in editions:
        click.echo(f"{edition.id:28} {edition.kind:8} {len(edition.rows):5} figures  {edition.title}")


@command.command("quality")
@results_option
@json_option
def quality(results: Path, as_json: bool) -> None:
    """List what does not fit in the published figures, each finding with its evidence."""
    from dataclasses import asdict

    from scorer.published import read_editions
    from scorer.published.quality import CHECKS, check_quality, count_by_kind

    findings = check_quality(read_editions(results))
    if as_json:
        print_json([asdict(finding) for finding in findings])
        return
    counts = count_by_kind(findings)
    for kind, meaning, _ in CHECKS:
        click.echo(f"{kind}: {meaning} ({counts[kind]})")
        for finding in findings:
            if finding.kind == kind:
                click.echo(f"  {finding.sentence}")


@command.command("diff")
@click.argument("earlier")
@click.argument("later")
@results_option
@json_option
def diff(earlier: str, later: str, results: Path, as_json: bool) -> None:
    """Show what changed from edition EARLIER to edition LATER: models, figures and ranks."""
    from dataclasses import asdict

    from scorer.errors import UsageError
    from scorer.published import metric, read_editions
    from scorer.published.history import diff_editions

    editions = {edition.id: edition for edition in read_editions(results)}
    for id in (earlier, later):
        if id not in editions:
            raise UsageError(f"no edition has that id; there are {', '.join(editions) or 'none'}")
    found = diff_editions(editions[earlier], editions[later])
    if as_json:
        print_json(asdict(found))
        return
    for board in found.boards:
        click.echo(f"{board.dataset} {board.split} {board.track}{'' if board.earlier else ': new board'}")
        for word, models in (("new", board.new), ("gone", board.gone)):
            if models:
                click.echo(f"  {word}: {', '.join(models)}")
        for change in board.changes:
            label = metric(change.later.metric).label
            moved = f"{change.old:.4g} then {change.new:.4g} ({change.new - change.old:+.4g})"
            click.echo(f"  {change.later.model} {label}: {moved}")
        for move in board.moves:
            label = metric(move.metric).label
            click.echo(
                f"  {move.model} {label}: rank {move.old} of {move.n_old} then {move.new} of {move.n_new}"
            )
    for dataset, split, track in found.boards_gone:
        click.echo(f"{dataset} {split} {track}: not in {later}")
