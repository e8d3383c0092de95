"""What scoring costs: minutes and money a cell, from measured rates, and how far off that was afterwards."""

from __future__ import annotations

from scorer.costs.cells import work_of
from scorer.costs.model import Cost, Work, estimate_costs, how_far_off, summary
from scorer.costs.rates import Device, Rate, Rates, read_rates

__all__ = [
    "Cost",
    "Device",
    "Rate",
    "Rates",
    "Work",
    "estimate_costs",
    "how_far_off",
    "read_rates",
    "summary",
    "work_of",
]
