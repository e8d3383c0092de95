"""What the builder makes, in a form that no site generator knows about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Asset", "Made", "Page"]


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page.

    Attributes:
        path: address below the site's root, with a trailing slash; "" is the home page.
        title: plain text, never markup.
        html: the fragment inside the theme's article; links in it are relative to `path`.
        description: one plain sentence for search engines and previews.
        date: ISO date of the newest content, from results, never from the clock; "" when there is none.
        find: further plain text under which search finds the page; "" keeps it out of the search.
        meta: name -> plain text, further `<meta name>` or, for `og:…`, `<meta property>`.
        words: a hand-written Markdown page, relative to the docs folder, that opens this page; a generator
            that has no such file leaves it out. Without it, the hand-written page of the same address does.
        head: markup for `<head>` made by the builder itself (feed links, JSON-LD); no submitter text unescaped.
    """

    path: str
    title: str
    html: str
    description: str = ""
    date: str = ""
    find: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)
    head: str = ""
    words: str = ""

    @property
    def root(self) -> str:
        """The relative way from this page to the site's root: "", "../", "../../"."""
        return "../" * self.path.count("/")


@dataclass(frozen=True, kw_only=True)
class Asset:
    """A file that is written as it is: a script, a CSV, a JSON document."""

    path: str
    data: bytes


Made = Page | Asset
"""What a section of the site yields."""
