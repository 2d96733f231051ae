"""The types of the Open Data Contract Standard and ours, both ways: logical type, its options, and the names that databases use."""

import re
from collections.abc import Mapping
from datetime import date, datetime

from contract_core.contract.logical_type import Family, LogicalType
from contract_core.contract.scalars import is_zone
from contract_core.contract.yaml_document import Value

_WIDTHS = {f"{kind}{bits}" for kind in "iu" for bits in (8, 16, 32, 64)} | {"f32", "f64"}
_DECIMAL = re.compile(r"(?:decimal|numeric|number)\(\s*([0-9]{1,2})\s*(?:,\s*([0-9]{1,2})\s*)?\)", re.IGNORECASE)
_SIZED_TEXT = re.compile(r"(?:varchar|character varying|nvarchar|varchar2)\(\s*([0-9]{1,9})\s*\)", re.IGNORECASE)
_WORDS: Mapping[Family, str] = {
    Family.STRING: "string text varchar char bpchar nvarchar clob uuid character",
    Family.INTEGER: "integer int bigint smallint tinyint int2 int4 int8 long short serial bigserial",
    Family.NUMBER: "number double float real decimal numeric float4 float8",
    Family.BOOLEAN: "boolean bool bit",
    Family.DATE: "date",
    Family.TIMESTAMP: "timestamp datetime timestamptz timestamp_ntz timestamp_ltz timestamp_tz",
    Family.TIME: "time",
    Family.DURATION: "duration",
    Family.BINARY: "binary bytea blob varbinary bytes",
    Family.OBJECT: "object struct record json jsonb map",
    Family.ARRAY: "array list",
}
_FAMILY_OF = {word: family for family, words in _WORDS.items() for word in words.split()}
_PATTERN_LETTERS = (("yyyy", "%Y"), ("MM", "%m"), ("dd", "%d"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S"), ("Z", "%z"))
_LITERAL = re.compile(r"[-/.: ,]")


def type_of(logical: Value, physical: Value, options: Mapping[str, Value]) -> LogicalType | None:
    """The type that a column of the standard promises; None where neither of its types is known.

    The logical type decides the family. Options and the physical type make it exact where they state width, sign, precision,
    scale or time zone; the other spellings of physical types belong to the platform.
    """
    written = physical if isinstance(physical, str) else ""
    own = _parsed(written)
    family = Family(logical) if isinstance(logical, str) else own.family if own else _FAMILY_OF.get(_bare(written))
    if family is None:
        return None
    if own is not None and (own.family in (Family.DURATION, Family.BINARY) or (own.family is family and own.is_exact)):
        return own
    return _by_options(family, options) or _by_decimal(family, written) or LogicalType.parse(family.value)


def length_of(physical: Value) -> int | None:
    """The length that a physical type such as varchar(18) states."""
    match = _SIZED_TEXT.fullmatch(physical) if isinstance(physical, str) else None
    return int(match[1]) if match else None


def logical_name(promised: LogicalType) -> str:
    """The standard's logical type for one of ours; it has none for binary values and durations."""
    return "string" if promised.family in (Family.BINARY, Family.DURATION) else promised.family.value


def width_format(promised: LogicalType) -> str | None:
    """The standard's name for the width of a number: i64, u8, f32."""
    if promised.bits is None:
        return None
    sign = "f" if promised.family is Family.NUMBER else "i" if promised.signed else "u"
    return f"{sign}{promised.bits}"


def strftime_format(pattern: str) -> str | None:
    """A pattern such as yyyy-MM-dd as %Y-%m-%d; None where it holds anything else."""
    written = ""
    while pattern:
        letters = next((pair for pair in _PATTERN_LETTERS if pattern.startswith(pair[0])), None)
        if letters is not None:
            written, pattern = written + letters[1], pattern[len(letters[0]) :]
        elif _LITERAL.match(pattern):
            written, pattern = written + pattern[0], pattern[1:]
        elif pattern.startswith("'T'"):
            written, pattern = written + "T", pattern[3:]
        else:
            return None
    return written


def letter_pattern(strftime: str) -> str | None:
    """The way back from %Y-%m-%d to yyyy-MM-dd; None where there is none."""
    written = strftime.replace("T", "'T'")
    for letters, directive in _PATTERN_LETTERS:
        written = written.replace(directive, letters)
    return written if "%" not in written and strftime_format(written) == strftime else None


def in_type(value: Value, promised: LogicalType) -> Value:
    """A bound or listed value as our language writes it: dates and moments, which the standard writes as text."""
    if not isinstance(value, str) or promised.family not in (Family.DATE, Family.TIMESTAMP):
        return value
    try:
        is_day = promised.family is Family.DATE or len(value) == len("2026-10-01")
        return date.fromisoformat(value) if is_day else datetime.fromisoformat(value)
    except ValueError:
        return value


def _parsed(text: str) -> LogicalType | None:
    try:
        return LogicalType.parse(text)
    except ValueError:
        return None


def _bare(physical: str) -> str:
    return physical.partition("(")[0].strip().lower()


def _by_options(family: Family, options: Mapping[str, Value]) -> LogicalType | None:
    width = options.get("format")
    if family in (Family.INTEGER, Family.NUMBER) and width in _WIDTHS:
        letter, bits = str(width)[0], str(width)[1:]
        return LogicalType.parse({"i": "int", "u": "uint", "f": "float"}[letter] + bits)
    if family is Family.TIMESTAMP and options.get("timezone") is True:
        zone = options.get("defaultTimezone", "UTC")
        return LogicalType.parse(f"timestamp[us,{zone}]") if isinstance(zone, str) and is_zone(zone) else None
    return None


def _by_decimal(family: Family, physical: str) -> LogicalType | None:
    match = _DECIMAL.fullmatch(physical.strip())
    if match is None or family is not Family.NUMBER:
        return None
    return _parsed(f"decimal({match[1]},{match[2] or 0})")


def physical_name(promised: LogicalType, longest: int | None) -> str:
    """How a document states our type as a physical one: in our own spelling, a text with its length."""
    return f"varchar({longest})" if promised.family is Family.STRING and longest else str(promised)


def spelled(value: Value) -> Value:
    """A bound or listed value as a document writes it: dates and moments as text."""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else value
