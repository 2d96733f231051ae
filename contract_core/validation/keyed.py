"""The questions whose answers must hold keys or values in memory: groups, predecessors, published keys, what monitors tell apart.

As long as all of them hold little they are part of the one query; beyond that each is asked by itself, in as many passes as it needs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from contract_core.validation.history_rules import compared_rows, keys_of_both, returned_keys
from contract_core.validation.obligations import Obligation
from contract_core.validation.past import Past
from contract_core.validation.profile import MEASURES, asked_measures, measuring, measuring_what_streams
from contract_core.validation.profile_passes import measured_in_passes
from contract_core.validation.promise_kinds import GroupsHold, HistoryHolds, KeysReturn, Measure
from contract_core.validation.shares import WHOLE, Share, added_up, is_too_much, passes_over
from contract_core.validation.subject import Subject

Places = Mapping[str, Obligation]
"""The obligations by the names of their columns in the query."""
_AT_ONCE = 3
"""So many questions of the largest size may hold their rows at once: reading the rows anew for each takes longer."""


@dataclass(frozen=True, slots=True)
class _Keyed:
    """One question: about how many rows it holds, how it is a part of the one query, and its answer in passes."""

    held: int
    at_once: Callable[[], Iterable[pl.LazyFrame]]
    in_passes: Callable[[], Mapping[str, Any]]


def ask_by_key(
    places: Places, rows: pl.LazyFrame, subject: Subject, past: Past
) -> tuple[list[pl.LazyFrame], dict[str, Any]]:
    """What joins the one query, and what was found in passes because it was too much for that."""
    questions = [*_grouped(places, rows, subject), *_compared(places, rows, subject, past)]
    questions.append(_measured(places, rows, subject))
    held = [question.held for question in questions]
    if not is_too_much(max(*held, sum(held) // _AT_ONCE)):
        return [frame for question in questions for frame in question.at_once()], {}
    found: dict[str, Any] = {}
    for question in questions:
        found |= question.in_passes()
    return measuring_what_streams(places.values(), rows, subject.columns), found


def merged(found: Mapping[str, Any], in_passes: Mapping[str, Any]) -> dict[str, Any]:
    """What the one query found and what was found in passes; both may have measured something."""
    measures = {**(found.get(MEASURES) or {}), **(in_passes.get(MEASURES) or {})}
    return {**found, **in_passes} | ({MEASURES: measures} if measures else {})


def _grouped(places: Places, rows: pl.LazyFrame, subject: Subject) -> Iterator[_Keyed]:
    """One question for all rules about the same groups."""
    alike: dict[tuple[str, ...], dict[str, GroupsHold]] = {}
    for place, item in places.items():
        if isinstance(item.promise, GroupsHold):
            alike.setdefault(item.promise.by, {})[place] = item.promise
    yield from (_of_groups(rows, rules, subject) for rules in alike.values())


def _of_groups(rows: pl.LazyFrame, rules: Mapping[str, GroupsHold], subject: Subject) -> _Keyed:
    from contract_core.validation.group_passes import judged_in_passes  # noqa: PLC0415 - they load what reads SQL
    from contract_core.validation.group_rules import judged_groups  # noqa: PLC0415

    columns, count = subject.columns, subject.candidate.rows
    return _Keyed(
        count,
        lambda: [judged_groups(rows, rules, columns)],
        lambda: judged_in_passes(rows, rules, columns, count),
    )


def _compared(places: Places, rows: pl.LazyFrame, subject: Subject, past: Past) -> Iterator[_Keyed]:
    """One question for all conditions over a row and its predecessor, and one for each promise that keys are there again."""
    before = past.predecessor.rows if past.predecessor is not None else None
    compared = {place: item.promise for place, item in places.items() if isinstance(item.promise, HistoryHolds)}
    returned = {place: item.promise for place, item in places.items() if isinstance(item.promise, KeysReturn)}
    if before is None or not (compared or returned):
        return
    count = _published(before, subject)
    if compared:
        yield _of_predecessors(rows, compared, subject, before, count)
    yield from (_of_keys(rows, (place, rule), subject, before, count) for place, rule in returned.items())


def _published(before: pl.LazyFrame, subject: Subject) -> int:
    """About how many rows are published: under upsert there are no more than keys of the delivery, and counting them is a join."""
    if subject.contract.publication.mode == "upsert":
        return subject.candidate.rows
    return int(before.select(pl.len()).collect(engine="streaming").item())


def _of_predecessors(
    rows: pl.LazyFrame, rules: Mapping[str, HistoryHolds], subject: Subject, before: pl.LazyFrame, count: int
) -> _Keyed:
    def question(share: Share) -> pl.LazyFrame:
        return compared_rows(rows, rules, subject.columns, before, share)

    def in_passes() -> Mapping[str, Any]:
        key = keys_of_both(next(iter(rules.values())).by, subject.columns, before)[1]
        return added_up(question, passes_over(before, count, key))

    return _Keyed(count, lambda: [question(WHOLE)], in_passes)


def _of_keys(
    rows: pl.LazyFrame, rule: tuple[str, KeysReturn], subject: Subject, before: pl.LazyFrame, count: int
) -> _Keyed:
    place, promise = rule

    def question(share: Share) -> pl.LazyFrame:
        answer = returned_keys(rows, promise, subject.columns, before, share)
        return answer.select(pl.struct(pl.all()).alias(place))

    def in_passes() -> Mapping[str, Any]:
        mine, theirs = keys_of_both(promise.by, subject.columns, before)
        passes = max(passes_over(rows, subject.candidate.rows, mine), passes_over(before, count, theirs))
        return added_up(question, passes)

    return _Keyed(max(count, subject.candidate.rows), lambda: [question(WHOLE)], in_passes)


def _measured(places: Places, rows: pl.LazyFrame, subject: Subject) -> _Keyed:
    asked, columns, count = tuple(places.values()), subject.columns, subject.candidate.rows
    held = sum(1 for steady in asked_measures(asked) if steady.measure in (Measure.DISTINCT, Measure.QUANTILES))
    return _Keyed(
        held * count,
        lambda: measuring(asked, rows, columns),
        lambda: measured_in_passes(asked, rows, columns, count),
    )
