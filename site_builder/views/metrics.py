"""Pages of metrics: range, direction, version, changes, and who leads; the words come from `docs/metrics/`."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.types import MetricSpec
from site_builder.edits import EDITS, edited_values
from site_builder.page import Made, Page
from site_builder.render import render
from site_builder.views.boards import board_path, board_title, leaders
from site_builder.views.reported import when_short
from site_builder.wording import number
from site_builder.world import World

__all__ = ["make", "value_range"]


def make(world: World) -> Iterator[Made]:
    """The list of metrics, and a page for each; its text is the hand-written page of the same address."""
    yield Page(
        path="metrics/",
        title="Metrics",
        description="What each number means: definition, range, direction, version.",
        find="metrics",
        html=render("metrics.html", "../", metrics=[(spec, value_range(spec)) for spec in world.metrics]),
    )
    for spec in world.metrics:
        where = []
        for board in world.boards:
            column = next((c for c in board.columns if c.spec.id == spec.id), None)
            if column and column.top:
                leading, _ = leaders(world, column)
                where.append(
                    (
                        board_title(world, board),
                        f"{board_path(board.dataset, board.track)}?sort={'-' * (spec.better == 'higher')}{spec.id}",
                        leading,
                    )
                )
        reported = [e for e in world.editions if any(row.metric == spec.id for row in e.rows)]
        values = edited_values(spec.id)
        rows = zip(EDITS, values, strict=True) if values else ()
        words = f"metrics/{spec.page or spec.id}.md"
        yield Page(
            path=f"metrics/{spec.id}/",
            title=spec.label,
            description=f"{spec.label}: {f'{spec.better} is better' if spec.is_ranked else 'not ranked'}, "
            f"{value_range(spec)}. {spec.source}",
            find=f"{spec.label} {spec.id} metric",
            words=words,
            html=render(
                "metric.html",
                "../../",
                m=spec,
                has_words=words in world.words,
                known=_facts(spec),
                edits=[(what, text, number(value, spec.decimals)) for (what, text), value in rows],
                where=where,
                reported=[(when_short(e), f"editions/{e.id}/") for e in reported],
            ),
        )


def value_range(spec: MetricSpec) -> str:
    """`0 to 1`, `0 to unbounded`."""
    ends = (
        "unbounded" if abs(x) == float("inf") else number(x, 3).rstrip("0").rstrip(".")
        for x in (spec.low, spec.high)
    )
    return " to ".join(ends)


def _facts(spec: MetricSpec) -> tuple[tuple[str, str], ...]:
    return (
        ("identity", spec.key),
        ("better", spec.better if spec.is_ranked else "neither"),
        ("range", value_range(spec)),
        ("needs", ", ".join(spec.needs)),
        (
            "per study",
            "yes: a single study's value has a meaning"
            if spec.is_per_study
            else "no: only totals over studies have a meaning",
        ),
        ("ranked", "yes" if spec.is_ranked else "no, it describes"),
        ("decimals shown", str(spec.decimals)),
        ("source", spec.source),
    )
