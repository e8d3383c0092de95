"""`rexrank compare A B`: paired differences on every metric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli.common import json_option, print_json, results_option, state_dir

if TYPE_CHECKING:
    from scorer.inference.pairs import Comparison
    from scorer.types import MetricSpec

__all__ = ["command"]


@click.command("compare")
@click.argument("a")
@click.argument("b")
@click.option("--dataset", help="Only this dataset.")
@click.option("--track", type=click.Choice(["findings", "findings_impression"]), help="Only this track.")
@click.option("--latex", "as_latex", is_flag=True, help="Print a LaTeX table.")
@results_option
@json_option
def command(
    a: str, b: str, dataset: str | None, track: str | None, as_latex: bool, results: Path, as_json: bool
) -> None:
    """Compare models A and B study by study: difference (A minus B), interval, p, wins/ties/losses."""
    from scorer.boards import board_draws
    from scorer.cells import Workshop
    from scorer.errors import InputError, MissingError, Problem
    from scorer.inference.pairs import compare, holm
    from scorer.metrics import metric

    shop = Workshop(results, state_dir())
    known = {cell.model for cell in shop.cells()} | {record.model for record in shop.results.records()}
    unknown = [model for model in (a, b) if model not in known]
    if unknown:
        raise InputError(
            Problem(code="unknown-model", message=f"{model!r} has no scores", hint="see rexrank status --all")
            for model in unknown
        )
    tables: list[tuple[str, str, int, list[tuple[MetricSpec, Comparison, float]]]] = []
    closed = []
    for card in shop.cards:
        if dataset is not None and card.id != dataset:
            continue
        for one in card.tracks:
            if track is not None and one != track:
                continue
            records = [shop.results.read_record(model, card.id, one) for model in (a, b)]  # type: ignore[arg-type]
            if None in records:
                continue
            models, drawn = board_draws(shop, card, one, [a, b])  # type: ignore[arg-type]
            if len(models) < 2:
                closed.append(card.id)
                continue
            ranked = [name for name in drawn if metric(name).spec.is_ranked]
            found = [compare(drawn[name]) for name in ranked]
            adjusted = holm([comparison.p for comparison in found])
            rows = [
                (metric(name).spec, comparison, p)
                for name, comparison, p in zip(ranked, found, adjusted, strict=True)
            ]
            tables.append((card.id, one, records[0].n if records[0] else 0, rows))
    if not tables and closed:
        raise MissingError(
            f"per-study scores of {', '.join(sorted(set(closed)))} are not on this machine",
            "run this where the dataset is scored, or read the compare page",
        )
    if not tables:
        raise InputError(
            [Problem(code="nothing-shared", message=f"{a} and {b} share no scored dataset and track")]
        )
    if as_json:
        print_json({"a": a, "b": b, "comparisons": [_as_json(*table) for table in tables]})
    else:
        for table in tables:
            (_print_latex if as_latex else _print_table)(a, b, *table)


def _as_json(dataset: str, track: str, n: int, rows: Any) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "track": track,
        "n": n,
        "metrics": [
            {
                "metric": spec.id,
                "better": spec.better,
                "a": c.value_a,
                "b": c.value_b,
                "difference": c.difference,
                "low": c.low,
                "high": c.high,
                "p": c.p,
                "p_holm": adjusted,
                "wins": c.wins,
                "ties": c.ties,
                "losses": c.losses,
                "effect": c.effect,
            }
            for spec, c, adjusted in rows
        ],
    }


def _verdict(a: str, b: str, spec: MetricSpec, c: Comparison, adjusted: float) -> str:
    if adjusted > 0.05 or not c.difference:
        return "not separable"
    a_wins = (c.difference > 0) == (spec.better == "higher")
    return f"{a if a_wins else b} is better"


def _print_table(a: str, b: str, dataset: str, track: str, n: int, rows: Any) -> None:
    from rich.console import Console
    from rich.table import Table

    from scorer.numbers import shown

    table = Table(title=f"{dataset} · {track} · {n} studies · {a} minus {b}", title_justify="left")
    for name in ("Metric", a, b, "Difference (95 %)", "p (Holm)", "Wins/ties/losses", "Effect", ""):
        table.add_column(name, justify="left" if name in {"Metric", ""} else "right")
    for spec, c, adjusted in rows:
        studies = "–" if c.wins is None else f"{c.wins}/{c.ties}/{c.losses}"
        table.add_row(
            f"{spec.label} {'↑' if spec.better == 'higher' else '↓'}",
            shown(c.value_a, spec.decimals),
            shown(c.value_b, spec.decimals),
            _difference(c, spec.decimals),
            f"{adjusted:.2g}",
            studies,
            "–" if c.effect is None else shown(c.effect, 2),
            _verdict(a, b, spec, c, adjusted),
        )
    Console().print(table)


def _difference(c: Comparison, decimals: int) -> str:
    from scorer.numbers import shown

    text = shown(c.difference, decimals)
    if c.low is None or c.high is None:
        return text
    return f"{text} ({shown(c.low, decimals)} to {shown(c.high, decimals)})"


def _print_latex(a: str, b: str, dataset: str, track: str, n: int, rows: Any) -> None:
    from scorer.numbers import shown

    def safe(text: str) -> str:
        return "".join({"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#"}.get(c, c) for c in text)

    click.echo(f"% {dataset}, {track}, {n} studies; differences {a} minus {b}, p adjusted by Holm")
    click.echo(r"\begin{tabular}{lrrrr}")
    click.echo(rf"Metric & {safe(a)} & {safe(b)} & Difference (95\,\%) & $p$ \\ \hline")
    for spec, c, adjusted in rows:
        arrow = r"$\uparrow$" if spec.better == "higher" else r"$\downarrow$"
        values = f"{shown(c.value_a, spec.decimals)} & {shown(c.value_b, spec.decimals)}"
        click.echo(
            rf"{safe(spec.label)} {arrow} & {values} & {_difference(c, spec.decimals)} & {adjusted:.2g} \\"
        )
    click.echo(r"\end{tabular}")
