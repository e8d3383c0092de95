"""Strict JSON and JSON Lines: no NaN, no duplicate keys, no deep nesting, numbers kept as they were written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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


class _Duplicate(ValueError):
    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Duplicate(key)
            seen.add(key)
    return found


class _Constant(ValueError):
    pass


def _refuse_constant(name: str) -> Any:
    raise _Constant(name)


_STRICT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=Number, parse_float=Number, parse_constant=_refuse_constant
)
_LENIENT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=Number, parse_float=Number, parse_constant=lambda _: NaN
)


def _parse(
    decoder: json.JSONDecoder, text: str, path: str, first_line: int, problems: Problems
) -> tuple[bool, Any]:
    """(whether it is JSON, the value); the problem has been said when not."""

    def said(code: str, message: str, line: int = first_line, hint: str = "") -> tuple[bool, Any]:
        problems.add(code, message, path=path, line=line, hint=hint)
        return False, None

    try:
        return True, decoder.decode(text)
    except _Duplicate as error:
        key = printable(error.key, 80)
        places = [
            first_line + text.count("\n", 0, m.start())
            for m in re.finditer(re.escape(json.dumps(error.key)), text)
        ]
        lines = f" (lines {places[0]} and {places[1]})" if len(places) == 2 and places[0] != places[1] else ""
        line = places[1] if len(places) > 1 else first_line
        return said(
            "duplicate-key", f"the key {key!r} stands twice in one object{lines}", line, "keep one of them"
        )
    except _Constant as error:
        return said(
            "bare-nan", f"{error} is not JSON", hint='write null for an absent section, "" for an empty one'
        )
    except RecursionError:
        return said("too-deep", f"nested deeper than {limits.JSON_DEPTH} levels")
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        return said(
            "broken-json",
            f"not JSON: {error.msg} (column {error.colno})",
            line,
            _hint(error.msg, text, error.pos),
        )


def _hint(said: str, text: str, position: int) -> str:
    near = text[max(0, position - 2) : position + 2]
    if "trailing comma" in said or (near.lstrip()[:1] == "," and "property name" in said):
        return "remove the trailing comma"
    if "//" in near or "/*" in near or near.startswith("#"):
        return "JSON has no comments; remove it"
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

    Blank lines and a last line without a line end are accepted. Numbers come as `Number`.
    """
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not line or line.isspace():
            continue
        if number > limits.STUDIES:
            problems.add(
                "too-many-lines", f"more than {limits.STUDIES:,} lines", path=source.path, line=number
            )
            return
        if len(line) > limits.LINE_BYTES:
            limit = limits.in_mib(limits.LINE_BYTES)
            problems.add("long-line", f"the line is over the limit ({limit})", path=source.path, line=number)
            continue
        good, value = _parse(_LENIENT if nan_allowed else _STRICT, line, source.path, number, problems)
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


def read_json(source: Text, problems: Problems, *, nan_allowed: bool = False) -> Any:
    """A whole JSON document, or None with the problem said. With `nan_allowed` a bare NaN becomes `NaN`."""
    return _parse(_LENIENT if nan_allowed else _STRICT, source.text, source.path, 1, problems)[1]


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, Number):
        return "a number"
    return {bool: "true or false", str: "a text", list: "a list", dict: "an object"}.get(
        type(value), "no value"
    )
