"""The rates file: seconds a pair by device and statistic, and the price of an hour."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from scorer.errors import InputError, Problem, UsageError, printable

__all__ = ["PACKAGED", "Device", "Rate", "Rates", "read_rates"]

PACKAGED = Path(__file__).with_name("rates.yaml")
"""The rates that ship with the scorer."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Device(_Strict):
    """A kind of device.

    Attributes:
        match: part of the name that CUDA gives the device; "" for the processor.
        per_hour: price in the file's currency; null where nobody knows. price_basis: where it comes from.
    """

    match: str
    per_hour: Annotated[float, Field(ge=0)] | None
    price_basis: str


class Rate(_Strict):
    """How long one statistic takes on one device: `start_s` once a cell, then so long a pair."""

    statistic: str
    device: str
    seconds_per_pair: Annotated[float, Field(gt=0)]
    start_s: Annotated[float, Field(ge=0)]
    basis: str


class Rates(_Strict):
    """The whole file."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    currency: str
    devices: dict[str, Device]
    rates: tuple[Rate, ...]

    @model_validator(mode="after")
    def _fits_together(self) -> Rates:
        keys = [(rate.statistic, rate.device) for rate in self.rates]
        if len(set(keys)) != len(keys):
            raise ValueError("a statistic has two rates on one device")
        unknown = sorted({rate.device for rate in self.rates}.difference(self.devices))
        if unknown:
            raise ValueError(f"rates on devices that are not listed: {', '.join(unknown)}")
        return self

    def rate(self, statistic: str, device: str) -> Rate | None:
        """The rate of a statistic on a device, or None where nobody has measured it."""
        return next((r for r in self.rates if (r.statistic, r.device) == (statistic, device)), None)

    def device(self, name: str) -> str:
        """The device of that id, or the one whose `match` is part of the name.

        Raises:
            UsageError: there is none.
        """
        if name in self.devices:
            return name
        for device, known in self.devices.items():
            if known.match and known.match in name:
                return device
        known_ids = ", ".join(self.devices)
        raise UsageError(f"no rates for the device {printable(name)!r}; there are rates for {known_ids}")


@cache
def read_rates(path: Path = PACKAGED) -> Rates:
    """Reads a rates file.

    Raises:
        InputError: it is malformed; every problem at once.
    """
    try:
        return Rates.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except ValidationError as error:
        raise InputError(
            Problem(
                path=str(path),
                field=".".join(str(part) for part in found["loc"]),
                code="bad-rates",
                message=printable(found["msg"]),
                hint="see the comments in the packaged file",
            )
            for found in error.errors()
        ) from error
