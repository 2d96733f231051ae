"""The type a field promises: a family, or one exact type of it. How types look to Polars is known in `schema_match` alone."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class Family(StrEnum):
    """What kind of value a field holds; a family takes every physical type of its own kind and of no other."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"
    DURATION = "duration"
    BINARY = "binary"
    OBJECT = "object"
    ARRAY = "array"


_EXACT_INTEGER = re.compile(r"(u?)int(8|16|32|64)")
_EXACT_FLOAT = re.compile(r"float(32|64)")
_DECIMAL = re.compile(r"decimal\(\s*([0-9]{1,2})\s*,\s*([0-9]{1,2})\s*\)")
_TIMESTAMP = re.compile(r"timestamp\[\s*(ms|us|ns)\s*(?:,\s*([A-Za-z0-9_+\-/]+)\s*)?\]")
MAX_DECIMAL_PRECISION = 38
SYNONYMS = {  # what other tools call it
    "bigint": "int64",
    "bool": "boolean",
    "datetime": "timestamp",
    "double": "float64",
    "float": "number",
    "int": "integer",
    "list": "array",
    "str": "string",
    "struct": "object",
    "text": "string",
    "varchar": "string",
}

KNOWN_TYPES = (
    *(family.value for family in Family),
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "decimal(p,s)",
    "timestamp[us]",
    "timestamp[us,UTC]",
)


@dataclass(frozen=True, slots=True)
class LogicalType:
    """A family, or with `is_exact` one type of it: width and sign, precision and scale, or unit and time zone."""

    family: Family
    text: str
    bits: int | None = None
    signed: bool = True
    precision: int | None = None
    scale: int | None = None
    unit: str | None = None
    timezone: str | None = None

    @property
    def is_exact(self) -> bool:
        """True where only one physical type will do."""
        return self.text != self.family.value

    @property
    def is_numeric(self) -> bool:
        """True where bounds are numbers."""
        return self.family in (Family.INTEGER, Family.NUMBER)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The type that `text` names; raises ValueError where it names none."""
        if text in set(Family):
            return cls(Family(text), text)
        if match := _EXACT_INTEGER.fullmatch(text):
            return cls(Family.INTEGER, text, bits=int(match[2]), signed=not match[1])
        if match := _EXACT_FLOAT.fullmatch(text):
            return cls(Family.NUMBER, text, bits=int(match[1]))
        if match := _DECIMAL.fullmatch(text):
            return cls._decimal(int(match[1]), int(match[2]))
        if match := _TIMESTAMP.fullmatch(text):
            zone = f",{match[2]}" if match[2] else ""
            return cls(Family.TIMESTAMP, f"timestamp[{match[1]}{zone}]", unit=match[1], timezone=match[2])
        raise ValueError(text)

    @classmethod
    def _decimal(cls, precision: int, scale: int) -> Self:
        if not (1 <= precision <= MAX_DECIMAL_PRECISION and scale <= precision):
            raise ValueError(f"decimal({precision},{scale})")
        return cls(Family.NUMBER, f"decimal({precision},{scale})", precision=precision, scale=scale)

    def __str__(self) -> str:
        return self.text
