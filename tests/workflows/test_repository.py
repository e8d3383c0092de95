"""`rexrank doctor --repository` on a stub of the API: good, bad and unreadable settings."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.cli import rexrank
from tests.workflows.api_stub import Answer, Asked, serving

HOME = "/repos/owner/board"
BRANCHES = {"protected_branches": True}
GOOD: dict[str, Any] = {
    "": {
        "default_branch": "main",
        "allow_squash_merge": True,
        "allow_merge_commit": False,
        "allow_rebase_merge": False,
    },
    "/actions/permissions/fork-pr-contributor-approval": {"approval_policy": "first_time_contributors"},
    "/actions/permissions": {"allowed_actions": "selected", "sha_pinning_required": True},
    "/actions/permissions/workflow": {
        "default_workflow_permissions": "read",
        "can_approve_pull_request_reviews": False,
    },
    "/environments": {
        "environments": [
            {"name": "scoring", "deployment_branch_policy": BRANCHES, "protection_rules": []},
            {"name": "recording", "deployment_branch_policy": BRANCHES, "protection_rules": []},
            {
                "name": "release",
                "deployment_branch_policy": BRANCHES,
                "protection_rules": [{"type": "required_reviewers"}],
            },
            {"name": "github-pages", "protection_rules": []},
        ]
    },
    "/rules/branches/main": [
        {"type": "deletion"},
        {"type": "non_fast_forward"},
        {"type": "pull_request", "parameters": {"require_code_owner_review": True}},
        {"type": "required_status_checks", "parameters": {"required_status_checks": [{"context": "test"}]}},
    ],
    "/pages": {"build_type": "workflow", "https_enforced": True},
    "/immutable-releases": {"enabled": True},
    "/private-vulnerability-reporting": {"enabled": True},
}


def look(answers: dict[str, Any], *more: str) -> Result:
    def answer(asked: Asked) -> Answer:
        found = answers.get(asked.path.removeprefix(HOME))
        return found if isinstance(found, tuple) else (404, {}) if found is None else (200, found)

    with serving(answer) as stub:
        return CliRunner().invoke(
            rexrank, ["doctor", "--repository", "owner/board", "--api", stub.url, *more]
        )


def test_a_repository_that_is_set_up_is_good() -> None:
    result = look(GOOD)
    assert result.exit_code == 0, result.output
    assert "bad" not in result.output
    assert result.output.count("good") == 10


BAD: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("", lambda a: a.update(allow_merge_commit=True), "merging: squash_merge, merge_commit"),
    ("", lambda a: a.update(default_branch="master"), "default branch: master"),
    (
        "/actions/permissions/fork-pr-contributor-approval",
        lambda a: a.update(approval_policy="none"),
        "runs of forks: none",
    ),
    ("/actions/permissions", lambda a: a.update(sha_pinning_required=False), "pinning not required"),
    (
        "/actions/permissions/workflow",
        lambda a: a.update(default_workflow_permissions="write"),
        "workflow token: write",
    ),
    ("/environments", lambda a: a["environments"].pop(0), "scoring is missing"),
    (
        "/environments",
        lambda a: a["environments"][1].update(deployment_branch_policy=None),
        "recording can be used from any branch",
    ),
    ("/environments", lambda a: a["environments"][2].update(protection_rules=[]), "release has no reviewer"),
    ("/rules/branches/main", lambda a: a.pop(0), "no rule deletion"),
    (
        "/rules/branches/main",
        lambda a: a[2]["parameters"].update(require_code_owner_review=False),
        "code owners need not review",
    ),
    (
        "/rules/branches/main",
        lambda a: a[3]["parameters"].update(required_status_checks=[]),
        "`test` is not required",
    ),
    ("/pages", lambda a: a.update(https_enforced=False), "https not enforced"),
    ("/immutable-releases", lambda a: a.update(enabled=False), "immutable releases: off"),
]


@pytest.mark.parametrize(("path", "spoil", "words"), BAD, ids=[words for _, _, words in BAD])
def test_a_setting_that_opens_a_door_is_named_with_what_is_wanted(
    path: str, spoil: Callable[[Any], object], words: str
) -> None:
    answers = copy.deepcopy(GOOD)
    spoil(answers[path])
    result = look(answers)
    assert result.exit_code == 1
    assert words in result.output
    assert result.output.count("wanted:") == 1


@pytest.mark.parametrize(
    "answer", [(403, {"message": "secret"}), (200, ["unexpected"]), (500, b"<html>secret")]
)
def test_what_cannot_be_read_is_unknown_and_not_good(answer: Answer) -> None:
    result = look({**GOOD, "/actions/permissions": answer}, "--json")
    assert result.exit_code == 0
    states = {one["name"]: one["state"] for one in json.loads(result.output)["settings"]}
    assert states["actions"] == "unknown"
    assert "secret" not in result.output
