"""YAML for people, read event by event: no anchors, aliases, tags, directives or merge keys, and every
scalar left as text. What a scalar means is the schema's business, so `no`, `12:30`, `010` and `1e3` stay
what was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from scorer.errors import printable
from scorer.guard import limits
from scorer.guard.files import decode
from scorer.guard.problems import Problems

__all__ = ["Card", "read_card"]

Place = tuple[str | int, ...]
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, kw_only=True)
class Card:
    """A YAML mapping.

    Attributes:
        value: nested dict, list, str and None (an unquoted null or nothing at all).
        lines: 1-based line of each place, ("links", "paper") and ("authors", 0); () is the top.
    """

    value: dict[str, Any]
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, place: Place) -> int:
        """Line of a place, or of the nearest place around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


class _Refused(Exception):
    """Reading ends here; the problem has been said."""


def read_card(data: bytes, path: str, problems: Problems) -> Card | None:
    """Reads one YAML mapping, or gives None with every problem said."""
    if len(data) > limits.CARD_BYTES:
        problems.add("too-large", limits.over(limits.CARD_BYTES, len(data)), path=path)
        return None
    decoded = decode(data, path, problems)
    if decoded is None:
        return None
    try:
        return _Reader(decoded.text, path, problems).read()
    except _Refused:
        return None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        said = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read")
        said = said.replace("in this context", "here")  # as PyYAML without libyaml says it
        line = mark.line + 1 if mark else 0
        if "nesting" in said:
            problems.add("too-deep", f"nested deeper than {limits.CARD_DEPTH} levels", path=path, line=line)
            return None
        written = (
            one for one in decoded.text.split("\n") if one.strip() and not one.lstrip().startswith("#")
        )
        if next(written, "").startswith("%") or "directive" in said:
            message = "directives (%YAML, %TAG) are not allowed"
            problems.add("yaml-directive", message, path=path, line=line, hint="remove the line")
            return None
        at = "".join(decoded.text.split("\n")[mark.line : mark.line + 1])[mark.column :] if mark else ""
        message = f"not YAML: {printable(said)}"
        problems.add("broken-yaml", message, path=path, line=line, hint=_hint(said, at))
        return None


def _hint(said: str, at: str) -> str:
    if "mapping values are not allowed" in said:
        return 'put a value that holds ": " between double quotes'
    if "cannot start any token" in said and at.startswith("\t"):
        return "indent with spaces, not tabs"
    if "cannot start any token" in said:
        return "put a value that starts with @, `, % or a bracket between double quotes"
    if "control characters" in said:
        return "remove the control characters"
    return "look at the indentation and at quotes that are not closed"


class _Reader:
    def __init__(self, text: str, path: str, problems: Problems) -> None:
        self.source = text.split("\n")
        self.path, self.problems = path, problems
        self.lines: dict[Place, int] = {}
        self.events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        self.seen = self.depth = 0

    def refuse(self, code: str, message: str, line: int, hint: str = "") -> _Refused:
        self.problems.add(code, message, path=self.path, line=line, hint=hint)
        return _Refused()

    def next(self) -> Any:
        event = next(self.events)
        self.seen += 1
        line = event.start_mark.line + 1
        if self.seen > limits.CARD_EVENTS:
            raise self.refuse("too-many-nodes", f"holds more than {limits.CARD_EVENTS:,} nodes", line)
        if isinstance(event, yaml.DocumentStartEvent) and (event.version or event.tags):
            raise self.refuse(
                "yaml-directive", "directives (%YAML, %TAG) are not allowed", line, "remove the line"
            )
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise self.refuse(
                "yaml-anchor", "anchors and aliases (&, *) are not allowed", line, "write the value out"
            )
        if getattr(event, "tag", None) is not None:
            raise self.refuse("yaml-tag", "tags (!) are not allowed", line, "write the plain value")
        return event

    def read(self) -> Card:
        self.next()
        first = self.next()
        if isinstance(first, yaml.StreamEndEvent):
            raise self.refuse(
                "not-a-mapping", "is empty; one mapping expected", 0, "`rexrank new` writes a template"
            )
        top = self.next()
        value = self.node(top, ())
        if not isinstance(value, dict):
            what = "a list" if isinstance(value, list) else "one value" if value else "empty"
            raise self.refuse(
                "not-a-mapping", f"is {what}; one mapping expected", 1, "write `key: value` lines"
            )
        self.next()
        if not isinstance(end := self.next(), yaml.StreamEndEvent):
            line = end.start_mark.line + 1
            raise self.refuse(
                "not-a-mapping", "holds a second document; one mapping expected", line, "remove ---"
            )
        return Card(value=value, lines=self.lines)

    def node(self, event: Any, place: Place) -> Any:
        self.lines.setdefault(place, event.start_mark.line + 1)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, place)
        self.depth += 1
        if self.depth > limits.CARD_DEPTH:
            line = event.start_mark.line + 1
            raise self.refuse("too-deep", f"nested deeper than {limits.CARD_DEPTH} levels", line)
        value = self.mapping(place) if isinstance(event, yaml.MappingStartEvent) else self.sequence(place)
        self.depth -= 1
        return value

    def sequence(self, place: Place) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := self.next(), yaml.SequenceEndEvent):
            items.append(self.node(event, (*place, len(items))))
        return items

    def mapping(self, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := self.next(), yaml.MappingEndEvent):
            line = event.start_mark.line + 1
            if not isinstance(event, yaml.ScalarEvent):
                raise self.refuse("bad-key", "a key must be a plain word", line)
            key = str(event.value)
            if key == "<<" and event.implicit[0]:
                raise self.refuse(
                    "yaml-merge", "merge keys (<<) are not allowed", line, "write the values out"
                )
            inner = (*place, key)
            if key in found:
                self.problems.add(
                    "duplicate-key",
                    f"{printable(key)!r} stands twice, on lines {self.lines[inner]} and {line}",
                    path=self.path,
                    line=line,
                    field=printable(".".join(map(str, inner))),
                    hint="keep one of them",
                )
                self.node(self.next(), (*inner, "\0again"))
                continue
            self.lines[inner] = line
            found[key] = self.node(self.next(), inner)
        return found

    def scalar(self, event: Any, place: Place) -> str | None:
        if not event.implicit[0]:
            return str(event.value)
        end = event.end_mark
        if event.end_mark.line < len(self.source):
            rest = self.source[end.line][end.column :]
            if re.match(r"[ \t]+#[^\s#]", rest):
                self.problems.add(
                    "cut-at-hash",
                    f"the value ends before the #: {printable(str(event.value), 60)!r} is read",
                    path=self.path,
                    line=end.line + 1,
                    field=printable(".".join(map(str, place))),
                    hint="put the value between double quotes if the # belongs to it, or a blank after # if not",
                    severity="warning",
                )
        return None if event.value in _NOTHING else str(event.value)
