"""How a report becomes words, for either checkpoint."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["WORDS", "words_v1", "words_xl"]

_MARK = re.compile(r"[/,:.!?()]")
_RUN = re.compile(r"\w+|[^\w\s]+")


def words_v1(text: str) -> list[str]:
    """Words of the 1.0 checkpoint: split at white space and around each of `/ , : . ! ? ( )`.

    Hyphens and semicolons stay inside words, `2.5` does not.
    Source: radgraph 0.1.18 `preprocess_reports`, whose character class spells a hyphen that it does not match.
    """
    return _MARK.sub(lambda mark: f" {mark[0]} ", text).split()


def words_xl(text: str) -> list[str]:
    """Words of the XL checkpoint: runs of word characters and runs of marks, five joins undone.

    Escapes that stand written out in a text (backslash n) are white space.
    Source: radgraph 0.1.18 `radgraph_xl_preprocess_report`; nltk `wordpunct_tokenize`.
    """
    for escape, instead in (("\\n", "  "), ("\\f", "  "), ("\\u2122", "      "), ("\n", " "), ('\\"', "``")):
        text = text.replace(escape, instead)
    joined = " ".join(_RUN.findall(text))
    for together, apart in ((").", ") ."), ("%.", "% ."), (".'", ". '"), ("%,", "% ,"), ("%)", "% )")):
        joined = joined.replace(together, apart)
    return joined.split()


WORDS: dict[str, Callable[[str], list[str]]] = {"radgraph": words_v1, "radgraph-xl": words_xl}
"""By kind of checkpoint."""
