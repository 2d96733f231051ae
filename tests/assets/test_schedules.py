"""The schedule asks for the span that has just ended, as clocks in the contract's zone show it."""

from datetime import datetime
from zoneinfo import ZoneInfo

import dagster as dg
import pytest

from contract_assets.definitions import build_definitions
from contract_assets.resources import GateResource
from contract_assets.schedules import build_schedule
from tests.assets.bench import BY_REGION, WHOLE, contract_of
from tests.assets.test_partitions import partitioned


def asked(every: str, zone: str, moment: str, start: str = "2026-01-01") -> str | None:
    """The partition that a tick at this moment of the zone's clocks asks for."""
    contract = partitioned(every, zone, start)
    repository = build_definitions([contract], GateResource()).get_repository_def()
    schedule = repository.get_schedule_def(build_schedule(contract).name)
    at = datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(zone))
    told = schedule.evaluate_tick(dg.build_schedule_context(scheduled_execution_time=at, repository_def=repository))
    return told.run_requests[0].partition_key if told.run_requests else None


@pytest.mark.parametrize(
    "every, zone, moment, key",
    [
        ("day", "UTC", "2026-10-02T06:30", "2026-10-01"),
        ("day", "Europe/Rome", "2026-10-02T06:30", "2026-10-01"),
        ("day", "Pacific/Auckland", "2026-10-02T06:30", "2026-10-01"),
        ("day", "Europe/Rome", "2026-10-25T06:30", "2026-10-24"),
        ("day", "Europe/Rome", "2026-10-26T06:30", "2026-10-25"),
        ("day", "Europe/Rome", "2026-03-29T06:30", "2026-03-28"),
        ("day", "Europe/Rome", "2026-03-30T06:30", "2026-03-29"),
        ("week", "UTC", "2026-10-11T06:30", "2026-10-04"),
        ("month", "UTC", "2026-11-01T06:30", "2026-10-01"),
        ("hour", "UTC", "2026-10-02T13:05", "2026-10-02-12:00"),
    ],
)
def test_a_tick_asks_for_the_span_that_has_just_ended(every, zone, moment, key):
    assert asked(every, zone, moment) == key


def test_before_the_first_span_has_ended_there_is_nothing_to_ask_for():
    assert asked("day", "UTC", "2026-10-01T06:30", start="2026-10-01") is None


@pytest.mark.parametrize(
    ("every", "zone", "cron"),
    [
        ("hour", "UTC", "5 * * * *"),
        ("day", "Europe/Rome", "30 6 * * *"),
        ("week", "Europe/Rome", "30 6 * * 0"),
        ("month", "Europe/Rome", "30 6 1 * *"),
    ],
)
def test_a_schedule_runs_soon_after_each_span_in_the_contracts_zone(every, zone, cron):
    schedule = build_schedule(partitioned(every, zone))
    assert (schedule.cron_schedule, schedule.execution_timezone) == (cron, zone)


@pytest.mark.parametrize("text", [WHOLE, BY_REGION], ids=["whole", "by value"])
def test_without_spans_of_time_there_is_no_schedule(text):
    assert build_schedule(contract_of(text)) is None
