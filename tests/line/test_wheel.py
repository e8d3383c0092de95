"""The wheel alone, in an empty folder, runs the whole line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, unpacked where nothing else lies."""
    root = Path(__file__).resolve().parent.parent.parent
    source = tmp_path_factory.mktemp("source")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    ).stdout
    for name in listed.decode().split("\0"):
        if name and not name.startswith(("tests/", "results/")) and (root / name).exists():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, source / name, follow_symlinks=False)
    out = tmp_path_factory.mktemp("wheel")
    code = "import sys; from setuptools import build_meta\nprint(build_meta.build_wheel(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(out)], cwd=source, check=True, capture_output=True
    )
    (wheel,) = out.glob("*.whl")
    target = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def test_demo_runs_from_the_wheel_in_an_empty_folder(unpacked: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(unpacked), "NO_MKDOCS_2_WARNING": "1"}
    line = [sys.executable, "-m", "scorer.cli", "demo"]
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Demo Careful" in done.stdout
    site = tmp_path / "rexrank-demo" / "site"
    assert "Demo Careful" in (site / "boards" / "demo-cxr" / "findings" / "index.html").read_text()
    assert str(unpacked) not in done.stdout


def test_the_wheel_holds_data_but_no_tests_and_no_results(unpacked: Path) -> None:
    names = [str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()]
    assert any(name.endswith("demo/test.jsonl") for name in names)
    assert any(name.startswith("site_builder/templates/") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "results/", "benchmarks/"))]
