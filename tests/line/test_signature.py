"""A signature prints and parses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.signature import Signature
from scorer.text import TRACKS

keys = st.from_regex(r"[a-z][a-z0-9_-]{0,12}@[1-9][0-9]?", fullmatch=True)
details = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9_.:@-]{0,10}", fullmatch=True),
    st.from_regex(r"[A-Za-z0-9_.:+-]{1,12}", fullmatch=True),
    max_size=4,
)


@given(
    keys, st.lists(keys, min_size=1, max_size=4, unique=True), keys, keys, st.sampled_from(TRACKS), details
)
def test_both_printed_forms_read_back_without_loss(metric, statistics, text, dataset, track, extra) -> None:  # type: ignore[no-untyped-def]
    signature = Signature(
        metric=metric,
        statistics=tuple(sorted(statistics)),
        text=text,
        dataset=dataset,
        track=track,
        details=extra,
    )
    assert Signature.parse(signature.long()) == signature
    assert str(Signature.parse(str(signature))) == str(signature)


def test_statistics_are_printed_in_one_order() -> None:
    one = Signature(metric="m@1", statistics=("b@1", "a@1"), text="text@1", dataset="d@1", track="findings")
    assert str(one) == "m@1|a@1+b@1|text@1|d@1|findings"


@pytest.mark.parametrize(
    "printed",
    ["", "a@1|b@1", "a|b@1|text@1|d@1|findings", "a@1|b@1|text@1|d@1|both", "a@1|b@1|t@1|d@1|findings;x"],
)
def test_anything_else_is_refused_with_the_part_that_is_wrong(printed: str) -> None:
    with pytest.raises(ValueError, match=r"signature|name@version|track|key=value"):
        Signature.parse(printed)
