"""The RadGraph encoder: a batch of reports in, their graphs out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scorer.encoding.encoder import Item, Network, NotFinite
from scorer.encoding.radgraph.annotation import Entity, Graph, pack
from scorer.encoding.radgraph.archive import Archive, read_archive
from scorer.encoding.radgraph.heads import Found, Heads
from scorer.encoding.radgraph.text import WORDS
from scorer.encoding.transformer import Tokeniser, build, load_strictly, pad, refuse
from scorer.weights import Weights

__all__ = ["RADGRAPH", "RADGRAPH_XL", "RadgraphEncoder"]


@dataclass(frozen=True, kw_only=True)
class RadgraphEncoder:
    """DyGIE++ on a BERT: entities and relations of a report taken as one sentence.

    Reports are batched through the transformer and the heads; each report's graph depends on its own words
    only. Long reports are read in segments, so nothing is cut.

    Attributes:
        kind: `radgraph` (the 1.0 checkpoint, the one behind ReXrank's figures) or `radgraph-xl`.

    Source: Jain et al. 2021; Wadden et al. 2019; radgraph 0.1.18, whose annotations these equal.
    """

    id: str
    version: int
    kind: str

    def normalise(self, text: str) -> str:
        """Every run of white space becomes one space, and both ends are trimmed; words stay the same."""
        return " ".join(text.split())

    def load(self, weights: Weights, device: str) -> Network:
        """See `Encoder`."""
        import torch

        archive = read_archive(weights, self.kind)
        transformer = build(weights.folder / "base", weights)
        if (
            transformer.config.model_type != "bert"
            or archive.max_length > transformer.config.max_position_embeddings
        ):
            raise refuse(weights, "base/config.json does not describe the archive's transformer")
        with torch.device("meta"):
            heads = Heads.modules(archive, transformer.config.hidden_size)
        network = torch.nn.ModuleDict({"transformer": transformer, **heads})
        load_strictly(network, archive.state, weights, device)
        tokeniser = Tokeniser(weights.folder / "base", weights)
        return _Loaded(network, Heads(archive, network), tokeniser, archive, self.kind, device)


class _Loaded:
    def __init__(
        self, network: Any, heads: Heads, tokeniser: Tokeniser, archive: Archive, kind: str, device: str
    ) -> None:
        self._transformer, self._heads, self._tokeniser = network["transformer"], heads, tokeniser
        self._archive, self._words, self._device = archive, WORDS[kind], device
        self._known: dict[str, list[int]] = {}

    def tokenise(self, text: str) -> Item:
        """Pieces are (words, segments, pieces per word); segments carry their special pieces."""
        words = self._words(text)
        by_word = [self._pieces(word) for word in words]
        flat = [piece for pieces in by_word for piece in pieces]
        step = self._archive.max_length - 2
        frame = self._tokeniser
        segments = [[frame.start, *flat[at : at + step], frame.end] for at in range(0, len(flat), step)]
        length = len(segments) * max((len(segment) for segment in segments), default=0)
        return Item(pieces=(words, segments, [len(pieces) for pieces in by_word]), length=length)

    def _pieces(self, word: str) -> list[int]:
        # The reader of DyGIE++ takes the slash off these two; `words` keep it.
        word = {"/.": ".", "/?": "?"}.get(word, word)
        if word not in self._known:
            self._known[word] = self._tokeniser.fast_pieces(word)
        return self._known[word]

    def encode(self, items: Sequence[Item]) -> list[bytes]:
        import torch

        with torch.inference_mode():
            vectors = self._word_vectors(items)
            counts = [len(item.pieces[0]) for item in items]
            found = self._heads.find(vectors, counts)
        bad = [position for position, one in enumerate(found) if not one.is_finite]
        if bad:
            raise NotFinite(bad)
        return [pack(self._graph(item.pieces[0], one)) for item, one in zip(items, found, strict=True)]

    def _word_vectors(self, items: Sequence[Item]) -> Any:
        """(words of the batch, d): the mean of each word's pieces; zeros for a word without pieces."""
        import torch

        segments = [segment for item in items for segment in item.pieces[1]]
        sizes = torch.tensor([size for item in items for size in item.pieces[2]], dtype=torch.long)
        if not segments:
            return torch.zeros(len(sizes), self._transformer.config.hidden_size, device=self._device)
        ids, mask = pad(segments, self._tokeniser.filler, self._device)
        states = self._transformer(ids, attention_mask=mask).last_hidden_state
        longest = ids.shape[1]
        places = [
            row * longest + column
            for row, segment in enumerate(segments)
            for column in range(1, len(segment) - 1)
        ]
        pieces = states.reshape(-1, states.shape[-1])[torch.tensor(places, device=states.device)]
        owners = torch.repeat_interleave(torch.arange(len(sizes)), sizes).to(states.device)
        sums = torch.zeros(len(sizes), states.shape[-1], device=states.device).index_add_(0, owners, pieces)
        return sums / sizes.clamp(min=1).to(states.device)[:, None]

    def _graph(self, words: Sequence[str], found: Found) -> Graph:
        labels, kinds = self._archive.entity_labels, self._archive.relation_labels
        relations: dict[int, list[tuple[str, int]]] = {}
        for head, tail, kind in found.relations:
            relations.setdefault(head, []).append((kinds[kind], tail))
        return tuple(
            Entity(
                tokens=" ".join(words[start : end + 1]),
                label=labels[label],
                start=start,
                end=end,
                relations=tuple(relations.get(place, ())),
            )
            for place, (start, end, label) in enumerate(found.entities)
        )


RADGRAPH = RadgraphEncoder(id="radgraph", version=1, kind="radgraph")
RADGRAPH_XL = RadgraphEncoder(id="radgraph_xl", version=1, kind="radgraph-xl")
