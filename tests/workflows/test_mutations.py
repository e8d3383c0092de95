"""Every guard holds something up: with any one of them taken out, a test fails.

The fast lane proves that each guard is still where the list says; the slow lane takes them out one at a time, in a
copy of the repository, and runs the test that has to notice.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.workflows.steps import ROOT


@dataclass(frozen=True)
class Mutation:
    """In `file`, `old` becomes `new`; then a test that `picks` selects in `tests` must fail."""

    name: str
    file: str
    old: str
    new: str
    tests: str
    picks: str


YAML, LINES = "tests/intake/test_yaml_guard.py", "tests/intake/test_prediction_files.py"
NAMES, CHECK = "tests/intake/test_names_and_links.py", "tests/intake/test_check.py"
PULL, RECORD = "tests/workflows/test_pull_request.py", "tests/workflows/test_reconcile.py"
PUBLISH, PRIVATE = "tests/workflows/test_publish.py", "tests/workflows/test_private.py"
LEAKS, POLICY = "tests/workflows/test_leaks.py", "tests/workflows/test_policy.py"
G, C, R = "scorer/guard/", "scorer/checking/", "scorer/reconcile/"

MUTATIONS = [
    Mutation(
        "card size",
        G + "yaml_text.py",
        "if len(data) > limits.CARD_BYTES:",
        "if False:",
        YAML,
        "too_large or large",
    ),
    Mutation(
        "yaml tags",
        G + "yaml_text.py",
        'if getattr(event, "tag", None) is not None:',
        "if False:",
        YAML,
        "tag",
    ),
    Mutation(
        "yaml anchors",
        G + "yaml_text.py",
        'if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):',
        "if False:",
        YAML,
        "anchor or alias",
    ),
    Mutation(
        "yaml merge keys",
        G + "yaml_text.py",
        'if key == "<<" and event.implicit[0]:',
        "if False:",
        YAML,
        "merge",
    ),
    Mutation(
        "yaml depth", G + "yaml_text.py", "if self.depth > limits.CARD_DEPTH:", "if False:", YAML, "deep"
    ),
    Mutation(
        "yaml nodes", G + "yaml_text.py", "if self.seen > limits.CARD_EVENTS:", "if False:", YAML, "nodes"
    ),
    Mutation(
        "yaml duplicate keys",
        G + "yaml_text.py",
        "            if key in found:\n",
        "            if False:\n",
        YAML,
        "duplicate",
    ),
    Mutation("symbolic links on disk", G + "files.py", 'getattr(os, "O_NOFOLLOW", 0)', "0", LINES, "link"),
    Mutation(
        "magic bytes",
        G + "files.py",
        "        if kind:\n            hint =",
        "        if False:\n            hint =",
        LINES,
        "plain",
    ),
    Mutation("lfs pointers", G + "files.py", "if data.startswith(_LFS):", "if False:", LINES, "lfs"),
    Mutation(
        "gzip ratio",
        G + "files.py",
        "most = min(cap, max(limits.MIB, len(data) * limits.GZIP_RATIO))",
        "most = 1 << 40",
        LINES,
        "bomb",
    ),
    Mutation(
        "gzip members", G + "files.py", "elif machine.unused_data:", "elif False:", LINES, "members or after"
    ),
    Mutation("byte order mark", G + "files.py", "if not mark_allowed:", "if False:", LINES, "mark"),
    Mutation(
        "bare NaN",
        G + "json_text.py",
        "            raise _Constant(name)",
        "            return NaN",
        LINES,
        "NaN",
    ),
    Mutation(
        "duplicate JSON keys",
        G + "json_text.py",
        "            if len(found) != len(pairs):\n                counts",
        "            if False:\n                counts",
        LINES,
        "duplicate",
    ),
    Mutation(
        "ids as numbers",
        "scorer/predictions.py",
        "    if type(value) is not str:\n        shown",
        "    if not isinstance(value, str):\n        shown",
        LINES,
        "number",
    ),
    Mutation(
        "study twice",
        "scorer/predictions.py",
        "        if study_id in lines:",
        "        if False:",
        LINES,
        "twice",
    ),
    Mutation(
        "long reports",
        "scorer/predictions.py",
        "if len(value) > limits.REPORT_CHARACTERS:",
        "if False:",
        LINES,
        "long",
    ),
    Mutation(
        "invisible characters", G + "names.py", "    if strange:\n", "    if False:\n", NAMES, "deceive"
    ),
    Mutation(
        "mixed scripts", G + "names.py", "if len(scripts) > 1 and not", "if False and not", NAMES, "deceive"
    ),
    Mutation("angle brackets", G + "names.py", 'if re.search(r"[<>]", text):', "if False:", NAMES, "deceive"),
    Mutation(
        "whole links",
        G + "links.py",
        "match = _LINK.fullmatch(text)",
        "match = _LINK.match(text)",
        NAMES,
        "https",
    ),
    Mutation("local hosts", G + "links.py", 'if _LOCAL.search(match["host"]):', "if False:", NAMES, "https"),
    Mutation(
        "confusable names",
        C + "neighbours.py",
        "if other.id == submission.id or skeleton(other.name) != own_look:",
        "if True:",
        PULL,
        "look_alike or hostile",
    ),
    Mutation(
        "copied predictions",
        C + "submission.py",
        "if digest and (other :=",
        "if False and (other :=",
        CHECK,
        "another_entrys",
    ),
    Mutation(
        "closed datasets",
        C + "submission.py",
        "    if not card.is_public:\n        problems.add(\n",
        "    if False:\n        problems.add(\n",
        CHECK,
        "closed",
    ),
    Mutation(
        "path list",
        C + "pull_request.py",
        'if not _INSIDE.fullmatch(match["inside"]):',
        "if False:",
        PULL,
        "hostile",
    ),
    Mutation(
        "other paths", C + "pull_request.py", 'if author.role == "contributor":', "if False:", PULL, "hostile"
    ),
    Mutation(
        "modes",
        C + "pull_request.py",
        'if change.status != "D" and change.mode != "100644":',
        "if False:",
        PULL,
        "hostile",
    ),
    Mutation(
        "ownership",
        C + "pull_request.py",
        'if author.role != "maintainer" and model in known',
        "if False and model in known",
        PULL,
        "hostile or owner",
    ),
    Mutation(
        "claimed owner",
        C + "pull_request.py",
        'if author.role != "maintainer" and claimed and claimed != asking:',
        "if False:",
        PULL,
        "hostile",
    ),
    Mutation("history", C + "pull_request.py", "    if large:\n", "    if False:\n", PULL, "smuggle"),
    Mutation(
        "number of files",
        C + "pull_request.py",
        "if len(changes) > limits.CHANGED_FILES:",
        "if False:",
        PULL,
        "too_many",
    ),
    Mutation(
        "merge base",
        C + "pull_request.py",
        "start = git.merge_base(base, head)",
        "start = base",
        PULL,
        "new_on_main",
    ),
    Mutation(
        "blob filter",
        C + "git.py",
        '"--no-write-fetch-head", f"--filter=blob:limit={cap + 1}"',
        '"--no-write-fetch-head"',
        PULL,
        "downloaded",
    ),
    Mutation("object verification", C + "git.py", '    "transfer.fsckObjects=true",\n', "", PULL, "damaged"),
    Mutation(
        "full commit ids",
        C + "git.py",
        "    if not is_commit(commit):\n        raise",
        "    if False:\n        raise",
        PULL,
        "full_commit",
    ),
    Mutation(
        "escaping of annotations",
        C + "rendering.py",
        'for character in "%\\r\\n" + more:',
        'for character in "":',
        PULL,
        "annotations",
    ),
    Mutation(
        "escaping of summaries",
        C + "rendering.py",
        "if c.isalnum() or c in",
        "if True or c in",
        PULL,
        "summary",
    ),
    Mutation(
        "score files",
        C + "records.py",
        "    if signature is None:\n",
        "    if False:\n",
        PULL,
        "hostile or scorers",
    ),
    Mutation(
        "signatures",
        C + "records.py",
        "elif not is_signed_by(data, signature, signers):",
        "elif False:",
        PRIVATE,
        "signed_record",
    ),
    Mutation(
        "strict artifact",
        C + "artifact.py",
        'ConfigDict(extra="forbid", frozen=True, strict=True)',
        'ConfigDict(extra="ignore", frozen=True)',
        RECORD,
        "forged",
    ),
    Mutation(
        "artifact size",
        G + "limits.py",
        "ARTIFACT_BYTES = 64 * MIB",
        "ARTIFACT_BYTES = 640 * MIB",
        RECORD,
        "100_mb",
    ),
    Mutation(
        "predictions on main",
        C + "truth.py",
        'if numbers.digests.get("submitted") != cell.submitted:',
        "if False:",
        RECORD,
        "forged",
    ),
    Mutation(
        "range of values",
        C + "truth.py",
        "if not all(spec.low <= figure <= spec.high for figure in given):",
        "if False:",
        RECORD,
        "nothing_bears_out",
    ),
    Mutation(
        "ids of tables",
        C + "truth.py",
        "if known_ids is None or not known_ids.issuperset(table.study_ids):",
        "if False:",
        RECORD,
        "forged",
    ),
    Mutation(
        "tables of closed datasets",
        C + "truth.py",
        "    if not cell.card.is_public:\n        yield",
        "    if False:\n        yield",
        RECORD,
        "closed",
    ),
    Mutation(
        "nothing written on a fault",
        R + "record.py",
        "    if problems:\n        raise InputError(problems)\n    return _write",
        "    return _write",
        RECORD,
        "forged",
    ),
    Mutation(
        "never silence",
        R + "record.py",
        "        if is_probe(cell.model) or key in scored or key in told:\n",
        "        if True:\n",
        RECORD,
        "dies",
    ),
    Mutation(
        "only score files",
        R + "publish.py",
        'tree.run("add", "--all", "--", *there)',
        'tree.run("add", "--all")',
        PUBLISH,
        "only_score",
    ),
    Mutation("retry", R + "publish.py", "_TRIES = 5", "_TRIES = 1", PUBLISH, "race"),
    Mutation(
        "redirects of the API",
        R + "host_api.py",
        "urllib.request.build_opener(_NoRedirect)",
        "urllib.request.build_opener()",
        PUBLISH,
        "token or away",
    ),
    Mutation(
        "uploads",
        R + "host_api.py",
        "if given.scheme != home.scheme or given.netloc not in allowed:",
        "if False:",
        PUBLISH,
        "upload",
    ),
    Mutation(
        "quota",
        R + "quota.py",
        "        if days > 0 or granted:\n",
        "        if False:\n",
        PRIVATE,
        "owner or period or overdraw",
    ),
    Mutation(
        "daily limit",
        R + "quota.py",
        "        if today >= rules.daily_scorings:\n",
        "        if False:\n",
        PRIVATE,
        "daily",
    ),
    Mutation(
        "gates",
        R + "private.py",
        "if rules is not None and reports and (fault :=",
        "if False and (fault :=",
        PRIVATE,
        "refused",
    ),
    Mutation(
        "the ladder",
        R + "private.py",
        "return sign * found.difference > 0 and found.p < SIGNIFICANT",
        "return True",
        PRIVATE,
        "significantly",
    ),
    Mutation(
        "class only",
        R + "private.py",
        'said = str(StageError("scoring", type(error).__name__, len(studies), advice=system))',
        "said = str(error)",
        LEAKS,
        "outside",
    ),
    Mutation(
        "linked files are not repeated",
        "scorer/cells.py",
        'message = f"cannot be read: {len(error.problems)} problems ({kinds})"',
        "message = str(error)",
        LEAKS,
        "broken_linked",
    ),
    Mutation(
        "statistics say their class",
        "scorer/scoring.py",
        "raise StageError(one.spec.id, type(error).__name__, run.n) from None",
        "raise StageError(one.spec.id, str(error), run.n) from None",
        LEAKS,
        "statistic",
    ),
    Mutation(
        "cut network",
        ".github/workflows/score.yml",
        "rexrank score --offline --plan",
        "rexrank score --plan",
        POLICY,
        "network",
    ),
    Mutation(
        "main is checked out",
        ".github/workflows/validate.yml",
        "ref: ${{ github.event.pull_request.base.sha }}",
        "ref: ${{ github.event.pull_request.head.sha }}",
        POLICY,
        "checked_out",
    ),
    Mutation(
        "pinned actions",
        ".github/workflows/pages.yml",
        "cd2ce8fcbc39b97be8ca5fce6e763baed58fa128 # v5.0.0",
        "v5",
        POLICY,
        "pinned",
    ),
    Mutation(
        "no credential",
        ".github/workflows/validate.yml",
        "persist-credentials: false",
        "persist-credentials: true",
        POLICY,
        "credential",
    ),
    Mutation("queue", ".github/workflows/score.yml", "  queue: max\n", "", POLICY, "queue"),
    Mutation(
        "least power",
        ".github/workflows/validate.yml",
        "      contents: read\n",
        "      contents: write\n",
        POLICY,
        "least",
    ),
    Mutation(
        "quoted values",
        ".github/workflows/validate.yml",
        '--author "$AUTHOR"',
        "--author $AUTHOR",
        POLICY,
        "quoted",
    ),
    Mutation(
        "values far outside their interval",
        C + "truth.py",
        "max(low - value, value - high) > (high - low) + 1e-9",
        "False",
        RECORD,
        "nothing_bears_out",
    ),
    Mutation(
        "numbers need their tables",
        R + "record.py",
        "if not set(metric(estimate.metric).spec.needs) <= found.keys():",
        "if False:",
        RECORD,
        "nothing_bears_out",
    ),
    Mutation(
        "size of what an artifact holds",
        C + "artifact.py",
        'if text.text.count(",") > _VALUES or sum(map(text.text.count, "[{:")) > _GROUPS:',
        "if False:",
        RECORD,
        "no_artifact",
    ),
    Mutation(
        "first of a list only",
        C + "artifact.py",
        ", FailFast()]",
        ', Field(description="x")]',
        RECORD,
        "million",
    ),
    Mutation(
        "edited numbers are marked",
        "scorer/boards/entries.py",
        "    return impossible | _CONTRADICTED[key]",
        "    return impossible",
        "tests/workflows/test_broken_main.py",
        "neighbours",
    ),
    Mutation(
        "only proven records are published",
        ".github/workflows/pages.yml",
        "rexrank build --strict",
        "rexrank build",
        POLICY,
        "bear_out",
    ),
    Mutation(
        "words only where they are said",
        "scorer/predictions.py",
        'if problems.is_full("unknown-key", text.path):',
        "if False:",
        LINES,
        "thousands",
    ),
    Mutation(
        "no message of an unforeseen error",
        "scorer/cli/__init__.py",
        'f"rexrank: unexpected {type(error).__name__} at {place}; please report this line"',
        'f"rexrank: unexpected {type(error).__name__} at {place}: {error}; please report this line"',
        "tests/intake/test_command.py",
        "unforeseen",
    ),
    Mutation(
        "patients of other references",
        "scorer/boards/entries.py",
        "if any(study_id not in patients for study_id in ids):",
        "if False:",
        LEAKS,
        "other_references",
    ),
    Mutation(
        "limit of a pull request",
        C + "submission.py",
        "if around.bytes_left is not None and around.bytes_left <= 0:",
        "if False:",
        PULL,
        "beyond",
    ),
    Mutation(
        "values proved without patients",
        "scorer/verification.py",
        "for metric in sorted(contradicted(current(record, card), entry.tables, card.decimals)):",
        "for metric in ():",
        "tests/workflows/test_broken_main.py",
        "patients_are_not",
    ),
]


@pytest.mark.parametrize("one", MUTATIONS, ids=lambda one: one.name)
def test_every_guard_of_the_list_is_there_once(one: Mutation) -> None:
    text = (ROOT / one.file).read_text("utf-8")
    assert text.count(one.old) == 1, f"{one.file} holds it {text.count(one.old)} times"
    assert (ROOT / one.tests).is_file()


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's files, to be broken."""
    target = tmp_path_factory.mktemp("mutants") / "repository"
    ignored = shutil.ignore_patterns(
        ".git", ".venv", "__pycache__", "site", "*_cache", ".hypothesis", "node_modules"
    )
    shutil.copytree(ROOT, target, ignore=ignored)
    return target


@pytest.mark.slow
@pytest.mark.parametrize("one", MUTATIONS, ids=lambda one: one.name)
def test_without_a_guard_a_test_fails(copy: Path, one: Mutation) -> None:
    file = copy / one.file
    whole = file.read_text("utf-8")
    file.write_text(whole.replace(one.old, one.new), encoding="utf-8")
    try:
        line = [
            sys.executable,
            "-m",
            "pytest",
            one.tests,
            "-k",
            one.picks,
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
        ]
        environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(line, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    finally:
        file.write_text(whole, encoding="utf-8")
    assert done.returncode == 1, f"nothing noticed: {done.stdout[-2000:]}"
