"""Resampled totals are exact, shared between models, and give intervals that hold what they promise."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.inference import resampling
from scorer.inference.resampling import SEED, count_clusters, interval, resampled_totals, totals


def drawn_counts(c: int, resamples: int, seed: int = SEED) -> np.ndarray:
    """Counts as the module draws them, seen through its own public door: totals of unit vectors."""
    return resampled_totals(np.eye(c), resamples=resamples, seed=seed)


def test_totals_are_sums_over_the_drawn_studies_to_the_last_digit() -> None:
    rng = np.random.default_rng(1)
    terms = rng.normal(size=(37, 3)) * [1e-9, 1.0, 1e12]
    sums = resampled_totals(terms, resamples=200)
    counts = drawn_counts(37, 200)
    for row in range(200):
        drawn = np.repeat(terms, counts[row].astype(int), axis=0)
        for column in range(3):
            exact = math.fsum(drawn[:, column])
            assert abs(sums[row, column] - exact) <= math.ulp(exact)


def test_every_resample_draws_as_many_clusters_as_there_are() -> None:
    counts = drawn_counts(23, 500)
    assert (counts.sum(axis=1) == 23).all()
    assert (counts >= 0).all()
    assert len({row.tobytes() for row in counts}) == 500


def test_every_study_is_drawn_equally_often() -> None:
    counts = drawn_counts(50, 20_000)
    # A count is binomial(50, 1/50): mean 1, variance 0.98; the mean over 20,000 has standard error 0.007.
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 * 0.007
    assert counts.var() == pytest.approx(0.98, abs=0.01)


def test_two_models_meet_the_same_resamples() -> None:
    terms = np.random.default_rng(2).random((4, 61, 3))
    together = resampled_totals(terms, resamples=300)
    assert together.shape == (4, 300, 3)
    for model in range(4):
        assert np.array_equal(together[model], resampled_totals(terms[model], resamples=300))


def test_fewer_resamples_are_the_first_of_many() -> None:
    terms = np.random.default_rng(3).random((40, 2))
    many = resampled_totals(terms, resamples=1000)
    for few in (1, 63, 64, 65, 500):
        assert np.array_equal(many[:few], resampled_totals(terms, resamples=few))


def test_another_seed_gives_other_resamples() -> None:
    terms = np.random.default_rng(4).random((40, 1))
    assert not np.array_equal(
        resampled_totals(terms, resamples=64), resampled_totals(terms, resamples=64, seed=1)
    )


def test_columns_can_be_reordered_without_changing_a_bit() -> None:
    terms = np.random.default_rng(5).normal(size=(300, 9))
    order = [4, 0, 8, 2, 6, 1, 7, 3, 5]
    assert np.array_equal(
        resampled_totals(terms, resamples=200)[:, order], resampled_totals(terms[:, order], resamples=200)
    )


def test_bytes_do_not_depend_on_the_number_of_threads() -> None:
    program = (
        "import hashlib, numpy as np; from scorer.inference.resampling import resampled_totals as r;"
        "t = np.random.default_rng(6).normal(size=(800, 64));"
        "print(hashlib.sha256(r(t, resamples=640).tobytes()).hexdigest())"
    )
    root = str(Path(resampling.__file__).parents[2])
    digests = set()
    for threads in ("1", "2"):
        environment = {
            **os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, "PYTHONPATH": root
        }  # fmt: skip
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        )
        digests.add(run.stdout)
    assert len(digests) == 1


def test_draw_is_pinned() -> None:
    # The first resample of five clusters, from the definition: 32-bit halves (low half first)
    # of the 64-bit outputs of PCG64 seeded with SeedSequence(SEED, spawn_key=(0,)), times 5, over 2^32.
    bits = np.random.PCG64(np.random.SeedSequence(SEED, spawn_key=(0,))).random_raw(3)
    halves = [int(x) >> shift & 0xFFFFFFFF for x in bits for shift in (0, 32)][:5]
    drawn = [half * 5 >> 32 for half in halves]
    assert drawn_counts(5, 1)[0].tolist() == [drawn.count(i) for i in range(5)]
    assert drawn == [4, 2, 4, 4, 0]


def test_clusters_are_drawn_whole() -> None:
    # Studies of one patient carry 1 in that patient's column: after resampling they agree always.
    patients = ["p2", "p1", "p2", "p3", "p1", "p2"]
    sums = resampled_totals(np.eye(6), clusters=patients, resamples=100)
    for same in ((0, 2, 5), (1, 4)):
        for other in same[1:]:
            assert np.array_equal(sums[:, same[0]], sums[:, other])
    assert (sums[:, [0, 1, 3]].sum(axis=1) == 3).all()


def test_clusters_of_one_study_change_nothing() -> None:
    terms = np.random.default_rng(7).random((30, 2))
    labels = [f"{i:02}" for i in range(30)]
    assert np.array_equal(
        resampled_totals(terms, resamples=99), resampled_totals(terms, clusters=labels, resamples=99)
    )


def test_clusters_equal_their_summed_terms() -> None:
    terms = np.arange(12.0).reshape(6, 2)
    summed = np.array([terms[[1, 4]].sum(0), terms[[0, 2, 5]].sum(0), terms[3]])  # p1, p2, p3
    got = resampled_totals(terms, clusters=["p2", "p1", "p2", "p3", "p1", "p2"], resamples=50)
    assert np.array_equal(got, resampled_totals(summed, resamples=50))


@given(
    st.lists(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2), min_size=2, max_size=20),
    st.integers(0, 2**32),
)
@settings(max_examples=40, deadline=None)
def test_totals_add(rows: list[list[float]], seed: int) -> None:
    terms = np.array(rows)
    sums = resampled_totals(np.column_stack([terms, terms.sum(axis=1)]), resamples=10, seed=seed)
    assert sums[:, 2] == pytest.approx(sums[:, 0] + sums[:, 1], rel=1e-12, abs=1e-8)


def test_zero_column_stays_zero() -> None:
    assert not resampled_totals(np.zeros((9, 2)), resamples=70).any()


@pytest.mark.parametrize(
    ("terms", "clusters", "message"),
    [
        (np.ones((1, 1)), None, "at least two clusters"),
        (np.ones((3, 1)), ["a", "a", "a"], "at least two clusters"),
        (np.ones((3, 1)), ["a", "b"], "3 rows of terms but 2 cluster labels"),
        (np.array([[1.0], [np.nan]]), None, "finite"),
    ],
)
def test_terms_that_cannot_be_resampled_are_refused(
    terms: np.ndarray, clusters: list[str] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        resampled_totals(terms, clusters=clusters)


def test_clusters_are_counted() -> None:
    assert count_clusters(5, None) == 5
    assert count_clusters(3, ["a", "b", "a"]) == 2


def test_interval_is_the_two_order_statistics_that_cut_off_the_tails() -> None:
    # 0.025 * (10000 - 1) = 249.975, so 249 values are cut off at either end of 0, 1, …, 9999.
    values = np.random.default_rng(8).permutation(10_000).astype(float)
    assert interval(values) == (249.0, 9750.0)


def test_interval_of_a_constant_is_that_constant() -> None:
    assert interval(np.full(10_000, 0.25)) == (0.25, 0.25)


@pytest.mark.parametrize("undefined", [np.nan, np.inf, -np.inf])
def test_undefined_resamples_widen_the_interval_at_both_ends(undefined: float) -> None:
    values = np.arange(10_000.0)
    values[[3, 5000, 9999]] = undefined  # counted as beyond either bound, so both cut-offs move out by three
    # (246 further values of 0, 1, 2, 4, … are cut off; the greatest left are 9998, 9997, …)
    low, high = interval(values)
    assert (low, high) == (247.0, 9752.0)


def test_too_many_undefined_resamples_give_no_interval() -> None:
    values = np.arange(10_000.0)
    values[:249] = np.nan
    assert interval(values)[0] is not None
    values[249] = np.nan
    assert interval(values) == (None, None)
    assert interval(np.full(100, np.nan)) == (None, None)


def test_totals_do_not_depend_on_the_order_of_studies_or_on_other_models() -> None:
    rng = np.random.default_rng(11)
    terms = rng.normal(size=(3, 500, 2)) * [1e-8, 1e8]
    order = rng.permutation(500)
    whole = totals(terms)
    assert np.array_equal(whole, totals(terms[:, order]))
    assert np.array_equal(whole[1], totals(terms[1]))
    assert whole[2, 1] == math.fsum(terms[2, :, 1])


def test_totals_of_no_study_are_refused() -> None:
    with pytest.raises(ValueError, match="no study"):
        totals(np.zeros((0, 2)))
    with pytest.raises(ValueError, match="finite"):
        totals(np.array([[np.inf, 1.0]]))


def test_bytes_do_not_depend_on_how_many_resamples_are_multiplied_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terms = np.random.default_rng(12).normal(size=(90, 5))
    whole = resampled_totals(terms, resamples=300)
    monkeypatch.setattr(resampling, "_BULK", 1)
    assert np.array_equal(whole, resampled_totals(terms, resamples=300))
