"""Invented results for measuring the site: many submissions on one board, with intervals, no per-study tables."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from scorer.board import Board, BoardColumn, Cell, Row
from scorer.datasets import card
from scorer.estimates import signature_of
from scorer.metrics import METRICS
from scorer.store import Results
from scorer.types import Estimate, MetricSpec, Record

__all__ = ["make_board", "write_results"]

DATASET = "mimic-cxr"
N = 2_347


def write_results(folder: Path, n_models: int) -> Path:
    """A results folder with that many submissions on MIMIC-CXR, findings; gives its path."""
    root = folder / "results"
    draw = random.Random(n_models)
    key = card(DATASET).key
    for i in range(n_models):
        id = f"model-{i:04d}"
        home = root / "submissions" / id
        home.mkdir(parents=True)
        (home / "submission.yaml").write_text(
            f"id: {id}\nname: Model {i}\nversion: '{i % 3 + 1}'\ninstitutions: [Institute {i % 40}]\n"
            f"authors: [A. Author {i}, B. Author]\nowner: owner-{i}\ndate: 2026-{i % 12 + 1:02d}-{i % 28 + 1:02d}\n"
            f"links: {{paper: 'arXiv:2601.{i % 90000 + 10000}', code: 'https://example.org/code/{i}'}}\n"
            f"weights_access: {('open', 'closed', 'on-request')[i % 3]}\nparameters: {i % 70 + 1}B\n"
            f"base_architecture: an encoder and a decoder\ntraining_data: [{DATASET if i % 2 else 'iu-xray'}]\n"
            "inputs: {images: single, prior_studies: false}\ntracks: [findings]\n"
            f"predictions:\n  {DATASET}: {{url: 'https://example.org/{i}.jsonl', sha256: '{i:064x}'}}\n",
            encoding="utf-8",
        )
        estimates = []
        for metric in METRICS:
            value, low, high = _interval(draw, metric.spec)
            signature = signature_of(metric, key, "findings")
            estimates.append(
                Estimate(
                    metric=metric.spec.id,
                    value=value,
                    low=low,
                    high=high,
                    n=N,
                    n_empty=0,
                    signature=signature,
                )
            )
        Results(root).write_record(
            Record(
                model=id,
                dataset=DATASET,
                track="findings",
                n=N,
                n_empty=0,
                estimates=tuple(estimates),
                digests={"predictions": f"{i:064x}", "references": "0" * 64},
                seed=0,
                resamples=10_000,
                clusters="patient",
                versions={"rexrank": "0"},
            )
        )
    return root


def _interval(draw: random.Random, spec: MetricSpec) -> tuple[float, float, float]:
    low, high = max(spec.low, 0.0), min(spec.high, 1.0)
    value = low + (high - low) * draw.random()
    half = 0.004 + 0.02 * draw.random()
    return value, max(spec.low, value - half), min(spec.high, value + half)


def make_board(n_models: int, n_metrics: int) -> Board:
    """A board as the page weight is measured on: every cell with interval, rank, rank interval and tie group."""
    draw = random.Random(n_models)
    ranked = sorted((one.spec for one in METRICS if one.spec.is_ranked), key=lambda spec: not spec.on_board)
    specs = [replace(spec, on_board=True) for spec in ranked[:n_metrics]]
    quality = [draw.gauss(0.45, 0.12) for _ in range(n_models)]
    cells: list[dict[str, Cell]] = [{} for _ in range(n_models)]
    for spec in specs:
        values = [min(0.98, max(0.02, q + draw.gauss(0, 0.03))) for q in quality]
        order = sorted(range(n_models), key=lambda i: values[i] if spec.better == "lower" else -values[i])
        for place, i in enumerate(order):
            half = 0.008 + 0.01 * draw.random()
            e = Estimate(
                metric=spec.id,
                value=values[i],
                low=values[i] - half,
                high=values[i] + half,
                n=N,
                n_empty=0,
                signature=f"{spec.key}|text@1|{DATASET}@1|findings",
            )
            spread = draw.randrange(max(2, n_models // 12))
            cells[i][spec.id] = Cell(
                estimate=e,
                state="current",
                rank=place + 1,
                rank_low=max(1, place + 1 - spread),
                rank_high=min(n_models, place + 1 + spread),
                group=place // 6 + 1,
            )
    first = specs[0].id
    rows = [
        Row(
            model=f"model-{i:04d}",
            label=f"Model {i}",
            is_probe=False,
            cells=cells[i],
            n=N,
            n_empty=0,
            in_domain=bool(i % 2),
        )
        for i in sorted(range(n_models), key=lambda i: cells[i][first].rank or 0)
    ]
    columns = [
        BoardColumn(
            spec=spec,
            signature=f"{spec.key}|text@1|{DATASET}@1|findings",
            top=[row.model for row in rows if row.cells[spec.id].group == 1],
            resolvable=0.01,
            method="simultaneous pairwise differences",
        )
        for spec in specs
    ]
    return Board(
        dataset=DATASET,
        track="findings",
        n=N,
        n_patients=289,
        order=first,
        columns=columns,
        rows=rows,
        date="2026-11-30",
    )
