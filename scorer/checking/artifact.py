"""The form in which scores cross a boundary: numbers, digests and known ids, and no text of anybody's.

A scoring job hands over an artifact in this form; whoever writes records reads it with these strict schemas and
builds the records anew from the registries. Nothing else gets through, whatever the job was made to write.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field, FiniteFloat, ValidationError

from scorer.checking.states import State
from scorer.errors import InputError
from scorer.guard import Problems, decode, limits
from scorer.store import canonical_json
from scorer.text import Track

__all__ = [
    "Artifact",
    "Lack",
    "Numbers",
    "Pair",
    "PairColumn",
    "Pairs",
    "Table",
    "as_tuples",
    "read_artifact",
    "write_artifact",
]

_VALUES, _GROUPS, _KEYS = 4_000_000, 500_000, 1_000
"""What the largest artifact can hold: values; lists, objects and keys in all; keys of one object. Looked at before
anything is built of it, for a list of nothing takes twenty times its size in memory."""
_Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,63}$")]
_Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
_Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}@[0-9]{1,4}$")]
_Hex = Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")]
_DigestName = Annotated[
    str,
    Field(pattern=r"^(predictions|references|submitted|dataset|statistic:[a-z][a-z0-9_]{0,63}@[0-9]{1,4})$"),
]
_Version = Annotated[str, Field(pattern=r"^[0-9][0-9A-Za-z.+-]{0,31}$")]
_Kind = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z -]{0,59}$")]
_Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
_StudyId = Annotated[str, Field(min_length=1, max_length=limits.ID_CHARACTERS)]


_Item = TypeVar("_Item")
_Many = Annotated[tuple[_Item, ...], FailFast()]
"""Any number of items; reading ends at the first that is none, however many follow."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Lack(_Strict):
    """Why a metric has no number: `undefined` on these studies, `unavailable` where it was scored, or `failed`.

    statistic, kind, count: which one failed, the class of the failure, on how many studies.
    """

    why: Literal["undefined", "unavailable", "failed"]
    statistic: _Word | Literal[""] = ""
    kind: _Kind | Literal[""] = ""
    count: _Count = 0


class Numbers(_Strict):
    """A record without words: values by metric as [value, low, high]; signatures come from the registry."""

    model: _Id
    dataset: _Id
    track: Track
    n: _Count
    n_empty: _Count
    values: dict[_Word, tuple[FiniteFloat, FiniteFloat | None, FiniteFloat | None]]
    missing: dict[_Word, Lack]
    digests: dict[_DigestName, _Hex]
    weights: dict[_Key, _Hex]
    n_truncated: dict[_Key, _Count]
    seed: _Count
    resamples: _Count
    clusters: Literal["patient", "study"]
    versions: dict[_Word, _Version]
    figures: dict[_Word, FiniteFloat]


class Table(_Strict):
    """A per-study table of an open dataset; column names come from the registry."""

    model: _Id
    dataset: _Id
    track: Track
    statistic: _Word
    version: _Count
    study_ids: _Many[_StudyId]
    values: _Many[_Many[FiniteFloat]]
    inputs: _Hex
    weights_digest: _Hex
    n_truncated: _Count


class RankedModel(_Strict):
    """A place in a ranked column; fields as in `scorer.inference.ranks.Ranked`."""

    rank: _Count
    low: _Count | None
    high: _Count | None
    group: _Count | None
    p_above: Annotated[FiniteFloat, Field(ge=0, le=1)] | None


class Ranking(_Strict):
    """A ranked column. is_resampled: ranked by resampling, else by value alone."""

    is_resampled: bool
    models: _Many[RankedModel | None]
    order: _Many[_Count]
    top: _Many[_Count]
    resolvable: FiniteFloat | None


class Pair(_Strict):
    """Two models compared; fields as in `scorer.inference.pairs.Comparison`."""

    a: _Id
    b: _Id
    value_a: FiniteFloat
    value_b: FiniteFloat
    difference: FiniteFloat
    low: FiniteFloat | None
    high: FiniteFloat | None
    p: Annotated[FiniteFloat, Field(ge=0, le=1)]
    is_exact: bool
    wins: _Count | None
    ties: _Count | None
    losses: _Count | None
    effect: FiniteFloat | None


class PairColumn(_Strict):
    """One metric's ranks and pairs of a closed dataset."""

    order: _Many[_Id]
    values: dict[_Id, FiniteFloat]
    ranked: Ranking
    pairs: _Many[Pair]


class Pairs(_Strict):
    """Ranks and pairs of a closed dataset and track, by metric."""

    dataset: _Id
    track: Track
    columns: dict[_Word, PairColumn]


class Artifact(_Strict):
    """All that a scoring job hands over. commit: of the main branch that was scored."""

    form: Literal[1]
    commit: Annotated[str, Field(pattern=r"^([0-9a-f]{40})?$")]
    records: _Many[Numbers]
    tables: _Many[Table]
    states: _Many[State]
    pairs: _Many[Pairs]


def write_artifact(artifact: Artifact) -> bytes:
    """The canonical bytes of an artifact."""
    return canonical_json(artifact.model_dump(mode="json"))


def read_artifact(data: bytes, path: str) -> Artifact:
    """Reads what a scoring job handed over.

    Raises:
        InputError: it is anything but numbers in the documented form. Places are named, contents never.
    """
    problems = Problems()
    if len(data) > limits.ARTIFACT_BYTES:
        problems.add("too-large", limits.over(limits.ARTIFACT_BYTES, len(data)), path=path)
        problems.raise_if_any()
    text = decode(data, path, problems)
    problems.raise_if_any()
    assert text is not None
    if text.text.count(",") > _VALUES or sum(map(text.text.count, "[{:")) > _GROUPS:
        problems.add("not-numbers", "holds more values than scores can have", path=path)
        problems.raise_if_any()
    try:
        document = json.loads(text.text, object_pairs_hook=_unique, parse_constant=_no_constant)
        return Artifact.model_validate(as_tuples(document))
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_context=False, include_input=False):
            place = ".".join(
                str(part) if isinstance(part, int) or str(part) in _NAMES else "*" for part in detail["loc"]
            )
            problems.add(
                "not-numbers", f"not in the form of scores ({detail['type']})", path=path, field=place
            )
    except (ValueError, RecursionError) as error:
        problems.add("not-numbers", f"not in the form of scores ({type(error).__name__})", path=path)
    raise InputError(problems.errors)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs) or len(found) > _KEYS:
        raise ValueError("duplicate key, or too many of them")
    return found


def _no_constant(_: str) -> Any:
    raise ValueError("not a finite number")


def as_tuples(value: Any) -> Any:
    """Lists as the immutable tuples of the schema."""
    if isinstance(value, list):
        return tuple(as_tuples(item) for item in value)
    return {key: as_tuples(item) for key, item in value.items()} if isinstance(value, dict) else value


_MODELS: tuple[type[BaseModel], ...] = (
    Artifact,
    Numbers,
    Table,
    Lack,
    State,
    Pairs,
    PairColumn,
    Pair,
    Ranking,
)
_NAMES = frozenset(name for model in _MODELS for name in model.model_fields)
