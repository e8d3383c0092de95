"""Eight invented sites and how they write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["SITES", "Site"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Site:
    """A site's patients and its house style.

    Attributes:
        weight: share of patients. leaning: scenario -> factor on its weight. portable: share of portable films.
        register: "full" or "terse". mark: what de-identification leaves behind; "" where it leaves nothing.
        masked: share of findings in which a word was masked by mistake.
        is_by_system: one labelled line a system. is_numbered: a numbered line an item of the impression.
        is_wrapped: lines broken at 72 characters. is_loud: impression in capitals with line breaks around it.
        is_british: British spelling. reads_priors: compares with earlier studies.
        stock: findings and impression dictated for normal studies with one key, in `stock_share` of them.
    """

    name: str
    weight: float
    leaning: Mapping[str, float] = field(default_factory=dict)
    portable: float = 0.1
    register: str = "full"
    mark: str = ""
    masked: float = 0.0
    is_by_system: bool = False
    is_numbered: bool = False
    is_wrapped: bool = False
    is_loud: bool = False
    is_british: bool = False
    reads_priors: bool = True
    stock: tuple[str, str] = ("", "")
    stock_share: float = 0.0


SITES: tuple[Site, ...] = (
    Site(name="alder", weight=18, mark="XXXX", masked=0.25),
    Site(
        name="birch",
        weight=14,
        register="terse",
        stock=(
            "Heart size normal. Lungs clear. No effusion or pneumothorax. Bones intact.",
            "Normal chest.",
        ),
        stock_share=0.5,
    ),
    Site(
        name="cedar",
        weight=12,
        leaning={"intensive care": 7.0, "heart failure": 1.8, "normal": 0.4, "trauma": 1.5},
        portable=0.5,
        mark="___",
        is_numbered=True,
        is_wrapped=True,
    ),
    Site(name="elm", weight=11, leaning={"nodule": 2.5, "fibrosis": 2.0}, is_loud=True, portable=0.2),
    Site(
        name="hazel",
        weight=12,
        is_by_system=True,
        stock=(
            "Heart: Heart size is normal, and the mediastinum is not widened.\n"
            "Lungs: The lungs are clear, without nodule or consolidation.\n"
            "Pleura: There is no effusion or pneumothorax.\n"
            "Bones: No acute bony lesion is seen.",
            "No acute abnormality is seen.",
        ),
        stock_share=0.45,
    ),
    Site(
        name="larch",
        weight=14,
        leaning={"normal": 2.2, "intensive care": 0.0, "trauma": 0.3},
        portable=0.0,
        mark="XXXX",
        stock=(
            "The heart is of normal size, and the mediastinal outline is unremarkable. The lungs are well expanded "
            "and clear. There is no pleural effusion, and no pneumothorax is seen. The bones are intact.",
            "Normal chest radiograph.",
        ),
        stock_share=0.75,
    ),
    Site(
        name="maple",
        weight=10,
        leaning={"doubt": 3.0, "incidental": 1.6},
        mark="XXXX",
        masked=0.35,
        portable=0.15,
    ),
    Site(name="rowan", weight=9, leaning={"obstructive": 2.0}, mark="___", is_british=True, portable=0.2),
)
