"""Problems as people and machines read them: terminal, JSON, annotations on the lines of a pull request,
and the Markdown summary of a job. One list of problems, four forms, nothing decided here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from scorer.checking.submission import Checked
from scorer.errors import Problem

__all__ = ["as_annotations", "as_cell", "as_json", "as_markdown", "as_terminal", "emit"]


def as_json(problems: Sequence[Problem], checked: Sequence[Checked] = ()) -> dict[str, Any]:
    """`{"ok", "problems", "predictions", "notes"}`; warnings stand among the problems and do not make it bad."""
    return {
        "ok": not any(problem.severity == "error" for problem in problems),
        "problems": [problem.as_dict() for problem in problems],
        "predictions": [
            {
                "submission": one.path,
                "dataset": dataset,
                "n": len(reports),
                "sha256": one.digests.get(dataset, ""),
            }
            for one in checked
            for dataset, reports in one.predictions.items()
        ],
        "notes": [note for one in checked for note in one.notes],
    }


def as_terminal(problems: Sequence[Problem], checked: Sequence[Checked] = ()) -> str:
    """Grouped by file, errors before what is good, plain words."""
    lines: list[str] = []
    for path, found in groupby(sorted(problems, key=lambda p: p.path), key=lambda p: p.path):
        lines.append(path or "in general")
        for problem in found:
            where = f"line {problem.line}: " if problem.line else ""
            what = f"{problem.field}: " if problem.field else ""
            mark = "warning: " if problem.severity == "warning" else ""
            lines.append(f"  {mark}{where}{what}{problem.message}")
            if problem.hint:
                lines.append(f"      fix: {problem.hint}")
        lines.append("")
    bad = {problem.path for problem in problems if problem.severity == "error"}
    for one in checked:
        if any(path == one.path or path.startswith(f"{one.path}/") for path in bad):
            continue
        lines.append(f"{one.path}: good")
        for dataset, reports in one.predictions.items():
            lines.append(f"  {dataset}: {len(reports):,} predictions, sha256 {one.digests[dataset]}")
    lines.extend(f"note: {note}" for one in checked for note in one.notes)
    n = sum(problem.severity == "error" for problem in problems)
    if n:
        lines.append(f"{n:,} {'problem' if n == 1 else 'problems'} to fix")
    return "\n".join(lines).rstrip("\n")


def emit(kind: str, message: str, **properties: str | int) -> str:
    """One workflow command. The only place that makes them, so the only place that has to escape.

    `%`, CR and LF are percent-encoded, and `:` and `,` as well inside properties; empty properties are left out.
    """
    given = ",".join(f"{key}={_escape(str(value), ':,')}" for key, value in properties.items() if value)
    return f"::{kind}{' ' + given if given else ''}::{_escape(message)}"


def _escape(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def as_annotations(problems: Iterable[Problem]) -> list[str]:
    """One annotation per problem, on its file and line."""
    return [
        emit(
            problem.severity,
            f"{problem.field + ': ' if problem.field else ''}{problem.message}"
            + (f" (fix: {problem.hint})" if problem.hint else ""),
            file=problem.path,
            line=problem.line,
            title=problem.code,
        )
        for problem in problems
    ]


def as_markdown(
    problems: Sequence[Problem], command: str, checked: Sequence[Checked] = (), preview: str = ""
) -> str:
    """A job summary: every problem with its fix, a preview, and the command that shows the same at home.

    `preview` is Markdown already; all else is text and becomes Markdown here.
    """
    n = sum(problem.severity == "error" for problem in problems)
    lines = [
        f"## {n:,} {'problem' if n == 1 else 'problems'} to fix" if n else "## Everything is in order",
        "",
    ]
    if problems:
        lines += ["| where | what | fix |", "|---|---|---|"]
        for problem in problems:
            where = problem.path + (f":{problem.line}" if problem.line else "")
            warning = "warning: " if problem.severity == "warning" else ""
            what = warning + (f"{problem.field}: " if problem.field else "")
            lines.append(
                f"| {as_cell(where)} | {as_cell(what + problem.message)} | {as_cell(problem.hint)} |"
            )
        lines.append("")
    for one in checked:
        for dataset, reports in one.predictions.items():
            lines.append(f"- {as_cell(one.path)}: {dataset}, {len(reports):,} predictions")
    lines += [f"- {as_cell(note)}" for one in checked for note in one.notes]
    lines += ["", preview, "The same at home:", "", "```", command, "```", ""]
    return "\n".join(lines)


def as_cell(text: str) -> str:
    """Text that Markdown shows and does not read: every sign that means something becomes a reference."""
    return "".join(c if c.isalnum() or c in " .,;/_-" else f"&#{ord(c)};" for c in text)
