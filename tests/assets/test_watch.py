"""The published table says which partition it shows and how old that is: at publication, after a refusal, and while nothing arrives."""

from datetime import timedelta

import dagster as dg
import pytest

from contract_assets import assets as assets_module
from contract_assets.definitions import build_definitions
from contract_assets.resources import GateResource
from contract_assets.watch import build_watch_jobs, build_watch_schedules
from tests.assets.bench import (
    BAD,
    BETTER,
    BY_REGION,
    CASES,
    DAY,
    FRESH,
    GOOD,
    MARKER,
    NEXT,
    NOW,
    WHOLE,
    contract_of,
    csv,
    failures,
)
from tests.assets.test_published import last

QUIET = CASES + "freshness: {column: day, max_age: 9d, max_silence: 1d}\n"
RETIRED = FRESH + "status: retired\n"
REFUSED = csv(("NL", NEXT, -1))


def looked(bench, after: timedelta) -> dg.ExecuteInProcessResult:
    """The job that the schedule starts, some time later."""
    bench.as_of = (NOW + after).isoformat()
    return bench.definitions.resolve_job_def("watch_cases").execute_in_process(instance=bench.instance)


def observed(bench) -> dg.AssetObservation:
    """The newest observation of the published table."""
    (record,) = bench.instance.fetch_observations(bench.published, limit=1).records
    return record.event_log_entry.asset_observation


def materialised(bench) -> dict[str, object]:
    """What the newest materialisation of the published table says."""
    (record,) = bench.instance.fetch_materializations(bench.published, limit=1).records
    return {name: value.value for name, value in record.asset_materialization.metadata.items()}


def states(metadata) -> dict[str, str]:
    """The table of the last partitions."""
    return {record.data["partition"]: record.data["state"] for record in metadata["coverage"].records}


@pytest.mark.parametrize(
    "text, state",
    [(CASES, "no age is promised"), (FRESH, "fresh"), (QUIET, "fresh")],
    ids=["nothing promised", "an age", "an age and a pause"],
)
def test_a_publication_says_what_is_shown_and_how_old_it_is(bench, text, state):
    """[S1-016] [S2-039] Under every contract."""
    bench.contract = contract_of(text)
    bench.take(GOOD)
    told = materialised(bench)
    assert (told["shows"], told["state"], told["age_hours"]) == (DAY, state, 60.0)
    assert told["partitions_missing"] == 1


@pytest.mark.parametrize(
    "text, partition, shows, has_coverage",
    [(WHOLE, None, "submission ", False), (BY_REGION, "NL", "NL", True)],
    ids=["whole", "by value"],
)
def test_tables_of_every_kind_say_it(bench, text, partition, shows, has_coverage):
    bench.contract = contract_of(text)
    bench.instance.add_dynamic_partitions("cases", ["NL"])
    bench.take(csv(("NL", DAY, 1)), partition)
    told = materialised(bench)
    assert (str(told["shows"]).startswith(shows), "coverage" in told) == (True, has_coverage)


def test_a_publication_shows_what_became_of_the_last_partitions(bench):
    bench.take(csv(("NL", NEXT, 1)), NEXT)
    (record,) = bench.instance.fetch_materializations(bench.published, limit=1).records
    assert states(record.asset_materialization.metadata) == {
        "2026-10-03": "waiting",
        "2026-10-02": "published",
        "2026-10-01": "missing",
    }


@pytest.mark.parametrize("text", [CASES, FRESH], ids=["nothing promised", "an age"])
def test_after_a_refusal_the_failure_says_what_consumers_still_see(bench, text):
    """[S1-016] [S2-039] Yesterday's partition under its own name, with its age."""
    bench.contract = contract_of(text)
    bench.take(GOOD)
    (words,) = failures(bench.take(REFUSED, NEXT))
    assert words.startswith(f"refused, the published table is as it was and still shows {DAY}, 2d 12h old; ")


def test_where_nothing_was_ever_published_the_failure_shows_nothing(bench):
    (words,) = failures(bench.take(BAD))
    assert words.startswith("refused, the published table is as it was. broken: ")


def test_after_a_refusal_the_published_table_says_what_it_still_shows(bench):
    """[S1-016] Without a promised age too: silence would be a defect."""
    bench.take(GOOD)
    bench.take(REFUSED, NEXT)
    told = observed(bench)
    assert (told.partition, told.metadata["shows"].value, told.metadata["open_refusals"].value) == (NEXT, DAY, 1)
    assert told.description == f"shows {DAY}, 2d 12h old; no age is promised"
    assert states(told.metadata)[NEXT] == "refused"


def test_a_refused_correction_leaves_what_it_wanted_to_replace_and_says_so(bench):
    """[S1-016]"""
    bench.take(GOOD)
    bench.take(BAD)
    told = observed(bench)
    assert (told.metadata["shows"].value, states(told.metadata)[DAY]) == (DAY, "refused, an earlier delivery is shown")


def test_a_refusal_of_which_nobody_can_tell_what_is_shown_is_still_the_refusal(bench, monkeypatch):
    monkeypatch.setattr(assets_module, "shown_if_known", lambda *_: None)
    assert failures(bench.take(BAD))[0].startswith("refused, the published table is as it was. ")


def test_data_that_grow_old_while_nothing_arrives_are_told_by_the_job(bench):
    """[S1-034] [S2-039] In words, on the partition that is shown, and only as a warning."""
    bench.contract = contract_of(FRESH)
    bench.take(GOOD)
    assert looked(bench, timedelta(0)).success
    assert last(bench, "freshness").passed
    looked(bench, timedelta(days=2))
    told = last(bench, "freshness")
    assert (told.partition, told.passed, told.severity) == (DAY, False, dg.AssetCheckSeverity.WARN)
    assert told.description == f"shows {DAY}, 4d 12h old; stale: at most 3d is promised"
    assert observed(bench).metadata["state"].value == "stale: the newest event is 4d 12h old, at most 3d is promised"
    assert bench.publications() == 1


def test_a_silence_is_a_check_of_its_own(bench):
    """[S1-016] The events are as new as promised, and still nothing is published any more."""
    bench.contract = contract_of(QUIET)
    bench.take(GOOD)
    published_at = bench.ledger.entries()[-1].at
    looked(bench, published_at + timedelta(hours=23) - NOW)
    assert last(bench, "silence").passed
    looked(bench, published_at + timedelta(hours=49) - NOW)
    told = last(bench, "silence")
    assert (told.passed, told.blocking, told.metadata["promised"].value) == (False, False, "at most 1d")
    assert told.description == "nothing was published for 2d 1h, at most 1d is promised"
    assert told.metadata["what_to_do"].value.startswith("find out whether deliveries have stopped")


def test_of_two_promises_of_freshness_a_check_tells_its_own_alone(bench):
    """[S1-016] The check that passes says nothing of what the other one found."""
    bench.contract = contract_of(QUIET)
    bench.take(GOOD)
    looked(bench, bench.ledger.entries()[-1].at + timedelta(hours=49) - NOW)
    told = last(bench, "silence")
    assert (told.passed, "at most 1d is promised" in told.description, "shows" in told.description) == (
        False,
        True,
        False,
    )


def test_before_anything_is_published_the_job_says_just_that(bench):
    bench.contract = contract_of(FRESH)
    result = looked(bench, timedelta(0))
    assert (result.success, [check.check_name for check in result.get_asset_check_evaluations()]) == (
        True,
        ["incidents"],
    )
    assert observed(bench).description == "nothing is published"


@pytest.mark.parametrize("text", [WHOLE, BY_REGION], ids=["whole", "by value"])
def test_the_job_looks_after_tables_without_spans_of_time_too(bench, text):
    bench.contract = contract_of(text + "freshness: {column: day, max_age: 1d}\n")
    bench.instance.add_dynamic_partitions("cases", ["NL"])
    partition = "NL" if text == BY_REGION else None
    bench.take(csv(("NL", DAY, 1)), partition)
    looked(bench, timedelta(0))
    told = last(bench, "freshness")
    assert (told.partition, told.passed) == (partition, False)


@pytest.mark.filterwarnings("ignore:Parameter `include_sources`")  # Dagster's own call, in 1.13
def test_looking_makes_nothing_that_depends_on_the_table_run(bench):
    """What is observed is nothing new: a report is written when something was published, and not when somebody looked."""
    bench.take(GOOD)

    @dg.asset(
        deps=[bench.published], partitions_def=None, automation_condition=dg.AutomationCondition.any_deps_updated()
    )
    def report() -> None: ...

    defs = dg.Definitions.merge(bench.definitions, dg.Definitions(assets=[report]))
    before = dg.evaluate_automation_conditions(defs, bench.instance)
    looked(bench, timedelta(days=1))
    bench.take(REFUSED, NEXT)
    after = dg.evaluate_automation_conditions(defs, bench.instance, cursor=before.cursor)
    assert after.get_num_requested(dg.AssetKey("report")) == 0
    bench.take(BETTER)
    anew = dg.evaluate_automation_conditions(defs, bench.instance, cursor=after.cursor)
    assert anew.get_num_requested(dg.AssetKey("report")) == 1


@pytest.mark.parametrize(
    "text, crons, zone",
    [
        (CASES, ["35 7 * * *"], "UTC"),
        (FRESH, ["35 7 * * *"], "UTC"),
        (QUIET, ["35 * * * *"], "UTC"),
        (WHOLE, ["35 7 * * *"], "UTC"),
        (CASES.replace("2026-10-01}", "2026-10-01, timezone: Europe/Amsterdam}"), ["35 7 * * *"], "Europe/Amsterdam"),
        (FRESH.replace("2026-10-01}", '2026-10-01}\n  due: {by: "09:00"}'), ["5 9 * * *", "35 7 * * *"], "UTC"),
    ],
    ids=["nothing promised", "days", "a day", "whole", "in a zone", "with a deadline"],
)
def test_a_schedule_looks_as_often_as_what_is_promised_is_short(text, crons, zone):
    (schedule,) = build_watch_schedules(contract_of(text))
    assert (list(schedule.cron_schedule), schedule.execution_timezone) == (crons, zone)
    assert (schedule.job_name, schedule.default_status) == ("watch_cases", dg.DefaultScheduleStatus.STOPPED)


def test_a_retired_contract_is_not_looked_after():
    contract = contract_of(RETIRED)
    assert (build_watch_jobs(contract), build_watch_schedules(contract)) == ([], [])
    graph = build_definitions([contract], GateResource()).resolve_asset_graph()
    assert {key.name for key in graph.asset_check_keys if key.asset_key.path[0] == "published"} == {
        "reconciled", "notified", "incidents",
    }  # fmt: skip
    assert graph.get(dg.AssetKey(["published", "cases"])).freshness_policy is None


def test_dagster_watches_over_the_promised_pause():
    graph = build_definitions([contract_of(QUIET)], GateResource()).resolve_asset_graph()
    assert graph.get(dg.AssetKey(["published", "cases"])).freshness_policy.fail_window.to_timedelta() == timedelta(
        days=1
    )
    assert {key.name for key in graph.asset_check_keys if key.asset_key.path[0] == "published"} == {
        "reconciled", "freshness", "silence", "notified", "incidents",
    }  # fmt: skip


def test_no_value_of_a_refused_delivery_is_told(bench):
    """S1-063."""
    bench.take(GOOD)
    bench.take(csv((MARKER, NEXT, 1)), NEXT)
    looked(bench, timedelta(days=9))
    told = observed(bench)
    assert MARKER not in repr(told)
