"""The entity, mention and relation heads of DyGIE++, without work whose outcome is never read.

A head's first layer reads a span as [first word; last word; width], or a pair as [a; b; a * b]. It is applied to
words, widths and spans once each and added up per span or pair, instead of to every concatenation; and only
pairs of spans that are entities are scored, because the reader of the annotations drops all others.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.encoding.radgraph.archive import Archive

__all__ = ["Found", "Heads"]

_PAIR_VALUES = {"cpu": 1 << 22, "cuda": 1 << 27}
"""Products of two spans in memory at once, in values."""

NOT_FINITE = -2

Indices = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Found:
    """What the heads found in one report.

    Attributes:
        entities: (first word, last word, label index). relations: (head, tail, type index), by places of entities.
        is_finite: false when a score was NaN or an infinity.
    """

    entities: tuple[tuple[int, int, int], ...]
    relations: tuple[tuple[int, int, int], ...]
    is_finite: bool = True


class Heads:
    """The heads with their weights; see the module."""

    def __init__(self, archive: Archive, network: Any) -> None:
        self._archive, self._network = archive, network

    @staticmethod
    def modules(archive: Archive, size: int) -> dict[str, Any]:
        """Modules with the shapes and names that `load_strictly` fills."""
        from torch import nn

        span = 2 * size + archive.feature_size

        def head(inputs: int, outputs: int) -> nn.ModuleDict:
            sizes = [inputs, *archive.hidden]
            hidden = [nn.Linear(a, b) for a, b in itertools.pairwise(sizes)]
            return nn.ModuleDict({"hidden": nn.ModuleList(hidden), "score": nn.Linear(sizes[-1], outputs)})

        return {
            "width": nn.Embedding(archive.width_rows, archive.feature_size),
            "entity": head(span, len(archive.entity_labels)),
            "mention": head(span, 1),
            "relation": head(3 * span, len(archive.relation_labels)),
        }

    def find(self, vectors: Any, counts: Sequence[int]) -> list[Found]:
        """Entities and relations of each report.

        Args:
            vectors: (w, d) word vectors of all reports, one report after the other.
            counts: words of each report; they add up to w.
        """
        import torch

        starts, ends, offsets = _spans(counts, self._archive.max_span_width)
        device = vectors.device
        first = torch.from_numpy(starts).to(device)
        last = torch.from_numpy(ends).to(device)
        scores = self._span_scores("entity", vectors, first, last)
        mentions = self._span_scores("mention", vectors, first, last)[:, 0]
        # NaN anywhere in a report's vectors reaches the score of a span that begins or ends there.
        finite = (torch.isfinite(scores).all(dim=1) & torch.isfinite(mentions)).cpu().numpy()
        labels, mentions = _with_null(scores).argmax(dim=1).cpu().numpy(), mentions.cpu()

        entities = [slice_ + np.flatnonzero(labels[slice_:stop]) for slice_, stop in _pairs(offsets)]
        candidates = [
            np.intersect1d(spans, self._likeliest(mentions, begin, stop, count))
            for spans, (begin, stop), count in zip(entities, _pairs(offsets), counts, strict=True)
        ]
        heads, tails, kinds = self._relations(vectors, first, last, mentions, candidates)

        found, word, at = [], 0, 0
        for spans, count, related, (begin, stop) in zip(
            entities, counts, candidates, _pairs(offsets), strict=True
        ):
            n_pairs = len(related) ** 2
            here = slice(at, at + n_pairs)
            kept = kinds[here] >= 0
            places = [np.searchsorted(spans, side[here][kept]) for side in (heads, tails)]
            found.append(
                Found(
                    entities=tuple(
                        (int(starts[s]) - word, int(ends[s]) - word, int(labels[s]) - 1)
                        for s in spans.tolist()
                    ),
                    relations=tuple(
                        zip(places[0].tolist(), places[1].tolist(), kinds[here][kept].tolist(), strict=True)
                    ),
                    is_finite=bool(finite[begin:stop].all() and (kinds[here] != NOT_FINITE).all()),
                )
            )
            word, at = word + count, at + n_pairs
        return found

    def _likeliest(self, mentions: Any, begin: int, stop: int, count: int) -> Indices:
        """The spans of a report that may be related: the ceil(words x spans_per_word) best mentions."""
        if not count:
            return np.empty(0, dtype=np.int64)
        keep = max(1, int(np.ceil(np.float32(count) * np.float32(self._archive.spans_per_word))))
        best = mentions[begin:stop].topk(min(keep, stop - begin)).indices
        return np.asarray(best.numpy() + begin)

    def _span_scores(self, name: str, vectors: Any, first: Any, last: Any) -> Any:
        """(spans, outputs) of a head on spans."""
        head = self._network[name]
        layer = head["hidden"][0]
        size = vectors.shape[1]
        by_start = vectors @ layer.weight[:, :size].T
        by_end = vectors @ layer.weight[:, size : 2 * size].T
        by_width = self._network["width"].weight @ layer.weight[:, 2 * size :].T + layer.bias
        return _rest(head, by_start[first] + by_end[last] + by_width[last - first])

    def _relations(
        self, vectors: Any, first: Any, last: Any, mentions: Any, candidates: Sequence[Indices]
    ) -> tuple[Indices, Indices, Indices]:
        """Head span, tail span and type (-1 for none, `NOT_FINITE`) of every pair, report by report."""
        import torch

        heads = np.concatenate([np.repeat(spans, len(spans)) for spans in candidates])
        tails = np.concatenate([np.tile(spans, len(spans)) for spans in candidates])
        if not len(heads):
            return heads, tails, np.empty(0, dtype=np.int64)
        used = np.concatenate(candidates)
        places = [torch.from_numpy(np.searchsorted(used, side)).to(vectors.device) for side in (heads, tails)]
        spans = torch.from_numpy(used).to(vectors.device)
        begin, end = first[spans], last[spans]
        embedded = torch.cat(
            [vectors[begin], vectors[end], self._network["width"].weight[end - begin]], dim=1
        )
        head = self._network["relation"]
        layer = head["hidden"][0]
        size = embedded.shape[1]
        by_head = embedded @ layer.weight[:, :size].T + layer.bias
        by_tail = embedded @ layer.weight[:, size : 2 * size].T
        by_both = layer.weight[:, 2 * size :].T
        likely = mentions.to(vectors.device)[spans]
        step = max(1, _PAIR_VALUES[vectors.device.type] // size)
        kinds = []
        for a, b in zip(*(torch.split(side, step) for side in places), strict=True):
            hidden = by_head[a] + by_tail[b] + (embedded[a] * embedded[b]) @ by_both
            scores = _rest(head, hidden) + (likely[a] + likely[b])[:, None]
            kind = _with_null(scores).argmax(dim=1) - 1
            kinds.append(kind.where(torch.isfinite(scores).all(dim=1), NOT_FINITE).cpu().numpy())
        return heads, tails, np.concatenate(kinds)


def _rest(head: Any, hidden: Any) -> Any:
    """A head from behind its first linear layer on."""
    hidden = hidden.relu()
    for layer in list(head["hidden"])[1:]:
        hidden = layer(hidden).relu()
    return head["score"](hidden)


def _with_null(scores: Any) -> Any:
    """Scores with that of the null label, which is 0, in front."""
    import torch

    return torch.cat([scores.new_zeros(len(scores), 1), scores], dim=1)


def _spans(counts: Sequence[int], widest: int) -> tuple[Indices, Indices, Indices]:
    """First and last word of every span of every report, by start and then width, and where each report begins."""
    starts, ends, sizes = [], [], []
    word = 0
    for count in counts:
        first = np.repeat(np.arange(count, dtype=np.int64), widest)
        last = first + np.tile(np.arange(widest, dtype=np.int64), count)
        inside = last < count
        starts.append(first[inside] + word)
        ends.append(last[inside] + word)
        sizes.append(int(inside.sum()))
        word += count
    return np.concatenate(starts), np.concatenate(ends), np.cumsum([0, *sizes])


def _pairs(offsets: Indices) -> list[tuple[int, int]]:
    return list(itertools.pairwise(offsets.tolist()))
