"""RaTEScore against the released package, in an environment that this test builds.

Golden: ratescore 0.6.0 with medspacy 1.3.1, the same random weights, batch size 1; sentences and spans equal;
tolerance 2e-6 on scores (float32 cosines; the package pads nothing, we pad) but for at most four in a hundred,
where equal entities with two types tie and the last bit decides which type counts. Random weights give the same
words two types all the time, real ones hardly ever.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from scorer.encoding.ratescore.sentences import Segmenter
from scorer.encoding.ratescore.tagger import spans
from scorer.metrics.ratescore import RATESCORE as LONG
from scorer.metrics.ratescore import RATESCORE_SHORT as SHORT
from scorer.statistics.base import Bench
from scorer.statistics.ratescore import RATESCORE
from tests.encoders.texts import reports
from tests.ratescore import original

pytestmark = pytest.mark.slow

NAMES = [column.name for column in RATESCORE.spec.columns]


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return original.interpreter(tmp_path_factory.mktemp("original"))
    except subprocess.CalledProcessError:
        pytest.skip("the released package cannot be installed here")


def test_scores_are_the_packages_and_sentences_too(python: Path, bench: Bench, tmp_path: Path) -> None:
    predictions, references = reports(50, seed=21), reports(50, seed=22)
    found = original.run(
        python, tmp_path, bench.weights_dir / "ratescore", predictions, references, predictions
    )
    values = RATESCORE.compute(predictions, references, bench).values
    columns = {"ratescore": dict(zip(NAMES, values.T, strict=True))}
    for metric, name in ((LONG, "long"), (SHORT, "short")):
        distances = np.abs(metric.per_study(columns) - found[name])
        assert (distances < 2e-6).mean() >= 0.96
        assert distances.max() < 0.05
    segmenter = Segmenter()
    assert [segmenter.sentences(text) for text in predictions] == found["sentences"]


def test_sentences_of_real_reports_are_the_packages(
    python: Path, bench: Bench, shared: Path, tmp_path: Path
) -> None:
    studies = json.loads((shared / "data" / "iu_xray" / "ReXRank_IUXray_test.json").read_text()).values()
    texts = sorted(
        {s[name] for s in studies for name in ("section_findings", "section_impression", "report")}
    )
    found = original.run(python, tmp_path, bench.weights_dir / "ratescore", [], [], texts, weights=())
    segmenter = Segmenter()
    different = [n for n, text in enumerate(texts) if segmenter.sentences(text) != found["sentences"][n]]
    assert different == []


def test_spans_are_the_packages_for_any_labels(python: Path, tmp_path: Path) -> None:
    """Random label sequences through the package's own function, cut out of its installed source."""
    code = """
import ast, json, random, sys, importlib.util
source = open(importlib.util.find_spec("RaTEScore").submodule_search_locations[0] + "/utils.py").read()
node = next(n for n in ast.parse(source).body if getattr(n, "name", "") == "post_process")
space = {}
exec(compile(ast.Module(body=[node], type_ignores=[]), "u", "exec"), space)
class Words:
    def convert_tokens_to_string(self, tokens): return " ".join(tokens)
draw, cases = random.Random(3), []
for _ in range(4000):
    n = draw.randint(1, 9)
    labels = draw.choices(["O", "O", "B-X", "B-Y", "I-X", "I-Y"], k=n + 2)
    tokens = ["[CLS]", *(f"t{k}" for k in range(1, n + 1)), "[SEP]"]
    cases.append([tokens, labels, space["post_process"](tokens, labels, Words())])
json.dump(cases, sys.stdout)
"""
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    for tokens, labels, expected in json.loads(done.stdout):
        found = [[" ".join(tokens[start : end + 1]), kind] for start, end, kind in spans(tokens, labels)]
        assert found == expected, (tokens, labels)
