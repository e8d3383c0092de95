"""The rows that a submission would get, by the metrics that need no encoder, inside the boards as they are.

Only datasets whose references are on this machine and may be shown have a preview. What is scored are the
canonical predictions that the guard read, written to a scratch folder; nothing of the submission itself is.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from scorer.board import Board
from scorer.checking.submission import Checked, Surroundings
from scorer.predictions import canonical_predictions
from scorer.submission import Submission

__all__ = ["Preview", "preview_markdown", "previews"]

Preview = tuple[str, Board]
"""(model, board)"""


def previews(checked: Iterable[Checked], around: Surroundings) -> list[Preview]:
    """Boards with the new rows, one per submission, dataset and track."""
    from scorer.boards import build_board
    from scorer.cells import Workshop
    from scorer.statistics import Bench

    found: list[Preview] = []
    for one in checked:
        submission = one.submission
        able = [
            dataset
            for dataset in one.predictions
            if around.cards[dataset].is_public and around.references(dataset) is not None
        ]
        if submission is None or not able:
            continue
        with tempfile.TemporaryDirectory(prefix="rexrank-preview-") as scratch:
            root = Path(scratch) / "results"
            _lay_out(root, around.results_root, submission, one, able)
            shop = Workshop(root, around.state_dir or Path(scratch) / "state")
            bench = Bench(weights_dir=Path(scratch) / "weights", cache_dir=Path(scratch) / "cache")
            for cell in shop.cells([submission.id], able):
                filled = shop.fill(cell, bench)
                board = build_board(shop, shop.card(cell.dataset), cell.track) if filled.record else None
                if board is not None:
                    found.append((submission.id, board))
    return found


def _lay_out(
    root: Path, results: Path | None, submission: Submission, checked: Checked, datasets: Sequence[str]
) -> None:
    """A results folder of links to what is there, and the new submission in canonical form."""
    for kind in ("submissions", "scores"):
        (root / kind).mkdir(parents=True)
        for child in sorted((results / kind).glob("*")) if results else ():
            if child.name != submission.id:
                (root / kind / child.name).symlink_to(child.resolve(), target_is_directory=True)
    for name in ("datasets", "signals.yaml"):
        if results and (results / name).exists():
            (root / name).symlink_to((results / name).resolve())
    home = root / "submissions" / submission.id
    (home / "predictions").mkdir(parents=True)
    tracks = ", ".join(submission.tracks)
    card = f"id: {submission.id}\nname: {submission.id}\nowner: preview\ntracks: [{tracks}]\n"
    (home / "submission.yaml").write_text(card, encoding="utf-8")
    for dataset in datasets:
        data = canonical_predictions(checked.predictions[dataset])
        (home / "predictions" / f"{dataset}.jsonl").write_bytes(data)


def preview_markdown(found: Iterable[Preview]) -> str:
    """A table per board: the rows around the new one, with the place it would take."""
    from scorer.checking.rendering import as_cell
    from scorer.numbers import shown

    lines: list[str] = []
    for model, board in found:
        specs = [
            column.spec
            for column in board.columns
            if column.spec.on_board
            and any(r.model == model and r.cells[column.spec.id].estimate for r in board.rows)
        ]
        at = next(i for i, row in enumerate(board.rows) if row.model == model)
        near = [i for i in range(len(board.rows)) if abs(i - at) <= 3 or i == 0]
        lines += [f"### Preview: {board.dataset}, {board.track}", ""]
        lines.append("Metrics without encoders only; the others follow after the merge.")
        lines += ["", "| rank | model | " + " | ".join(as_cell(spec.label) for spec in specs) + " |"]
        lines.append("|---|---|" + "---|" * len(specs))
        for i in near:
            row = board.rows[i]
            rank = row.cells[board.order].rank if board.order in row.cells else None
            place = "probe" if row.is_probe else str(rank or "–")
            values = []
            for spec in specs:
                estimate = row.cells[spec.id].estimate
                values.append("–" if estimate is None else shown(estimate.value, spec.decimals))
            name = as_cell(row.model)
            lines.append(
                f"| {place} | {f'**{name}**' if row.model == model else name} | {' | '.join(values)} |"
            )
        lines.append("")
    return "\n".join(lines)
