"""Pages that explain rules: the signals with the thresholds in force, the methods, and how to submit.

Each stands under the hand-written page of the same address where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scorer.published import METRICS as PUBLISHED
from scorer.signals import thresholds
from site_builder.page import Made, Page
from site_builder.render import render
from site_builder.views.metrics import value_range
from site_builder.world import World

__all__ = ["make"]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A signal's rule. `limits` are (threshold's name, value)."""

    id: str
    title: str
    words: str
    limits: tuple[tuple[str, str], ...]


_RULES = (
    (
        "empty",
        "Empty predictions",
        "A share of the predictions holds no word. They are scored as the worst value.",
        ("empty_share",),
    ),
    (
        "few-distinct",
        "Few distinct reports",
        "The model writes far fewer distinct reports than the references hold.",
        ("distinct_ratio",),
    ),
    (
        "repeated",
        "One report again and again",
        "The most repeated prediction stands for a larger share of the studies than the most frequent reference does.",
        ("most_repeated_share",),
    ),
    (
        "length",
        "Much shorter or longer",
        "Words predicted for each word of the references, over all studies.",
        ("length_ratio_low", "length_ratio_high"),
    ),
    (
        "own-reference",
        "Identical to the reference",
        "Predictions equal their own study's reference word for word.",
        ("own_reference_share",),
    ),
    (
        "any-reference",
        "Identical to some reference",
        "Long predictions equal a reference of another study of this split.",
        ("any_reference_share",),
    ),
    (
        "training-report",
        "Identical to a training report",
        "Long predictions equal a report of the training split.",
        ("training_share",),
    ),
    (
        "overlap",
        "Shared with another submission",
        "Predictions equal another submission's for the same study.",
        ("overlap_share",),
    ),
    (
        "reward-gap",
        "Better on its own reward",
        "The card names metrics used as a training reward, and the model ranks better on those than on the others.",
        ("reward_gap",),
    ),
)


def make(world: World) -> Iterator[Made]:
    """Signals, methods and the submit page's generated part."""
    limits = thresholds(world.results)
    rules = [
        Rule(
            id=id,
            title=title,
            words=words,
            limits=tuple((name.replace("_", " "), f"{limits[name]:g}") for name in names),
        )
        for id, title, words, names in _RULES
    ]
    yield Page(
        path="signals/",
        title="Signals",
        description="What is odd about a model's predictions: rules, thresholds and evidence.",
        find="signals rules thresholds",
        html=render("signals.html", "../", rules=rules),
    )
    methods = sorted({c.method for b in world.boards for c in b.columns if c.method})
    record = next(iter(world.records.values()), None)
    yield Page(
        path="methods/",
        title="Methods",
        description="How values, intervals, ranks, tie groups and comparisons are found.",
        find="methods intervals ranks",
        html=render(
            "methods.html",
            "../",
            methods=methods,
            record=record,
            columns=[
                (spec, value_range(spec), said.get(spec.id) or said.get("", ""))
                for spec in world.metrics
                for said in [world.words.get(f"metrics/{spec.page or spec.id}.md", {})]
            ],
            n_published=len(PUBLISHED),
        ),
    )
    yield Page(
        path="submit/",
        title="Submit",
        description="How to bring a model's predictions to the board.",
        find="submit contribute",
        html=render("submit.html", "../", cards=tuple(world.datasets.values())),
    )
