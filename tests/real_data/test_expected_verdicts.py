"""Real deliveries against verdicts that others computed: each violation must be found in kind, column and count, and nothing else.

The deliveries and the expectations lie beside the repository in `../shared/data` and are never edited. Contracts are ours,
translated from the drafts there; rules against history or whole batches are left out until a later version enforces them.
"""

import json
from collections import Counter
from datetime import UTC, datetime

import polars as pl
import pytest

from contract_core.contract.registry import read_contract
from tests.examples.offering import ROOT, SHARED, offer

CONTRACTS = ROOT / "tests" / "real_data" / "contracts"
SETS = ("italy_regions_march2020", "austria_timeline", "run_durations_2023", "online_retail_dec2010")
KINDS = {  # their kind of violation, our finding, and where they put the number that ours counts; None counts violations
    "schema.unexpected_column": ("extra_field", None),
    "schema.missing_column": ("{column}.missing", None),
    "type": ("{column}.type", "count"),
    "not_null": ("{column}.null", "count"),
    "pattern": ("{column}.pattern", "count"),
    "enum": ("{column}.enum", "count"),
    "min": ("{column}.range", "count"),
    "max": ("{column}.range", "count"),
    "trim": ("{column}.untrimmed", "count"),
    "rule": ("{name}.row_rule", "count"),
    "unique": ("key", "duplicate_groups"),
    "exact_duplicate_rows": ("duplicate_rows", "surplus_rows"),
    "min_rows": ("row_count", None),
    "partition_match": ("partition", "rows_outside"),
    "completeness.missing": ("coverage.missing", "count"),
    "completeness.unexpected": ("coverage.unexpected", "count"),
}
NOW_OF_THE_SETS = datetime(2023, 11, 4, tzinfo=UTC)
DUPLICATES = ("duplicate_groups", "rows_in_groups", "surplus_rows")


def evaluations():
    for name in SETS:
        file = SHARED / name / "expected.json"
        for stated in json.loads(file.read_text("utf-8")) if file.is_file() else ():
            yield pytest.param(SHARED / name, stated, id=f"{stated['contract']} on {stated['delivery']}")


def needs_history(violations):
    return any(violation["rule"].startswith("history:") for violation in violations)


EVALUATIONS = list(evaluations())
ON_ITS_OWN = [item for item in EVALUATIONS if not needs_history(item.values[1]["violations"])]
AGAINST_THE_DAY_BEFORE = [item for item in EVALUATIONS if needs_history(item.values[1]["violations"])]
WITH_REPEATED_KEYS = [
    item for item in EVALUATIONS if any(violation["rule"] == "unique" for violation in item.values[1]["violations"])
]


def is_ours(violation):
    """Not one that follows from another, and not one that needs the day before."""
    return not violation.get("derived") and not needs_history([violation])


def expected_breaches(violations):
    """The findings that stand for these violations, by id, with their counts."""
    found = Counter()
    for violation in filter(is_ours, violations):
        kind, _, name = violation["rule"].partition(":")
        finding, count = KINDS[kind]
        found[finding.format(column=violation.get("column"), name=name)] += violation[count] if count else 1
    return dict(found)


def expected_warnings(violations):
    """The ids of those that only warn."""
    return set(expected_breaches([violation for violation in violations if violation["severity"] == "warn"]))


def offered(folder, stated, tmp_path):
    contract = read_contract(CONTRACTS / f"{stated['contract']}.yaml")
    return offer(contract, [folder / stated["file"]], stated["partition"], tmp_path, NOW_OF_THE_SETS)


def empty_texts(result):
    """How many values of each declared column were a null token, undecodable ones not counted."""
    counts = result.rows.select(
        pl.col(name).is_null() & pl.col(f"__raw.{name}").is_null() for name in declared_in(result)
    ).sum()
    return {name: count for name, count in counts.row(0, named=True).items() if count}


def declared_in(result):
    return [name for name in result.rows.columns if not name.startswith("__")]


def missing_columns(stated):
    return {violation["column"] for violation in stated["violations"] if violation["rule"] == "schema.missing_column"}


@pytest.mark.parametrize("folder, stated", EVALUATIONS)
def test_each_violation_is_found_with_its_count_and_nothing_else_is_breached(folder, stated, tmp_path):
    """S1-020 to S1-031, S2-021, S1-102 on real data."""
    assert offered(folder, stated, tmp_path).breached == expected_breaches(stated["violations"])


@pytest.mark.parametrize("folder, stated", EVALUATIONS)
def test_what_holds_back_and_what_only_warns_is_told_apart(folder, stated, tmp_path):
    """S1-005."""
    decision = offered(folder, stated, tmp_path).decision
    assert set(decision.warnings) == expected_warnings(stated["violations"])


@pytest.mark.parametrize("folder, stated", ON_ITS_OWN)
def test_the_verdict_is_the_expected_one_wherever_history_plays_no_part(folder, stated, tmp_path):
    """S1-001."""
    ours = {"reject": "refuse", "publish": "publish", "publish_with_warnings": "publish"}
    assert offered(folder, stated, tmp_path).verdict == ours[stated["verdict"]]


@pytest.mark.parametrize("folder, stated", AGAINST_THE_DAY_BEFORE)
def test_what_only_the_day_before_could_show_is_published_today(folder, stated, tmp_path):
    """Wrong, and expected to change: the numbers stand beside the wrong regions, and no rule of a single day can see it."""
    assert stated["verdict"] == "reject"
    assert offered(folder, stated, tmp_path).verdict == "publish"


@pytest.mark.parametrize("folder, stated", EVALUATIONS)
def test_only_what_needs_a_missing_column_is_left_unjudged(folder, stated, tmp_path):
    """S1-022: unjudged is not kept, and is said for no other reason than a column that is not there."""
    report = offered(folder, stated, tmp_path).report
    reasons = {finding.reason for finding in report.findings if finding.outcome == "unjudged"}
    assert reasons == {f"the delivery has no column '{name}'" for name in missing_columns(stated)}


@pytest.mark.parametrize("folder, stated", WITH_REPEATED_KEYS)
def test_a_repeated_key_is_counted_in_groups_rows_and_surplus(folder, stated, tmp_path):
    """S1-026 on real data."""
    (violation,) = [violation for violation in stated["violations"] if violation["rule"] == "unique"]
    (finding,) = [finding for finding in offered(folder, stated, tmp_path).report.findings if finding.id == "key"]
    assert tuple(finding.details[name] for name in ("groups", "rows", "surplus_rows")) == tuple(
        violation[name] for name in DUPLICATES
    )


@pytest.mark.parametrize("folder, stated", EVALUATIONS)
def test_every_row_and_column_of_the_file_is_seen(folder, stated, tmp_path):
    """S1-018: nothing is lost on the way into the candidate, and no empty text is filled in."""
    result = offered(folder, stated, tmp_path)
    (file,) = result.candidate.facts.files
    assert (file.rows, len(file.columns)) == (stated["facts"]["rows"], stated["facts"]["n_columns"])
    assert empty_texts(result) == {
        name: count for name, count in stated["facts"]["null_counts"].items() if name in declared_in(result)
    }
    assert (file.sha256, file.size) == (stated["facts"]["sha256"], stated["facts"]["bytes"])


@pytest.mark.skipif(not SHARED.is_dir(), reason="the independent data sets are not beside the repository")
def test_every_evaluation_of_the_sets_is_run():
    assert len(EVALUATIONS) == 37


@pytest.mark.parametrize("path", sorted(CONTRACTS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_translated_contract_can_be_read(path):
    contract = read_contract(path)
    assert path.stem.split("+")[0] == f"{contract.name}@{contract.version}"
