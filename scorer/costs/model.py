"""Minutes and money of cells, before and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scorer.costs.rates import Rates
from scorer.statistics import STATISTICS
from scorer.text import Track

__all__ = ["Cost", "Work", "estimate_costs", "how_far_off", "summary"]


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is to be computed for one cell: these statistics on n pairs."""

    model: str
    dataset: str
    track: Track
    n: int
    statistics: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one cell costs at most.

    Attributes:
        seconds: by statistic, of those with a known rate.
        unknown: statistics with an encoder that nobody has measured on the device; they are not in the sums.
        price: in the rates' currency; None where the price of an hour is unknown.
    """

    work: Work
    device: str
    seconds: Mapping[str, float] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    price: float | None = None

    @property
    def minutes(self) -> float:
        return sum(self.seconds.values()) / 60


def estimate_costs(cells: Iterable[Work], rates: Rates, device: str) -> tuple[Cost, ...]:
    """The cost of each cell on a device (an id in the rates), with nothing cached and no text twice.

    Statistics without an encoder cost nothing worth saying and are left out.
    """
    with_encoder = {one.spec.id for one in STATISTICS if one.spec.needs_gpu}
    per_hour = rates.devices[device].per_hour
    costs = []
    for work in cells:
        seconds: dict[str, float] = {}
        unknown = []
        for statistic in work.statistics:
            rate = rates.rate(statistic, device)
            if rate is not None:
                seconds[statistic] = rate.start_s + work.n * rate.seconds_per_pair
            elif statistic in with_encoder:
                unknown.append(statistic)
        price = None if per_hour is None else sum(seconds.values()) / 3600 * per_hour
        costs.append(Cost(work=work, device=device, seconds=seconds, unknown=tuple(unknown), price=price))
    return tuple(costs)


def summary(costs: Sequence[Cost], rates: Rates) -> list[str]:
    """A line a cell and one for the sum, for `rexrank plan --cost`."""
    lines = []
    for cost in costs:
        money = "" if cost.price is None else f", {cost.price:.2f} {rates.currency}"
        lacking = f"; not known: {', '.join(cost.unknown)}" if cost.unknown else ""
        where = f"{cost.work.model} · {cost.work.dataset} · {cost.work.track}"
        lines.append(f"{where}: {cost.minutes:.1f} min on {cost.device}{money}{lacking}")
    prices = [cost.price for cost in costs if cost.price is not None]
    money = f", {sum(prices):.2f} {rates.currency}" if len(prices) == len(costs) and costs else ""
    total = sum(cost.minutes for cost in costs)
    lines.append(f"{len(costs)} cells: at most {total:.1f} min{money}, less what is cached or said twice")
    return lines


def how_far_off(estimated_s: float, took_s: float) -> str:
    """What a run says of its estimate, e.g. `estimated at most 12.0 min, took 9.0 min (0.75 of it)`."""
    said = f"estimated at most {estimated_s / 60:.1f} min, took {took_s / 60:.1f} min"
    return f"{said} ({took_s / estimated_s:.2f} of it)" if estimated_s > 0 else said
