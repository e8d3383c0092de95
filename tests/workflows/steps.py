"""Runs the steps of the real workflow files, each job on a machine of its own.

What the host would do is done here: an expression is looked up (never evaluated) in what the test gives, an action
is a few lines of Python, a `run:` is bash in a clean environment. Installing is left out, for there is no network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.workflows.host import Host, git

__all__ = ["ROOT", "Job", "Machine", "can_cut_network", "installed", "load"]

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}", re.DOTALL)


def load(name: str) -> dict[str, Any]:
    """A workflow file, every scalar as text."""
    found = yaml.load((WORKFLOWS / name).read_text("utf-8"), Loader=yaml.BaseLoader)
    assert isinstance(found, dict)
    return found


def can_cut_network() -> bool:
    """Whether this machine lets a process have an empty network of its own."""
    line = ["unshare", "--map-current-user", "--keep-caps", "--net", "--", "true"]
    return (
        shutil.which("unshare") is not None
        and subprocess.run(line, capture_output=True, check=False).returncode == 0
    )


def installed(here: Path) -> Path:
    """A folder with what installing the package would leave on the path: its entry points."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    folder = here / "site-packages" / "rexrank-0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: rexrank\nVersion: 0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in found.items()) for group, found in points.items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines))
    return folder.parent


@dataclass
class Job:
    """What a job did. outputs: of all its steps by "step.name"; log: everything printed; seconds: by step."""

    succeeded: bool
    outputs: dict[str, str]
    log: str
    seconds: dict[str, float]
    folder: Path
    summary: str


@dataclass
class Machine:
    """The host's runners: fresh for each job, with only the artifacts in common."""

    host: Host
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    n: int = 0

    def run(
        self,
        workflow: str,
        job: str,
        expressions: Mapping[str, str],
        *,
        state: Path | None = None,
        broken_steps: Sequence[str] = (),
    ) -> Job:
        """Runs a job.

        Args:
            expressions: value by the text between `${{` and `}}`, blanks squeezed.
            state: what lies in the machine's REXRANK_HOME beforehand.
            broken_steps: names of steps that die instead of running.
        """
        self.n += 1
        here = self.folder / f"machine-{self.n}"
        work = here / "work"
        home = here / "home"
        home.mkdir(parents=True)
        if state is not None:
            shutil.copytree(state, here / "rexrank-home")
        files = {name: here / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")}
        for file in files.values():
            file.touch()
        environment = {
            "PATH": f"{self._shim(here)}:{os.environ['PATH']}",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": f"{ROOT}:{installed(here)}",
            "REXRANK_HOME": str(here / "rexrank-home"),
            "REXRANK_CACHE": str(here / "cache"),
            "GITHUB_ACTIONS": "true",
            **{name: str(file) for name, file in files.items()},
            **self.environment,
        }
        outputs: dict[str, str] = {}
        seconds: dict[str, float] = {}
        log, is_good = "", True
        for step in load(workflow)["jobs"][job]["steps"]:
            if not is_good and "always()" not in step.get("if", ""):
                continue
            if (
                "if" in step
                and "always()" not in step["if"]
                and not self._value(step["if"], expressions, outputs)
            ):
                continue
            start = time.perf_counter()
            if "uses" in step:
                good, said = self._action(step, work, expressions, outputs), ""
            elif step["run"].startswith("python -m pip install"):
                good, said = True, ""
            elif step["name"] in broken_steps:
                good, said = False, f"{step['name']}: killed\n"
            else:
                good, said = self._bash(step, work, environment, expressions, outputs)
            seconds[step["name"]] = time.perf_counter() - start
            log += said
            for line in files["GITHUB_OUTPUT"].read_text().splitlines():
                name, _, value = line.partition("=")
                outputs[f"steps.{step.get('id', '?')}.outputs.{name}"] = value
            files["GITHUB_OUTPUT"].write_text("")
            is_good = is_good and (good or step.get("continue-on-error") == "true")
        assert files["GITHUB_ENV"].read_text() == "", "nothing ever writes there"
        return Job(is_good, outputs, log, seconds, work, files["GITHUB_STEP_SUMMARY"].read_text())

    def _shim(self, here: Path) -> Path:
        folder = here / "bin"
        folder.mkdir()
        file = folder / "rexrank"
        file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scorer.cli "$@"\n')
        file.chmod(0o755)
        return folder

    def _bash(
        self,
        step: Any,
        work: Path,
        environment: Mapping[str, str],
        expressions: Mapping[str, str],
        outputs: Mapping[str, str],
    ) -> tuple[bool, str]:
        assert "${{" not in step["run"]
        given = {
            name: self._value(value, expressions, outputs) for name, value in step.get("env", {}).items()
        }
        line = step["run"] if can_cut_network() else step["run"].replace(" --offline", "")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line],
            cwd=work,
            env={**environment, **given},
            capture_output=True,
            timeout=600,
            check=False,
        )
        return done.returncode == 0, (done.stdout + done.stderr).decode("utf-8", "replace")

    def _action(
        self, step: Any, work: Path, expressions: Mapping[str, str], outputs: Mapping[str, str]
    ) -> bool:
        name = step["uses"].split("@")[0].removeprefix("actions/")
        given = {key: self._value(value, expressions, outputs) for key, value in step.get("with", {}).items()}
        artifacts = self.folder / "artifacts"
        if name == "checkout":
            self.host.clone(work)
            git(work, "checkout", "--quiet", "--detach", given.get("ref", "main"))
        elif name in {"upload-artifact", "upload-pages-artifact"}:
            source = work / given["path"]
            if not source.exists():
                return given.get("if-no-files-found") != "error"
            target = artifacts / given.get("name", "github-pages") / source.name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy(source, target)
        elif name == "download-artifact":
            if not (artifacts / given["name"]).is_dir():
                return False
            shutil.copytree(artifacts / given["name"], work, dirs_exist_ok=True)
        else:
            assert name in {"setup-python", "deploy-pages", "attest"}, name
        return True

    @staticmethod
    def _value(text: str, expressions: Mapping[str, str], outputs: Mapping[str, str]) -> str:
        """Text with its expressions looked up; an `if:` is an expression as a whole."""

        def look(match: re.Match[str]) -> str:
            asked = " ".join(match[1].split())
            known = {**expressions, **outputs}
            assert asked in known, f"the test gives no value for: {asked}"
            return known[asked]

        if "${{" not in text and re.search(r"[!=]=|vars\.|needs\.", text):
            return look(re.match(r"(.*)", text))  # type: ignore[arg-type]
        return _EXPRESSION.sub(look, text).strip()
