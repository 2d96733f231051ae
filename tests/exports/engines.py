"""Databases that DDL is tried on, as far as they are there: DuckDB in this process, PostgreSQL in a server of the tests."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from typing import Any

import polars as pl
import pytest
from sqlglot import exp

from contract_core.contract.model import Contract
from contract_core.exports.sql_ddl import DIALECTS
from contract_core.exports.sql_ddl_types import column_type
from tests.postgres import WHY_NOT

SERVER: ContextVar[str | None] = ContextVar("SERVER", default=None)
"""The address of the server; what is tried there is rolled back."""
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
    psycopg2 = pytest.importorskip("psycopg2")
    address = SERVER.get()
    if address is None:
        pytest.skip(WHY_NOT)
    with closing(psycopg2.connect(address)) as connection, connection.cursor() as cursor:

        def run(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
            cursor.execute("SAVEPOINT tried")
            try:
                cursor.execute(statement.replace("?", "%s") if values else statement, values or None)
                return cursor.fetchall() if cursor.description else []
            except psycopg2.Error as error:
                cursor.execute("ROLLBACK TO SAVEPOINT tried")
                if isinstance(error, psycopg2.IntegrityError):
                    raise RefusedError from error
                raise

        yield run


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
