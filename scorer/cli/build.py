"""`rexrank build`: results folder in, static site out."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from scorer.cli.common import results_option
from scorer.errors import MissingError

__all__ = ["command", "site_module"]


def site_module(name: str) -> Any:
    """A module of the site builder, named by text: the scorer does not import it.

    Raises:
        MissingError: what the site needs is not installed.
    """
    try:
        return importlib.import_module(f"site_builder.{name}")
    except ModuleNotFoundError as error:
        raise MissingError(
            f"the package {error.name} is not installed", "pip install 'rexrank[site]'"
        ) from None


@click.command("build")
@results_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("site"),
    show_default=True,
    help="Folder for the site; emptied first.",
)
@click.option("--base-url", default="", help="Where the site will stand, such as https://example.org/board/.")
@click.option(
    "--cases",
    multiple=True,
    metavar="DATASET",
    help="Also show this open dataset's texts, study by study, from your own copy; repeat for more.",
)
def command(results: Path, out: Path, base_url: str, cases: tuple[str, ...]) -> None:
    """Build the site."""
    try:
        n = site_module("building").build(results=results, out=out, base_url=base_url, cases=cases)
    except ModuleNotFoundError as error:
        raise MissingError(
            f"the package {error.name} is not installed", "pip install 'rexrank[site]'"
        ) from None
    click.echo(f"{n} pages in {out}", err=True)
    click.echo(str((out / "index.html").resolve()))
