"""The published columns: in the contract's order, in types that change no value, or refused before anything is written."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import polars as pl
import pytest
from deltalake import DeltaTable

from contract_core.errors import PublicationError
from tests.publication.samples import BY_REGION, CASES, DAY, WHOLE, Site, contract_of, publications, rows
from tests.publication.unchanged import unchanged

TYPES = 'contract: cases\nversion: "1.0.0"\ndelivery: {format: {type: parquet}}\nfields:\n'


def publish_column(site: Site, type_text: str, values: pl.Series, more: str = "") -> pl.Series:
    contract = contract_of(f"{TYPES}  - {{name: x, type: '{type_text}', nullable: true{more}}}\n")
    site.accept(contract, pl.DataFrame({"x": values}), None)
    return pl.read_delta(str(site.table()))["x"]


NINE = datetime(2026, 10, 1, 9, 30, 0, 250)
STORED = {
    "small integer of the family": ("integer", pl.Series([1, None], dtype=pl.Int8), pl.Int64, [1, None]),
    "unsigned integer of the family": ("integer", pl.Series([4_000_000_000], dtype=pl.UInt32), pl.Int64, [4_000_000_000]),
    "large unsigned integer of the family": ("integer", pl.Series([2**63 - 1, None], dtype=pl.UInt64), pl.Int64, [2**63 - 1, None]),
    "exact int8": ("int8", pl.Series([-128], dtype=pl.Int8), pl.Int8, [-128]),
    "exact int32": ("int32", pl.Series([7], dtype=pl.Int32), pl.Int32, [7]),
    "uint8": ("uint8", pl.Series([255], dtype=pl.UInt8), pl.Int16, [255]),
    "uint16": ("uint16", pl.Series([65_535], dtype=pl.UInt16), pl.Int32, [65_535]),
    "uint32": ("uint32", pl.Series([2**32 - 1], dtype=pl.UInt32), pl.Int64, [2**32 - 1]),
    "uint64": ("uint64", pl.Series([2**64 - 1], dtype=pl.UInt64), pl.Decimal(20, 0), [Decimal(2**64 - 1)]),
    "float32 of the family": ("number", pl.Series([0.1], dtype=pl.Float32), pl.Float64, [0.10000000149011612]),
    "exact float32": ("float32", pl.Series([0.5], dtype=pl.Float32), pl.Float32, [0.5]),
    "decimal": ("decimal(10,2)", pl.Series([Decimal("1.50")], dtype=pl.Decimal(10, 2)), pl.Decimal(10, 2), [Decimal("1.50")]),
    "decimal of the family": ("number", pl.Series([Decimal("1.50")], dtype=pl.Decimal(9, 2)), pl.Decimal(9, 2), [Decimal("1.50")]),
    "categorical": ("string", pl.Series(["a", None], dtype=pl.Categorical), pl.String, ["a", None]),
    "enum": ("string", pl.Series(["b"], dtype=pl.Enum(["a", "b"])), pl.String, ["b"]),
    "boolean": ("boolean", pl.Series([True, None]), pl.Boolean, [True, None]),
    "nanoseconds": ("timestamp", pl.Series([NINE], dtype=pl.Datetime("ns")), pl.Datetime("us"), [NINE]),
    "milliseconds": ("timestamp", pl.Series([datetime(2026, 1, 1)], dtype=pl.Datetime("ms")), pl.Datetime("us"), [datetime(2026, 1, 1)]),
    "nanoseconds before 1970": ("timestamp", pl.Series([datetime(1969, 1, 1, 0, 0, 0, 1)], dtype=pl.Datetime("ns")), pl.Datetime("us"), [datetime(1969, 1, 1, 0, 0, 0, 1)]),
    "a zone": (
        "timestamp",
        pl.Series([NINE]).dt.replace_time_zone("Europe/Amsterdam"),
        pl.Datetime("us", "UTC"),
        [datetime(2026, 10, 1, 7, 30, 0, 250, tzinfo=UTC)],
    ),
    "time": ("time", pl.Series([time(9, 5), time(9, 5, 0, 20), None]), pl.String, ["09:05:00", "09:05:00.000020", None]),
    "duration": ("duration", pl.Series([timedelta(seconds=-1)], dtype=pl.Duration("us")), pl.Int64, [-1_000_000]),
    "duration in ms": ("duration", pl.Series([timedelta(seconds=2)], dtype=pl.Duration("ms")), pl.Int64, [2_000_000]),
    "duration in ns": ("duration", pl.Series([timedelta(microseconds=-3)], dtype=pl.Duration("ns")), pl.Int64, [-3]),
    "binary": ("binary", pl.Series([b"\x00\xff"]), pl.Binary, [b"\x00\xff"]),
    "array": ("array", pl.Series([[1, 255]], dtype=pl.Array(pl.UInt8, 2)), pl.List(pl.Int16), [[1, 255]]),
    "object": ("object", pl.Series([{"a": "x"}], dtype=pl.Struct({"a": pl.Categorical})), pl.Struct({"a": pl.String}), [{"a": "x"}]),
    "array as JSON text": ("array", pl.Series(["[1]"]), pl.String, ["[1]"]),
    "nothing but nulls": ("date", pl.Series([None, None]), pl.Date, [None, None]),
}  # fmt: skip


@pytest.mark.parametrize("type_text, values, stored, expected", STORED.values(), ids=STORED)
def test_every_type_is_stored_without_changing_a_value(site, type_text, values, stored, expected):
    column = publish_column(site, type_text, values)
    assert column.dtype == stored
    assert sorted(column.to_list(), key=repr) == sorted(expected, key=repr)


REFUSED = {
    "text for integers": ("integer", pl.Series(["7"]), "String"),
    "floats for integers": ("integer", pl.Series([1.5]), "Float64"),
    "booleans for integers": ("integer", pl.Series([True]), "Boolean"),
    "integers for numbers": ("number", pl.Series([7]), "Int64"),
    "a wider exact type": ("int32", pl.Series([7], dtype=pl.Int64), "Int64"),
    "text for dates": ("date", pl.Series(["2026-10-01"]), "String"),
    "above 64 bits": ("integer", pl.Series([2**63, None], dtype=pl.UInt64), "1 rows"),
    "between microseconds": ("timestamp", pl.Series([1_001], dtype=pl.Int64).cast(pl.Datetime("ns")), "1 rows"),
    "milliseconds beyond microseconds": (
        "timestamp",
        pl.Series([2**61], dtype=pl.Int64).cast(pl.Datetime("ms"), strict=False),
        "1 rows",
    ),
    "durations between microseconds": ("duration", pl.Series([-1], dtype=pl.Int64).cast(pl.Duration("ns")), "1 rows"),
    "moments inside a list": ("array", pl.Series([[NINE]], dtype=pl.List(pl.Datetime("ns"))), "exactly"),
}


@pytest.mark.parametrize("type_text, values, said", REFUSED.values(), ids=REFUSED)
def test_a_value_that_would_change_is_refused_before_writing(site, type_text, values, said):
    with unchanged(site.root / "published"), pytest.raises(PublicationError, match=said) as refused:
        publish_column(site, type_text, values)
    assert "'x'" in str(refused.value)
    assert "1001" not in str(refused.value)


@pytest.mark.parametrize("type_text", ["string", "integer", "int8", "uint64", "number", "float32", "decimal(9,2)", "boolean", "date",
    "timestamp", "timestamp[us,UTC]", "timestamp[ns]", "time", "duration", "binary", "object", "array"])  # fmt: skip
def test_an_absent_optional_field_makes_room_for_the_next_delivery(site, type_text):
    contract = contract_of(
        f"{TYPES}  - {{name: k, type: integer}}\n  - {{name: x, type: '{type_text}', required: false, nullable: true}}\n"
    )
    site.accept(contract, pl.DataFrame({"k": [1]}), None)
    nulls = pl.DataFrame({"k": [2], "x": [None]})
    site.accept(contract, nulls, None)
    assert site.shown() == [(2, None)]


def test_an_absent_field_keeps_the_type_that_the_table_has_for_it(site):
    contract = contract_of(
        f"{TYPES}  - {{name: k, type: integer}}\n  - {{name: x, type: timestamp, required: false, nullable: true}}\n"
    )
    site.accept(contract, pl.DataFrame({"k": [1], "x": [datetime(2026, 1, 1, tzinfo=UTC)]}), None)
    site.accept(contract, pl.DataFrame({"k": [2]}), None)
    assert pl.read_delta(str(site.table())).schema["x"] == pl.Datetime("us", "UTC")


def test_only_contract_columns_are_published_in_contract_order(site):
    contract = contract_of(CASES + "extra_fields: ignore\n")
    frame = rows("a").select(
        "n", "day", "region", pl.lit("secret").alias("extra"), __row=pl.lit(1), **{"__raw.n": pl.lit("x")}
    )
    site.accept(contract, frame)
    assert pl.read_delta(str(site.table())).columns == ["region", "day", "n"]


def test_kept_extra_columns_follow_and_extend_the_table(site):
    contract = contract_of(CASES + "extra_fields: keep\n")
    site.accept(contract, rows("a").with_columns(extra=pl.lit(1, pl.UInt8), __row=pl.lit(1)))
    second = rows("b", day="2026-10-02").with_columns(further=pl.lit("x"))
    site.accept(contract, second, "2026-10-02")
    published = pl.read_delta(str(site.table()))
    assert dict(published.schema) == {
        "region": pl.String,
        "day": pl.Date,
        "n": pl.Int64,
        "extra": pl.Int16,
        "further": pl.String,
    }
    assert published.columns[-1] == "further"
    assert site.shown() == [("a", date(2026, 10, 1), 1, 1, None), ("b", date(2026, 10, 2), 1, None, "x")]


def test_an_extra_column_is_never_named_where_its_type_is_refused(site):
    contract = contract_of(CASES + "extra_fields: keep\n")
    site.accept(contract, rows("a").with_columns(secret_name=pl.lit(1)))
    with unchanged(site.table()), pytest.raises(PublicationError, match="<extra>") as refused:
        site.accept(contract, rows("a").with_columns(secret_name=pl.lit("text")))
    assert "secret_name" not in str(refused.value)


NEXT = CASES.replace('"1.0.0"', '"1.1.0"').replace(
    "delivery:", "  - {name: note, type: string, required: false, nullable: true}\ndelivery:"
)
MIDDLE = CASES.replace("  - {name: n,", "  - {name: note, type: string, nullable: true}\n  - {name: n,")


@pytest.mark.parametrize("text", [NEXT, MIDDLE], ids=["at the end", "in the middle"])
def test_a_new_optional_field_adds_its_column_and_keeps_other_partitions(site, text):
    site.accept(contract_of(), rows("a"))
    site.accept(contract_of(text), rows("b", day="2026-10-02").with_columns(note=pl.lit("x")), "2026-10-02")
    assert pl.read_delta(str(site.table())).columns == ["region", "day", "n", "note"]
    assert len(publications(site.table())) == 2
    assert site.shown() == [("a", date(2026, 10, 1), 1, None), ("b", date(2026, 10, 2), 1, "x")]
    site.accept(contract_of(text), rows("c").with_columns(note=pl.lit(None, pl.String)))
    assert [row[0] for row in site.shown()] == ["b", "c"]


MIGRATIONS = {
    "a field that must be there": (
        CASES.replace("delivery:", "  - {name: must, type: string}\ndelivery:"),
        {"must": pl.lit("x")},
        "must",
    ),
    "another type": (
        CASES.replace("type: integer", "type: string"),
        {"n": pl.lit("7")},
        "Int64 in the published table and String",
    ),
    "a removed field": (CASES.replace("  - {name: n, type: integer}\n", ""), {}, "does not declare: its column 3"),
}


@pytest.mark.parametrize("text, changed, said", MIGRATIONS.values(), ids=MIGRATIONS)
def test_a_table_that_does_not_fit_is_left_alone(site, text, changed, said):
    site.accept(contract_of(), rows("a"))
    with unchanged(site.table()), pytest.raises(PublicationError, match=said):
        site.accept(contract_of(text), rows("b").with_columns(**changed))


def test_all_misfits_are_told_at_once(site):
    site.accept(contract_of(), rows("a"))
    text = CASES.replace("type: integer", "type: string").replace("name: region", "name: area")
    with pytest.raises(PublicationError) as refused:
        site.accept(contract_of(text), rows("b").with_columns(n=pl.lit("7")).rename({"region": "area"}))
    assert len(refused.value.problems) == 3


def test_an_older_version_never_empties_a_newer_column(site):
    site.accept(contract_of(), rows("z", day="2026-10-02"), "2026-10-02")
    site.accept(contract_of(NEXT), rows("a").with_columns(note=pl.lit("x")))
    for day in (DAY, "2026-10-03"):
        with (
            unchanged(site.table()),
            pytest.raises(PublicationError, match=r"1\.0\.0 does not declare: its column [0-9]") as refused,
        ):
            site.accept(contract_of(), rows("b", day=day), day)
        assert "under the version that declares it" in str(refused.value)
    site.accept(contract_of(NEXT), rows("b").with_columns(note=pl.lit("y")))
    assert [row[0] for row in site.shown()] == ["b", "z"]


def columns_at(site: Site, version: int) -> list[str]:
    return [field.name for field in DeltaTable(site.table(), version=version).schema().fields]


ADDED = {
    "naive moment": ("timestamp", pl.lit(NINE)),
    "aware moment": ("timestamp[us,UTC]", pl.lit(NINE).dt.replace_time_zone("UTC")),
    "record": ("object", pl.struct(a=pl.lit(1), b=pl.concat_list(pl.lit("x")))),
    "decimal": ("decimal(10,2)", pl.lit(Decimal("1.50")).cast(pl.Decimal(10, 2))),
    "absent": ("string", None),
}


@pytest.mark.parametrize("text", [CASES, BY_REGION, WHOLE], ids=["by day", "by value", "whole"])
@pytest.mark.parametrize("type_text, value", ADDED.values(), ids=ADDED)
def test_a_column_of_any_type_is_added_before_its_rows(site, text, type_text, value):
    key = {CASES: DAY, BY_REGION: "a", WHOLE: None}[text]
    wider = text.replace(
        "delivery:", f"  - {{name: more, type: '{type_text}', required: false, nullable: true}}\ndelivery:"
    )
    site.accept(contract_of(text), rows("a"), key)
    site.accept(contract_of(wider), rows("a") if value is None else rows("a").with_columns(more=value), key)
    first, second = publications(site.table())
    assert "more" not in columns_at(site, first)
    assert "more" in columns_at(site, second - 1)
    assert columns_at(site, second) == columns_at(site, second - 1)
    assert second == DeltaTable(site.table()).version()
    assert len(site.shown()) == 1
    assert (site.shown()[0][3] is None) == (value is None)


def test_columns_are_matched_by_name_and_never_by_place(site):
    texts = ["contract: cases\nversion: '1.0.0'\ndelivery: {format: {type: parquet}}\nfields:\n" + "".join(
        f"  - {{name: {name}, type: string, nullable: true}}\n" for name in names) for names in ("ab", "ba", "cba")]  # fmt: skip
    frame = pl.DataFrame({"c": ["C"], "b": ["B"], "a": ["A"]})
    for text in texts:
        site.accept(contract_of(text), frame.select(contract_of(text).field_names), None)
        shown = site.store.rows("cases").collect()
        assert {name: shown[name][0] for name in shown.columns} == {name: name.upper() for name in shown.columns}
