"""The rules that every workflow keeps, each with the incident or reason behind it in docs/security.md."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from scorer.cli import VERBS, rexrank
from tests.workflows.steps import ROOT, WORKFLOWS, load

NAMES = sorted(path.name for path in WORKFLOWS.glob("*.yml"))
PINS = {
    "actions/checkout": "3d3c42e5aac5ba805825da76410c181273ba90b1",
    "actions/setup-python": "5fda3b95a4ea91299a34e894583c3862153e4b97",
    "actions/upload-artifact": "043fb46d1a93c77aae656e7c1c64a875d1fc6a0a",
    "actions/download-artifact": "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c",
    "actions/upload-pages-artifact": "fc324d3547104276b827a68afc52ff2a11cc49c9",
    "actions/deploy-pages": "cd2ce8fcbc39b97be8ca5fce6e763baed58fa128",
    "actions/attest": "1e69f48acb82d1966a394da916b4c1698aa569d6",
    "actions/create-github-app-token": "1b10c78c7865c340bc4f6099eb2f838309f1e8c3",
}


def jobs(name: str) -> list[tuple[str, Any]]:
    return list(load(name)["jobs"].items())


def steps(name: str) -> list[Any]:
    return [step for _, job in jobs(name) for step in job["steps"]]


def triggers(name: str) -> set[str]:
    on = load(name)["on"]
    return {on} if isinstance(on, str) else set(on)


def test_there_are_the_six_workflows_and_no_other() -> None:
    assert NAMES == ["nightly.yml", "pages.yml", "score.yml", "snapshot.yml", "test.yml", "validate.yml"]


@pytest.mark.parametrize("name", NAMES)
def test_no_trigger_gives_power_to_a_stranger(name: str) -> None:
    assert triggers(name) <= {"pull_request", "push", "schedule", "workflow_dispatch"}


@pytest.mark.parametrize("name", NAMES)
def test_no_expression_is_part_of_a_command(name: str) -> None:
    assert all("${{" not in step.get("run", "") for step in steps(name))
    assert all(set(job.get("defaults", {})) == set() for _, job in jobs(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_action_is_pinned_to_its_commit_with_the_version_beside_it(name: str) -> None:
    text = (WORKFLOWS / name).read_text("utf-8")
    for step in steps(name):
        if "uses" in step:
            action, _, commit = step["uses"].partition("@")
            assert commit == PINS[action]
            assert re.search(rf"{commit} # v[0-9]+\.[0-9]+\.[0-9]+\n", text)


def test_at_most_eight_actions_all_first_party() -> None:
    used = {step["uses"].split("@")[0] for name in NAMES for step in steps(name) if "uses" in step}
    assert len(used) <= 8
    assert all(action.startswith("actions/") for action in used)


@pytest.mark.parametrize("name", NAMES)
def test_no_permission_at_the_top_and_least_power_in_each_job(name: str) -> None:
    assert load(name)["permissions"] == {}
    for _, job in jobs(name):
        assert isinstance(job["permissions"], dict)
        assert 0 < int(job["timeout-minutes"]) <= 360
    powers = {
        job_name: {k for k, v in job["permissions"].items() if v == "write"} for job_name, job in jobs(name)
    }
    assert {job: power for job, power in powers.items() if power} == {
        "score.yml": {"record": {"contents", "pull-requests"}},
        "pages.yml": {"deploy": {"pages", "id-token"}},
        "snapshot.yml": {"freeze": {"contents", "id-token", "attestations"}},
    }.get(name, {})


@pytest.mark.parametrize("name", NAMES)
def test_no_checkout_keeps_a_credential(name: str) -> None:
    for step in steps(name):
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] == "false"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_cached(name: str) -> None:
    for step in steps(name):
        assert "cache" not in step.get("uses", "")
        assert not any("cache" in key for key in step.get("with", {}))


@pytest.mark.parametrize("name", NAMES)
def test_secrets_exist_only_where_nothing_of_a_stranger_runs(name: str) -> None:
    for job_name, job in jobs(name):
        if "secrets." in yaml.safe_dump(job):
            assert name == "score.yml"
            assert job_name in {"score", "record"}
            assert job["environment"] in {"scoring", "recording"}
            assert "pull_request" not in triggers(name)


def test_references_and_write_power_never_meet() -> None:
    score, record = load("score.yml")["jobs"]["score"], load("score.yml")["jobs"]["record"]
    assert set(score["permissions"].values()) == {"read"}
    assert "REFERENCES" not in yaml.safe_dump(record)
    assert "github.token" not in yaml.safe_dump(score)


def test_the_network_is_cut_after_everything_is_placed_and_before_scoring() -> None:
    commands = [step.get("run", "") for step in load("score.yml")["jobs"]["score"]["steps"]]
    scoring = next(n for n, command in enumerate(commands) if command.startswith("rexrank score"))
    assert "--offline" in commands[scoring]
    placing = [n for n, command in enumerate(commands) if command.startswith("rexrank fetch")]
    assert placing
    assert max(placing) < scoring
    assert not any(commands[scoring + 1 :]), "nothing runs after it"


def test_a_pull_request_is_never_checked_out_by_a_job_that_reads_results() -> None:
    refs = [
        step["with"].get("ref", "")
        for step in steps("validate.yml")
        if step.get("uses", "").startswith("actions/checkout")
    ]
    assert refs == ["${{ github.event.pull_request.base.sha }}"]


def test_scoring_runs_queue_up_instead_of_cancelling_each_other() -> None:
    assert load("score.yml")["concurrency"] == {
        "group": "score",
        "cancel-in-progress": "false",
        "queue": "max",
    }


def test_the_site_is_built_from_the_tip_of_main_and_deployments_queue() -> None:
    assert load("pages.yml")["concurrency"]["cancel-in-progress"] == "false"
    assert load("pages.yml")["jobs"]["build"]["steps"][0]["with"]["ref"] == "main"


def test_the_site_is_built_only_from_records_that_their_tables_bear_out() -> None:
    commands = [step["run"] for step in steps("pages.yml") if step.get("run", "").startswith("rexrank build")]
    assert len(commands) == 1
    assert "--strict" in commands[0]


def test_every_folder_that_has_power_has_an_owner_to_ask() -> None:
    rules = [line.split() for line in (ROOT / ".github" / "CODEOWNERS").read_text("utf-8").splitlines()]
    owned = {rule[0] for rule in rules if len(rule) > 1 and rule[1].startswith("@")}
    assert owned >= {"*", "/.github/", "/scorer/", "/site_builder/", "/requirements/", "/results/scores/"}


@pytest.mark.parametrize("name", NAMES)
def test_every_command_is_one_known_verb(name: str) -> None:
    for step in steps(name):
        if "run" not in step:
            continue
        words = shlex.split(step["run"])
        assert not set(step["run"]) & set(";|&<>`\n"), "one command, no shell around it"
        if words[0] == "make":
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        elif words[0] == "python":
            assert words[:4] == ["python", "-m", "pip", "install"]
            assert "--require-hashes" in words or {"--no-deps", "--no-index"} <= set(words)
        else:
            assert words[0] == "rexrank"
            assert words[1] in VERBS
            command = rexrank.get_command(None, words[1])  # type: ignore[arg-type]
            assert command is not None
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in words[2:] if word.startswith("--")} <= known


@pytest.mark.parametrize("name", NAMES)
def test_untrusted_values_are_quoted_variables(name: str) -> None:
    for step in steps(name):
        for word in re.findall(r"\S*\$\S*", step.get("run", "")):
            assert re.fullmatch(r'"\$[A-Z_]+"', word), word


@pytest.mark.parametrize("name", NAMES)
def test_the_security_model_stands_at_the_top(name: str) -> None:
    assert "# Security:" in (WORKFLOWS / name).read_text("utf-8").split("\nname:")[0]


def test_locked_requirements_have_a_hash_for_every_version_and_no_address() -> None:
    files = sorted((ROOT / "requirements").glob("*.txt"))
    assert [file.stem for file in files] == ["check", "score", "site"]
    for file in files:
        text = file.read_text("utf-8")
        assert "--only-binary :all:" in text
        assert "://" not in text
        for block in re.split(r"\n(?=[a-z])", text)[1:]:
            assert re.match(r"[a-z0-9.-]+==[^ ]+ \\\n    --hash=sha256:[0-9a-f]{64}", block), block[:60]


def test_locked_requirements_are_the_pinned_ones() -> None:
    pins = dict(
        re.findall(r"^([A-Za-z0-9._-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    )
    pins = {name.lower().replace("_", "-"): version for name, version in pins.items()}
    for file in (ROOT / "requirements").glob("*.txt"):
        for name, version in re.findall(r"^([a-z0-9.-]+)==(\S+)", file.read_text("utf-8"), re.MULTILINE):
            assert pins.get(name, version) == version, f"{file.name}: {name}; run make lock"


@pytest.mark.parametrize("tool", ["zizmor", "actionlint", "check-jsonschema"])
def test_linters_find_nothing(tool: str) -> None:
    program = Path(sys.executable).parent / tool
    if not program.exists() and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    line = {
        "zizmor": ["--offline", "--quiet", str(ROOT / ".github")],
        "actionlint": [str(WORKFLOWS / name) for name in NAMES],
        "check-jsonschema": [
            "--builtin-schema",
            "vendor.github-workflows",
            *(str(WORKFLOWS / n) for n in NAMES),
        ],
    }[tool]
    command = str(program) if program.exists() else tool
    done = subprocess.run([command, *line], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
