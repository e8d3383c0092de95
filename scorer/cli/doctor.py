"""`rexrank doctor`: what each metric and dataset needs, and whether this machine has it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli.common import (
    json_option,
    print_json,
    results_option,
    state_dir,
)

if TYPE_CHECKING:
    from scorer.statistics import Bench

__all__ = ["command"]


@click.command("doctor")
@click.option(
    "--repository", default="", metavar="OWNER/NAME", help="Look at a repository's settings instead."
)
@click.option(
    "--api", default="https://api.github.com", show_default=True, help="Address of the code host's API."
)
@results_option
@json_option
def command(repository: str, api: str, results: Path, as_json: bool) -> None:
    """Say what each metric and dataset needs, and the command that gets what is not here. Loads no encoder.

    With --repository: whether the settings that the workflows rely on are as docs/maintaining.md asks. The token
    is read from REXRANK_TOKEN; it needs to read administration.
    """
    if repository:
        _look_at_repository(repository, api, as_json)
        return
    from scorer.cli.score import make_bench

    bench = make_bench("cpu", 0)
    report = {
        "machine": _machine(bench),
        "metrics": _metrics(bench),
        "encoders": _encoders(bench.weights_dir),
        "datasets": _datasets(results),
    }
    if as_json:
        print_json(report)
    else:
        _show(report)


def _look_at_repository(repository: str, api: str, as_json: bool) -> None:
    import dataclasses
    import os
    import re

    from scorer.errors import UsageError
    from scorer.reconcile.host_api import HostApi
    from scorer.reconcile.repository import look

    if not re.fullmatch(r"[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}", repository):
        raise UsageError("--repository takes OWNER/NAME")
    settings = look(HostApi(api, os.environ.get("REXRANK_TOKEN", ""), tries=1), repository)
    if as_json:
        print_json({"settings": [dataclasses.asdict(setting) for setting in settings]})
    else:
        for one in settings:
            click.echo(f"{one.state:8} {one.name}: {one.found}")
            if one.state != "good":
                click.echo(f"         wanted: {one.wanted} ({one.where})")
    if any(setting.state == "bad" for setting in settings):
        raise SystemExit(1)


def _machine(bench: Bench) -> dict[str, Any]:
    import platform
    from importlib import metadata, util

    versions = {"python": platform.python_version()}
    for name in ("rexrank", "numpy", "torch", "transformers"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    found: dict[str, Any] = {
        "versions": versions,
        "weights_dir": str(bench.weights_dir),
        "cache_dir": str(bench.cache_dir),
        "cuda": [],
    }
    if util.find_spec("torch") is not None:
        import torch

        found["threads"] = torch.get_num_threads()
        found["cuda"] = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return found


def _metrics(bench: Bench) -> list[dict[str, Any]]:
    from scorer.metrics import METRICS
    from scorer.statistics import STATISTICS

    lacks = {one.spec.id: one.missing(bench) for one in STATISTICS}
    return [
        {
            "metric": one.spec.id,
            "statistics": list(one.spec.needs),
            "is_ready": not any(lacks[need] for need in one.spec.needs),
            "missing": [
                {"statistic": need, "what": lack[0], "command": lack[1]}
                for need in one.spec.needs
                if (lack := lacks[need]) is not None
            ],
        }
        for one in METRICS
    ]


def _encoders(weights: Path) -> list[dict[str, Any]]:
    from scorer.weights import read_lock, verify

    packaged = read_lock()
    rows = []
    for encoder, lock in read_lock(weights).encoders.items():
        states = {state for _, state in verify(encoder, weights, trust_stamps=True)}
        state = next((one for one in ("unpinned", "wrong", "absent") if one in states), "ready")
        rows.append(
            {
                "encoder": encoder,
                "state": state,
                # Numbers made with other weights than the packaged lock pins are nobody else's numbers.
                "lock": "packaged" if packaged.encoders.get(encoder) == lock else "this machine's own",
                "digest": lock.digest if lock.is_pinned else None,
                "size": lock.size,
                "licences": list(lock.licences),
            }
        )
    return rows


def _datasets(results: Path) -> list[dict[str, Any]]:
    from scorer.datasets import cards, state_of

    home = state_dir()
    return [
        {
            "dataset": card.id,
            "state": state_of(card, home),
            "access": card.access,
            "how_to_get": card.how_to_get.strip(),
        }
        for card in cards(results)
    ]


def _show(report: dict[str, Any]) -> None:
    machine = report["machine"]
    click.echo(", ".join(f"{name} {version}" for name, version in machine["versions"].items()))
    click.echo(f"CUDA devices: {', '.join(machine['cuda']) or 'none'}")
    click.echo(f"weights in {machine['weights_dir']}, cache in {machine['cache_dir']}")
    click.echo("\nMetrics")
    alike: dict[tuple[str, ...], list[str]] = {}
    for row in report["metrics"]:
        lacks = dict.fromkeys(f"{lack['what']}: {lack['command']}" for lack in row["missing"])
        alike.setdefault(tuple(lacks), []).append(row["metric"])
    for told, metrics in sorted(alike.items(), key=lambda pair: len(pair[0])):
        click.echo(f"  {'missing' if told else 'ready':9}{', '.join(metrics)}")
        for lack in told:
            click.echo(f"{'':11}{lack}")
    click.echo("\nEncoders")
    for row in report["encoders"]:
        size = "size unknown" if row["size"] is None else f"{row['size'] / 1e6:,.0f} MB"
        lock = "" if row["lock"] == "packaged" else f", locked by {row['lock']} lock"
        click.echo(
            f"  {row['state']:9}{row['encoder']} ({size}{lock}); licence: {'; '.join(row['licences'])}"
        )
    click.echo("\nDatasets")
    for row in report["datasets"]:
        click.echo(f"  {row['state']:11}{row['dataset']} ({row['access']})")
        if row["state"] in {"missing", "gone"}:
            for line in row["how_to_get"].splitlines():
                click.echo(f"{'':13}{line}".rstrip())
