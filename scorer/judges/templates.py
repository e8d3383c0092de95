"""Prompts of the original judges: taken from their released packages, checked by digest, never shipped.

A template is the turns of a prompt with two marks in the last one. It is made by calling the package's own
prompt function on the marks, after that function alone (with the constant strings beside it) has been cut
out of the release's source: the package is not installed, its dependencies are not needed, and nothing
else of it runs.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from scorer.errors import InputError, Problem, WeightsMissing
from scorer.judges.base import JudgeCard, Message, Prompt, TemplateSource
from scorer.store import digest, write_atomic

__all__ = ["PREDICTION", "REFERENCE", "Template", "extract", "install", "is_installed", "load"]

REFERENCE, PREDICTION = "⟦reference⟧", "⟦prediction⟧"


class Template:
    """A prompt with its two places, read from its JSON text: `[[role, content], …]`.

    Raises:
        ValueError: a mark is missing from the last turn or stands more than once.
    """

    def __init__(self, text: str) -> None:
        *before, (role, content) = json.loads(text)
        if content.count(REFERENCE) != 1 or content.count(PREDICTION) != 1:
            raise ValueError("a template holds each mark exactly once")
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        self._before = tuple(Message(role=r, content=c) for r, c in before)
        self._role = role
        self._is_reference_first = content.index(REFERENCE) < content.index(PREDICTION)
        first, second = (REFERENCE, PREDICTION) if self._is_reference_first else (PREDICTION, REFERENCE)
        self._head, rest = content.split(first)
        self._middle, self._tail = rest.split(second)

    def render(self, reference: str, prediction: str) -> Prompt:
        """The turns that a judge is sent for one pair; a mark inside a report is text like any other."""
        first, second = (reference, prediction) if self._is_reference_first else (prediction, reference)
        content = f"{self._head}{first}{self._middle}{second}{self._tail}"
        return (*self._before, Message(role=self._role, content=content))


def _path(card: JudgeCard, weights_dir: Path) -> Path:
    return weights_dir / "templates" / f"{card.id}-{card.template.digest[:12]}.json"


def is_installed(card: JudgeCard, weights_dir: Path) -> bool:
    """Whether the judge's template is on this machine, unchanged."""
    path = _path(card, weights_dir)
    return path.is_file() and digest(path.read_bytes()) == card.template.digest


def load(card: JudgeCard, weights_dir: Path) -> Template:
    """The judge's template, verified.

    Raises:
        WeightsMissing: it is not on this machine, or not the one the card names.
    """
    if not is_installed(card, weights_dir):
        raise WeightsMissing(f"the prompt of judge {card.id}", f"rexrank judge prompt {card.id}")
    return Template(_path(card, weights_dir).read_text("utf-8"))


def install(card: JudgeCard, archive: Path, weights_dir: Path) -> Path:
    """Takes the template out of a downloaded release and keeps it; gives where.

    Raises:
        InputError: the archive, or what came out of it, is not what the card names.
    """
    source = card.template
    data = archive.read_bytes()
    if digest(data) != source.sha256:
        raise _wrong(archive, f"is not {source.archive} as released", "download it again")
    text = extract(source, data).encode()
    if digest(text) != source.digest:
        raise _wrong(archive, "gives another prompt than the card names", "use the release the card names")
    path = _path(card, weights_dir)
    write_atomic(path, text)
    return path


def extract(source: TemplateSource, data: bytes) -> str:
    """The template of a release: its system turn, and what its prompt function makes of the two marks."""
    tree = ast.parse(_member(data, source.member))
    wanted = [
        node
        for node in tree.body
        if (isinstance(node, ast.FunctionDef) and node.name == source.function)
        or (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant))
    ]
    namespace: dict[str, Any] = {}
    exec(compile(ast.Module(body=list(wanted), type_ignores=[]), source.member, "exec"), namespace)
    turns = [["user", namespace[source.function](REFERENCE, PREDICTION, **source.arguments)]]
    if source.system_member:
        turns.insert(0, ["system", _system_turn(_member(data, source.system_member))])
    return json.dumps(turns, ensure_ascii=False)


def _system_turn(code: str) -> str:
    """The content of the first `{"role": "system", "content": …}` written out in a source."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Dict) and all(isinstance(part, ast.Constant) for part in node.keys):
            turn = dict(zip([ast.literal_eval(k) for k in node.keys if k], node.values, strict=True))
            role, content = turn.get("role"), turn.get("content")
            if (
                isinstance(role, ast.Constant)
                and role.value == "system"
                and isinstance(content, ast.Constant)
            ):
                return str(content.value)
    raise ValueError("the source writes out no system turn")


def _member(data: bytes, name: str) -> str:
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read(name).decode()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        member = archive.extractfile(name)
        if member is None:
            raise KeyError(name)
        return member.read().decode()


def _wrong(archive: Path, what: str, hint: str) -> InputError:
    return InputError([Problem(path=archive.name, code="wrong-archive", message=what, hint=hint)])
