"""The type of one field in a generated pydantic model: the Python type, what narrows it, and the functions it needs beside it."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

from contract_core.contract.field_rules import whole_value
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field
from contract_core.contract.scalars import Scalar
from contract_core.exports.bounds import moment_at, moment_span, nearest, type_span, whole_span, widest_float_span
from contract_core.exports.field_weights import holds_back, takes_null
from contract_core.exports.source_text import Bracket, Code, call, float_literal, text_literal
from contract_core.exports.white_space import WHITE_SPACE
from contract_core.validation.obligations import Obligation

_PLAIN = {
    Family.STRING: "str",
    Family.INTEGER: "int",
    Family.NUMBER: "float",
    Family.BOOLEAN: "bool",
    Family.DATE: "datetime.date",
    Family.TIMESTAMP: "datetime.datetime",
    Family.TIME: "datetime.time",
    Family.DURATION: "datetime.timedelta",
    Family.BINARY: "bytes",
    Family.OBJECT: "dict[str, object]",
    Family.ARRAY: "list[object]",
}


def annotation(field: Field, contract: Contract, naming: Mapping[str, Code]) -> Code:
    """The annotation of a field: its type with every rule that holds publication back; `naming` is said of it besides."""
    plain = _literals(field) or _plain_type(field, contract)
    arguments = {**dict(_arguments(field, contract)), **naming}
    constraints = (*((call("pydantic.Field", **arguments),) if arguments else ()), *_validators(field))
    return Bracket("typing.Annotated[", (plain, *constraints), "]") if constraints else plain


def why_not(obligation: Obligation, contract: Contract) -> str:
    """Why the model does not judge an obligation about a field's values; empty where it does."""
    if obligation.field is None or obligation.rule != "range":
        return ""
    promised = contract.field(obligation.field).type
    is_open = promised.family is Family.TIMESTAMP and not promised.is_exact and not contract.delivery.format.is_text
    return "its bound is taken in the time zone of each delivery" if is_open else ""


def partly_judged(contract: Contract) -> Iterator[tuple[str, str]]:
    """The types that Python's own say less than."""
    for field in contract.fields:
        if field.type.unit == "ns":
            yield f"{field.name}.type", "Python's datetime ends at microseconds"
        elif field.type.bits == 32 and field.type.family is Family.NUMBER:
            yield f"{field.name}.type", "Python's float is a float64"
        elif field.type.family is Family.NUMBER and not field.type.is_exact and not contract.delivery.format.is_text:
            yield f"{field.name}.type", "a family takes other types too, and here one stands for them"


def _literals(field: Field) -> Code | None:
    """The listed texts as a type; numbers would take true for 1, and a list of literals takes no constraint beside it."""
    is_alone = not any(holds_back(field, rule) for rule in ("pattern", "length"))
    if field.enum is None or not holds_back(field, "enum") or field.type.family is not Family.STRING or not is_alone:
        return None
    nothing = ("None",) if takes_null(field) else ()
    return Bracket("typing.Literal[", (*(text_literal(value) for value in field.enum), *nothing), "]")


def _plain_type(field: Field, contract: Contract) -> str:
    promised = field.type
    if promised.precision is not None:
        plain = "decimal.Decimal"
    elif promised.timezone is not None:
        plain = "pydantic.AwareDatetime"
    elif promised.family is Family.TIMESTAMP and (promised.is_exact or contract.delivery.format.is_text):
        plain = "pydantic.NaiveDatetime"
    else:
        plain = _PLAIN[promised.family]
    return f"{plain} | None" if takes_null(field) else plain


def _validators(field: Field) -> Iterator[Code]:
    if field.enum is not None and holds_back(field, "enum") and _literals(field) is None:
        yield call("_one_of", *(_literal(value, field) for value in field.enum))
    if holds_back(field, "blank"):
        kind = field.not_blank or "unicode"
        yield f"_not_blank({'_WHITE_SPACE' if kind == 'unicode' else text_literal(WHITE_SPACE[kind])})"
    if holds_back(field, "untrimmed"):
        yield "_trimmed(_WHITE_SPACE)"


def _arguments(field: Field, contract: Contract) -> Iterator[tuple[str, Code]]:
    yield from _type_arguments(field, contract)
    if holds_back(field, "range"):
        yield from _range(field, contract)
    if holds_back(field, "length"):
        lengths = {"min_length": field.min_length, "max_length": field.max_length}
        yield from ((name, str(length)) for name, length in lengths.items() if length is not None)
    if holds_back(field, "pattern"):
        yield "pattern", text_literal(whole_value(field.pattern or ""))


def _type_arguments(field: Field, contract: Contract) -> Iterator[tuple[str, Code]]:
    promised = field.type
    if promised.precision is not None:
        yield "max_digits", str(promised.precision)
        yield "decimal_places", str(promised.scale)
    elif promised.family is Family.NUMBER and holds_back(field, "not_finite"):
        yield "allow_inf_nan", "False"
    elif promised.family is Family.INTEGER:
        low, high = type_span(promised, contract)
        yield "ge", str(low)
        yield "le", str(high)


def _range(field: Field, contract: Contract) -> Iterator[tuple[str, Code]]:
    low, high = _bounds(field, contract)
    if low is not None:
        yield "ge", low
    if high is not None:
        yield "le", high


def _bounds(field: Field, contract: Contract) -> tuple[Code | None, Code | None]:
    promised = field.type
    match promised.family:
        case Family.INTEGER:
            first, last = type_span(promised, contract)
            low, high = whole_span(field)
            return str(max(first, first if low is None else low)), str(min(last, last if high is None else high))
        case Family.NUMBER if promised.precision is None:
            return _each(widest_float_span(field, contract), repr)
        case Family.TIMESTAMP if promised.is_exact or contract.delivery.format.is_text:
            return _each(moment_span(field), lambda micros: _moment(micros, field))
        case Family.TIMESTAMP:
            return None, None
        case _:
            return _each((field.min, field.max), lambda bound: _literal(bound, field))


def _each(span: tuple[Any, Any], written: Callable[[Any], Code | None]) -> tuple[Code | None, Code | None]:
    low, high = span
    return (None if low is None else written(low), None if high is None else written(high))


def _moment(micros: int, field: Field) -> Code | None:
    """None where Python's years end before the bound does."""
    try:
        moment = moment_at(micros, field.type)
    except OverflowError:
        return None
    zone = ", tzinfo=datetime.UTC" if moment.tzinfo is not None else ""
    parts = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond)
    return f"datetime.datetime({', '.join(map(str, parts))}{zone})"


def _literal(value: Scalar, field: Field) -> str:
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, date):
        return f"datetime.date({value.year}, {value.month}, {value.day})"
    if field.type.precision is not None:
        return f'decimal.Decimal("{value}")'
    if field.type.family is Family.NUMBER:
        return float_literal(nearest(float(str(value)), field.type.bits or 64))
    return repr(value)
