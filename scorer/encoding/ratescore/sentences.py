"""Sentences of a report as medspaCy's PyRuSH cuts them, without medspaCy, spaCy and the numpy they pin.

PyRuSH's segmenter and medspaCy's rules are read from the two packages as installed (`pip install --no-deps`);
neither package is imported as a whole. Where a rule's border falls inside a spaCy word the original keeps the
sentences together; here they are cut. No such place is in the 1,055 texts of IU X-ray.

The segmenter tries 900 rules at every character. What it finds from a character on depends on the few
characters it looks at, so it is asked once for each such stretch and its findings are replayed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.encoding.encoder import Item, Network
from scorer.weights import Weights

__all__ = [
    "RULES_SHA256",
    "SENTENCES",
    "Segmenter",
    "SentenceSplitter",
    "missing_packages",
    "unpack_sentences",
]

RULES_SHA256 = "35652fa4c72f95fe1a10279c6a88bec814c2b34dea229f60fbfde63c6af4571a"
"""The English rules of medspaCy 1.3.1."""

_INSTALL = (
    "pip install PyFastNER==1.0.10 quicksectx==0.4.1 loguru "
    "&& pip install --no-deps PyRuSH==1.0.13 medspacy==1.3.1"
)
SHORTEST = 3
"""Characters of the shortest sentence that counts."""


def missing_packages() -> tuple[str, str] | None:
    """None when sentences can be cut here, else (what is missing, the command that gets it)."""
    absent = [
        name for name in ("PyFastNER", "quicksectx", "loguru") if importlib.util.find_spec(name) is None
    ]
    absent += [name for name in ("PyRuSH", "medspacy") if _folder(name) is None]
    if absent:
        return f"the Python packages {', '.join(absent)}", _INSTALL
    rules = _rules()
    if not rules.is_file() or hashlib.sha256(rules.read_bytes()).hexdigest() != RULES_SHA256:
        return "the sentence rules of medspacy 1.3.1", _INSTALL
    return None


def _folder(package: str) -> Path | None:
    """Where a package lies, found without importing it."""
    spec = importlib.util.find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(places[0]) if places else None


def _rules() -> Path:
    folder = _folder("medspacy")
    assert folder is not None
    return folder.parent / "resources" / "en" / "rush_rules.tsv"


@dataclass(frozen=True, kw_only=True)
class SentenceSplitter:
    """An encoder whose encoding of a text is the JSON list of its sentences."""

    id: str = "ratescore/sentences"
    version: int = 1

    def normalise(self, text: str) -> str:
        """The text as it is."""
        return text

    def load(self, weights: Weights, device: str) -> Network:
        """See `Encoder`; the weights are not looked at."""
        return _Loaded(Segmenter())


SENTENCES = SentenceSplitter()


class _Loaded:
    def __init__(self, segmenter: Segmenter) -> None:
        self._segmenter = segmenter

    def tokenise(self, text: str) -> Item:
        return Item(pieces=text, length=len(text))

    def encode(self, items: Sequence[Item]) -> list[bytes]:
        return [json.dumps(self._segmenter.sentences(item.pieces)).encode() for item in items]


def unpack_sentences(data: bytes) -> list[str]:
    """The sentences of an encoding."""
    return [str(one) for one in json.loads(data)]


class Segmenter:
    """PyRuSH with its findings remembered.

    Args:
        remembers: whether to; the results are the same, the time is not.
    """

    def __init__(self, remembers: bool = True) -> None:
        folder = _folder("PyRuSH")
        assert folder is not None
        spec = importlib.util.spec_from_file_location("scorer_pyrush", folder / "RuSH.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self._rush = module.RuSH(str(_rules()))
        if remembers:
            _Memory(self._rush.fastner)

    def sentences(self, text: str) -> list[str]:
        """The sentences of a text, trimmed, without those shorter than `SHORTEST`."""
        if not text.strip():
            return []
        borders = [0]
        for span in self._rush.segToSentenceSpans(text):
            borders += [span.begin, span.end]
        pieces = [text[a:b].strip() for a, b in zip(borders, [*borders[1:], len(text)], strict=True)]
        return [piece for piece in pieces if len(piece) >= SHORTEST]


class _Watched(str):
    """A text that knows how far it has been looked at."""

    __slots__ = ("furthest",)
    furthest: int

    def __getitem__(self, index: Any) -> str:
        if isinstance(index, int) and index > self.furthest:
            self.furthest = index
        return super().__getitem__(index)


_Note = tuple[Any, int, int | None, int]
"""A finding: the rule, and where it begins, ends (None: not set) and was made, from the start of the walk."""


class _Memory:
    """Stands in for the rule engine's walk over a text: looks a stretch up, or walks it and takes notes."""

    _WIDTHS = (4, 8, 12, 16, 24, 48)
    _MOST = 1 << 19

    def __init__(self, engine: Any) -> None:
        self._engine, self._add = engine, engine.addDeterminants
        self._known: dict[str, tuple[_Note, ...]] = {}
        self._noted: list[_Note] = []
        engine.process = self.process

    def process(self, text: str, offset: int = 0, matches: Any = None) -> Any:
        """As the engine's own: every rule at every character, then the overruled findings removed."""
        engine, known = self._engine, self._known
        engine.offset = offset
        engine.overlap_checkers.clear()
        found = {} if matches is None else matches
        for start in range(len(text)):
            notes = None
            for width in self._WIDTHS:
                notes = known.get(text[start : start + width])
                if notes is not None:
                    break
            # The first character and the end of a text have rules of their own, so they are never remembered.
            if notes is None or start == 0 or start + len(text[start : start + width]) >= len(text):
                notes = self._walk(text, start)
            for rule, begin, end, position in notes:
                self._add(
                    text, rule, found, start + begin, 0 if end is None else start + end, start + position
                )
        engine.removePseudo(found)
        return found

    def _walk(self, text: str, start: int) -> tuple[_Note, ...]:
        watched = _Watched(text)
        watched.furthest = start
        notes: list[_Note] = []

        def note(_: str, rule: Any, __: Any, begin: int, end: int, position: int) -> None:
            # An end of 0 means "not set" to the engine.
            notes.append((rule, begin - start, end - start if end else None, position - start))

        engine = self._engine
        engine.addDeterminants = note
        try:
            before = text[start - 1] if start else " "
            engine.processRules(watched, engine.rule_map, start, 0, start, {}, before, False, " ")
        finally:
            engine.addDeterminants = self._add
        looked = watched.furthest + 1 - start
        width = next((one for one in self._WIDTHS if one >= looked), None)
        if width is not None and start and start + width < len(text):
            if len(self._known) >= self._MOST:
                self._known.clear()
            self._known[text[start : start + width]] = tuple(notes)
        return tuple(notes)
