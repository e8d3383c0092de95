"""Options and output shared by the verbs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import platformdirs

__all__ = [
    "cache_dir",
    "json_option",
    "print_json",
    "results_dir",
    "results_option",
    "state_dir",
    "weights_dir",
]


def results_dir(given: Path | None) -> Path:
    """The results folder: the one given, else the nearest `results/` here or above, else `./results`."""
    if given is not None:
        return given
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "results" / "submissions").is_dir():
            return folder / "results"
    return here / "results"


def state_dir() -> Path:
    """Where this machine's registrations and private tables live; `REXRANK_HOME` moves it."""
    return Path(os.environ.get("REXRANK_HOME") or platformdirs.user_data_path("rexrank"))


def cache_dir() -> Path:
    """Where encodings and completions are cached; `REXRANK_CACHE` moves it."""
    return Path(os.environ.get("REXRANK_CACHE") or platformdirs.user_cache_path("rexrank"))


def weights_dir() -> Path:
    """Where verified weights lie; `REXRANK_WEIGHTS` moves it."""
    return Path(os.environ.get("REXRANK_WEIGHTS") or state_dir() / "weights")


def print_json(document: Any) -> None:
    """Prints a JSON document to stdout; never NaN, never an infinity."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


def results_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--results DIR`, resolved by `results_dir`."""
    return click.option(
        "--results",
        type=click.Path(path_type=Path, file_okay=False),
        callback=lambda _c, _p, value: results_dir(value),
        help="The results folder (default: the nearest one here or above).",
    )(function)


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON to stdout.")(function)
