"""Partition keys: one spelling each, nothing that leaves its folder, and the span of time that each covers."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contract_core.contract.delivery_terms import PartitionTerms
from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key, window
from contract_core.errors import WrongUsageError

FIELDS = [
    {"name": "at", "type": "timestamp"},
    {"name": "text", "type": "string"},
    {"name": "n", "type": "integer"},
    {"name": "day", "type": "date"},
]
AMSTERDAM, LORD_HOWE, SAO_PAULO = (
    ZoneInfo("Europe/Amsterdam"),
    ZoneInfo("Australia/Lord_Howe"),
    ZoneInfo("America/Sao_Paulo"),
)


def contract_of(**partition: Any) -> Contract:
    delivery = {"partition": partition} if partition else {}
    return Contract.model_validate({"contract": "cases", "version": "1.0.0", "fields": FIELDS, "delivery": delivery})


def timed(every: str) -> Contract:
    return contract_of(column="at", every=every, start="2026-09-01")


def refusal(contract: Contract, key: str | None) -> tuple[str, str, str]:
    with pytest.raises(WrongUsageError) as caught:
        check_key(contract, key)
    (problem,) = caught.value.problems
    return problem.where, problem.what, problem.hint


@pytest.mark.parametrize(
    ("contract", "key"),
    [
        pytest.param(timed("day"), "2026-10-01", id="day"),
        pytest.param(timed("day"), "2026-09-01", id="first day"),
        pytest.param(timed("hour"), "2026-10-01-13:00", id="hour"),
        pytest.param(timed("week"), "2026-09-27", id="week begins on a Sunday, as in Dagster"),
        pytest.param(timed("month"), "2026-10-01", id="month"),
        pytest.param(contract_of(column="text"), "Valle d'Aosta", id="P20 apostrophe"),
        pytest.param(contract_of(column="text"), "0.94-to-0.95", id="P13 dots"),
        pytest.param(contract_of(column="text"), "worker a", id="P13 blank inside"),
        pytest.param(contract_of(column="n"), "0", id="zero"),
        pytest.param(contract_of(column="n"), "-7", id="negative"),
        pytest.param(contract_of(column="n"), "18446744073709551615", id="largest unsigned"),
        pytest.param(contract_of(column="day"), "2026-10-01", id="day by value"),
        pytest.param(contract_of(), None, id="no partitions"),
    ],
)
def test_a_canonical_key_is_itself(contract: Contract, key: str | None) -> None:
    assert check_key(contract, key) == key


@pytest.mark.parametrize(
    ("every", "key", "what"),
    [
        *[pytest.param("day", key, "the partition is no day", id=repr(key)) for key in ("", "2026-10", "2026-13-01", "2026-02-30", "2026-10-01-13:00", "2026-10-01\n", " 2026-10-01", "20261001", "today", "../2026-10-01")],
        pytest.param("day", "2026-1-1", "the partition does not name the start of a day", id="no leading zeros"),
        pytest.param("day", "２０２６-10-01", "the partition does not name the start of a day", id="digits that are not ASCII"),
        pytest.param("hour", "2026-10-01", "the partition is no hour", id="day for an hour"),
        pytest.param("hour", "2026-10-01-13:30", "the partition does not name the start of an hour", id="half past"),
        pytest.param("hour", "2026-10-01-24:00", "the partition is no hour", id="24 o'clock"),
        pytest.param("week", "2026-09-28", "the partition does not name the start of a week", id="Monday"),
        pytest.param("month", "2026-10-02", "the partition does not name the start of a month", id="second of the month"),
        pytest.param("day", "2026-08-31", "the partition lies before the first one, 2026-09-01", id="before the first"),
        pytest.param("day", "9999-12-31", "the partition ends after the last day of the calendar, 9999-12-31", id="last day of all"),
        pytest.param("month", "9999-12-01", "the partition ends after the last day of the calendar, 9999-12-31", id="last month of all"),
        pytest.param("week", "9999-12-26", "the partition ends after the last day of the calendar, 9999-12-31", id="last week of all"),
        pytest.param("hour", "9999-12-31-23:00", "the partition ends after the last day of the calendar, 9999-12-31", id="last hour of all"),
    ],
)  # fmt: skip
def test_a_span_of_time_has_one_name(every: str, key: str, what: str) -> None:
    assert refusal(timed(every), key)[:2] == ("contract 'cases' 1.0.0", what)


@pytest.mark.parametrize(
    "key",
    [
        "worker/a",
        "/etc/x",
        "..",
        ".",
        "a\\b",
        "a\x00b",
        "a\nb",
        "a\x7f",
        "",
        " a",
        "a ",
        "x" * 201,
        "é" * 60,
        "__HIVE_DEFAULT_PARTITION__",
    ],
    ids=repr,
)
def test_a_value_that_would_leave_its_folder_is_refused(key: str) -> None:
    """P13."""
    assert refusal(contract_of(column="text"), key)[1].startswith("the partition ")


@pytest.mark.parametrize(
    "key", ["007", "+7", "-0", "7.0", "7_0", "--7", "٧", "x", "18446744073709551616", "-9223372036854775809", "9" * 150]
)
def test_a_number_has_one_spelling(key: str) -> None:
    """P13."""
    assert refusal(contract_of(column="n"), key)[1:] == (
        "the partition is no integer as the gate writes it",
        "write it as 7 or -7, without leading zeros and within 64 bits",
    )


@pytest.mark.parametrize("key", ["20261001", "2026-W40-4", "2026-10-1", "2026-02-30", "x"])
def test_a_day_has_one_spelling(key: str) -> None:
    """P13."""
    assert refusal(contract_of(column="day"), key)[1:] == (
        "the partition is no date as the gate writes it",
        "write it as 2026-10-01",
    )


def test_a_partition_is_named_exactly_where_there_are_partitions() -> None:
    assert refusal(contract_of(), "2026-10-01")[1] == "the contract has no partitions"
    assert refusal(timed("day"), None)[1:] == (
        "the contract is partitioned, and no partition was named",
        "name one, such as 2026-09-01",
    )
    assert refusal(contract_of(column="text"), None)[2] == "name one, such as a value of 'text'"


@pytest.mark.parametrize(
    ("every", "zone", "key", "start", "hours"),
    [
        pytest.param("day", "UTC", "2026-10-01", datetime(2026, 10, 1, tzinfo=ZoneInfo("UTC")), 24, id="day"),
        pytest.param("day", "Europe/Amsterdam", "2026-03-29", datetime(2026, 3, 29, tzinfo=AMSTERDAM), 23, id="day on which clocks go forward"),
        pytest.param("day", "Europe/Amsterdam", "2026-10-25", datetime(2026, 10, 25, tzinfo=AMSTERDAM), 25, id="day on which clocks go back"),
        pytest.param("day", "Australia/Lord_Howe", "2026-04-05", datetime(2026, 4, 5, tzinfo=LORD_HOWE), 24.5, id="clocks that move by half an hour"),
        pytest.param("day", "America/Sao_Paulo", "2018-11-04", datetime(2018, 11, 4, tzinfo=SAO_PAULO), 23, id="day without a midnight"),
        pytest.param("hour", "UTC", "2026-10-01-23:00", datetime(2026, 10, 1, 23, tzinfo=ZoneInfo("UTC")), 1, id="last hour of a day"),
        pytest.param("week", "Europe/Amsterdam", "2026-03-29", datetime(2026, 3, 29, tzinfo=AMSTERDAM), 7 * 24 - 1, id="week in which clocks go forward"),
        pytest.param("month", "UTC", "2028-02-01", datetime(2028, 2, 1, tzinfo=ZoneInfo("UTC")), 29 * 24, id="leap month"),
        pytest.param("month", "UTC", "2026-12-01", datetime(2026, 12, 1, tzinfo=ZoneInfo("UTC")), 31 * 24, id="December"),
    ],
)  # fmt: skip
def test_a_key_covers_its_span_by_the_clocks_of_its_zone(
    every: str, zone: str, key: str, start: datetime, hours: float
) -> None:
    """S2-005."""
    terms = PartitionTerms.model_validate({"column": "at", "every": every, "timezone": zone, "start": "2018-01-01"})
    first, end = window(terms, key)
    utc = ZoneInfo("UTC")
    assert (first, end.astimezone(utc) - first.astimezone(utc)) == (start, timedelta(hours=hours))
