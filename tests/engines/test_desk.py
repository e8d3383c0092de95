"""What is laid out for workers: everything once, in the batches of the plan, whoever asks in whatever order."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

pytest.importorskip("torch", reason="needs the encoders extra")

from scorer.encoding.engine import plan
from scorer.engines.desk import Parcels


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    return plan(lengths, 7, 300)


@pytest.mark.parametrize("n", [1, 3, 40, 2_001, 5_000])
def test_every_text_is_counted_and_encoded_once_in_the_batches_of_the_plan(n: int) -> None:
    draw = random.Random(n)
    texts = ["w" * draw.randint(1, 99) for _ in range(n)]
    parcels = Parcels(texts, batches, workers=2)
    tickets = list(range(len(parcels)))
    draw.shuffle(tickets)
    seen: list[list[str]] = []
    while tickets:
        ticket = tickets.pop(0)
        content = parcels.content(ticket)
        if content is None:
            tickets.append(ticket)  # too early: not all is counted
        elif content[0] == "count":
            assert parcels.places(ticket) is None
            for _ in range(2):  # it was made twice, since a worker was killed
                parcels.counted(ticket, [len(text) for text in content[1]])
        else:
            places = parcels.places(ticket)
            assert [text for batch in content[1] for text in batch] == [
                texts[place] for place in places or []
            ]
            seen += content[1]
    assert sorted(map(tuple, seen)) == sorted(
        tuple(texts[place] for place in batch) for batch in batches([len(text) for text in texts])
    )


def test_the_same_ticket_always_stands_for_the_same_texts() -> None:
    parcels = Parcels(["a", "bb", "ccc"], batches, workers=1)
    assert parcels.content(3) == parcels.content(3) == ("count", ["a", "bb", "ccc"])
    assert parcels.content(0) is None, "nothing is encoded before all is counted"
    parcels.counted(3, [1, 2, 3])
    assert parcels.content(0) == parcels.content(0)
