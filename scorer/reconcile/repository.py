"""What the workflows rely on and no file of the repository can say: settings of the code host, read by its API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from scorer.reconcile.host_api import HostApi, HostApiError

__all__ = ["Setting", "look"]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting. state: "good", "bad" or "unknown" (the token may not read it). where: how to get to it."""

    name: str
    state: str
    found: str
    wanted: str
    where: str


_Judge = Callable[[Any], tuple[bool, str]]


def look(api: HostApi, repository: str) -> list[Setting]:
    """Every setting that docs/maintaining.md asks for, with what is there."""
    return list(_all(api, f"/repos/{repository}"))


def _all(api: HostApi, home: str) -> Iterator[Setting]:
    def ask(path: str, name: str, wanted: str, where: str, judge: _Judge) -> Setting:
        try:
            answer = api.get(home + path)
            good, found = (False, "not set up") if answer is None else judge(answer)
            return Setting(
                name=name, state="good" if good else "bad", found=found, wanted=wanted, where=where
            )
        except (HostApiError, KeyError, TypeError, AttributeError) as error:
            return Setting(
                name=name,
                state="unknown",
                found=str(error) or type(error).__name__,
                wanted=wanted,
                where=where,
            )

    yield ask(
        "",
        "default branch",
        "main",
        "Settings, General",
        lambda a: (a["default_branch"] == "main", a["default_branch"]),
    )
    yield ask(
        "",
        "merging",
        "squash only, so that only what was checked gets into the history",
        "Settings, General, Pull Requests",
        lambda a: (
            a["allow_squash_merge"] and not a["allow_merge_commit"] and not a["allow_rebase_merge"],
            ", ".join(
                kind for kind in ("squash_merge", "merge_commit", "rebase_merge") if a[f"allow_{kind}"]
            ),
        ),
    )
    yield ask(
        "/actions/permissions/fork-pr-contributor-approval",
        "runs of forks",
        "wait for approval at least for first-time contributors",
        "Settings, Actions, General",
        lambda a: (
            a["approval_policy"] in {"first_time_contributors", "all_external_contributors"},
            str(a["approval_policy"]),
        ),
    )
    yield ask(
        "/actions/permissions",
        "actions",
        "selected ones, pinned by commit",
        "Settings, Actions, General",
        lambda a: (
            a["allowed_actions"] == "selected" and bool(a.get("sha_pinning_required")),
            f"{a['allowed_actions']}, pinning {'required' if a.get('sha_pinning_required') else 'not required'}",
        ),
    )
    yield ask(
        "/actions/permissions/workflow",
        "workflow token",
        "reads by default and approves nothing",
        "Settings, Actions, General",
        lambda a: (
            a["default_workflow_permissions"] == "read" and not a["can_approve_pull_request_reviews"],
            f"{a['default_workflow_permissions']}"
            + (", may approve" if a["can_approve_pull_request_reviews"] else ", may not approve"),
        ),
    )
    yield ask("/environments", "environments", _ENVIRONMENTS, "Settings, Environments", _judge_environments)
    yield ask("/rules/branches/main", "rules of main", _RULES, "Settings, Rules, Rulesets", _judge_rules)
    yield ask(
        "/pages",
        "pages",
        "built by a workflow, https enforced",
        "Settings, Pages",
        lambda a: (
            a["build_type"] == "workflow" and bool(a["https_enforced"]),
            f"{a['build_type']}, https {'enforced' if a['https_enforced'] else 'not enforced'}",
        ),
    )
    for path, name in (
        ("/immutable-releases", "immutable releases"),
        ("/private-vulnerability-reporting", "private vulnerability reporting"),
    ):
        yield ask(
            path,
            name,
            "on",
            "Settings, General or Security",
            lambda a: (bool(a["enabled"]), "on" if a["enabled"] else "off"),
        )


_ENVIRONMENTS = (
    "scoring, recording, release and github-pages, deployable from main only; release with a reviewer"
)
_RULES = "pull requests with code-owner review, the checks `check` and `test`, no force push, no deletion"


def _judge_environments(answer: Any) -> tuple[bool, str]:
    found = {one["name"]: one for one in answer["environments"]}
    missing = [name for name in ("scoring", "recording", "release", "github-pages") if name not in found]
    said = [f"{name} is missing" for name in missing]
    for name, one in sorted(found.items()):
        if name in {"scoring", "recording", "release"} and not one.get("deployment_branch_policy"):
            said.append(f"{name} can be used from any branch")
    rules = {rule["type"] for rule in found.get("release", {}).get("protection_rules", [])}
    if "release" in found and "required_reviewers" not in rules:
        said.append("release has no reviewer")
    return not said, ", ".join(said) or "as wanted"


def _judge_rules(answer: Any) -> tuple[bool, str]:
    rules = {rule["type"]: rule.get("parameters") or {} for rule in answer}
    needed = ("deletion", "non_fast_forward", "pull_request", "required_status_checks")
    said = [f"no rule {name}" for name in needed if name not in rules]
    if "pull_request" in rules and not rules["pull_request"].get("require_code_owner_review"):
        said.append("code owners need not review")
    checks = {
        check["context"]
        for check in rules.get("required_status_checks", {}).get("required_status_checks", [])
    }
    if "required_status_checks" in rules and "test" not in checks:
        said.append("the check `test` is not required")
    return not said, ", ".join(said) or "as wanted"
