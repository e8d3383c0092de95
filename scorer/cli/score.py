"""`rexrank score`: fill the cells that are missing or stale."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import click

from scorer.cli.common import (
    cache_dir,
    json_option,
    print_json,
    results_option,
    state_dir,
    weights_dir,
)
from scorer.errors import InputError, Problem, RexrankError, StageError

__all__ = ["command", "make_bench"]


def make_bench(device: str, batch_size: int, progress: Any = None, engine: Any = None) -> Any:
    """The workplace of this machine as the environment describes it."""
    from scorer.judges.endpoints import endpoints
    from scorer.statistics import Bench

    extra = {} if progress is None else {"progress": progress}
    return Bench(
        weights_dir=weights_dir(),
        cache_dir=cache_dir(),
        device=device,
        batch_size=batch_size,
        judges=endpoints(state_dir(), os.environ),
        engine=engine,
        **extra,
    )


@click.command("score")
@click.argument("models", nargs=-1)
@click.option("--dataset", "datasets", multiple=True, help="Only this dataset (may be given several times).")
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda or cuda:N.")
@click.option("--batch-size", default=0, help="Texts a batch; 0 lets the engine choose.")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where encoders run: in this process, or on workers of Ray.",
)
@click.option("--workers", type=click.IntRange(1), default=1, help="Workers of Ray; on cuda one GPU each.")
@click.option(
    "--ray-address", default="", help="A running Ray cluster (auto: this machine's); else one is started."
)
@click.option("--recompute", multiple=True, metavar="STATISTIC", help="Compute this statistic anew.")
@click.option(
    "--plan", "plan_file", type=click.Path(path_type=Path, dir_okay=False), help="Only what is planned."
)
@click.option(
    "--artifact",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write all numbers made here to one file, for `rexrank record`.",
)
@click.option("--sealed", is_flag=True, help="Score the sealed studies of private splits, for a snapshot.")
@click.option("--offline", is_flag=True, help="Cut the network first, or refuse to go on.")
@click.option(
    "--export-signed",
    "key",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Sign the records of closed datasets with this SSH key, for a pull request.",
)
@results_option
@json_option
def command(
    models: tuple[str, ...],
    datasets: tuple[str, ...],
    device: str,
    batch_size: int,
    engine: str,
    workers: int,
    ray_address: str,
    recompute: tuple[str, ...],
    plan_file: Path | None,
    artifact: Path | None,
    sealed: bool,
    offline: bool,
    key: Path | None,
    results: Path,
    as_json: bool,
) -> None:
    """Score what is missing or stale: all MODELS, or those named. Finished work is kept whatever happens."""
    if offline:
        from scorer.judges.endpoints import endpoints
        from scorer.reconcile.offline import cut_network

        cut_network(sys.argv[1:], endpoints(state_dir(), os.environ).values())
    spread = None
    if engine == "ray":
        from scorer.engines.ray import RayEngine

        spread = RayEngine(workers=workers, device=device.partition(":")[0], address=ray_address)
    if sealed:
        from scorer.reconcile.sealed import score_sealed

        for path in score_sealed(results, state_dir(), make_bench(device, batch_size, engine=spread)):
            click.echo(str(path))
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from scorer.cells import Workshop
    from scorer.reconcile.handover import Handover, planned_cells
    from scorer.reconcile.private import fill_cell

    shop = Workshop(results, state_dir())
    plan = planned_cells(plan_file)
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not sys.stderr.isatty()) as bar:
        stage = bar.add_task("", total=None, visible=False)

        def progress(name: str, done: int, total: int) -> None:
            bar.update(stage, description=name, completed=done, total=total, visible=done < total)

        bench = make_bench(device, batch_size, progress, spread)
        cells = shop.cells(models, datasets)
        refuse_unknown(models, cells)
        work = [cell for cell in cells if recompute or shop.needs_work(cell, bench)]
        work = [cell for cell in work if plan is None or plan.allows(cell)]
        handover = Handover(shop, artifact, plan)
        overall = bar.add_task("cells", total=len(work))
        estimated, started = _estimate(shop, work, bench), time.perf_counter()
        done = []
        for cell in work:
            bar.update(overall, description=f"{cell.model} · {cell.dataset} · {cell.track}")
            outcome = fill_cell(shop, cell, bench, recompute=recompute)
            done.append(outcome.filled)
            handover.add(outcome)
            bar.advance(overall)
        for card in shop.cards:
            touched = {
                one.cell.track for one in done if one.record is not None and one.cell.dataset == card.id
            }
            for track in sorted(touched) if not card.is_public else ():
                _publish_silently(shop, card, track)
        handover.write(key)
    if estimated:
        from scorer.costs import how_far_off

        click.echo(how_far_off(estimated, time.perf_counter() - started), err=True)
    unfilled = [one for one in done if one.problem]
    failed = [
        (one, reason)
        for one in done
        if one.record is not None
        for reason in one.record.missing.values()
        if reason.startswith("failed")
    ]
    if as_json:
        print_json(
            {
                "current": len(cells) - len(work),
                "scored": [_named(one.cell) for one in done if one.record is not None],
                "not_scored": [{**_named(one.cell), "reason": one.problem} for one in unfilled],
                "failed": [{**_named(one.cell), "reason": reason} for one, reason in failed],
            }
        )
    else:
        click.echo(f"{len(done) - len(unfilled)} cells scored, {len(cells) - len(work)} were current")
    for one in unfilled:
        click.echo(
            f"not scored: {one.cell.model} on {one.cell.dataset} ({one.cell.track}): {one.problem}", err=True
        )
    for one, reason in failed:
        click.echo(f"{one.cell.model} on {one.cell.dataset} ({one.cell.track}): {reason}", err=True)
    asked = [one for one in unfilled if one.cell.model in models or one.cell.dataset in datasets]
    if failed:
        sys.exit(1)
    if asked:
        sys.exit(3 if all("to get it:" in one.problem for one in asked) else 1)


def _publish_silently(shop: Any, card: Any, track: Any) -> None:
    """Ranks and pairs of a closed dataset; what goes wrong says its class only."""
    from scorer.boards.ranking import publish_closed

    try:
        publish_closed(shop, card, track)
    except RexrankError:
        raise
    except Exception as error:
        raise StageError("ranks and pairs", type(error).__name__) from None


def _estimate(shop: Any, work: Any, bench: Any) -> float:
    """Seconds that the cells should take here at most; 0 when no rates are known for this device."""
    from scorer.costs import estimate_costs, read_rates, work_of
    from scorer.errors import UsageError
    from scorer.statistics import STATISTICS

    rates, name = read_rates(), bench.device
    if name.startswith("cuda"):
        import torch

        name = torch.cuda.get_device_name(name) if torch.cuda.is_available() else name
    try:
        device = rates.device(name)
    except UsageError:
        return 0.0
    able = {one.spec.id for one in STATISTICS if one.missing(bench) is None}
    costs = estimate_costs(work_of(((cell, shop.card(cell.dataset)) for cell in work), able), rates, device)
    return 60 * sum(cost.minutes for cost in costs)


def refuse_unknown(models: tuple[str, ...], cells: Any) -> None:
    """Refuses model names that have no cell, all at once."""
    known = {cell.model for cell in cells}
    unknown = [model for model in models if model not in known]
    if unknown:
        raise InputError(
            Problem(
                code="unknown-model", message=f"{model!r} has nothing to score", hint="see rexrank status"
            )
            for model in unknown
        )


def _named(cell: Any) -> dict[str, str]:
    return {"model": cell.model, "dataset": cell.dataset, "track": cell.track}
