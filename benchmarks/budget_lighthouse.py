"""Lighthouse's mobile scores of built pages. It comes from npm; where it cannot run, the reason is given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

__all__ = ["CATEGORIES", "Scores", "install", "scores"]

HERE = Path(__file__).parent
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
Scores = dict[str, float]
"""Category -> 0 to 100."""


@dataclass(frozen=True, kw_only=True)
class _Run:
    scores: Scores
    faults: list[str]


def install() -> str:
    """Gets what `benchmarks/package.json` names; gives "" when it is there, else why not."""
    if (HERE / "node_modules" / ".bin" / "lighthouse").exists():
        return ""
    npm = shutil.which("npm")
    if not npm:
        return "npm is not on the PATH"
    done = subprocess.run(
        [npm, "ci", "--no-audit", "--no-fund"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return f"npm ci failed: {done.stderr.strip().splitlines()[-1:]}" if done.returncode else ""


def scores(address: str, enough: float) -> tuple[Scores, list[str]]:
    """Scores of a page and the weighted audits that are not met.

    Performance swings with whatever else the machine does. A run below `enough` is repeated twice and the
    median of the three counts, as Lighthouse's own advice on variability has it.

    Raises:
        RuntimeError: Lighthouse gave no report.
    """
    runs = [_run(address)]
    if runs[0].scores["performance"] < enough:
        runs += [_run(address), _run(address)]
    found = {name: median(run.scores[name] for run in runs) for name in CATEGORIES}
    return found, runs[-1].faults


def _run(address: str) -> _Run:
    from tests.conftest import FLAGS

    chromium = shutil.which("chromium") or ""
    with tempfile.TemporaryDirectory() as folder:
        report_file = Path(folder) / "report.json"
        line = [
            str(HERE / "node_modules" / ".bin" / "lighthouse"),
            address,
            "--quiet",
            "--output=json",
            f"--output-path={report_file}",
            f"--only-categories={','.join(CATEGORIES)}",
            f"--chrome-flags=--headless=new {' '.join(FLAGS)}",
        ]
        done = subprocess.run(
            line, capture_output=True, text=True, check=False, env={**os.environ, "CHROME_PATH": chromium}
        )
        if not report_file.is_file():
            raise RuntimeError(f"lighthouse {address}: {done.stderr.strip()[-300:]}")
        report = json.loads(report_file.read_text("utf-8"))
    audits = report["audits"]
    unmet = [
        f"{ref['id']} {audits[ref['id']].get('displayValue', '')}".strip()
        for category in report["categories"].values()
        for ref in category["auditRefs"]
        if ref["weight"]
        and (audits[ref["id"]]["score"] or 0) < 0.9
        and audits[ref["id"]]["score"] is not None
    ]
    # A category without a score is one whose audits could not run: that is no score, not a good one.
    return _Run(
        scores={name: 100 * (report["categories"][name]["score"] or 0) for name in CATEGORIES}, faults=unmet
    )
