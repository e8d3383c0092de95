"""The submit form: fields, patterns and limits read from the schema of `submission.yaml`, so that they never differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.submission import submission_schema
from site_builder.page import Made, Page
from site_builder.render import render
from site_builder.wording import words
from site_builder.world import World

__all__ = ["fields", "make"]

Schema = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field of the form.

    Attributes:
        name: key in the file, "links.paper" for a key under a key.
        kind: "text", "lines", "select", "flag" or "choices".
        hint: what the schema says. options: values of a select or of check boxes.
        prefix: what stands before each item of a list ("other: " for words among dataset ids).
    """

    name: str
    label: str
    kind: str
    hint: str = ""
    pattern: str = ""
    most: int = 0
    is_required: bool = False
    options: Sequence[tuple[str, str]] = ()
    prefix: str = ""


_LEFT_OUT = ("predictions", "lifecycle", "supersedes")
"""Written by hand or by `rexrank import`: they name files and other submissions."""

_NEEDED = ("owner", "tracks")
"""Optional in the schema, needed as soon as there are predictions."""


def fields(world: World) -> tuple[Field, ...]:
    """The form's fields in the schema's order."""
    schema = submission_schema()
    required = {*schema.get("required", ()), *_NEEDED}
    found: list[Field] = []
    for name, given in schema["properties"].items():
        if name not in _LEFT_OUT:
            found += _fields(name, given, schema, world, name in required)
    return tuple(found)


def _fields(name: str, given: Schema, schema: Schema, world: World, is_required: bool) -> Iterator[Field]:
    plain = _plain(given, schema)
    label = ": ".join(words(part) for part in name.split("."))
    hint = str(plain.get("description", "")).partition("\n")[0]
    if name == "training_data":
        options = tuple((card.id, card.name) for card in world.datasets.values())
        yield Field(name=name, label=label, kind="choices", hint="Datasets of this board", options=options)
        yield Field(name=name, label="other training data", kind="lines", hint="One a line", prefix="other: ")
    elif name == "reward_metrics":
        options = tuple((spec.id, spec.label) for spec in world.metrics if spec.is_ranked)
        yield Field(
            name=name, label=label, kind="choices", hint="Metrics used as a training signal", options=options
        )
    elif "properties" in plain:
        for key, inner in plain["properties"].items():
            yield from _fields(f"{name}.{key}", inner, schema, world, False)
    elif plain.get("type") == "array":
        items = _plain(plain["items"], schema)
        if "enum" in items:
            options = tuple((value, words(value)) for value in items["enum"])
            yield Field(name=name, label=label, kind="choices", options=options, is_required=is_required)
        else:
            yield Field(name=name, label=label, kind="lines", hint="One a line", is_required=is_required)
    elif "enum" in plain:
        options = tuple((value, words(value)) for value in plain["enum"])
        yield Field(name=name, label=label, kind="select", options=options, is_required=is_required)
    elif plain.get("type") == "boolean":
        yield Field(name=name, label=label, kind="flag")
    else:
        pattern, most = str(plain.get("pattern", "")), int(plain.get("maxLength", 0))
        kind = "lines" if most > 300 and not pattern else "text"
        if pattern:  # a pattern of HTML matches whole values, and takes no bare hyphen in a class
            pattern = pattern.replace("-]", r"\-]")
            pattern = pattern.removeprefix("^") if pattern.startswith("^") else f".*{pattern}"
            pattern = pattern.removesuffix("$") if pattern.endswith("$") else f"{pattern}.*"
        yield Field(
            name=name, label=label, kind=kind, hint=hint, pattern=pattern, most=most, is_required=is_required
        )


def _plain(given: Schema, schema: Schema) -> Schema:
    """A schema without its reference, and without the null that an optional key may be."""
    if "$ref" in given:
        return _plain(schema["$defs"][given["$ref"].rpartition("/")[2]], schema)
    for option in given.get("anyOf", ()):
        if option.get("type") != "null":
            return _plain(option, schema)
    return given


def make(world: World) -> Iterator[Made]:
    """The form."""
    yield Page(
        path="submit/form/",
        title="Submission form",
        description="Fill in a model's card in the browser, checked against the schema, and save submission.yaml.",
        find="submission form",
        html=render("form.html", "../../", fields=fields(world)),
    )
