"""Owner notification in Dagster: a job that tells, and a check that says who was not told of what is open."""

from collections.abc import Iterator

import dagster as dg
import pytest

from contract_assets import notifications
from contract_assets.definitions import build_definitions
from contract_assets.resources import GateResource
from contract_core.errors import LedgerDamagedError, Problem
from tests.assets.bench import BAD, CASES, DAY, FRESH, GOOD, NEXT, Bench, contract_of, csv
from tests.assets.test_published import last
from tests.hook import Hook, listening

OWNED = CASES + 'owners: {producer: {name: shop, contact: "team:shop"}}\n'
REFUSED = f"cases {DAY} refused: team:shop"


@pytest.fixture
def hook() -> Iterator[Hook]:
    with listening() as found:
        yield found


@pytest.fixture
def house(bench: Bench, hook: Hook, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Bench:
    """The bench, now, in an environment that has a channel for everybody."""
    text = 'environments: {dev: {root: elsewhere, channels: {default: "env:TEAM_HOOK"}}}\n'
    (tmp_path / "environments.yaml").write_text(text)
    monkeypatch.setenv("CONTRACT_GATE_CONFIG", str(tmp_path / "environments.yaml"))
    monkeypatch.setenv("CONTRACT_GATE_ENV", "dev")
    monkeypatch.setenv("TEAM_HOOK", hook.address)
    bench.contract, bench.as_of = contract_of(OWNED), ""
    return bench


def told(bench: Bench) -> dg.ExecuteInProcessResult:
    """The job that the schedule starts."""
    return bench.definitions.resolve_job_def("notify").execute_in_process(instance=bench.instance, raise_on_error=False)


def test_the_job_tells_once_and_the_check_passes_then(house, hook):
    """[S2-041] Owner notification is a part of its own, with a check of its own."""
    house.take(BAD)
    before = last(house, "notified")
    assert (before.passed, before.partition, before.severity, before.blocking, before.description) == (
        False, None, dg.AssetCheckSeverity.WARN, False, f"{REFUSED} was not told yet",
    )  # fmt: skip
    assert (told(house).success, told(house).success, hook.titles) == (True, True, [f"cases {DAY}: refused"])
    seen = last(house, "notified")
    assert (seen.passed, seen.description) == (True, "nobody is left who should have been told")


def test_the_end_of_an_incident_is_told_by_the_job_too(house, hook):
    """[S1-016]"""
    house.take(BAD)
    told(house)
    house.take(GOOD)
    assert last(house, "notified").passed
    told(house)
    assert hook.titles == [f"cases {DAY}: refused", f"cases {DAY}: no longer refused"]


def test_the_check_says_who_could_not_be_told_and_why(house, hook):
    """[S2-041]"""
    hook.status = 500
    house.take(BAD)
    assert told(house).success
    seen = last(house, "notified")
    assert (seen.passed, seen.description) == (False, f"{REFUSED} could not be told: channel 'default' did not take it")
    assert seen.metadata["open_and_not_told"].value == 1


def test_incidents_that_were_not_told_for_the_same_reason_share_a_sentence(house):
    house.take(BAD)
    house.take(csv(("NL", NEXT, -1)), NEXT)
    seen = last(house, "notified")
    assert seen.description == f"cases {DAY} refused, cases {NEXT} refused: team:shop was not told yet"
    assert seen.metadata["open_and_not_told"].value == 2


def test_a_contract_that_names_nobody_fails_the_check_while_something_is_open(house):
    """[S1-095]"""
    house.contract = contract_of()
    house.take(BAD)
    assert "the contract names no contact; add owners.alerts" in last(house, "notified").description
    house.take(GOOD)
    assert last(house, "notified").passed


def test_without_an_incident_there_is_nothing_to_tell(house, hook):
    house.take(GOOD)
    assert (told(house).success, last(house, "notified").passed, hook.titles) == (True, True, [])


def test_what_fails_for_one_contract_keeps_no_other_from_being_told(house, hook, monkeypatch):
    other = contract_of(OWNED.replace("contract: cases", "contract: first"))
    house.contract = other
    house.take(BAD)
    house.contract = contract_of(OWNED)
    house.take(BAD)
    ask = notifications.notify

    def failing(contract, *more):
        if contract.name == "first":
            raise LedgerDamagedError(Problem("ledger", "it is damaged"))
        return ask(contract, *more)

    monkeypatch.setattr(notifications, "notify", failing)
    job = build_definitions([other, house.contract], house.gate).resolve_job_def("notify")
    result = job.execute_in_process(instance=house.instance, raise_on_error=False)
    assert (result.success, hook.titles) == (False, [f"cases {DAY}: refused"])


@pytest.mark.parametrize("text", [OWNED, FRESH])
@pytest.mark.parametrize("catalog", [None, "main"])
def test_the_check_belongs_to_the_published_table(text, catalog):
    spec = notifications.notified_check_spec(contract_of(text), catalog)
    assert spec.asset_key.path == [*([] if catalog is None else [catalog]), "published", "cases"]
    assert (spec.partitions_def, spec.blocking) == (None, False)


def test_a_schedule_tells_every_few_minutes_once_it_is_switched_on():
    repository = build_definitions([contract_of()], GateResource()).get_repository_def()
    schedule = repository.get_schedule_def("notify_schedule")
    assert (schedule.cron_schedule, schedule.job_name, schedule.default_status) == (
        "*/5 * * * *", "notify", dg.DefaultScheduleStatus.STOPPED,
    )  # fmt: skip


def test_a_check_that_fails_says_what_to_do(house):
    """[S2-030]"""
    house.take(BAD)
    seen = last(house, "field_n", house.candidate)
    assert seen.description == (
        "broken: 'n' is at least 0; 1 of 2 rows breaks it (to do: look for typing errors, wrong signs and units at the"
        " source, or release a version with wider bounds)"
    )


def test_a_partition_that_is_overdue_says_what_to_do(house):
    """[S2-030] Although nothing arrived that could be judged."""
    start = "start: 2026-10-01}\n"
    house.contract = contract_of(OWNED.replace(start, start + '  due: {by: "09:00", days_after: 1}\n'))
    job = house.definitions.resolve_job_def("watch_cases")
    assert job.execute_in_process(instance=house.instance).success
    assert last(house, "deadline").metadata["what_to_do"].value.startswith("ask the producer for the partition")
