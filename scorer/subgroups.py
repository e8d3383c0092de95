"""Estimates of a model within groups of studies, by every attribute that a dataset knows or that tables tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.boards.entries import clusters_of, entry_of
from scorer.cells import Workshop
from scorer.datasets.base import Card
from scorer.errors import MissingError
from scorer.estimates import as_tables
from scorer.inference.subgroups import Subgroups, estimate_subgroups
from scorer.metrics import METRICS, Metric, Tables
from scorer.text import Track

__all__ = ["LENGTH_BANDS", "SubgroupTable", "study_labels", "subgroups"]

LENGTH_BANDS: tuple[tuple[float, str], ...] = (
    (20, "1–20 words"),
    (40, "21–40 words"),
    (60, "41–60 words"),
    (float("inf"), "over 60 words"),
)
"""Upper bounds of the reference's length, in words."""


@dataclass(frozen=True, kw_only=True)
class SubgroupTable:
    """One attribute: its label and, by metric id, the groups."""

    attribute: str
    label: str
    by_metric: Mapping[str, Subgroups]


def study_labels(
    shop: Workshop, card: Card, tables: Tables, study_ids: Sequence[str]
) -> Mapping[str, tuple[str, list[str | None]]]:
    """Attribute -> (its label, one label per study).

    The card's attributes need the references on this machine; the length band comes from the stored word counts and
    the normal/abnormal split from the stored CheXbert labels of the references, so both work without them.
    """
    found: dict[str, tuple[str, list[str | None]]] = {}
    if card.attributes:
        try:
            by_id = {study.id: study.attributes for study in shop.studies(card.id, card.split)}
        except MissingError:
            by_id = {}
        for name, label in card.attributes.items() if by_id else ():
            found[name] = (label, [by_id[study_id].get(name) for study_id in study_ids])
    if "lcs" in tables:
        lengths = tables["lcs"]["reference_words"]
        bands = [next(band for bound, band in LENGTH_BANDS if length <= bound) for length in lengths]
        found["length_band"] = ("Length of the reference", list(bands))
    normal = tables.get("chexbert", {}).get("reference_no_finding")
    if normal is not None:
        said = ["normal" if label == 1 else "abnormal" for label in normal]
        found["no_finding"] = ("No Finding by CheXbert", list(said))
    return found


def subgroups(
    shop: Workshop, card: Card, track: Track, model: str, metrics: Sequence[Metric] = METRICS
) -> tuple[SubgroupTable, ...]:
    """Every attribute of a model's studies, with the metrics that are ranked; nothing where tables are not at hand.

    Groups smaller than the card's `min_subgroup` are suppressed.
    """
    entry = entry_of(shop, card, track, model, model, "")
    if not entry.tables:
        return ()
    tables = as_tables(entry.tables)
    study_ids = next(iter(entry.tables.values())).study_ids
    clusters = clusters_of(shop, card, [entry])
    able = [one for one in metrics if one.spec.is_ranked and set(one.spec.needs) <= tables.keys()]
    return tuple(
        SubgroupTable(
            attribute=name,
            label=label,
            by_metric={
                one.spec.id: estimate_subgroups(
                    one.terms(tables),
                    one.finish,
                    labels,
                    better=one.spec.better,
                    clusters=clusters,
                    least=card.min_subgroup,
                )
                for one in able
            },
        )
        for name, (label, labels) in study_labels(shop, card, tables, study_ids).items()
    )
