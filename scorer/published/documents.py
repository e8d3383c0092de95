"""Strict reading of small YAML files: every problem at once, with its line."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from scorer.errors import Problem, printable

__all__ = [
    "DATE",
    "FLAG",
    "INTEGER",
    "TEXT",
    "TEXTS",
    "Document",
    "Field",
    "check_fields",
    "read_yaml",
    "to_yaml",
]


class Field(NamedTuple):
    """A key that a mapping may hold: what its value must be, and whether null or absence will do."""

    words: str
    holds: Callable[[Any], bool]
    may_be_null: bool = True
    may_be_absent: bool = False


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


TEXT = Field("text", _is_text)
TEXTS = Field("a list of texts", lambda v: isinstance(v, list) and bool(v) and all(map(_is_text, v)))
INTEGER = Field("a whole number", lambda v: isinstance(v, int) and not isinstance(v, bool))
FLAG = Field("true, false or words", lambda v: isinstance(v, bool) or _is_text(v))
DATE = Field(
    "a date (YYYY-MM-DD)", lambda v: isinstance(v, datetime.date) and not isinstance(v, datetime.datetime)
)


class Document(NamedTuple):
    """A YAML file's content with the line of every key, by path of keys and positions."""

    value: Any
    lines: Mapping[tuple[str | int, ...], int]
    text: str


def read_yaml(path: Path, problems: list[Problem]) -> Document | None:
    """Reads one document; appends what is wrong and gives None when nothing can be read at all.

    Duplicate keys are a problem, as YAML itself would keep the last one in silence.
    """

    def refuse(code: str, message: str, line: int = 0, hint: str = "") -> None:
        problems.append(Problem(path=str(path), line=line, code=code, message=message, hint=hint))

    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        refuse("unreadable", f"cannot be read ({type(error).__name__})")
        return None
    except UnicodeDecodeError:
        refuse("encoding", "is not UTF-8", hint="save it as UTF-8")
        return None
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        lines: dict[tuple[str | int, ...], int] = {}
        if node is not None:
            _walk(node, (), lines, refuse)
        value = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        refuse("yaml", f"is not YAML: {printable(error.problem or 'syntax error')}", line)
        return None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        refuse("yaml", f"is not YAML ({type(error).__name__})")
        return None
    finally:
        loader.dispose()
    return Document(value, lines, text)


def _walk(
    node: yaml.Node,
    at: tuple[str | int, ...],
    lines: dict[tuple[str | int, ...], int],
    refuse: Callable[..., None],
    depth: int = 3,
) -> None:
    """Notes lines down to `depth` levels, enough for every file here and safe for nested aliases."""
    if depth and isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            place = (*at, str(key.value))
            line = key.start_mark.line + 1
            if place in lines:
                refuse("duplicate-key", f"'{printable(str(key.value))}' stands twice", line)
            lines[place] = line
            _walk(value, place, lines, refuse, depth - 1)
    elif depth and isinstance(node, yaml.SequenceNode):
        for position, item in enumerate(node.value):
            lines[(*at, position)] = item.start_mark.line + 1
            _walk(item, (*at, position), lines, refuse, depth - 1)


def check_fields(
    value: Any,
    fields: Mapping[str, Field],
    path: Path,
    document: Document,
    at: tuple[str | int, ...],
    problems: list[Problem],
) -> bool:
    """Checks one mapping against its fields; appends every problem and gives whether there was none."""
    before = len(problems)
    here = document.lines.get(at, 1)

    def refuse(code: str, key: str, message: str, hint: str = "") -> None:
        line = document.lines.get((*at, key), here)
        field = ".".join(map(str, (*at, key)))
        problems.append(
            Problem(path=str(path), line=line, field=printable(field), code=code, message=message, hint=hint)
        )

    if not isinstance(value, dict):
        problems.append(
            Problem(
                path=str(path), line=here, code="wrong-type", message="is not a mapping of keys to values"
            )
        )
        return False
    for key in value:
        if key not in fields:
            near = difflib.get_close_matches(str(key), fields, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(fields)}"
            refuse("unknown-key", str(key), "is not a known key", hint)
    for key, field in fields.items():
        if key not in value:
            if not field.may_be_absent:
                refuse(
                    "missing-key", key, "is missing", f"give {field.words}{' or null' * field.may_be_null}"
                )
        elif value[key] is None:
            if not field.may_be_null:
                refuse("wrong-type", key, "is null", f"give {field.words}")
        elif not field.holds(value[key]):
            refuse(
                "wrong-type", key, f"is not {field.words}", "quote it if it is text" if field is TEXT else ""
            )
    return len(problems) == before


def to_yaml(document: Mapping[str, Any]) -> bytes:
    """YAML in the order given, UTF-8, LF; equal documents give equal bytes."""
    text: str = yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=110)
    return text.encode("utf-8")
