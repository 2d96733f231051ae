"""The values of one field in JSON: the keywords that say what they may be, and what the keywords cannot say."""

from collections.abc import Callable, Mapping
from datetime import date
from math import isfinite
from typing import Any

from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field
from contract_core.contract.scalars import Scalar
from contract_core.exports.bounds import type_span, whole_span, widest_float_span
from contract_core.exports.field_weights import holds_back, takes_null
from contract_core.exports.portable_pattern import NotPortable, portable_pattern, set_of
from contract_core.exports.white_space import WHITE_SPACE

_CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_OFFSET = "(?:[+\\-][0-9]{2}:?[0-9]{2}|Z)"
_DIGITS = {"ms": 3, "us": 6, "ns": 9}
_BASE64 = "^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=)?$"
_SECONDS = "[0-9]{1,12}(?:\\.[0-9]{1,6})?S"
_MINUTES = "[0-9]{1,10}M"
_TIME_PART = f"T(?:[0-9]{{1,8}}H(?:{_MINUTES})?(?:{_SECONDS})?|{_MINUTES}(?:{_SECONDS})?|{_SECONDS})"
_DURATION = f"^-?P(?:[0-9]{{1,7}}D(?:{_TIME_PART})?|{_TIME_PART})$"
_TEXTUAL = (Family.DATE, Family.TIMESTAMP, Family.TIME, Family.DURATION)
_NUMBERS_ALONE = "it is judged for numbers and not for texts"
_SINGLE = "single precision rounds numbers before they are judged"
Keywords = dict[str, Any]


def value_schema(field: Field, contract: Contract) -> Keywords:
    """The keywords for the value of a field that is there, null among its types where a null holds nothing back."""
    keywords = _KEYWORDS.get(field.type.family, _text)(field, contract)
    if not takes_null(field):
        return keywords
    if "anyOf" in keywords:
        return {"anyOf": [*keywords["anyOf"], {"type": "null"}]}
    kinds = keywords["type"]
    keywords["type"] = [*(kinds if isinstance(kinds, list) else [kinds]), "null"]
    if "enum" in keywords:
        keywords["enum"] = [*keywords["enum"], None]
    return keywords


def why_partly(field: Field, contract: Contract) -> Mapping[str, str]:
    """What the keywords cannot say, by rule label: why it is not judged at all, or not to the letter."""
    reasons = {
        "type": _why_type(field, contract),
        "pattern": _why_pattern(field),
        "range": _why_range(field),
        "enum": _why_enum(field, contract),
        "not_finite": "",
    }
    return {rule: reason for rule, reason in reasons.items() if reason}


def _why_type(field: Field, contract: Contract) -> str:
    promised = field.type
    reasons = (
        (promised.family in _TEXTUAL and _own_formats(field, contract), "its own formats have no keyword"),
        (promised.family is Family.INTEGER and not _is_integral(field, contract), "1.0 is taken for a whole number"),
        (promised.precision is not None, "the digits of a number are not counted, those of a text are"),
        (
            promised.family in (Family.DATE, Family.TIMESTAMP),
            "the length of a month is asked where formats are asserted",
        ),
        (promised.family is Family.NUMBER and field.allow_nan, "JSON has neither NaN nor infinity"),
    )
    return next((reason for applies, reason in reasons if applies), "")


def _why_pattern(field: Field) -> str:
    if field.pattern is None:
        return ""
    try:
        portable_pattern(field.pattern)
    except NotPortable as reason:
        return str(reason)
    return ""


def _why_range(field: Field) -> str:
    if field.min is None and field.max is None:
        return ""
    if field.type.precision is not None:
        return _NUMBERS_ALONE
    if field.type.bits == 32 and field.type.family is Family.NUMBER:
        return _SINGLE
    return "bounds of dates have no keyword" if field.type.family in _TEXTUAL else ""


def _why_enum(field: Field, contract: Contract) -> str:
    if field.enum is None:
        return ""
    if field.type.precision is not None:
        return _NUMBERS_ALONE
    if field.type.family is Family.NUMBER and (field.type.bits == 32 or not _is_double(field, contract)):
        return _SINGLE
    return "its own formats have no keyword" if _own_formats(field, contract) else ""


def _own_formats(field: Field, contract: Contract) -> bool:
    """True where a JSON delivery writes this field in formats of its own."""
    stated = contract.delivery.format
    return stated.type in ("jsonl", "envelope") and bool(stated.date_formats(field.name))


def _is_integral(field: Field, contract: Contract) -> bool:
    return contract.delivery.format.is_text and field.name in contract.delivery.format.integral


def _is_double(field: Field, contract: Contract) -> bool:
    return field.type.is_exact or contract.delivery.format.is_text


def _string(field: Field, _: Contract) -> Keywords:
    keywords: Keywords = {"type": "string"}
    if holds_back(field, "enum"):
        keywords["enum"] = list(field.enum or ())
    if holds_back(field, "length"):
        lengths = {"minLength": field.min_length, "maxLength": field.max_length}
        keywords |= {name: length for name, length in lengths.items() if length is not None}
    patterns = _patterns(field)
    if len(patterns) == 1:
        keywords["pattern"] = patterns[0]
    elif patterns:
        keywords["allOf"] = [{"pattern": pattern} for pattern in patterns]
    return keywords


def _patterns(field: Field) -> list[str]:
    """Each is judged for texts alone, so that null passes them."""
    patterns = []
    if holds_back(field, "pattern") and not _why_pattern(field):
        patterns.append(portable_pattern(field.pattern or ""))
    if holds_back(field, "blank"):
        patterns.append(set_of(WHITE_SPACE[field.not_blank or "unicode"], is_negated=True))
    if holds_back(field, "untrimmed"):
        outer = set_of(WHITE_SPACE["unicode"], is_negated=True)
        patterns.append(f"^(?:{outer}(?:[\\s\\S]*{outer})?)?$")
    return patterns


def _integer(field: Field, contract: Contract) -> Keywords:
    first, last = type_span(field.type, contract)
    low, high = whole_span(field) if holds_back(field, "range") else (None, None)
    keywords: Keywords = {"type": "integer"}
    if holds_back(field, "enum"):
        keywords["enum"] = list(field.enum or ())
    return keywords | {
        "minimum": first if low is None else max(first, low),
        "maximum": last if high is None else min(last, high),
    }


def _number(field: Field, contract: Contract) -> Keywords:
    if field.type.precision is not None:
        return _decimal(field)
    keywords: Keywords = {"type": "number"}
    if holds_back(field, "enum") and not _why_enum(field, contract):
        keywords["enum"] = [number for number in map(_double, field.enum or ()) if isfinite(number)]
    if holds_back(field, "range") and not _why_range(field):
        low, high = widest_float_span(field, contract)
        keywords |= {name: bound for name, bound in (("minimum", low), ("maximum", high)) if bound is not None}
    return keywords


def _decimal(field: Field) -> Keywords:
    """A number or its text. A validator reads numbers as floats, and so their bounds are floats too."""
    scale = field.type.scale or 0
    before = (field.type.precision or 0) - scale
    low, high = (field.min, field.max) if holds_back(field, "range") else (None, None)
    number: Keywords = {
        "type": "number",
        "minimum": -(10**before) if low is None else _double(low),
        "maximum": 10**before if high is None else _double(high),
    }
    if holds_back(field, "enum"):
        number["enum"] = [_double(value) for value in field.enum or ()]
    whole = f"0*[0-9]{{1,{before}}}" if before else "0+"
    fraction = f"|\\.[0-9]{{1,{scale}}}" if scale else ""
    text = {"type": "string", "pattern": f"^[+\\-]?(?:{whole}(?:\\.[0-9]{{0,{scale}}})?{fraction})$"}
    return {"anyOf": [number, text]}


def _double(value: Scalar) -> float:
    return float(str(value))


def _boolean(field: Field, _: Contract) -> Keywords:
    listed = {"enum": list(field.enum or ())} if holds_back(field, "enum") else {}
    return {"type": "boolean", **listed}


def _date(field: Field, contract: Contract) -> Keywords:
    if _own_formats(field, contract):
        return {"type": "string"}
    days = [value.isoformat() for value in field.enum or () if isinstance(value, date)]
    listed = {"enum": days} if holds_back(field, "enum") else {}
    return {"type": "string", "format": "date", "pattern": f"^{_DAY}$", **listed}


def _timestamp(field: Field, contract: Contract) -> Keywords:
    if _own_formats(field, contract):
        return {"type": "string"}
    is_zoned = field.type.timezone is not None
    fraction = f"(?:\\.[0-9]{{1,{_DIGITS[field.type.unit or 'us']}}})?"
    pattern = f"^{_DAY}[T ]{_CLOCK}{fraction}{_OFFSET if is_zoned else ''}$"
    return {"type": "string", **({"format": "date-time"} if is_zoned else {}), "pattern": pattern}


def _time(field: Field, contract: Contract) -> Keywords:
    if _own_formats(field, contract):
        return {"type": "string"}
    return {"type": "string", "pattern": f"^{_CLOCK}(?:\\.[0-9]{{1,6}})?$"}


def _text(field: Field, _: Contract) -> Keywords:
    if field.type.family is Family.DURATION:
        return {"type": "string", "pattern": _DURATION}
    return {"type": "string", "contentEncoding": "base64", "pattern": _BASE64}


_KEYWORDS: Mapping[Family, Callable[[Field, Contract], Keywords]] = {
    Family.STRING: _string,
    Family.INTEGER: _integer,
    Family.NUMBER: _number,
    Family.BOOLEAN: _boolean,
    Family.DATE: _date,
    Family.TIMESTAMP: _timestamp,
    Family.TIME: _time,
    Family.OBJECT: lambda *_: {"type": "object"},
    Family.ARRAY: lambda *_: {"type": "array"},
}
