"""Real deliveries against verdicts that others computed: each violation must be found in kind, column and count, and nothing else.

The deliveries and the expectations lie beside the repository in `../shared/data` and are never edited. Contracts are ours,
translated from the drafts there; rules against whole batches are left out until a later version enforces them.

`baseline` names the delivery that was accepted before, which history rules compare with. Here it is handed in; what the published
table makes of it stands in test_history.py.
"""

import json
from collections import Counter
from datetime import UTC, datetime

import polars as pl
import pytest

from contract_core.contract.registry import read_contract
from contract_core.validation.past import NONE_PUBLISHED, Past, Predecessor
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
    "history": ("{name}.history", "count"),
    "partition_match": ("partition", "rows_outside"),
    "completeness.missing": ("coverage.missing", "count"),
    "completeness.unexpected": ("coverage.unexpected", "count"),
}
NOW_OF_THE_SETS = datetime(2023, 11, 4, tzinfo=UTC)
SPELLED_OTHERWISE = {
    ("2020-03-06/r0", "stated_change.history"): 1,
    ("2020-03-06/r0", "stated_change_widespread.history"): 1,
}
"""They take `Friuli V. G. ` for the region that was `Friuli Venezia Giulia` the day before. A key compares texts, so that here that
row has no predecessor, and is told as skipped."""
DUPLICATES = ("duplicate_groups", "rows_in_groups", "surplus_rows")


def evaluations():
    for name in SETS:
        file = SHARED / name / "expected.json"
        for stated in json.loads(file.read_text("utf-8")) if file.is_file() else ():
            yield pytest.param(SHARED / name, stated, id=f"{stated['contract']} on {stated['delivery']}")


EVALUATIONS = list(evaluations())
AGAINST_THE_DAY_BEFORE = [item for item in EVALUATIONS if item.values[1]["baseline"] is not None]
WITH_REPEATED_KEYS = [
    item for item in EVALUATIONS if any(violation["rule"] == "unique" for violation in item.values[1]["violations"])
]


def is_ours(violation):
    """Not one that follows from another."""
    return not violation.get("derived")


def expected_breaches(stated, severities=("error", "warn")):
    """The findings that stand for these violations, by id, with their counts."""
    found = Counter()
    for violation in filter(is_ours, stated["violations"]):
        if violation["severity"] in severities:
            kind, _, name = violation["rule"].partition(":")
            finding, count = KINDS[kind]
            finding = finding.format(column=violation.get("column"), name=name)
            found[finding] += violation[count] if count else 1
            found[finding] -= SPELLED_OTHERWISE.get((stated["delivery"], finding), 0)
    return dict(found)


def expected_warnings(stated):
    """The ids of those that only warn."""
    return set(expected_breaches(stated, ("warn",)))


def contract_named(name):
    return read_contract(CONTRACTS / f"{name}.yaml")


def baseline_of(folder, stated):
    """The contract under which the delivery before was accepted, its file and its partition: its own version where that is known."""
    accepted = (item.values[1] for item in EVALUATIONS if item.values[0] == folder)
    known = {
        each["delivery"]: each["contract"]
        for each in accepted
        if each["verdict"] != "reject" and "+" not in each["contract"]
    }
    day, _, revision = stated["baseline"].partition("/")
    (path,) = folder.glob(f"deliveries/*{day.replace('-', '')}-{revision}.csv")
    return contract_named(known.get(stated["baseline"], stated["contract"])), path, day


def past_of(folder, stated, tmp_path):
    """The rows that were accepted before, as the gate would find them."""
    if stated.get("baseline") is None:
        return Past(predecessor=NONE_PUBLISHED)
    before = offer(
        *_as_offered(baseline_of(folder, stated)),
        tmp_path / "before",
        NOW_OF_THE_SETS,
        Past(predecessor=NONE_PUBLISHED),
    )
    assert before.verdict == "publish"
    return Past(predecessor=Predecessor(before.rows.lazy(), before.candidate.submission))


def _as_offered(baseline):
    contract, path, day = baseline
    return contract, [path], day


def offered(folder, stated, tmp_path):
    contract, past = contract_named(stated["contract"]), past_of(folder, stated, tmp_path)
    return offer(contract, [folder / stated["file"]], stated["partition"], tmp_path, NOW_OF_THE_SETS, past)


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
    assert offered(folder, stated, tmp_path).breached == expected_breaches(stated)


@pytest.mark.parametrize("folder, stated", EVALUATIONS)
def test_what_holds_back_and_what_only_warns_is_told_apart(folder, stated, tmp_path):
    """S1-005. What lacks its column is told by another test."""
    found = offered(folder, stated, tmp_path)
    assert set(found.decision.warnings) - found.unjudged == expected_warnings(stated)


VERDICTS = {"reject": "refuse", "publish": "publish", "publish_with_warnings": "publish"}


@pytest.mark.parametrize("folder, stated", EVALUATIONS)
def test_the_verdict_is_the_expected_one(folder, stated, tmp_path):
    """S1-001."""
    assert offered(folder, stated, tmp_path).verdict == VERDICTS[stated["verdict"]]


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
