"""The Ray engine against the one in this process: the same bytes, whatever happens to its workers."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="needs the extra `ray`")
pytestmark = pytest.mark.slow

# Ray warns on its own account and keeps processes, so each test runs in an interpreter of its own.
_HEAD = """
import json, os, signal, sys, threading, time, warnings
warnings.filterwarnings("ignore")
from dataclasses import replace
from pathlib import Path
import torch
torch.set_num_threads(1)
from scorer.encoding import Encodings
from scorer.encoding.chexbert import CHEXBERT
from scorer.engines.ray import RayEngine
from scorer.statistics.base import Bench
from scorer.weights import locate
from tests.encoders.texts import reports
work = Path(sys.argv[1])
local = Bench(weights_dir=work / "weights", cache_dir=work / "local")
spread = replace(local, cache_dir=work / "spread", engine=RayEngine(workers=2))
texts = reports(120, seed=4)
def encodings(bench):
    with Encodings(CHEXBERT, bench, texts, ()) as found:
        return {text: (one.data, one.is_cut) for text, one in found.get(texts).items()}
"""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.encoders.tiny import make_tiny_weights

    folder = tmp_path_factory.mktemp("ray") / "weights"
    make_tiny_weights(folder)
    return folder


def run(weights: Path, code: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", _HEAD + textwrap.dedent(code), str(weights.parent)],
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return json.loads(line.removeprefix("RESULT "))


def test_two_workers_give_the_bytes_of_one_process_and_fill_the_same_cache(weights: Path) -> None:
    found = run(
        weights,
        """
        ours, theirs = encodings(local), encodings(spread)
        said = []
        encodings(replace(spread, engine=None, progress=lambda *what: said.append(what)))
        print('RESULT', json.dumps([ours == theirs, len(ours), said]))
        """,
    )
    assert found == [True, len(set(found_texts())), []], "the second reading finds every key in the cache"


def found_texts() -> list[str]:
    from scorer.encoding.chexbert import CHEXBERT
    from tests.encoders.texts import reports

    return [CHEXBERT.normalise(text) for text in reports(120, seed=4)]


def test_a_killed_worker_loses_nothing(weights: Path) -> None:
    found = run(
        weights,
        """
        class Slow:
            # An encoder that is slow and says which process it runs in.
            id, version = "chexbert", 99
            def normalise(self, text): return text
            def load(self, weights, device):
                (work / "pids").mkdir(exist_ok=True)
                (work / "pids" / str(os.getpid())).touch()
                return self
            def tokenise(self, text):
                from scorer.encoding import Item
                return Item(pieces=text, length=len(text))
            def encode(self, items):
                time.sleep(0.2)
                return [item.pieces.upper().encode() for item in items]
        bench = replace(spread, cache_dir=work / "killed", batch_size=4)
        killed = []
        def kill(stage, done, total):
            if done >= 20 and not killed:
                pids = sorted(int(path.name) for path in (work / "pids").iterdir())
                killed.append(pids[-1])
                os.kill(pids[-1], signal.SIGKILL)
        with Encodings(Slow(), replace(bench, progress=kill), texts, ()) as made:
            found = made.get(texts)
        print('RESULT', json.dumps([all(found[t].data == t.upper().encode() for t in texts), len(killed)]))
        """,
    )
    assert found == [True, 1]


def test_a_failing_batch_names_the_class_and_no_text(weights: Path) -> None:
    found = run(
        weights,
        """
        from scorer.errors import StageError
        class Failing:
            id, version = "chexbert", 98
            def normalise(self, text): return text
            def load(self, weights, device): return self
            def tokenise(self, text):
                from scorer.encoding import Item
                return Item(pieces=text, length=len(text))
            def encode(self, items): raise ValueError(items[0].pieces)
        try:
            with Encodings(Failing(), replace(spread, cache_dir=work / "failing", batch_size=8), texts[:5], ()): pass
        except StageError as error:
            print('RESULT', json.dumps(str(error)))
        """,
    )
    assert found == "chexbert: ValueError (5 studies)"


def test_the_engine_in_this_process_imports_no_ray(weights: Path) -> None:
    code = """
        import subprocess
        print('RESULT', json.dumps("ray" in sys.modules))
    """
    assert run(weights, code.replace("import subprocess", "encodings(local)")) is False
