"""A run whose network is cut still asks a judge on this machine, and reaches nothing else."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scorer.judges.doors import VARIABLE, keep_doors
from scorer.judges.endpoints import Registration, endpoints, write_registration
from tests.judges.conftest import put_prompts
from tests.judges.proxy import Judge
from tests.judges.tiny import GREEN_SCRIPT
from tests.workflows.steps import can_cut_network
from tests.world import World, make_world, record_of, spoiled

ROOT = Path(__file__).resolve().parents[2]

# The command in a process of its own, with GREEN's card bearing our prompt.
_OURS = """
import scorer.cells, scorer.scoring
from tests.judges.conftest import our_green
ours = tuple(our_green() if one.spec.id == "green" else one for one in scorer.scoring.STATISTICS)
scorer.scoring.STATISTICS = scorer.cells.STATISTICS = ours
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = make_world(tmp_path)
    made.submit("good", spoiled(made.studies, 0.2))
    put_prompts(made.state / "weights")
    return made


def register(world: World, url: str) -> None:
    green = Registration(url=url, model="tiny", weights_digest="a" * 64, server="test 1.2", patience_s=2.0)
    write_registration(world.state, "green", green)


def score_offline(world: World, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "sitecustomize.py").write_text(_OURS)
    return subprocess.run(
        [sys.executable, "-m", "scorer.cli", "score", "good", "--offline", "--results", str(world.root)],
        capture_output=True,
        text=True,
        timeout=300,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path / "path"), str(ROOT)]),
            "REXRANK_HOME": str(world.state),
            "REXRANK_CACHE": str(world.state / "cache"),
        },
    )


@pytest.mark.skipif(not can_cut_network(), reason="this machine lets no process have a network of its own")
def test_a_judge_on_this_machine_is_asked_though_the_network_is_cut(
    world: World, judge: Callable[..., Judge], tmp_path: Path
) -> None:
    server = judge(lambda body: "".join(GREEN_SCRIPT))
    register(world, server.url)
    done = score_offline(world, tmp_path)
    assert done.returncode == 0, done.stderr
    values = {e["metric"]: e["value"] for e in record_of(world, "good")["estimates"]}  # type: ignore[attr-defined]
    assert values["green"] == pytest.approx(0.5)
    assert server.answered


@pytest.mark.skipif(not can_cut_network(), reason="this machine lets no process have a network of its own")
def test_processes_of_a_cut_run_can_speak_to_each_other_and_to_nobody_else(tmp_path: Path) -> None:
    """What `--engine ray` needs. The command that is started anew here only looks around."""
    (tmp_path / "scorer").mkdir()
    (tmp_path / "scorer" / "__init__.py").write_text(f"__path__.append({str(ROOT / 'scorer')!r})")
    (tmp_path / "scorer" / "cli.py").write_text(
        """
import socket
from scorer.reconcile.offline import cut_network
cut_network([])
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname(), timeout=5).close()
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as error:
    print("alone:", error.strerror)
"""
    )
    done = subprocess.run(
        [sys.executable, "-m", "scorer.cli"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.stdout == "alone: Network is unreachable\n", done.stderr


@pytest.mark.skipif(not can_cut_network(), reason="this machine lets no process have a network of its own")
def test_a_judge_elsewhere_is_out_of_reach_and_costs_its_own_metrics_only(
    world: World, tmp_path: Path
) -> None:
    register(world, "http://192.0.2.1:8000/v1")  # an address of documentation, where nothing is
    done = score_offline(world, tmp_path)
    assert done.returncode == 1
    record = record_of(world, "good")
    assert record["missing"]["green"].startswith("failed: green")  # type: ignore[index]
    assert record["estimates"]


def test_a_door_leads_to_the_registered_address_and_to_no_other(judge: Callable[..., Judge]) -> None:
    server = judge(lambda body: "yes")
    with socket.create_server(("127.0.0.1", 0)) as other:
        code = f"""
import json, os
from scorer.judges.base import Decoding, Message
from scorer.judges.doors import VARIABLE, keep_doors, open_door
from scorer.judges.served import Served, address
from tests.judges.conftest import endpoint_of
url, other = {server.url!r}, {other.getsockname()!r}
door = int(keep_doors([address(url), ("192.0.2.1", 80)])[VARIABLE])
endpoint = endpoint_of(url, door=door)
prompts = [(Message(role="user", content=str(n)),) for n in range(20)]
answers = dict(Served("green", endpoint, Decoding(max_tokens=9, context=99)).complete(prompts))
refused = []
for host, port in (other, ("192.0.2.1", 80)):
    try:
        open_door(door, host, port, 5.0)
    except PermissionError:
        refused.append(host)
print(json.dumps([[answers[n].text for n in range(20)], refused]))
"""
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=120
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["yes"] * 20, ["127.0.0.1", "192.0.2.1"]]


def test_without_a_judge_on_this_machine_there_is_no_doorkeeper(world: World) -> None:
    assert keep_doors([]) == keep_doors([("192.0.2.1", 8000)]) == {}
    register(world, "http://127.0.0.1:9/v1")
    assert endpoints(world.state, {})["green"].door is None
    assert endpoints(world.state, {VARIABLE: "7"})["green"].door == 7
