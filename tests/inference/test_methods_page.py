"""The worked example of docs/methods.md is what the code computes from the table printed there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from scorer.inference.decisions import decide
from scorer.inference.models import Draws, draw
from scorer.inference.pairs import compare
from scorer.inference.ranks import rank_draws
from scorer.inference.resampling import interval
from scorer.numbers import shown
from tests.inference.worlds import mean_models


@pytest.fixture
def example(root: Path) -> str:
    """The section, its line breaks taken out."""
    text = (root / "docs" / "methods.md").read_text("utf-8")
    return re.sub(r"(?<!\|)\n(?!\|)", " ", text.split("## Worked example")[1].split("\n## ")[0])


@pytest.fixture
def draws(example: str) -> Draws:
    rows = re.findall(r"^\| [ABC] \| ((?:0\.\d\d[ |]+){12})$", example, flags=re.MULTILINE)
    values = np.array([[float(cell) for cell in re.findall(r"0\.\d\d", row)] for row in rows])
    assert values.shape == (3, 12)
    return draw({"example": mean_models(values)})["example"]


def test_values_and_intervals_of_the_worked_example(example: str, draws: Draws) -> None:
    a, b, c = draws.values
    assert f"A {a:.3f}, B {b:.3f}, C {c:.3f}" in example
    intervals = [
        " to ".join(shown(bound, 3) for bound in bounds)
        for bounds in (interval(row) for row in draws.resampled)
    ]
    assert f"{intervals[0]}, {intervals[1]} and {intervals[2]}" in example
    assert f"it gives A {draws.resampled[0, 0]:.3f}, B {draws.resampled[1, 0]:.3f}" in example


def test_decisions_of_the_worked_example(example: str, draws: Draws) -> None:
    decisions = decide(draws.values, draws.resampled, better="higher", n_clusters=12)
    pairs = [(0, 1), (0, 2), (1, 2)]
    errors = [decisions.errors[pair] for pair in pairs]
    assert f"error of {errors[0]:.4f}, A − C with {errors[1]:.4f} and B − C with {errors[2]:.4f}" in example
    ratios = [
        (draws.values[a] - draws.values[b]) / error for (a, b), error in zip(pairs, errors, strict=True)
    ]
    assert f"{ratios[0]:.2f} for A − B, {ratios[1]:.1f} for A − C and {ratios[2]:.1f} for B − C" in example
    assert f"critical value is {decisions.critical:.2f}" in example


def test_ranks_of_the_worked_example(example: str, draws: Draws) -> None:
    column = rank_draws(draws)
    for name, model in zip("ABC", column.models, strict=True):
        assert model is not None
        assert f"| {name} | {model.rank} | {model.low}–{model.high} | {model.group} |" in example
    assert column.top == (0, 1)
    assert "First place is shared by A and B." in example
    assert f"a difference of {column.resolvable:.4f}" in example


def test_comparisons_of_the_worked_example(example: str, draws: Draws) -> None:
    one = compare(draws, 0, 1)
    assert one.is_exact
    assert one.low is not None
    said = f"difference {one.difference:.3f} ({one.low:.3f} to {one.high:.3f})".replace("-", "−")
    assert said in example
    assert f"{round(one.p * 4096)} give a difference" in example
    assert f"p = {one.p:.3f}" in example
    assert f"wins {one.wins} studies and loses {one.losses}; the effect size is {one.effect:.2f}" in example
    assert compare(draws, 1, 2).p == 2 / 4096
