"""Ledger entries as rows of a Delta table and back: the table's columns are fixed here, once."""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry

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
    "runtime": pl.String(),
    "sequence": pl.Int64(),
    "identity": pl.String(),
}
LEDGER_SCHEMA = pl.Schema(_COLUMNS)
_SETS = ("breached", "unjudged", "warned")
_JSON = ("counts", "runtime")


def as_row(entry: LedgerEntry) -> pl.DataFrame:
    """The entry as a table of one row."""
    row: dict[str, Any] = {name: getattr(entry, name) for name in LEDGER_SCHEMA}
    row |= {"event": entry.event.value, "verdict": entry.verdict.value}
    row |= {name: list(row[name]) for name in _SETS}
    row |= {name: json.dumps(dict(row[name]), sort_keys=True) for name in _JSON}
    return pl.DataFrame([row], schema=LEDGER_SCHEMA)


def as_entry(row: Mapping[str, Any]) -> LedgerEntry:
    """The entry that a row of the table holds."""
    values = dict(row) | {"event": Event(row["event"]), "verdict": Verdict(row["verdict"])}
    values |= {name: tuple(row[name]) for name in _SETS}
    values |= {name: json.loads(row[name]) for name in _JSON}
    return LedgerEntry(**values)
