"""The recheck job: time alone may break a promise, and a partitioned check cannot be run alone."""

from datetime import UTC, datetime, timedelta

import dagster as dg

from tests.assets.bench import BAD, CASES, DAY, GOOD, NEXT, WHOLE, contract_of, csv, failures
from tests.assets.test_published import last
from tests.publication.unchanged import unchanged

STRICT = CASES + "freshness: {column: day, max_age: 3d, severity: error}\n"
EVENING = datetime(2026, 10, 2, 18, 0, tzinfo=UTC)


def recheck(bench, partition: str | None = DAY) -> dg.ExecuteInProcessResult:
    job = bench.definitions.resolve_job_def(f"recheck_{bench.contract.name}")
    return job.execute_in_process(partition_key=partition, instance=bench.instance, raise_on_error=False)


def test_a_candidate_that_still_keeps_its_contract_passes_and_says_as_of_when(bench):
    bench.take(GOOD)
    with unchanged(bench.table):
        assert recheck(bench).success
    told = last(bench, "field_n", bench.candidate)
    assert told.description == "judged again as of 2026-10-03 12:00 UTC: all 2 obligations are kept"
    assert (told.partition, told.blocking) == (DAY, True)


def test_freshness_that_ran_out_closes_the_gate_and_leaves_what_was_published(bench):
    """S1-045: judged as of now, not as of then; the table stays as it was."""
    bench.contract, bench.as_of = contract_of(STRICT), EVENING.isoformat()
    bench.land(GOOD)
    assert bench.run(bench.candidate).success
    bench.as_of = (EVENING + timedelta(days=9)).isoformat()
    result = recheck(bench)
    assert not result.success
    assert "refused" in failures(result)[0]
    assert not last(bench, "freshness", bench.candidate).passed
    assert not bench.run(bench.published).success
    assert not bench.table.exists()


def test_a_refused_candidate_is_refused_again_and_without_a_retry(bench):
    bench.take(BAD)
    result = recheck(bench)
    assert "refused" in failures(result)[0]
    assert bench.events() == ["decided"]


def test_a_partition_that_was_never_taken_cannot_be_judged_again(bench):
    bench.take(GOOD)
    assert "none was ever taken" in failures(recheck(bench, NEXT))[0]


def test_a_contract_without_partitions_can_be_judged_again(bench):
    bench.contract = contract_of(WHOLE)
    assert bench.take(csv(("NL", DAY, 1)), None).success
    assert recheck(bench, None).success
    assert last(bench, "field_n", bench.candidate).partition is None


def test_a_recheck_needs_nothing_in_landing(bench):
    bench.take(GOOD)
    bench.land("", DAY).unlink()
    assert recheck(bench).success
    assert last(bench, "reconciled").passed


def test_a_partition_can_be_judged_again_as_often_as_one_likes(bench):
    """Dagster 1.13 stores one answer of a check for a partition and run; outside of a run there could only ever be one."""
    bench.take(GOOD)
    for days in range(3):
        bench.as_of = (EVENING + timedelta(days=days)).isoformat()
        assert recheck(bench).success
        assert f"as of 2026-10-0{2 + days}" in last(bench, "field_n", bench.candidate).description
