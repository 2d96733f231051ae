"""Columns of an Open Data Contract Standard document → fields of a contract, with the rules that their options promise."""

from collections.abc import Mapping

from contract_core.contract.logical_type import Family, LogicalType
from contract_core.contract.odcs_draft import Account, Draft
from contract_core.contract.odcs_quality import Subject, hold_own, own_values, read_quality
from contract_core.contract.odcs_rules import beyond_rule, multiple_rule, reference_claim
from contract_core.contract.odcs_types import (
    in_type,
    length_of,
    physical_name,
    spelled,
    strftime_format,
    type_of,
    width_format,
)
from contract_core.contract.yaml_document import Path, Value

DEFAULTS: Mapping[str, Value] = {
    "primaryKey": False, "primaryKeyPosition": -1, "required": False, "unique": False, "partitioned": False,
    "partitionKeyPosition": -1, "criticalDataElement": False, "timezone": False,
}  # fmt: skip
"""What an absent attribute of a column or of its options means by the standard."""
_WORDS = ("public", "internal", "confidential", "restricted")
_TEXTS = {"description": "description", "businessName": "semantics", "classification": "classification"}
_OTHERWISE_WRITTEN = "is held, and written in another spelling"


def read_column(draft: Draft, account: Account, path: Path, column: Mapping[str, Value], index: int) -> str:
    """Add the column as a field; gives why there can be no such field, or nothing."""
    options = _options(column)
    promised = type_of(column.get("logicalType"), column.get("physicalType"), options)
    if promised is None:
        return "the column has neither a logicalType nor a physicalType that is known"
    name = str(column.get("name"))
    for attribute, default in DEFAULTS.items():
        if attribute in column and column[attribute] == default:
            account.hold((*path, attribute))
    draft.put_field(index, "name", name, (*path, "name"))
    draft.put_field(index, "type", str(promised), (*path, "logicalType" if "logicalType" in column else "physicalType"))
    draft.put_field(index, "nullable", column.get("required") is not True, (*path, "required"))
    for attribute in ("name", "logicalType", "required"):
        account.hold((*path, attribute))
    _texts(draft, account, path, column, index)
    subject = Subject(index, name, promised)
    _read_options(draft, account, (*path, "logicalTypeOptions"), options, subject)
    _physical_type(draft, account, path, column, subject)
    if column.get("unique") is True:
        draft.append("unique", {"name": f"{name}_unique", "fields": (name,)}, (*path, "unique"))
        account.hold((*path, "unique"))
    for place, rule in _listed(column, "quality"):
        read_quality(draft, account, (*path, "quality", place), rule, subject)
    for place, relation in _listed(column, "relationships"):
        read_reference(draft, account, (*path, "relationships", place), relation, (name,))
    _own(draft, account, path, column, subject)
    return ""


def read_reference(
    draft: Draft, account: Account, path: Path, relation: Mapping[str, Value], source: tuple[str, ...]
) -> None:
    """Add the claim that columns refer to those of another table, which no check here can prove."""
    given = relation.get("from", source)
    ends = [
        tuple(map(str, end)) if isinstance(end, tuple) else (str(end),)
        for end in (given, relation.get("to", ()))
    ]  # fmt: skip
    if not all(ends) or any(not word or any(map(str.isspace, word)) or "," in word for end in ends for word in end):
        account.leave(path, "the reference names no columns")
        return
    draft.append("unverified", {"claim": reference_claim(*ends)}, path)
    for attribute in ("type", "from", "to"):
        account.hold((*path, attribute))


def _listed(holder: Mapping[str, Value], name: str) -> list[tuple[int, Mapping[str, Value]]]:
    found = holder.get(name)
    return [
        (place, item) for place, item in enumerate(found if isinstance(found, tuple) else ()) if isinstance(item, dict)
    ]


def _options(column: Mapping[str, Value]) -> Mapping[str, Value]:
    found = column.get("logicalTypeOptions")
    return found if isinstance(found, dict) else {}


def _texts(draft: Draft, account: Account, path: Path, column: Mapping[str, Value], index: int) -> None:
    for attribute, ours in _TEXTS.items():
        value = column.get(attribute)
        if not isinstance(value, str):
            continue
        if attribute == "classification" and value not in _WORDS:
            account.leave((*path, attribute), f"is none of the words of the language: {', '.join(_WORDS)}")
        elif value.strip() or attribute == "description":
            draft.put_field(index, ours, value, (*path, attribute))
            account.hold((*path, attribute))


def _physical_type(draft: Draft, account: Account, path: Path, column: Mapping[str, Value], subject: Subject) -> None:
    physical, entry = column.get("physicalType"), draft.fields[subject.index or 0]
    if physical is None or subject.type is None:
        return
    length = length_of(physical)
    if length and subject.type.family is Family.STRING and "max_length" not in entry:
        draft.put_field(subject.index or 0, "max_length", length, (*path, "physicalType"))
    longest = entry.get("max_length")
    if physical == physical_name(subject.type, longest if isinstance(longest, int) else None):
        account.hold((*path, "physicalType"))
    else:
        account.leave(
            (*path, "physicalType"), "the platform's own name of a type is not kept; the promise is the logical type"
        )


def _read_options(draft: Draft, account: Account, path: Path, options: Mapping[str, Value], subject: Subject) -> None:
    assert subject.type is not None, "columns have a type"
    promised = subject.type
    for name, ours in {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}.items():
        if options.get(name) is not None and promised.family is Family.STRING:
            draft.put_field(subject.index or 0, ours, options[name], (*path, name))
            account.hold((*path, name))
    for name, ours in {"minimum": "min", "maximum": "max"}.items():
        _bound(draft, account, (*path, name), (ours, options.get(name)), subject)
    for name in ("exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
        if options.get(name) is not None:
            _option_rule(draft, account, (*path, name), options[name], subject)
    _format(draft, account, path, options, subject)


def _bound(draft: Draft, account: Account, path: Path, bound: tuple[str, Value], subject: Subject) -> None:
    ours, written = bound
    if written is None or subject.type is None:
        return
    if subject.type.family not in (Family.INTEGER, Family.NUMBER, Family.DATE, Family.TIMESTAMP):
        account.leave(path, f"values of type {subject.type} have no bounds in the language")
        return
    value = in_type(written, subject.type)
    draft.put_field(subject.index or 0, ours, value, path)
    if spelled(value) == written:
        account.hold(path)
    else:
        account.leave(path, _OTHERWISE_WRITTEN)


def _option_rule(draft: Draft, account: Account, path: Path, value: Value, subject: Subject) -> None:
    assert subject.type is not None, "columns have a type"
    option = str(path[-1])
    is_multiple = option == "multipleOf"
    family = subject.type.family
    if is_multiple:
        rule = multiple_rule(subject.column, value) if family is Family.INTEGER else None
    else:
        rule = beyond_rule(subject.column, option, value, family)
    if rule is None:
        account.leave(path, f"no row rule says it of values of type {subject.type}")
        return
    draft.append("rules", rule, path)
    account.hold(path)


def _format(draft: Draft, account: Account, path: Path, options: Mapping[str, Value], subject: Subject) -> None:
    assert subject.type is not None, "columns have a type"
    written, promised = options.get("format"), subject.type
    if promised.timezone is not None and options.get("timezone") is True:
        account.hold((*path, "timezone"))
        account.hold((*path, "defaultTimezone"))
    elif options.get("timezone") is False:
        account.hold((*path, "timezone"))
    if not isinstance(written, str):
        return
    if written == width_format(promised):
        account.hold((*path, "format"))
    elif promised.family in (Family.DATE, Family.TIMESTAMP, Family.TIME) and (found := strftime_format(written)):
        formats = draft.value.get("dates")
        draft.value["dates"] = {**(formats if isinstance(formats, dict) else {}), subject.column: (found,)}
        draft.origins[("delivery", "format", "dates", subject.column)] = (*path, "format")
        account.hold((*path, "format"))
    else:
        account.leave((*path, "format"), f"a field of type {promised} has no such format")


def _own(draft: Draft, account: Account, path: Path, column: Mapping[str, Value], subject: Subject) -> None:
    """Our own attributes come last: they say what the standard has no words for."""
    index = subject.index or 0
    for name, value in own_values(column).items():
        if value is None:
            draft.fields[index].pop(name, None)
        else:
            draft.put_field(index, name, _in_our_type(name, value, subject.type), (*path, "customProperties"))
    hold_own(account, path, column)


def _in_our_type(name: str, value: Value, promised: LogicalType | None) -> Value:
    if promised is None or name not in ("min", "max", "enum"):
        return value
    return tuple(in_type(item, promised) for item in value) if isinstance(value, tuple) else in_type(value, promised)
