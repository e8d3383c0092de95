"""The desk between the driver and the workers: whoever is ready for texts asks there, and the driver lays them out.

Nothing is laid out unasked, so texts do not pile up. A parcel can be asked for again, if its worker was killed, and
then is laid out again.
"""

from __future__ import annotations

import contextlib
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = ["Parcels", "desk_of", "serve"]

_COUNTED = 2_000
"""Texts whose lengths are counted in one parcel."""

_ENCODED = 512
"""Texts encoded in one parcel, at most, but for a single batch that holds more."""


_OVER = -1
"""The ticket that ends the service."""


class Parcels:
    """What there is to do: first parcels of texts to count, then parcels of batches to encode.

    The batches depend on all lengths, so nothing can be encoded until all are counted. Workers come with tickets,
    in any order; a ticket stands for the next thing to do when it is first shown, and for the same thing ever
    after. There are as many tickets as parcels, which is settled before; the last ones may stay empty.
    """

    def __init__(
        self, texts: Sequence[str], plan: Callable[[Sequence[int]], Iterator[list[int]]], workers: int
    ) -> None:
        self._texts, self._plan = texts, plan
        self._counting = -(-len(texts) // _COUNTED)
        # Few texts are shared out evenly; many in parcels small enough that little is lost with a worker.
        self._encoding = min(len(texts), max(16 * workers, -(-len(texts) // _ENCODED)))
        self._numbers: dict[int, int] = {}
        self._uncounted = set(range(self._counting))
        self._lengths = array("l", bytes(array("l").itemsize * len(texts)))
        self._order, self._stops = array("l"), array("l")
        self._cuts: list[int] = []

    def __len__(self) -> int:
        return self._counting + self._encoding

    def content(self, ticket: int) -> tuple[str, Sequence[Any]] | None:
        """See `Worker`; None when it is too early."""
        number = self._numbers.setdefault(ticket, len(self._numbers))
        if number < self._counting:
            return "count", self._texts[number * _COUNTED : (number + 1) * _COUNTED]
        if not self._cuts:
            return None
        return "encode", [[self._texts[place] for place in batch] for batch in self._batches(number)]

    def places(self, ticket: int) -> list[int] | None:
        """Where the texts of a parcel to encode stand, in the order of its batches; None for one to count."""
        number = self._numbers[ticket]
        if number < self._counting:
            return None
        return [place for batch in self._batches(number) for place in batch]

    def counted(self, ticket: int, lengths: Sequence[int]) -> None:
        """Takes the lengths of a parcel's texts; after the last, plans the batches."""
        number = self._numbers[ticket]
        self._lengths[number * _COUNTED : number * _COUNTED + len(lengths)] = array("l", lengths)
        self._uncounted.discard(number)
        if not self._uncounted and not self._cuts:
            for batch in self._plan(self._lengths):
                self._order.extend(batch)
                self._stops.append(len(self._order))
            self._lengths = array("l")
            n = len(self._stops)
            self._cuts = [n * part // self._encoding for part in range(self._encoding + 1)]

    def _batches(self, number: int) -> Iterator[array[int]]:
        first, last = self._cuts[number - self._counting : number - self._counting + 2]
        for batch in range(first, last):
            yield self._order[self._stops[batch - 1] if batch else 0 : self._stops[batch]]


class _Desk:
    def __init__(self) -> None:
        import asyncio

        self._asked: asyncio.Queue[int] = asyncio.Queue()
        self._laid: dict[int, asyncio.Future[Any]] = {}

    async def take(self, ticket: int) -> Any:
        """The parcel, once the driver has laid it here."""
        import asyncio

        laid = self._laid.setdefault(ticket, asyncio.get_running_loop().create_future())
        self._asked.put_nowait(ticket)
        return await laid

    async def asked(self, seconds: float) -> list[int]:
        """Tickets shown; waits for the first so long at most."""
        import asyncio

        tickets = []
        with contextlib.suppress(TimeoutError):
            tickets.append(await asyncio.wait_for(self._asked.get(), seconds))
        while not self._asked.empty():
            tickets.append(self._asked.get_nowait())
        return tickets

    async def close(self) -> None:
        """Tells whoever serves that all is done."""
        self._asked.put_nowait(_OVER)

    async def lay(self, ticket: int, parcel: Any) -> None:
        """Answers everybody who showed a ticket, and keeps no copy."""
        laid = self._laid.pop(ticket, None)
        if laid is not None and not laid.done():
            laid.set_result(parcel)


def desk_of() -> Any:
    """A new desk; it comes back when its process is killed, and so do the requests that it had."""
    import ray

    return (
        ray.remote(_Desk)
        .options(num_cpus=0, max_restarts=-1, max_task_retries=-1, max_concurrency=1_000)
        .remote()
    )


@contextlib.contextmanager
def serve(desk: Any, parcels: Parcels) -> Iterator[None]:
    """Lays out what is asked for, in a thread of its own, as long as the context lasts."""
    import ray

    def work() -> None:
        early: list[int] = []
        try:
            while _OVER not in (asked := ray.get(desk.asked.remote(0.05 if early else 5.0))):
                waiting, early = [*early, *asked], []
                for ticket in waiting:
                    content = parcels.content(ticket)
                    if content is None:
                        early.append(ticket)
                    else:
                        desk.lay.remote(ticket, content)
        finally:
            ray.kill(desk)  # whoever still waits there fails, and with it the run; nothing waits for ever

    thread = threading.Thread(target=work, name="desk", daemon=True)
    thread.start()
    try:
        yield
    finally:
        desk.close.remote()
        thread.join()
