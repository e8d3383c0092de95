"""`rexrank links`: do the links of submissions still answer?"""

from __future__ import annotations

from pathlib import Path

import click

from scorer.cli.common import json_option, print_json, results_option

__all__ = ["command"]


@click.command("links")
@click.option("--annotations", is_flag=True, help="Print broken links as warnings of a workflow.")
@results_option
@json_option
def command(annotations: bool, results: Path, as_json: bool) -> None:
    """Ask every link of every submission whether it answers. A broken link is a warning: the entry stays.

    Only public https addresses are asked, and nothing is downloaded.
    """
    from scorer.checking.rendering import as_annotations, as_terminal
    from scorer.guard import Problems
    from scorer.reconcile.links import check_links

    problems = Problems()
    n = check_links(results, problems)
    if as_json:
        print_json({"links": n, "problems": [problem.as_dict() for problem in problems.found]})
    elif annotations:
        for line in as_annotations(problems.found):
            click.echo(line)
    elif problems.found:
        click.echo(as_terminal(problems.found))
    if not as_json:
        click.echo(f"{n} links, {len(problems.found)} broken", err=True)
