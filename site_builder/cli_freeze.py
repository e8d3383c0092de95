"""`rexrank freeze`: makes a snapshot of all boards at the current commit.

It lives here because a snapshot holds its own pages; the scorer knows the verb by name only.
"""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option, state_dir

__all__ = ["command"]


@click.command("freeze")
@click.argument("version")
@click.option(
    "--parquet",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write all cells as Parquet, to a file outside the repository.",
)
@results_option
@json_option
def command(version: str, parquet: Path | None, results: Path, as_json: bool) -> None:
    """Freeze all boards as snapshot VERSION (2026.1), at the commit that is checked out.

    Refused with every reason at once: uncommitted changes, stale or failed cells, mixed signatures, records that
    their per-study tables do not give, a version that exists or is lower than the newest one.
    """
    from scorer.citing import read_publisher
    from scorer.errors import InputError, MissingError, UsageError
    from scorer.snapshots.freeze import place, refusals, snapshot_files, write_snapshot
    from scorer.snapshots.gather import gather
    from scorer.snapshots.parquet import write_parquet
    from scorer.snapshots.repository import Repository
    from scorer.snapshots.version import Version

    try:
        from site_builder.frozen import frozen_pages
    except ModuleNotFoundError as error:
        raise MissingError(f"{error.name}, which writes the pages", "pip install 'rexrank[site]'") from error
    wanted = Version.parse(version)
    repository = Repository(results)
    if parquet is not None and parquet.resolve().is_relative_to(repository.root.resolve()):
        raise UsageError(f"{parquet} is inside the repository; the Parquet export stays outside")
    gathered = gather(results, state_dir())
    problems = gathered.edited + refusals(
        wanted,
        repository=repository,
        results=results,
        boards=gathered.boards,
        records=gathered.records,
        cells=gathered.cells,
    )
    if problems:
        raise InputError(problems)
    publisher = read_publisher(repository.root / "CITATION.cff")
    snapshot = gathered.snapshot(wanted, repository.head())
    files = snapshot_files(snapshot, publisher, frozen_pages(snapshot, publisher))
    if parquet is not None:
        write_parquet(snapshot, parquet)
    folder = place(results, wanted)
    write_snapshot(folder, files)
    if as_json:
        print_json({"version": str(wanted), "folder": str(folder), "files": sorted(files)})
        return
    click.echo(str(folder))
    click.echo(
        f"{len(snapshot.boards)} boards, {len(snapshot.records)} records, {len(files)} files. To publish it:\n"
        f"  git add {folder} && git commit -m 'Snapshot {wanted}' && git tag {wanted.tag}",
        err=True,
    )
