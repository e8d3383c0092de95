"""Building measured: the sites that the budgets look at, a second build's bytes, and a rebuild while serving."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.site_worlds import DATASET, make_board, write_results

__all__ = ["METRICS_SHOWN", "ROOT", "build_site", "differing", "digests", "serve_seconds"]

ROOT = Path(__file__).parent.parent
METRICS_SHOWN = 12


def build_site(out: Path, n: int) -> None:
    """A site of n submissions with one board of n rows by 12 metrics, every cell with interval, rank and group."""
    from site_builder.building import build
    from site_builder.reading import read_world

    @functools.wraps(read_world)
    def with_board(*given: Any, **more: Any) -> Any:
        world = read_world(*given, **more)
        board = make_board(n, METRICS_SHOWN)
        return replace(world, boards=[board if (b.dataset, b.track) == _KEY else b for b in world.boards])

    results = out.parent / "world" / "results"
    if not results.is_dir():
        write_results(results.parent, n)
    with mock.patch("site_builder.mkdocs_plugin.read_world", with_board):
        build(results=results, out=out)


_KEY = (DATASET, "findings")


def digests(site: Path) -> dict[str, str]:
    """Path -> sha256 of every file of a site."""
    return {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(site.rglob("*"))
        if path.is_file()
    }


def differing(results: Path, folder: Path) -> list[str]:
    """Files that two processes with different hash seeds do not build alike."""
    found = []
    for seed in ("1", "2"):
        out = folder / f"seed-{seed}"
        subprocess.run(
            [sys.executable, "-m", "scorer.cli", "build", "--results", str(results), "--out", str(out)],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        found.append(digests(out))
    one, two = found
    return sorted(path for path in one.keys() | two.keys() if one.get(path) != two.get(path))


def serve_seconds(folder: Path, n: int) -> tuple[float, float]:
    """Seconds, as the clock and as the processor has it, from an edit of one submission to the site built again."""
    from site_builder.serving import INTERVAL, serve

    results = write_results(folder, n)
    said: list[str] = []
    stop, news = threading.Event(), threading.Semaphore(0)

    def say(line: str) -> None:
        said.append(line)
        news.release()

    thread = threading.Thread(
        target=serve,
        kwargs={"results": results, "out": folder / "site", "port": 0, "said": say, "stop": stop},
    )
    thread.start()
    news.acquire(timeout=300)
    card = results / "submissions" / "model-0007" / "submission.yaml"
    times = []
    for name in ("Renamed", "Renamed again", "Renamed once more"):
        time.sleep(2 * INTERVAL)
        begun = time.monotonic(), time.process_time()
        card.write_text(card.read_text("utf-8").replace("name: ", f"name: {name} "), encoding="utf-8")
        news.acquire(timeout=300)
        times.append((time.monotonic() - begun[0], time.process_time() - begun[1]))
    stop.set()
    thread.join()
    if "Renamed once more" not in (folder / "site" / "models" / "model-0007" / "index.html").read_text(
        "utf-8"
    ):
        raise RuntimeError(f"the edit did not reach the site: {said[-1]}")
    return min(times)
