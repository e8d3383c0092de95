"""Per-study numbers from a judge's answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scorer.errors import MissingError, StageError
from scorer.judges.asking import ask, backend, completions_path, identity
from scorer.judges.base import Completion, JudgeCard
from scorer.judges.completions import Completions
from scorer.judges.reading import Reading, Status, too_many_unread
from scorer.judges.served import is_loopback
from scorer.judges.templates import is_installed, load
from scorer.statistics.base import Bench, Computed
from scorer.types import StatisticSpec
from scorer.weights import read_lock

__all__ = ["Judged"]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A statistic whose rows are read from the answers of one judge.

    The first column is `scorer.judges.reading.STATUS`; where it is not READ the others are 0. An empty
    prediction is not asked about.

    Attributes:
        read: makes one answer a row.
    """

    spec: StatisticSpec
    card: JudgeCard
    read: Callable[[Completion], Reading]

    def missing(self, bench: Bench) -> tuple[str, str] | None:
        """See `Statistic`."""
        judge = self.card.id
        if not is_installed(self.card, bench.weights_dir):
            return f"the prompt of judge {judge}", f"rexrank judge prompt {judge}"
        endpoint = bench.judges.get(judge)
        if endpoint is None:
            return f"a server of judge {judge}", f"rexrank judge serve {judge}"
        if bench.loopback_only and endpoint.url and not is_loopback(endpoint.url):
            what = f"a server of judge {judge} on this machine, which reports of this dataset may not leave"
            return what, f"rexrank judge serve {judge}"
        lock = read_lock(bench.weights_dir).encoders.get(self.spec.encoder)
        if lock is not None and lock.is_pinned and lock.digest != endpoint.weights_digest:
            return f"a server of judge {judge} with the locked weights", f"rexrank judge serve {judge}"
        return None

    def compute(self, predictions: Sequence[str], references: Sequence[str], bench: Bench) -> Computed:
        """See `Statistic`. What it stands on: `scorer.judges.base.Identity`, whose digest it gives as the
        weights' digest.

        Raises:
            MissingError: as `missing` says.
            StageError: the judge failed for good, or too many answers are unread.
        """
        lack = self.missing(bench)
        if lack is not None:
            raise MissingError(*lack)
        endpoint = bench.judges[self.card.id]
        who = identity(self.card, endpoint, bench.device)
        asked = [position for position, text in enumerate(predictions) if text.strip()]
        with Completions(completions_path(bench.cache_dir)) as store:
            answers = ask(
                self.card,
                load(self.card, bench.weights_dir),
                who,
                backend(self.card, endpoint, bench.device, bench.loopback_only),
                [(references[position], predictions[position]) for position in asked],
                store,
                bench.progress,
            )
        readings = [self.read(answer) for answer in answers]
        n_unread = sum(reading.status is not Status.READ for reading in readings)
        if too_many_unread(n_unread, len(predictions)):
            advice = "this judge cannot read this many of its own answers; see its page"
            raise StageError(self.spec.id, "unread answers", n_unread, advice)
        values = np.zeros((len(predictions), len(self.spec.columns)))
        values[:, 0] = Status.EMPTY
        for position, reading in zip(asked, readings, strict=True):
            values[position] = reading.row
        cut = self.card.max_words
        n_cut = sum(len(text.split()) > cut for text in (*predictions, *references)) if cut else 0
        return Computed(values=values, weights_digest=who.digest, n_truncated=n_cut)
