"""The command `rexrank`. Each verb lives in a module of its own and is imported only when it is called,
so that `rexrank --help` answers at once.

Exit codes: 0 good; 1 the input is wrong; 2 usage; 3 something is missing on this machine.
Results go to stdout, talk to stderr.
"""

from __future__ import annotations

import importlib
import sys
import traceback

import click

from scorer._version import __version__
from scorer.errors import RexrankError, printable

__all__ = ["main", "rexrank"]

# In the order people meet them: verb -> (module with a click command named `command`, who, what it does).
VERBS: dict[str, tuple[str, str, str]] = {
    "demo": ("scorer.cli.demo", "newcomer", "score the demo set, build its site, say where to look"),
    "new": ("scorer.cli.new", "contributor", "write a commented submission folder"),
    "import": ("scorer.cli.import_", "contributor", "turn ReXrank JSON or a CSV into canonical predictions"),
    "check": ("scorer.cli.check", "contributor", "validate: every problem at once, with line and fix"),
    "try": ("scorer.cli.try_", "contributor", "score locally, show the row inside the board, write nothing"),
    "data": ("scorer.cli.data", "maintainer", "register a dataset's references, list what is there"),
    "weights": (
        "scorer.cli.weights",
        "maintainer",
        "fetch, verify and pin the weights of encoders and judges",
    ),
    "judge": ("scorer.cli.judge", "maintainer", "prompts, servers and registrations of judges"),
    "doctor": (
        "scorer.cli.doctor",
        "maintainer",
        "what each metric and dataset needs and whether it is here",
    ),
    "plan": ("scorer.cli.plan", "maintainer", "what the next scoring run will do"),
    "fetch": ("scorer.cli.fetch", "maintainer", "get linked predictions onto the machine that scores"),
    "status": ("scorer.cli.status", "maintainer", "missing and stale cells"),
    "score": ("scorer.cli.score", "maintainer", "fill the cells; resumes after any interruption"),
    "rescore": ("scorer.cli.rescore", "maintainer", "shift and rank correlation of a new metric version"),
    "canary": ("scorer.cli.canary", "maintainer", "does a fixed submission still get its frozen numbers"),
    "links": ("scorer.cli.links", "maintainer", "do the links of submissions still answer"),
    "record": ("scorer.cli.record", "maintainer", "check what a scoring run made, write and publish it"),
    "published": ("scorer.cli.published", "maintainer", "bring in figures that others published, check them"),
    "freeze": ("site_builder.cli_freeze", "maintainer", "make a snapshot of all boards at this commit"),
    "release": ("scorer.cli.release", "maintainer", "publish a frozen snapshot: commit, tag and release"),
    "verify": ("scorer.cli.verify", "maintainer", "prove snapshots, or say which byte changed"),
    "compare": ("scorer.cli.compare", "maintainer", "two models, paired: difference, interval, p, wins"),
    "diff": ("scorer.cli.diff", "reader", "what changed between two snapshots, and why"),
    "build": ("scorer.cli.build", "reader", "build the site"),
    "serve": ("scorer.cli.serve", "reader", "build the site, serve it, rebuild on change"),
    "cite": ("scorer.cli.cite", "reader", "BibTeX, RIS or CSL-JSON of a snapshot or of a row in it"),
}
WHO = ("newcomer", "contributor", "maintainer", "reader")


class _Verbs(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        command = importlib.import_module(VERBS[name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        for who in WHO:
            with formatter.section(who.capitalize()):
                formatter.write_dl([(verb, what) for verb, (_, whose, what) in VERBS.items() if whose == who])


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="rexrank")
def rexrank() -> None:
    """Leaderboards for models that write radiology reports."""


def main() -> None:
    """Entry point: turns our own errors into a message and an exit code, and nothing else."""
    try:
        rexrank.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        click.echo("stopped; finished work is kept", err=True)
        sys.exit(130)
    except RexrankError as error:
        click.echo(f"rexrank: {error}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        where = f" ({printable(str(error.filename), 200)})" if error.filename else ""
        click.echo(
            f"rexrank: {error.strerror or type(error).__name__}{where}; what was finished is kept", err=True
        )
        sys.exit(1)
    except Exception as error:  # its message may hold a text or an id, so only class and place are said
        *_, last = traceback.extract_tb(error.__traceback__)
        place = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
        click.echo(
            f"rexrank: unexpected {type(error).__name__} at {place}; please report this line", err=True
        )
        sys.exit(1)
