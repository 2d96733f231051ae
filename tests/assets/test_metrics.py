"""Numbers in Dagster: what each step cost, and how a contract does, observed by a job."""

import dagster as dg
import pytest

from contract_assets.definitions import build_definitions
from contract_assets.measures import contract_measures
from contract_assets.resources import GateResource
from contract_core.operations.metrics import metrics_of
from tests.assets.bench import BAD, BETTER, CASES, FRESH, GOOD, NEXT, Bench, contract_of, csv
from tests.assets.test_quarantine import APART, ELSEWHERE

FAR = "2126-10-03T12:00:00+00:00"
"""A moment after all that these tests record: records carry the moment of the run."""
MEASURES = ("seconds", "cpu_seconds", "rows", "rows_per_second")
LATER = csv(("NL", NEXT, -1))


def numbers(result: dg.ExecuteInProcessResult, key: dg.AssetKey) -> dict[str, object]:
    """The metadata of the one materialisation of an asset that are numbers."""
    (event,) = [one for one in result.get_asset_materialization_events() if one.asset_key == key]
    return {
        name: found.value
        for name, found in event.materialization.metadata.items()
        if isinstance(found, (dg.FloatMetadataValue, dg.IntMetadataValue))
    }


def observed(bench: Bench) -> dict[str, dg.MetadataValue]:
    """What the job says of the published table."""
    result = bench.definitions.resolve_job_def("metrics").execute_in_process(instance=bench.instance)
    assert result.success
    (event,) = [one for one in result.all_events if one.event_type_value == "ASSET_OBSERVATION"]
    assert (event.asset_key, event.partition) == (bench.published, None)
    return event.asset_observation_data.asset_observation.metadata


def test_each_step_says_what_it_cost_as_numbers_that_are_plotted(bench):
    """[S1-033]"""
    result = bench.take(GOOD)
    candidate, published = numbers(result, bench.candidate), numbers(result, bench.published)
    assert {"take_seconds", "validate_seconds", "delivered_bytes", "candidate_bytes"} <= candidate.keys()
    assert (candidate["delivered_bytes"], isinstance(candidate["validate_seconds"], float)) == (len(GOOD), True)
    assert 0 < published["publish_seconds"] < published["receipt_to_publication_seconds"] + 60
    assert {f"take_{measure}" for measure in MEASURES} <= candidate.keys()
    assert {f"validate_{measure}" for measure in MEASURES} <= candidate.keys()
    assert {f"publish_{measure}" for measure in MEASURES} <= published.keys()
    assert (candidate["take_rows"], published["publish_rows"]) == (2, 2)
    assert {type(candidate[name]) for name in ("take_rows", "candidate_bytes")} == {int}


@pytest.mark.parametrize(("text", "first"), [(CASES, "schema"), (APART, "decision")], ids=["refusing", "dividing"])
def test_the_first_check_says_what_a_refused_candidate_cost(bench, text, first):
    """[S1-103] It has no materialisation that could say it."""
    bench.contract = contract_of(text)
    found = {one.check_name: one.metadata for one in bench.take(ELSEWHERE).get_asset_check_evaluations()}
    telling = [name for name, metadata in found.items() if "validate_seconds" in metadata]
    assert (telling, isinstance(found[first]["validate_cpu_seconds"], dg.FloatMetadataValue)) == ([first], True)


def test_a_publication_that_was_there_already_took_no_time(bench):
    bench.take(GOOD)
    again = numbers(bench.run(), bench.published)
    assert {"publish_seconds", "receipt_to_publication_seconds"} & again.keys() == set()


def test_a_candidate_says_how_old_its_newest_event_is_where_an_age_is_promised(bench):
    """[S1-034]"""
    bench.contract = contract_of(FRESH)
    assert numbers(bench.take(GOOD), bench.candidate)["newest_event_age_hours"] == 60.0
    bench.contract = contract_of(CASES)
    assert "newest_event_age_hours" not in numbers(bench.take(BETTER), bench.candidate)


def test_the_job_observes_how_a_contract_does(bench):
    """[S1-032] [S1-034] [S1-035] Submissions by verdict, breaches by rule, time to resolve."""
    bench.as_of = FAR
    for text, day in ((BAD, "2026-10-01"), (GOOD, "2026-10-01"), (LATER, NEXT)):
        bench.take(text, day)
    found = observed(bench)
    told = {
        name: found[name].value
        for name in ("submissions_publish", "submissions_refuse", "open_incidents", "unresolved_breaches")
    }
    assert told == {"submissions_publish": 1, "submissions_refuse": 2, "open_incidents": 1, "unresolved_breaches": 1}
    assert (found["newest_event_age_hours"].value, found["contract_version"].value) == (876_636.0, "1.0.0")
    assert {"hours_to_resolve_median", "hours_to_publication_median"} <= found.keys()
    (rule,) = [record.data for record in found["rules"].records]
    assert 0 <= rule.pop("median hours") < 0.1
    assert rule == {
        "rule": "n.range", "refused": 2, "broke it": 2, "breaches": 2, "unresolved": 1, "resolved": 1,
    }  # fmt: skip


def test_a_contract_without_deliveries_is_observed_without_ages(bench):
    found = observed(bench)
    assert (found["submissions_publish"].value, "newest_event_age_hours" in found, "rules" in found) == (
        0,
        False,
        False,
    )


def test_rows_in_quarantine_are_a_number(bench):
    bench.contract, bench.as_of = contract_of(APART), FAR
    bench.take(BAD)
    found = observed(bench)
    assert (found["quarantined_rows"].value, found["submissions_with_quarantine"].value) == (1, 1)


def test_one_job_and_one_schedule_tell_of_all_contracts():
    contracts = [contract_of(), contract_of(CASES.replace("contract: cases", "contract: returns"))]
    known = build_definitions(contracts, GateResource())
    assert [job.name for job in known.jobs if "metrics" in job.name] == ["metrics"]
    (schedule,) = [one for one in known.schedules if "metrics" in one.name]
    assert (schedule.name, schedule.job_name, schedule.cron_schedule) == ("metrics_schedule", "metrics", "0 7 * * *")
    assert schedule.default_status is dg.DefaultScheduleStatus.STOPPED
    assert "metrics" not in [job.name for job in build_definitions([], GateResource()).jobs]


@pytest.mark.parametrize("name", ["rules", "submissions_refuse"])
def test_what_is_observed_is_what_the_command_tells(bench, name):
    bench.as_of = FAR
    bench.take(BAD)
    entries = bench.ledger.entries()
    expected = contract_measures(metrics_of(bench.contract, entries, bench.gate.moment_of_judgement()))
    assert observed(bench)[name] == expected[name]
