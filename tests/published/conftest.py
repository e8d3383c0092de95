"""Committed editions, read once, and a small set of import files to break."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorer.published import Edition, read_editions

SCORES = """\
source_id,dataset,split,track,model,metric,value,trained_on_dataset,note
board-2024,iu-xray,test,findings,NetOne,bleu_2,0.193,true,
board-2024,iu-xray,test,findings,NetTwo,bleu_2,0.20,unknown,
board-2025,iu-xray,test,findings,NetOne,bleu_2,0.193,false,shown as Net_One
"""
SOURCES = """\
board-2024:
  title: Tables of 2024
  repo: owner/board
  commits: [abc1234]
  date: 2024-01-31
  holds: one board
board-2025:
  title: Tables of 2025
  repo: owner/board
  commits: [def1234]
  date: null  # after 2024
  holds: one board
"""
MODELS = """\
note: null means not seen
models:
- name: NetOne
  institution: null
  year_shown: 2024
  paper_arxiv: '2401.00001'
  paper_doi: null
  code_url: null
  weights_open: on request
  base_architecture: null
  parameters: null
  training_data: &sets
  - IU X-ray
  inputs: null
  tracks: *sets
  licence: null
  status_in_newest_edition: listed
  note: null
"""


@pytest.fixture(scope="session")
def editions(root: Path) -> tuple[Edition, ...]:
    """The editions that the repository holds."""
    return read_editions(root / "results")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder with scores.csv, sources.yaml and models.yaml of two small editions."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in (("scores.csv", SCORES), ("sources.yaml", SOURCES), ("models.yaml", MODELS)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder
