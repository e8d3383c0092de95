"""Strict JSON and JSON Lines: no NaN, no duplicate keys, no deep nesting, numbers kept as they were written."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from scorer.errors import printable
from scorer.guard import limits
from scorer.guard.files import Text
from scorer.guard.problems import Problems

__all__ = ["NaN", "Number", "kind", "read_json", "read_lines"]


class Number(str):
    """A JSON number, digit for digit; never converted, so no id and no size can change on the way."""

    __slots__ = ()


class NaN:
    """A bare NaN or Infinity in a lenient reading: not a value."""


class _Constant(ValueError):
    """A bare NaN or Infinity in a strict reading."""


class _Decoder:
    """A JSON decoder that notes every key that stands twice in one object."""

    def __init__(self, *, nan_allowed: bool) -> None:
        self.twice: list[str] = []

        def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            found = dict(pairs)
            if len(found) != len(pairs):
                counts = Counter(key for key, _ in pairs)
                self.twice += [key for key, n in counts.items() if n > 1]
            return found

        def constant(name: str) -> Any:
            if nan_allowed:
                return NaN
            raise _Constant(name)

        self._decode = json.JSONDecoder(
            object_pairs_hook=unique, parse_int=Number, parse_float=Number, parse_constant=constant
        ).decode
        self._decode_fast = json.JSONDecoder(
            object_pairs_hook=unique, parse_float=Number, parse_constant=constant
        ).decode

    def _row(self, text: str) -> Any:
        """The value of one line. Whole numbers are read as such, for millions of them in a list would take too long
        as `Number`; those that stand for a field become `Number`, digit for digit."""
        try:
            value = self._decode_fast(text)
        except (json.JSONDecodeError, _Constant):
            raise
        except ValueError:  # more digits than Python converts
            self.twice.clear()
            return self._decode(text)
        if not isinstance(value, dict):
            return Number(value) if type(value) is int else value
        for key in [key for key, one in value.items() if type(one) is int]:
            value[key] = Number(value[key])
        return value

    def read(
        self, text: str, path: str, first_line: int, problems: Problems, *, is_row: bool = False
    ) -> tuple[bool, Any]:
        """(whether it is good JSON, the value); every problem has been said when not."""

        def said(code: str, message: str, line: int = first_line, hint: str = "") -> tuple[bool, Any]:
            problems.add(code, message, path=path, line=line, hint=hint)
            return False, None

        self.twice.clear()
        try:
            value = self._row(text) if is_row else self._decode(text)
        except _Constant as error:
            hint = 'write null for an absent section, "" for an empty one'
            return said("bare-nan", f"{error} is not JSON", hint=hint)
        except RecursionError:
            return said("too-deep", f"nested deeper than {limits.JSON_DEPTH} levels")
        except json.JSONDecodeError as error:
            line, hint = first_line + error.lineno - 1, _hint(error.msg, text, error.pos)
            return said("broken-json", f"not JSON: {error.msg} (column {error.colno})", line, hint)
        if not self.twice:
            return True, value
        for at, key in enumerate(self.twice):
            if problems.is_full("duplicate-key", path):
                problems.count("duplicate-key", path, len(self.twice) - at)
                break
            places = _lines_of(key, text, first_line)
            where = (
                f", on lines {places[0]} and {places[1]}" if places[:1] != places[1:2] and places[1:] else ""
            )
            message = f"the key {printable(key, 80)!r} stands twice in one object{where}"
            said("duplicate-key", message, places[1] if places[1:] else first_line, "keep one of them")
        return False, None


def _lines_of(key: str, text: str, first_line: int) -> list[int]:
    """Lines on which a key is written as such."""
    written = re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:"
    first_two = islice(re.finditer(written, text), 2)
    return [first_line + text.count("\n", 0, match.start()) for match in first_two]


def _hint(said: str, text: str, position: int) -> str:
    before, rest = text[:position].rstrip(), text[position:].lstrip()
    near = text[max(0, position - 2) : position + 2]
    if rest.startswith(("//", "/*", "#")) or before.endswith(("//", "/*")):
        return "JSON has no comments; remove it"
    if "trailing comma" in said or (before.endswith(",") and rest[:1] in {"}", "]"}):
        return "remove the trailing comma"
    if not rest or said.startswith("Unterminated string"):
        return "it ends in the middle: get the file again, or write line breaks inside a text as \\n"
    if said == "Extra data":
        return "one object a line"
    if "control character" in said:
        return "write line breaks inside a text as \\n"
    if "property name" in said or "'" in near:
        return "names and texts stand between double quotes"
    return "write each line with a JSON library, not by hand"


def read_lines(
    source: Text, problems: Problems, *, nan_allowed: bool = False
) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of each line of a JSON Lines file; lines that are no object are said and left out.

    Blank lines and a last line without a line end are accepted. Numbers that are a field's value come as `Number`.
    """
    decoder = _Decoder(nan_allowed=nan_allowed)
    for number, line in enumerate(_lines(source.text), start=1):
        if not line or line.isspace():
            continue
        if number > limits.STUDIES:
            problems.add(
                "too-many-lines", f"more than {limits.STUDIES:,} lines", path=source.path, line=number
            )
            return
        if len(line) > limits.LINE_BYTES:
            said = limits.over(limits.LINE_BYTES, len(line))
            problems.add("long-line", f"the line is {said}", path=source.path, line=number)
            continue
        good, value = decoder.read(line, source.path, number, problems, is_row=True)
        if not good:
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            problems.add(
                "not-an-object",
                f"{kind(value)} where an object is expected",
                path=source.path,
                line=number,
                hint='one {"study_id": …, "findings": …, "impression": …} a line',
            )


def _lines(text: str) -> Iterator[str]:
    """The lines one by one: all of them at once would take as much memory as the text again."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def read_json(source: Text, problems: Problems, *, nan_allowed: bool = False) -> Any:
    """A whole JSON document, or None with the problem said. With `nan_allowed` a bare NaN becomes `NaN`."""
    return _Decoder(nan_allowed=nan_allowed).read(source.text, source.path, 1, problems)[1]


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, Number):
        return "a number"
    return {bool: "true or false", str: "a text", list: "a list", dict: "an object"}.get(
        type(value), "no value"
    )
