r"""Formulas in hand-written pages, `\( … \)` and `\[ … \]`, become MathML, which browsers draw without a script."""

from __future__ import annotations

import re

__all__ = ["restore", "stash"]

_CODE = re.compile(r"(^```.*?^```[^\n]*$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_FORMULA = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)


def stash(markdown: str) -> tuple[str, tuple[str, ...]]:
    """Takes formulas out before Markdown eats their backslashes; gives the text with marks, and the MathML."""
    found: list[str] = []

    def take(match: re.Match[str]) -> str:
        from latex2mathml.converter import convert

        inline, block = match.groups()
        drawn = convert((inline or block).strip(), display="inline" if inline else "block")
        # A wide one scrolls, so that a keyboard has to reach it.
        found.append(drawn if inline else drawn.replace("<math ", '<math tabindex="0" ', 1))
        return f"RXFORMULA{len(found) - 1}X"

    parts = _CODE.split(markdown)
    parts[::2] = [_FORMULA.sub(take, part) for part in parts[::2]]
    return "".join(parts), tuple(found)


def restore(html: str, formulas: tuple[str, ...]) -> str:
    """Puts the MathML back in place of the marks."""
    return re.sub(r"RXFORMULA(\d+)X", lambda mark: formulas[int(mark[1])], html)
