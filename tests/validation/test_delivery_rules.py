"""What is judged from the producer's words: parts and their five states, contract, unit, partition, completeness."""

from typing import Any

import pytest

from contract_core.candidate.facts import DeliveryProblem, ExtraColumn, Facts, PartFacts
from contract_core.contract.model import Contract
from contract_core.validation.delivery_rules import few, judge, parts_found, unkeepable
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.report import Finding, PartState

A, B, C = "worker-a", "worker-b", "worker-c"


def contract_of(parts: dict[str, Any] | None = None, **delivery: Any) -> Contract:
    fields = [{"name": "part", "type": "string"}, {"name": "ms", "type": "integer", "unit": "ms"}]
    stated = {"parts": parts, **delivery} if parts else delivery
    return Contract.model_validate(
        {"contract": "run_durations", "version": "1.2.0", "fields": fields, "delivery": stated}
    )


REQUIRED = {"required": [A, B]}
ENVELOPE = contract_of({"from": "envelope", **REQUIRED}, format={"type": "envelope"}, partition={"column": "part"})
BY_COLUMN = contract_of({"from": "column", "column": "part", **REQUIRED})
DECLARED_BY_COLUMN = contract_of({"from": "column", "column": "part", **REQUIRED}, manifest="required")
BY_FILE = contract_of({"from": "file", **REQUIRED})
MANIFEST = contract_of({"from": "manifest", **REQUIRED}, manifest="required", partition={"column": "part"})
OPTIONAL = contract_of({"from": "file", **REQUIRED}, manifest="optional")
NO_PARTS = contract_of(manifest="optional")


def facts_of(*parts: PartFacts, **terms: Any) -> Facts:
    return Facts(**{"format": "csv", "parts": parts, **terms})


def states(
    contract: Contract, facts: Facts, in_rows: dict[str | None, int] | None = None
) -> list[tuple[str, PartState, int | None]]:
    return [(part.name, part.state, part.rows) for part in parts_found(contract, facts, in_rows)]


COMPLETE, EMPTY, INCOMPLETE, MISSING, UNEXPECTED = PartState


@pytest.mark.parametrize(
    ("contract", "facts", "in_rows", "expected"),
    [
        pytest.param(ENVELOPE, facts_of(PartFacts(A, True, 2), PartFacts(B, True, 0), format="envelope"), None, [(A, COMPLETE, 2), (B, EMPTY, 0)], id="S2-013 complete and empty"),
        pytest.param(ENVELOPE, facts_of(PartFacts(A, True, 2), format="envelope"), None, [(A, COMPLETE, 2), (B, MISSING, None)], id="S2-014 missing"),
        pytest.param(ENVELOPE, facts_of(PartFacts(A, True, 2), PartFacts(B, False, 0), format="envelope"), None, [(A, COMPLETE, 2), (B, INCOMPLETE, 0)], id="S2-015 incomplete"),
        pytest.param(ENVELOPE, facts_of(PartFacts(A, True, 2), PartFacts(B, None, 3, problems=("x",)), format="envelope"), None, [(A, COMPLETE, 2), (B, INCOMPLETE, 3)], id="S2-023 complete is not true"),
        pytest.param(ENVELOPE, facts_of(PartFacts(A, True, 2), PartFacts(B, True, 1), PartFacts(C, True, 1), format="envelope"), None, [(A, COMPLETE, 2), (B, COMPLETE, 1), ("<extra>", UNEXPECTED, 1)], id="S2-020 unexpected"),
        pytest.param(BY_COLUMN, facts_of(), {A: 2, B: 1}, [(A, COMPLETE, 2), (B, COMPLETE, 1)], id="column"),
        pytest.param(BY_COLUMN, facts_of(), {A: 2, C: 5}, [(A, COMPLETE, 2), (B, MISSING, None), ("<extra>", UNEXPECTED, 5)], id="column: missing and unexpected"),
        pytest.param(BY_COLUMN, facts_of(), None, [(A, MISSING, None), (B, MISSING, None)], id="no column that tells"),
        pytest.param(DECLARED_BY_COLUMN, facts_of(PartFacts(A, True, 2), PartFacts(B, True, 0), manifest="present"), {A: 2}, [(A, COMPLETE, 2), (B, EMPTY, 0)], id="column: declared empty"),
        pytest.param(DECLARED_BY_COLUMN, facts_of(PartFacts(A, True, 2), PartFacts(B, None, 0, source_file="b.csv"), manifest="present"), {A: 2}, [(A, COMPLETE, 2), (B, INCOMPLETE, 0)], id="column: a file of its own without rows"),
        pytest.param(DECLARED_BY_COLUMN, facts_of(PartFacts(A, True, 2), PartFacts(B, None, 0), manifest="present"), {A: 2}, [(A, COMPLETE, 2), (B, MISSING, None)], id="column: named and nothing said"),
        pytest.param(DECLARED_BY_COLUMN, facts_of(PartFacts(A, True, 2), manifest="present"), {A: 2, B: 1}, [(A, COMPLETE, 2), (B, INCOMPLETE, 1)], id="column: nobody declared it"),
        pytest.param(BY_FILE, facts_of(PartFacts(A, rows=2, source_file="a.csv"), PartFacts(B, rows=0, source_file="b.csv")), None, [(A, COMPLETE, 2), (B, EMPTY, 0)], id="files"),
        pytest.param(OPTIONAL, facts_of(PartFacts(A, True, 2, source_file="a.csv"), PartFacts(B, rows=1, source_file="b.csv"), manifest="present"), None, [(A, COMPLETE, 2), (B, INCOMPLETE, 1)], id="a manifest that leaves one out"),
        pytest.param(MANIFEST, facts_of(manifest="none"), None, [(A, MISSING, None), (B, MISSING, None)], id="no manifest"),
        pytest.param(NO_PARTS, facts_of(PartFacts(A, True, 1), manifest="present"), None, [], id="no parts required"),
    ],
)  # fmt: skip
def test_a_part_has_one_of_five_states(
    contract: Contract, facts: Facts, in_rows: dict[str, int] | None, expected: list[tuple[str, PartState, int | None]]
) -> None:
    """S2-012, S2-016."""
    assert states(contract, facts, in_rows) == expected


def judged(
    contract: Contract,
    name: str,
    facts: Facts,
    in_rows: dict[str | None, int] | None = None,
    partition: str | None = None,
) -> Finding:
    obligation: Obligation
    (obligation,) = [item for item in obligations_of(contract) if item.id == name]
    if name == "extra_field":
        return unkeepable(obligation, contract, facts)
    return judge(obligation, contract, facts, partition, parts_found(contract, facts, in_rows))


def test_missing_and_unexpected_parts_are_counted_apart() -> None:
    """S2-014, S2-020."""
    missing, unexpected = (
        judged(BY_COLUMN, name, facts_of(), {A: 2, C: 5}) for name in ("coverage.missing", "coverage.unexpected")
    )
    assert (missing.breaches, missing.reason, dict(missing.details)) == (1, B, {"required": 2, "missing": 1})
    assert (unexpected.breaches, unexpected.reason, dict(unexpected.details)) == (
        1,
        "",
        {"required": 2, "unexpected": 1},
    )


@pytest.mark.parametrize(
    ("declared", "version", "breaches"),
    [
        pytest.param("run_durations", None, 0, id="name"),
        pytest.param("run-durations", None, 0, id="name with dashes"),
        pytest.param("run_durations/v1", None, 0, id="major"),
        pytest.param("run-durations/v2", None, 1, id="S2-035 another major"),
        pytest.param("run_durations@1.2.0", None, 0, id="version"),
        pytest.param("run_durations@1.3.0", None, 0, id="another minor of the same major"),
        pytest.param("run_durations", "1.0.0", 0, id="version beside"),
        pytest.param("run_durations", "v1", 0, id="major beside"),
        pytest.param("run_durations", "2.0.0", 1, id="S2-035 another major beside"),
        pytest.param("run_durations/v1", "2.0.0", 1, id="two versions that differ"),
        pytest.param("run_durations", "latest", 1, id="a word as version"),
        pytest.param("run_durations", "1.2.0.0", 1, id="four numbers"),
        pytest.param("run_durations", "١", 1, id="a digit that is not ASCII"),
        pytest.param("orders", None, 1, id="S2-017 another contract"),
        pytest.param("", None, 1, id="an empty name"),
        pytest.param("run_durations_v2", None, 1, id="a longer name"),
    ],
)
def test_a_delivery_declares_this_contract(declared: str, version: str | None, breaches: int) -> None:
    """S2-017."""
    facts = facts_of(declared_contract=declared, declared_version=version, manifest="present")
    assert judged(NO_PARTS, "contract", facts).breaches == breaches


@pytest.mark.parametrize(
    ("contract", "facts", "name", "breaches"),
    [
        pytest.param(NO_PARTS, facts_of(manifest="present"), "contract", 0, id="a manifest may leave the contract out"),
        pytest.param(ENVELOPE, facts_of(format="envelope"), "contract", 1, id="S2-017 an envelope names it"),
        pytest.param(NO_PARTS, facts_of(manifest="present"), "unit", 0, id="a manifest may leave the unit out"),
        pytest.param(ENVELOPE, facts_of(format="envelope"), "unit", 1, id="S2-018 an envelope states it"),
        pytest.param(ENVELOPE, facts_of(format="envelope", declared_unit="ms"), "unit", 0, id="the contract's unit"),
        pytest.param(ENVELOPE, facts_of(format="envelope", declared_unit="s"), "unit", 1, id="S2-032 another unit"),
        pytest.param(ENVELOPE, facts_of(format="envelope", declared_unit="MS"), "unit", 1, id="a unit in capitals"),
        pytest.param(MANIFEST, facts_of(manifest="present", declared_partition="2026-10-01"), "partition.declared", 0, id="the partition offered"),
        pytest.param(MANIFEST, facts_of(manifest="present", declared_partition="2026-10-02"), "partition.declared", 1, id="S2-019 another partition"),
        pytest.param(MANIFEST, facts_of(manifest="present"), "partition.declared", 0, id="no partition declared"),
        pytest.param(MANIFEST, facts_of(manifest="present", problems=(DeliveryProblem("partition", "is no text"),)), "partition.declared", 1, id="S2-044 malformed"),
        pytest.param(ENVELOPE, facts_of(format="envelope", declared_unit="ms", problems=(DeliveryProblem("unit", "a"), DeliveryProblem("unit", "b"))), "unit", 2, id="S2-044 each malformed unit"),
    ],
)  # fmt: skip
def test_a_declaration_agrees_or_is_a_breach(contract: Contract, facts: Facts, name: str, breaches: int) -> None:
    assert judged(contract, name, facts, partition="2026-10-01").breaches == breaches


WRONG_ROWS = PartFacts(B, True, 1, declared_rows=2, problems=("declares 2 rows, 1 were found",))


@pytest.mark.parametrize(
    ("contract", "facts", "breaches", "counted", "reason"),
    [
        pytest.param(MANIFEST, facts_of(PartFacts(A, True, 1), PartFacts(B, True, 0), manifest="present"), 0, {}, "", id="all complete"),
        pytest.param(MANIFEST, facts_of(PartFacts(A, True, 1), PartFacts(B, False, 0), manifest="present"), 1, {"incomplete": 1}, B, id="S2-015 incomplete"),
        pytest.param(MANIFEST, facts_of(PartFacts(A, True, 1), PartFacts(B, None, 1), manifest="present"), 1, {"undeclared": 1}, B, id="undeclared"),
        pytest.param(MANIFEST, facts_of(PartFacts(A, True, 1), WRONG_ROWS, manifest="present"), 1, {"disagreeing": 1}, B, id="declares other rows"),
        pytest.param(MANIFEST, facts_of(PartFacts(A, True, 1), manifest="present"), 0, {}, "", id="a missing part is judged by coverage"),
        pytest.param(MANIFEST, facts_of(manifest="none"), 1, {}, "there is no manifest", id="no manifest where one is required"),
        pytest.param(OPTIONAL, facts_of(PartFacts(A, rows=1, source_file="a.csv"), manifest="none"), 0, {}, "", id="no manifest where none is required"),
        pytest.param(MANIFEST, facts_of(manifest="unreadable"), 1, {"malformed": 1}, "the manifest cannot be read", id="unreadable manifest"),
        pytest.param(MANIFEST, facts_of(PartFacts(A, True, 1), PartFacts(B, True, 1), manifest="present", problems=(DeliveryProblem("completeness", "'parts' is no object"),)), 1, {"malformed": 1}, "'parts' is no object", id="S2-044 malformed manifest"),
        pytest.param(OPTIONAL, facts_of(PartFacts(A, True, 1, source_file="a.csv"), PartFacts(C, False, 1), manifest="present"), 0, {}, "", id="an unexpected part is judged by coverage"),
        pytest.param(NO_PARTS, facts_of(PartFacts(C, False, 1), manifest="present"), 1, {"incomplete": 1}, "", id="a part that no contract names is not named"),
        pytest.param(NO_PARTS, facts_of(manifest="present", undeclared_files=("a.csv", "b.csv")), 2, {"undeclared": 2}, "a.csv, b.csv", id="files that nobody declared"),
        pytest.param(MANIFEST, facts_of(PartFacts(A, True, 1), PartFacts(B, True, 0), manifest="present", undeclared_files=("c.csv",)), 1, {"undeclared": 1}, "c.csv", id="a file beside complete parts"),
        pytest.param(ENVELOPE, facts_of(PartFacts(A, True, 1), PartFacts(B, True, 0), format="envelope", undeclared_files=("2.json",)), 1, {"undeclared": 1}, "2.json", id="an envelope without parts"),
        pytest.param(DECLARED_BY_COLUMN, facts_of(PartFacts(A, True, 0), PartFacts(B, True, 0), PartFacts(C, None, 0, problems=("'rows' is no count",)), manifest="present"), 1, {"undeclared": 1, "disagreeing": 1}, "", id="nothing of an unexpected part is there but its problem"),
    ],
)  # fmt: skip
def test_completeness_is_declared_and_never_inferred(
    contract: Contract, facts: Facts, breaches: int, counted: dict[str, int], reason: str
) -> None:
    found = judged(contract, "completeness", facts)
    assert (found.breaches, {name: count for name, count in found.details.items() if count}, found.reason) == (
        breaches,
        counted,
        reason,
    )


def test_rows_of_a_part_that_nobody_declared_are_not_complete() -> None:
    found = judged(
        DECLARED_BY_COLUMN, "completeness", facts_of(PartFacts(A, True, 2), manifest="present"), {A: 2, B: 1}
    )
    assert (found.breaches, found.details["undeclared"], found.reason) == (1, 1, B)


def test_a_long_list_is_cut_and_says_so() -> None:
    assert few(str(number) for number in range(12)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"
    assert few(["a"]) == "a"


def test_rows_without_a_part_are_unexpected_and_counted() -> None:
    found = judged(BY_COLUMN, "coverage.unexpected", facts_of(), {A: 2, B: 1, None: 7})
    assert (found.breaches, dict(found.details)) == (1, {"required": 2, "unexpected": 1, "rows without a part": 7})
    assert states(BY_COLUMN, facts_of(), {A: 2, B: 1, None: 7})[2:] == [("<none>", UNEXPECTED, 7)]


@pytest.mark.parametrize(("contract", "terms"), [(BY_FILE, {}), (OPTIONAL, {}), (ENVELOPE, {"format": "envelope"})])
def test_a_required_part_that_was_delivered_twice_is_one_too_many(contract: Contract, terms: dict[str, Any]) -> None:
    twice = PartFacts(A, None, 2, problems=("was delivered more than once",), source_file="x/a.csv", deliveries=2)
    found = judged(contract, "coverage.unexpected", facts_of(twice, PartFacts(B, rows=1, source_file="b.csv"), **terms))
    assert (found.breaches, found.reason, found.details["delivered more than once"]) == (1, A, 1)


KEEP = contract_of().model_copy(update={"extra_fields": "keep"})


@pytest.mark.parametrize(
    ("names", "breaches", "position"),
    [
        pytest.param(["x", "y", ""], 0, 1, id="names of their own"),
        pytest.param(["x", "PART"], 1, 2, id="a declared one in capitals"),
        pytest.param(["x", "y", "X"], 2, 1, id="each other"),
        pytest.param(["", ""], 0, 0, id="no names"),
        pytest.param(["straße", "STRASSE"], 0, 1, id="names that only a language makes equal"),
        pytest.param([], 0, 0, id="none"),
    ],
)
def test_kept_columns_have_names_that_the_table_can_tell_apart(names: list[str], breaches: int, position: int) -> None:
    extras = tuple(ExtraColumn(place, "1.csv", name, 1) for place, name in enumerate(names, start=1))
    found = judged(KEEP, "extra_field", facts_of(extra_columns=extras))
    assert (found.breaches, found.details["first_position"]) == (breaches, position)
    assert not any(name and name in found.reason.split() for name in names)


def test_a_kept_column_of_two_types_is_a_breach() -> None:
    problem = DeliveryProblem("extra_field", "an undeclared column has not the same type in all files")
    found = judged(KEEP, "extra_field", facts_of(problems=(problem,), extra_columns=(ExtraColumn(2, "1.csv", "x", 1),)))
    assert (found.breaches, found.reason) == (1, problem.text)
