"""Deadlines in Dagster: told when a partition comes, and by a scheduled job when none comes."""

from datetime import UTC, datetime

import dagster as dg
import pytest

from contract_assets.definitions import build_definitions
from contract_assets.partitions import partitions_of
from contract_assets.resources import GateResource
from contract_assets.watch import build_watch_jobs, build_watch_schedules
from tests.assets.bench import BAD, BETTER, CASES, DAY, GOOD, NEXT, contract_of, csv, outcomes
from tests.assets.test_published import last

START = "start: 2026-10-01}\n"
DUE = CASES.replace(START, START + '  due: {by: "09:00", days_after: 1, calendar: weekdays}\n')
STRICT = DUE.replace("weekdays", "weekdays, severity: error")
IN_TIME, LATE = "2026-10-02T08:00:00+00:00", "2026-10-02T11:00:00+00:00"
MONDAY_MORNING, MONDAY_NOON = "2026-10-05T08:00:00+00:00", "2026-10-05T12:00:00+00:00"
AFTER = csv(("NL", NEXT, 1))


@pytest.fixture
def due(bench):
    """The bench under a contract with deadlines, before the first of them."""
    bench.contract, bench.as_of = contract_of(DUE), IN_TIME
    return bench


def looked(bench, as_of: str) -> dg.ExecuteInProcessResult:
    """The job that the schedule starts, at a moment."""
    bench.as_of = as_of
    return bench.definitions.resolve_job_def("watch_cases").execute_in_process(instance=bench.instance)


def told(result: dg.ExecuteInProcessResult) -> dict[str | None, bool]:
    """The partitions that the job told, and whether they are as promised."""
    found = [check for check in result.get_asset_check_evaluations() if check.check_name == "deadline"]
    return {check.partition: check.passed for check in found}


def test_a_partition_that_came_in_time_passes_and_says_when_it_was_due(due):
    """[S2-041]"""
    assert due.take(GOOD).success
    seen = last(due, "deadline")
    assert (seen.passed, seen.partition, seen.description) == (
        True, DAY, "2026-10-01 came in time, due 2026-10-02 09:00Z",
    )  # fmt: skip
    assert seen.metadata["due_at"].value == datetime(2026, 10, 2, 9, tzinfo=UTC).timestamp()


def test_a_late_partition_is_published_and_both_checks_warn(due):
    """[S2-041] [S1-015]"""
    due.as_of = LATE
    result = due.take(GOOD)
    assert (result.success, due.shown() != []) == (True, True)
    assert {name: passed for name, passed in outcomes(result).items() if "deadline" in name} == {
        "warnings__deadline": False,
        "deadline": False,
    }
    seen = last(due, "deadline")
    assert (seen.severity, seen.blocking, seen.metadata["hours_late"].value) == (
        dg.AssetCheckSeverity.WARN, False, 2.0,
    )  # fmt: skip


def test_a_late_partition_is_held_back_where_the_contract_says_so(due):
    """[S2-041]"""
    due.contract, due.as_of = contract_of(STRICT), LATE
    assert not due.take(GOOD).success
    assert not last(due, "deadline", due.candidate).passed
    seen = last(due, "deadline")
    assert (seen.passed, seen.severity, seen.description) == (
        False, dg.AssetCheckSeverity.ERROR, "2026-10-01 was refused, due 2026-10-02 09:00Z, 2h ago",
    )  # fmt: skip


def test_a_partition_that_never_came_is_told_by_the_job(due):
    """[S2-041] Judged by a scheduled check although nothing arrived at all."""
    result = looked(due, LATE)
    assert (result.success, told(result)) == (True, {DAY: False})
    seen = last(due, "deadline")
    assert (seen.asset_key, seen.partition, seen.passed, seen.severity) == (
        due.published, DAY, False, dg.AssetCheckSeverity.WARN,
    )  # fmt: skip
    assert seen.description == "2026-10-01 is missing, due 2026-10-02 09:00Z, 2h ago"
    assert (due.events(), due.table.exists()) == ([], False)


def test_over_a_weekend_the_job_says_nothing_new(due):
    """[S2-041] A weekend raises no false alarm."""
    due.take(GOOD)
    days = ("2026-10-03T09:05:00+00:00", "2026-10-04T09:05:00+00:00", MONDAY_MORNING)
    assert [told(looked(due, day)) for day in days] == [{DAY: True}] * 3
    assert told(looked(due, MONDAY_NOON)) == {"2026-10-02": False, "2026-10-03": False, "2026-10-04": False}


def test_a_partition_that_comes_at_last_answers_the_check_anew(due):
    looked(due, MONDAY_NOON)
    due.as_of = MONDAY_NOON
    due.take(AFTER, NEXT)
    seen = last(due, "deadline")
    assert (seen.partition, seen.passed) == (NEXT, False)
    assert seen.description == "2026-10-02 came late, due 2026-10-05 09:00Z, by 3h"
    assert NEXT not in told(looked(due, MONDAY_NOON))


def test_a_refused_delivery_stays_overdue_until_a_good_one_comes(due):
    """[S2-041]"""
    due.take(BAD)
    assert last(due, "deadline").description == "2026-10-01 was refused, due 2026-10-02 09:00Z"
    assert told(looked(due, LATE)) == {DAY: False}
    due.take(GOOD)
    assert told(looked(due, LATE)) == {DAY: False}
    assert last(due, "deadline").description == "2026-10-01 came late, due 2026-10-02 09:00Z, by 2h"


def test_a_correction_of_what_came_in_time_passes(due):
    """[S2-041]"""
    due.take(GOOD)
    due.as_of = LATE
    assert due.take(BETTER).success
    assert (last(due, "deadline").passed, last(due, "warnings__deadline", due.candidate).passed) == (True, True)


def test_before_anything_is_due_the_job_has_nothing_to_tell(due):
    result = looked(due, IN_TIME)
    assert (result.success, told(result)) == (True, {})


@pytest.mark.parametrize(
    ("every", "column", "key"),
    [("hour", "timestamp", "2026-10-01-08:00"), ("week", "date", "2026-09-20"), ("month", "date", "2026-09-01")],
    ids=["hour", "week", "month"],
)
def test_a_partition_that_is_told_is_one_that_dagster_knows(due, every, column, key):
    text = DUE.replace("every: day", f"every: {every}").replace("type: date", f"type: {column}")
    due.contract = contract_of(text.replace("2026-10-01", "2026-09-01").replace("days_after: 1", "days_after: 0"))
    assert told(looked(due, "2026-10-01T09:01:00+00:00"))[key] is False
    assert partitions_of(due.contract).has_partition_key(key)


@pytest.mark.parametrize(
    ("terms", "crons", "zone"),
    [
        ('by: "09:00", timezone: Europe/Amsterdam', ["5 9 * * *"], "Europe/Amsterdam"),
        ('by: "23:57"', ["2 0 * * *"], "UTC"),
        ('by: "02:30", timezone: America/New_York', ["35 2 * * *", "35 3 * * *"], "America/New_York"),
    ],
    ids=["morning", "over midnight", "a time that clocks may skip"],
)
def test_a_schedule_looks_soon_after_each_deadline_on_its_clocks(terms, crons, zone):
    """[S2-041]"""
    contract = contract_of(CASES.replace(START, f"{START}  due: {{{terms}}}\n"))
    (schedule,) = build_watch_schedules(contract)
    assert (list(schedule.cron_schedule), schedule.execution_timezone) == (crons, zone)
    assert (schedule.job_name, schedule.default_status) == ("watch_cases", dg.DefaultScheduleStatus.STOPPED)


def test_a_tick_of_the_schedule_starts_the_job(due):
    repository = build_definitions([due.contract], GateResource()).get_repository_def()
    schedule = repository.get_schedule_def("watch_cases_schedule")
    at = datetime(2026, 10, 2, 9, 5, tzinfo=UTC)
    tick = schedule.evaluate_tick(dg.build_schedule_context(scheduled_execution_time=at, repository_def=repository))
    assert [request.partition_key for request in tick.run_requests] == [None]


@pytest.mark.parametrize("text", [CASES, DUE + "status: retired\n"], ids=["no deadline", "retired"])
def test_without_deadlines_there_is_no_check_of_them(text):
    checks = build_definitions([contract_of(text)], GateResource()).resolve_asset_graph().asset_check_keys
    assert "deadline" not in {key.name for key in checks if key.asset_key.path[0] == "published"}


@pytest.mark.parametrize("text", [DUE, STRICT], ids=["warns", "holds back"])
def test_definitions_with_deadlines_load_under_a_catalogue_too(text):
    dg.Definitions.validate_loadable(build_definitions([contract_of(text)], GateResource()))
    (job,) = build_watch_jobs(contract_of(text), "main")
    assert job.name == "watch_cases"
