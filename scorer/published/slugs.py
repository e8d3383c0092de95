"""Page addresses of models from their published names."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping

__all__ = ["assign_slugs", "slug"]


def slug(name: str) -> str:
    """A readable address of lower-case letters, digits and hyphens.

    Blanks, dots and underscores become hyphens. When anything else is lost, six hex digits of the name's
    sha256 follow, so that "C++ / v1.0" and "C++ v1.0" differ.
    """
    plain = re.sub(r"[ ._]", "-", name.lower())
    kept = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return kept if kept == plain else _marked(kept, name)


def _marked(kept: str, name: str) -> str:
    return f"{kept or 'model'}-{hashlib.sha256(name.encode('utf-8')).hexdigest()[:6]}"


def assign_slugs(names: Iterable[str], taken: Mapping[str, str]) -> dict[str, str]:
    """Slugs by name, all different; the order of names does not matter.

    A name that has a slug keeps it, so that adding a model never moves another one's page. New names that
    would share one ("Alpha", "alpha"), or want one in use, get the marked form.

    Args:
        taken: name -> slug of the models that have one.
    """
    wanted = {name: slug(name) for name in names if name not in taken}
    used = set(taken.values())
    shared = Counter(wanted.values())
    given = {
        name: _marked(want, name) if shared[want] > 1 or want in used else want
        for name, want in wanted.items()
    }
    return {**taken, **given}
