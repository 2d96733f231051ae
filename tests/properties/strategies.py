"""What the laws are tried on: texts that are almost contracts, documents in any order, and rows that keep a contract."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
from hypothesis import strategies as st

WORDS = st.sampled_from(
    ["contract", "version", "fields", "name", "type", "string", "integer", "date", "min", "max", "enum", "pattern", "key", "delivery", "format", "partition",
     "every", "day", "column", "start", "rules", "sql", "unique", "where", "severity", "warn", "rows", "owners", "producer", "consumers", "parts", "from",
     "required", "true", "no", "null", "~", "1.10", "010", "1:30", ".inf", "2026-10-01", "2026-02-30", '"1.0.0"', "cases", "a", "b > 0", "*x", "&x", "!t",
     "!!bool", "<<", "[", "]", "{", "}", ":", ": ", "- ", "\n", "\n  ", "\n    ", ", ", "#", "|", ">", "%", "'", '"', "\\", "\t", "\u00e9", "\ud800", "\x00", "--- "]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers(-(10**45), 10**45) | st.floats() | st.text(max_size=5) | WORDS
VALUES = st.recursive(
    SCALARS, lambda items: st.lists(items, max_size=3) | st.dictionaries(WORDS, items, max_size=3), max_leaves=8
)


def damaged(whole: str) -> st.SearchStrategy[str]:
    """A text with one piece of it left out, repeated, or replaced by something else."""

    def harmed(change: tuple[int, int, str]) -> str:
        start, length, piece = change
        return whole[:start] + piece + whole[start + length :]

    pieces = st.one_of(st.lists(WORDS, max_size=4).map("".join), st.text(max_size=8))
    return st.tuples(st.integers(0, len(whole)), st.integers(0, 12), pieces).map(harmed)


def reordered(value: Any) -> st.SearchStrategy[Any]:
    """The same document with the keys of every mapping in any order."""
    if isinstance(value, dict):
        orders = st.permutations(list(value))
        return orders.flatmap(lambda order: st.fixed_dictionaries({name: reordered(value[name]) for name in order}))
    return st.tuples(*map(reordered, value)).map(list) if isinstance(value, list) else st.just(value)


DOCUMENT: dict[str, Any] = {
    "contract": "cases", "version": "1.0.0", "key": ["id"], "extra_fields": "ignore",
    "fields": [
        {"name": "id", "type": "string", "min_length": 1, "max_length": 4, "severity": {"length": "warn"}},
        {"name": "n", "type": "integer", "min": 0, "max": 5.5, "enum": [1, 2]},
    ],
    "rules": [{"name": "r", "sql": "n > 0", "on_null": "keep"}], "rows": {"min": 1, "max": 9},
    "delivery": {"path": "x/{partition}", "partition": {"column": "id"}, "format": {"type": "csv", "delimiter": ";", "null_values": {"*": [""], "n": ["-"]}}},
    "owners": {"producer": {"name": "p"}, "consumers": [{"name": "c", "relies_on": ["n"]}]},
}  # fmt: skip

TEXT = json.dumps(DOCUMENT, indent=1)

KEPT = """\
fields:
  - {name: id, type: integer}
  - {name: region, type: string, pattern: "[A-Z]{2}", max_length: 2, not_blank: true, trimmed: true}
  - {name: status, type: string, enum: [provisional, final]}
  - {name: day, type: date, min: 2026-10-01, max: 2026-10-31}
  - {name: count, type: integer, min: 0, max: 1000}
  - {name: rate, type: number, min: 0, max: 1}
  - {name: amount, type: "decimal(10,2)", min: 0}
  - {name: note, type: string, nullable: true, max_length: 3}
key: [id]
rules: [{name: final_is_counted, sql: "status <> 'final' OR count > 0"}]
duplicate_rows: error
"""
SCHEMA: dict[str, Any] = {
    "id": pl.Int64, "region": pl.String, "status": pl.String, "day": pl.Date, "count": pl.Int64, "rate": pl.Float64, "amount": pl.Decimal(10, 2), "note": pl.String,
}  # fmt: skip


def _row(identity: int) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "id": st.just(identity),
            "region": st.text("ABC", min_size=2, max_size=2),
            "status": st.sampled_from(["provisional", "final"]),
            "day": st.integers(0, 30).map(lambda days: date(2026, 10, 1) + timedelta(days=days)),
            "count": st.integers(1, 1000),
            "rate": st.floats(0, 1) | st.just(-0.0),
            "amount": st.integers(0, 10**9).map(lambda cents: Decimal(cents) / 100),
            "note": st.none() | st.text(max_size=3).filter(lambda text: "\x00" not in text),
        }
    )


ROWS = st.integers(1, 8).flatmap(lambda count: st.tuples(*map(_row, range(count))).map(list))


def frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA)


@dataclass(frozen=True)
class Defect:
    """What to put into a row, and which obligations that breaks once each."""

    values: Mapping[str, Any]
    broken: tuple[str, ...]


DEFECTS = [
    Defect({"region": None}, ("region.null",)), Defect({"region": "  "}, ("region.pattern", "region.blank", "region.untrimmed")),
    Defect({"region": "ABC"}, ("region.pattern", "region.length")), Defect({"region": "ab"}, ("region.pattern",)),
    Defect({"status": "Final"}, ("status.enum",)), Defect({"status": None, "count": 1}, ("status.null",)),
    Defect({"day": date(2026, 9, 30)}, ("day.range",)), Defect({"day": date(2026, 11, 1)}, ("day.range",)), Defect({"day": None}, ("day.null",)),
    Defect({"count": -1, "status": "provisional"}, ("count.range",)), Defect({"count": 1001}, ("count.range",)),
    Defect({"count": 0, "status": "final"}, ("final_is_counted.row_rule",)), Defect({"rate": float("nan")}, ("rate.not_finite",)),
    Defect({"rate": float("inf")}, ("rate.not_finite", "rate.range")), Defect({"rate": 1.0000000000000002}, ("rate.range",)),
    Defect({"amount": Decimal("-0.01")}, ("amount.range",)), Defect({"note": "long"}, ("note.length",)), Defect({"id": None}, ("id.null",)),
]  # fmt: skip
Planted = tuple[list[dict[str, Any]], dict[str, int]]


@st.composite
def planted(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Planted:
    """Rows of which some have one defect, and how often each obligation is broken by it; a missing id at most once."""
    rows = draw(ROWS)
    defect = draw(st.sampled_from(DEFECTS))
    most = 1 if "id" in defect.values else len(rows)
    chosen = draw(st.sets(st.integers(0, len(rows) - 1), min_size=1, max_size=most))
    harmed = [row | dict(defect.values) if index in chosen else row for index, row in enumerate(rows)]
    return harmed, dict.fromkeys(defect.broken, len(chosen))
