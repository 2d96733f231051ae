"""The published table: what is written, what is replaced, and what is refused before anything is written."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from urllib.parse import unquote

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

from contract_core.errors import PublicationConflictError, PublicationError
from contract_core.publication import store as store_module
from contract_core.publication.decision import Verdict
from contract_core.publication.markers import encoded, gate_marker, marker_number, partition_marker
from contract_core.publication.store import Authorisation, Shown, Store
from tests.publication.samples import BY_REGION, CASES, DAY, NOW, WHOLE, Site, contract_of, rows
from tests.publication.unchanged import unchanged

TYPES = 'contract: cases\nversion: "1.0.0"\ndelivery: {format: {type: parquet}}\nfields:\n'


@pytest.fixture
def site(tmp_path) -> Site:
    return Site(tmp_path)


def allowed(_: int | None) -> Authorisation:
    return Authorisation(Verdict.PUBLISH, "e" * 64, NOW)


def publish_column(site: Site, type_text: str, values: pl.Series, more: str = "") -> pl.Series:
    contract = contract_of(f"{TYPES}  - {{name: x, type: '{type_text}', nullable: true{more}}}\n")
    site.store.publish_partition(contract, site.take(contract, pl.DataFrame({"x": values}), None), allowed)
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
    assert published.schema == {
        "region": pl.String,
        "day": pl.Date,
        "n": pl.Int64,
        "extra": pl.Int16,
        "further": pl.String,
    }
    assert sorted(published.rows()) == [("a", date(2026, 10, 1), 1, 1, None), ("b", date(2026, 10, 2), 1, None, "x")]


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
    "a removed field": (CASES.replace("  - {name: n, type: integer}\n", ""), {}, "does not declare: 'n'"),
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


def test_only_the_delivered_partition_is_replaced(site):
    contract = contract_of()
    for day in range(1, 6):
        site.accept(contract, rows("a", "b", day=f"2026-10-0{day}"), f"2026-10-0{day}")
    site.accept(contract, rows("c", day="2026-10-03"), "2026-10-03")
    assert [str(row[1])[-1] + row[0] for row in sorted(site.shown(), key=lambda row: row[1])] == [
        "1a",
        "1b",
        "2a",
        "2b",
        "3c",
        "4a",
        "4b",
        "5a",
        "5b",
    ]


def test_an_accepted_empty_candidate_empties_its_partition_and_leaves_its_marker(site):
    contract = contract_of(CASES + "rows: {min: 0}\n")
    site.accept(contract, rows("a"))
    site.accept(contract, rows("b", day="2026-10-02"), "2026-10-02")
    empty = site.accept(contract, rows())
    assert [row[0] for row in site.shown()] == ["b"]
    assert site.store.current("cases", DAY) == Shown(2, marker_number(empty.submission))
    assert site.accept(contract, rows()).already_published


def test_a_first_candidate_may_be_empty(site):
    contract = contract_of(CASES + "rows: {min: 0}\n")
    assert site.accept(contract, rows()).table_version == 0
    assert pl.read_delta(str(site.table())).schema == {"region": pl.String, "day": pl.Date, "n": pl.Int64}
    site.accept(contract, rows("a"))
    assert [row[0] for row in site.shown()] == ["a"]


HARD_VALUES = [
    "Valle d'Aosta",
    "' OR true --",
    "a\\b",
    "0.94-to-0.95",
    "0.94-to-0.96",
    "50% =x",
    "gate",
    "table",
    "Größe",
    'quo"te',
    "a=b&c",
]


def test_partition_values_are_quoted_and_never_share_rows_or_markers(site):
    contract = contract_of(BY_REGION)
    for value in HARD_VALUES:
        site.accept(contract, rows(value, n=1), value)
    for value in HARD_VALUES:
        site.accept(contract, rows(value, value, n=2), value)
    assert [row[0] for row in site.shown()] == sorted(HARD_VALUES * 2)
    assert {row[2] for row in site.shown()} == {2}
    markers = {partition_marker("cases", value) for value in [*HARD_VALUES, None, "gate", "table"]} | {
        gate_marker("cases")
    }
    assert len(markers) == len(HARD_VALUES) + 2
    assert [unquote(encoded(value)) for value in HARD_VALUES] == HARD_VALUES


VALUE_PARTITIONS = {
    "integer": ("n", "integer", "7", rows("a", n=7), rows("a", n=8)),
    "date": ("day", "date", "2026-10-01", rows("a"), rows("a", day="2026-10-02")),
    "uint64": ("n", "uint64", "7", rows("a", n=7).cast({"n": pl.UInt64}), rows("a", n=8).cast({"n": pl.UInt64})),
}


@pytest.mark.parametrize("column, type_text, key, own, other", VALUE_PARTITIONS.values(), ids=VALUE_PARTITIONS)
def test_a_partition_by_value_takes_its_own_rows_only(site, column, type_text, key, own, other):
    text = BY_REGION.replace("{column: region}", f"{{column: {column}}}")
    contract = contract_of(text.replace("type: integer", f"type: {type_text if column == 'n' else 'integer'}"))
    site.accept(contract, own, key)
    with unchanged(site.table()), pytest.raises(PublicationError, match="1 rows lie outside"):
        site.accept(contract, pl.concat([own, other]), key)


@pytest.mark.parametrize("key", ["07", "+7", "x", "7.0", " 7"])
def test_an_integer_partition_has_one_spelling(site, key):
    contract = contract_of(BY_REGION.replace("{column: region}", "{column: n}"))
    with pytest.raises(PublicationError, match="as the gate writes it"):
        site.accept(contract, rows("a", n=7), key)


def spans(every: str, column_type: str, zone: str = "UTC") -> str:
    terms = f"{{every: {every}, column: at, timezone: {zone}, start: 2026-01-01}}"
    return (
        f'contract: cases\nversion: "1.0.0"\nfields:\n  - {{name: at, type: {column_type}}}\n  - {{name: n, type: integer}}\n'
        + (f'delivery: {{path: "x/{{partition}}/*.parquet", format: {{type: parquet}}, partition: {terms}}}\n')
    )


def at(*moments: datetime | date, n: int = 1) -> pl.DataFrame:
    return pl.DataFrame({"at": list(moments), "n": [n] * len(moments)})


SPANS = {
    "a day of moments in UTC": (
        spans("day", "timestamp"), DAY,
        [datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 10, 1, 23, 59, 59, 999999, tzinfo=UTC)],
        [datetime(2026, 9, 30, 23, 59, 59, 999999, tzinfo=UTC), datetime(2026, 10, 2, tzinfo=UTC)],
    ),
    "a day of moments in another zone": (
        spans("day", "timestamp", "Europe/Amsterdam"), DAY,
        [datetime(2026, 9, 30, 22, tzinfo=UTC), datetime(2026, 10, 1, 21, 59, tzinfo=UTC)],
        [datetime(2026, 9, 30, 21, 59, tzinfo=UTC), datetime(2026, 10, 1, 22, tzinfo=UTC)],
    ),
    "a day of 25 hours": (
        spans("day", "timestamp", "Europe/Amsterdam"), "2026-10-25",
        [datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 22, 59, tzinfo=UTC)],
        [datetime(2026, 10, 25, 23, tzinfo=UTC)],
    ),
    "a day on the wall": (
        spans("day", "timestamp", "Europe/Amsterdam"), DAY,
        [datetime(2026, 10, 1), datetime(2026, 10, 1, 23, 59)],
        [datetime(2026, 9, 30, 23, 59), datetime(2026, 10, 2)],
    ),
    "an hour": (
        spans("hour", "timestamp"), "2026-10-01-13:00",
        [datetime(2026, 10, 1, 13, tzinfo=UTC), datetime(2026, 10, 1, 13, 59, 59, tzinfo=UTC)],
        [datetime(2026, 10, 1, 12, 59, 59, tzinfo=UTC), datetime(2026, 10, 1, 14, tzinfo=UTC)],
    ),
    "a week of dates": (
        spans("week", "date"), "2026-09-27", [date(2026, 9, 27), date(2026, 10, 3)], [date(2026, 9, 26), date(2026, 10, 4)],
    ),
    "a month of dates": (
        spans("month", "date"), "2026-12-01", [date(2026, 12, 1), date(2026, 12, 31)], [date(2026, 11, 30), date(2027, 1, 1)],
    ),
    "a month of moments": (
        spans("month", "timestamp"), "2026-12-01", [datetime(2026, 12, 31, 23, tzinfo=UTC)], [datetime(2027, 1, 1, tzinfo=UTC)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("text, key, inside, outside", SPANS.values(), ids=SPANS)
def test_a_span_of_time_replaces_just_itself(site, text, key, inside, outside):
    contract = contract_of(text)
    site.accept(contract, at(*inside), key)
    write_deltalake(site.table(), at(*outside, n=9), mode="append")
    site.accept(contract, at(inside[0], n=2), key)
    assert sorted(row[1] for row in site.shown()) == [2] + [9] * len(outside)
    with unchanged(site.table()), pytest.raises(PublicationError, match="1 rows lie outside"):
        site.accept(contract, at(*inside, outside[0]), key)


def test_a_contract_without_partitions_replaces_the_whole_table(site):
    contract = contract_of(WHOLE)
    site.accept(contract, rows("a", "b"), None)
    site.accept(contract, rows("c"), None)
    assert [row[0] for row in site.shown()] == ["c"]


@pytest.mark.parametrize("text, partition", [(WHOLE, DAY), (CASES, None)], ids=["one too many", "none"])
def test_a_partition_is_named_exactly_where_there_are_some(site, text, partition):
    with pytest.raises(PublicationError, match="exactly where"):
        site.accept(contract_of(text), rows("a"), partition)


def test_the_commit_itself_says_what_was_published(site):
    contract = contract_of()
    record = site.accept(contract, rows("a"))
    commit = DeltaTable(site.table()).history(1)[0]
    assert commit["submission"] == record.submission
    assert (commit["contract"], commit["contract_version"], commit["contract_digest"]) == (
        "cases",
        "1.0.0",
        contract.digest,
    )
    assert (commit["partition"], commit["decision"], commit["decided_at"], commit["rows"]) == (
        DAY,
        "publish",
        NOW.isoformat(),
        "1",
    )
    assert len(commit["candidate_digest"]) == len(commit["report_digest"]) == 64


def test_the_table_alone_says_which_submission_a_partition_shows(site):
    record = site.accept(contract_of(), rows("a"))
    assert site.store.current("cases", DAY) == Shown(0, marker_number(record.submission))
    assert site.store.current("cases", "2026-10-02") == Shown(0, None)
    assert site.store.current("other", DAY) is None
    assert site.store.commit_of("cases", record.submission) == 0
    assert DeltaTable(site.table()).transaction_version(gate_marker("cases")) == 0


def test_a_marker_is_a_positive_63_bit_number():
    assert marker_number("f" * 64) == 2**63 - 1
    assert marker_number("0" * 64) == 0


def interrupting(monkeypatch, act):
    """Calls `act` once, after the handle was opened and before it writes."""
    write, todo = store_module.write_deltalake, [act]

    def write_later(*args, **kwargs):
        if todo:
            todo.pop()()
        return write(*args, **kwargs)

    monkeypatch.setattr(store_module, "write_deltalake", write_later)


FOREIGN = {
    "in the same partition": (rows("x"), ["a"]),
    "in another partition": (rows("x", day="2026-10-05"), ["a", "x"]),
}


@pytest.mark.parametrize("stranger, expected", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_commit_in_between_is_not_lost_in_silence(site, monkeypatch, stranger, expected):
    contract = contract_of()
    site.accept(contract, rows("z"))
    candidate = site.take(contract, rows("a"))
    interrupting(monkeypatch, lambda: write_deltalake(site.table(), stranger, mode="append"))
    commit = site.store.publish_partition(contract, candidate, allowed)
    assert [row[0] for row in site.shown()] == expected
    assert commit.version == DeltaTable(site.table()).version() == 2


def test_a_foreign_commit_in_between_is_seen_where_the_whole_table_is_replaced(site, monkeypatch):
    contract = contract_of(WHOLE)
    site.accept(contract, rows("z"), None)
    interrupting(monkeypatch, lambda: write_deltalake(site.table(), rows("x"), mode="append"))
    asked = []
    site.store.publish_partition(
        contract, site.take(contract, rows("a"), None), lambda shown: asked.append(shown) or allowed(shown)
    )
    assert [row[0] for row in site.shown()] == ["a"]
    assert len(asked) == 2


def test_a_rival_creation_in_between_loses_nothing(site, monkeypatch):
    contract = contract_of()
    first, second = site.take(contract, rows("a")), site.take(contract, rows("b", day="2026-10-02"), "2026-10-02")
    interrupting(monkeypatch, lambda: site.store.publish_partition(contract, second, allowed))
    site.store.publish_partition(contract, first, allowed)
    assert [row[0] for row in site.shown()] == ["a", "b"]


def test_a_rival_that_wins_every_time_is_told_as_a_conflict(site, monkeypatch):
    contract = contract_of()
    site.accept(contract, rows("z"))
    candidate = site.take(contract, rows("a"))
    monkeypatch.setattr(store_module, "wait", lambda *_: None)
    write = store_module.write_deltalake

    def always_late(*args, **kwargs):
        write(site.table(), rows("x"), mode="append")
        return write(*args, **kwargs)

    monkeypatch.setattr(store_module, "write_deltalake", always_late)
    with pytest.raises(PublicationConflictError, match="12 times"):
        site.store.publish_partition(contract, candidate, allowed)
    assert {row[0] for row in site.shown()} == {"z", "x"}


def test_a_write_that_succeeded_but_reported_an_error_counts_as_written(site, monkeypatch):
    contract = contract_of()
    write = store_module.write_deltalake

    def lying(*args, **kwargs):
        write(*args, **kwargs)
        raise OSError("the answer was lost")

    monkeypatch.setattr(store_module, "write_deltalake", lying)
    for _ in range(2):
        site.store.publish_partition(contract, site.take(contract, rows("a", "b")), allowed)
    assert len(site.shown()) == 2
    assert DeltaTable(site.table()).version() == 0


class Panic(BaseException):
    """As pyo3 raises it."""


@pytest.mark.parametrize("kind", [Exception, ValueError, Panic], ids=lambda kind: kind.__name__)
def test_the_words_of_the_library_never_leave(site, monkeypatch, kind):
    def failing(*args, **kwargs):
        raise kind("secret-value")

    monkeypatch.setattr(store_module, "write_deltalake", failing)
    with unchanged(site.table()), pytest.raises(PublicationError, match=kind.__name__) as refused:
        site.store.publish_partition(contract_of(), site.take(contract_of(), rows("a")), allowed)
    assert "secret-value" not in str(refused.value)
    assert refused.value.__context__ is None
    assert refused.value.__cause__ is None


def test_a_constraint_of_the_table_refuses_without_showing_rows(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    DeltaTable(site.table()).alter.add_constraint({"small": "n < 100"})
    with unchanged_rows(site), pytest.raises(PublicationError) as refused:
        site.accept(contract, rows("secret-value", n=31337))
    assert "31337" not in str(refused.value)
    assert "secret-value" not in str(refused.value)
    assert refused.value.__context__ is None


def unchanged_rows(site: Site):
    """Like `unchanged`, without the data files that a failed write may leave behind."""
    from contextlib import contextmanager

    from tests.publication.unchanged import table_state

    @contextmanager
    def held():
        before = table_state(site.table())
        yield
        after = table_state(site.table())
        assert (after.version, after.content) == (before.version, before.content)

    return held()


def test_a_table_that_cannot_be_opened_is_never_taken_for_a_missing_one(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    site.accept(contract, rows("b"))
    (site.table() / "_delta_log" / f"{1:020d}.json").write_text("{broken")
    candidate = site.take(contract, rows("c"))
    before = sorted(file.name for file in site.table().rglob("*"))
    with pytest.raises(PublicationError, match="cannot be opened"):
        site.store.publish_partition(contract, candidate, allowed)
    assert sorted(file.name for file in site.table().rglob("*")) == before


def test_what_a_crashed_first_write_left_behind_does_no_harm(site):
    contract = contract_of()
    orphan = site.table() / "day=2026-10-01" / "part-orphan.parquet"
    orphan.parent.mkdir(parents=True)
    rows("orphan").write_parquet(orphan)
    (site.table() / "_delta_log").mkdir()
    site.accept(contract, rows("a"))
    assert [row[0] for row in site.shown()] == ["a"]


def test_the_store_touches_nothing_when_it_is_not_authorised(site):
    contract = contract_of()
    site.accept(contract, rows("a"))

    def closed(_: int | None) -> Authorisation:
        raise RuntimeError("closed")

    with unchanged(site.table()), pytest.raises(RuntimeError):
        Store(site.root / "published").publish_partition(contract, site.take(contract, rows("b")), closed)
