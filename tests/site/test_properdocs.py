"""The generator behind the seam can be another one: ProperDocs builds the same pages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site.conftest import needs_plugin
from tests.world import make_world, spoiled

GENERATOR = re.compile(rb'<meta name="generator" content="[^"]*">')


def test_properdocs_builds_the_same_files_as_mkdocs(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("properdocs", reason="needs properdocs, which the extra `dev` installs")
    needs_plugin()
    world = make_world(tmp_path, release="texts", patients=True)
    for name, share in (("alpha", 0.1), ("beta", 0.12), ("gamma", 0.9)):
        world.submit(name, spoiled(world.studies, share, seed=len(name)))
    world.score()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "about.md").write_text("# About\n\nBy hand: $a_b$ and a [board](boards/index.md).\n")
    settings = tmp_path / "mkdocs.yml"
    settings.write_text(
        f"INHERIT: {root / 'site_builder' / 'mkdocs.yml'}\nsite_url: https://example.org/board/\n"
    )
    built = []
    for generator in ("mkdocs", "properdocs"):
        out = tmp_path / "sites" / generator
        line = [sys.executable, "-m", generator, "build", "-q", "-f", str(settings), "-d", str(out)]
        home = {"REXRANK_HOME": str(world.state), "NO_MKDOCS_2_WARNING": "1"}
        subprocess.run(line, check=True, cwd=tmp_path, env={**os.environ, **home})
        files = {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}
        named = GENERATOR.search(files["index.html"])
        assert named
        assert (b"ProperDocs" in named[0]) == (generator == "properdocs")
        # The one line that names the generator is all that may differ.
        built.append({path: GENERATOR.sub(b"", data) for path, data in files.items()})
    one, other = built
    assert one.keys() == other.keys()
    assert len(one) > 200
    assert [path for path in one if one[path] != other[path]] == []
