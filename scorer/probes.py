"""Probes: built-in trivial "models" that no image was shown to, scored like any other and shown on every board.

What a constant or a shuffled report scores says how much of a metric's range is style. Probes never take a rank.
Texts of probes made from real reports are never stored; they are made anew from the registered references.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scorer.metrics.lexical import BLEU_2
from scorer.statistics.lexical import NgramMatches, ngram_matches, words
from scorer.text import Report, Track, compose, counts_in_track
from scorer.types import Floats, Study

__all__ = ["PREFIX", "PROBES", "Probe", "best_constant", "is_probe", "probe"]

PREFIX = "probe-"
MAX_CANDIDATES = 1_000
MAX_JUDGES = 2_000

Training = Sequence[Study]
Made = Mapping[str, Report]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A probe.

    Attributes:
        id: kebab-case, without the prefix that its records carry. what: one sentence for the page.
        needs_training: whether it needs studies of a split other than the scored one.
        make: (scored studies, training studies, track) -> a report for each scored study.
    """

    id: str
    label: str
    what: str
    needs_training: bool
    make: Callable[[Sequence[Study], Training, Track], Made]

    @property
    def model(self) -> str:
        """The id under which its records are kept."""
        return PREFIX + self.id


def is_probe(model: str) -> bool:
    """Whether a record's model is a probe."""
    return model.startswith(PREFIX)


def probe(model: str) -> Probe:
    """The probe of a record's model id.

    Raises:
        KeyError: there is none.
    """
    return {one.model: one for one in PROBES}[model]


def best_constant(training: Training, track: Track) -> tuple[Report, float]:
    """The training report that scores best by mean BLEU-2 when it stands for every training study.

    Chosen on the training studies alone. Candidates are the distinct reports (the 1,000 most frequent), judged
    against every study of the track (the 2,000 with the lowest ids); ties go to the alphabetically first text.

    Returns:
        The report, and its mean BLEU-2 on the training studies.
    """
    judges = [study for study in training if counts_in_track(study.reference, track)][:MAX_JUDGES]
    references = Counter(compose(study.reference, track) for study in judges)
    by_text = {compose(study.reference, track): study.reference for study in reversed(judges)}
    candidates = [text for text, _ in sorted(references.items(), key=lambda item: (-item[1], item[0]))][
        :MAX_CANDIDATES
    ]
    texts = list(references)
    weights = np.array([references[text] for text in texts], dtype=np.float64)
    names = [column.name for column in NgramMatches.spec.columns]
    best, best_score = "", -1.0
    ordered = sorted(candidates)
    for start in range(0, len(ordered), 50):
        block = ordered[start : start + 50]
        values = ngram_matches([one for one in block for _ in texts], texts * len(block), order=2)
        scores = BLEU_2.per_study({"ngrams": {name: values[:, place] for place, name in enumerate(names)}})
        means = scores.reshape(len(block), len(texts)) @ weights / weights.sum()
        if means.max() > best_score:
            best, best_score = block[int(means.argmax())], float(means.max())
    return by_text[best], best_score


def _draw(study_id: str, salt: str, size: int) -> int:
    """A number below `size` that depends on the id alone, so that order and other studies change nothing."""
    return int.from_bytes(hashlib.sha256(f"{salt}|{study_id}".encode()).digest()[:8]) % size


def _constant(report: Report, studies: Sequence[Study]) -> Made:
    return {study.id: report for study in studies}


def _constant_normal(studies: Sequence[Study], training: Training, track: Track) -> Made:
    return _constant(best_constant(training, track)[0], studies)


def _usable(training: Training, track: Track) -> list[Study]:
    return sorted((one for one in training if counts_in_track(one.reference, track)), key=lambda one: one.id)


def _most_frequent(studies: Sequence[Study], training: Training, track: Track) -> Made:
    usable = _usable(training, track)
    counted = Counter(compose(one.reference, track) for one in usable)
    winner = min(counted, key=lambda text: (-counted[text], text))
    return _constant(
        next(one.reference for one in usable if compose(one.reference, track) == winner), studies
    )


def _random_training(studies: Sequence[Study], training: Training, track: Track) -> Made:
    usable = _usable(training, track)
    return {study.id: usable[_draw(study.id, "random-training", len(usable))].reference for study in studies}


def _shuffled(studies: Sequence[Study], training: Training, track: Track) -> Made:
    counted = [study for study in studies if counts_in_track(study.reference, track)]
    order = sorted(counted, key=lambda one: hashlib.sha256(f"shuffled|{one.id}".encode()).digest())
    given = {one.id: order[(place + 1) % len(order)].reference for place, one in enumerate(order)}
    return {study.id: given.get(study.id, study.reference) for study in studies}


def _copy(studies: Sequence[Study], training: Training, track: Track) -> Made:
    return {study.id: study.reference for study in studies}


def _vectors(texts: Sequence[str], vocabulary: Mapping[str, int], idf: Floats) -> object:
    from scipy.sparse import csr_matrix

    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        counted = Counter(vocabulary[word] for word in words(text) if word in vocabulary)
        weighted = {column: (1 + np.log(count)) * idf[column] for column, count in counted.items()}
        norm = float(np.sqrt(sum(value**2 for value in weighted.values()))) or 1.0
        for column, value in weighted.items():
            rows.append(row)
            columns.append(column)
            values.append(value / norm)
    return csr_matrix((values, (rows, columns)), shape=(len(texts), len(vocabulary)))


def nearest(queries: Sequence[str], documents: Sequence[str]) -> list[int]:
    """Index of the document nearest to each query by tf-idf cosine; ties go to the first document.

    Source: Salton and Buckley 1988; weights (1 + ln tf) * ln((1 + N) / (1 + df)), words as in ROUGE-L.
    """
    frequency = Counter(word for text in documents for word in set(words(text)))
    vocabulary = {word: place for place, word in enumerate(sorted(frequency))}
    idf = np.log(
        (1 + len(documents)) / (1 + np.array([frequency[word] for word in vocabulary], dtype=np.float64))
    )
    ours, theirs = _vectors(queries, vocabulary, idf), _vectors(documents, vocabulary, idf)
    found: list[int] = []
    for start in range(0, len(queries), 256):
        similarity = (ours[start : start + 256] @ theirs.T).toarray()  # type: ignore[index,attr-defined]
        found.extend(int(place) for place in np.round(similarity, 12).argmax(axis=1))
    return found


def _indication(studies: Sequence[Study], training: Training, track: Track) -> Made:
    usable = _usable(training, track)
    places = nearest([study.indication for study in studies], [one.indication for one in usable])
    return {study.id: usable[place].reference for study, place in zip(studies, places, strict=True)}


def _nearest_training(studies: Sequence[Study], training: Training, track: Track) -> Made:
    usable = _usable(training, track)
    places = nearest(
        [compose(study.reference, track) for study in studies],
        [compose(one.reference, track) for one in usable],
    )
    return {study.id: usable[place].reference for study, place in zip(studies, places, strict=True)}


PROBES: tuple[Probe, ...] = (
    Probe(
        id="reference-copy",
        label="Reference copy",
        what="Each reference as its own prediction: the ceiling of every metric.",
        needs_training=False,
        make=_copy,
    ),
    Probe(
        id="nearest-training",
        label="Nearest training report",
        what="The training report most similar to the reference itself: what perfect retrieval could reach.",
        needs_training=True,
        make=_nearest_training,
    ),
    Probe(
        id="constant-normal",
        label="Constant normal",
        what="One training report for every study: the one that scores best as a constant on the training studies.",
        needs_training=True,
        make=_constant_normal,
    ),
    Probe(
        id="most-frequent",
        label="Most frequent",
        what="The most frequent training report for every study.",
        needs_training=True,
        make=_most_frequent,
    ),
    Probe(
        id="indication-retrieval",
        label="Indication retrieval",
        what="The training report whose indication is most similar; no image is seen.",
        needs_training=True,
        make=_indication,
    ),
    Probe(
        id="random-training",
        label="Random training report",
        what="A training report drawn at random for each study.",
        needs_training=True,
        make=_random_training,
    ),
    Probe(
        id="shuffled-references",
        label="Shuffled references",
        what="Each study gets another study's reference: style without content.",
        needs_training=False,
        make=_shuffled,
    ),
    Probe(
        id="empty",
        label="Empty",
        what="An empty report for every study: the floor.",
        needs_training=False,
        make=lambda studies, training, track: _constant(Report(), studies),
    ),
)
