"""A site of 1,000 models against plain mkdocs building as many Markdown pages of the same content."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.site_worlds import write_results
from benchmarks.table import print_table

MODELS = 1_000
_PAGE = """# Model {i}

| fact | |
|---|---|
| version | 2 |
| institutions | Institute {i} |
| submitted | 2026-08-08 |
| base | an encoder and a decoder |
| parameters | 8B |

| Metric | Value | 95 % interval | Rank | n | Empty | Signature |
|---|---|---|---|---|---|---|
{rows}

| | |
|---|---|
| bootstrap | 10,000 resamples by patient |
| sha256 of predictions | {i:064x} |

- BLEU-2 0.202 (95 % interval 0.180 to 0.223), rank 795, n = 2347
"""


def _ours(folder: Path, n: int) -> float:
    from site_builder.building import build

    results = write_results(folder / f"world-{n}", n)
    start = time.process_time()
    build(results=results, out=folder / f"site-{n}")
    return time.process_time() - start


def _plain(folder: Path, n: int) -> float:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    home = folder / "plain"
    (home / "docs" / "models").mkdir(parents=True)
    rows = "\n".join(f"| M{k} | 0.202 | 0.180–0.223 | 795 | 2347 | 0 | `m{k}@1` |" for k in range(5))
    for i in range(n):
        (home / "docs" / "models" / f"model-{i:04d}.md").write_text(
            _PAGE.format(i=i, rows=rows), encoding="utf-8"
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
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _ours(folder, 10)  # imports and templates, once
        plain = _plain(folder, MODELS)
        half, whole = _ours(folder, MODELS // 2), _ours(folder, MODELS)
    print_table(
        f"Building a site of {MODELS:,} models",
        ("", "CPU s", "ratio", "asked"),
        [
            ("plain mkdocs, as many Markdown pages", f"{plain:.1f}", "1.0", ""),
            ("rexrank build", f"{whole:.1f}", f"{whole / plain:.2f} of plain", "at most 1.0"),
            (f"growth from {MODELS // 2} to {MODELS:,} models", "", f"{whole / half:.2f}x", "at most 2.2x"),
        ],
    )


if __name__ == "__main__":
    main()
