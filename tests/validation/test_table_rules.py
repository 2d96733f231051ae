"""Each promise about the whole table: keys, repeated rows, counts, partitions and freshness."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import nan
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from contract_core.validation.past import Past
from contract_core.validation.plan import validate
from contract_core.validation.report import Outcome
from tests.validation.judged import (
    AS_OF,
    PARQUET,
    candidate_of,
    contract_of,
    finding,
    frame_of,
    report_on,
    report_on_files,
)

KEYED = "fields: [{name: a, type: string, nullable: true}, {name: d, type: date}]\nkey: [a, d]\n"
DAY = date(2026, 10, 1)


def repeats(text: str, frame: pl.DataFrame, folder: Path, name: str = "key") -> tuple[int, int, int]:
    """Values held more than once, the rows that hold them, and the rows too many."""
    details = finding(report_on(text, frame, folder), name).details
    return details["groups"], details["rows"], details["surplus_rows"]


def test_two_nulls_in_a_key_are_equal(tmp_path: Path) -> None:
    """P08, S1-026."""
    frame = frame_of({"a": pl.String, "d": pl.Date}, (None, DAY), (None, DAY), ("01", DAY), ("01", date(2026, 10, 2)))
    assert repeats(KEYED, frame, tmp_path) == (1, 2, 1)


@pytest.mark.parametrize(
    ("type_", "values", "expected"),
    [
        pytest.param("string", pl.Series(["x", "X", "x ", "x\u0301", "x"]), (1, 2, 1), id="texts differ by every code point"),
        pytest.param("string", pl.Series(["x", "x", "y"], dtype=pl.Categorical), (1, 2, 1), id="categories"),
        pytest.param("number", pl.Series([0.0, -0.0, nan, nan, 1.0]), (2, 4, 2), id="-0.0 is 0, NaN is NaN"),
        pytest.param("number", pl.Series([Decimal("1.0"), Decimal("1.00")], dtype=pl.Decimal(5, 2)), (1, 2, 1), id="decimals"),
        pytest.param("integer", pl.Series([1, 1, 1, 2, 2], dtype=pl.UInt8), (2, 5, 3), id="integers"),
        pytest.param("boolean", pl.Series([True, False, True]), (1, 2, 1), id="booleans"),
        pytest.param("time", pl.Series([time(1), time(1)]), (1, 2, 1), id="times"),
        pytest.param("duration", pl.Series([timedelta(1), timedelta(1)]), (1, 2, 1), id="durations"),
        pytest.param("binary", pl.Series([b"x", b"x"]), (1, 2, 1), id="bytes"),
        pytest.param("array", pl.Series([[1], [1], [2], []]), (1, 2, 1), id="lists"),
        pytest.param("object", pl.Series([{"x": 1}, {"x": 1}, {"x": None}]), (1, 2, 1), id="objects"),
    ],
)  # fmt: skip
def test_a_key_of_any_type_is_unique(
    tmp_path: Path, type_: str, values: pl.Series, expected: tuple[int, int, int]
) -> None:
    assert (
        repeats(
            f"fields: [{{name: a, type: {type_}, allow_nan: {'true' if type_ == 'number' else 'false'}}}]\nkey: [a]\n",
            values.alias("a").to_frame(),
            tmp_path,
        )
        == expected
    )


def test_a_filtered_uniqueness_blames_no_row_outside_its_filter(tmp_path: Path) -> None:
    """P07."""
    text = "fields: [{name: id, type: integer}, {name: status, type: string, nullable: true}]\nunique: [{name: open, fields: [id], where: status = 'open'}]\n"
    frame = frame_of(
        {"id": pl.Int64, "status": pl.String},
        (1, "open"),
        (1, "cancelled"),
        (2, "open"),
        (2, "open"),
        (3, None),
        (3, None),
    )
    assert repeats(text, frame, tmp_path, "open.unique") == (1, 2, 1)


def test_texts_that_did_not_decode_are_compared_as_texts(tmp_path: Path) -> None:
    report = report_on_files("fields: [{name: a, type: integer}]\nkey: [a]\n", {"a.csv": "a\nx\ny\nx\n1\n"}, tmp_path)
    assert (finding(report, "key").breaches, finding(report, "key").details["rows"]) == (1, 2)


def test_a_row_stands_twice_only_with_all_of_its_declared_columns(tmp_path: Path) -> None:
    text = "fields: [{name: a, type: integer}, {name: b, type: string, nullable: true}]\nextra_fields: keep\nduplicate_rows: warn\n"
    frame = frame_of(
        {"a": pl.Int64, "b": pl.String, "extra": pl.Int64},
        (1, None, 1),
        (1, None, 2),
        (1, "", 3),
        (2, "x", 4),
        (2, "x", 4),
    )
    assert repeats(text, frame, tmp_path, "duplicate_rows") == (2, 4, 2)


def test_repeated_rows_are_found_among_columns_of_every_type(tmp_path: Path) -> None:
    columns: dict[str, pl.Series] = {
        "t": pl.Series([time(1)] * 2), "u": pl.Series([timedelta(1)] * 2), "x": pl.Series([b"x"] * 2), "l": pl.Series([[1.0, nan]] * 2),
        "s": pl.Series([{"x": None}] * 2), "c": pl.Series(["a"] * 2, dtype=pl.Categorical), "m": pl.Series([datetime(2026, 10, 1, tzinfo=UTC)] * 2),
    }  # fmt: skip
    types = dict(zip("tuxlscm", ("time", "duration", "binary", "array", "object", "string", "timestamp"), strict=True))
    text = f"fields: [{', '.join(f'{{name: {name}, type: {type_}}}' for name, type_ in types.items())}]\nduplicate_rows: error\n"
    assert repeats(text, pl.DataFrame(columns), tmp_path, "duplicate_rows") == (1, 2, 1)


@pytest.mark.parametrize(
    ("rows", "count", "breaches"),
    [
        pytest.param("", 0, 1, id="P03 an empty candidate does not pass by default"),
        pytest.param("", 1, 0, id="one row"),
        pytest.param("rows: {min: 0}\n", 0, 0, id="S1-070 unless the contract permits it"),
        pytest.param("rows: {min: 2}\n", 1, 1, id="below"),
        pytest.param("rows: {min: 2, max: 3}\n", 3, 0, id="at the upper bound"),
        pytest.param("rows: {min: 2, max: 3}\n", 4, 1, id="above"),
    ],
)
def test_the_number_of_rows_is_promised(tmp_path: Path, rows: str, count: int, breaches: int) -> None:
    frame = pl.DataFrame({"a": ["x"] * count}, schema={"a": pl.String})
    found = finding(report_on("fields: [{name: a, type: string}]\n" + rows, frame, tmp_path), "row_count")
    assert (found.breaches, dict(found.details)) == (breaches, {"rows": count})


def partitioned(type_: str, **terms: str) -> str:
    stated = ", ".join(f"{name}: {value}" for name, value in {"column": "a", **terms}.items())
    return f"fields: [{{name: a, type: {type_}}}]\ndelivery: {{format: {{type: parquet}}, partition: {{{stated}}}}}\n"


BY_DAY = {"every": "day", "start": "2020-01-01"}
AMSTERDAM = {**BY_DAY, "timezone": "Europe/Amsterdam"}


def at(text: str, zone: str | None = None, unit: Any = "us") -> pl.Series:
    plain = pl.Series([text]).str.to_datetime(time_unit=unit)
    return plain.dt.replace_time_zone("UTC").dt.convert_time_zone(zone) if zone else plain


@pytest.mark.parametrize(
    ("text", "values", "key", "outside"),
    [
        pytest.param(partitioned("date", **BY_DAY), pl.Series([date(2026, 9, 30), date(2026, 10, 1), date(2026, 10, 2)]), "2026-10-01", 2, id="S2-021 days"),
        pytest.param(partitioned("date", every="week", start="2020-01-01"), pl.Series([date(2026, 9, 26), date(2026, 9, 27), date(2026, 10, 3), date(2026, 10, 4)]), "2026-09-27", 2, id="weeks"),
        pytest.param(partitioned("date", every="month", start="2020-01-01"), pl.Series([date(2026, 9, 30), date(2026, 10, 1), date(2026, 10, 31), date(2026, 11, 1)]), "2026-10-01", 2, id="months"),
        pytest.param(partitioned("timestamp", **AMSTERDAM), at("2026-09-30T22:00:00", "UTC"), "2026-10-01", 0, id="S2-005 first instant of a day in the zone"),
        pytest.param(partitioned("timestamp", **AMSTERDAM), at("2026-09-30T21:59:59.999999", "UTC"), "2026-10-01", 1, id="instant before"),
        pytest.param(partitioned("timestamp", **AMSTERDAM), at("2026-10-01T22:00:00", "America/New_York"), "2026-10-01", 1, id="instant after, in a third zone"),
        pytest.param(partitioned("timestamp", **AMSTERDAM), at("2026-10-01T00:00:00"), "2026-10-01", 0, id="naive: the clock on the wall"),
        pytest.param(partitioned("timestamp", **AMSTERDAM), at("2026-10-02T00:00:00", unit="ns"), "2026-10-01", 1, id="naive: the next day"),
        pytest.param(partitioned("timestamp", **AMSTERDAM), at("2026-10-25T22:59:59", "UTC"), "2026-10-25", 0, id="day of 25 hours"),
        pytest.param(partitioned("timestamp", **AMSTERDAM), at("2026-03-29T22:00:00", "UTC"), "2026-03-29", 1, id="day of 23 hours"),
        pytest.param(partitioned("timestamp", every="hour", start="2020-01-01"), at("2026-10-01T13:59:59.999", "UTC", "ms"), "2026-10-01-13:00", 0, id="hour"),
        pytest.param(partitioned("string"), pl.Series(["Valle d'Aosta", "valle d'aosta", "x"]), "Valle d'Aosta", 2, id="P20 text"),
        pytest.param(partitioned("string"), pl.Series(["a", "b"], dtype=pl.Categorical), "a", 1, id="category"),
        pytest.param(partitioned("integer"), pl.Series([-7, 7]), "-7", 1, id="number"),
        pytest.param(partitioned("integer"), pl.Series([1, 2], dtype=pl.UInt8), "18446744073709551615", 2, id="number beyond the column"),
        pytest.param(partitioned("date"), pl.Series([DAY, date(2026, 10, 2)]), "2026-10-01", 1, id="day by value"),
    ],
)  # fmt: skip
def test_every_row_lies_in_the_partition_offered(
    tmp_path: Path, text: str, values: pl.Series, key: str, outside: int
) -> None:
    report = report_on(text, values.alias("a").to_frame(), tmp_path, partition=key)
    assert finding(report, "partition").breaches == outside


def test_a_null_in_the_partition_column_is_judged_by_its_own_rule(tmp_path: Path) -> None:
    report = report_on(
        partitioned("date", **BY_DAY), pl.Series("a", [None, DAY]).to_frame(), tmp_path, partition="2026-10-01"
    )
    assert (finding(report, "partition").breaches, finding(report, "a.null").breaches) == (0, 1)


def fresh(type_: str, max_age: str, timezone: str = "UTC") -> str:
    delivery = f"delivery: {{format: {{type: parquet}}, partition: {{column: p, every: day, start: 2020-01-01, timezone: {timezone}}}}}\n"
    return f"fields: [{{name: p, type: date}}, {{name: a, type: {type_}, nullable: true}}]\nfreshness: {{column: a, max_age: {max_age}}}\n{delivery}"


@pytest.mark.parametrize(
    ("text", "values", "age_in_hours"),
    [
        pytest.param(fresh("date", "33h"), pl.Series([date(2026, 9, 1), DAY, None]), 33, id="a day counts from its beginning"),
        pytest.param(fresh("date", "35h", "Europe/Amsterdam"), pl.Series([DAY]), 35, id="in the zone of the partition"),
        pytest.param(fresh("timestamp", "9h"), at("2026-10-02T00:00:00", "Asia/Tokyo"), 9, id="an instant in any zone"),
        pytest.param(fresh("timestamp", "9h"), at("2026-10-02T00:00:00"), 9, id="a moment without zone"),
        pytest.param(fresh("timestamp", "9h"), at("2026-10-02T00:00:00", unit="ns"), 9, id="nanoseconds"),
        pytest.param(fresh("date", "1d"), pl.Series([date(2026, 10, 3)]), 0, id="an event to come has none"),
    ],
)  # fmt: skip
def test_the_newest_event_has_an_age(tmp_path: Path, text: str, values: pl.Series, age_in_hours: float) -> None:
    """S1-015."""
    frame = pl.DataFrame({"p": pl.Series([DAY] * len(values)), "a": values})
    found = finding(report_on(text, frame, tmp_path, partition="2026-10-01"), "freshness")
    assert (found.outcome, found.details["age_seconds"]) == (Outcome.KEPT, age_in_hours * 3600)


def test_an_event_older_than_promised_is_a_breach(tmp_path: Path) -> None:
    frame = pl.DataFrame({"p": [DAY], "a": [DAY]})
    assert finding(report_on(fresh("date", "32h"), frame, tmp_path, partition="2026-10-01"), "freshness").breaches == 1


@pytest.mark.parametrize(
    ("type_", "dtype", "ticks", "outcome"),
    [
        pytest.param("date", pl.Date, 10_000_000, Outcome.KEPT, id="year 29349"),
        pytest.param("date", pl.Date, -10_000_000, Outcome.BREACHED, id="year -25410"),
        pytest.param("timestamp", pl.Datetime("us"), 2**62, Outcome.KEPT, id="microseconds to come"),
        pytest.param("timestamp", pl.Datetime("ms", "UTC"), -(2**50), Outcome.BREACHED, id="milliseconds gone by"),
        pytest.param("timestamp", pl.Datetime("ns", "Europe/Rome"), 2**63 - 1, Outcome.KEPT, id="last nanosecond"),
    ],
)  # fmt: skip
def test_an_event_outside_python_s_calendar_is_judged_too(
    tmp_path: Path, type_: str, dtype: Any, ticks: int, outcome: Outcome
) -> None:
    values = pl.Series([ticks], dtype=pl.Int32 if type_ == "date" else pl.Int64).cast(dtype)
    frame = pl.DataFrame({"p": [DAY], "a": values})
    assert (
        finding(report_on(fresh(type_, "1d"), frame, tmp_path, partition="2026-10-01"), "freshness").outcome is outcome
    )


def test_no_event_has_no_age(tmp_path: Path) -> None:
    """P19."""
    frame = frame_of({"p": pl.Date, "a": pl.Date}, (DAY, None))
    found = finding(report_on(fresh("date", "1d"), frame, tmp_path, partition="2026-10-01"), "freshness")
    assert (found.outcome, found.reason) == (Outcome.UNJUDGED, "there is no event whose age could be told")


FRESH = "fields: [{name: at, type: date}]\nfreshness: {column: at, max_age: 2d}\n"


def test_a_correction_of_old_data_makes_no_fresh_table_stale(tmp_path: Path) -> None:
    contract = contract_of(FRESH + PARQUET)
    candidate = candidate_of(pl.DataFrame({"at": [date(2026, 9, 1)]}), tmp_path)
    aged, beside = (
        finding(validate(contract, candidate, AS_OF, Past(newest_elsewhere=newest)), "freshness")
        for newest in (None, AS_OF - timedelta(hours=3))
    )
    assert (aged.outcome, beside.outcome) == (Outcome.BREACHED, Outcome.KEPT)
    assert beside.details["age_seconds"] == 3 * 3600


def test_a_delivery_without_events_is_as_fresh_as_what_stays_beside_it(tmp_path: Path) -> None:
    contract = contract_of(FRESH + "rows: {min: 0}\n" + PARQUET)
    candidate = candidate_of(pl.DataFrame(schema={"at": pl.Date}), tmp_path)
    report = validate(contract, candidate, AS_OF, Past(newest_elsewhere=AS_OF - timedelta(days=9)))
    assert finding(report, "freshness").breaches == 1
