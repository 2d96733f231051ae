"""Which rules a field may carry: by its type, and among each other. One small finder per rule."""

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal

from pydantic_core import SchemaError, SchemaValidator, core_schema

from contract_core.contract.complaint import Complaint
from contract_core.contract.delivery_terms import ANY_FIELD
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Field
from contract_core.contract.promises import Severity
from contract_core.contract.scalars import is_zone, yaml_word

_BOUNDED = {
    Family.INTEGER: (int, Decimal),
    Family.NUMBER: (int, Decimal),
    Family.DATE: (date,),
    Family.TIMESTAMP: (datetime, date),
}
_LISTABLE = {
    Family.STRING: (str,),
    Family.INTEGER: (int,),
    Family.NUMBER: (int, Decimal),
    Family.BOOLEAN: (bool,),
    Family.DATE: (date,),
}
_FOREVER_ERRORS = ("missing", "type")
FIELD_RULES = ("missing", "null", "type", "not_finite", "enum", "pattern", "range", "length", "blank", "untrimmed")


def declared_rules(field: Field) -> tuple[str, ...]:
    """The labels of the rules that `field` carries, in the order in which a value is judged."""
    carried = {
        "missing": field.required,
        "null": not field.nullable,
        "type": True,
        "not_finite": field.type.family is Family.NUMBER and not field.type.precision and not field.allow_nan,
        "enum": field.enum is not None,
        "pattern": field.pattern is not None,
        "range": field.min is not None or field.max is not None,
        "length": field.min_length is not None or field.max_length is not None,
        "blank": field.not_blank is not None,
        "untrimmed": field.trimmed,
    }
    return tuple(rule for rule in FIELD_RULES if carried[rule])


def field_complaints(field: Field) -> Iterator[Complaint]:
    """Everything about one field that does not fit its type or contradicts itself; paths are relative to the field."""
    yield from _zone(field)
    yield from _text_rules(field)
    yield from _pattern(field)
    yield from _enum(field)
    yield from _bounds(field)
    yield from _lengths(field)
    yield from _severities(field)


def fits(value: object, kinds: tuple[type, ...]) -> bool:
    """True where a YAML value is of one of these kinds; a boolean is no whole number, a moment no day."""
    if isinstance(value, bool):
        return bool in kinds
    if isinstance(value, datetime):
        return datetime in kinds
    return isinstance(value, kinds)


def _zone(field: Field) -> Iterator[Complaint]:
    zone = field.type.timezone
    if zone is not None and not is_zone(zone):
        hint = "write an IANA name such as UTC or Europe/Amsterdam"
        yield Complaint(("type",), f"'{zone}' is no time zone", hint)


def _text_rules(field: Field) -> Iterator[Complaint]:
    is_text = field.type.family is Family.STRING
    for name in ("pattern", "min_length", "max_length", "not_blank"):
        if getattr(field, name) is not None and not is_text:
            yield Complaint(
                (name,), f"type {field.type} has no {name}", "only string fields carry it: remove it or change type"
            )
    if field.trimmed and not is_text:
        yield Complaint(
            ("trimmed",),
            f"type {field.type} cannot be trimmed",
            "only string fields carry it: remove it or change type",
        )
    if field.allow_nan and (field.type.family is not Family.NUMBER or field.type.precision):
        yield Complaint(("allow_nan",), f"type {field.type} is never NaN", "remove it")


def _pattern(field: Field) -> Iterator[Complaint]:
    if field.pattern is None:
        return
    try:
        for pattern in (field.pattern, whole_value(field.pattern)):  # alone too: 'a)|(b' is one only inside the anchors
            SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError as error:
        reason = str(error).strip().splitlines()[-1].strip().removeprefix("error: ").removeprefix("SchemaError: ")
        yield Complaint(
            ("pattern",),
            f"is no regular expression: {reason}",
            "write Rust regex syntax; it must match the whole value",
        )


def whole_value(pattern: str) -> str:
    """The pattern, anchored so that it matches a whole value, alternations included."""
    return rf"\A(?:{pattern})\z"


def _enum(field: Field) -> Iterator[Complaint]:
    if field.enum is None:
        return
    kinds = _LISTABLE.get(field.type.family)
    if kinds is None:
        yield Complaint(("enum",), f"type {field.type} has no list of values", "remove enum or change type")
        return
    for index, value in enumerate(field.enum):
        if value is None:
            yield Complaint(("enum", index), "nothing is no value", "write nullable: true to allow missing values")
        elif not fits(value, kinds):
            hint = "write it in quotes" if kinds == (str,) else f"write a value of type {field.type}"
            yield Complaint(
                ("enum", index), f"YAML reads it as {yaml_word(value)}, the field is of type {field.type}", hint
            )
        elif value in field.enum[:index]:
            yield Complaint(("enum", index), "stands here a second time", "remove it")


def _bounds(field: Field) -> Iterator[Complaint]:
    kinds = _BOUNDED.get(field.type.family)
    for name in ("min", "max"):
        value = getattr(field, name)
        if value is None:
            continue
        if kinds is None:
            yield Complaint((name,), f"type {field.type} has no {name}", "remove it or change type")
        elif not fits(value, kinds):
            yield Complaint(
                (name,), f"YAML reads it as {yaml_word(value)}, the field is of type {field.type}", _bound_hint(field)
            )
        elif isinstance(value, datetime) and (value.tzinfo is None) != (field.type.timezone is None):
            yield Complaint(
                (name,), "time zone of bound and field differ", "write the bound as the type says, with or without Z"
            )
    if (
        not any(True for _ in _wrong_kinds(field, kinds))
        and field.min is not None
        and field.max is not None
        and _above(field.min, field.max)
    ):
        yield Complaint(("min",), f"the lower bound {field.min} is above the upper bound {field.max}", "swap them")


def _above(low: object, high: object) -> bool:
    if isinstance(low, datetime) != isinstance(high, datetime):
        low, high = (value.date() if isinstance(value, datetime) else value for value in (low, high))
    if isinstance(low, datetime) and isinstance(high, datetime) and (low.tzinfo is None) != (high.tzinfo is None):
        return False  # one of them has a complaint of its own
    return bool(low > high)  # type: ignore[operator]  # both are of one ordered kind, see _wrong_kinds


def _wrong_kinds(field: Field, kinds: tuple[type, ...] | None) -> Iterator[object]:
    return (
        value for value in (field.min, field.max) if value is not None and (kinds is None or not fits(value, kinds))
    )


def _bound_hint(field: Field) -> str:
    words = {Family.DATE: "write a day: 2026-10-01", Family.TIMESTAMP: "write a moment: 2026-10-01T00:00:00"}
    return words.get(field.type.family, "write a number without quotes")


def _lengths(field: Field) -> Iterator[Complaint]:
    if field.min_length is not None and field.max_length is not None and field.min_length > field.max_length:
        what = f"the shortest length {field.min_length} is above the longest {field.max_length}"
        yield Complaint(("min_length",), what, "swap them")


def _severities(field: Field) -> Iterator[Complaint]:
    carried = declared_rules(field)
    for rule, severity in field.severity.items():
        if rule == ANY_FIELD:
            if severity is Severity.WARN and field.required:
                what = "a missing column or an undecodable value always holds publication back"
                yield Complaint(("severity",), what, f"name the rules that only warn: {{{_warnable(carried)}}}")
        elif rule not in carried:
            yield Complaint(("severity", rule), f"the field has no rule '{rule}'", f"it has: {', '.join(carried)}")
        elif rule in _FOREVER_ERRORS and severity is Severity.WARN:
            what = f"'{rule}' always holds publication back: there would be no value to publish"
            yield Complaint(("severity", rule), what, "remove it")


def _warnable(carried: tuple[str, ...]) -> str:
    return ", ".join(f"{rule}: warn" for rule in carried if rule not in _FOREVER_ERRORS)
