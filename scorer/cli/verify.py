"""`rexrank verify`: proves snapshots, or says which byte of which file changed."""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option
from scorer.errors import InputError, MissingError


@click.command("verify")
@click.argument("versions", nargs=-1, metavar="[VERSION …]")
@results_option
@json_option
def command(versions: tuple[str, ...], results: Path, as_json: bool) -> None:
    """Proves snapshots (default: all that there are or ever were).

    Compares every file with SHA256SUMS, byte for byte with the tag snapshot-VERSION (without a tag: with the
    commit that first added the snapshot), and every record with its digest at the snapshot's commit.
    """
    from scorer.snapshots.repository import Repository
    from scorer.snapshots.verify import known_versions, verify
    from scorer.snapshots.version import Version

    repository = Repository.around(results)
    chosen = [Version.parse(text) for text in versions] or known_versions(results, repository)
    proofs = [verify(results, version, repository) for version in chosen]
    if as_json:
        print_json({"ok": all(p.ok for p in proofs), "snapshots": [p.as_dict() for p in proofs]})
    else:
        for proof in proofs:
            against = f", against {proof.anchor}" if proof.anchor else ""
            counts = f"{proof.n_files} files, {proof.n_records} records{against}"
            click.echo(f"{proof.version}: {'proved' if proof.ok else 'CHANGED'} ({counts})")
        if not proofs:
            click.echo("no snapshots yet", err=True)
    for proof in proofs:
        for note in proof.notes:
            click.echo(f"{proof.version}: {note}", err=True)
    problems = [problem for proof in proofs for problem in proof.problems]
    if problems:
        raise InputError(problems)
    if not all(proof.is_complete for proof in proofs):
        raise MissingError("history that proves the snapshots", "git fetch --unshallow --tags")
