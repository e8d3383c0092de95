"""`rexrank import`: turn what people have into canonical predictions."""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option
from scorer.errors import RexrankError, UsageError


@click.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dataset", required=True, help="What was predicted, such as iu-xray.")
@click.option("--model", default="", help="Id of the submission that the predictions belong to.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file instead.")
@results_option
@json_option
def command(file: Path, dataset: str, model: str, output: Path | None, results: Path, as_json: bool) -> None:
    """Turn FILE into canonical predictions: JSON Lines with study_id, findings and impression, by study id.

    Reads ReXrank's JSON (model_prediction, with or without Findings: and Impression: headers), an object of
    texts, a list of objects, JSON Lines, and CSV (study_id and report, or findings and impression). Ids stay
    the text that they are. Reference fields are left out, and said.
    """
    from scorer.checking.folder import shown_path
    from scorer.datasets import card
    from scorer.importing import import_predictions
    from scorer.predictions import canonical_predictions
    from scorer.store import Results, digest, write_atomic

    found = card(dataset, results)
    if bool(model) == (output is not None):
        raise UsageError("name the submission with --model, or a file with --output")
    if output is None:
        folder = Results(results).submission_dir(model)
        if not (folder / "submission.yaml").is_file():
            raise UsageError(f"there is no submission {model!r}; make it with: rexrank new {model}")
        if not found.is_public:
            raise UsageError(
                f"predictions for {dataset} must not lie in the repository ({found.access} access): write them "
                "elsewhere with --output, and give their link and sha256 in submission.yaml"
            )
        output = folder / "predictions" / f"{dataset}.jsonl"
        if (packed := output.with_name(output.name + ".gz")).exists():
            raise UsageError(f"{shown_path(packed)} is there already; remove it first")
    imported = import_predictions(file)
    data = canonical_predictions(imported.reports)
    try:
        write_atomic(output, data)
    except OSError as error:
        said = f"{shown_path(output)}: cannot be written ({error.strerror}); what was there is untouched"
        raise RexrankError(said) from None
    n = len(imported.reports)
    if as_json:
        print_json(
            {
                "path": shown_path(output),
                "n": n,
                "n_empty": imported.n_empty,
                "dropped": imported.dropped,
                "ignored": imported.ignored,
                "sha256": digest(data),
            }
        )
        return
    click.echo(f"{shown_path(output)}: {n:,} predictions, sha256 {digest(data)}")
    if imported.dropped:
        click.echo(f"reference text left out: {', '.join(imported.dropped)}", err=True)
    if imported.ignored:
        click.echo(f"other fields left out: {', '.join(imported.ignored)}", err=True)
    if imported.n_empty:
        click.echo(f"{imported.n_empty:,} predictions are empty; each counts as the worst value", err=True)
    where = output.parent.parent if model else output
    of = "" if model else f" --dataset {dataset}"
    click.echo(f"next: rexrank check {shown_path(where)}{of}", err=True)
