"""The theme's style sheets, less the rules that cost every page time and never apply to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

__all__ = ["lean"]

NEVER = re.compile(r"\[data-md-color-switching]|(?<![\w-])table!")
"""Rules for an attribute that stands for an instant (it would style every element twice anew), and for tables
without a class, which this builder never writes (they make every change of a class reach all that is below)."""

TABS = re.compile(r"\.tabbed-")
"""Rules for tabs, some two hundred that are tried on every element."""

_TAB_EXTENSIONS = {"pymdownx.tabbed", "pymdownx.blocks.tab"}
_RULE = re.compile(r"(?P<selectors>[^{};@]+)(?P<block>\{[^{}]*\})")
_BRACKETS = re.compile(r"\([^()]*\)")


def lean(sheet: str, extensions: Collection[str]) -> str:
    """A style sheet without the selectors that no page can match.

    Args:
        sheet: the text of the sheet.
        extensions: names of the Markdown extensions in use; with one for tabs, its rules stay.
    """
    unused = (NEVER,) if _TAB_EXTENSIONS.intersection(extensions) else (NEVER, TABS)

    def kept(rule: re.Match[str]) -> str:
        selectors = [s for s in _split(rule["selectors"]) if not any(p.search(_bare(s)) for p in unused)]
        return ",".join(selectors) + rule["block"] if selectors else ""

    return _RULE.sub(kept, sheet)


def _split(selectors: str) -> Iterator[str]:
    """The selectors of a list; commas in brackets divide nothing."""
    begin = depth = 0
    for i, letter in enumerate(selectors):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            yield selectors[begin:i]
            begin = i + 1
    yield selectors[begin:]


def _bare(selector: str) -> str:
    """A selector without what stands in brackets, which it can do without; `!` is for no class at all."""
    bare = selector.replace(":not([class])", "!")
    while bare != (bare := _BRACKETS.sub("", bare)):
        pass
    return bare
