"""A site of 1,000 models against plain mkdocs building as many Markdown pages of the same content."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.site_worlds import write_results
from benchmarks.table import print_table
from scorer.metrics import METRICS

MODELS = 1_000
_PAGE = """# Model {i}

## What it is

| fact | |
|---|---|
| version | 2 |
| institutions | Institute {i} |
| authors | A. Author {i}, B. Author |
| submitted | 2026-08-08 |
| base architecture | an encoder and a decoder |
| parameters | 8B |
| training data | mimic-cxr |
| inputs | single image |
| weights | closed |

[arXiv:2601.{i}](https://arxiv.org/abs/2601.{i}) · [code](https://example.org/code/{i})

## Where it stands

| Board | Rank | By |
|---|---|---|
| MIMIC-CXR, findings | 795 of 1000 | RadCliQ-v1 0.202 (0.180–0.223) |

## Signals

None of the rules found anything.

## MIMIC-CXR, findings

| Metric | Value | 95 % interval | Rank | n | Empty | Signature |
|---|---|---|---|---|---|---|
{rows}

## How these numbers were made

| | |
|---|---|
| bootstrap | 10,000 resamples by patient, seed 0 |
| versions | rexrank 0 |
| sha256 of predictions | {i:064x} |
| sha256 of references | {i:064x} |

## Cite these numbers

```
@misc{{rexrank-mimic-cxr-findings-model-{i},
  title = {{{{Model {i}. rexrank leaderboard: MIMIC-CXR, findings}}}},
  author = {{{{The maintainers of this leaderboard}}}},
  year = {{2026}},
  note = {{RadCliQ-v1 0.202 (95 \\% interval 0.180 to 0.223), rank 795, n = 2347}}
}}
```

{numbers}
"""
"""The same facts as on a generated model page, as a person would write them."""


def ours(folder: Path, n: int) -> float:
    """CPU seconds of building a site of n submissions into `folder/site-<n>`."""
    from site_builder.building import build

    results = write_results(folder / f"world-{n}", n)
    start = time.process_time()
    build(results=results, out=folder / f"site-{n}")
    return time.process_time() - start


def plain(folder: Path, n: int) -> float:
    """CPU seconds of plain mkdocs building n Markdown pages that say the same."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    home = folder / "plain"
    (home / "docs" / "models").mkdir(parents=True)
    specs = [metric.spec for metric in METRICS]
    rows = "\n".join(
        f"| {spec.label} | 0.202 | 0.180–0.223 | 795 | 2347 | 0 | `{spec.key} text@1 mimic-cxr@1 findings` |"
        for spec in specs
    )
    numbers = "\n".join(
        f"- {spec.label} 0.202 (95 % interval 0.180 to 0.223), rank 795, n = 2347, `{spec.key}`"
        for spec in specs
    )
    for i in range(n):
        (home / "docs" / "models" / f"model-{i:04d}.md").write_text(
            _PAGE.format(i=i, rows=rows, numbers=numbers), encoding="utf-8"
        )
    (home / "docs" / "index.md").write_text("# Home\n", encoding="utf-8")
    (home / "mkdocs.yml").write_text(
        "site_name: plain\nplugins: []\nnot_in_nav: models/\nnav: [index.md]\nmarkdown_extensions: [tables]\n",
        encoding="utf-8",
    )
    config = load_config(str(home / "mkdocs.yml"))
    start = time.process_time()
    build(config)
    return time.process_time() - start


def main() -> None:
    """Prints the table."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # so that no disk is measured
    with tempfile.TemporaryDirectory(dir=memory) as name:
        folder = Path(name)
        ours(folder, 10)  # imports and templates, once
        peer = plain(folder, MODELS)
        half, whole = ours(folder, MODELS // 2), ours(folder, MODELS)
    print_table(
        f"Building a site of {MODELS:,} models",
        ("", "CPU s", "ratio", "asked"),
        [
            ("plain mkdocs, as many Markdown pages", f"{peer:.1f}", "1.0", ""),
            ("rexrank build", f"{whole:.1f}", f"{whole / peer:.2f} of plain", "at most 1.0"),
            (f"growth from {MODELS // 2} to {MODELS:,} models", "", f"{whole / half:.2f}x", "at most 2.2x"),
        ],
    )


if __name__ == "__main__":
    main()
