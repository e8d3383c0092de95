"""`rexrank build`: results folder in, static site out."""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import results_option

__all__ = ["command"]


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
def command(results: Path, out: Path, base_url: str) -> None:
    """Build the site."""
    # Named by text: the scorer does not import the site builder.
    import importlib

    from scorer.errors import MissingError

    try:
        building = importlib.import_module("site_builder.building")
    except ModuleNotFoundError as error:
        raise MissingError(
            f"the package {error.name} is not installed", "pip install 'rexrank[site]'"
        ) from None
    n = building.build(results=results, out=out, base_url=base_url)
    click.echo(f"{n} pages in {out}", err=True)
    click.echo(str((out / "index.html").resolve()))
