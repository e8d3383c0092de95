"""Names and ids that people and pages can trust: one script, nothing invisible, nothing that looks like another.

Scripts are taken from the Unicode character names, which is exact enough for telling a Latin letter from its
Cyrillic or Greek double. The table of doubles is our own and small; it covers the letters that can pass for
Latin ones in common fonts.
"""

from __future__ import annotations

import re
import unicodedata

from scorer.errors import printable
from scorer.guard import limits

__all__ = ["Fault", "check_id", "check_line", "check_name", "check_slug", "skeleton"]

Fault = tuple[str, str, str]
"""(code, message, hint)"""

_SLUG = re.compile(r"[a-z0-9][a-z0-9.-]{1,63}")
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))]
)
_ALLOWED_TOGETHER = (
    frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"CJK", "HANGUL"}),
    frozenset({"CJK", "BOPOMOFO"}),
)
_LOOKS_LIKE = {
    "a": "аαɑ", "b": "вβьƅ", "c": "сϲᴄ", "d": "ԁɗ", "e": "еєεё", "f": "ғƒ", "g": "ɡց", "h": "нһηհ", "i": "іїιı1|!l",
    "j": "јϳ", "k": "кκ", "m": "мμ", "n": "пνո", "o": "оοօσ0", "p": "рρϱ", "q": "ԛգ", "r": "гɾ", "s": "ѕꜱ", "t": "тτ",
    "u": "υսᴜ", "v": "ѵᴠ", "w": "ԝωѡ", "x": "хχ", "y": "уүγ", "z": "ζᴢ",
}  # fmt: skip
_DOUBLES = {ord(double): plain for plain, doubles in _LOOKS_LIKE.items() for double in doubles}


def check_slug(text: str) -> Fault | None:
    """What keeps a text from being a model id (a folder and page name on every system), or None."""
    hint = "use 2 to 64 of a-z, 0-9, dot and hyphen, starting with a letter or digit"
    if not text:
        return "bad-id", "the id is empty", hint
    if len(text) > 64:
        return "bad-id", f"the id has {len(text)} characters, the limit is 64", hint
    shown = printable(text, 64)
    if text.split(".")[0] in _RESERVED:
        return "reserved-id", f"{shown!r} is a reserved name on some systems", "choose another id"
    if not _SLUG.fullmatch(text):
        return "bad-id", f"{shown!r} is not an id", hint
    if text.endswith((".", "-")) or ".." in text:
        return "bad-id", f"{shown!r} ends in a dot or hyphen or holds two dots in a row", hint
    return None


def check_id(text: str) -> Fault | None:
    """What keeps a text from being a study id, or None. Ids are opaque and kept exactly as written."""
    if not text:
        return "empty-id", "the study id is empty", "every row needs its study id"
    if len(text) > limits.ID_CHARACTERS:
        return "long-id", f"a study id of {len(text):,} characters", f"the limit is {limits.ID_CHARACTERS}"
    if text != text.strip():
        return (
            "blank-in-id",
            f"{printable(text)!r} starts or ends with a blank",
            "write the id exactly as in the dataset",
        )
    if not text.isprintable():
        return (
            "bad-study-id",
            f"{printable(text)!r} holds control characters",
            "write the id exactly as in the dataset",
        )
    return None


def check_line(text: str, limit: int = limits.LINE_CHARACTERS) -> Fault | None:
    """What keeps a text from being shown as one line, or None."""
    if not text.strip():
        return "empty-text", "is empty", "write a value or remove the line"
    if len(text) > limit:
        return "long-text", f"has {len(text):,} characters, the limit is {limit:,}", "shorten it"
    if text != text.strip():
        return "blank-around", "starts or ends with a blank", "remove the blank"
    strange = [c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}]
    if strange:
        return (
            "invisible-characters",
            f"holds {_points(strange)}",
            "remove control, format and private characters",
        )
    if not unicodedata.is_normalized("NFC", text):
        return "not-nfc", "is not in Unicode normal form NFC", "type accented letters as one character"
    if any(len(pile) > 2 for pile in _piles(text)):
        return "mark-pile", "stacks more than two marks on one letter", "remove the extra marks"
    return None


def check_name(text: str, limit: int = limits.NAME_CHARACTERS, *, by_word: bool = False) -> Fault | None:
    """What keeps a text from being a name, or None: a line without < and >, in one script.

    `by_word` lets words of different scripts stand side by side, as institutions have them; letters of two
    scripts in one word are refused all the same.
    """
    if said := check_line(text, limit):
        return said
    if re.search(r"[<>]", text):
        return "angle-brackets", "holds < or >", "names are plain text; write it in words"
    for part in re.split(r"[\W\d_]+", text) if by_word else [text]:
        scripts = {script for script in map(_script, part) if script}
        if len(scripts) > 1 and not any(scripts <= {*group, "LATIN"} for group in _ALLOWED_TOGETHER):
            names = " and ".join(sorted(s.capitalize() for s in scripts))
            return (
                "mixed-scripts",
                f"mixes {names} letters: {_points(_minority(part, scripts))}",
                "use one script",
            )
    return None


def skeleton(text: str) -> str:
    """What a name looks like at a glance: two names with one skeleton can be taken for each other."""
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_DOUBLES)
    return "".join(c for c in plain if unicodedata.category(c)[0] in "LN")


def _points(characters: list[str]) -> str:
    shown = ", ".join(f"U+{ord(c):04X}" for c in dict.fromkeys(characters[:200]))
    return shown if len(shown) <= 120 else shown[:120] + "…"


def _piles(text: str) -> list[str]:
    marks = "".join("m" if unicodedata.category(c)[0] == "M" else " " for c in text)
    return marks.split()


def _script(character: str) -> str:
    """First word of a letter's Unicode name (LATIN, CYRILLIC, CJK, …); "" for what all scripts share."""
    if unicodedata.category(character)[0] != "L":
        return ""
    name = unicodedata.name(character, "")
    first = name.split(" ")[0]
    return "" if first in {"MICRO", "MODIFIER", "FEMININE", "MASCULINE"} else first


def _minority(text: str, scripts: set[str]) -> list[str]:
    by_script = {script: [c for c in text if _script(c) == script] for script in scripts}
    most = max(by_script, key=lambda script: (len(by_script[script]), script == "LATIN"))
    return [c for script, found in sorted(by_script.items()) if script != most for c in found]
