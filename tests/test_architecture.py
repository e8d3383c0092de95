"""What the design promises about the code itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli import VERBS, rexrank
from scorer.metrics import METRICS
from scorer.statistics import STATISTICS

ROOT = Path(__file__).resolve().parent.parent

# A module may import from its own layer and the layers above it in this list, never from one below.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("_version", "errors", "naming", "numbers"),
    ("text",),
    ("types", "signature"),
    ("store", "guard", "inference"),
    ("datasets", "submission", "predictions", "pairing", "weights", "importing", "sealing"),
    ("encoding", "judges", "statistics"),
    ("metrics",),
    ("estimates", "figures", "probes", "published"),
    ("scoring", "board", "signals", "costs"),
    ("cells",),
    ("boards", "checking", "engines"),
    ("snapshots", "citing", "citation_formats", "pull_request", "reconcile", "subgroups", "verification"),
    ("cli",),
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Absolute module names that a file imports anywhere, with their line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((name.name, node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            yield node.module or "", node.lineno
            yield from ((f"{node.module}.{name.name}", node.lineno) for name in node.names)


def unit(module: str) -> str:
    """`scorer.statistics.base` -> `statistics`."""
    return module.split(".")[1] if module.count(".") else "_version"


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def test_the_scorer_never_imports_the_site_builder() -> None:
    found = [
        f"{path}:{line}"
        for path in modules("scorer")
        for name, line in imports(path)
        if name.startswith("site_builder")
    ]
    assert not found


def test_imports_inside_the_scorer_point_one_way() -> None:
    wrong = []
    for path in modules("scorer"):
        parts = path.relative_to(ROOT / "scorer").with_suffix("").parts
        if parts == ("__init__",):
            continue
        own = parts[0]
        assert own in RANK, f"{own} has no layer in this test"
        for name, line in imports(path):
            if name.startswith("scorer.") and unit(name) in RANK and RANK[unit(name)] > RANK[own]:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {own} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_one_module_alone_knows_mkdocs() -> None:
    found = {
        path.name
        for path in [*modules("scorer"), *modules("site_builder")]
        for name, _ in imports(path)
        if name.split(".")[0] in {"mkdocs", "material"}
    }
    assert found <= {"mkdocs_plugin.py"}


def test_help_loads_nothing_heavy() -> None:
    """What keeps `rexrank --help` under 0.3 s, as a fact instead of a time."""
    code = (
        "import sys; from scorer.cli import rexrank\n"
        "try: rexrank.main(['--help'], standalone_mode=False)\nexcept BaseException: pass\n"
        "heavy = {'numpy','scipy','torch','transformers','pandas','plotly','pydantic','rich','mkdocs','yaml'}\n"
        "print('LOADED', sorted(heavy & set(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    assert "LOADED []" in printed


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    long = [
        str(path.relative_to(ROOT))
        for package in ("scorer", "site_builder")
        for path in modules(package)
        if len(path.read_text("utf-8").splitlines()) > 400
    ]
    assert not long


@pytest.mark.parametrize("one", METRICS, ids=lambda one: one.spec.id)
def test_every_metric_has_its_page_its_test_and_its_version_entry(one) -> None:  # type: ignore[no-untyped-def]
    spec = one.spec
    assert spec.changes[0][0] == spec.version
    page = ROOT / "docs" / "metrics" / f"{spec.page or spec.id}.md"
    assert page.is_file(), f"{page} is missing"
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert spec.id in tests
    assert set(spec.needs) <= {known.spec.id for known in STATISTICS}


@pytest.mark.parametrize("one", STATISTICS, ids=lambda one: one.spec.id)
def test_every_statistic_has_its_version_entry(one) -> None:  # type: ignore[no-untyped-def]
    assert one.spec.changes[0][0] == one.spec.version
    assert len({column.name for column in one.spec.columns}) == len(one.spec.columns)


def test_registered_ids_are_unique() -> None:
    for registry in (METRICS, STATISTICS):
        ids = [one.spec.id for one in registry]
        assert len(ids) == len(set(ids))


def test_every_public_function_and_class_says_what_it_is() -> None:
    silent = []
    for package in ("scorer", "site_builder"):
        for path in modules(package):
            tree = ast.parse(path.read_text("utf-8"))
            if ast.get_docstring(tree) is None and path.name != "__main__.py":
                silent.append(f"{path.relative_to(ROOT)}: the module")
            exported = next(
                (
                    {element.value for element in node.value.elts if isinstance(element, ast.Constant)}
                    for node in tree.body
                    if isinstance(node, ast.Assign)
                    and getattr(node.targets[0], "id", "") == "__all__"
                    and isinstance(node.value, ast.List)
                ),
                set(),
            )
            for node in tree.body:
                is_public = isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in exported
                if is_public and not ast.get_docstring(node):  # type: ignore[arg-type]
                    silent.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not silent, "\n".join(silent)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_what_it_does(verb: str) -> None:
    result = CliRunner().invoke(rexrank, [verb, "--help"])
    assert result.exit_code == 0, result.output
    assert result.output.count("\n") > 4
