"""`rexrank build`: results folder in, static site out."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from scorer.cli.common import results_option, state_dir
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
@click.option(
    "--strict", is_flag=True, help="Build nothing when a record is not what its per-study tables give."
)
def command(results: Path, out: Path, base_url: str, cases: tuple[str, ...], strict: bool) -> None:
    """Build the site.

    Numbers that their per-study tables do not bear out are shown as unverified and rank with nothing; with
    --strict they are named instead, and the exit code is 1.
    """
    if strict:
        from scorer.cells import Workshop
        from scorer.errors import InputError
        from scorer.verification import verify_records

        problems = list(verify_records(Workshop(results, state_dir())))
        if problems:
            raise InputError(problems)
    try:
        n = site_module("building").build(results=results, out=out, base_url=base_url, cases=cases)
    except ModuleNotFoundError as error:
        raise MissingError(
            f"the package {error.name} is not installed", "pip install 'rexrank[site]'"
        ) from None
    click.echo(f"{n} pages in {out}", err=True)
    click.echo(str((out / "index.html").resolve()))
