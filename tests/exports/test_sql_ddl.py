"""Contracts as SQL: what stands in the statements, what Delta takes of them, and what is named because an engine does not enforce it."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sqlglot
from deltalake import DeltaTable, Schema, write_deltalake
from deltalake.exceptions import DeltaError
from sqlglot import exp

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import read_contract
from contract_core.errors import WrongUsageError
from contract_core.exports.sql_ddl import DIALECTS, sql_ddl
from contract_core.exports.sql_ddl_types import stored_type
from tests.properties.strategies import DEFECTS, KEPT, Defect
from tests.properties.strategies import frame as frame_of

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "data/contracts").glob("*.yaml"))
HEAD = 'contract: cases\nversion: "1.0.0"\n'
GOOD: dict[str, Any] = {
    "id": 1, "region": "AB", "status": "final", "day": date(2026, 10, 1), "count": 1, "rate": 0.5, "amount": Decimal("1.25"), "note": None,
}  # fmt: skip
HOSTILE = ["a; DROP TABLE x; --", 'q"q', "b`b", "it's", "/* c */", "x\\", "select", "a__SQLGLOT__LB__"]


def ddl(text: str, dialect: str) -> str:
    return sql_ddl(parse_contract(text, "c.yaml"), dialect).text


def left_out(text: str, dialect: str) -> tuple[str, ...]:
    return sql_ddl(parse_contract(text, "c.yaml"), dialect).not_carried


def one_field(attributes: str) -> str:
    return f"{HEAD}fields:\n  - {{name: a, {attributes}}}\n"


def columns(text: str, dialect: str) -> dict[str, str]:
    created = sqlglot.parse_one(ddl(text, dialect).split(";\n")[0], read=DIALECTS[dialect])
    return {column.name: column.kind.sql(DIALECTS[dialect]) for column in created.find_all(exp.ColumnDef)}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_contracts_are_sql_that_reads_back_as_such(path: Path, dialect: str):
    """For Snowflake this is all that is tried: there is no engine of it to run."""
    text = sql_ddl(read_contract(path), dialect).text
    statements = sqlglot.parse(text, read=DIALECTS[dialect])
    again = [statement.sql(DIALECTS[dialect]) for statement in statements]
    assert {type(statement) for statement in statements} <= {exp.Create, exp.Comment, exp.Alter}
    assert [sqlglot.parse_one(statement, read=DIALECTS[dialect]) for statement in again] == statements


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("delta", "CREATE TABLE `cases` (\n  `a` DATE NOT NULL,\n  `b` STRING\n)\nUSING DELTA\nPARTITIONED BY (\n  `a`\n);\n"),
        ("duckdb", 'CREATE TABLE "cases" (\n  "a" DATE NOT NULL,\n  "b" TEXT\n);\n'),
        ("postgres", 'CREATE TABLE "cases" (\n  "a" DATE NOT NULL,\n  "b" TEXT\n);\n'),
        ("snowflake", 'CREATE TABLE "cases" (\n  "a" DATE NOT NULL,\n  "b" VARCHAR\n);\n'),
    ],
)  # fmt: skip
def test_a_table_is_made_with_its_columns_and_in_delta_with_its_folders(dialect: str, expected: str):
    fields = "fields: [{name: a, type: date}, {name: b, type: string, nullable: true}]\n"
    assert (
        ddl(f"{HEAD}{fields}delivery: {{partition: {{column: a, every: day, start: 2026-10-01}}}}\n", dialect)
        == expected
    )


@pytest.mark.parametrize(
    ("promised", "expected"),
    [
        ("string", ("STRING", "TEXT", "TEXT", "VARCHAR")), ("int8", ("TINYINT", "TINYINT", "SMALLINT", "TINYINT")), ("int32", ("INT", "INT", "INT", "INT")),
        ("uint8", ("SMALLINT", "SMALLINT", "SMALLINT", "SMALLINT")), ("uint64", ("DECIMAL(20, 0)",) * 4), ("integer", ("BIGINT",) * 4),
        ("float32", ("FLOAT", "REAL", "REAL", "DOUBLE")), ("number", ("DOUBLE", "DOUBLE", "DOUBLE PRECISION", "DOUBLE")), ("decimal(10,2)", ("DECIMAL(10, 2)",) * 4),
        ("boolean", ("BOOLEAN",) * 4), ("date", ("DATE",) * 4), ("time", ("STRING", "TIME", "TIME", "TIME")), ("timestamp", ("TIMESTAMP_NTZ", "TIMESTAMP", "TIMESTAMP", "TIMESTAMPNTZ")),
        ("timestamp[us,UTC]", ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPTZ", "TIMESTAMPTZ")), ("duration", ("BIGINT",) * 4), ("binary", ("BINARY", "BLOB", "BYTEA", "BINARY")),
        ("object", ("STRING", "TEXT", "TEXT", "VARCHAR")),
    ],
)  # fmt: skip
def test_a_type_is_that_of_the_dialect(promised: str, expected: tuple[str, ...]):
    assert tuple(columns(one_field(f"type: '{promised}'"), dialect)["a"] for dialect in DIALECTS) == expected


@pytest.mark.parametrize("dialect", DIALECTS)
def test_words_about_table_and_columns_are_comments(dialect: str):
    """[S3-011] `description` is carried into every export."""
    text = f"{HEAD}description: All cases.\nfields: [{{name: a, type: integer, description: An a., unit: kg}}]\n"
    assert "All cases." in ddl(text, dialect)
    assert "An a." in ddl(text, dialect)
    assert "Unit: kg" in ddl(text, dialect)


@pytest.mark.parametrize(
    ("dialect", "is_there"), [("delta", False), ("duckdb", True), ("postgres", True), ("snowflake", True)]
)
def test_a_key_of_the_whole_table_is_its_primary_key_where_there_are_some(dialect: str, is_there: bool):
    assert ("PRIMARY KEY" in ddl(f"{HEAD}key: [a]\nfields: [{{name: a, type: string}}]\n", dialect)) is is_there


@pytest.mark.parametrize("dialect", ["delta", "snowflake"])
def test_a_key_that_is_not_enforced_is_named_as_such_in_a_comment(dialect: str):
    text = f"{HEAD}key: [a]\nfields: [{{name: a, type: string}}]\n"
    assert "Key, not enforced here: a" in ddl(text, dialect)
    assert "`key`: the engine enforces no uniqueness; the comment of the table names the key" in left_out(text, dialect)


def test_snowflake_is_told_that_its_primary_key_is_not_enforced():
    assert 'PRIMARY KEY ("a") NOT ENFORCED' in ddl(
        f"{HEAD}key: [a]\nfields: [{{name: a, type: string}}]\n", "snowflake"
    )


PARTITIONED = "delivery: {partition: {column: day, every: day, start: 2026-10-01}}\n"
TWO = "fields: [{name: a, type: string}, {name: day, type: date}]\n"


@pytest.mark.parametrize(
    ("terms", "is_there"),
    [
        pytest.param("key: [a]\n", True, id="one delivery is the table"),
        pytest.param(f"key: [a]\n{PARTITIONED}", False, id="each partition has its own"),
        pytest.param(f"key: [a, day]\n{PARTITIONED}", True, id="the key tells partitions apart"),
        pytest.param(f"key: [a]\n{PARTITIONED}publication: {{mode: upsert}}\n", True, id="upsert"),
        pytest.param("key: [a]\nenforcement: {on_breach: warn}\n", False, id="rows that break it are published"),
    ],
)
def test_a_key_is_enforced_where_the_table_as_a_whole_keeps_it(terms: str, is_there: bool):
    assert ("PRIMARY KEY" in ddl(f"{HEAD}{TWO}{terms}", "postgres")) is is_there


def test_a_unique_rule_of_the_whole_table_is_a_constraint_in_which_nulls_are_equal():
    text = f"{HEAD}unique: [{{name: u, fields: [a]}}]\nfields: [{{name: a, type: string, nullable: true}}]\n"
    assert "UNIQUE NULLS NOT DISTINCT" in ddl(text, "postgres")
    assert "`u.unique`: rows with a null in it are not compared there" in left_out(text, "duckdb")


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        (one_field("type: string, pattern: x"), "snowflake", "`a.pattern`: Snowflake has no CHECK constraints"),
        (one_field("type: string, pattern: '\\w'"), "postgres", "`a.pattern`: its pattern uses \\w, which other languages read otherwise"),
        (one_field("type: string, pattern: 'x{256}'"), "postgres", "`a.pattern`: its pattern repeats something more than 255 times"),
        (one_field("type: string, pattern: 'a$|b'"), "delta", "`a.pattern`: its pattern uses signs that mean more in Java"),
        (one_field("type: string, trimmed: true, severity: {untrimmed: warn}"), "duckdb", "`a.untrimmed`: it only warns, and the format can only refuse"),
        (one_field("type: time"), "delta", "`a.type`: it is written as text, since Delta has no time of day"),
        (one_field("type: duration"), "duckdb", "`a.type`: it is written as a number of microseconds"),
        (one_field("type: uint8"), "snowflake", "`a.type`: Snowflake has one type for whole numbers, and no CHECK constraints"),
        (f"{one_field('type: integer')}rules: [{{name: r, sql: a / 2 > 1}}]\n", "duckdb", "`r.row_rule`: the published table has no constraint for it either: it uses DIV"),
        (f"{one_field('type: integer')}unique: [{{name: u, fields: [a], where: a > 0}}]\n", "postgres", "`u.unique`: it holds for some of the rows alone"),
        (f"{one_field('type: integer')}duplicate_rows: error\n", "postgres", "`duplicate_rows`: it compares whole rows"),
        (one_field("type: integer"), "duckdb", "`unreadable`, `row_count`: it is about a whole delivery, which the gate alone sees"),
    ],
)  # fmt: skip
def test_what_an_engine_does_not_enforce_is_named(text: str, dialect: str, expected: str):
    assert expected in left_out(text, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_a_name(dialect: str, name: str):
    quoted = json.dumps(name)
    other = f"{{name: b, type: string, enum: [{quoted}]}}"
    text = f"{HEAD}key: [{quoted}]\ndescription: {quoted}\nfields: [{{name: {quoted}, type: string, description: {quoted}}}, {other}]\n"
    statements = sqlglot.parse(ddl(text, dialect), read=DIALECTS[dialect])
    assert {type(statement) for statement in statements} <= {exp.Create, exp.Comment, exp.Alter}
    assert {column.name for statement in statements for column in statement.find_all(exp.ColumnDef)} == {name, "b"}
    texts = {literal.this for statement in statements for literal in statement.find_all(exp.Literal)}
    assert texts <= {name, f"{name}\nKey, not enforced here: {name}"}


def test_a_dialect_that_is_not_written_is_refused():
    with pytest.raises(WrongUsageError, match="one of: delta, duckdb, postgres, snowflake"):
        ddl(one_field("type: string"), "oracle")


def test_a_name_that_postgres_would_cut_is_refused():
    text = f"{HEAD}fields: [{{name: {'é' * 32}, type: string}}]\n"
    with pytest.raises(WrongUsageError, match="PostgreSQL cuts names after 63 bytes"):
        ddl(text, "postgres")
    assert "é" * 32 in ddl(text, "duckdb")


def test_names_of_constraints_are_never_cut():
    text = f"{HEAD}rules: [{{name: {'r' * 90}, sql: a > 0}}, {{name: {'r' * 91}, sql: a > 1}}]\nfields: [{{name: a, type: integer}}]\n"
    created = sqlglot.parse_one(ddl(text, "postgres"), read="postgres")
    names = [constraint.name for constraint in created.find_all(exp.Constraint)]
    assert len(set(names)) == len(names) == 2
    assert max(map(len, names)) == 63


def delta_table(contract: Contract, place: Path) -> DeltaTable:
    """An empty table with the columns of the contract and the constraints of its DDL, in the words of the engine of delta-rs."""
    types = pl.Schema({field.name: stored_type(field.type) for field in contract.fields})
    table = DeltaTable.create(place, Schema.from_arrow(types))
    statements = sqlglot.parse(sql_ddl(contract, "delta").text, read="spark")
    added = [
        constraint
        for statement in statements
        if isinstance(statement, exp.Alter)
        for constraint in statement.find_all(exp.Constraint)
    ]
    for constraint in added:
        table.alter.add_constraint({constraint.name: constraint.expressions[0].this.transform(in_datafusion).sql()})
    return DeltaTable(place)


def in_datafusion(node: exp.Expr) -> exp.Expr:
    match node:
        case exp.Length():
            return exp.Anonymous(this="character_length", expressions=[node.this])
        case exp.IsNan():
            return exp.Anonymous(this="isnan", expressions=[node.this])
        case exp.TryCast():  # what sqlglot reads from a CAST of Spark
            return exp.cast(node.this, node.to)
    return node


def delta_takes(table: DeltaTable, frame: pl.DataFrame) -> bool:
    try:
        write_deltalake(table, frame, mode="append")
    except DeltaError:
        return False
    return True


def test_delta_takes_rows_that_keep_the_contract(tmp_path: Path):
    table = delta_table(parse_contract(HEAD + KEPT, "c.yaml"), tmp_path / "t")
    assert delta_takes(table, frame_of([GOOD]))


NULLS = [defect for defect in DEFECTS if None in defect.values.values()]
"""What NOT NULL columns refuse, which the table of this test does not have."""


@pytest.mark.parametrize(
    "defect", [defect for defect in DEFECTS if defect not in NULLS], ids=lambda defect: "+".join(defect.broken)
)
def test_delta_refuses_a_row_that_breaks_a_rule(tmp_path: Path, defect: Defect):
    """S1-050: a target that takes constraints is given them."""
    table = delta_table(parse_contract(HEAD + KEPT, "c.yaml"), tmp_path / "t")
    assert not delta_takes(table, frame_of([{**GOOD, **defect.values}]))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_delta_takes_the_constraints_of_the_shipped_contracts(path: Path, tmp_path: Path):
    contract = read_contract(path)
    written = sql_ddl(contract, "delta").text.count("ADD CONSTRAINT")
    found = delta_table(contract, tmp_path / "t").metadata().configuration
    assert len(found) == written > 0


@pytest.mark.parametrize(
    ("value", "is_taken"), [("a b", True), ("a\u3000b", True), ("a\vb", True), ("a.b", False), ("a b\n", False)]
)
def test_white_space_in_a_pattern_is_that_of_the_gate_in_delta_too(tmp_path: Path, value: str, is_taken: bool):
    table = delta_table(parse_contract(one_field(r"type: string, pattern: 'a\sb'"), "c.yaml"), tmp_path / "t")
    assert delta_takes(table, pl.DataFrame({"a": [value]})) is is_taken
