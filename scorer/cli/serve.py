"""`rexrank serve`: the site on this machine, built again on every change."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from scorer.cli.build import site_module
from scorer.cli.common import cache_dir, results_option

__all__ = ["command"]


@click.command("serve")
@results_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the site (default: in the cache).",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one."
)
def command(results: Path, out: Path | None, port: int) -> None:
    """Build the site, serve it at 127.0.0.1, rebuild on change."""
    with contextlib.suppress(KeyboardInterrupt):
        site_module("serving").serve(
            results=results,
            out=out or cache_dir() / "site",
            port=port,
            said=lambda line: click.echo(line, err=True),
        )
