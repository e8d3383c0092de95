"""Models as pages show them, whether they came by pull request, from a published edition, or both."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.published import ModelCard
    from scorer.submission import Submission

__all__ = ["Model", "from_card", "from_submission", "merge", "probe", "short_count", "size_band"]

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Model:
    """What is known of a model; empty means not stated.

    Attributes:
        id: page address. name: as shown. is_probe: built in. is_submitted: predictions came by pull request.
        published_name: the name in published editions; "" when it has no figures there.
        weights: "open", "on request", "closed" or "". size: parameters in words ("7B"); band: see `size_band`.
        trained_on: dataset ids or words. links: (label, address); addresses pass `safe_url` when rendered.
        date: ISO date of the submission. year: year of the model as far as known.
        lifecycle: "active", "superseded" or "withdrawn"; "" for models that are published only.
        facts: (label, words) for the card, in order, known ones only.
    """

    id: str
    name: str
    version: str = ""
    institutions: tuple[str, ...] = ()
    is_probe: bool = False
    is_submitted: bool = False
    published_name: str = ""
    weights: str = ""
    size: str = ""
    trained_on: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    uses_prior: bool | None = None
    reward_metrics: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    date: str = ""
    year: str = ""
    lifecycle: str = ""
    supersedes: str = ""
    facts: Facts = ()
    note: str = ""

    @property
    def path(self) -> str:
        return f"models/{self.id}/"

    @property
    def band(self) -> str:
        return size_band(self.size)

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}" if self.version and self.version not in self.name else self.name


def size_band(size: str) -> str:
    """ "under 1B", "1B to 10B" or "over 10B" from words such as "7B", "350M" or "7000000000"; "" when unclear."""
    found = re.match(r"\s*([0-9][0-9_,]*\.?[0-9]*)\s*([KMBT]?)(?![A-Za-z])", size, re.IGNORECASE)
    if not found:
        return ""
    scale = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}[found[2].upper()]
    parameters = float(found[1].replace(",", "").replace("_", "")) * scale
    if parameters < 1e5:
        return ""
    return "under 1B" if parameters < 1e9 else "1B to 10B" if parameters <= 1e10 else "over 10B"


def from_card(card: ModelCard) -> Model:
    """A model that is known from published editions only."""
    weights = {True: "open", False: "closed", None: ""}.get(card.weights_open, str(card.weights_open))  # type: ignore[arg-type]
    links = [("code", card.code_url)] if card.code_url else []
    if card.paper_doi:
        links.insert(0, ("paper (DOI)", f"https://doi.org/{card.paper_doi}"))
    if card.paper_arxiv:
        links.insert(0, ("paper (arXiv)", f"https://arxiv.org/abs/{card.paper_arxiv}"))
    year = str(card.year_shown or "")
    facts = [
        ("institution", card.institution),
        ("year shown", year),
        ("base architecture", card.base_architecture),
        ("parameters", card.parameters),
        ("training data", ", ".join(card.training_data or ())),
        ("inputs", card.inputs),
        ("weights", weights),
        ("licence", card.licence),
        ("in the newest edition", card.status_in_newest_edition),
    ]
    return Model(
        id=card.slug,
        name=card.name,
        institutions=(card.institution,) if card.institution else (),
        published_name=card.name,
        weights=weights,
        size=card.parameters or "",
        trained_on=card.training_data or (),
        inputs=("prior studies",) if "prior" in (card.inputs or "") else (),
        uses_prior="prior" in card.inputs if card.inputs else None,
        links=tuple(links),
        year=year,
        facts=tuple((label, words) for label, words in facts if words),
        note=card.note or "",
    )


def from_submission(submission: Submission) -> Model:
    """A model that came by pull request."""
    inputs = submission.inputs
    seen = [
        words
        for words, used in (("prior studies", inputs.prior_studies), ("indication", inputs.indication))
        if used
    ]
    images = f"{inputs.images} image{'s' if inputs.images == 'multiple' else ''}" if inputs.images else ""
    trained = tuple(data.dataset or data.other or "" for data in submission.training_data)
    links = submission.links
    named = (
        (submission.links.paper or "paper", links.paper_url),
        ("code", links.code),
        ("weights", links.weights),
        ("project", links.project),
    )
    size = short_count(submission.parameters) if submission.parameters else ""
    weights = (submission.weights_access or "").replace("-", " ")
    facts = [
        ("version", submission.version),
        ("institutions", ", ".join(submission.institutions)),
        ("authors", ", ".join(author.name for author in submission.authors)),
        ("submitted", _iso(submission.date)),
        ("base architecture", submission.base_architecture),
        ("parameters", size),
        ("training data", ", ".join(trained)),
        ("inputs", ", ".join(part for part in (images, *seen, inputs.other or "") if part)),
        ("decoding", submission.decoding),
        ("metrics used as a training reward", ", ".join(submission.reward_metrics)),
        ("weights", weights),
        ("licence of the code", submission.licence.code),
        ("licence of the weights", submission.licence.weights),
    ]
    return Model(
        id=submission.id,
        name=submission.name,
        version=submission.version if submission.version != "1" else "",
        institutions=submission.institutions,
        is_submitted=True,
        weights=weights,
        size=size,
        trained_on=trained,
        inputs=tuple(seen),
        uses_prior=inputs.prior_studies,
        reward_metrics=submission.reward_metrics,
        links=tuple((label, address) for label, address in named if address),
        date=_iso(submission.date),
        year=_iso(submission.date)[:4],
        lifecycle=submission.lifecycle,
        supersedes=submission.supersedes or "",
        facts=tuple((label, words) for label, words in facts if words),
        note=submission.notes or "",
    )


def _iso(date: object) -> str:
    return str(date) if date else ""


def short_count(parameters: int) -> str:
    """7000000000 -> "7B", 350000000 -> "350M"."""
    for unit, scale in (("T", 10**12), ("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if parameters >= scale:
            return f"{parameters / scale:.3g}{unit}"
    return str(parameters)


def probe(id: str, label: str, note: str) -> Model:
    """A built-in trivial model."""
    return Model(id=id, name=label, is_probe=True, note=note)


def merge(submitted: Model, published: Model) -> Model:
    """One page for a model that was published elsewhere and submitted here: our card, their name."""
    return replace(submitted, published_name=published.published_name)
