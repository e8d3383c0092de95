"""The cells of a results folder: every (model or probe, dataset, track) that should have a record, whether it has,
and the filling of those that have not. Reconciliation looks at content only, so running it twice does nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from scorer.datasets import cards, load, state_of
from scorer.datasets.base import Card
from scorer.errors import DatasetMissing, InputError, MissingError, Problem
from scorer.pairing import pair_studies
from scorer.predictions import predictions_digest, read_predictions
from scorer.probes import PROBES, is_probe, probe
from scorer.scoring import Cell, cell_state, score_run
from scorer.sealing import sealing_key, split_sealed
from scorer.statistics import STATISTICS, Bench
from scorer.store import Results
from scorer.submission import Submission, read_submission
from scorer.text import TRACKS, Report, compose
from scorer.types import Record, Study

__all__ = ["Filled", "Workshop", "training_split"]


def _read_once(path: Path) -> Mapping[str, Report]:
    """Reads predictions, once a process as long as the file does not change: `rexrank serve` builds many times."""
    state = path.stat() if path.is_file() else None
    return _read_file(path, state.st_mtime_ns if state else 0, state.st_size if state else 0)


@lru_cache(maxsize=256)
def _read_file(path: Path, mtime: int, size: int) -> Mapping[str, Report]:
    return read_predictions(path)


def _read_linked(state_dir: Path, model: str, dataset: str, sha256: str) -> Mapping[str, Report]:
    """The copy of linked predictions on this machine. They may belong to a closed dataset, so a problem with them
    says its kind and a count and nothing that they hold."""
    name = f"the linked predictions of {model} for {dataset}"
    places = [state_dir / "predictions" / model / f"{dataset}{end}" for end in (".jsonl", ".jsonl.gz")]
    place = next((path for path in places if path.is_file()), None)
    if place is None:
        raise MissingError(f"{name} are not on this machine", f"rexrank fetch {model}")
    try:
        found = read_predictions(place)
    except InputError as error:
        kinds = ", ".join(sorted({problem.code for problem in error.problems}))
        message = f"cannot be read: {len(error.problems)} problems ({kinds})"
        hint = "`rexrank check` names them to whoever has the file"
        raise InputError(
            [Problem(path=name, code="broken-predictions", message=message, hint=hint)]
        ) from None
    if predictions_digest(found) != sha256:
        message = "are not the file whose sha256 the submission names"
        hint = "get it again, or ask the contributor for the right digest"
        raise InputError([Problem(path=name, code="other-predictions", message=message, hint=hint)])
    return found


def training_split(card: Card) -> str | None:
    """The split that probes may learn from: `train` where there is one, else `valid`, never the scored one."""
    return next((name for name in ("train", "valid") if name in card.splits and name != card.split), None)


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What came of one cell: its record, or the public words why there is none."""

    cell: Cell
    record: Record | None = None
    problem: str = ""


class Workshop:
    """A results folder on this machine, with the references and private tables that lie here.

    Args:
        root: the results folder. state_dir: registrations, and the private store of closed datasets.
        cache_dir: where ranked columns are remembered between runs; None remembers nothing.
        sealed: score the sealed studies of private splits instead of the open ones.
    """

    def __init__(
        self, root: Path, state_dir: Path, cache_dir: Path | None = None, *, sealed: bool = False
    ) -> None:
        self.results = Results(root)
        self.private = Results(state_dir / ("private-sealed" if sealed else "private"))
        self.sealed = sealed
        self.state_dir = state_dir
        self.cache_dir = cache_dir
        self._studies: dict[tuple[str, str], tuple[Study, ...]] = {}
        self._submissions: dict[str, Submission | InputError] = {}
        self._predictions: dict[tuple[str, str], Mapping[str, Report]] = {}

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        return cards(self.results.root)

    def card(self, dataset: str) -> Card:
        return next(card for card in self.cards if card.id == dataset)

    def tables_of(self, card: Card) -> Results:
        """Where a dataset's per-study tables lie: beside the records, or in this machine's private store."""
        return self.results if card.is_public else self.private

    def studies(self, dataset: str, split: str) -> tuple[Study, ...]:
        """Studies of a split, read once.

        Raises:
            DatasetMissing: not registered here.
        """
        key = (dataset, split)
        if key not in self._studies:
            self._studies[key] = load(dataset, split, self.state_dir, results_root=self.results.root)
        return self._studies[key]

    def scored(self, card: Card) -> tuple[Study, ...]:
        """The studies that records are made of: the whole split, of a partly sealed one the open or sealed studies.

        Raises:
            DatasetMissing: not registered here.
        """
        everything = self.studies(card.id, card.split)
        rules = card.private_rules
        if rules is None or not rules.sealed_share:
            return everything
        key = sealing_key(self.state_dir, card.id)
        return split_sealed(everything, key, rules.sealed_share)[1 if self.sealed else 0]

    def training(self, card: Card) -> tuple[Study, ...]:
        """Studies that probes may learn from; none when the split does not exist or is not here."""
        split = training_split(card)
        if split is None:
            return ()
        try:
            return self.studies(card.id, split)
        except MissingError:
            return ()

    def submission(self, model: str) -> Submission:
        """A submission, read once.

        Raises:
            InputError: with every problem.
        """
        if model not in self._submissions:
            try:
                self._submissions[model] = read_submission(self.results.submission_dir(model))
            except InputError as error:
                self._submissions[model] = error
        found = self._submissions[model]
        if isinstance(found, InputError):
            raise found
        return found

    def predictions(self, model: str, dataset: str) -> Mapping[str, Report]:
        """A submission's predictions: its own file, or for a link the copy placed on this machine.

        Raises:
            MissingError: the linked file is not here. InputError: it is not what the digest says.
        """
        key = (model, dataset)
        if key in self._predictions:
            return self._predictions[key]
        source = self.submission(model).predictions[dataset]
        if source.file:
            found = _read_once(self.results.submission_dir(model) / source.file)
        else:
            found = _read_linked(self.state_dir, model, dataset, source.sha256)
        self._predictions[key] = found
        return found

    def cells(self, models: Iterable[str] = (), datasets: Iterable[str] = ()) -> tuple[Cell, ...]:
        """Every cell with its state, submissions first, then probes; broken submissions are left out
        (`rexrank check` names their problems).

        Args:
            models, datasets: keep only these; empty keeps all.
        """
        wanted_models, wanted_datasets = set(models), set(datasets)
        found: list[Cell] = []
        for model in self.results.submission_ids():
            if wanted_models and model not in wanted_models:
                continue
            try:
                submission = self.submission(model)
            except InputError:
                continue
            if submission.lifecycle == "withdrawn":
                continue
            for dataset in submission.predictions:
                if not wanted_datasets or dataset in wanted_datasets:
                    found.extend(self._submission_cells(submission, self.card(dataset)))
        for card in self.cards:
            if not wanted_datasets or card.id in wanted_datasets:
                found.extend(self._probe_cells(card, wanted_models))
        return tuple(found)

    def _submission_cells(self, submission: Submission, card: Card) -> Iterable[Cell]:
        source = submission.predictions[card.id]
        digest = source.sha256
        if source.file:
            try:
                digest = predictions_digest(self.predictions(submission.id, card.id))
            except InputError:
                return
        for track in submission.tracks:
            if track in card.tracks:
                record = self.results.read_record(submission.id, card.id, track)
                yield cell_state(record, model=submission.id, card=card, track=track, predictions=digest)

    def _probe_cells(self, card: Card, wanted: set[str]) -> Iterable[Cell]:
        """Probes have a cell where the references are here or a record shows that they were somewhere."""
        is_here = state_of(card, self.state_dir) in {"ships", "registered"}
        for one in PROBES:
            if (wanted and one.model not in wanted) or (one.needs_training and training_split(card) is None):
                continue
            for track in TRACKS:
                record = self.results.read_record(one.model, card.id, track)
                if track in card.tracks and (is_here or record is not None):
                    yield cell_state(record, model=one.model, card=card, track=track, predictions=None)

    def fill(self, cell: Cell, bench: Bench, *, recompute: Iterable[str] = ()) -> Filled:
        """Scores one cell and writes its record; a cell that needs nothing is left as it is.

        A dataset or a predictions file that is not here, and predictions that do not fit, are told in the result.
        """
        card = self.card(cell.dataset)
        try:
            studies = self.scored(card)
            training = self.training(card)
            if is_probe(cell.model):
                maker = probe(cell.model)
                if maker.needs_training and not training:
                    split = training_split(card)
                    raise DatasetMissing(
                        f"{card.id}: the {split} split that {maker.id} needs is not here",
                        f"rexrank data add {card.id} PATH",
                    )
                reports = maker.make(studies, training, cell.track)
            else:
                reports = self.predictions(cell.model, card.id)
            elsewhere = {study.id for study in self.studies(card.id, card.split)}
            elsewhere.difference_update(study.id for study in studies)
            here = {key: report for key, report in reports.items() if key not in elsewhere}
            run = pair_studies(cell.model, card, cell.track, here, studies)
        except (InputError, MissingError) as error:
            return Filled(cell=cell, problem=str(error))
        record = score_run(
            run,
            card=card,
            results=self.results,
            tables_in=self.tables_of(card),
            submitted="" if is_probe(cell.model) else predictions_digest(reports),
            dataset_digest=card.splits[card.split].digest,
            bench=replace(bench, loopback_only=card.access != "open"),
            training=frozenset(compose(study.reference, cell.track) for study in training),
            recompute=recompute,
        )
        return Filled(cell=cell, record=record)

    def needs_work(self, cell: Cell, bench: Bench) -> bool:
        """Whether filling a cell here could change anything: it is missing or stale, or a statistic that it
        lacks for want of weights can be computed here."""
        if cell.state in {"missing", "stale", "failed"}:
            return True
        able = {one.spec.id for one in STATISTICS if one.missing(bench) is None}
        return any(needed in able for needed in cell.statistics)
