"""One delivery that holds several partitions: which rows belong to which, and the share of one of them.

A row that belongs to no partition (no value, none that decodes, one before the first day) is in every share, so that nothing is
lost and each of them is held back by it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import NoReturn

import polars as pl

from contract_core.candidate.columns import PART_NAME, column
from contract_core.candidate.facts import Facts
from contract_core.contract.delivery_terms import PartitionTerms
from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key
from contract_core.errors import CandidateUnreadableError, Problem, WrongUsageError

_KEY, _ROWS = "key", "rows"
_CALENDAR = (date(1, 1, 8), date(9999, 12, 1))
"""Outside of these days a span of time may begin or end where Python has no day; no partition can be named there anyway."""


@dataclass(frozen=True, slots=True)
class Share:
    """The rows of one partition and those of none; the facts count them by part, and the files as a whole."""

    frame: pl.LazyFrame
    facts: Facts


def rows_by_key(contract: Contract, frame: pl.LazyFrame) -> Mapping[str, int] | None:
    """How many rows each partition has, by key in order; None where no column of a fitting type tells it. Fails as reading does."""
    terms = contract.delivery.partition
    assert terms is not None, "only what has partitions is split"
    key = _key_of(terms, frame.collect_schema().get(terms.column))
    if key is None:
        return None
    counts = frame.select(key.alias(_KEY)).drop_nulls().group_by(_KEY).len(_ROWS).collect(engine="streaming")
    return dict(sorted((name, rows) for name, rows in counts.iter_rows() if _is_key(contract, name)))


def share_of(contract: Contract, partition: str, frame: pl.LazyFrame, facts: Facts) -> Share:
    """The share of one partition. Raises CandidateUnreadableError where the delivery holds no row of it; fails as reading does.

    Where no column tells partitions the whole delivery is the share: it is judged, and held back, for want of that column.
    """
    terms = contract.delivery.partition
    counts = rows_by_key(contract, frame)
    if terms is None or counts is None:
        return Share(frame, facts)
    others = sum(rows for name, rows in counts.items() if name != partition)
    if (counts and partition not in counts) or facts.rows == others:
        _refuse_absent(contract, partition)
    key = _key_of(terms, frame.collect_schema()[terms.column])
    assert key is not None, "it was asked for the counts"
    foreign = key.is_in([name for name in counts if name != partition]).fill_null(value=False)
    share = frame.filter(~foreign)
    parts = _rows_by_part(contract, share)
    counted = facts.parts if parts is None else tuple(replace(p, rows=parts.get(p.name, 0)) for p in facts.parts)
    return Share(share, replace(facts, parts=counted, share=facts.rows - others))


def _rows_by_part(contract: Contract, share: pl.LazyFrame) -> Mapping[str, int] | None:
    terms, names = contract.delivery.parts, share.collect_schema()
    told = terms.column if terms is not None and terms.column is not None else PART_NAME
    if told not in names:
        return None
    counts = share.group_by(column(told).cast(pl.String)).len().collect(engine="streaming")
    return dict(counts.drop_nulls().iter_rows())


def _key_of(terms: PartitionTerms, found: pl.DataType | None) -> pl.Expr | None:
    """The key of the partition that a row lies in as a text, null for none; None where this type tells no partition."""
    value = column(terms.column)
    if terms.every is None:
        is_value = found is not None and (found in (pl.String, pl.Date) or found.is_integer())
        return value.cast(pl.String) if is_value else None
    if isinstance(found, pl.Datetime):
        local = value.dt.convert_time_zone(terms.timezone) if found.time_zone is not None else value
        day = local.dt.date()
    elif found == pl.Date and terms.every != "hour":
        local = day = value
    else:
        return None
    return pl.when(day.is_between(*_CALENDAR)).then(_start(terms.every, local, day))


def _start(every: str, local: pl.Expr, day: pl.Expr) -> pl.Expr:
    match every:
        case "hour":
            return local.dt.strftime("%Y-%m-%d-%H:00")
        case "week":
            return (day - pl.duration(days=day.dt.weekday() % 7)).dt.strftime("%Y-%m-%d")
        case "month":
            return day.dt.month_start().dt.strftime("%Y-%m-%d")
        case _:
            return day.dt.strftime("%Y-%m-%d")


def _is_key(contract: Contract, text: str) -> bool:
    """True for a value that names a partition of this contract."""
    try:
        check_key(contract, text)
    except WrongUsageError:
        return False
    return True


def _refuse_absent(contract: Contract, partition: str) -> NoReturn:
    what = "the delivery holds no row of this partition, and so says nothing about it"
    hint = "name a partition that is in it, or leave --partition out and offer all that are"
    raise CandidateUnreadableError(Problem(f"delivery {contract.name}/{partition}", what, hint))
