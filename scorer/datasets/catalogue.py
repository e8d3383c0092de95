"""Dataset cards as files: the packaged ones, and those of a results folder (`results/datasets/<id>.yaml`).

A card is checked strictly: unknown keys, wrong types, contradictions between access and release, and a
folder or split that cannot exist are all refused, with every problem at once.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.datasets.base import Card, Rules, Split
from scorer.errors import InputError, Problem, printable
from scorer.guard import Problems, limits, read_bytes
from scorer.guard import read_card as read_guarded
from scorer.text import TRACKS

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["PACKAGED", "card_folder", "extra_ids", "read_card"]

PACKAGED = Path(__file__).parent
"""Packaged cards lie in `cards/` here, and the references that ship in folders beside it."""

_OPEN = "open"
_LEAST_CLOSED_SUBGROUP = 20


def card_folder(dataset_id: str, packaged_ids: Collection[str], results_root: Path | None) -> Path | None:
    """The folder in which a card's `ships_in` is looked up; None for an unknown id."""
    if dataset_id in packaged_ids:
        return PACKAGED
    return results_root / "datasets" if results_root and dataset_id in extra_ids(results_root) else None


def extra_ids(results_root: Path | None) -> tuple[str, ...]:
    """Ids of the cards in a results folder, ascending."""
    folder = results_root / "datasets" if results_root else None
    return tuple(sorted(path.stem for path in folder.glob("*.yaml"))) if folder and folder.is_dir() else ()


def read_card(path: Path, readers: Collection[str]) -> Card:
    """One card; read again only when the file has changed, as one command asks for the same cards very often.

    Raises:
        InputError: every problem of the file.
    """
    try:
        stat = path.stat()
    except OSError:
        return _read_card(path, readers)
    return _known_card(path, tuple(readers), stat.st_mtime_ns, stat.st_size, stat.st_ino)


@functools.lru_cache(maxsize=128)
def _known_card(path: Path, readers: tuple[str, ...], *_stamp: int) -> Card:
    return _read_card(path, readers)


def _read_card(path: Path, readers: Collection[str]) -> Card:
    from pydantic import ValidationError

    content = _read_yaml(path)
    try:
        card = _adapter().validate_json(json.dumps(content, default=str), strict=True)
    except ValidationError as error:
        raise InputError(_problem_of(path, detail) for detail in error.errors()) from None
    except (TypeError, ValueError) as error:
        raise _refused(path, f"not a card ({type(error).__name__})") from None
    problems = [
        Problem(path=str(path), code="bad-card", message=said)
        for said in _contradictions(card, path, readers)
    ]
    if problems:
        raise InputError(problems)
    return card


@functools.cache
def _adapter() -> TypeAdapter[Card]:
    from pydantic import TypeAdapter

    return TypeAdapter(Card)


def _read_yaml(path: Path) -> Any:
    import yaml

    problems = Problems()
    data = read_bytes(path, str(path), limits.CARD_BYTES, problems)
    text = (data or b"").removeprefix(b"\xef\xbb\xbf")
    if data is not None:
        read_guarded(text, str(path), problems)  # no aliases, tags or depth can cost time below
    problems.raise_if_any()
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (ValueError, TypeError, yaml.YAMLError) as error:  # such as the 31st of February
        raise _refused(path, f"a value that is none ({type(error).__name__})", "quote it") from None


def _problem_of(path: Path, detail: Any) -> Problem:
    """One pydantic error in our words."""
    field = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "unexpected_keyword_argument":
        fields = [*Card.__dataclass_fields__, *Split.__dataclass_fields__, *Rules.__dataclass_fields__]
        nearest = difflib.get_close_matches(str(detail["loc"][-1]), fields, n=1)
        hint = f"did you mean '{nearest[0]}'?" if nearest else ""
        return Problem(
            path=str(path), code="unknown-key", field=printable(field), message="unknown key", hint=hint
        )
    return Problem(path=str(path), code="bad-card", field=printable(field), message=printable(detail["msg"]))


def _shares(rules: Rules) -> tuple[float, ...]:
    return rules.min_non_empty, rules.max_identical, rules.sealed_share


def _contradictions(card: Card, path: Path, readers: Collection[str]) -> Iterator[str]:
    """What the types of a card cannot say."""
    for name in ("name", "summary", "modality", "licence", "source", "how_to_get"):
        bad = {c for c in getattr(card, name) if not (c.isprintable() or c in "\n")}
        if bad:
            yield f"{name} holds characters that do not print: {', '.join(f'U+{ord(c):04X}' for c in sorted(bad))}"
    if card.id != path.stem or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", card.id):
        yield f"id '{printable(card.id)}' is not the file's name in kebab-case"
    if card.version < 1:
        yield "version starts at 1"
    if card.split not in card.splits:
        yield f"split '{printable(card.split)}' is not among splits: {', '.join(card.splits)}"
    if not card.tracks or not set(card.tracks) <= set(TRACKS):
        yield f"tracks are one or more of {', '.join(TRACKS)}"
    if card.reader not in readers:
        yield f"reader '{printable(card.reader)}' is not one of {', '.join(sorted(readers))}"
    for name, split in card.splits.items():
        if split.n_studies < 1 or any(not 0 <= n <= split.n_studies for n in split.n_track.values()):
            yield f"splits.{printable(name)}: counts are between 0 and n_studies, and n_studies is at least 1"
        if not set(split.n_track) <= set(TRACKS):
            yield f"splits.{printable(name)}: n_track names tracks"
        if split.digest and not re.fullmatch(r"[0-9a-f]{64}", split.digest):
            yield f"splits.{printable(name)}: digest is 64 hexadecimal digits or empty"
    if card.access != _OPEN and card.release != "aggregate":
        yield f"access '{card.access}' allows release 'aggregate' only, not '{card.release}'"
    least = 1 if card.is_public else _LEAST_CLOSED_SUBGROUP
    if card.min_subgroup < least:
        yield f"min_subgroup is at least {least} with release '{card.release}'"
    if card.rules is not None and card.access != "private":
        yield "rules belong to access 'private'"
    if card.rules is not None and card.decimals is None:
        yield "a private split with rules publishes a fixed number of decimals"
    if card.rules is not None and not all(0 <= share <= 1 for share in _shares(card.rules)):
        yield "rules: shares are between 0 and 1"
    if card.decimals is not None and not 0 <= card.decimals <= 10:
        yield "decimals is between 0 and 10"
    if card.ships_in and not re.fullmatch(r"[A-Za-z0-9_-]+", card.ships_in):
        yield "ships_in is the name of a folder beside the cards"
    if card.ships_in and card.release != "texts":
        yield "ships_in needs release 'texts': what ships is public"
    if not card.ships_in and f"rexrank data add {card.id} " not in card.how_to_get:
        yield f"how_to_get holds the line `rexrank data add {card.id} PATH`"


def _refused(path: Path, message: str, hint: str = "", line: int = 0) -> InputError:
    return InputError([Problem(path=str(path), line=line, code="bad-card", message=message, hint=hint)])
