"""`rexrank demo`: the whole line on the demo set, in one command and without a download."""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import state_dir

__all__ = ["command"]


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("rexrank-demo"),
    show_default=True,
    help="Folder for the demo's results and site.",
)
@click.option("--no-site", is_flag=True, help="Score only.")
def command(out: Path, no_site: bool) -> None:
    """Score the demo submissions and the probes on the demo set, build the site, say where to look."""
    from scorer.boards import build_boards
    from scorer.cells import Workshop
    from scorer.cli.score import make_bench
    from scorer.cli.table import print_board
    from scorer.datasets.demo import copy_demo

    results = out / "results"
    copy_demo(results)
    shop = Workshop(results, state_dir())
    bench = make_bench("cpu", 0)
    cells = shop.cells(datasets=["demo-cxr"])
    work = [cell for cell in cells if shop.needs_work(cell, bench)]
    click.echo(f"scoring {len(work)} of {len(cells)} cells of demo-cxr", err=True)
    for cell in work:
        shop.fill(cell, bench)
    for board in build_boards(shop, datasets=["demo-cxr"]):
        print_board(board)
    if not no_site:
        _build(results, out / "site")


def _build(results: Path, site: Path) -> None:
    # Named by text: the scorer does not import the site builder, it asks for it like any other program.
    import subprocess
    import sys

    line = [sys.executable, "-m", "scorer.cli", "build", "--results", str(results), "--out", str(site)]
    if subprocess.run(line, check=False).returncode:
        raise SystemExit(3)
    click.echo(f"site: {(site / 'index.html').resolve()}")
    click.echo(f"      rexrank serve --results {results}   shows it at http://127.0.0.1:8000/")
