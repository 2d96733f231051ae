"""Law: the constraints of a table that DDL makes and the gate's own rules give the same verdict, row by row, in real databases."""

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import polars as pl
import pytest
import sqlglot
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from contract_core.contract.model import Contract
from contract_core.contract.odcs_rules import column_sql
from contract_core.contract.parsing import parse_contract
from contract_core.exports.portable_pattern import NotPortable
from contract_core.exports.sql_ddl import DIALECTS, sql_ddl
from contract_core.exports.sql_ddl_predicates import in_dialect
from contract_core.exports.sql_ddl_types import column_type, stored_type
from contract_core.validation.row_rules import kept
from contract_core.validation.schema_match import Columns
from contract_core.validation.sql import target_rules
from tests.exports.engines import SERVER, RefusedError, Run, as_texts, engine, inserted
from tests.properties.constraint_cases import CASES, Case, strings
from tests.properties.row_rules import SCHEMA, Row
from tests.properties.strategies import DEFECTS, KEPT, ROWS, Defect
from tests.properties.strategies import frame as frame_of
from tests.properties.test_constraints import formulas, near, row_rule

SLOW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
ENGINES = ["duckdb", "postgres"]
pytestmark = pytest.mark.usefixtures("server")
GOOD: Row = {
    "id": 1, "region": "AB", "status": "final", "day": date(2026, 10, 1), "count": 1, "rate": 0.5, "amount": Decimal("1.25"), "note": None,
}  # fmt: skip
WHOLE = 'contract: cases\nversion: "1.0.0"\ndescription: "It\'s \\\\ all; -- of it"\n'


@pytest.fixture(scope="module")
def server(postgres: str | None) -> Iterator[None]:
    """PostgreSQL for all tests of this file, where there is one."""
    token = SERVER.set(postgres)
    yield
    SERVER.reset(token)


def verdicts(text: str, frame: pl.DataFrame, dialect: str, run: Run) -> dict[str, tuple[list[bool], list[bool]]]:
    """For each rule that the dialect carries what the gate says of each row, and what the database says of it."""
    contract = parse_contract(text, "c.yaml")
    types = {field.name: stored_type(field.type) for field in contract.fields}
    columns = Columns(frame.schema, is_text=False)
    fill(contract, frame, dialect, run)
    found = {}
    for rule in target_rules(contract, types):
        condition = carried(rule.predicate, types, dialect)
        if condition is not None:
            gate = frame.select(kept(rule.obligation.promise, columns)).to_series().to_list()
            answers = run(f'SELECT {condition} FROM "cases" ORDER BY "#"', [])
            found[rule.obligation.id] = gate, [answer is not False for (answer,) in answers]
    run('DROP TABLE "cases"', [])
    return found


def carried(predicate: str | None, types: dict[str, pl.DataType], dialect: str) -> str | None:
    try:
        return None if predicate is None else in_dialect(predicate, types, dialect).sql(DIALECTS[dialect])
    except NotPortable:
        return None


def fill(contract: Contract, frame: pl.DataFrame, dialect: str, run: Run) -> None:
    """A table without constraints that holds the rows in their order."""
    kinds = [
        exp.ColumnDef(this=exp.to_identifier(field.name, quoted=True), kind=column_type(field.type, dialect))
        for field in contract.fields
    ]
    place = exp.ColumnDef(this=exp.to_identifier("#", quoted=True), kind=exp.DataType.build("INT"))
    table = exp.Schema(this=exp.to_table("cases", quoted=True), expressions=[place, *kinds])
    run(exp.Create(this=table, kind="TABLE").sql(DIALECTS[dialect]), [])
    casts = [
        exp.cast(exp.Placeholder(), column_type(field.type, dialect)).sql(DIALECTS[dialect])
        for field in contract.fields
    ]
    for index, row in enumerate(as_texts(frame.select(contract.field_names))):
        run(f'INSERT INTO "cases" VALUES ({index}, {", ".join(casts)})', row)


@pytest.mark.parametrize("dialect", ENGINES)
@SLOW
@given(case=CASES)
def test_a_constraint_and_the_gate_agree_on_every_row_of_a_field(dialect: str, case: Case) -> None:
    assume(not case.is_by_the_sun)
    with engine(dialect) as run:
        for name, (gate, table) in verdicts(case.text, case.frame, dialect, run).items():
            judged = zip(gate, table, case.values, strict=True)
            assert all(theirs is ours or (ours and value in case.let_through) for ours, theirs, value in judged), (
                name,
                gate,
                table,
            )


@pytest.mark.parametrize("dialect", ENGINES)
@SLOW
@given(case=strings())
def test_a_constraint_of_a_text_and_the_gate_agree(dialect: str, case: Case) -> None:
    with engine(dialect) as run:
        for name, (gate, table) in verdicts(case.text, case.frame, dialect, run).items():
            assert gate == table, (name, case)


@pytest.mark.parametrize("dialect", ENGINES)
@SLOW
@given(sql=formulas, given_rows=st.lists(near, min_size=1, max_size=6), on_null=st.sampled_from(["keep", "breach"]))
def test_a_row_rule_and_the_gate_agree(dialect: str, sql: str, given_rows: list[Row], on_null: str) -> None:
    with engine(dialect) as run:
        frame = pl.DataFrame(given_rows, schema=SCHEMA)
        for gate, table in verdicts(row_rule(sql, on_null), frame, dialect, run).values():
            assert gate == table, (sql, on_null, given_rows)


def made(text: str, dialect: str, run: Run) -> Contract:
    """The contract, with its table made by the DDL."""
    contract = parse_contract(text, "c.yaml")
    for statement in sqlglot.parse(sql_ddl(contract, dialect).text, read=DIALECTS[dialect]):
        run(statement.sql(DIALECTS[dialect]), [])
    return contract


def taken(contract: Contract, frame: pl.DataFrame, dialect: str, run: Run) -> list[bool]:
    """Which rows the table takes, one after the other."""
    return [takes(contract, row, dialect, run) for row in as_texts(frame.select(contract.field_names))]


def takes(contract: Contract, row: list[str | None], dialect: str, run: Run) -> bool:
    try:
        run(inserted(contract, dialect), row)
    except RefusedError:
        return False
    return True


@pytest.mark.parametrize("dialect", ENGINES)
@settings(SLOW, max_examples=15)
@given(given_rows=ROWS)
def test_rows_that_keep_the_contract_are_taken(dialect: str, given_rows: list[Row]) -> None:
    with engine(dialect) as run:
        contract = made(WHOLE + KEPT, dialect, run)
        assert taken(contract, frame_of(given_rows), dialect, run) == [True for _ in given_rows]


@pytest.mark.parametrize("dialect", ENGINES)
@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: "+".join(defect.broken))
def test_a_row_that_breaks_a_rule_is_refused(dialect: str, defect: Defect) -> None:
    """S1-050: a target that takes constraints is given them."""
    with engine(dialect) as run:
        contract = made(WHOLE + KEPT, dialect, run)
        rows = [GOOD, {**GOOD, "id": 2, **defect.values}]
        assert taken(contract, frame_of(rows), dialect, run) == [True, False]


@pytest.mark.parametrize("dialect", ENGINES)
def test_a_repeated_key_is_refused(dialect: str) -> None:
    with engine(dialect) as run:
        contract = made(WHOLE + KEPT, dialect, run)
        assert taken(contract, frame_of([GOOD, GOOD]), dialect, run) == [True, False]


@pytest.mark.parametrize("dialect", ENGINES)
@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("uint8", ["0", "255", "256", "-1"], [True, True, False, False]),
        ("int8", ["-128", "127"], [True, True]),
        ("uint64", ["0", "18446744073709551615", "18446744073709551616", "-1"], [True, True, False, False]),
        ("uint32", ["4294967295", "4294967296"], [True, False]),
    ],
)
def test_a_column_takes_what_its_type_holds(dialect: str, kind: str, values: list[str], expected: list[bool]) -> None:
    with engine(dialect) as run:
        contract = made(f"{WHOLE}fields: [{{name: a, type: {kind}}}]\n", dialect, run)
        assert [takes(contract, [value], dialect, run) for value in values] == expected


def test_a_decimal_of_many_digits_is_judged_and_never_overflows() -> None:
    """DuckDB multiplies decimals of 18 digits in 18 digits, unless it is told to take more."""
    text = f'{WHOLE}fields: [{{name: a, type: "decimal(18,4)", min: -99999999999999.9999}}]\n'
    frame = pl.DataFrame({"a": [Decimal("-99999999999999.9999"), Decimal("1.5")]}, schema={"a": pl.Decimal(18, 4)})
    with engine("duckdb") as run:
        assert all(gate == table == [True, True] for gate, table in verdicts(text, frame, "duckdb", run).values())


def test_a_postgres_decimal_is_a_number() -> None:
    with engine("postgres") as run:
        contract = made(f'{WHOLE}fields: [{{name: a, type: "decimal(5,2)"}}]\n', "postgres", run)
        assert [takes(contract, [value], "postgres", run) for value in ("1.25", "NaN")] == [True, False]


@pytest.mark.parametrize(("dialect", "expected"), [("postgres", [True, False]), ("duckdb", [True, True])])
def test_two_nulls_in_a_key_are_equal_where_the_engine_can_say_so(dialect: str, expected: list[bool]) -> None:
    with engine(dialect) as run:
        contract = made(f"{WHOLE}key: [a]\nfields: [{{name: a, type: string, nullable: true}}]\n", dialect, run)
        assert [takes(contract, [value], dialect, run) for value in (None, None)] == expected


HOSTILE = ["a; DROP TABLE x; --", 'q"q', "b`b", "it's", "/* c */", "x\\", "select", "ü é", "a__SQLGLOT__LB__"]


@pytest.mark.parametrize("dialect", ENGINES)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_a_name(dialect: str, name: str) -> None:
    quoted = json.dumps(name)
    with engine(dialect) as run:
        condition = json.dumps(f"{column_sql(name)} <> 'x'")
        rule = f"rules: [{{name: {quoted}, sql: {condition}}}]"
        text = (
            f"{WHOLE}fields: [{{name: {quoted}, type: string, description: {quoted}, enum: [{quoted}, x]}}]\n{rule}\n"
        )
        contract = made(text, dialect, run)
        assert [takes(contract, [value], dialect, run) for value in (name, "x", "y")] == [True, False, False]
