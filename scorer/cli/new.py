"""`rexrank new`: write a commented submission folder."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import click

from scorer.cli.common import results_option
from scorer.errors import InputError, Problem, RexrankError, UsageError

TEMPLATE = """\
# The card of a model. Lines that start with # are comments; remove the # of the fields that you fill in.
# Check it with: rexrank check {folder}

id: {id}                          # the name of this folder
name: {name}                   # as it shall stand on the board
version: "1.0"
owner: {owner}                  # your account on the code host; only it may change this folder
date: {today}
tracks:                            # what the model predicts: one or both
  - findings
  - findings_impression

institutions:
{institutions}
#authors:
#  - name: First Last
#    orcid: 0000-0002-1825-0097

#links:
#  paper: 2411.15122              # an arXiv id or a DOI
#  code: https://github.com/OWNER/REPOSITORY
#  weights: https://huggingface.co/OWNER/MODEL
#licence:
#  code: MIT
#  weights: CC-BY-4.0
#weights_access: open             # open, on-request or closed

#base_architecture: ViT-B encoder, 7B language model
#parameters: 7B                   # such as 350M or 7B

# What the model has seen, pretraining included. Ids of datasets mark the model as in-domain on their boards.
#training_data:
#  - mimic-cxr
#  - other: 120,000 studies of our own hospital
#inputs:
#  images: single                 # single or multiple
#  prior_studies: false
#  indication: true
#decoding: beam search, 4 beams
#reward_metrics:                  # metrics that were a training signal
#  - radgraph_combined

# Predictions lie beside this file, as predictions/<dataset>.jsonl; `rexrank import` writes them. Predictions
# for a closed dataset stay out of the repository; give a link and the sha256 that `rexrank check` prints:
#predictions:
#  mimic-cxr:
#    url: https://…
#    sha256: …
#notes: Anything a reader should know.
"""


@click.command(name="new")
@click.argument("model")
@click.option("--owner", default="", help="Your account on the code host.")
@click.option("--name", default="", help="The model's name, as it shall stand on the board.")
@click.option(
    "--institution", "institutions", multiple=True, help="Where it was made; may be given several times."
)
@results_option
def command(model: str, owner: str, name: str, institutions: tuple[str, ...], results: Path) -> None:
    """Write results/submissions/MODEL/submission.yaml, a template with a comment on every field.

    MODEL is the id: a-z, 0-9, dot and hyphen. What is not given with an option is to be filled in where the
    template says CHANGE ME.
    """
    from scorer.checking.folder import shown_path
    from scorer.guard import check_name, check_slug
    from scorer.store import Results, write_atomic
    from scorer.submission import CARD_NAME, PLACEHOLDER

    faults = [("", check_slug(model)), ("--name", check_name(name) if name else None)]
    faults += [("--institution", check_name(one, by_word=True)) for one in institutions]
    if problems := [Problem(field=at, code=f[0], message=f[1], hint=f[2]) for at, f in faults if f]:
        raise InputError(problems)
    folder = Results(results).submission_dir(model)
    if folder.exists():
        raise UsageError(
            f"{shown_path(folder)} is there already; choose another id or edit {CARD_NAME} in it"
        )
    text = TEMPLATE.format(
        id=model,
        folder=shown_path(folder),
        name=_quoted(name) if name else PLACEHOLDER,
        institutions="\n".join(f"  - {_quoted(one)}" for one in institutions) or f"  - {PLACEHOLDER}",
        owner=owner or PLACEHOLDER,
        today=date.today().isoformat(),
    )
    is_new = not (results / "submissions").is_dir()
    try:
        write_atomic(folder / CARD_NAME, text.encode("utf-8"))
    except OSError as error:
        raise RexrankError(f"{shown_path(folder)}: cannot be written ({error.strerror})") from None
    click.echo(shown_path(folder / CARD_NAME))
    if is_new:
        click.echo(f"there was no results folder here or above; {shown_path(results)} is new", err=True)
    first = "replace each CHANGE ME in it, then " if PLACEHOLDER in text else ""
    click.echo(f"next: {first}rexrank import FILE --dataset DATASET --model {model}", err=True)


def _quoted(text: str) -> str:
    """The text as YAML reads it whole, whatever signs are in it."""
    return json.dumps(text, ensure_ascii=False)
