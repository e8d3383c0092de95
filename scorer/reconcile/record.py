"""Takes in what a scoring job made: checks every number against main, writes records, tables and states."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scorer.boards.closed import closed_path, write_closed
from scorer.cells import Workshop
from scorer.checking.artifact import Artifact, Numbers, Table
from scorer.checking.numbers import (
    numbers_from,
    pair_document_of,
    pairs_from,
    record_of,
    table_from,
    table_of,
)
from scorer.checking.states import State, clear_state, read_state, write_state
from scorer.checking.truth import Wanted, faults_of, faults_of_pairs, faults_of_table, wanted
from scorer.errors import InputError, MissingError, Problem
from scorer.estimates import contradicted
from scorer.metrics import metric
from scorer.probes import is_probe
from scorer.reconcile.plan import Plan
from scorer.statistics import statistic
from scorer.text import TRACKS, Track
from scorer.types import StudyTable

__all__ = ["Taken", "pack", "take_in"]

Key = tuple[str, str, Track]


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What was taken in. written: files that changed. dropped: cells whose inputs on main have changed since."""

    written: tuple[Path, ...]
    dropped: tuple[Key, ...]


def pack(shop: Workshop, cells: Iterable[Key], states: Iterable[State], commit: str) -> Artifact:
    """What a scoring job hands over for the cells that it looked at."""
    records, tables = [], []
    wanted_cells = sorted(set(cells))
    for model, dataset, track in wanted_cells:
        record = shop.results.read_record(model, dataset, track)
        if record is None:
            continue
        records.append(numbers_from(record))
        if shop.card(dataset).is_public:
            tables += _tables_of(shop, model, dataset, track)
    pairs = []
    for dataset in sorted({dataset for _, dataset, _ in wanted_cells}):
        for track in TRACKS:
            place = closed_path(shop.results.root, dataset, track)
            if not shop.card(dataset).is_public and place.is_file():
                pairs.append(pairs_from(json.loads(place.read_bytes()), dataset, track))
    return Artifact(
        form=1,
        commit=commit,
        records=tuple(records),
        tables=tuple(tables),
        states=tuple(states),
        pairs=tuple(pairs),
    )


def _tables_of(shop: Workshop, model: str, dataset: str, track: Track) -> list[Table]:
    from scorer.statistics import STATISTICS

    found = []
    for one in STATISTICS:
        table = shop.results.read_table(shop.results.table_path(model, dataset, track, one.spec.id))
        if table is not None and table.statistic == one.spec.key:
            found.append(table_from(table, model, dataset, track))
    return found


def take_in(
    artifact: Artifact | None,
    plan: Plan,
    shop: Workshop,
    path: str,
    *,
    is_moved: bool = False,
) -> Taken:
    """Writes what the artifact says about main's cells; nothing at all when anything in it is impossible.

    A planned cell about which the artifact says nothing gets the state `failed`: never silence.

    Args:
        artifact: None when the scoring job handed nothing over. shop: main.
        is_moved: main is newer than what was scored: a cell that has changed since is dropped instead of refused.

    Raises:
        InputError: with every fault; names cells and rules, never a value.
    """
    problems: list[Problem] = []
    dropped: set[Key] = set()
    ids = _known_ids(shop)

    def judge(key: Key, faults: Callable[[Wanted], Iterable[str]]) -> None:
        cell = wanted(shop, *key)
        said = ["there is no such cell on main"] if cell is None else list(faults(cell))
        if said and is_moved:
            dropped.add(key)
            return
        problems.extend(
            Problem(
                path=path, code="impossible", field="/".join(key), message=one, hint="nothing was recorded"
            )
            for one in said
        )

    records = artifact.records if artifact else ()
    tables = artifact.tables if artifact else ()
    states = [*plan.states, *(artifact.states if artifact else ())]
    for numbers in records:
        judge(_key(numbers), lambda cell, numbers=numbers: faults_of(numbers, cell))  # type: ignore[misc]
    scored = {_key(numbers) for numbers in records}
    for table in tables:
        key = (table.model, table.dataset, table.track)
        judge(key, lambda cell, table=table: faults_of_table(table, cell, ids(table)))  # type: ignore[misc]
        if key not in scored:
            problems.append(
                Problem(path=path, code="impossible", field="/".join(key), message="a table without a record")
            )
    for state in states:
        key = (state.model, state.dataset, state.track)
        judge(key, lambda cell, state=state: _state_faults(state, cell))  # type: ignore[misc]
    for pairs in artifact.pairs if artifact else ():
        if not is_moved:
            problems.extend(
                Problem(path=path, code="impossible", field=f"{pairs.dataset}/{pairs.track}", message=said)
                for said in faults_of_pairs(pairs, shop)
            )
    for numbers in records:
        said = [] if problems else list(_unfounded(numbers, tables, shop))
        problems.extend(
            Problem(path=path, code="impossible", field="/".join(_key(numbers)), message=one) for one in said
        )
    twice = len(records) - len(scored)
    if twice:
        problems.append(Problem(path=path, code="impossible", message=f"{twice} cells stand twice"))
    if problems:
        raise InputError(problems)
    return _write(artifact, plan, states, scored, dropped, shop)


def _unfounded(numbers: Numbers, tables: Iterable[Table], shop: Workshop) -> Iterator[str]:
    """Numbers of a public dataset that no per-study table bears out: each needs its table, in the artifact or on
    main, and must be what the table gives."""
    card = shop.card(numbers.dataset)
    if not card.is_public:
        return
    record = record_of(numbers, card)
    found: dict[str, StudyTable] = {}
    for name in {needed for e in record.estimates for needed in metric(e.metric).spec.needs}:
        given = next((t for t in tables if (*_key_of(t), t.statistic) == (*_key(numbers), name)), None)
        if given is not None:
            columns = tuple(column.name for column in statistic(name).spec.columns)
            found[name] = table_of(given, columns)
        elif (kept := shop.results.read_table(shop.results.table_path(*_key(numbers), name))) is not None:
            found[name] = kept
    wrong = contradicted(record.estimates, found, card.decimals)
    for estimate in record.estimates:
        if not set(metric(estimate.metric).spec.needs) <= found.keys():
            yield f"{estimate.metric} comes without its per-study table"
        elif estimate.metric in wrong:
            yield f"{estimate.metric} is not what its per-study table gives"


def _key_of(table: Table) -> Key:
    return table.model, table.dataset, table.track


def _write(
    artifact: Artifact | None,
    plan: Plan,
    states: list[State],
    scored: set[Key],
    dropped: set[Key],
    shop: Workshop,
) -> Taken:
    root, results, written = shop.results.root, shop.results, []
    for numbers in artifact.records if artifact else ():
        if (key := _key(numbers)) in dropped:
            continue
        if results.write_record(record_of(numbers, shop.card(numbers.dataset))):
            written.append(results.record_path(*key))
        if clear_state(root, *key):
            written.append(results.record_path(*key).with_suffix(".state.json"))
    for table in artifact.tables if artifact else ():
        if (table.model, table.dataset, table.track) in dropped:
            continue
        columns = tuple(column.name for column in statistic(table.statistic).spec.columns)
        place = results.table_path(table.model, table.dataset, table.track, table.statistic)
        if results.write_table(place, table_of(table, columns)):
            written.append(place)
    for pairs in artifact.pairs if artifact else ():
        if not list(faults_of_pairs(pairs, shop)) and write_closed(
            root, pairs.dataset, pairs.track, pair_document_of(pairs)
        ):
            written.append(closed_path(root, pairs.dataset, pairs.track))
    told = {(state.model, state.dataset, state.track): state for state in states}
    for cell in plan.cells:
        key = (cell.model, cell.dataset, cell.track)
        if is_probe(cell.model) or key in scored or key in told:
            continue
        if (found := wanted(shop, *key)) is not None:
            told[key] = State(
                model=cell.model,
                dataset=cell.dataset,
                track=cell.track,
                state="failed",
                stage="scoring",
                kind="The job ended without a result",
                submitted=found.submitted,
            )
    for key, state in told.items():
        if (
            key not in dropped
            and key not in scored
            and read_state(root, *key) != state
            and write_state(root, state)
        ):
            written.append(results.record_path(*key).with_suffix(".state.json"))
    return Taken(written=tuple(sorted(set(written))), dropped=tuple(sorted(dropped)))


def _state_faults(state: State, cell: Wanted) -> Iterable[str]:
    if state.submitted != cell.submitted:
        yield "is about other predictions than those on main"


def _key(numbers: Numbers) -> Key:
    return numbers.model, numbers.dataset, numbers.track


def _known_ids(shop: Workshop) -> Callable[[Table], frozenset[str] | None]:
    """Study ids that main itself shows for a table's dataset: those of its predictions, for a probe those of any."""
    known: dict[tuple[str, str], frozenset[str] | None] = {}

    def of(model: str, dataset: str) -> frozenset[str] | None:
        if (model, dataset) not in known:
            try:
                known[model, dataset] = frozenset(shop.predictions(model, dataset))
            except (InputError, MissingError, KeyError):
                known[model, dataset] = None
        return known[model, dataset]

    def references(dataset: str) -> Iterable[str]:
        card = shop.card(dataset)
        try:
            return [study.id for study in shop.studies(dataset, card.split)]
        except (InputError, MissingError):
            return ()

    def ids(table: Table) -> frozenset[str] | None:
        if not is_probe(table.model):
            return of(table.model, table.dataset)
        found = set(references(table.dataset))
        for model in shop.results.submission_ids():
            found |= of(model, table.dataset) or frozenset()
        return frozenset(found) or None

    return ids
