"""Pairs of contracts that differ in one promise or a few, and rows on both sides of each bound that they could name."""

import json
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import polars as pl
from hypothesis import strategies as st

from contract_core.candidate.physical_types import decoded_dtype
from contract_core.contract.logical_type import LogicalType
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.errors import InvalidContractError

Draw = Callable[[st.SearchStrategy[Any]], Any]
Slots = dict[str, Any]
NO = None

ANY_KIND: dict[str, list[Any]] = {
    "required": [True, True, False],
    "nullable": [False, True],
    "key": [NO, NO, NO, ["v"], ["id", "v"]],
    "unique": [NO, NO, NO, ["v"], ["v", "id"]],
    "duplicate_rows": [NO, NO, "error", "warn"],
    "min_rows": [1, 1, 0, 2],
    "max_rows": [NO, NO, 3, 2],
}
ORDERED = {
    "lowered": [NO, NO, "range", "enum", "null"],
    "rule": [NO, NO, NO, NO, "v > 1", "v>1", "v < 4 OR id = 0"],
    "on_null": ["breach", "keep"],
}
SLOTS: dict[str, dict[str, list[Any]]] = {
    "integer": {
        "type": ["int8", "int16", "int32", "uint8", "uint16", "int64", "uint64", "integer", "float32", "float64", "decimal(6,2)"],
        "min": [NO, NO, 0, 1, 0.5, 2], "max": [NO, NO, 3, 3.5, 4], "enum": [NO, NO, NO, [0, 1, 2], [1, 2, 3], [2]], **ORDERED,
    },
    "number": {
        "type": ["float32", "float64", "number"], "min": [NO, 0, 0.5, 1], "max": [NO, 2, 3.5], "allow_nan": [False, True],
        "lowered": [NO, NO, "range", "not_finite"], "rule": [NO, "v > 1"], "on_null": ["breach", "keep"],
    },
    "decimal": {
        "type": ["decimal(5,2)", "decimal(6,2)", "decimal(7,3)", "decimal(4,2)"], "min": [NO, 0, 1.25], "max": [NO, 3, 3.75], **ORDERED,
    },
    "string": {
        "type": ["string"], "pattern": [NO, NO, "[ab]+", "[a-z ]*"], "min_length": [NO, NO, 0, 1, 2], "max_length": [NO, NO, 1, 2, 3], "trimmed": [False, True],
        "not_blank": [NO, NO, "space", "ascii", "unicode"], "enum": [NO, NO, NO, ["a", "ab"], ["a", "b", ""]], "lowered": [NO, "length", "blank", "pattern"],
        "rule": [NO, NO, "LENGTH(v) > 1", "v <> 'a'"], "on_null": ["breach", "keep"],
    },
    "timestamp": {"type": ["timestamp[ms]", "timestamp[us]", "timestamp"], "max": [NO, "2026-10-01", "2026-10-01T12:00:00", "2026-10-02"], "min": [NO, "2026-10-01", "2026-10-01T12:00:00"]},
}  # fmt: skip
VALUES: dict[str, list[Any]] = {
    "integer": [0, 1, 2, 3, 4, 100],
    "number": [0.0, 0.5, 1.0, 1.5, 2.0, 4.0, float("nan"), float("inf")],
    "decimal": [Decimal(0), Decimal("1.25"), Decimal("3.00"), Decimal("3.75"), Decimal("4.00")],
    "string": ["", " ", "\u00a0", "\t", "a", "b", "ab", " a", "abc", "z z"],
    "timestamp": [datetime(2026, 9, 30, 23), datetime(2026, 10, 1), datetime(2026, 10, 1, 12), datetime(2026, 10, 1, 23, 59, 59, 999000), datetime(2026, 10, 2)],
}  # fmt: skip
_READ_AS = {
    "integer": pl.Int64(), "number": pl.Float64(), "decimal": pl.Decimal(20, 4), "string": pl.String(), "timestamp": pl.Datetime("us"),
}  # fmt: skip
_LIVES_WITH = ("new_fields", "new_enum_values", "nulls", "wider_types", "empty_deliveries")


def contract_of(slots: Slots) -> Contract:
    """The contract in which the slots say what is promised of field `v`. Raises InvalidContractError for slots that do not fit."""
    field = {"name": "v"} | {
        name: slots[name]
        for name in ("type", "required", "nullable", "min", "max", "enum", "pattern", "min_length", "max_length", "not_blank", "trimmed", "allow_nan")
        if slots.get(name) is not None
    }  # fmt: skip
    if slots.get("lowered"):
        field["severity"] = {slots["lowered"]: "warn"}
    document: dict[str, Any] = {
        "contract": "cases", "version": "1.0.0", "fields": [{"name": "id", "type": "int64"}, field],
        "rows": {"min": slots["min_rows"], "max": slots["max_rows"]}, "delivery": {"format": {"type": "parquet"}},
        "owners": {"producer": {"name": "shop"}, "consumers": [{"name": "report", "tolerates": dict.fromkeys(_LIVES_WITH, True)}]},
    }  # fmt: skip
    if slots["max_rows"] is None:
        del document["rows"]["max"]
    if slots["key"]:
        document["key"] = slots["key"]
    if slots["duplicate_rows"]:
        document["duplicate_rows"] = slots["duplicate_rows"]
    if slots["unique"]:
        document["unique"] = [{"name": "u", "fields": slots["unique"]}]
    if slots.get("rule"):
        document["rules"] = [{"name": "r", "sql": slots["rule"], "on_null": slots["on_null"]}]
    return parse_contract(_unquoted(json.dumps(document)), "cases.yaml")


def _unquoted(text: str) -> str:
    """Moments are no texts in YAML."""
    for moment in ("2026-10-01", "2026-10-01T12:00:00", "2026-10-02"):
        text = text.replace(f'"{moment}"', moment)
    return text


def fits(slots: Slots) -> bool:
    try:
        contract_of(slots)
    except InvalidContractError:
        return False
    return True


def slots_of(kind: str) -> st.SearchStrategy[Slots]:
    """What a contract promises of a field of this kind."""
    options = SLOTS[kind] | ANY_KIND
    return st.fixed_dictionaries({name: st.sampled_from(values) for name, values in options.items()}).filter(fits)


@st.composite
def pairs(draw: Draw, edits: int, among: tuple[str, ...] = ()) -> tuple[str, Slots, Slots]:
    """The kind of value, and what two contracts promise that differ in so many slots at most."""
    kind = draw(st.sampled_from(sorted(SLOTS)))
    options = SLOTS[kind] | ANY_KIND
    old = draw(slots_of(kind))
    edited = draw(
        st.sets(st.sampled_from([name for name in options if not among or name in among]), min_size=1, max_size=edits)
    )
    others = {name: [option for option in options[name] if option != old[name]] for name in sorted(edited)}
    new = old | {name: draw(st.sampled_from(other)) for name, other in others.items() if other}
    return kind, old, new


@st.composite
def rows(draw: Draw, kind: str, type_: str) -> pl.DataFrame:
    """Rows of the physical type that goes with a promised one, sometimes without the column, nulls among the values."""
    count = draw(st.sampled_from([0, 1, 1, 1, 1, 2, 2, 3]))
    values = draw(st.lists(st.sampled_from([*VALUES[kind], *VALUES[kind], None]), min_size=count, max_size=count))
    ids = draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    column = pl.Series(values, dtype=_READ_AS[kind]).cast(physical(type_))
    frame = pl.DataFrame({"id": pl.Series(ids, dtype=pl.Int64), "v": column})
    return frame.drop("v") if draw(st.sampled_from([False, False, False, False, True])) else frame


def physical(type_: str) -> pl.DataType:
    """The physical type of a promised one, for a family the one that its text is decoded to."""
    return decoded_dtype(LogicalType.parse(type_))
