"""The profile of a candidate: aggregates like those of the standard library, of the rows that stay, and none of too few values."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

import polars as pl
import pytest

from contract_core.validation.report import Outcome
from tests.validation.judged import breaches, finding, frame_of, report_on, report_on_files

NUMBER = "fields: [{name: n, type: number, nullable: true, allow_nan: true}]\n"
LISTED = "fields: [{name: s, type: string, nullable: true, enum: [a, b, c], severity: {enum: warn}}]\n"
ALL = "monitors: {fields: {n: {null_rate: 5%, distinct_change: 5%, mean_change: 5%, quantiles_change: 5%}}}\n"
SHARES = "monitors: {fields: {s: {shares: 5%}}}\n"


def profile(text: str, frame: pl.DataFrame, folder: Path) -> dict[str, Any]:
    return dict(report_on(text, frame, folder).learned.profile)


def test_a_profile_has_the_numbers_of_the_standard_library(tmp_path: Path) -> None:
    """[S4-022]"""
    values = [float(number * number % 37) for number in range(40)]
    found = profile(NUMBER + ALL, frame_of({"n": pl.Float64}, *((value,) for value in [*values, None, None])), tmp_path)
    cuts = quantiles(values, n=20, method="inclusive")
    assert found["n"]["mean"] == pytest.approx(fmean(values))
    assert found["n"]["quantiles"] == pytest.approx([cuts[0], cuts[4], cuts[9], cuts[14], cuts[18]])
    assert (found["n"]["distinct"], found["n"]["null_rate"]) == (len(set(values)), pytest.approx(2 / 42))


def test_shares_are_told_by_the_place_of_a_value_and_never_by_its_text(tmp_path: Path) -> None:
    rows = [("a",)] * 6 + [("c",)] * 2 + [("other",)] * 2 + [(None,)] * 5
    found = profile(LISTED + SHARES, frame_of({"s": pl.String}, *rows), tmp_path)
    assert found["s"]["shares"] == [0.6, 0.0, 0.2]
    assert set(found["s"]) == {"shares", "enum"}
    assert "other" not in str(found)


@pytest.mark.parametrize(
    ("count", "names"),
    [
        pytest.param(9, {"null_rate"}, id="nine values"),
        pytest.param(10, {"null_rate", "distinct", "mean", "quantiles"}, id="ten"),
    ],
)
def test_of_too_few_values_only_their_absence_is_kept(count: int, names: set[str], tmp_path: Path) -> None:
    """Nulls do not stand behind a mean."""
    rows = [(float(number),) for number in range(count)] + [(None,)] * 50
    assert set(profile(NUMBER + ALL, frame_of({"n": pl.Float64}, *rows), tmp_path)["n"]) == names


def test_of_too_few_values_no_share_is_kept(tmp_path: Path) -> None:
    assert profile(LISTED + SHARES, frame_of({"s": pl.String}, *[("a",)] * 9), tmp_path) == {}


def test_only_what_is_asked_is_kept(tmp_path: Path) -> None:
    frame = frame_of({"n": pl.Float64}, *[(1.0,)] * 20)
    assert profile(NUMBER, frame, tmp_path) == {}
    assert profile(NUMBER + "monitors: {volume: {max_change: 5%}}\n", frame, tmp_path) == {}
    asked = profile(NUMBER + "monitors: {fields: {n: {mean_change: 5%}}}\n", frame, tmp_path)
    assert asked == {"n": {"mean": 1.0}}


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")], ids=str)
def test_what_is_no_finite_number_is_left_out(odd: float, tmp_path: Path) -> None:
    rows = [(1.0,)] * 20 + [(odd,)] * 10
    assert set(profile(NUMBER + ALL, frame_of({"n": pl.Float64}, *rows), tmp_path)["n"]) == {"null_rate", "distinct"}


@pytest.mark.parametrize(
    ("field", "dtype", "value", "mean"),
    [
        pytest.param("uint64", pl.UInt64, 2**63, float(2**63), id="beyond signed"),
        pytest.param("int8", pl.Int8, 100, 100.0, id="whose sum is larger than its type"),
        pytest.param("decimal(38,2)", pl.Decimal(38, 2), Decimal("2.50"), 2.5, id="exact"),
        pytest.param("float32", pl.Float32, 0.5, 0.5, id="single"),
        pytest.param("duration", pl.Duration("ms"), timedelta(seconds=3), 3_000_000.0, id="milliseconds"),
        pytest.param("duration", pl.Duration("ns"), timedelta(seconds=3), 3_000_000.0, id="nanoseconds"),
    ],
)
def test_a_mean_is_that_of_the_numbers_whatever_type_they_have(
    field: str, dtype: Any, value: Any, mean: float, tmp_path: Path
) -> None:
    text = f'fields: [{{name: n, type: "{field}"}}]\nmonitors: {{fields: {{n: {{mean_change: 5%, quantiles_change: 5%}}}}}}\n'
    found = profile(text, frame_of({"n": dtype}, *[(value,)] * 12), tmp_path)
    assert found["n"] == {"mean": pytest.approx(mean), "quantiles": pytest.approx([mean] * 5)}


def test_the_rows_that_stay_are_measured(tmp_path: Path) -> None:
    text = (
        "fields: [{name: n, type: integer, min: 0}]\nenforcement: {on_breach: quarantine}\n"
        "monitors: {volume: {max_change: 5%}, fields: {n: {mean_change: 5%}}}\n"
    )
    report = report_on(text, frame_of({"n": pl.Int64}, *[(10,)] * 20, *[(-1000,)] * 5), tmp_path)
    assert (report.broken_rows, report.learned.profile) == (5, {"n": {"mean": 10.0}})


def test_a_text_that_does_not_decode_is_no_null(tmp_path: Path) -> None:
    text = "fields: [{name: n, type: integer, nullable: true}]\nmonitors: {fields: {n: {null_rate: 5%}}}\n"
    report = report_on_files(text, {"d.csv": 'n\n1\nx\n""\n4\n'}, tmp_path)
    assert (breaches(report), report.learned.profile) == ({"n.type": 1}, {"n": {"null_rate": 0.25}})


def test_of_an_optional_field_that_is_left_out_nothing_is_asked(tmp_path: Path) -> None:
    text = (
        "fields: [{name: k, type: integer}, {name: n, type: integer, required: false, nullable: true}]\n"
        "monitors: {fields: {n: {null_rate: 5%}}}\n"
    )
    report = report_on(text, frame_of({"k": pl.Int64}, *[(1,)] * 20), tmp_path)
    assert (finding(report, "n.drift.null_rate").outcome, report.learned.profile) == (Outcome.KEPT, {})


def test_a_field_that_is_missing_is_not_judged(tmp_path: Path) -> None:
    report = report_on(NUMBER + ALL, frame_of({"k": pl.Int64}, (1,)), tmp_path)
    unjudged = finding(report, "n.drift.mean")
    assert (unjudged.outcome, unjudged.reason) == (Outcome.UNJUDGED, "the delivery has no column 'n'")
    assert report.learned.profile == {}


def test_a_delivery_without_rows_is_measured_as_nothing(tmp_path: Path) -> None:
    text = NUMBER + ALL + "rows: {min: 0}\n"
    report = report_on(text, frame_of({"n": pl.Float64}), tmp_path)
    assert (breaches(report), report.learned.profile) == ({}, {})


def test_a_field_may_have_any_name(tmp_path: Path) -> None:
    text = 'fields: [{name: "0 values", type: integer}, {name: "^n.*", type: integer}]\n'
    text += 'monitors: {fields: {"0 values": {mean_change: 5%}, "^n.*": {mean_change: 5%}}}\n'
    frame = frame_of({"0 values": pl.Int64, "^n.*": pl.Int64}, *[(1, 2)] * 20)
    assert profile(text, frame, tmp_path) == {"0 values": {"mean": 1.0}, "^n.*": {"mean": 2.0}}


def test_a_profile_does_not_depend_on_the_order_of_the_rows(tmp_path: Path) -> None:
    values = [(0.1 * number,) for number in range(1000)]
    frames = [frame_of({"n": pl.Float64}, *rows) for rows in (values, values[::-1])]
    first, second = (profile(NUMBER + ALL, frame, tmp_path / str(place)) for place, frame in enumerate(frames))
    assert first == second


@pytest.mark.parametrize(
    ("field", "dtype", "value"),
    [
        pytest.param("string", pl.String, "x", id="text"),
        pytest.param("string", pl.Categorical, "x", id="category"),
        pytest.param("boolean", pl.Boolean, True, id="boolean"),
        pytest.param("date", pl.Date, date(2026, 10, 1), id="day"),
        pytest.param("timestamp", pl.Datetime("us", "UTC"), datetime(2026, 10, 1, tzinfo=UTC), id="moment"),
        pytest.param("time", pl.Time, time(9), id="time of day"),
        pytest.param("binary", pl.Binary, b"x", id="bytes"),
        pytest.param("number", pl.Decimal(10, 2), Decimal("1.50"), id="decimal"),
    ],
)
def test_distinct_values_and_nulls_are_counted_in_every_plain_type(
    field: str, dtype: Any, value: Any, tmp_path: Path
) -> None:
    text = f"fields: [{{name: n, type: {field}, nullable: true}}]\n"
    text += "monitors: {fields: {n: {null_rate: 5%, distinct_change: 5%}}}\n"
    found = profile(text, frame_of({"n": dtype}, *[(value,)] * 15, *[(None,)] * 5), tmp_path)
    assert found == {"n": {"null_rate": 0.25, "distinct": 1}}


@pytest.mark.parametrize(
    ("field", "dtype", "value"),
    [
        pytest.param("array", pl.List(pl.Int64), [1], id="list"),
        pytest.param("object", pl.Struct({"a": pl.Int64}), {"a": 1}, id="record"),
        pytest.param("array", pl.Null, None, id="nothing but nulls"),
    ],
)
def test_nulls_are_counted_in_nested_types_too(field: str, dtype: Any, value: Any, tmp_path: Path) -> None:
    text = f"fields: [{{name: n, type: {field}, nullable: true}}]\nmonitors: {{fields: {{n: {{null_rate: 5%}}}}}}\n"
    found = profile(text, frame_of({"n": dtype}, *[(value,)] * 15, *[(None,)] * 5), tmp_path)
    assert found == {"n": {"null_rate": 1.0 if value is None else 0.25}}
