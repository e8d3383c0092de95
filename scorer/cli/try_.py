"""`rexrank try`: score a submission here and now, show its rows inside the boards, write nothing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import click

from scorer.cli.common import cache_dir, json_option, print_json, results_option, state_dir

__all__ = ["command"]


@click.command("try")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--dataset", help="Only this dataset; needed when PATH is a prediction file.")
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda or cuda:N.")
@click.option(
    "--reading",
    type=click.Choice(["text@1", "rexrank-compat@1"]),
    default="text@1",
    show_default=True,
    help="Text rule; rexrank-compat@1 reproduces figures of old ReXrank tables and is ranked with nothing.",
)
@results_option
@json_option
def command(path: Path, dataset: str | None, device: str, reading: str, results: Path, as_json: bool) -> None:
    """Score the submission folder or prediction file at PATH with whatever is installed on this machine.

    The result is shown inside the current board and nothing is kept.
    """
    from scorer.boards import build_board
    from scorer.cells import Workshop
    from scorer.cli.score import make_bench
    from scorer.cli.table import print_board
    from scorer.errors import InputError, MissingError, Problem

    with tempfile.TemporaryDirectory(prefix="rexrank-try-") as scratch:
        root = Path(scratch)
        model = _lay_out(root, results, path, dataset)
        shop = Workshop(root, state_dir(), cache_dir())
        submission = shop.submission(model)  # raises with every problem, and so do the predictions
        for name in submission.predictions if dataset is None else [dataset]:
            if name in submission.predictions:
                shop.predictions(model, name)
        cells = shop.cells([model], [dataset] if dataset else [])
        if not cells:
            hint = "add predictions/<dataset>.jsonl, and the tracks in submission.yaml"
            raise InputError(
                [Problem(path=str(path), code="nothing-to-score", message="no predictions", hint=hint)]
            )
        bench = make_bench(device, 0)
        if reading != "text@1":
            _print_estimates(_read_anew(shop, cells, bench, reading), as_json)
            return
        filled = [shop.fill(cell, bench) for cell in cells]
        problems = [one for one in filled if one.record is None]
        if problems:
            said = sorted({one.problem for one in problems})
            if all("to get it:" in line for line in said):
                what, _, how = said[0].partition("; to get it: ")
                raise MissingError(what, how)
            raise InputError([Problem(code="cannot-score", message=line) for line in said])
        records = [one.record for one in filled if one.record is not None]
        if as_json:
            print_json({"records": [_as_json(record) for record in records]})
            return
        for record in records:
            board = build_board(shop, shop.card(record.dataset), record.track)
            if board is not None:
                print_board(board, mark=model)
            for row in board.rows if board is not None else ():
                for signal in row.signals if row.model == model else ():
                    click.echo(f"  {signal.sentence}")
            waiting = [
                metric for metric, reason in record.missing.items() if reason.startswith("unavailable")
            ]
            if waiting:
                click.echo(
                    f"  {len(waiting)} metrics need weights and are scored after the merge (rexrank doctor)",
                    err=True,
                )
            for metric, reason in record.missing.items():
                if metric not in waiting:
                    click.echo(f"  {metric}: {reason}", err=True)


def _read_anew(shop: Any, cells: Any, bench: Any, reading: str) -> list[dict[str, Any]]:
    """Estimates under another text rule; no record, no board."""
    from scorer.estimates import as_tables, estimate_all
    from scorer.metrics import METRICS
    from scorer.pairing import pair_studies
    from scorer.scoring import compute_table
    from scorer.statistics import STATISTICS

    found = []
    for cell in cells:
        card = shop.card(cell.dataset)
        studies = shop.studies(card.id, card.split)
        run = pair_studies(
            cell.model, card, cell.track, shop.predictions(cell.model, card.id), studies, reading
        )
        able = [one for one in STATISTICS if one.missing(bench) is None]
        tables = {one.spec.id: compute_table(one, run, "", bench) for one in able}
        estimates, missing = estimate_all(
            METRICS,
            as_tables(tables),
            dataset_key=card.key,
            track=cell.track,
            n=run.n,
            n_empty=run.n_empty,
            clusters=run.patients,
            text_rule=reading,
        )
        fields = {
            "model": run.model,
            "dataset": card.id,
            "track": cell.track,
            "n": run.n,
            "n_empty": run.n_empty,
        }
        found.append(fields | {"estimates": [_estimate(e) for e in estimates], "missing": dict(missing)})
    return found


def _print_estimates(records: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json({"records": records})
        return
    for record in records:
        click.echo(f"{record['model']} · {record['dataset']} · {record['track']} · {record['n']} studies")
        for e in record["estimates"]:
            click.echo(f"  {e['metric']:16} {e['value']:.4f}  {e['signature']}")


def _lay_out(root: Path, results: Path, path: Path, dataset: str | None) -> str:
    """Makes a results folder of links: everything of `results`, and the tried submission."""
    (root / "submissions").mkdir()
    (root / "scores").mkdir()
    folder = path.resolve()
    model = folder.name
    for kind in ("submissions", "scores"):
        for child in sorted((results / kind).glob("*")):
            if child.name != model:
                (root / kind / child.name).symlink_to(child.resolve(), target_is_directory=True)
    for name in ("datasets", "signals.yaml"):
        if (results / name).exists():
            (root / name).symlink_to((results / name).resolve())
    if folder.is_dir():
        (root / "submissions" / model).symlink_to(folder, target_is_directory=True)
        return model
    if dataset is None:
        raise click.UsageError("a prediction file needs --dataset")
    model = "tried-file"
    home = root / "submissions" / model
    (home / "predictions").mkdir(parents=True)
    ending = ".jsonl.gz" if folder.name.endswith(".gz") else ".jsonl"
    shutil.copyfile(folder, home / "predictions" / f"{dataset}{ending}")
    (home / "submission.yaml").write_text(
        f"id: {model}\nname: {model}\nowner: nobody\ntracks: [findings, findings_impression]\n",
        encoding="utf-8",
    )
    return model


def _as_json(record: Any) -> dict[str, Any]:
    return {
        "model": record.model,
        "dataset": record.dataset,
        "track": record.track,
        "n": record.n,
        "n_empty": record.n_empty,
        "estimates": [_estimate(e) for e in record.estimates],
        "missing": dict(record.missing),
    }


def _estimate(e: Any) -> dict[str, Any]:
    return {
        "metric": e.metric,
        "value": e.value,
        "low": e.low,
        "high": e.high,
        "n": e.n,
        "signature": e.signature,
    }
