"""How often a step reads what it tells: the ledger once after its own work, one partition's files of the table, one reading for many."""

from collections import Counter

import pytest

from contract_assets import assets as assets_module
from contract_assets import recheck as recheck_module
from contract_assets import resources
from contract_assets.code_location import build_definitions
from contract_assets.published_checks import RECONCILED, published_check_results
from contract_assets.shown import shown
from contract_core.operations.reconciled import reconcile
from contract_core.publication import tables
from contract_core.publication.ledger import Ledger
from tests.assets.bench import BAD, BETTER, CASES, DAY, FRESH, GOOD, NEXT, contract_of, outcomes


@pytest.fixture
def counted(monkeypatch) -> Counter:
    """How often the ledger's entries were read, and the table's files by their folder."""
    found = Counter()
    read, scan = Ledger._rows, tables._scan

    def reading(ledger, *more):
        found["ledger"] += 1
        return read(ledger, *more)

    def scanning(paths, *more):
        found.update(f"{path.parents[1].name}/{path.parent.name}" for path in paths)
        return scan(paths, *more)

    monkeypatch.setattr(Ledger, "_rows", reading)
    monkeypatch.setattr(tables, "_scan", scanning)
    return found


@pytest.fixture
def done(counted, monkeypatch):
    """Begins to count when the core has done its part of a step."""

    def after(module, name):
        act = getattr(module, name)

        def acting(*arguments):
            found = act(*arguments)
            counted.clear()
            return found

        monkeypatch.setattr(module, name, acting)

    return after


@pytest.mark.parametrize("text", [CASES, FRESH], ids=["without a promised age", "with one"])
def test_all_that_is_told_after_a_publication_is_read_from_the_ledger_once(bench, counted, done, text):
    """[S1-103] Metadata, the age, incidents, who was told, and whether the table shows what the ledger says."""
    bench.contract = contract_of(text)
    done(assets_module, "publish_latest")
    answered = outcomes(bench.take(GOOD))
    assert counted["ledger"] == 1
    assert {"reconciled", "notified", "incidents"} <= {name for name, passed in answered.items() if passed}


def test_all_that_is_told_after_a_refusal_is_read_from_the_ledger_once(bench, counted, done):
    done(assets_module, "take_and_decide")
    bench.take(BAD)
    assert counted["ledger"] == 1


def test_a_second_judgement_reads_the_ledger_once_for_what_it_tells(bench, counted, done):
    bench.take(GOOD)
    done(recheck_module, "judge_again")
    job = bench.definitions.resolve_job_def("recheck_cases")
    job.execute_in_process(partition_key=DAY, instance=bench.instance)
    assert counted["ledger"] == 1


def test_looking_after_a_table_reads_the_ledger_once(bench, counted):
    bench.contract = contract_of(FRESH)
    bench.take(GOOD)
    job = bench.definitions.resolve_job_def("watch_cases")
    counted.clear()
    job.execute_in_process(instance=bench.instance)
    assert counted["ledger"] == 1


@pytest.mark.parametrize("job", ["notify", "metrics"])
def test_a_job_about_all_contracts_reads_the_ledger_once(bench, counted, job):
    """[S1-103]"""
    bench.take(GOOD)
    others = [contract_of(CASES.replace("contract: cases", f"contract: cases_{number}")) for number in range(4)]
    definitions = build_definitions([bench.contract, *others], bench.gate)
    counted.clear()
    assert definitions.resolve_job_def(job).execute_in_process(instance=bench.instance).success
    assert counted["ledger"] == 1


def test_whether_a_partition_shows_what_was_published_is_asked_of_its_own_files(bench, counted):
    bench.take(GOOD)
    bench.take(GOOD.replace(DAY, NEXT), NEXT)
    counted.clear()
    found = reconcile(bench.contract, NEXT, bench.gate.environment())
    assert (found.differences, found.rows_shown) == ((), 2)
    assert {name for name in counted if name.startswith("cases/")} == {f"cases/day={NEXT}"}


def test_what_was_published_since_the_ledger_was_read_is_no_difference(bench):
    bench.take(GOOD)
    before = shown(bench.contract, bench.gate)
    bench.take(BETTER)
    answers = {item.check_name: item.passed for item in published_check_results(before, DAY, bench.published)}
    assert answers[RECONCILED]


def test_a_table_that_somebody_else_changed_is_a_difference_at_the_second_look_too(bench):
    bench.take(GOOD)
    seen = shown(bench.contract, bench.gate)
    bench.gate.store()._open("cases").delete("n = 1")
    answers = {item.check_name: item.passed for item in published_check_results(seen, DAY, bench.published)}
    assert not answers[RECONCILED]


def test_a_run_looks_up_its_environment_once_for_each_thing_it_does(bench, monkeypatch):
    """To take, to publish and to tell: a file of environments is read each time."""
    bench.land(GOOD)
    job = bench.definitions.resolve_job_def("publish_cases")
    asked = []
    find = resources.find_environment
    monkeypatch.setattr(resources, "find_environment", lambda *more: asked.append(more) or find(*more))
    assert job.execute_in_process(partition_key=DAY, instance=bench.instance).success
    assert len(asked) == 3
