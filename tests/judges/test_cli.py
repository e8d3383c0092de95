"""`rexrank judge`, from nothing to a registered judge and a scored table."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli import rexrank
from scorer.cli.common import state_dir, weights_dir
from scorer.cli.score import make_bench
from scorer.errors import InputError, MissingError, UsageError
from scorer.judges import green
from scorer.judges.endpoints import endpoints, read_registrations, served_name
from scorer.weights import fetch
from scorer.weights.lock import machine_lock
from tests.judges.conftest import our_green, put_prompts
from tests.judges.proxy import Judge
from tests.judges.tiny import CHAT


def call(*words: str) -> Result:
    return CliRunner().invoke(rexrank, ["judge", *words])


@pytest.fixture
def locked(tiny_green: Path) -> str:
    """The tiny judge as this machine's locked weights of GREEN; gives their digest."""
    report = lambda name, done, total: None  # noqa: E731
    entry = fetch.pin("green", weights_dir(), machine_lock(weights_dir()), report=report, given=tiny_green)
    return entry.digest


def test_a_judge_without_anything_says_what_it_lacks_in_order(
    judge: Callable[..., Judge], locked: str
) -> None:
    statistic = our_green()
    lack = statistic.missing(make_bench("cpu", 0))
    assert lack == ("the prompt of judge green", "rexrank judge prompt green")
    put_prompts(weights_dir())
    lack = statistic.missing(make_bench("cpu", 0))
    assert lack == ("a server of judge green", "rexrank judge serve green")
    assert "nowhere" in call("list").output
    server = judge()
    assert call("use", "green", server.url, "--model", "tiny", "--patience", "5").exit_code == 0
    bench = make_bench("cpu", 0)
    assert statistic.missing(bench) is None
    assert bench.judges["green"].weights_digest == locked
    assert (bench.judges["green"].server, bench.judges["green"].patience_s) == ("test 1.2", 5.0)
    told = json.loads(CliRunner().invoke(rexrank, ["doctor", "--json"]).stdout)["metrics"]
    (lacks,) = [row["missing"] for row in told if row["metric"] == "green"]
    assert [lack["what"] for lack in lacks] == ["the prompt of judge green"], (
        "the server is known; ours is no prompt of GREEN"
    )
    (row,) = [row for row in json.loads(call("list", "--json").output) if row["judge"] == "green"]
    assert row["weights"] == "here"
    assert row["answers"] == server.url
    call("forget", "green")
    assert make_bench("cpu", 0).judges == {}


def test_serve_prints_a_command_that_names_the_verified_weights(locked: str) -> None:
    printed = call("serve", "green", "--port", "8123").output
    assert printed.startswith(f"VLLM_BATCH_INVARIANT=1 vllm serve {weights_dir() / 'green'} ")
    assert f"--served-model-name rexrank-green-{locked[:16]}" in printed
    assert "--host 127.0.0.1 --port 8123 --dtype float16 --seed 0 --max-model-len 2048" in printed
    chat = weights_dir() / "templates" / "green-chat.jinja"
    assert chat.read_text() == green.CARD.chat_template
    assert f"--chat-template {chat}" in printed


def test_serve_refuses_weights_that_are_not_the_locked_ones(locked: str) -> None:
    (weights_dir() / "green" / "model.safetensors").write_bytes(b"other")
    result = call("serve", "green")
    assert isinstance(result.exception, MissingError)
    assert "not the locked ones" in str(result.exception)


def test_a_server_whose_name_does_not_vouch_for_the_weights_is_not_registered(
    judge: Callable[..., Judge], locked: str
) -> None:
    result = call("use", "green", judge().url)
    assert isinstance(result.exception, MissingError)
    assert served_name(green.CARD, locked) in str(result.exception)
    assert read_registrations(state_dir()) == {}


def test_nothing_that_answers_is_said_plainly(locked: str) -> None:
    assert isinstance(call("use", "green", "http://127.0.0.1:9/v1").exception, MissingError)
    assert isinstance(call("use", "green").exception, UsageError)
    assert isinstance(call("use", "grene", "http://127.0.0.1:9/v1").exception, UsageError)


def test_a_server_of_other_weights_than_the_locked_ones_is_not_used(
    judge: Callable[..., Judge], locked: str
) -> None:
    put_prompts(weights_dir())
    call("use", "green", judge().url, "--model", "tiny")
    bench = make_bench("cpu", 0)
    stale = {"green": replace(bench.judges["green"], weights_digest="b" * 64)}
    lack = our_green().missing(replace(bench, judges=stale))
    assert lack is not None
    assert "locked weights" in lack[0]


def test_an_in_process_judge_scores_from_its_locked_folder(locked: str) -> None:
    put_prompts(weights_dir())
    assert call("use", "green", "--in-process").exit_code == 0
    statistic = our_green(chat_template=CHAT)  # the lock of GREEN names no chat template
    computed = statistic.compute(["a prediction"], ["a reference"], make_bench("cpu", 0))
    assert computed.values[0].tolist() == [0, 1, 2, 0, 0, 0, 0, 0, 3]


def test_a_key_is_read_from_the_environment_and_never_written(
    judge: Callable[..., Judge], locked: str
) -> None:
    call("use", "green", judge().url, "--model", "tiny", "--key-env", "GREEN_KEY")
    assert endpoints(state_dir(), {"GREEN_KEY": "secret"})["green"].api_key == "secret"
    assert endpoints(state_dir(), {})["green"].api_key == ""
    assert "secret" not in (state_dir() / "judges.yaml").read_text()


def test_a_damaged_registration_is_told_with_every_problem() -> None:
    state_dir().mkdir(parents=True)
    (state_dir() / "judges.yaml").write_text("judges:\n  green: {url: 1, model: m}\n  crimson: {}\n")
    with pytest.raises(InputError) as raised:
        endpoints(state_dir(), os.environ)
    assert {problem.field.split(".")[0] for problem in raised.value.problems} == {"green", "crimson"}
