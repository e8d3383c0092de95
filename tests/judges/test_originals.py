"""The released packages against this one: their prompts, and what they make of the same answers."""

from __future__ import annotations

import ast
import json
import random
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scorer.errors import InputError, WeightsMissing
from scorer.judges import CARDS, JudgeCard, crimson, green
from scorer.judges.base import Completion
from scorer.judges.reading import Status
from scorer.judges.templates import PREDICTION, REFERENCE, Template, extract, install, load
from scorer.metrics.crimson import score
from tests.judges.test_reading import crimson_answer, green_answer


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two released archives, by name from the package index."""
    folder = tmp_path_factory.mktemp("releases")
    for card in CARDS:
        wanted = f"{card.template.package}=={card.template.version} --hash=sha256:{card.template.sha256}\n"
        (folder / "wanted.txt").write_text(wanted)
        options = ["--no-deps", "--ignore-requires-python", "--require-hashes", "-q", "-d", str(folder)]
        command = [sys.executable, "-m", "pip", "download", *options, "-r", str(folder / "wanted.txt")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"{card.template.package} cannot be downloaded here")
    return folder


def function(source: str, name: str, namespace: dict[str, Any]) -> Any:
    """One function cut out of a source."""
    node = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == name)
    node.decorator_list = []
    exec(compile(ast.Module(body=[node], type_ignores=[]), name, "exec"), namespace)
    return namespace[name]


@pytest.fixture(scope="session")
def original_green(releases: Path) -> Any:
    with tarfile.open(releases / green.CARD.template.archive) as archive:
        members = ["green_score-0.0.12/green_score/green.py", "green_score-0.0.12/green_score/utils.py"]
        main, utils = (archive.extractfile(name).read().decode() for name in members)  # type: ignore[union-attr]
    namespace: dict[str, Any] = {"re": re}
    parse, compute = (
        function(main, "parse_error_counts", namespace),
        function(main, "compute_green", namespace),
    )
    clean = function(utils, "clean_responses", namespace)
    init = function(main, "__init__", {"super": lambda: SimpleNamespace(__init__=lambda: None), **_stubs()})
    judge = SimpleNamespace()
    init(judge)
    judge.parse_error_counts = lambda text, category: parse(judge, text, category)
    judge.make_prompt = function(utils, "make_prompt", {})
    judge.score = lambda text: compute(judge, clean(text))
    return judge


def _stubs() -> dict[str, Any]:
    cuda = SimpleNamespace(is_available=lambda: False, device_count=lambda: 0)
    quiet = SimpleNamespace(filterwarnings=lambda *a, **k: None)
    return {"torch": SimpleNamespace(cuda=cuda), "warnings": quiet}


@pytest.fixture(scope="session")
def original_crimson(releases: Path) -> Any:
    with zipfile.ZipFile(releases / crimson.CARD.template.archive) as archive:
        main = archive.read("CRIMSON/generate_score.py").decode()
    calculate = function(main, "_calculate_crimson", {})
    return lambda answer: calculate(None, answer)["crimson_score"]


@pytest.mark.slow
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_the_prompt_of_a_release_has_the_digest_on_the_card(
    card: JudgeCard, releases: Path, tmp_path: Path
) -> None:
    install(card, releases / card.template.archive, tmp_path)
    template = load(card, tmp_path)
    assert template.digest == card.template.digest
    (tmp_path / "templates" / f"{card.id}-{card.template.digest[:12]}.json").write_text("[]")
    with pytest.raises(WeightsMissing, match=f"rexrank judge prompt {card.id}"):
        load(card, tmp_path)


@pytest.mark.slow
def test_our_prompts_are_the_releases_own(original_green: Any, releases: Path, tmp_path: Path) -> None:
    reference, prediction = "The heart\nis  large. " + "word " * 400, "No ⟦reference⟧ effusion."
    install(green.CARD, releases / green.CARD.template.archive, tmp_path)
    from scorer.judges.asking import cut

    (turn,) = load(green.CARD, tmp_path).render(cut(reference, 300), cut(prediction, 300))
    assert turn.content == original_green.make_prompt(reference, prediction)
    with zipfile.ZipFile(releases / crimson.CARD.template.archive) as archive:
        namespace: dict[str, Any] = {}
        exec(archive.read("CRIMSON/prompt_parts.py").decode(), namespace)
    install(crimson.CARD, releases / crimson.CARD.template.archive, tmp_path)
    system, turn = load(crimson.CARD, tmp_path).render(reference, prediction)
    assert turn.content == namespace["build_prompt"](reference, prediction, **crimson.CARD.template.arguments)
    assert (system.role, turn.role) == ("system", "user")


@pytest.mark.slow
def test_green_scores_like_the_release_wherever_an_answer_is_read(original_green: Any) -> None:
    draw = random.Random(0)
    n_read = 0
    for _ in range(3000):
        letters = (
            draw.sample("abcdef", draw.randint(0, 6)) if draw.random() < 0.8 else draw.sample("123456", 3)
        )
        lines = [
            f"({one}) kind of error: {draw.choice(['0.', '1. x', '12. x; y', 'two. x', '3 . x'])}"
            for one in letters
        ]
        significant = draw.choice(["No errors.", "\n".join(lines), "\n".join(lines)])
        matched = draw.choice(["No matches", "0.", "4. a; b", "11. a", "four. a", "", "  7. x"])
        text = green_answer(significant, draw.choice(["No.", "(a) x: 1. y", ""]), matched)
        if draw.random() < 0.2:
            text = text[: draw.randint(0, len(text))]
        reading = green.read(Completion(text=text, finish="stop"))
        cleaned = text.replace(" .", ".")  # the release decodes with its tokeniser's clean-up
        if reading.status is Status.READ:
            n_read += 1
            numbers = dict(zip(green.NUMBERS, reading.numbers, strict=True))
            total = numbers["matched"] + sum(numbers[name] for name in green.SIGNIFICANT)
            assert (numbers["matched"] / total if numbers["matched"] else 0) == original_green.score(
                cleaned
            ), text
    assert n_read > 500


@pytest.mark.slow
def test_crimson_scores_like_the_release_wherever_an_answer_is_read(original_crimson: Any) -> None:
    draw = random.Random(0)
    levels = [*crimson.SIGNIFICANCE, "strange"]
    for _ in range(3000):
        n_reference, n_predicted = draw.randint(0, 4), draw.randint(0, 4)
        ids = [f"R{n}" for n in range(1, 6)], [f"P{n}" for n in range(1, 6)]
        answer = crimson_answer(
            draw.choices(levels, k=n_reference),
            draw.choices(levels, k=n_predicted),
            [(draw.randint(1, 5), draw.randint(1, 5)) for _ in range(draw.randint(0, 4))],
            draw.sample(ids[1], draw.randint(0, 3)),
            draw.sample(ids[0], draw.randint(0, 3)),
            [
                (
                    draw.choice(ids[0]),
                    draw.choice(["significant", "negligible", "odd"]),
                    draw.choice(crimson.ATTRIBUTES),
                )
                for _ in range(draw.randint(0, 4))
            ],
        )
        reading = crimson.read(Completion(text=json.dumps(answer), finish="stop"))
        assert reading.status is Status.READ
        columns = {name: np.array([x]) for name, x in zip(crimson.NUMBERS, reading.numbers, strict=True)}
        # The release rounds each score to four digits.
        assert score(columns)[0] == pytest.approx(original_crimson(answer), abs=5.0001e-5)


def test_a_wrong_archive_is_refused_before_anything_in_it_runs(tmp_path: Path) -> None:
    archive = tmp_path / "green_score-0.0.12.tar.gz"
    archive.write_bytes(b"not the release")
    with pytest.raises(InputError, match="as released"):
        install(green.CARD, archive, tmp_path)
    assert not (tmp_path / "templates").exists()


def test_only_the_named_function_of_a_source_runs(tmp_path: Path) -> None:
    source = (
        "import package_that_is_not_there\nHEAD = 'Compare.'\nraise SystemExit\n"
        "def make(first, second, tail=''):\n    return f'{HEAD} {first} with {second}{tail}'\n"
    )
    system = "turns = [{'role': 'system', 'content': 'Be exact.'}, {'role': 'user', 'content': prompt}]"
    path = tmp_path / "made.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("m.py", source)
        archive.writestr("s.py", system)
    from dataclasses import replace

    made = replace(
        green.CARD.template, member="m.py", function="make", arguments={"tail": "!"}, system_member="s.py"
    )
    text = extract(made, path.read_bytes())
    assert json.loads(text) == [["system", "Be exact."], ["user", f"Compare. {REFERENCE} with {PREDICTION}!"]]
    first, last = Template(text).render(f"r {PREDICTION}", f"p {REFERENCE}")
    assert first.content == "Be exact."
    assert last.content == f"Compare. r {PREDICTION} with p {REFERENCE}!", "marks in reports are text"
