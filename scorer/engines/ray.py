"""Encoding through Ray Data: a pool of workers, each with the encoder on a GPU or a processor of its own.

The batches are those of the single-process engine, so the encodings are the same to the byte on the same kind of
device with as many threads; only who computes which batch differs. Texts go out as workers ask for them and
encodings come back as they are made: neither side holds more than what is under way, however many pairs there are.

On one machine nothing needs to be started. On a cluster, start Ray there (`ray start --head`, then
`ray start --address …` on the others) and give `address="auto"`; weights must lie at the same path everywhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.encoding.encoder import Encoder
from scorer.engines.desk import Parcels, desk_of, serve
from scorer.engines.worker import Worker
from scorer.errors import MissingError, StageError
from scorer.weights import Weights

__all__ = ["RayEngine"]

_UNDER_WAY = 256 << 20
"""Bytes a worker of texts and encodings that Ray may keep between the steps."""


@dataclass(frozen=True, kw_only=True)
class RayEngine:
    """An engine over Ray; see `scorer.statistics.base.Engine`.

    Attributes:
        workers: encoders at work at once. device: "cpu" or "cuda"; a worker on "cuda" has one GPU to itself.
        threads: of a worker on "cpu".
        address: of a running cluster ("auto" for the one this machine belongs to); "" starts one here.
    """

    workers: int
    device: str = "cpu"
    threads: int = 1
    address: str = ""

    def encode(
        self,
        encoder: Encoder,
        weights: Weights,
        texts: Sequence[str],
        plan: Callable[[Sequence[int]], Iterator[list[int]]],
    ) -> Iterator[list[tuple[str, bytes, bool]]]:
        """See `Engine`."""
        self._start()
        parcels = Parcels(texts, plan, self.workers)
        desk = desk_of()
        with serve(desk, parcels):
            for ticket, made in self._results(encoder, weights, desk, len(parcels)):
                places = parcels.places(ticket)
                if places is None:
                    parcels.counted(ticket, made)
                    continue
                if isinstance(made, str):
                    raise StageError(encoder.id, made, len(places))
                if places:
                    yield [
                        (texts[place], data, is_cut)
                        for place, (data, is_cut) in zip(places, made, strict=True)
                    ]

    @property
    def _processors(self) -> int:
        return self.threads if self.device == "cpu" else 1

    def _start(self) -> None:
        try:
            import ray
        except ImportError:
            raise MissingError("the Python package ray", "pip install 'rexrank[ray]'") from None
        import ray.data

        if not ray.is_initialized():
            options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
            if self.address:
                ray.init(address=self.address, **options)
            else:
                gpus = self.workers if self.device == "cuda" else 0
                cpus = self.workers * self._processors + 1  # one for the steps between
                ray.init(num_cpus=cpus, num_gpus=gpus, include_dashboard=False, **options)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False  # progress is the caller's to show
        limits = ray.data.ExecutionResources(object_store_memory=_UNDER_WAY * (1 + self.workers))
        context.execution_options.resource_limits = limits
        logging.getLogger("ray.data").setLevel(logging.ERROR)

    def _results(
        self, encoder: Encoder, weights: Weights, desk: Any, n_tickets: int
    ) -> Iterator[tuple[int, Any]]:
        """(ticket, what was made) of every parcel, as they are done."""
        import pickle

        import ray.data

        tickets = ray.data.range(n_tickets, override_num_blocks=n_tickets)
        made = tickets.map_batches(
            Worker,
            fn_constructor_args=(encoder, weights, self.device, self.threads, desk),
            batch_size=None,
            compute=ray.data.ActorPoolStrategy(size=self.workers),  # dead workers come back by default
            num_cpus=self._processors,
            num_gpus=1 if self.device == "cuda" else 0,
        )
        for table in made.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
            for ticket, data in zip(table["ticket"], table["data"], strict=True):
                yield ticket.as_py(), pickle.loads(data.as_buffer())
