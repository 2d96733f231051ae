"""Ledger entries as rows of a Delta table and back: the table's columns are fixed here, once, and what an entry may hold."""

import json
from collections.abc import Mapping
from datetime import UTC
from functools import lru_cache
from typing import Any

import polars as pl

from contract_core.errors import Problem, WrongUsageError
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import REPLACE, Event, LedgerEntry

_MOMENT = pl.Datetime("us", "UTC")
_IDS = pl.List(pl.String)

_COLUMNS: Mapping[str, pl.DataType] = {
    "event": pl.String(),
    "contract": pl.String(),
    "version": pl.String(),
    "contract_digest": pl.String(),
    "partition": pl.String(),
    "submission": pl.String(),
    "candidate_digest": pl.String(),
    "verdict": pl.String(),
    "report_digest": pl.String(),
    "rows": pl.Int64(),
    "as_of": _MOMENT,
    "at": _MOMENT,
    "received_at": _MOMENT,
    "breached": _IDS,
    "unjudged": _IDS,
    "warned": _IDS,
    "counts": pl.String(),
    "table_version": pl.Int64(),
    "reason": pl.String(),
    "quarantined": pl.Int64(),
    "reasons": _IDS,
    "mode": pl.String(),
    "runtime": pl.String(),
    "event_age": pl.Int64(),
    "baseline": pl.String(),
    "profile": pl.String(),
    "restated": pl.String(),
    "effort": pl.String(),
    "by": pl.String(),
    "reference": pl.String(),
    "sequence": pl.Int64(),
    "identity": pl.String(),
}
LEDGER_SCHEMA = pl.Schema(_COLUMNS)
_SETS = ("breached", "unjudged", "warned", "reasons")
_JSON: Mapping[str, type] = {"counts": int, "runtime": str, "profile": dict, "restated": int, "effort": float}
_MOMENTS = ("as_of", "at", "received_at")
_MAY_LACK = ("partition", "received_at", "table_version", "reason", "event_age", "baseline", "by", "reference")
_NOTHING: Mapping[str, Any] = {"profile": "{}", "restated": "{}", "effort": "{}"}
_SINCE_0_2: Mapping[str, Any] = {"quarantined": 0, "reasons": [], "mode": REPLACE, **_NOTHING}
"""What an entry of an older ledger means by not saying it."""


class NotUnderstood(Exception):  # noqa: N818 - no error of ours: the ledger says where it stands
    """A row of the ledger is no entry as this version writes them."""


def refuse_unstorable(entry: LedgerEntry) -> None:
    """Raise WrongUsageError for an entry that could be written and never be read again."""
    for name in _MOMENTS:
        moment = getattr(entry, name)
        try:
            is_readable = moment is None or (moment.tzinfo is not None and bool(moment.astimezone(UTC)))
        except (OverflowError, ValueError):
            is_readable = False
        if not is_readable:
            what = f"the moment '{name}' has no time zone or lies outside the years 1 to 9999 in UTC"
            raise WrongUsageError(
                Problem(f"ledger entry of {entry.contract}", what, "nothing was recorded; name another moment")
            )


def as_row(entry: LedgerEntry) -> pl.DataFrame:
    """The entry as a table of one row."""
    row: dict[str, Any] = {name: getattr(entry, name) for name in LEDGER_SCHEMA}
    row |= {"event": entry.event.value, "verdict": entry.verdict.value}
    row |= {name: list(row[name]) for name in _SETS}
    row |= {name: json.dumps(dict(row[name]), sort_keys=True) for name in _JSON}
    return pl.DataFrame([row], schema=LEDGER_SCHEMA)


def as_entry(row: Mapping[str, Any]) -> LedgerEntry:
    """The entry that a row of the table holds. Raises NotUnderstood."""
    try:
        return _as_entry(row)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise NotUnderstood from None


def _as_entry(row: Mapping[str, Any]) -> LedgerEntry:
    row = {**dict.fromkeys(_MAY_LACK), **row}  # a table from before there was such a column has none
    row |= {name: value for name, value in _SINCE_0_2.items() if row.get(name) is None}
    if missing := [name for name in LEDGER_SCHEMA if row[name] is None and name not in _MAY_LACK]:
        raise ValueError(missing)
    values = row | {"event": Event(row["event"]), "verdict": Verdict(row["verdict"])}
    values |= {name: tuple(row[name]) for name in _SETS}
    values |= {name: _mapping(row[name], kind) for name, kind in _JSON.items()}
    return LedgerEntry(**values)


@lru_cache(maxsize=4096)
def _mapping(text: str, kind: type) -> Mapping[str, Any]:
    """What a text of JSON says, worked out once for the entries of a year that say the same. Raises ValueError or TypeError."""
    found = json.loads(text)
    if not (isinstance(found, dict) and all(type(each) is kind for each in found.values())):
        raise TypeError(kind)
    return found
