"""Publishing: raced, refused and misled by the API, every result reaches main once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.errors import RexrankError, UsageError
from scorer.reconcile.host_api import HostApi, HostApiError
from scorer.reconcile.publish import Published, publish
from scorer.reconcile.record import Taken
from scorer.reconcile.release import release
from scorer.snapshots.version import Version
from tests.workflows.api_stub import Answer, Asked, serving
from tests.workflows.host import Host, git

TOKEN = "ghs_secret_token_of_the_app"


def writer(name: str, text: str = "{}") -> Callable[[Path], Taken]:
    """What record would write: one score file."""

    def take(root: Path) -> Taken:
        path = root / "scores" / name / "demo-cxr.findings.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return Taken(written=(path,), dropped=())

    return take


def go(base: Path, take: Callable[[Path], Taken], **more: Any) -> Published:
    return publish(base, "origin", take, pause=lambda _: None, **more)


def test_a_result_is_pushed_on_top_of_main_and_nothing_else_changes(host: Host, base: Path) -> None:
    before = host.files(host.main)
    assert go(base, writer("zed")).how == "pushed"
    after = host.files(host.main)
    assert {name for name in after if after.get(name) != before.get(name)} == {
        "results/scores/zed/demo-cxr.findings.json"
    }
    assert git(base, "status", "--porcelain") == b"", "the caller's tree stays as it is"


def test_the_same_again_commits_nothing(host: Host, base: Path) -> None:
    go(base, writer("zed"))
    before = host.main
    assert go(base, writer("zed")).how == "nothing"
    assert host.main == before


def test_only_score_files_are_committed_whatever_was_written(host: Host, base: Path) -> None:
    def take(root: Path) -> Taken:
        (root.parent / "README.md").write_text("changed")
        (root / "submissions" / "evil").mkdir()
        (root / "submissions" / "evil" / "submission.yaml").write_text("x")
        return writer("zed")(root)

    go(base, take)
    files = host.files(host.main)
    assert files["README.md"] == b"hello\n"
    assert "results/submissions/evil/submission.yaml" not in files
    assert "results/scores/zed/demo-cxr.findings.json" in files


def test_two_pushes_that_race_both_end_on_main(host: Host, base: Path) -> None:
    tries = []

    def take(root: Path) -> Taken:
        tries.append(sorted(path.name for path in (root / "scores").glob("*")))
        if len(tries) == 1:  # somebody is faster
            host.commit({"results/scores/other/demo-cxr.findings.json": "{}"}, host.main, "main")
        return writer("zed")(root)

    assert go(base, take).how == "pushed"
    assert tries == [[], ["other"]], "the second try starts from what main has become"
    names = {name.split("/")[2] for name in host.files(host.main) if name.startswith("results/scores/")}
    assert names == {"other", "zed"}


def test_after_five_lost_races_it_says_so_and_nothing_is_lost(host: Host, base: Path) -> None:
    tries = []

    def take(root: Path) -> Taken:
        tries.append(1)
        host.commit({f"results/scores/other-{len(tries)}/x.json": "{}"}, host.main, "main")
        return writer("zed")(root)

    with pytest.raises(RexrankError, match="could not be pushed in 5 tries; run it again, nothing is lost"):
        go(base, take)
    assert len(tries) == 5


def pulls(state: dict[str, Any]) -> Callable[[Asked], Answer]:
    """An API that keeps pull requests by head."""

    def answer(asked: Asked) -> Answer:
        if asked.method == "GET" and "/pulls?" in asked.path:
            head = asked.path.split("head=")[1].split("&")[0]
            return 200, [{"number": n} for known, n in state.items() if head.endswith(f":{known}")]
        if asked.method == "POST" and asked.path.endswith("/pulls"):
            state[asked.body["head"]] = len(state) + 7
            return 201, {"number": state[asked.body["head"]]}
        return 404, {}

    return answer


def test_with_an_app_the_result_becomes_a_pull_request_that_is_opened_once(host: Host, base: Path) -> None:
    before, state = host.main, {}  # type: ignore[var-annotated]
    with serving(pulls(state)) as stub:
        api = HostApi(stub.url, TOKEN)
        first = go(base, writer("zed"), api=api, repository="owner/board", token=TOKEN)
        again = go(base, writer("zed"), api=api, repository="owner/board", token=TOKEN)
    assert (first.how, first.note) == (again.how, again.note) == ("pull-request", "#7")
    assert host.main == before
    [branch] = state
    assert branch.startswith("rexrank/scores-")
    changed = git(host.origin, "diff", "--name-only", "main", branch).decode().split()
    assert changed == ["results/scores/zed/demo-cxr.findings.json"]
    assert [a.method for a in stub.asked].count("POST") == 1
    assert {a.authorization for a in stub.asked} == {f"Bearer {TOKEN}"}


def test_a_pull_request_that_somebody_closed_is_opened_again_once(host: Host, base: Path) -> None:
    state: dict[str, Any] = {}
    with serving(pulls(state)) as stub:
        api = HostApi(stub.url, TOKEN)
        go(base, writer("zed"), api=api, repository="owner/board")
        state.clear()
        for _ in range(2):
            done = go(base, writer("zed"), api=api, repository="owner/board")
            assert (done.how, done.note) == ("pull-request", "#7")
    assert [a.method for a in stub.asked].count("POST") == 2


def test_where_two_of_the_bots_pull_requests_are_open_no_third_comes(host: Host, base: Path) -> None:
    def answer(asked: Asked) -> Answer:
        return (200, [{"number": 7}, {"number": 9}]) if asked.method == "GET" else (500, {})

    with serving(answer) as stub:
        done = go(base, writer("zed"), api=HostApi(stub.url, TOKEN), repository="owner/board")
    assert (done.how, done.note) == ("pull-request", "#7")
    assert {a.method for a in stub.asked} == {"GET"}


FAULTS: list[tuple[str, Answer]] = [
    ("bad gateway", (502, b"<html>secret page</html>")),
    ("rate limit", (403, {"message": "secret"})),
    ("too many requests", (429, {})),
    ("html instead of JSON", (200, b"<html>secret page</html>")),
    ("another shape", (200, {"unexpected": "secret"})),
    ("unauthorised", (401, {"message": "secret"})),
    ("redirect", (302, b"")),
]


@pytest.mark.parametrize("fault", [f[1] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_when_the_api_stays_away_the_scores_are_recorded_all_the_same(
    host: Host, base: Path, fault: Answer
) -> None:
    with serving(lambda asked: fault) as stub:
        api = HostApi(stub.url, TOKEN, pause=lambda _: None)
        done = go(base, writer("zed"), api=api, repository="owner/board", token=TOKEN)
    assert done.how == "pushed"
    assert "pushed instead" in done.note
    assert "secret" not in done.note
    assert len(stub.asked) <= 8, "bounded"
    assert "results/scores/zed/demo-cxr.findings.json" in host.files(host.main)


def test_a_short_failure_is_ridden_out(host: Host, base: Path) -> None:
    state: dict[str, Any] = {}
    calls: list[int] = []

    def answer(asked: Asked) -> Answer:
        calls.append(1)
        return (502, b"") if len(calls) in {1, 3} else pulls(state)(asked)

    with serving(answer) as stub:
        api = HostApi(stub.url, TOKEN, pause=lambda _: None)
        assert go(base, writer("zed"), api=api, repository="owner/board").how == "pull-request"


def test_the_token_goes_only_to_the_api(host: Host, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    lines: list[str] = []
    real = subprocess.run

    def spy(arguments: Any, *rest: Any, **more: Any) -> Any:
        lines.append(" ".join(map(str, arguments)))
        return real(arguments, *rest, **more)

    monkeypatch.setattr("scorer.checking.git.subprocess.run", spy)
    with serving(lambda asked: (302, b"")) as stub:
        with pytest.raises(HostApiError) as caught:
            HostApi(stub.url, TOKEN, pause=lambda _: None).get("/repos/owner/board")
        assert len(stub.asked) == 1, "a redirect is not followed"
    go(base, writer("zed"), token=TOKEN)
    assert lines
    assert not any(TOKEN in line for line in lines), "no process list shows it"
    assert TOKEN not in str(caught.value)
    assert TOKEN.encode() not in b"".join(
        file.read_bytes() for file in (base / ".git").rglob("*") if file.is_file()
    )


@pytest.mark.parametrize(
    "address", ["http://example.org", "ftp://x", "file:///etc/passwd", "https:example.org"]
)
def test_the_api_is_only_asked_over_https(address: str) -> None:
    with pytest.raises(UsageError):
        HostApi(address, TOKEN)


def test_an_upload_goes_to_the_apis_own_address_only() -> None:
    api = HostApi("https://api.example.org", TOKEN)
    with pytest.raises(HostApiError, match="not the API's"):
        api.upload("https://evil.example.com/x", b"data")


def test_a_snapshot_is_published_with_its_tag_and_an_immutable_release(host: Host, base: Path) -> None:
    folder = base / "results" / "snapshots" / "2027.1"
    folder.mkdir(parents=True)
    for name in ("snapshot.json", "SHA256SUMS", "board.csv"):
        (folder / name).write_text(name)
    state: dict[str, Any] = {"assets": []}

    def answer(asked: Asked) -> Answer:
        if asked.method == "GET":
            return 404, {}
        if "assets" in asked.path:
            state["assets"].append((asked.path.split("name=")[1], asked.body))
            return 201, {}
        if asked.method == "POST":
            state["made"] = asked.body
            return 201, {"id": 5, "upload_url": f"{state['url']}/repos/o/b/releases/5/assets{{?name,label}}"}
        state["final"] = asked.body
        return 200, {}

    with serving(answer) as stub:
        state["url"] = stub.url
        version = Version.parse("2027.1")
        api = HostApi(stub.url, TOKEN)
        done = release(version, base / "results", "origin", api=api, repository="o/b", pause=lambda _: None)
    assert done.how == "pushed"
    assert git(host.origin, "rev-parse", f"refs/tags/{version.tag}").decode().strip() == host.main
    assert "results/snapshots/2027.1/snapshot.json" in host.files(host.main)
    assert state["made"]["draft"] is True
    assert [name for name, _ in state["assets"]] == ["snapshot.json", "board.csv", "SHA256SUMS"]
    assert state["final"] == {"draft": False}, "public only when complete"
