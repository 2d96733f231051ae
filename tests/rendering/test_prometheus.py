"""The text for Prometheus, read by the parser of its own client, and the page that explains it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from contract_core.operations.metrics import ContractMetrics, RuleBreaches, Violations
from contract_core.publication.entry import Event
from contract_core.rendering.metrics import metrics_document
from contract_core.rendering.prometheus import FAMILIES, prometheus_text
from tests.operations.test_metrics import DUE, FRESH, HOUR, NOON, accepted, published, refused, told

PAGE = (Path(__file__).parents[2] / "docs/metrics.md").read_text("utf-8")
TABLE = PAGE.split("## What each number means")[1].split("## Alerts")[0]
ROWS = [line.split("|")[1:3] for line in TABLE.splitlines() if line.startswith("| ")][1:]
SPENT = {
    "take_seconds": 0.25,
    "take_cpu_seconds": 0.5,
    "take_rows": 40.0,
    "take_rows_per_second": 160.0,
    "take_peak_bytes": 9000.0,
    "validate_seconds": 2.0,
    "delivered_bytes": 10.0,
    "candidate_bytes": 5.0,
}
FULL = told(
    refused(HOUR, "a"),
    accepted(HOUR, "b", effort=SPENT, breached=("n.range",), warned=("n.range",), counts={"n.range": 3}),
    published(3 * HOUR, "b", effort={"publish_seconds": 0.5}),
    contract=DUE,
)


Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(*metrics: ContractMetrics) -> Samples:
    """Every sample by its name and labels, as a scraper keeps it; none may come twice."""
    lines = [
        ((sample.name, tuple(sorted(sample.labels.items()))), sample.value)
        for family in text_string_to_metric_families(prometheus_text(metrics))
        for sample in family.samples
    ]
    assert len(dict(lines)) == len(lines)
    return dict(lines)


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[f"contract_gate_{name}", tuple(sorted({"contract": "cases", **labels}.items()))]


def test_counters_carry_the_labels_that_are_asked_for() -> None:
    """[S3-031] [S1-032]"""
    found = read(FULL)
    assert value(found, "submissions_total", verdict="refuse") == 1
    assert value(found, "submissions_total", verdict="publish") == 1
    assert value(found, "submissions_total", verdict="failed") == 0
    assert value(found, "aborts_total") == 1
    assert value(found, "refusals_total", rule="key") == 1
    assert value(found, "violations_total", field="n", rule="n.range", mode="warn") == 3
    assert value(found, "contract_info", version="1.0.0", status="draft", mode="fail") == 1


def test_durations_are_sums_and_counts() -> None:
    """[S1-033] [S1-035]"""
    found = read(FULL)
    assert (
        value(found, "receipt_to_publication_seconds_sum"),
        value(found, "receipt_to_publication_seconds_count"),
    ) == (10_800, 1)
    assert (value(found, "resolution_seconds_sum", rule="key"), value(found, "unresolved_breaches", rule="key")) == (
        7200,
        0,
    )
    assert value(found, "stage_seconds_sum", stage="take") == 0.25
    assert value(found, "stage_seconds_count", stage="publish") == 1
    assert value(found, "delivered_bytes_total") == 10


def test_what_stages_cost_is_told_by_stage() -> None:
    """[S1-103]"""
    found = read(FULL)
    assert value(found, "stage_cpu_seconds_sum", stage="take") == 0.5
    assert value(found, "stage_rows_total", stage="take") == 40
    assert value(found, "stage_rows_per_second", stage="take") == 160
    assert value(found, "stage_peak_bytes", stage="take") == 9000
    stages = {dict(labels)["stage"] for name, labels in found if "stage_" in name}
    assert stages == {"take", "validate", "publish"}


def test_ages_and_states_are_gauges() -> None:
    """[S1-034]"""
    found = read(FULL)
    assert value(found, "newest_event_age_seconds") == 45 * 3600
    assert value(found, "newest_publication_age_seconds") == 6 * 3600
    assert value(found, "open_incidents", kind="refused") == 0
    assert value(found, "partitions", state="late") == 1


def test_what_is_not_known_has_no_line() -> None:
    names = {name for name, _ in read(told(contract=FRESH))}
    unknown = {"newest_event_age_seconds", "newest_publication_age_seconds", "stale", "partitions"}
    assert names & {f"contract_gate_{name}" for name in unknown} == set()
    assert value(read(told(published(HOUR), contract=FRESH)), "stale") == 0
    assert value(read(told(published(HOUR), contract=FRESH, at=NOON + 99 * HOUR)), "stale") == 1


def test_each_family_is_described_once_and_its_samples_stand_together() -> None:
    lines = prometheus_text([FULL, replace(FULL, contract="returns")]).splitlines()
    kinds = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    helped = [line.split()[2] for line in lines if line.startswith("# HELP")]
    assert kinds == helped == sorted(set(kinds), key=kinds.index)
    told_of = [re.sub(r"(_sum|_count)?[{].*", "", line) for line in lines if not line.startswith("#")]
    assert list(dict.fromkeys(told_of)) == kinds


def test_two_contracts_stand_side_by_side() -> None:
    found = read(FULL, replace(FULL, contract="returns", quarantined_rows=7))
    assert found["contract_gate_quarantined_rows", (("contract", "returns"),)] == 7
    assert value(found, "quarantined_rows") == 0


@settings(max_examples=200, derandomize=True, deadline=None)
@given(name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_name_of_a_field_comes_through_as_it_is(name: str) -> None:
    odd = replace(FULL, violations=(Violations(f"{name}.range", name, "warn", 3),), refused_by_rule={name: 1})
    found = read(odd)
    assert value(found, "violations_total", field=name, rule=f"{name}.range", mode="warn") == 3
    assert value(found, "refusals_total", rule=name) == 1


@pytest.mark.parametrize("number", [0.1, 1e-6, 12345678901234567, 1e300, 3.5])
def test_a_number_is_read_as_it_is(number: float) -> None:
    assert value(read(replace(FULL, newest_event_age=number)), "newest_event_age_seconds") == number


def test_the_page_names_every_metric_and_no_other() -> None:
    named = [name for _, names, _ in _rows() for name in names]
    assert sorted(named) == sorted(family.name for family in FAMILIES)


def test_the_page_names_every_key_of_the_document_and_no_other() -> None:
    (document,) = metrics_document([FULL], NOON)["contracts"]
    assert sorted(key for keys, _, _ in _rows() for key in keys) == sorted(document)


def test_the_page_names_the_labels_of_each_metric() -> None:
    samples = read(replace(FULL, breaches=(RuleBreaches("key", "key", None, None, 1, 1),), is_stale=False))
    labels_of: dict[str, set[str]] = {}
    for name, labels in samples:
        labels_of.setdefault(re.sub("_(sum|count)$", "", name), set()).update(label for label, _ in labels)
    said = {f"contract_gate_{name}": {"contract", *labels} for _, names, labels in _rows() for name in names}
    said["contract_gate_contract_info"] |= {"version", "status", "mode"}
    assert labels_of == said


def _rows() -> list[tuple[list[str], list[str], list[str]]]:
    """Of each row of the table the keys, the metrics and their labels."""
    split = [(keys, *names.partition(" by ")[::2]) for keys, names in ROWS]
    return [tuple(re.findall(r"`(\w+)`", cell) for cell in row) for row in split]  # type: ignore[misc]


def test_a_request_is_counted() -> None:
    asked = replace(published(4 * HOUR), event=Event.REQUESTED, by="weekly_report", reference="T-1")
    assert value(read(told(accepted(HOUR), published(HOUR), asked)), "open_requests") == 1
