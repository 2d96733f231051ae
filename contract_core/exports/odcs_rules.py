"""Row rules, claims, keys and counts of a contract as quality rules and relationships of an Open Data Contract Standard document."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from contract_core.contract.model import Contract, Field
from contract_core.contract.odcs_quality import OWN
from contract_core.contract.odcs_rules import filled_rule, option_of, query_of, reference_of
from contract_core.contract.odcs_types import spelled
from contract_core.contract.promises import Assumption, RowCount, RowRule, Severity, Unique
from contract_core.contract.row_sql import DIALECT, parse_row_sql

_REFERENCE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*")
_SEVERITIES = {Severity.ERROR: "error", Severity.WARN: "warning"}
Entry = dict[str, Any]


@dataclass(slots=True)
class Placed:
    """Where the promises of a contract stand in a document: options, quality and relationships of columns and of the table."""

    options: dict[str, Entry] = field(default_factory=dict)
    quality: dict[str, list[Entry]] = field(default_factory=dict)
    relationships: dict[str, list[Entry]] = field(default_factory=dict)
    table_quality: list[Entry] = field(default_factory=list)
    table_relationships: list[Entry] = field(default_factory=list)
    unique: set[str] = field(default_factory=set)


def placed_promises(contract: Contract) -> Placed:
    """Every promise and claim that the standard has a place for, at its place."""
    placed = Placed()
    for entry in contract.fields:
        if entry.enum is not None:
            placed.quality.setdefault(entry.name, []).append(_valid_values(entry))
    for rule in contract.rules:
        _place_rule(placed, contract, rule)
    for unique in contract.unique:
        _place_unique(placed, unique)
    placed.table_quality += _row_counts(contract.rows)
    for claim in contract.unverified:
        _place_claim(placed, contract, claim)
    return placed


def custom(values: Mapping[str, Any]) -> list[Entry]:
    """Our own attributes as custom properties."""
    return [{"property": f"{OWN}{name}", "value": value} for name, value in values.items()]


def _valid_values(entry: Field) -> Entry:
    values = [spelled(value) for value in entry.enum or ()]
    severity = _SEVERITIES[entry.severity_of("enum")]
    return {
        "type": "library",
        "metric": "invalidValues",
        "mustBe": 0,
        "arguments": {"validValues": values},
        "severity": severity,
    }


def _place_rule(placed: Placed, contract: Contract, rule: RowRule) -> None:
    written = rule.model_dump(mode="python", exclude_defaults=True)
    for entry in contract.fields:
        if option := option_of(written, entry.name, entry.type.family):
            placed.options.setdefault(entry.name, {})[option[0]] = option[1]
            return
        filled = filled_rule(entry.name)
        if rule.sql == filled["sql"] and rule.on_null == "breach":
            name = {"name": rule.name} if rule.name != filled["name"] else {}
            words = _worded(rule.description, rule.severity)
            placed.quality.setdefault(entry.name, []).append(
                {**name, "type": "library", "metric": "nullValues", "mustBe": 0, **words}
            )
            return
    placed.table_quality.append(_row_rule(contract, rule))


def _worded(description: str | None, severity: Severity) -> Entry:
    words = {"description": description} if description is not None else {}
    return {**words, "severity": _SEVERITIES[severity]}


def _row_rule(contract: Contract, rule: RowRule) -> Entry:
    condition = exp.paren(parse_row_sql(rule.sql).tree.copy())
    is_true = exp.Is(this=condition, expression=exp.true())
    broken = exp.not_(is_true) if rule.on_null == "breach" else exp.Is(this=condition, expression=exp.false())
    counted = exp.select(exp.Count(this=exp.Star())).from_(exp.to_identifier(contract.name, quoted=True)).where(broken)
    own = {"sql": rule.sql, **({"on_null": rule.on_null} if rule.on_null == "keep" else {})}
    return {
        "name": rule.name,
        "type": "sql",
        "query": counted.sql(DIALECT, identify=True, comments=False),
        "mustBe": 0,
        **_worded(rule.description, rule.severity),
        "customProperties": custom(own),
    }


def _place_unique(placed: Placed, rule: Unique) -> None:
    column = rule.fields[0]
    is_plain = len(rule.fields) == 1 and rule.where is None and rule.severity is Severity.ERROR
    if is_plain and rule.name == f"{column}_unique" and column not in placed.unique:
        placed.unique.add(column)
        return
    entry = {"name": rule.name, "type": "library", "metric": "duplicateValues", "mustBe": 0}
    entry |= {"arguments": {"properties": list(rule.fields)}, "severity": _SEVERITIES[rule.severity]}
    placed.table_quality.append(
        {**entry, **({"customProperties": custom({"where": rule.where})} if rule.where else {})}
    )


def _row_counts(rows: RowCount) -> Iterator[Entry]:
    if rows == RowCount():
        return
    bound: Entry
    if rows.max is None:
        bound = {"mustBeGreaterOrEqualTo": rows.min}
    elif rows.min == rows.max:
        bound = {"mustBe": rows.max}
    elif rows.min == 0:
        bound = {"mustBeLessOrEqualTo": rows.max}
    else:
        bound = {"mustBeBetween": [rows.min, rows.max]}
    yield {"type": "library", "metric": "rowCount", **bound, "severity": _SEVERITIES[rows.severity]}


def _place_claim(placed: Placed, contract: Contract, claim: Assumption) -> None:
    if claim.evidence is None and (reference := _relationship(contract, claim.claim)):
        column, entry = reference
        (placed.relationships.setdefault(column, []) if column else placed.table_relationships).append(entry)
        return
    column, words = _about(contract, claim.claim)
    counted = query_of(claim.evidence) if claim.evidence is not None else None
    entry = {"type": "text", "description": words}
    if counted is not None:
        entry = {"type": "sql", "description": words, "query": counted.query, counted.operator: counted.bound}
    elif claim.evidence is not None:
        entry["customProperties"] = custom({"evidence": claim.evidence})
    (placed.quality.setdefault(column, []) if column else placed.table_quality).append(entry)


def _about(contract: Contract, words: str) -> tuple[str, str]:
    """The column that a claim begins with, as in `region: …`, and the rest of it."""
    for name in contract.field_names:
        rest = words.removeprefix(f"{name}: ")
        if rest != words and rest.strip():
            return name, rest
    return "", words


def _relationship(contract: Contract, claim: str) -> tuple[str, Entry] | None:
    ends = reference_of(claim)
    if ends is None or not all(_REFERENCE.fullmatch(name) for name in ends[1]):
        return None
    source, target = (list(end) if len(end) > 1 else end[0] for end in ends)
    if isinstance(source, str) and isinstance(target, str) and source in contract.field_names:
        return source, {"type": "foreignKey", "to": target}
    is_placed = all(_REFERENCE.fullmatch(name) for name in ends[0]) and isinstance(source, str) is isinstance(
        target, str
    )
    return ("", {"type": "foreignKey", "from": source, "to": target}) if is_placed else None
