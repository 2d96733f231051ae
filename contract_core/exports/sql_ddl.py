"""A contract as the SQL that makes its table: columns with types, NOT NULL, CHECK constraints, keys where they are enforced, comments.

Every name and text is part of a syntax tree and never of a text, so that none of them is ever read as SQL. A constraint never
refuses a row that the gate lets through; what an engine could judge otherwise is left out and named.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl
from sqlglot import exp
from sqlglot.generator import Generator

from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field
from contract_core.errors import Problem, WrongUsageError
from contract_core.exports.exported import Exported
from contract_core.exports.left_out import (
    BESIDE_THE_ROW,
    DELIVERY_RULES,
    ONLY_WARNS,
    TABLE_RULES,
    WHOLE_DELIVERY,
    sentences,
)
from contract_core.exports.portable_pattern import NotPortable
from contract_core.exports.sql_ddl_keys import ENFORCING, unique_columns, weaker, why_not
from contract_core.exports.sql_ddl_predicates import in_dialect
from contract_core.exports.sql_ddl_types import column_type, nearly, stored_type, whole_range
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import NotNull
from contract_core.validation.sql import target_rules
from contract_core.validation.target_rule import TargetRule, not_null_fields

DIALECTS: Mapping[str, str] = {"delta": "spark", "duckdb": "duckdb", "postgres": "postgres", "snowflake": "snowflake"}
"""The dialects that are written, and what sqlglot calls them."""
_CARRIED = frozenset({"description", "grain", "fields.description", "fields.semantics", "fields.unit"})
_BYTES = 63
"""PostgreSQL cuts longer names without a word."""


@dataclass(frozen=True, slots=True)
class _Checks:
    """The conditions of the table by the names of their constraints, and why other obligations have none."""

    conditions: Mapping[str, exp.Expr]
    reasons: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """The statements that make a table, why it does not keep an obligation, and what it keeps in part."""

    statements: tuple[exp.Expr, ...]
    why: Callable[[Obligation], str]
    partly: tuple[tuple[str, str], ...]


def sql_ddl(contract: Contract, dialect: str) -> Exported:
    """The statements that make the table in one dialect of `DIALECTS`, and what the engine does not enforce.

    Raises WrongUsageError for another dialect, and for names that the engine would cut.
    """
    table = table_in(contract, dialect)
    text = "".join(f"{laid_out(statement, DIALECTS[dialect])};\n" for statement in table.statements)
    return Exported(text, sentences(contract, table.why, _CARRIED, table.partly))


def table_in(contract: Contract, dialect: str, unreadable: Callable[[str], str] = lambda _: "") -> Table:
    """The table in one dialect of `DIALECTS`; `unreadable` says why a condition in SQL cannot stand there, or nothing.

    Raises WrongUsageError for another dialect, and for names that the engine would cut.
    """
    _refuse_usage(contract, dialect)
    checks = _checks(contract, dialect, unreadable)
    statements = (_create(contract, dialect, checks), *_comments(contract, dialect), *_added(contract, dialect, checks))
    partly = (*_nearly(contract, dialect), *weaker(contract, dialect))
    return Table(statements, lambda item: _why(item, contract, dialect, checks), partly)


def laid_out(statement: exp.Expr, dialect: str) -> str:
    """The statement for people, in a dialect of sqlglot; on one line where a text holds the mark by which sqlglot 30 keeps line ends."""
    plain = statement.sql(dialect, comments=False)
    is_marked = Generator.SENTINEL_LINE_BREAK in plain
    return plain if is_marked else statement.sql(dialect, pretty=True, comments=False)


def _refuse_usage(contract: Contract, dialect: str) -> None:
    where = f"contract '{contract.name}' {contract.version}"
    if dialect not in DIALECTS:
        raise WrongUsageError(
            Problem(where, f"'{dialect}' is no dialect of SQL that is written", f"one of: {', '.join(DIALECTS)}")
        )
    long = [name for name in (contract.name, *contract.field_names) if len(name.encode()) > _BYTES]
    if dialect == "postgres" and long:
        what = f"PostgreSQL cuts names after {_BYTES} bytes: {', '.join(repr(name) for name in long)}"
        raise WrongUsageError(Problem(where, what, "give the contract or the field a shorter name"))


def _checks(contract: Contract, dialect: str, unreadable: Callable[[str], str]) -> _Checks:
    types = {field.name: stored_type(field.type) for field in contract.fields}
    never_null = frozenset(not_null_fields(contract))
    conditions: dict[str, exp.Expr] = {}
    reasons: dict[str, str] = {}
    for rule in target_rules(contract, types):
        if rule.obligation.rule in TABLE_RULES or _is_not_null_column(rule, never_null):
            continue
        condition = _condition(rule, types, dialect)
        if isinstance(condition, str):
            reasons[rule.obligation.id] = condition
        elif reason := unreadable(condition.sql(DIALECTS[dialect])):
            reasons[rule.obligation.id] = reason
        else:
            conditions[_short(rule.name)] = condition
    for field in contract.fields if contract.enforcement.on_breach != "warn" and dialect != "snowflake" else ():
        conditions |= {_type_name(field): condition for condition in _type_conditions(field, dialect)}
    return _Checks(conditions, reasons)


def _is_not_null_column(rule: TargetRule, never_null: frozenset[str]) -> bool:
    promise = rule.obligation.promise
    return isinstance(promise, NotNull) and promise.column in never_null


def _condition(rule: TargetRule, types: Mapping[str, pl.DataType], dialect: str) -> exp.Expr | str:
    """The condition of one rule, or why there is none."""
    if rule.predicate is None:
        return f"the published table has no constraint for it either: {rule.why_not}"
    if dialect == "snowflake":
        return "Snowflake has no CHECK constraints"
    try:
        return in_dialect(rule.predicate, types, dialect)
    except NotPortable as reason:
        return str(reason)


def _type_conditions(field: Field, dialect: str) -> Iterator[exp.Expr]:
    """What keeps a column to its promised type where the engine's own type is wider."""
    name = exp.column(field.name, quoted=True)
    if bounds := whole_range(field.type, dialect):
        low, high = (exp.convert(bound) for bound in bounds)
        inside = exp.and_(exp.GTE(this=name.copy(), expression=low), exp.LTE(this=name.copy(), expression=high))
        yield exp.or_(exp.Is(this=name, expression=exp.Null()), inside)
    elif dialect == "postgres" and field.type.family is Family.NUMBER and field.type.precision is not None:
        nan = exp.cast(exp.Literal.string("NaN"), exp.DType.DECIMAL)
        yield exp.or_(exp.Is(this=name, expression=exp.Null()), exp.NEQ(this=name.copy(), expression=nan))


def _type_name(field: Field) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", field.name.lower()).strip("_")[:40] or "field"
    digest = hashlib.sha256(f"{field.name}|{field.type}".encode()).hexdigest()[:8]
    return f"gate_{words}_type_{digest}"


def _short(name: str) -> str:
    """A name of a constraint that no engine cuts; its digest stays whole."""
    return name if len(name) <= _BYTES else f"{name[: _BYTES - 9]}{name[-9:]}"


def _create(contract: Contract, dialect: str, checks: _Checks) -> exp.Expr:
    never_null = frozenset(not_null_fields(contract))
    parts: list[exp.Expr] = [_column(field, never_null, dialect) for field in contract.fields]
    if dialect != "delta":
        parts += key_constraints(contract, dialect)
        parts += [_constraint(name, _check(condition)) for name, condition in checks.conditions.items()]
    schema = exp.Schema(this=_table(contract), expressions=parts)
    return exp.Create(this=schema, kind="TABLE", properties=_properties(contract, dialect))


def _column(field: Field, never_null: frozenset[str], dialect: str) -> exp.Expr:
    constraints = []
    if field.name in never_null:
        constraints.append(exp.ColumnConstraint(kind=exp.NotNullColumnConstraint()))
    if dialect in ("delta", "snowflake") and (words := _column_words(field)):
        constraints.append(exp.ColumnConstraint(kind=exp.CommentColumnConstraint(this=exp.Literal.string(words))))
    kind = column_type(field.type, dialect)
    return exp.ColumnDef(this=exp.to_identifier(field.name, quoted=True), kind=kind, constraints=constraints)


def key_constraints(contract: Contract, dialect: str) -> Iterator[exp.Expr]:
    """Keys and unique columns; an engine that takes a primary key for information alone is told so."""
    for unique in unique_columns(contract):
        columns = [exp.to_identifier(name, quoted=True) for name in unique.columns]
        digest = hashlib.sha256(f"{unique.obligation}|{'|'.join(unique.columns)}".encode()).hexdigest()[:8]
        name = f"gate_{'key' if unique.is_key else 'unique'}_{digest}"
        if unique.is_key:
            options = [] if dialect in ENFORCING else [exp.Var(this="NOT ENFORCED")]
            yield _constraint(name, exp.PrimaryKey(expressions=columns, options=options))
        elif dialect in ENFORCING:
            kind = exp.UniqueColumnConstraint(this=exp.Schema(expressions=columns), nulls=_compares_nulls(dialect))
            yield _constraint(name, kind)


def _compares_nulls(dialect: str) -> bool | None:
    return True if dialect == "postgres" else None


def _constraint(name: str, kind: exp.Expr) -> exp.Expr:
    return exp.Constraint(this=exp.to_identifier(name, quoted=True), expressions=[kind])


def _check(condition: exp.Expr) -> exp.Expr:
    return exp.CheckColumnConstraint(this=condition)


def _properties(contract: Contract, dialect: str) -> exp.Expr | None:
    properties: list[exp.Expr] = [exp.FileFormatProperty(this=exp.Var(this="DELTA"))] if dialect == "delta" else []
    if dialect == "delta" and (folder := _folder(contract)):
        columns = exp.Schema(expressions=[exp.to_identifier(folder, quoted=True)])
        properties.append(exp.PartitionedByProperty(this=columns))
    if dialect in ("delta", "snowflake") and (words := _table_words(contract, dialect)):
        properties.append(exp.SchemaCommentProperty(this=exp.Literal.string(words)))
    return exp.Properties(expressions=properties) if properties else None


def _folder(contract: Contract) -> str | None:
    """The column that the published table keeps in folders: one value of it is one partition."""
    terms = contract.delivery.partition
    if terms is None or len(contract.fields) < 2:
        return None
    is_day = terms.every == "day" and contract.field(terms.column).type.family is Family.DATE
    return terms.column if terms.every is None or is_day else None


def _comments(contract: Contract, dialect: str) -> Iterator[exp.Expr]:
    if dialect not in ("duckdb", "postgres"):
        return
    if words := _table_words(contract, dialect):
        yield exp.Comment(this=_table(contract), kind="TABLE", expression=exp.Literal.string(words))
    for field in contract.fields:
        if words := _column_words(field):
            column = exp.Column(
                this=exp.to_identifier(field.name, quoted=True), table=exp.to_identifier(contract.name, quoted=True)
            )
            yield exp.Comment(this=column, kind="COLUMN", expression=exp.Literal.string(words))


def _added(contract: Contract, dialect: str, checks: _Checks) -> Iterator[exp.Expr]:
    """Delta takes its constraints one by one, for a table that is there."""
    for name, condition in checks.conditions.items() if dialect == "delta" else ():
        action = exp.AddConstraint(expressions=[_constraint(name, _check(condition))])
        yield exp.Alter(this=_table(contract), kind="TABLE", actions=[action])


def _table(contract: Contract) -> exp.Table:
    return exp.Table(this=exp.to_identifier(contract.name, quoted=True))


def _table_words(contract: Contract, dialect: str) -> str:
    key = f"Key, not enforced here: {', '.join(contract.key)}" if contract.key and dialect not in ENFORCING else None
    return "\n".join(text for text in (contract.description, contract.grain, key) if text)


def _column_words(field: Field) -> str:
    unit = f"Unit: {field.unit}" if field.unit is not None else None
    return "\n".join(text for text in (field.description, field.semantics, unit) if text)


def _nearly(contract: Contract, dialect: str) -> Iterator[tuple[str, str]]:
    for field in contract.fields:
        if why := nearly(field.type, dialect):
            yield f"{field.name}.type", why
        if dialect == "snowflake" and whole_range(field.type, dialect):
            yield f"{field.name}.type", "Snowflake has one type for whole numbers, and no CHECK constraints"


def _why(obligation: Obligation, contract: Contract, dialect: str, checks: _Checks) -> str:
    """Why the engine does not enforce an obligation; nothing where it does."""
    if obligation.rule in DELIVERY_RULES:
        return WHOLE_DELIVERY
    if obligation.rule in TABLE_RULES:
        return why_not(contract, obligation.id, dialect)
    if obligation.rule in BESIDE_THE_ROW:
        return BESIDE_THE_ROW[obligation.rule]
    if obligation.layer is not Layer.ROWS:
        return ""
    return ONLY_WARNS if obligation.severity.value == "warn" else checks.reasons.get(obligation.id, "")
