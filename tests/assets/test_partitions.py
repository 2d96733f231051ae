"""Dagster's partitions are the core's: the same keys, the same spans, the running one included."""

from datetime import UTC, datetime

import dagster as dg
import pytest

from contract_assets.partitions import is_partition, partitions_of
from contract_core.contract.partition import check_key, window
from tests.assets.bench import BY_REGION, CASES, WHOLE, contract_of

NOW = datetime(2026, 11, 3, 10, 30, tzinfo=UTC)


def partitioned(every: str, zone: str = "UTC", start: str = "2026-10-01"):
    text = CASES if every != "hour" else CASES.replace("name: day, type: date", "name: day, type: timestamp")
    return contract_of(
        text.replace(
            "{every: day, column: day, start: 2026-10-01}",
            f"{{every: {every}, column: day, timezone: {zone}, start: {start}}}",
        )
    )


def keys_of(contract) -> list[str]:
    with dg.partition_loading_context(effective_dt=NOW):
        return partitions_of(contract).get_partition_keys()


@pytest.mark.parametrize(
    "every, start, first, last",
    [
        ("hour", "2026-11-01", "2026-11-01-00:00", "2026-11-03-10:00"),
        ("day", "2026-10-01", "2026-10-01", "2026-11-03"),
        ("week", "2026-10-01", "2026-10-04", "2026-11-01"),
        ("month", "2026-09-15", "2026-10-01", "2026-11-01"),
    ],
)
def test_partitions_run_from_the_start_to_the_one_that_is_running(every, start, first, last):
    keys = keys_of(partitioned(every, start=start))
    assert (keys[0], keys[-1]) == (first, last)


@pytest.mark.parametrize("every", ["day", "week", "month"])
@pytest.mark.parametrize("zone", ["UTC", "Europe/Rome", "America/New_York", "Pacific/Auckland"])
def test_every_key_is_one_for_the_core_and_covers_the_same_span(every, zone):
    contract = partitioned(every, zone)
    for key in keys_of(contract):
        span = partitions_of(contract).time_window_for_partition_key(key)
        assert check_key(contract, key) == key
        assert window(contract.delivery.partition, key) == (span.start, span.end)


def test_every_hour_is_one_for_the_core_when_clocks_are_put_back():
    contract = partitioned("hour", "UTC", "2026-10-25")
    assert [check_key(contract, key) for key in keys_of(contract)] == keys_of(contract)


def test_the_day_begins_in_the_contracts_zone():
    late = datetime(2026, 11, 3, 23, 30, tzinfo=UTC)
    rome, utc = partitioned("day", "Europe/Rome"), partitioned("day")
    assert is_partition(rome, "2026-11-04", late)
    assert not is_partition(utc, "2026-11-04", late)


def test_values_are_dynamic_partitions_and_a_whole_table_has_none():
    assert partitions_of(contract_of(BY_REGION)) == dg.DynamicPartitionsDefinition(name="cases")
    assert partitions_of(contract_of(WHOLE)) is None
    assert is_partition(contract_of(WHOLE), None, NOW)


@pytest.mark.parametrize(
    "key, fits", [("NL", True), ("a b|c,d", True), ("<b>", True), ("Ünï", True), ("a...b", False), ("\udcff", False)]
)
def test_a_value_that_dagster_cannot_hold_is_no_partition(key, fits):
    """Three dots are its range, a name that is no Unicode breaks its storage."""
    assert is_partition(contract_of(BY_REGION), key, NOW) is fits
