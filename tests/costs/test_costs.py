"""The cost model: arithmetic by hand, unknown rates, and the rates file itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorer.costs import Work, estimate_costs, how_far_off, read_rates, summary
from scorer.errors import InputError, UsageError
from scorer.statistics import STATISTICS

RATES = """
schema: 1
currency: EUR
devices:
  big: {match: H200, per_hour: 3.6, price_basis: test}
  free: {match: "", per_hour: null, price_basis: unknown}
rates:
- {statistic: green, device: big, seconds_per_pair: 2, start_s: 100, basis: test}
- {statistic: chexbert, device: big, seconds_per_pair: 0.5, start_s: 0, basis: test}
- {statistic: green, device: free, seconds_per_pair: 9, start_s: 0, basis: test}
"""


@pytest.fixture
def rates_file(tmp_path: Path) -> Path:
    path = tmp_path / "rates.yaml"
    path.write_text(RATES)
    return path


def work(*statistics: str, n: int = 100) -> Work:
    return Work(model="netone", dataset="iu-xray", track="findings", n=n, statistics=statistics)


def test_a_cell_costs_its_start_and_its_pairs(rates_file: Path) -> None:
    rates = read_rates(rates_file)
    (cost,) = estimate_costs([work("ngrams", "green", "chexbert")], rates, "big")
    assert dict(cost.seconds) == {"green": 300.0, "chexbert": 50.0}  # 100 + 100 * 2; 100 * 0.5
    assert cost.minutes == pytest.approx(350 / 60)
    assert cost.price == pytest.approx(350 / 3600 * 3.6)
    assert cost.unknown == ()


def test_a_rate_that_nobody_measured_is_said_and_never_counted_as_zero(rates_file: Path) -> None:
    rates = read_rates(rates_file)
    (cost,) = estimate_costs([work("crimson", "green")], rates, "big")
    assert cost.unknown == ("crimson",)
    assert "not known: crimson" in summary([cost], rates)[0]


def test_an_unknown_price_is_no_price(rates_file: Path) -> None:
    rates = read_rates(rates_file)
    costs = estimate_costs([work("green")], rates, "free")
    assert costs[0].price is None
    assert "EUR" not in "".join(summary(costs, rates))


def test_the_sum_adds_up(rates_file: Path) -> None:
    rates = read_rates(rates_file)
    costs = estimate_costs([work("green"), work("green", n=400)], rates, "big")
    # 300 s and 900 s are 20 min, a third of an hour of 3.60
    assert summary(costs, rates)[-1].startswith("2 cells: at most 20.0 min, 1.20 EUR")


def test_a_run_says_how_far_off_its_estimate_was() -> None:
    assert how_far_off(720, 540) == "estimated at most 12.0 min, took 9.0 min (0.75 of it)"
    assert how_far_off(0, 6) == "estimated at most 0.0 min, took 0.1 min"


def test_a_device_is_found_by_its_name(rates_file: Path) -> None:
    rates = read_rates(rates_file)
    assert rates.device("NVIDIA H200 80GB") == rates.device("big") == "big"
    with pytest.raises(UsageError, match="big, free"):
        rates.device("abacus")


def test_a_malformed_file_is_told_with_every_problem(tmp_path: Path) -> None:
    path = tmp_path / "rates.yaml"
    path.write_text(RATES.replace("start_s: 100", "start_s: -1").replace("currency: EUR", "money: EUR"))
    with pytest.raises(InputError) as raised:
        read_rates(path)
    assert len(raised.value.problems) >= 3
    path.write_text(RATES.replace("device: free, seconds", "device: lost, seconds"))
    with pytest.raises(InputError, match="lost"):
        read_rates(path)


def test_the_packaged_rates_name_registered_statistics_only() -> None:
    known = {one.spec.id for one in STATISTICS if one.spec.needs_gpu}
    rates = read_rates()
    assert {rate.statistic for rate in rates.rates} <= known
    assert all(rate.basis.startswith(("measured", "published")) for rate in rates.rates)
