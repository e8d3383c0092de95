"""Which judges answer where on this machine: the registrations that `rexrank judge use` writes.

One YAML file among the machine's registrations, `judges.yaml`. It names a variable of the environment that
holds a server's key, never the key.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.error import URLError
from urllib.request import ProxyHandler, Request, build_opener

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scorer.errors import InputError, MissingError, Problem, printable
from scorer.judges.base import Endpoint, JudgeCard
from scorer.judges.doors import VARIABLE
from scorer.store import write_atomic

__all__ = [
    "Registration",
    "describe_server",
    "endpoints",
    "read_registrations",
    "served_name",
    "write_registration",
]


class Registration(BaseModel):
    """One judge's endpoint as it is kept; fields as in `scorer.judges.base.Endpoint`.

    Attributes:
        key_env: name of the environment variable that holds the server's key; "" for none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    model: str
    weights_digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    server: str
    constrained: bool = False
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 16
    timeout_s: Annotated[float, Field(gt=0)] = 600.0
    patience_s: Annotated[float, Field(ge=0)] = 300.0
    key_env: str = ""

    def endpoint(self, environment: Mapping[str, str]) -> Endpoint:
        """The endpoint, with its key and its door taken from the environment."""
        fields = self.model_dump(exclude={"key_env"})
        door = environment.get(VARIABLE)
        return Endpoint(
            **fields,
            api_key=environment.get(self.key_env, "") if self.key_env else "",
            door=None if door is None else int(door),
        )


def _path(state_dir: Path) -> Path:
    return state_dir / "judges.yaml"


def read_registrations(state_dir: Path) -> dict[str, Registration]:
    """What is registered, by judge.

    Raises:
        InputError: the file is damaged; every problem in it.
    """
    path = _path(state_dir)
    if not path.is_file():
        return {}
    hint = "write it anew with rexrank judge use"
    try:
        document = yaml.safe_load(path.read_text("utf-8"))
        items = dict(document["judges"])
    except (yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError, ValueError):
        problem = Problem(path=str(path), code="bad-judges", message="is not a list of judges", hint=hint)
        raise InputError([problem]) from None
    found: dict[str, Registration] = {}
    problems: list[Problem] = []
    for judge, item in items.items():
        try:
            found[str(judge)] = Registration.model_validate(item)
        except ValidationError as error:
            for one in error.errors():
                field = ".".join(str(part) for part in (judge, *one["loc"]))
                message = printable(one["msg"])
                problems.append(
                    Problem(path=str(path), field=field, code="bad-judges", message=message, hint=hint)
                )
    if problems:
        raise InputError(problems)
    return found


def write_registration(state_dir: Path, judge: str, registration: Registration | None) -> bool:
    """Puts one judge's registration in place of the former, or takes it out; gives whether anything changed."""
    kept = read_registrations(state_dir)
    kept.pop(judge, None)
    if registration is not None:
        kept[judge] = registration
    document = {"judges": {name: kept[name].model_dump(mode="json") for name in sorted(kept)}}
    return write_atomic(_path(state_dir), yaml.safe_dump(document, sort_keys=False).encode("utf-8"))


def endpoints(state_dir: Path, environment: Mapping[str, str]) -> dict[str, Endpoint]:
    """Where every registered judge answers; what `Bench.judges` holds.

    Raises:
        InputError: the file is damaged.
    """
    return {judge: one.endpoint(environment) for judge, one in read_registrations(state_dir).items()}


def served_name(card: JudgeCard, weights_digest: str) -> str:
    """The name under which a judge is served: it says which weights were verified before serving."""
    return f"rexrank-{card.id}-{weights_digest[:16]}"


def describe_server(url: str, key: str = "") -> tuple[list[str], str]:
    """The names that a server serves, and its own name and version as far as it says them.

    Raises:
        MissingError: no such server answers there.
    """
    listing = _get(f"{url.rstrip('/')}/models", key)
    try:
        models = [(str(one["id"]), str(one.get("owned_by") or "")) for one in listing["data"]]
    except (KeyError, TypeError, AttributeError):
        raise MissingError(
            "no OpenAI-compatible server answers there", "start it, then the same again"
        ) from None
    kind = next((owner for _, owner in models if owner), "unknown")
    try:
        version = str(_get(f"{url.rstrip('/').removesuffix('/v1')}/version", key)["version"])
    except (MissingError, KeyError, TypeError):
        version = ""
    return [name for name, _ in models], " ".join(part for part in (kind, version) if part)


def _get(url: str, key: str) -> Any:
    request = Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=30) as response:
            return json.loads(response.read())
    except (URLError, OSError, ValueError, http.client.HTTPException) as error:
        said = f"no OpenAI-compatible server answers there ({type(error).__name__})"
        raise MissingError(said, "start it, then the same again") from None
