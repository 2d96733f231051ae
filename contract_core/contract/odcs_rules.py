"""Promises that the Open Data Contract Standard has words for and our language writes as row rules or claims, both ways."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from contract_core.contract.logical_type import Family
from contract_core.contract.yaml_document import Value

_SIGNS = {"exclusiveMinimum": (">", "exclusive_minimum"), "exclusiveMaximum": ("<", "exclusive_maximum")}
_LITERAL = re.compile(r"(?P<word>DATE|TIMESTAMP|TIMESTAMPTZ) '(?P<moment>[^']+)'|(?P<number>-?[0-9]+(?:\.[0-9]+)?)")
_REFERENCE = re.compile(r"foreign key: (?P<from>\S+(?:, \S+)*) -> (?P<to>\S+(?:, \S+)*)")
_QUERY = re.compile(
    r"a query whose answer (?P<operator>must(?:Not)?Be[A-Za-z]*) (?P<bound>[^:]+): (?P<query>.+)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Counted:
    """A query of a document: its text, the operator that its answer is held to, and the number."""

    query: str
    operator: str
    bound: int | Decimal


def column_sql(name: str) -> str:
    """The column in a row rule, quoted."""
    return '"' + name.replace('"', '""') + '"'


def text_sql(value: str) -> str:
    """The text in a row rule, quoted."""
    return "'" + value.replace("'", "''") + "'"


def beyond_rule(column: str, option: str, value: Value, family: Family) -> dict[str, Value] | None:
    """The row rule for a bound that is itself excluded; None where no literal says it."""
    literal = _literal(value, family)
    if literal is None:
        return None
    sign, word = _SIGNS[option]
    return {"name": f"{column}_{word}", "sql": f"{column_sql(column)} {sign} {literal}", "on_null": "keep"}


def multiple_rule(column: str, value: Value) -> dict[str, Value] | None:
    """The row rule for multiples of a whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        return None
    return {"name": f"{column}_multiple_of", "sql": f"{column_sql(column)} % {value} = 0", "on_null": "keep"}


def filled_rule(column: str) -> dict[str, Value]:
    """The row rule for a column without missing values."""
    return {"name": f"{column}_null_values", "sql": f"{column_sql(column)} IS NOT NULL"}


def option_of(rule: Mapping[str, Value], column: str, family: Family) -> tuple[str, Value] | None:
    """The logical type option that a row rule says, where it is one that such an option is read as."""
    sql = str(rule.get("sql", ""))
    for option, (sign, _) in _SIGNS.items():
        value = _value(sql.removeprefix(f"{column_sql(column)} {sign} "))
        if value is not None and rule == beyond_rule(column, option, value, family):
            return option, value
    factor = sql.removeprefix(f"{column_sql(column)} % ").removesuffix(" = 0")
    if factor.isdecimal() and factor.isascii() and rule == multiple_rule(column, int(factor)):
        return "multipleOf", int(factor)
    return None


def reference_claim(source: Sequence[str], target: Sequence[str]) -> str:
    """The claim that columns refer to those of another table."""
    return f"foreign key: {', '.join(source)} -> {', '.join(target)}"


def reference_of(claim: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The columns that a claim says refer to others, and those others."""
    match = _REFERENCE.fullmatch(claim)
    return (tuple(match["from"].split(", ")), tuple(match["to"].split(", "))) if match else None


def query_evidence(counted: Counted) -> str:
    """Where the evidence of a claim is found that a document states as a query."""
    return f"a query whose answer {counted.operator} {counted.bound}: {counted.query}"


def query_of(evidence: str) -> Counted | None:
    """The query that such an evidence names."""
    match = _QUERY.fullmatch(evidence)
    bound = _value(match["bound"]) if match else None
    if match is None or isinstance(bound, str | bool) or not isinstance(bound, int | Decimal):
        return None
    return Counted(match["query"], match["operator"], bound)


def _literal(value: Value, family: Family) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Decimal):
        number = str(value) if isinstance(value, int) else f"{value:f}"
        return number if family in (Family.INTEGER, Family.NUMBER) else None
    if not isinstance(value, str) or "'" in value:
        return None
    if family is Family.DATE:
        return f"DATE '{value}'"
    return f"{'TIMESTAMPTZ' if _has_zone(value) else 'TIMESTAMP'} '{value}'" if family is Family.TIMESTAMP else None


def _has_zone(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _value(literal: str) -> int | Decimal | str | None:
    match = _LITERAL.fullmatch(literal)
    if match is None:
        return None
    if match["moment"]:
        return match["moment"]
    return Decimal(match["number"]) if "." in match["number"] else int(match["number"])
