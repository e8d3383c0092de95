"""`rexrank try`: score a submission here and now, show its rows inside the boards, write nothing."""

from __future__ import annotations

import os
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
@results_option
@json_option
def command(path: Path, dataset: str | None, device: str, results: Path, as_json: bool) -> None:
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
        shop.submission(model)  # raises with every problem
        cells = shop.cells([model], [dataset] if dataset else [])
        if not cells:
            hint = "add predictions/<dataset>.jsonl, and the tracks in submission.yaml"
            raise InputError(
                [Problem(path=str(path), code="nothing-to-score", message="no predictions", hint=hint)]
            )
        bench = make_bench(device, 0)
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
            for metric, reason in record.missing.items():
                click.echo(f"  {metric}: {reason}", err=True)


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
    os.symlink(folder, home / "predictions" / f"{dataset}{ending}")
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
        "estimates": [
            {
                "metric": e.metric,
                "value": e.value,
                "low": e.low,
                "high": e.high,
                "n": e.n,
                "signature": e.signature,
            }
            for e in record.estimates
        ],
        "missing": dict(record.missing),
    }
