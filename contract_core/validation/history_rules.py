"""History rules → lazy queries over the candidate's rows and the published ones they are compared with.

Whose rows those are is decided by the caller. All conditions are asked of one join, in which each row meets one predecessor at
most; what was published is first reduced to the columns that a condition looks at.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from contract_core.candidate.columns import RAW
from contract_core.candidate.physical_types import type_words
from contract_core.contract.history_sql import BEFORE, of_predecessor, of_row
from contract_core.validation.conditions import compile_condition, why_not_compiled
from contract_core.validation.delivery_rules import counted
from contract_core.validation.obligations import Obligation
from contract_core.validation.past import Predecessor
from contract_core.validation.promise_kinds import HistoryHolds, HistoryPromise, KeysReturn
from contract_core.validation.report import Finding, Outcome
from contract_core.validation.schema_match import Columns
from contract_core.validation.shares import WHOLE, Share

_KEY, _LATEST, _SEVERAL, _UNDECODED = "__key.", "__latest", "__several", "__undecoded."
_NOTHING_BEFORE = "nothing is published that it could be compared with"
Types = Mapping[str, pl.DataType]


def why_not_compared(promise: HistoryPromise, columns: Columns, predecessor: Predecessor | None) -> str:
    """Why the rule cannot be asked of what is published; empty where it can, and where nothing is published yet."""
    if predecessor is None:
        return "nobody looked at the published table"
    if predecessor.rows is None:
        return predecessor.why_not
    types = predecessor.rows.collect_schema()
    needed = promise.by
    if isinstance(promise, HistoryHolds):
        needed += (*of_predecessor(promise.condition), *([promise.latest] if promise.latest is not None else ()))
    missing = next((name for name in needed if name not in types), None)
    if missing is not None:
        hint = "let the rule only warn until a delivery with it is published"
        return f"the published table has no column '{missing}' yet: {hint}"
    for name in promise.by:
        if _one_type(types[name], columns.types[name]) is None:
            there, here = type_words(types[name]), type_words(columns.types[name])
            return f"column '{name}' is {there} in the published table and {here} in this delivery"
    return _why_uncompiled(promise, columns.types, types) if isinstance(promise, HistoryHolds) else ""


def _why_uncompiled(promise: HistoryHolds, types: Types, before: Types) -> str:
    why = why_not_compiled(promise.condition, _both(types, before))
    return f"its condition does not fit the types that are published: {why}" if why else ""


def history_finding(obligation: Obligation, promise: HistoryPromise, found: Mapping[str, Any] | None) -> Finding:
    """Broken where more rows, or keys, break it than the rule bears; kept by whatever has nothing to be compared with."""
    if found is None:
        return Finding(obligation, Outcome.KEPT, reason=_NOTHING_BEFORE)
    if isinstance(promise, KeysReturn):
        found = {**found, "gone": max(0, found["gone"] - found["undecoded"])}
        asked, broken = found["keys"], found["gone"]
    else:
        asked, broken = found["judged"], found["broken"]
    is_borne = promise.max_share is not None and broken <= promise.max_share * asked
    return counted(obligation, 0 if is_borne else broken, found)


def keys_of_both(by: tuple[str, ...], columns: Columns, before: pl.LazyFrame) -> tuple[list[pl.Expr], list[pl.Expr]]:
    """What rows are told apart by, those of the candidate and published ones, as they are comparable with each other."""
    mine, theirs = columns.types, before.collect_schema()
    return list(_keys(by, mine, theirs).values()), list(_keys(by, theirs, mine).values())


def compared_rows(
    rows: pl.LazyFrame,
    rules: Mapping[str, HistoryHolds],
    columns: Columns,
    before: pl.LazyFrame,
    share: Share = WHOLE,
) -> pl.LazyFrame:
    """One row with a struct for each rule: how many rows are `judged`, `broken` and `unknown`, and how many are not judged:
    `skipped` without a predecessor, `ambiguous` with several, `undecoded` where a text did not decode.

    Of a share these are counts of the rows whose key is in it.
    """
    used = dict.fromkeys(name for rule in rules.values() for name in of_row(rule.condition))
    undecoded = {
        _UNDECODED + place: _undecoded((*rule.by, *of_row(rule.condition)), columns) for place, rule in rules.items()
    }
    by, published = next(iter(rules.values())).by, before.collect_schema()
    keys, their_keys = _keys(by, columns.types, published), _keys(by, published, columns.types)
    mine, theirs = share.among(rows, keys.values()), share.among(before, their_keys.values())
    offered = mine.with_columns(**keys, **undecoded).select(*keys, *used, *undecoded)
    single = _predecessors(theirs, rules, their_keys)
    pairs = offered.join(single, on=list(keys), how="left", nulls_equal=True)
    types = _both(columns.types, published)
    return pairs.select(_counts(place, rule, types).alias(place) for place, rule in rules.items())


def _counts(place: str, rule: HistoryHolds, types: Types) -> pl.Expr:
    answer, undecoded = compile_condition(rule.condition, types), pl.col(_UNDECODED + place)
    several = pl.when(~undecoded).then(pl.col(_SEVERAL).fill_null(0))
    is_judged = several == 1
    return pl.struct(
        judged=is_judged.sum(),
        broken=(is_judged & ~answer.fill_null(value=rule.keeps_unknown)).sum(),
        unknown=(is_judged & answer.is_null()).sum(),
        skipped=(several == 0).sum(),
        ambiguous=(several > 1).sum(),
        undecoded=undecoded.sum(),
    )


def _predecessors(before: pl.LazyFrame, rules: Mapping[str, HistoryHolds], keys: Mapping[str, pl.Expr]) -> pl.LazyFrame:
    """One row for each key that is published: its latest row, and of how many there are `_SEVERAL`."""
    seen = {BEFORE + name: pl.col(name) for rule in rules.values() for name in of_predecessor(rule.condition)}
    column = next(iter(rules.values())).latest
    latest = {} if column is None else {_LATEST: pl.col(column)}
    published = before.with_columns(**keys).select(*keys, **seen, **latest)
    if latest:
        newest = published.group_by(list(keys)).agg(pl.col(_LATEST).max())
        published = published.join(newest, on=[*keys, _LATEST], how="semi", nulls_equal=True)
    return published.group_by(list(keys)).agg(pl.col(*seen).first(), pl.len().alias(_SEVERAL))


def returned_keys(
    rows: pl.LazyFrame, rule: KeysReturn, columns: Columns, before: pl.LazyFrame, share: Share = WHOLE
) -> pl.LazyFrame:
    """One row: how many `keys` are published, and how many of them are `gone`; and the rows whose key did not decode.

    Each of those may have any of the keys that are not there, so that as many are forgiven once all are counted.
    """
    types = before.collect_schema()
    offered, published = _keys(rule.by, columns.types, types), _keys(rule.by, types, columns.types)
    is_undecoded = _undecoded(rule.by, columns)
    mine, theirs = share.among(rows, offered.values()), share.among(before, published.values())
    there = mine.filter(~is_undecoded).with_columns(**offered).select(*offered)
    all_of_them = theirs.with_columns(**published).select(*published).unique()
    gone = all_of_them.join(there, on=list(published), how="anti", nulls_equal=True)
    counts = (
        all_of_them.select(keys=pl.len()),
        gone.select(gone=pl.len()),
        mine.select(undecoded=is_undecoded.sum()),
    )
    return pl.concat(counts, how="horizontal")


def _both(types: Types, before: Types) -> dict[str, pl.DataType]:
    return {**types, **{BEFORE + name: found for name, found in before.items()}}


def _undecoded(names: Iterable[str], columns: Columns) -> pl.Expr:
    """True for a row with a text that did not decode, in one of these columns."""
    found = [pl.col(RAW + name).is_not_null() for name in dict.fromkeys(names) if columns.has(RAW + name)]
    return pl.any_horizontal(pl.lit(value=False), *found)


def _keys(by: tuple[str, ...], types: Types, others: Types) -> dict[str, pl.Expr]:
    """The columns that two rows are compared in, as they are comparable with the others; where there are none, all rows are alike."""
    named = {f"{_KEY}{place}": _compared(name, types[name], others[name]) for place, name in enumerate(by)}
    return named or {_KEY: pl.lit(0)}


def _compared(name: str, found: pl.DataType, other: pl.DataType) -> pl.Expr:
    target = _one_type(found, other)
    if isinstance(target, pl.Datetime) and target.time_zone is not None and target != found:
        return pl.col(name).dt.convert_time_zone("UTC").dt.cast_time_unit("us")
    return pl.col(name) if target is None or target == found else pl.col(name).cast(target)


def _one_type(found: pl.DataType, other: pl.DataType) -> pl.DataType | None:
    """The type in which keys of two types are compared, since a table holds some in another type than a delivery; None for none."""
    if found == other:
        return found
    one = _widest(found)
    return one if one == _widest(other) else None


def _widest(found: pl.DataType) -> pl.DataType:
    """The one type of a family that holds every key of it."""
    if found.is_integer():
        return pl.Int128()
    if found.is_float():
        return pl.Float64()
    match found:
        case pl.Categorical() | pl.Enum():
            return pl.String()
        case pl.Datetime(time_zone=zone):
            return pl.Datetime("us", None if zone is None else "UTC")
        case pl.Duration():
            return pl.Duration("us")
        case _:
            return found
