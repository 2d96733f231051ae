"""Row rules as constraints of the published table: set up, kept up to date, guarded against other hands, never over broken rows."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from deltalake import CommitProperties, DeltaTable, Field, Schema, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError

from contract_core.contract.model import Contract
from contract_core.errors import PublicationConflictError, PublicationError
from contract_core.publication.constraints import (
    constraints_marker,
    constraints_number,
    pending,
    settle,
    settle_with_upgrade,
)
from contract_core.validation.sql import target_rules
from contract_core.validation.target_rule import not_null_fields
from tests.publication.samples import contract_of

ORDERS = """\
contract: orders
version: "1.0.0"
key: [id]
fields:
  - {name: id, type: string, not_blank: true, pattern: "[A-Z][0-9]+", trimmed: true, max_length: 4}
  - {name: day, type: date, min: 2026-01-01}
  - {name: n, type: integer, min: 0.5, max: 100.5}
  - {name: amount, type: "decimal(12,2)", nullable: true, max: 5.55}
  - {name: rate, type: number, nullable: true, min: 0, max: 1}
  - {name: status, type: string, enum: [new, done, "it's", gone, lost]}
  - {name: note, type: string, required: false, nullable: true, max_length: 3}
rules:
  - {name: done_is_paid, sql: "status <> 'done' OR amount IS NOT NULL"}
  - {name: odd, sql: "CASE WHEN n > 5 THEN TRUE ELSE status = 'new' END"}
"""
TYPES = {
    "id": pl.String(), "day": pl.Date(), "n": pl.Int64(), "amount": pl.Decimal(12, 2), "rate": pl.Float64(), "status": pl.String(),
    "note": pl.String(),
}  # fmt: skip
GOOD = {
    "id": "A1",
    "day": date(2026, 1, 1),
    "n": 1,
    "amount": Decimal("5.55"),
    "rate": 0.5,
    "status": "new",
    "note": None,
}


def empty_schema(contract: Contract, types: dict[str, pl.DataType]) -> Schema:
    """The columns with NOT NULL where the contract has it."""
    plain, strict = Schema.from_arrow(pl.Schema(types)), not_null_fields(contract)
    return Schema([Field(each.name, each.type, nullable=each.name not in strict) for each in plain.fields])


BAD = {
    "id.null": {"id": None}, "id.blank": {"id": "\u3000"}, "id.pattern": {"id": "a1"}, "id.untrimmed": {"id": "A1 "},
    "id.length": {"id": "A1234"}, "day.null": {"day": None}, "day.range": {"day": date(2025, 12, 31)}, "n.null": {"n": None},
    "n.range": {"n": 0}, "amount.range": {"amount": Decimal("5.56")}, "rate.not_finite": {"rate": float("nan")},
    "rate.range": {"rate": -0.1}, "status.null": {"status": None}, "status.enum": {"status": "old"}, "note.length": {"note": "long"},
    "done_is_paid.row_rule": {"status": "done", "amount": None},
}  # fmt: skip


def rows(*changed: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame([GOOD | change for change in changed], schema=TYPES)


def created(
    folder: Path, types: dict[str, pl.DataType] = TYPES, partition_by: tuple[str, ...] = ("day",)
) -> DeltaTable:
    """An empty table as delta-rs makes it of these types, with nothing that it enforces."""
    return DeltaTable.create(folder, Schema.from_arrow(pl.Schema(types)), partition_by=list(partition_by))


def settled(folder: Path, contract: Contract) -> DeltaTable:
    return settle(created(folder), contract, TYPES).table


def shown(folder: Path) -> tuple[int, list[tuple[object, ...]]]:
    table = DeltaTable(folder)
    return table.version(), sorted(pl.read_delta(str(folder)).rows(), key=str)


def refused(folder: Path, offered: pl.DataFrame, **how: object) -> bool:
    """True where a writer that knows nothing of the gate is refused, and the table is as it was."""
    before = shown(folder)
    try:
        write_deltalake(DeltaTable(folder), offered, mode=how.pop("mode", "append"), **how)
    except DeltaError:
        assert shown(folder) == before
        return True
    return False


def texts(table: DeltaTable) -> dict[str, str]:
    prefix = "delta.constraints."
    return {
        key.removeprefix(prefix): text for key, text in table.metadata().configuration.items() if key.startswith(prefix)
    }


def names(contract: Contract, types: dict[str, pl.DataType] = TYPES) -> dict[str, str]:
    return {rule.obligation.id: rule.name for rule in target_rules(contract, types) if rule.predicate is not None}


# Set-up and what it is for


def test_a_new_table_has_not_null_columns_and_a_named_constraint_for_each_rule(tmp_path: Path) -> None:
    """S1-007, S1-050: required fields without nullable are NOT NULL, partition columns too; each other rule has its constraint."""
    contract = contract_of(ORDERS)
    table = settled(tmp_path / "t", contract)
    assert [field.name for field in table.schema().fields if not field.nullable] == ["id", "day", "n", "status"]
    assert table.schema().to_json() == empty_schema(contract, TYPES).to_json()
    assert set(texts(table)) == set(names(contract).values())
    assert set(names(contract)) == set(BAD)


@pytest.mark.parametrize("rule", BAD, ids=str)
def test_a_direct_write_of_a_row_that_breaks_one_rule_fails(tmp_path: Path, rule: str) -> None:
    """S1-007, S1-052: whoever writes, by append, overwrite, merge or with a new column, a violating row is refused."""
    settled(tmp_path / "t", contract_of(ORDERS))
    assert not refused(tmp_path / "t", rows({}))
    bad = rows(BAD[rule])
    assert refused(tmp_path / "t", bad)
    assert refused(tmp_path / "t", bad, mode="overwrite")
    assert refused(tmp_path / "t", bad.with_columns(more=pl.lit("x")), schema_mode="merge")
    assert refused(
        tmp_path / "t", bad.lazy().collect_batches(lazy=True, chunk_size=10), mode="overwrite", predicate="n >= 0"
    )
    merger = DeltaTable(tmp_path / "t").merge(bad, "s.id = t.id", "s", "t").when_matched_update_all()
    with pytest.raises(DeltaError):
        merger.when_not_matched_insert_all().execute()


def test_not_null_survives_a_column_that_somebody_adds_on_the_way(tmp_path: Path) -> None:
    """S1-052: delta-rs 1.6 loses NOT NULL in schema_mode="merge"; the constraint beside it stays."""
    settled(tmp_path / "t", contract_of(ORDERS))
    assert not refused(tmp_path / "t", rows({}).with_columns(more=pl.lit("x")), schema_mode="merge")
    table = DeltaTable(tmp_path / "t")
    assert {field.name for field in table.schema().fields if field.nullable} & {"id", "day", "n", "status"}
    assert refused(tmp_path / "t", rows({"n": None}).with_columns(more=pl.lit("x")))


def test_a_table_made_with_not_null_columns_gets_the_constraints_beside_them_while_it_has_no_rows(
    tmp_path: Path,
) -> None:
    """S1-050, S1-052: added over NOT NULL they would be stored as `true`, and be lost with it."""
    contract = contract_of(ORDERS)
    made = DeltaTable.create(tmp_path / "t", empty_schema(contract, TYPES), partition_by=["day"])
    table = settle(made, contract, TYPES).table
    assert [field.name for field in table.schema().fields if not field.nullable] == ["id", "day", "n", "status"]
    assert texts(table) == texts(settled(tmp_path / "other", contract))
    assert refused(tmp_path / "t", rows({"n": None}).with_columns(more=pl.lit("x")), schema_mode="merge")
    assert settle(table, contract, TYPES).changed.is_nothing


def test_what_the_gate_lets_through_is_not_refused(tmp_path: Path) -> None:
    """S1-050: nulls keep every rule but null, bounds are included, texts are judged by code points."""
    settled(tmp_path / "t", contract_of(ORDERS))
    kept = rows(
        {}, {"amount": None, "rate": None, "note": None}, {"n": 100}, {"rate": 1.0}, {"rate": -0.0}, {"note": "👍🏽x"},
        {"status": "it's"}, {"status": "done"}, {"amount": Decimal("-9.99")},
    )  # fmt: skip
    assert not refused(tmp_path / "t", kept)


def test_uniqueness_is_never_said_to_be_enforced_by_the_table(tmp_path: Path) -> None:
    """S1-008, S1-055: a key has no constraint, its twin is taken by the table, and the rule says who enforces it instead."""
    contract = contract_of(ORDERS + "unique: [{name: u, fields: [n]}]\nduplicate_rows: error\n")
    settled(tmp_path / "t", contract)
    rules = {rule.obligation.id: rule for rule in target_rules(contract, TYPES)}
    assert [rules[name].predicate for name in ("key", "u.unique", "duplicate_rows")] == [None, None, None]
    assert {rules[name].why_not for name in ("key", "u.unique", "duplicate_rows")} == {
        "Delta enforces no uniqueness; the gate itself does"
    }
    assert not any(name.startswith("gate_key") for name in texts(DeltaTable(tmp_path / "t")))
    assert not refused(tmp_path / "t", rows({}, {}))


def test_settling_twice_changes_nothing(tmp_path: Path) -> None:
    contract = contract_of(ORDERS)
    first = settle(created(tmp_path / "t"), contract, TYPES)
    second = settle(first.table, contract, TYPES)
    assert second.changed.is_nothing
    assert second.table.version() == first.table.version()
    assert first.table.transaction_version(constraints_marker("orders")) == constraints_number(first.table)


def test_a_policy_that_warns_puts_nothing_on_the_target(tmp_path: Path) -> None:
    contract = contract_of(ORDERS + "enforcement: {on_breach: warn}\n")
    settlement = settle(created(tmp_path / "t"), contract, TYPES)
    assert settlement.changed.is_nothing
    assert texts(settlement.table) == {}


# Published rows


def test_a_rule_that_published_rows_break_is_not_added_and_their_number_is_told(tmp_path: Path) -> None:
    """S1-053: each rule with the count of violating rows and a remedy, never a value, and nothing is changed."""
    created(tmp_path / "t")
    write_deltalake(tmp_path / "t", rows({}, {"n": 500}, {"n": 0, "id": None}, {"rate": float("nan")}), mode="append")
    before = DeltaTable(tmp_path / "t").version()
    with pytest.raises(PublicationError) as error:
        settle(DeltaTable(tmp_path / "t"), contract_of(ORDERS), TYPES)
    assert [problem.what for problem in error.value.problems] == [
        "1 published rows break 'id.null', which the table is to enforce",
        "2 published rows break 'n.range', which the table is to enforce",
        "1 published rows break 'rate.not_finite', which the table is to enforce",
    ]
    assert {problem.where for problem in error.value.problems} == {"contract 'orders' 1.0.0"}
    assert all("correction" in problem.hint and "severity: warn" in problem.hint for problem in error.value.problems)
    assert "500" not in str(error.value)
    assert error.value.__cause__ is None
    assert error.value.__context__ is None
    assert DeltaTable(tmp_path / "t").version() == before


def test_a_table_with_good_rows_gets_constraints_in_place_of_not_null(tmp_path: Path) -> None:
    """S1-050: a column of a table with rows cannot be made NOT NULL by delta-rs; a constraint says the same."""
    created(tmp_path / "t")
    write_deltalake(tmp_path / "t", rows({}, {"amount": None}), mode="append")
    table = settle(DeltaTable(tmp_path / "t"), contract_of(ORDERS), TYPES).table
    assert all(field.nullable for field in table.schema().fields)
    assert texts(table)[names(contract_of(ORDERS))["n.null"]] == "n IS NOT NULL"
    assert refused(tmp_path / "t", rows({"n": None}))


# Protocol


def test_the_upgrade_of_the_protocol_is_announced(tmp_path: Path) -> None:
    """S1-054: what will be added, and that it raises the protocol, is told before it is done; afterwards it is not told again."""
    contract = contract_of(ORDERS)
    table = created(tmp_path / "t")
    told = pending(table, contract, TYPES)
    assert (told.raises_protocol, told.other_writers) == (True, ())
    assert {rule.obligation.id for rule in told.add} == set(BAD)
    assert pending(None, contract, TYPES).raises_protocol
    after = settle(table, contract, TYPES).table
    assert after.protocol().min_writer_version == 3
    assert not pending(after, contract, TYPES).raises_protocol


def foreign_commit(folder: Path, engine: str) -> None:
    """A commit as another engine would leave it in the log."""
    log = folder / "_delta_log"
    newest = max(log.glob("*.json"))
    commit = {"commitInfo": {"timestamp": 1, "operation": "WRITE", "operationParameters": {}, "engineInfo": engine}}
    (log / f"{int(newest.stem) + 1:020}.json").write_text(json.dumps(commit) + "\n")


def test_the_protocol_is_not_raised_under_another_engine_unless_it_is_asked_for(tmp_path: Path) -> None:
    """S1-054: other writers are named and nothing is changed; the same with the upgrade allowed goes through."""
    contract = contract_of(ORDERS)
    created(tmp_path / "t")
    foreign_commit(tmp_path / "t", "Apache-Spark/3.5.0 Delta-Lake/3.2.0")
    table = DeltaTable(tmp_path / "t")
    assert pending(table, contract, TYPES).other_writers == ("Apache-Spark/3.5.0 Delta-Lake/3.2.0",)
    with pytest.raises(PublicationError) as error:
        settle(table, contract, TYPES)
    assert "Apache-Spark/3.5.0 Delta-Lake/3.2.0" in error.value.problems[0].what
    assert DeltaTable(tmp_path / "t").protocol().min_writer_version == 2
    assert settle_with_upgrade(table, contract, TYPES).table.protocol().min_writer_version == 3


def test_a_table_with_features_gains_the_one_for_constraints(tmp_path: Path) -> None:
    """S1-054: timestamps without zone make protocol 7, where constraints are a feature of their own."""
    contract = contract_of('contract: c\nversion: "1.0.0"\nfields: [{name: at, type: timestamp}]\n')
    types = {"at": pl.Datetime("us")}
    table = created(tmp_path / "t", types, ())
    assert pending(table, contract, types).raises_protocol
    after = settle(table, contract, types).table
    assert "checkConstraints" in (after.protocol().writer_features or [])
    assert not pending(after, contract, types).raises_protocol


# Other hands


def test_a_constraint_that_somebody_removed_is_restored(tmp_path: Path) -> None:
    contract = contract_of(ORDERS)
    table = settled(tmp_path / "t", contract)
    before = texts(table)
    table.alter.drop_constraint(names(contract)["n.range"])
    settlement = settle(DeltaTable(tmp_path / "t"), contract, TYPES)
    assert settlement.changed.is_altered
    assert set(texts(settlement.table)) == set(before)
    assert refused(tmp_path / "t", rows(BAD["n.range"]))
    assert settle(settlement.table, contract, TYPES).changed.is_nothing


def test_a_constraint_whose_text_somebody_changed_is_restored(tmp_path: Path) -> None:
    contract = contract_of(ORDERS)
    table = settled(tmp_path / "t", contract)
    name = names(contract)["n.range"]
    table.alter.drop_constraint(name)
    table.alter.add_constraint({name: '"n" >= -1000'})
    settlement = settle(DeltaTable(tmp_path / "t"), contract, TYPES)
    assert settlement.changed.is_altered
    assert refused(tmp_path / "t", rows(BAD["n.range"]))
    assert {rule for rule, change in BAD.items() if not refused(tmp_path / "t", rows(change))} == set()


def test_a_foreign_constraint_is_left_alone(tmp_path: Path) -> None:
    table = settled(tmp_path / "t", contract_of(ORDERS))
    table.alter.add_constraint({"theirs": '"n" < 50', "n_range_deadbeef": '"n" < 60'})
    settlement = settle(DeltaTable(tmp_path / "t"), contract_of(ORDERS.replace("max: 5.55", "max: 7")), TYPES)
    assert texts(settlement.table)["theirs"] == "n < 50"
    assert texts(settlement.table)["n_range_deadbeef"] == "n < 60"
    assert refused(tmp_path / "t", rows({"n": 55}))


# Another version of the contract


def test_another_bound_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    before, after = contract_of(ORDERS), contract_of(ORDERS.replace("max: 100.5", "max: 200"))
    settled(tmp_path / "t", before)
    settlement = settle(DeltaTable(tmp_path / "t"), after, TYPES)
    assert [rule.obligation.id for rule in settlement.changed.add] == ["n.range"]
    assert settlement.changed.drop == (names(before)["n.range"],)
    assert not refused(tmp_path / "t", rows({"n": 200}))
    assert refused(tmp_path / "t", rows({"n": 201}))


def test_a_rule_that_only_warns_leaves_the_table(tmp_path: Path) -> None:
    settled(tmp_path / "t", contract_of(ORDERS))
    warns = contract_of(ORDERS.replace("max: 100.5}", "max: 100.5, severity: {range: warn}}"))
    settlement = settle(DeltaTable(tmp_path / "t"), warns, TYPES)
    assert (len(settlement.changed.drop), settlement.changed.add) == (1, ())
    assert not refused(tmp_path / "t", rows(BAD["n.range"]))


def test_a_field_that_may_be_null_now_takes_nulls(tmp_path: Path) -> None:
    """S1-050: the column is no longer NOT NULL, and the rules beside it, stored for a column without nulls, let nulls through."""
    settled(tmp_path / "t", contract_of(ORDERS))
    write_deltalake(tmp_path / "t", rows({}), mode="append")
    relaxed = contract_of(
        ORDERS.replace("max: 100.5}", "max: 100.5, nullable: true}").replace(
            "min: 2026-01-01}", "min: 2026-01-01, nullable: true}"
        )
    )
    settlement = settle(DeltaTable(tmp_path / "t"), relaxed, TYPES)
    assert settlement.changed.relax == ("day", "n")
    assert not refused(tmp_path / "t", rows({"n": None}, {"day": None}))
    assert refused(tmp_path / "t", rows(BAD["n.range"]))
    assert refused(tmp_path / "t", rows(BAD["day.range"]))


def test_a_field_of_a_column_made_not_null_elsewhere_takes_nulls_when_it_may(tmp_path: Path) -> None:
    strict, relaxed = contract_of(ORDERS), contract_of(ORDERS.replace("max: 100.5}", "max: 100.5, nullable: true}"))
    DeltaTable.create(tmp_path / "t", empty_schema(strict, TYPES), partition_by=["day"])
    write_deltalake(tmp_path / "t", rows({}), mode="append")
    table = settle(DeltaTable(tmp_path / "t"), strict, TYPES).table
    assert names(strict)["n.null"] not in texts(table)  # delta-rs would store it as `true`
    assert refused(tmp_path / "t", rows({"n": None}))
    settle(table, relaxed, TYPES)
    assert not refused(tmp_path / "t", rows({"n": None}))
    assert refused(tmp_path / "t", rows(BAD["n.range"]))


def test_a_field_that_must_not_be_null_any_more_gets_a_constraint(tmp_path: Path) -> None:
    """S1-053: nulls that are published already are counted, and the rule is not added over them."""
    relaxed = contract_of(ORDERS.replace("max: 100.5}", "max: 100.5, nullable: true}"))
    settled(tmp_path / "t", relaxed)
    write_deltalake(tmp_path / "t", rows({"n": None}, {"n": None, "id": "B2"}), mode="append")
    with pytest.raises(PublicationError) as error:
        settle(DeltaTable(tmp_path / "t"), contract_of(ORDERS), TYPES)
    assert [problem.what for problem in error.value.problems] == [
        "2 published rows break 'n.null', which the table is to enforce"
    ]
    write_deltalake(tmp_path / "t", rows({}), mode="overwrite")
    settle(DeltaTable(tmp_path / "t"), contract_of(ORDERS), TYPES)
    assert refused(tmp_path / "t", rows({"n": None}))


def test_a_new_column_is_there_with_its_rules_before_rows_are_written(tmp_path: Path) -> None:
    """S1-052: added by itself, so that NOT NULL of the others stays; a row rule about it counts the rows that lack it."""
    settled(tmp_path / "t", contract_of(ORDERS))
    write_deltalake(tmp_path / "t", rows({}), mode="append")
    field = "  - {name: more, type: integer, required: false, nullable: true, min: 5}\nrules:\n"
    wider, types = contract_of(ORDERS.replace("rules:\n", field)), TYPES | {"more": pl.Int64()}
    settlement = settle(DeltaTable(tmp_path / "t"), wider, types)
    assert settlement.changed.columns == ("more",)
    assert [f.name for f in settlement.table.schema().fields if not f.nullable] == ["id", "day", "n", "status"]
    assert refused(tmp_path / "t", rows({}).with_columns(more=pl.lit(4, pl.Int64)))
    assert not refused(tmp_path / "t", rows({}).with_columns(more=pl.lit(5, pl.Int64)))
    strict = contract_of(
        ORDERS.replace("rules:\n", f"{field}  - {{name: m, sql: other > 1}}\n").replace("name: more", "name: other")
    )
    with pytest.raises(PublicationError) as error:
        settle(DeltaTable(tmp_path / "t"), strict, TYPES | {"more": pl.Int64(), "other": pl.Int64()})
    assert [problem.what for problem in error.value.problems] == [
        "2 published rows break 'm.row_rule', which the table is to enforce"
    ]


# Rivals


def test_of_two_who_settle_at_once_the_second_finds_nothing_to_do_or_a_conflict(tmp_path: Path) -> None:
    contract = contract_of(ORDERS)
    late = created(tmp_path / "t")
    first = settle(DeltaTable(tmp_path / "t"), contract, TYPES)
    second = settle(late, contract, TYPES)
    assert second.changed.is_nothing
    assert second.table.version() == first.table.version()


def test_who_settles_another_version_at_once_is_told_of_the_conflict(tmp_path: Path) -> None:
    late = created(tmp_path / "t")
    settle(DeltaTable(tmp_path / "t"), contract_of(ORDERS), TYPES)
    with pytest.raises(PublicationConflictError) as error:
        settle(late, contract_of(ORDERS.replace("max: 5.55", "max: 7")), TYPES)
    assert error.value.__cause__ is None


def test_rows_that_came_in_meanwhile_are_not_passed_over(tmp_path: Path) -> None:
    """S1-053: delta-rs 1.6 with retries would add the constraint over the rival's rows without looking at them."""
    late = created(tmp_path / "t")
    write_deltalake(tmp_path / "t", rows({"n": 500}), mode="append")
    with pytest.raises(PublicationConflictError):
        settle(late, contract_of(ORDERS), TYPES)
    with pytest.raises(PublicationError):
        settle(DeltaTable(tmp_path / "t"), contract_of(ORDERS), TYPES)


def test_a_writer_with_an_older_handle_fails(tmp_path: Path) -> None:
    """S1-052: it may not know of the constraints yet."""
    late = created(tmp_path / "t")
    settle(DeltaTable(tmp_path / "t"), contract_of(ORDERS), TYPES)
    with pytest.raises(CommitFailedError):
        write_deltalake(late, rows({"n": 500}), mode="append")
    assert pl.read_delta(str(tmp_path / "t")).is_empty()


def test_a_commit_may_carry_the_number_of_the_constraints(tmp_path: Path) -> None:
    contract = contract_of(ORDERS)
    table = settled(tmp_path / "t", contract)
    marker = Transaction(constraints_marker(contract.name), constraints_number(table))
    write_deltalake(table, rows({}), mode="append", commit_properties=CommitProperties(app_transactions=[marker]))
    assert pending(DeltaTable(tmp_path / "t"), contract, TYPES).is_nothing
