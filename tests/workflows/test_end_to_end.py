"""From a fork's pull request to the row on the page, by the steps of the real workflow files.

Every job runs on a machine of its own; what they share is the host's repository and the artifacts.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from scorer.checking.states import State
from tests.workflows.conftest import card, demo
from tests.workflows.host import File, Host, git
from tests.workflows.steps import ROOT, Job, Machine

ZED = "results/submissions/zed"
GOOD: dict[str | bytes, File] = {
    f"{ZED}/submission.yaml": card(),
    f"{ZED}/predictions/demo-cxr.jsonl": demo(),
}


def event(base: str, head: str, author: str = "zoe", role: str = "contributor") -> dict[str, str]:
    """What a pull_request event gives validate.yml."""
    return {
        "github.event.pull_request.base.sha": base,
        "github.event.pull_request.head.sha": head,
        "github.event.pull_request.user.login": author,
        "(github.event.pull_request.user.login == vars.SCORER_ACCOUNT"
        " && github.event.pull_request.head.repo.full_name == github.repository && 'scorer')"
        ' || (contains(fromJSON(\'["OWNER", "MEMBER", "COLLABORATOR"]\'), github.event.pull_request.author_association)'
        " && 'maintainer') || 'contributor'": role,
    }


def scoring(plan: Job | None = None, event_name: str = "push", device: str = "cpu") -> dict[str, str]:
    """What a push to main gives score.yml, without an app; with the outputs of its plan job."""
    outputs = {} if plan is None else plan.outputs
    return {
        "github.event_name": event_name,
        "needs.plan.outputs.commit": outputs.get("steps.plan.outputs.commit", ""),
        "secrets.REFERENCES": "",
        "vars.SCORE_ENCODERS": "",
        "vars.SCORE_DEVICE || 'cpu'": device,
        "vars.SCORER_APP_ID != ''": "",
        "vars.SCORER_APP_ID != '' && github.repository || ''": "",
        "steps.app.outputs.token || github.token": "not-a-token",
    }


def merge(host: Host, head: str) -> None:
    """The maintainer presses the button."""
    tree = {path: data for path, data in host.files(head).items() if path.startswith("results/submissions/")}
    host.commit(dict(tree), host.main, "main")


@pytest.fixture
def machine(host: Host, tmp_path: Path) -> Machine:
    return Machine(host, tmp_path / "runners")


def run_scoring(machine: Machine, **broken: list[str]) -> Mapping[str, Job]:
    """score.yml: plan, score if there are cells, record if there is work; nothing left over from the run before."""
    shutil.rmtree(machine.folder / "artifacts", ignore_errors=True)
    jobs = {"plan": machine.run("score.yml", "plan", scoring(), broken_steps=broken.get("plan", ()))}
    outputs = jobs["plan"].outputs
    if not jobs["plan"].succeeded:
        return jobs
    if outputs["steps.plan.outputs.cells"] != "0":
        given = scoring(jobs["plan"])
        jobs["score"] = machine.run("score.yml", "score", given, broken_steps=broken.get("score", ()))
    if outputs["steps.plan.outputs.work"] == "true":
        given = scoring(jobs["plan"])
        jobs["record"] = machine.run("score.yml", "record", given, broken_steps=broken.get("record", ()))
    return jobs


def score_files(host: Host) -> dict[str, bytes]:
    return {path: data for path, data in host.files(host.main).items() if path.startswith("results/scores/")}


def test_a_fork_reaches_the_page(host: Host, machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    head = host.pull_request(1, GOOD)
    jobs = {"validate": machine.run("validate.yml", "check", event(host.main, head))}
    assert jobs["validate"].succeeded, jobs["validate"].log
    assert "| **zed** |" in jobs["validate"].summary
    merge(host, head)
    jobs.update(run_scoring(machine))
    for name, job in jobs.items():
        assert job.succeeded, f"{name}: {job.log}"
    files = score_files(host)
    record = json.loads(files["results/scores/zed/demo-cxr.findings.json"])
    assert record["n"] > 100
    assert {e["metric"] for e in record["estimates"]} >= {"bleu_2", "rouge_l"}
    site = machine.run("pages.yml", "build", {"vars.SITE_URL": ""})
    assert site.succeeded, site.log
    pages = machine.folder / "artifacts" / "github-pages" / "site"
    board = next(
        p for p in pages.rglob("index.html") if "demo-cxr" in str(p) and "findings" in str(p.parent.name)
    )
    assert "Zed" in board.read_text()
    model = next(p for p in pages.rglob("index.html") if p.parent.name == "zed")
    assert "bleu_2@1|ngrams@1|text@1|demo-cxr@1|findings" in model.read_text()
    jobs["pages"] = site
    with capsys.disabled():
        print()
        for name, job in jobs.items():
            print(f"  {name}: {sum(job.seconds.values()):.1f} s")
            for step, seconds in job.seconds.items():
                print(f"    {seconds:6.1f} s  {step}")
        print(f"  in all: {sum(sum(job.seconds.values()) for job in jobs.values()):.1f} s")


def test_a_hostile_fork_stops_at_validation_and_leaves_no_trace(
    host: Host, machine: Machine, tmp_path: Path
) -> None:
    before = host.main
    sentinel = tmp_path / "sentinel"
    files: dict[str | bytes, File] = {
        **GOOD,
        "setup.py": f"open({str(sentinel)!r}, 'w')",
        "Makefile": f"check:\n\ttouch {sentinel}\n",
        ".github/workflows/validate.yml": "on: pull_request_target",
        f"{ZED}/submission.yaml": card()
        + f"x: !!python/object/apply:os.system ['touch {sentinel}']\n".encode(),
        f"{ZED}/a\n::set-env name=PATH::/tmp": "x",
    }
    job = machine.run("validate.yml", "check", event(host.main, host.pull_request(1, files)))
    assert not job.succeeded
    assert not sentinel.exists()
    assert host.main == before
    lines = [line for line in job.log.splitlines() if line.startswith("::")]
    assert len(lines) == 5
    assert all(line.startswith("::error ") for line in lines), "no other command"
    assert "tags (!) are not allowed" in job.log
    assert "## 5 problems to fix" in job.summary


@pytest.mark.slow
def test_two_merged_at_once_and_a_third_in_the_queue_are_all_scored_once(
    host: Host, machine: Machine
) -> None:
    for n, model in enumerate(("zed-a", "zed-b")):
        home = f"results/submissions/{model}"
        files: dict[str | bytes, File] = {
            f"{home}/submission.yaml": card(model),
            f"{home}/predictions/demo-cxr.jsonl": demo(model),
        }
        merge(host, host.pull_request(n, files))
    first = run_scoring(machine)
    assert all(job.succeeded for job in first.values())
    models = {path.split("/")[2] for path in score_files(host)}
    assert {"zed-a", "zed-b", "rival"} <= models
    before = host.main
    second = run_scoring(machine)
    assert set(second) == {"plan"}, "the waiting run finds nothing left to do"
    assert host.main == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("job", "step"),
    [
        ("plan", "Plan"),
        ("score", "Place references and linked predictions"),
        ("score", "Score with the network cut"),
        ("record", "Record"),
    ],
)
def test_a_run_that_dies_at_any_step_loses_nothing(host: Host, machine: Machine, job: str, step: str) -> None:
    merge(host, host.pull_request(1, GOOD))
    submissions = {p: d for p, d in host.files(host.main).items() if p.startswith("results/submissions/")}
    died = run_scoring(machine, **{job: [step]})
    assert not died[job].succeeded
    states = {path: data for path, data in score_files(host).items() if path.endswith(".state.json")}
    if job == "score":
        assert "results/scores/zed/demo-cxr.findings.state.json" in states, "never silence"
        state = State.model_validate(json.loads(states["results/scores/zed/demo-cxr.findings.state.json"]))
        assert (state.state, state.stage) == ("failed", "scoring")
    else:
        assert states == {}
    # The nightly run tries again, failed cells included.
    shutil.rmtree(machine.folder / "artifacts", ignore_errors=True)
    plan = machine.run("score.yml", "plan", scoring(event_name="schedule"))
    assert machine.run("score.yml", "score", scoring(plan)).succeeded
    assert machine.run("score.yml", "record", scoring(plan)).succeeded
    files = score_files(host)
    assert "results/scores/zed/demo-cxr.findings.json" in files
    assert not [path for path in files if path.endswith(".state.json")]
    assert {
        p: d for p, d in host.files(host.main).items() if p.startswith("results/submissions/")
    } == submissions


@pytest.mark.slow
def test_the_same_run_on_another_day_makes_the_same_bytes(
    host: Host, machine: Machine, tmp_path: Path
) -> None:
    merge(host, host.pull_request(1, GOOD))
    run_scoring(machine)
    first = score_files(host)
    assert first
    host.commit(dict.fromkeys(first), host.main, "main")
    assert score_files(host) == {}
    run_scoring(machine)
    assert score_files(host) == first


def test_a_forged_artifact_stops_at_record_and_nothing_is_committed(host: Host, machine: Machine) -> None:
    merge(host, host.pull_request(1, GOOD))
    plan = machine.run("score.yml", "plan", scoring())
    assert machine.run("score.yml", "score", scoring(plan)).succeeded
    file = machine.folder / "artifacts" / "scores" / "scores.json"
    document = json.loads(file.read_text())
    document["records"][0]["values"]["bleu_2"] = [1.0, 1.0, 1.0]
    document["records"][0]["notes"] = "canary text"
    file.write_text(json.dumps(document))
    before = host.main
    job = machine.run("score.yml", "record", scoring(plan))
    assert not job.succeeded
    assert "canary" not in job.log
    assert host.main == before


def test_a_job_has_nothing_of_another_jobs_machine(machine: Machine, host: Host) -> None:
    """The harness itself: homes differ, and only artifacts travel."""
    plan = machine.run("score.yml", "plan", scoring())
    job = machine.run("score.yml", "score", scoring(plan))
    assert plan.folder.parent != job.folder.parent
    assert (job.folder / "plan.json").is_file()
    assert git(job.folder, "rev-parse", "HEAD").decode().strip() == plan.outputs["steps.plan.outputs.commit"]
    assert ROOT not in job.folder.parents
