"""History rules in Dagster: a check of their own for each, on the step that judges, beside what was published before."""

import pytest

from contract_assets.checks import check_groups
from contract_assets.recheck import build_recheck_job
from tests.assets.bench import CASES, DAY, NEXT, contract_of, csv, failures, outcomes

HISTORY = "history: [{name: grows, sql: n >= previous.n}, {name: back, vanished: true, severity: warn}]\n"


@pytest.mark.parametrize("policy, is_blocking", [("fail", True), ("quarantine", True), ("warn", False)])
def test_a_history_rule_has_a_check_of_its_own_that_blocks_where_a_breach_refuses(policy, is_blocking):
    contract = contract_of(f"{CASES}{HISTORY}enforcement: {{on_breach: {policy}}}\n")
    found = {group.name: group.is_blocking for group in check_groups(contract) if "history_" in group.name}
    assert found == {"history_grows": is_blocking, "warnings__history_back": False}


def test_a_day_that_contradicts_the_day_before_is_refused_and_told_by_its_checks(bench):
    bench.contract = contract_of(CASES + HISTORY)
    assert outcomes(bench.take(csv(("NL", DAY, 5), ("BE", DAY, 5))))["history_grows"]
    result = bench.take(csv(("NL", NEXT, 4), ("DE", NEXT, 9)), NEXT)
    found = {check.check_name: check for check in result.get_asset_check_evaluations()}
    told = {name for name, check in found.items() if not check.passed and "history" in name}
    assert told == {"history_grows", "warnings__history_back"}
    assert "1 of 1 row breaks it, 1 without a predecessor" in found["history_grows"].description
    assert "1 of 2 published keys is gone" in found["warnings__history_back"].description
    assert "refused, the published table is as it was" in failures(result)[0]
    assert {row[0] for row in bench.shown()} == {"NL", "BE"}


def test_the_recheck_job_compares_with_what_is_published_by_now(bench):
    """Two days that were judged before either was published did not see each other; judged again, the later one does."""
    bench.contract = contract_of(CASES + HISTORY)
    for day, n in ((DAY, 5), (NEXT, 4)):
        bench.land(csv(("NL", day, n)), day)
        assert bench.run(bench.candidate, partition=day).success
    assert bench.run(bench.published, partition=DAY).success
    job = bench.definitions.resolve_job_def(build_recheck_job(bench.contract).name)
    result = job.execute_in_process(partition_key=NEXT, instance=bench.instance, raise_on_error=False)
    assert not result.success
    assert not bench.run(bench.published, partition=NEXT).success
