"""How many references give an entity-based metric nothing to compare: a figure for the record, public as a count."""

from __future__ import annotations

from collections.abc import Mapping

from scorer.metrics.base import Tables

__all__ = ["entity_figures", "without_entities"]

_COLUMNS = {
    "radgraph": ("RadGraph", "entity_reference"),
    "radgraph_xl": ("RadGraph-XL", "entity_reference"),
    "ratescore": ("RaTEScore", "reference_entities"),
}
"""Statistic: its name for people, and the column that counts the reference's entities."""

_SUFFIX = "_references_without_entities"


def entity_figures(tables: Tables) -> dict[str, float]:
    """Studies whose reference has no entity, as `<statistic>_references_without_entities`.

    Such a study scores 0 with RadGraph and one half with RaTEScore, whatever the prediction says.
    """
    return {
        f"{statistic}{_SUFFIX}": float((tables[statistic][column] == 0).sum())
        for statistic, (_, column) in _COLUMNS.items()
        if statistic in tables
    }


def without_entities(figures: Mapping[str, float]) -> tuple[tuple[str, int], ...]:
    """(name of the encoder for people, studies whose reference has no entity), for the model page."""
    return tuple(
        (name, int(figures[f"{statistic}{_SUFFIX}"]))
        for statistic, (name, _) in _COLUMNS.items()
        if f"{statistic}{_SUFFIX}" in figures
    )
