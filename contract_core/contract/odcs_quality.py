"""Quality rules of the Open Data Contract Standard → promises of a contract, and claims where nothing here can check them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from contract_core.contract.logical_type import Family, LogicalType
from contract_core.contract.odcs_draft import Account, Draft
from contract_core.contract.odcs_rules import Counted, column_sql, filled_rule, query_evidence, text_sql
from contract_core.contract.odcs_types import in_type
from contract_core.contract.yaml_document import Path, Value

OWN = "contractGate."
"""What the names of our own attributes begin with where a document carries them."""
_OPERATORS = (
    "mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeLessThan", "mustBeLessOrEqualTo",
    "mustBeBetween", "mustNotBeBetween",
)  # fmt: skip
_SEVERITIES = {
    "error": "error", "critical": "error", "high": "error", "blocker": "error",
    "warn": "warn", "warning": "warn", "info": "warn", "low": "warn", "medium": "warn",
}  # fmt: skip
_WRITTEN = {"error": "error", "warn": "warning"}
_NOT_ALL = "rows are promised one by one; a share or number of exceptions is no promise of the language"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a quality rule is about: a column with its type, or the whole table."""

    index: int | None = None
    column: str = ""
    type: LogicalType | None = None


def read_quality(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value], subject: Subject) -> None:
    """Add what one quality rule promises; whatever of it cannot be held is left with its reason."""
    kind = rule.get("type", "library")
    own = own_values(rule)
    if kind == "sql" and isinstance(own.get("sql"), str):
        _own_row_rule(draft, account, path, rule)
    elif kind == "text":
        _claim(draft, account, path, rule, subject)
    elif kind == "sql":
        _query(draft, account, path, rule, subject)
    elif kind == "custom":
        account.leave(path, "a rule for another engine is not run here")
    else:
        _library(draft, account, path, rule, subject)


def own_values(holder: Mapping[str, Value]) -> dict[str, Value]:
    """Our own attributes among the custom properties of a document's element."""
    listed = holder.get("customProperties")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, tuple) else []
    named = {str(entry.get("property", "")): entry.get("value") for entry in entries}
    return {name.removeprefix(OWN): value for name, value in named.items() if name.startswith(OWN)}


def hold_own(account: Account, path: Path, holder: Mapping[str, Value]) -> None:
    """Mark our own attributes as held."""
    listed = holder.get("customProperties")
    for index, entry in enumerate(listed if isinstance(listed, tuple) else ()):
        if isinstance(entry, dict) and str(entry.get("property", "")).startswith(OWN):
            account.hold((*path, "customProperties", index))


def severity_of(account: Account, path: Path, rule: Mapping[str, Value]) -> str:
    """Our severity for that of a rule, which the standard leaves open."""
    written = rule.get("severity")
    found = _SEVERITIES.get(str(written).lower())
    if found is None or written != _WRITTEN[found]:
        account.leave((*path, "severity"), f"is read as '{found or 'error'}', one of the two weights of the language")
    return found or "error"


def _named(account: Account, path: Path, rule: Mapping[str, Value], default: str) -> dict[str, Value]:
    """Name, severity and description of a rule, as a row rule and a unique rule carry them."""
    account.hold((*path, "name"))
    named: dict[str, Value] = {"name": rule.get("name") or default}
    severity = severity_of(account, path, rule)
    account.hold((*path, "severity"))
    return {**named, "severity": severity} if severity != "error" else named


def _hold(account: Account, path: Path, *names: str) -> None:
    for name in names:
        account.hold((*path, name))


def _own_row_rule(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value]) -> None:
    own = own_values(rule)
    entry = {**_named(account, path, rule, "rule"), "sql": own["sql"]}
    if own.get("on_null") is not None:
        entry["on_null"] = own["on_null"]
    if rule.get("description") is not None:
        entry["description"] = rule["description"]
    _hold(account, path, "description", "type", "query", "mustBe", "unit")
    hold_own(account, path, rule)
    draft.append("rules", entry, path)


def _claim(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value], subject: Subject) -> None:
    words = rule.get("description")
    if not isinstance(words, str) or not words.strip():
        account.leave(path, "a claim needs words, and the rule has no description")
        return
    entry: dict[str, Value] = {"claim": _about(subject, words)}
    evidence = own_values(rule).get("evidence")
    if evidence is not None:
        entry["evidence"] = evidence
    _hold(account, path, "type", "description")
    hold_own(account, path, rule)
    draft.append("unverified", entry, path)


def _about(subject: Subject, words: str) -> str:
    return f"{subject.column}: {words}" if subject.column else words


def _query(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value], subject: Subject) -> None:
    operator = next((name for name in _OPERATORS if name in rule), "")
    bound, words = rule.get(operator), rule.get("description")
    if (
        isinstance(bound, bool)
        or not isinstance(bound, int | Decimal)
        or not isinstance(words, str)
        or not words.strip()
    ):
        account.leave(path, "a query is not run here, and without a description and one bound it is no claim either")
        return
    counted = Counted(str(rule.get("query", "")), operator, bound)
    draft.append("unverified", {"claim": _about(subject, words), "evidence": query_evidence(counted)}, path)
    account.remark(
        (*path, "query"), "a query is not run here: it stands as the evidence of a claim that is not verified"
    )
    _hold(account, path, "type", "query", "description", operator)


def _library(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value], subject: Subject) -> None:
    metric = rule.get("metric") or rule.get("rule")
    if metric == "rowCount" and subject.index is None:
        _row_count(draft, account, path, rule)
        return
    reader = _READERS.get(str(metric))
    if reader is None:
        account.leave(path, "the rule is about something that is not promised here")
    elif rule.get("mustBe") != 0 or rule.get("unit") not in (None, "rows"):
        account.leave(path, _NOT_ALL)
    elif why := reader(draft, account, path, rule, subject):
        account.leave(path, why)
    else:
        account.leave((*path, "rule"), "is written as 'metric'")
        _hold(account, path, "type", "metric", "mustBe", "name", "unit")


def _null_values(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value], subject: Subject) -> str:
    if subject.index is None:
        return "missing values are promised column by column"
    shape = filled_rule(subject.column)
    entry = {**shape, **_named(account, path, rule, str(shape["name"]))}
    if rule.get("description") is not None:
        entry["description"] = rule["description"]
    account.hold((*path, "description"))
    draft.append("rules", entry, path)
    return ""


def _missing_values(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value], subject: Subject) -> str:
    listed = _arguments(rule).get("missingValues")
    values = listed if isinstance(listed, tuple) else ()
    texts = [value for value in values if isinstance(value, str)]
    if subject.index is None or len(texts) + values.count(None) != len(values) or not values:
        return "only texts of one column are taken for missing values"
    name = column_sql(subject.column)
    parts = [f"{name} IS NOT NULL"] if None in values else []
    parts += [f"{name} NOT IN ({', '.join(map(text_sql, texts))})"] if texts else []
    entry = {**_named(account, path, rule, f"{subject.column}_missing_values"), "sql": " AND ".join(parts)}
    if None not in values:
        entry["on_null"] = "keep"
    if rule.get("description") is not None:
        entry["description"] = rule["description"]
    draft.append("rules", entry, path)
    for attribute in ("type", "metric", "rule", "mustBe", "unit", "arguments"):
        account.leave((*path, attribute), "is held as a row rule")
    account.hold((*path, "description"))
    return ""


def _invalid_values(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value], subject: Subject) -> str:
    arguments = {**_arguments(rule), **{name: rule[name] for name in ("validValues",) if name in rule}}
    if subject.index is None or subject.type is None:
        return "valid values are promised column by column"
    listed, pattern = arguments.get("validValues"), arguments.get("pattern")
    entry = draft.fields[subject.index]
    name: str
    value: Value
    if isinstance(listed, tuple) and listed and None not in listed and "enum" not in entry:
        name, value = "enum", tuple(in_type(item, subject.type) for item in listed)
        account.hold((*path, "arguments", "validValues"))
        account.hold((*path, "validValues"))
    elif isinstance(pattern, str) and "pattern" not in entry and subject.type.family is Family.STRING:
        name, value = "pattern", pattern
        for attribute in ("type", "metric", "mustBe", "arguments"):
            account.leave((*path, attribute), "is held as the field's pattern")
    else:
        return "a field has one list of values without nulls, or one pattern"
    draft.put_field(subject.index, name, value, path)
    if severity_of(account, path, rule) == "warn":
        weights = entry.get("severity")
        entry["severity"] = {**(weights if isinstance(weights, dict) else {}), name: "warn"}
    account.hold((*path, "severity"))
    if rule.get("name") is not None:
        account.leave((*path, "name"), "the rules of a field are called after it")
    return ""


def _duplicates(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value], subject: Subject) -> str:
    listed = _arguments(rule).get("properties")
    fields: tuple[Value, ...] = (subject.column,) if subject.index is not None else ()
    fields = listed if isinstance(listed, tuple) and subject.index is None else fields
    if not fields or not all(isinstance(name, str) for name in fields):
        return "the rule names no columns"
    entry = {**_named(account, path, rule, f"{'_'.join(map(str, fields))}_duplicate_values"), "fields": fields}
    where = own_values(rule).get("where")
    if where is not None:
        entry["where"] = where
    hold_own(account, path, rule)
    account.hold((*path, "arguments", "properties"))
    draft.append("unique", entry, path)
    return ""


def _row_count(draft: Draft, account: Account, path: Path, rule: Mapping[str, Value]) -> None:
    operator = next((name for name in _OPERATORS if name in rule), "")
    bounds = _row_bounds(operator, rule.get(operator))
    if bounds is None or rule.get("unit") not in (None, "rows") or "rows" in draft.value:
        account.leave(path, "the number of rows is promised once, as whole numbers between which it lies")
        return
    severity = severity_of(account, path, rule)
    rows: dict[str, Value] = {**bounds, **({"severity": severity} if severity != "error" else {})}
    draft.put("rows", rows, path)
    if operator in ("mustBeGreaterThan", "mustBeLessThan"):
        account.leave((*path, operator), "the bounds of the number of rows are themselves included")
    account.leave((*path, "rule"), "is written as 'metric'")
    _hold(account, path, "type", "metric", "unit", "severity", operator)


def _row_bounds(operator: str, bound: Value) -> dict[str, Value] | None:
    both = bound if isinstance(bound, tuple) else (bound,)
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in both):
        return None
    numbers = [value for value in both if isinstance(value, int)]
    meanings: Mapping[str, Callable[[int, int], dict[str, Value]]] = {
        "mustBe": lambda low, _: {"min": low, "max": low},
        "mustBeGreaterThan": lambda low, _: {"min": low + 1},
        "mustBeGreaterOrEqualTo": lambda low, _: {"min": low},
        "mustBeLessThan": lambda low, _: {"min": 0, "max": low - 1},
        "mustBeLessOrEqualTo": lambda low, _: {"min": 0, "max": low},
        "mustBeBetween": lambda low, high: {"min": low, "max": high},
    }
    if operator not in meanings or len(numbers) != (2 if operator == "mustBeBetween" else 1):
        return None
    return meanings[operator](numbers[0], numbers[-1])


def _arguments(rule: Mapping[str, Value]) -> Mapping[str, Value]:
    found: Any = rule.get("arguments")
    return found if isinstance(found, dict) else {}


_READERS: Mapping[str, Callable[[Draft, Account, Path, Mapping[str, Value], Subject], str]] = {
    "nullValues": _null_values,
    "missingValues": _missing_values,
    "invalidValues": _invalid_values,
    "validValues": _invalid_values,
    "duplicateValues": _duplicates,
    "duplicateCount": _duplicates,
}
