"""Templates to fragments. Autoescape is on for every template whatever its name; an unknown name is an error."""

from __future__ import annotations

import functools
import re
from typing import Any
from urllib.parse import urlsplit

import jinja2

from site_builder import wording

__all__ = ["render", "safe_url"]

_PLAIN = re.compile(r"[!#$%&'()*+,./0-9:;=?@A-Z\[\]_a-z~-]+")


def safe_url(address: str | None) -> str:
    """The address when it is a plain absolute https link, else "": the one gate for links from submissions."""
    if not address or not _PLAIN.fullmatch(address):
        return ""
    try:
        parts = urlsplit(address)
        is_good = parts.scheme == "https" and parts.hostname and not parts.username and parts.port != 0
    except ValueError:
        return ""
    return address if is_good else ""


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("site_builder", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(
        listed=wording.listed, words=wording.words, natural=lambda xs: sorted(xs, key=wording.natural_key)
    )
    environment.globals.update(safe_url=safe_url, count=wording.count)
    return environment


def render(template: str, root: str, **values: Any) -> str:
    """The fragment of one page.

    Args:
        template: file name under `templates/`. root: relative way to the site's root, see `Page.root`.
        values: view models; submitter text in them is plain and is escaped here.
    """
    return _environment().get_template(template).render(root=root, **values)
