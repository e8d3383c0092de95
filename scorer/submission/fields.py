"""The types of the fields of `submission.yaml`: each reads the text as written and says what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from scorer.errors import printable
from scorer.guard import limits
from scorer.guard.links import https_link, paper
from scorer.guard.names import Fault, check_line, check_name, check_slug

__all__ = [
    "PLACEHOLDER",
    "Account",
    "Date",
    "Digest",
    "Flag",
    "Institution",
    "Line",
    "Link",
    "MetricId",
    "Name",
    "Note",
    "Orcid",
    "Paper",
    "Parameters",
    "Slug",
    "Version",
    "as_tuple",
    "fault",
    "shorthand",
]

PLACEHOLDER = "CHANGE ME"
EXAMPLES = frozenset({"YOUR-ACCOUNT", "OWNER"})
"""What the documentation writes where a person puts an account."""
"""What `rexrank new` writes where a person has to; `check` refuses it."""


def fault(code: str, message: str, hint: str = "") -> PydanticCustomError:
    """An error that pydantic collects and `parse_submission` turns into a `Problem`."""
    return PydanticCustomError(code, "{said}", {"said": message, "hint": hint})


def _scalar(value: Any) -> str:
    if value is None:
        raise fault("no-value", "has no value", "write one or remove the line")
    if not isinstance(value, str):
        raise fault(
            "wrong-type", f"one value expected, found {'a list' if isinstance(value, list) else 'a mapping'}"
        )
    if PLACEHOLDER in value or value in EXAMPLES:
        raise fault("placeholder", "still holds the text of the template", "write your own value")
    return value


def _refuse(found: Fault | None) -> None:
    if found:
        raise fault(*found)


def _line(value: Any) -> str:
    text = _scalar(value)
    _refuse(check_line(text))
    return text


def _name(value: Any) -> str:
    text = _scalar(value)
    _refuse(check_name(text))
    return text


def _institution(value: Any) -> str:
    text = _scalar(value)
    _refuse(check_name(text, limits.LINE_CHARACTERS, by_word=True))
    return text


def _note(value: Any) -> str:
    text = _scalar(value).strip()
    _refuse(check_line(re.sub(r"[\n\t]+", " ", text), limits.NOTE_CHARACTERS))
    return text


def _slug(value: Any) -> str:
    text = _scalar(value)
    _refuse(check_slug(text))
    return text


def _pattern(pattern: str, what: str, hint: str) -> Callable[[Any], str]:
    compiled = re.compile(pattern)

    def validate(value: Any) -> str:
        text = _scalar(value)
        if not compiled.fullmatch(text):
            raise fault("bad-value", f"{printable(text, 60)!r} is not {what}", hint)
        return text

    return validate


def _account(value: Any) -> str:
    text = _scalar(value).removeprefix("@")
    if not re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9])){0,38}", text):
        raise fault(
            "bad-account", f"{printable(text, 60)!r} is not an account name", "your account on the code host"
        )
    return text


def _link(value: Any) -> str:
    text = _scalar(value)
    if said := https_link(text):
        raise fault("bad-link", f"{printable(text, 60)!r}: {said}", "write the full address, https://…")
    return text


def _paper(value: Any) -> str:
    text = _scalar(value)
    if not (identity := paper(text)):
        raise fault(
            "bad-paper",
            f"{printable(text, 60)!r} is neither an arXiv id nor a DOI",
            "such as 2411.15122 or 10.1000/xyz",
        )
    return identity


def _orcid(value: Any) -> str:
    text = _scalar(value).removeprefix("https://orcid.org/")
    if not re.fullmatch(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]", text):
        raise fault("bad-orcid", f"{printable(text, 60)!r} is not an ORCID", "such as 0000-0002-1825-0097")
    total = 0
    for digit in text.replace("-", "")[:15]:
        total = (total + int(digit)) * 2
    if "0123456789X"[(12 - total % 11) % 11] != text[-1]:
        raise fault("bad-orcid", f"{text!r}: the check digit is wrong", "copy it from orcid.org")
    return text


def _date(value: Any) -> str:
    text = _scalar(value)
    hint = "write it as YYYY-MM-DD, YYYY-MM or YYYY"
    match = re.fullmatch(r"(20[0-9]{2})(?:-([0-9]{2})(?:-([0-9]{2}))?)?", text)
    if not match:
        raise fault("bad-date", f"{printable(text, 60)!r} is not a date", hint)
    try:
        date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        raise fault("bad-date", f"{text!r} is not in the calendar", hint) from None
    return text


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = _scalar(value)
    if text not in {"true", "false"}:
        raise fault("bad-flag", f"{printable(text, 60)!r} is neither true nor false", "write true or false")
    return text == "true"


def _parameters(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = _scalar(value)
    match = re.fullmatch(r"([0-9]{1,15})(?:\.([0-9]{1,4}))? ?([KMBT]?)", text)
    if not match:
        raise fault(
            "bad-number", f"{printable(text, 60)!r} is not a number of parameters", "such as 350M or 7B"
        )
    scale = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}[match[3]]
    decimals = match[2] or ""
    n: int = int(match[1] + decimals) * scale // 10 ** len(decimals)
    if not 0 < n <= 10**15:
        raise fault("bad-number", f"{printable(text, 60)!r} is out of range", "such as 350M or 7B")
    return n


def as_tuple(value: Any) -> Any:
    """A list as the immutable tuple that the models keep."""
    if isinstance(value, str) or value is None:
        raise fault(
            "wrong-type", "a list is expected", "write each item on a line of its own, after a hyphen"
        )
    if isinstance(value, list):
        if len(value) > limits.LIST_ITEMS:
            raise fault("long-list", f"{len(value):,} items, the limit is {limits.LIST_ITEMS}")
        return tuple(value)
    return value


def shorthand(key: str) -> Callable[[Any], Any]:
    """Lets one plain value stand for a mapping with one key."""

    def expand(value: Any) -> Any:
        return {key: value} if isinstance(value, str) else value

    return expand


def _text(validate: Callable[[Any], Any], description: str, **schema: Any) -> Any:
    return (
        BeforeValidator(validate),
        WithJsonSchema({"type": "string", "description": description, **schema}),
    )


# Patterns are those that editors and the form on the site can use before `check` sees the file: what they refuse,
# `check` refuses. They are written for the flags `u` and `v` of JavaScript too.
_SLUG = r"^[a-z0-9](?:\.?[a-z0-9-])*\.?[a-z0-9]$"
Line = Annotated[
    str, *_text(_line, "One line of plain text.", pattern=r"\S", maxLength=limits.LINE_CHARACTERS)
]
Name = Annotated[
    str, *_text(_name, "A short name in one script.", pattern=r"\S", maxLength=limits.NAME_CHARACTERS)
]
Institution = Annotated[str, *_text(_institution, "An institution's name.", maxLength=limits.LINE_CHARACTERS)]
Note = Annotated[str, *_text(_note, "Plain text, line breaks allowed.", maxLength=limits.NOTE_CHARACTERS)]
Slug = Annotated[str, *_text(_slug, "An id: a-z, 0-9, dot and hyphen.", pattern=_SLUG, maxLength=64)]
MetricId = Annotated[
    str,
    *_text(
        _pattern(r"[a-z][a-z0-9_]{1,63}", "a metric id", "such as radgraph_combined"),
        "A metric's id.",
        pattern="^[a-z][a-z0-9_]{1,63}$",
    ),
]
Version = Annotated[
    str,
    *_text(
        _pattern(
            r"[A-Za-z0-9][A-Za-z0-9._+-]{0,31}", "a version", "letters, digits and . _ + -, such as 1.0"
        ),
        "The model's version: letters, digits and . _ + -, such as 1.0.",
        type=["string", "number"],
        pattern="^[A-Za-z0-9][A-Za-z0-9._+-]{0,31}$",
    ),
]
Account = Annotated[
    str,
    *_text(
        _account,
        "Account on the code host that may change this folder.",
        pattern="^@?[A-Za-z0-9](?:-?[A-Za-z0-9])*$",
        maxLength=40,
    ),
]
Link = Annotated[
    str, *_text(_link, "An https address.", pattern=r"^https://\S+\.\S+$", maxLength=limits.LINK_CHARACTERS)
]
Paper = Annotated[str, *_text(_paper, "An arXiv id or a DOI.", type=["string", "number"], pattern="[0-9]{4}")]
_ORCID = r"^(?:https://orcid\.org/)?[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]$"
Orcid = Annotated[str, *_text(_orcid, "An ORCID such as 0000-0002-1825-0097.", pattern=_ORCID)]
Date = Annotated[
    str,
    *_text(
        _date,
        "YYYY-MM-DD, YYYY-MM or YYYY.",
        type=["string", "number"],
        pattern="^20[0-9]{2}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?$",
    ),
]
Digest = Annotated[
    str,
    *_text(
        _pattern("[0-9a-f]{64}", "a sha256", "64 hexadecimal digits, as `rexrank check` prints them"),
        "sha256 of the canonical predictions.",
        pattern="^[0-9a-f]{64}$",
    ),
]
Flag = Annotated[bool, BeforeValidator(_flag), WithJsonSchema({"type": "boolean"})]
Parameters = Annotated[
    int,
    BeforeValidator(_parameters),
    WithJsonSchema(
        {
            "type": ["string", "integer"],
            "description": "Number of parameters, such as 350M or 7B.",
            "pattern": r"^[0-9]{1,15}(?:\.[0-9]{1,4})? ?[KMBT]?$",
        }
    ),
]
