"""Databases that DDL is tried on, as far as they are there: DuckDB in this process, PostgreSQL where a server is named."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl
import pytest
from sqlglot import exp

from contract_core.contract.model import Contract
from contract_core.exports.sql_ddl import DIALECTS
from contract_core.exports.sql_ddl_types import column_type

SERVER = "CONTRACT_GATE_TEST_POSTGRES"
"""Names the variable that holds a connection string; what is tried there is rolled back."""
Run = Callable[[str, list[Any]], list[tuple[Any, ...]]]


class RefusedError(Exception):
    """The database refused a row because of a constraint."""


@contextmanager
def engine(dialect: str) -> Iterator[Run]:
    """What runs one statement in a database of its own, which is gone afterwards."""
    with (_duckdb if dialect == "duckdb" else _postgres)() as run:
        yield run


@contextmanager
def _duckdb() -> Iterator[Run]:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:

        def run(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
            try:
                return connection.execute(statement, values).fetchall()
            except duckdb.ConstraintException as error:
                raise RefusedError from error

        yield run


@contextmanager
def _postgres() -> Iterator[Run]:
    psycopg = pytest.importorskip("psycopg")
    if SERVER not in os.environ:
        pytest.skip(f"{SERVER} names no server")
    with psycopg.connect(os.environ[SERVER], autocommit=False) as connection:

        def run(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
            try:
                with connection.transaction(), psycopg.ClientCursor(connection) as cursor:
                    cursor.execute(statement.replace("?", "%s") if values else statement, values or None)
                    return cursor.fetchall() if cursor.description else []
            except psycopg.errors.IntegrityError as error:
                raise RefusedError from error

        connection.execute("SELECT 1")  # begins the transaction that is rolled back
        try:
            yield run
        finally:
            connection.rollback()


def inserted(contract: Contract, dialect: str) -> str:
    """The statement that inserts a row given as texts, each read as the type of its column."""
    casts = [exp.cast(exp.Placeholder(), column_type(field.type, dialect)) for field in contract.fields]
    table = exp.to_identifier(contract.name, quoted=True)
    columns = [exp.to_identifier(name, quoted=True) for name in contract.field_names]
    values = exp.Values(expressions=[exp.Tuple(expressions=casts)])
    return exp.Insert(this=exp.Schema(this=exp.Table(this=table), expressions=columns), expression=values).sql(
        DIALECTS[dialect]
    )


def as_texts(frame: pl.DataFrame) -> list[list[str | None]]:
    """The rows as texts that both databases read as their values."""
    return [[None if value is None else _text(value) for value in row] for row in frame.rows()]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)
