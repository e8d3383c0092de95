"""Builds the whole site in one call, with the repository's mkdocs.yml or, without one, the packaged settings."""

from __future__ import annotations

import re
from pathlib import Path

from scorer.errors import UsageError

__all__ = ["build"]


def build(*, results: Path, out: Path, base_url: str = "") -> int:
    """Builds the site into `out` and gives the number of pages.

    Raises:
        UsageError: `base_url` is not an absolute http(s) address, or `out` holds something that is no site.
        RexrankError: the results cannot be read.
    """
    if base_url and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", base_url):
        raise UsageError("--base-url is an absolute address such as https://example.org/board/")
    if out.exists() and any(out.iterdir()) and not (out / "index.html").is_file():
        raise UsageError(f"{out} is not empty and holds no site; choose another --out")
    own = results.resolve().parent / "mkdocs.yml"
    from site_builder.mkdocs_plugin import run

    return run(own if own.is_file() else Path(__file__).parent / "mkdocs.yml", results, out, base_url)
