"""Private splits: gates, quota from the history, the Ladder, rounding, signatures."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cells import Workshop
from scorer.checking.git import Git
from scorer.checking.signing import is_signed_by, sign
from scorer.checking.states import State, read_state
from scorer.cli import rexrank
from scorer.datasets.base import Rules
from scorer.reconcile import make_plan
from scorer.reconcile.private import fill_cell, gate_fault
from scorer.text import Report
from tests.workflows.host import git
from tests.world import World, make_world, record_of, spoiled

DAY = 86_400.0
N = 60


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A private split of 60 studies whose results folder lies in a repository."""
    made = make_world(tmp_path / "main", access="private", release="aggregate", n=N)
    card = made.root / "datasets" / "tiny-knee.yaml"
    card.write_text(card.read_text() + "decimals: 3\nrules: {days_between: 30, daily_scorings: 3}\n")
    git(tmp_path / "main", "init", "--quiet", "--initial-branch=main", ".")
    (tmp_path / "main" / ".gitignore").write_text("state/\nreferences/\n")
    return made


def commit(world: World, when: float) -> str:
    """Commits all results at a time."""
    home = world.root.parent
    git(home, "add", "--all")
    stamp = f"{int(when)} +0000"
    git(
        home, "commit", "--quiet", "--allow-empty", "-m", "x", GIT_AUTHOR_DATE=stamp, GIT_COMMITTER_DATE=stamp
    )
    return git(home, "rev-parse", "HEAD").decode().strip()


def plan(world: World, now: float) -> tuple[list[str], dict[str, tuple[str, int]]]:
    """(models planned, model -> (kind, days) held back)"""
    at = commit(world, now)
    made = make_plan(Workshop(world.root, world.state), git=Git(world.root.parent), commit=at, now=now)
    held = {state.model: (state.kind, state.count) for state in made.states}
    return sorted(
        {c.model for c in made.cells if not c.model.startswith("probe") and c.dataset == "tiny-knee"}
    ), held


def test_one_private_scoring_per_owner_and_period_counted_from_history(world: World) -> None:
    start = 1_800_000_000.0
    world.submit("first", spoiled(world.studies, 0.5))
    assert plan(world, start) == (["first"], {})
    world.score(["first"])
    world.submit("second", spoiled(world.studies, 0.4, seed=2))
    assert plan(world, start + DAY) == ([], {"second": ("One scoring per owner", 30)})
    assert plan(world, start + 21 * DAY) == ([], {"second": ("One scoring per owner", 10)})
    assert plan(world, start + 32 * DAY) == (["second"], {})


def test_another_owner_is_not_held_back_and_a_new_id_does_not_help(world: World) -> None:
    start = 1_800_000_000.0
    world.submit("first", spoiled(world.studies, 0.5))
    world.score(["first"])
    commit(world, start)
    world.submit("theirs", spoiled(world.studies, 0.4, seed=2), owner="somebody")
    world.submit("again", spoiled(world.studies, 0.3, seed=3), owner="Tester")
    assert plan(world, start + DAY) == (["theirs"], {"again": ("One scoring per owner", 29)})


def test_one_plan_cannot_overdraw_and_thirty_accounts_meet_the_daily_limit(world: World) -> None:
    for n in range(30):
        world.submit(f"m{n:02}", spoiled(world.studies, 0.4, seed=n), owner=f"sock{n // 2}")
    models, held = plan(world, 1_800_000_000.0)
    assert len(models) == 3
    kinds = [kind for kind, _ in held.values()]
    assert kinds.count("Daily limit of all owners") + kinds.count("One scoring per owner") == 27


def test_a_new_metric_for_predictions_that_were_scored_costs_nothing(world: World) -> None:
    world.submit("first", spoiled(world.studies, 0.5))
    world.score(["first"])
    for path in (world.root / "scores" / "first").glob("*.json"):
        document = json.loads(path.read_text())
        document["estimates"] = document["estimates"][:1]
        path.write_text(json.dumps(document))
    assert plan(world, 1_800_000_000.0) == (["first"], {})


def test_without_history_no_private_cell_is_planned(world: World) -> None:
    world.submit("first", spoiled(world.studies, 0.5))
    made = make_plan(Workshop(world.root, world.state), git=None, commit="", now=0.0)
    assert {state.kind for state in made.states} == {"No history"}


def distinct(world: World) -> dict[str, Report]:
    return {
        s.id: Report(findings=f"Study {n}: {s.reference.findings}", impression="Seen.")
        for n, s in enumerate(world.studies)
    }


GATES: list[tuple[str, Callable[[dict[str, Report]], object], str, int]] = [
    ("one missing", lambda r: r.pop("test-0000"), "Study ids do not match the split", 1),
    ("one extra", lambda r: r.update(x=Report(findings="a")), "Study ids do not match the split", 1),
    (
        "one real and the rest empty",
        lambda r: r.update({i: Report() for i in list(r)[1:]}),
        "Too many empty predictions",
        N - 1,
    ),
    (
        "two per cent empty",
        lambda r: r.update({i: Report() for i in list(r)[:2]}),
        "Too many empty predictions",
        2,
    ),
    (
        "constant",
        lambda r: r.update({i: Report(findings="Normal.") for i in r}),
        "Too many identical predictions",
        N,
    ),
    (
        "a fifth constant",
        lambda r: r.update({i: Report(findings="Normal.") for i in list(r)[:13]}),
        "Too many identical predictions",
        13,
    ),
    (
        "one word each",
        lambda r: r.update({i: Report(findings=i) for i in r}),
        "Implausible length of predictions",
        N,
    ),
    (
        "very long",
        lambda r: r.update({i: Report(findings=f"{i} word " * 200) for i in r}),
        "Implausible length of predictions",
        N,
    ),
]


@pytest.mark.parametrize(("spoil", "kind", "count"), [g[1:] for g in GATES], ids=[g[0] for g in GATES])
def test_a_gate_stops_what_would_probe_the_references(
    world: World, spoil: Callable[[dict[str, Report]], object], kind: str, count: int
) -> None:
    shop = Workshop(world.root, world.state)
    card = shop.card("tiny-knee")
    reports = distinct(world)
    assert gate_fault(reports, world.studies, card, Rules()) is None
    spoil(reports)
    assert gate_fault(reports, world.studies, card, Rules()) == (kind, count)


def fill(world: World, model: str) -> State | None:
    shop = Workshop(world.root, world.state)
    cell = next(c for c in shop.cells([model], ["tiny-knee"]) if c.track == "findings")
    return fill_cell(shop, cell, world.bench).state


def test_a_refused_set_gets_no_record_and_a_public_reason(world: World) -> None:
    world.submit("constant", {s.id: Report(findings="Normal knee.") for s in world.studies})
    state = fill(world, "constant")
    assert state is not None
    assert state.sentence == f"not scored: Too many identical predictions ({N})"
    assert not (world.root / "scores" / "constant").exists()


def test_an_owners_second_entry_is_published_only_when_significantly_better(world: World) -> None:
    real = {s.id: s.reference for s in world.studies}
    shifted = dict(zip(real, [*list(real.values())[1:], next(iter(real.values()))], strict=True))
    half = {i: (real[i] if n % 2 else shifted[i]) for n, i in enumerate(real)}
    world.submit("first", half)
    assert fill(world, "first") is None
    nearly = {**half, next(iter(real)): real[next(iter(real))]}
    world.submit("nearly", nearly)
    state = fill(world, "nearly")
    assert state is not None
    assert state.state == "held"
    assert "no significant improvement" in state.sentence
    assert not (world.root / "scores" / "nearly" / "tiny-knee.findings.json").exists()
    world.submit("better", real)
    assert fill(world, "better") is None
    world.submit("rival", nearly, owner="somebody")
    assert fill(world, "rival") is None, "another owner's first entry is published whatever it is"


def test_a_held_result_leaves_an_earlier_record_of_the_entry_as_it_was(world: World) -> None:
    real = {s.id: s.reference for s in world.studies}
    shifted = dict(zip(real, [*list(real.values())[1:], next(iter(real.values()))], strict=True))
    world.submit("best", real)
    world.submit(
        "mine", {i: (real[i] if n % 3 else shifted[i]) for n, i in enumerate(real)}, owner="somebody"
    )
    assert fill(world, "best") is None
    assert fill(world, "mine") is None
    before = (world.root / "scores" / "mine" / "tiny-knee.findings.json").read_bytes()
    world.submit("mine", shifted, owner="tester")
    state = fill(world, "mine")
    assert state is not None
    assert state.state == "held"
    assert (world.root / "scores" / "mine" / "tiny-knee.findings.json").read_bytes() == before


def test_a_held_scoring_counts_against_the_quota(world: World) -> None:
    start = 1_800_000_000.0
    held = State(
        model="first",
        dataset="tiny-knee",
        track="findings",
        state="held",
        stage="ladder",
        kind="No significant improvement",
        submitted="1" * 64,
    )
    world.submit("first", spoiled(world.studies, 0.5))
    from scorer.checking.states import write_state

    write_state(world.root, held)
    commit(world, start)
    world.submit("second", spoiled(world.studies, 0.4, seed=2))
    _, waiting = plan(world, start + DAY)
    assert waiting["second"] == ("One scoring per owner", 29)


def test_published_numbers_have_no_more_digits_than_the_card_allows(world: World) -> None:
    world.submit("first", spoiled(world.studies, 0.5))
    world.score(["first"])
    for estimate in record_of(world, "first")["estimates"]:  # type: ignore[attr-defined]
        for figure in ("value", "low", "high"):
            assert estimate[figure] == round(estimate[figure], 3)


def test_states_are_cleared_and_read_back(world: World) -> None:
    assert read_state(world.root, "first", "tiny-knee", "findings") is None


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A maintainer's SSH key."""
    file = tmp_path / "keys" / "id"
    file.parent.mkdir()
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "m", "-f", str(file)], check=True)
    return file


def signers(key: Path, name: str = "maintainer@example.org") -> bytes:
    public = key.with_suffix(".pub").read_text().split()
    return f'{name} namespaces="rexrank-record" {public[0]} {public[1]}\n'.encode()


def test_a_signature_names_its_signer_and_fits_one_text_only(tmp_path: Path, key: Path) -> None:
    file = tmp_path / "record.json"
    file.write_bytes(b"{}\n")
    signature = sign(file, key).read_bytes()
    assert is_signed_by(b"{}\n", signature, signers(key)) == "maintainer@example.org"
    assert is_signed_by(b"{} \n", signature, signers(key)) == ""
    assert is_signed_by(b"{}\n", signature, b"") == ""
    assert is_signed_by(b"{}\n", b"", signers(key)) == ""
    assert is_signed_by(b"{}\n", signature + b"x" * 10_000, signers(key)) == ""


def test_a_signature_by_another_key_or_for_another_purpose_is_none(tmp_path: Path, key: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "m", "-f", str(other)], check=True)
    file = tmp_path / "record.json"
    file.write_bytes(b"{}\n")
    assert is_signed_by(b"{}\n", sign(file, other).read_bytes(), signers(key)) == ""
    line = ["ssh-keygen", "-Y", "sign", "-q", "-n", "git", "-f", str(key), str(file)]
    (tmp_path / "record.json.sig").unlink()
    subprocess.run(line, check=True, capture_output=True)
    assert is_signed_by(b"{}\n", (tmp_path / "record.json.sig").read_bytes(), signers(key)) == ""


def test_a_signed_record_of_a_closed_dataset_passes_the_gate_and_an_edited_one_does_not(
    tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(tmp_path / "main", access="credentialed", release="aggregate", n=40)
    home = world.root.parent
    git(home, "init", "--quiet", "--initial-branch=main", ".")
    (home / ".gitignore").write_text("state/\nreferences/\n")
    (home / ".github").mkdir()
    (home / ".github" / "allowed_signers").write_bytes(signers(key))
    world.submit("first", spoiled(world.studies, 0.3))
    base = commit(world, 1_800_000_000.0)
    monkeypatch.setenv("REXRANK_HOME", str(world.state))
    result = CliRunner().invoke(
        rexrank, ["score", "first", "--results", str(world.root), "--export-signed", str(key)]
    )
    assert result.exit_code == 0, result.output
    (world.root / "pairs").exists() and [p.unlink() for p in (world.root / "pairs").iterdir()]
    for probe in (world.root / "scores").glob("probe-*"):
        for file in probe.iterdir():
            file.unlink()
    good = commit(world, 1_800_000_100.0)
    names = git(home, "diff", "--name-only", base, good).decode().split()
    assert sorted(name.split("/")[-1] for name in names) == [
        "tiny-knee.findings.json",
        "tiny-knee.findings.json.sig",
        "tiny-knee.findings_impression.json",
        "tiny-knee.findings_impression.json.sig",
    ]
    monkeypatch.chdir(home)

    def check(head: str) -> list[str]:
        git(home, "checkout", "--quiet", base)
        arguments = ["check", "--pull-request", base, head, "--author", "someone", "--json"]
        return [p["code"] for p in json.loads(CliRunner().invoke(rexrank, arguments).stdout)["problems"]]

    assert check(good) == []
    git(home, "checkout", "--quiet", good)
    record = world.root / "scores" / "first" / "tiny-knee.findings.json"
    document = json.loads(record.read_text())
    document["estimates"][0]["value"] = 0.999
    record.write_text(json.dumps(document))
    assert check(commit(world, 1_800_000_200.0)) == ["bad-signature"]
    git(home, "checkout", "--quiet", good)
    record.with_name(record.name + ".sig").unlink()
    assert check(commit(world, 1_800_000_300.0)) == ["score-file"]
    git(home, "checkout", "--quiet", base)
    record.parent.mkdir(parents=True, exist_ok=True)
    record.with_name(record.name + ".sig").write_text("a signature of nothing")
    assert check(commit(world, 1_800_000_400.0)) == ["score-file"], "a signature without its record"


def test_sealed_studies_are_scored_for_snapshots_only_with_the_gap_shown(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = world.root / "datasets" / "tiny-knee.yaml"
    card.write_text(card.read_text().replace("daily_scorings: 3", "daily_scorings: 3, sealed_share: 0.5"))
    monkeypatch.setenv("REXRANK_HOME", str(world.state))
    world.submit("first", spoiled(world.studies, 0.5))
    world.score(["first"])
    n = int(str(record_of(world, "first")["n"]))
    assert N * 0.25 < n < N * 0.75
    result = CliRunner().invoke(rexrank, ["score", "--sealed", "--results", str(world.root)])
    assert result.exit_code == 0, result.output
    document = json.loads((world.root / "sealed" / "tiny-knee.findings.json").read_text())
    assert document["n"] == N - n
    found = document["models"]["first"]["bleu_2"]
    assert found["gap"] == round(found["sealed"] - found["open"], 3)
    assert set(document["models"]) == {"first"}, "probes are not published"
    key = world.state / "sealed" / "tiny-knee.key"
    assert key.stat().st_mode & 0o077 == 0
    assert key.read_text() not in "".join(p.read_text() for p in world.root.rglob("*.json"))


def test_studies_of_a_patient_are_sealed_together_and_about_the_share_is() -> None:
    from scorer.sealing import split_sealed
    from scorer.types import Study

    studies = [Study(id=f"s{n}", patient=f"p{n // 4}", reference=Report(findings="x")) for n in range(4000)]
    seen, shut = split_sealed(studies, b"key", 0.5)
    assert {s.patient for s in seen}.isdisjoint({s.patient for s in shut})
    assert 0.45 < len(shut) / 4000 < 0.55
    assert split_sealed(studies, b"another", 0.5) != (seen, shut)
    assert split_sealed(studies, b"key", 0.0) == (tuple(studies), ())
