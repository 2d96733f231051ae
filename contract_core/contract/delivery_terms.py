"""The terms of delivery: where it lands, how its text is decoded, which partition and parts it must cover, when it is due."""

import codecs
from datetime import date
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, WithJsonSchema, model_validator

from contract_core.contract.part_sources import Completion, RequiredFrom
from contract_core.contract.promises import Severity
from contract_core.contract.scalars import Clock, Day, NamedText, Term, Text, Whole, YesNo, ZoneName, refuse

ANY_FIELD = "*"
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY: TypeAdapter[date] = TypeAdapter(Day)


def _per_field(value: object) -> object:
    return value if isinstance(value, dict) else {ANY_FIELD: value}


def _one_or_many(value: object) -> object:
    if not isinstance(value, dict):
        refuse("gives no formats by field", 'write a mapping: {report_date: "%d-%m-%Y"}')
    return {name: (formats,) if isinstance(formats, str) else formats for name, formats in value.items()}


_TEXTS = {"type": "array", "items": {"type": "string"}}
_TOKENS = {"anyOf": [_TEXTS, {"type": "object", "additionalProperties": _TEXTS}]}
_FORMATS = {"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, _TEXTS]}}

Tokens = Annotated[
    dict[Text, tuple[Text, ...]], BeforeValidator(_per_field), WithJsonSchema(_TOKENS, mode="validation")
]
DateFormats = Annotated[
    dict[Text, tuple[NamedText, ...]], BeforeValidator(_one_or_many), WithJsonSchema(_FORMATS, mode="validation")
]


def _single_character(value: object) -> str:
    if not isinstance(value, str) or len(value) != 1 or value in "\r\n" or ord(value) > 127:
        refuse("is not one ASCII character", 'write one character such as ";" or "\\t"')
    return value


def _encoding(value: object) -> str:
    if not isinstance(value, str) or not _writes_characters(value):
        refuse("is no known text encoding", "write a name such as utf-8, utf-16, latin-1 or cp1252")
    return value


def _writes_characters(name: str) -> bool:
    """True for an encoding that writes each character by itself, which punycode, idna and escapes do not."""
    sample = 'a,;\t"\n0'
    try:
        written = sample.encode(name)
        is_same = written.decode(name) == sample
        kind = codecs.lookup(name).name
    except (LookupError, ValueError):
        return False
    marked = {"utf-8-sig": 3, "utf-16": 2, "utf-32": 4}.get(kind, 0)
    is_plain = len(written) - marked in (len(sample), 2 * len(sample), 4 * len(sample))
    return is_same and is_plain and kind not in ("idna", "utf-7")


def _landing_path(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        refuse("is no path", "write it in quotes, relative to the landing root: orders/{partition}/*.csv")
    segments = value.split("/")
    if value.startswith("/") or ".." in segments or "\\" in value or ":" in segments[0]:
        refuse("leaves the landing root", "write a path relative to it, for example orders/{partition}/*.csv")
    return value


def _list_path(value: object) -> str:
    if not isinstance(value, str) or not value.endswith((".csv", ".json", ".yaml", ".yml")):
        refuse(
            "is no list of parts", "name a file beside the contract: regions.csv, regions.json or lists/regions.yaml"
        )
    segments = value.split("/")
    if value.startswith("/") or ".." in segments or "\\" in value or ":" in segments[0]:
        refuse("leaves the folder of the contract", "write a path below it, for example lists/regions.csv")
    if len(segments) == 1 and value.endswith((".yaml", ".yml")):
        refuse("would be read as a contract where it lies", "put it into a folder of its own: lists/regions.yaml")
    return value


def _quiet_day(value: object) -> object:
    """A weekday by its name, or one calendar day."""
    if isinstance(value, str) and value in WEEKDAYS:
        return value
    try:
        return _DAY.validate_python(value)
    except ValueError:
        refuse("is neither a weekday nor a calendar day", "write for example saturday or 2026-12-25")


def refuse_backwards(begin: date | None, end: date | None) -> None:
    """Refuse a span of days that ends before it begins."""
    if begin is not None and end is not None and end < begin:
        refuse("ends before it begins", "write valid_from first and valid_until later")


QuietDay = Annotated[
    str | date,
    BeforeValidator(_quiet_day),
    WithJsonSchema({"anyOf": [{"enum": [*WEEKDAYS]}, {"type": "string", "format": "date"}]}, mode="validation"),
]
Character = Annotated[str, BeforeValidator(_single_character)]
LandingPath = Annotated[str, BeforeValidator(_landing_path)]
ListPath = Annotated[str, BeforeValidator(_list_path)]


class Format(Term):
    """How the bytes of a delivery become values; text formats state their decoding here, and nothing else is decoded."""

    type: Literal["csv", "jsonl", "parquet", "ipc", "envelope"] = "csv"
    encoding: Annotated[str, BeforeValidator(_encoding)] = "utf-8"
    delimiter: Character = ","
    quote: Character = '"'
    decimal: Literal[".", ","] = "."
    null_values: Tokens = Field(default={ANY_FIELD: ("",)}, validate_default=False)
    true_values: Tokens = Field(default={ANY_FIELD: ("true",)}, validate_default=False)
    false_values: Tokens = Field(default={ANY_FIELD: ("false",)}, validate_default=False)
    dates: DateFormats = Field(default={}, validate_default=False)
    integral: tuple[NamedText, ...] = ()

    @property
    def is_text(self) -> bool:
        """True where values arrive as text and the contract's type is the stated decoding."""
        return self.type in ("csv", "jsonl", "envelope")

    def null_tokens(self, field: str) -> tuple[str, ...]:
        """The texts that mean "no value" in `field`."""
        return self.null_values.get(field, self.null_values.get(ANY_FIELD, ("",)))

    def true_tokens(self, field: str) -> tuple[str, ...]:
        """The texts that mean true in `field`."""
        return self.true_values.get(field, self.true_values.get(ANY_FIELD, ("true",)))

    def false_tokens(self, field: str) -> tuple[str, ...]:
        """The texts that mean false in `field`."""
        return self.false_values.get(field, self.false_values.get(ANY_FIELD, ("false",)))

    def date_formats(self, field: str) -> tuple[str, ...]:
        """The formats that are tried in order for `field`; none means ISO 8601."""
        return self.dates.get(field, ())

    @model_validator(mode="after")
    def _characters_differ(self) -> "Format":
        if self.type == "csv" and len({self.delimiter, self.quote}) == 1:
            refuse("uses one character as delimiter and as quote", "give two different characters")
        if self.type == "csv" and self.delimiter == self.decimal == ",":
            refuse("uses the comma both as delimiter and as decimal mark", 'write delimiter: ";" or decimal: "."')
        return self


class PartitionTerms(Term):
    """Which slice of the table one delivery replaces: a span of time, or (without `every`) one value of `column`.

    With `split` a delivery holds rows of several, and each of them is judged and published by itself.
    """

    column: NamedText
    every: Literal["hour", "day", "week", "month"] | None = None
    timezone: ZoneName = "UTC"
    start: Day | None = None
    split: YesNo = False

    @model_validator(mode="after")
    def _start_goes_with_every(self) -> "PartitionTerms":
        if self.every is not None and self.start is None:
            refuse("has 'every' but no 'start'", "write the first partition, for example start: 2026-10-01")
        if self.every == "hour" and self.timezone != "UTC":
            refuse("counts hours in a zone whose clocks may change", "write timezone: UTC, where no hour stands twice")
        if self.every is None and self.start is not None:
            refuse("has 'start' but no 'every'", "write every: day, or leave start out for partitions by value")
        return self


class Period(Term):
    """The days for which a part is required, both included; a partition counts by its first day."""

    valid_from: Day | None = None
    valid_until: Day | None = None

    @model_validator(mode="after")
    def _is_a_span(self) -> "Period":
        if self.valid_from is None and self.valid_until is None:
            refuse("names no day", "write valid_from, valid_until or both")
        refuse_backwards(self.valid_from, self.valid_until)
        return self

    def holds(self, day: date) -> bool:
        """True for a day on which the part is required."""
        begins, ends = self.valid_from or date.min, self.valid_until or date.max
        return begins <= day <= ends


class PartTerms(Term):
    """Whose shares make a delivery whole; the required names come from the contract, never from what arrived.

    What `required_file` lists becomes `required` and `periods` where the contract is read from its file; what `required_from`
    lists is looked up at each judgement.
    """

    source: Literal["column", "file", "manifest", "envelope"] = Field(alias="from")
    column: NamedText | None = None
    required: tuple[NamedText, ...] = ()
    required_file: ListPath | None = None
    required_from: RequiredFrom | None = None
    periods: dict[NamedText, Period] = Field(default={}, validate_default=False)
    completion: Completion | None = None

    @model_validator(mode="after")
    def _names_are_given(self) -> "PartTerms":
        if self.source == "column" and self.column is None:
            refuse("has from: column but names no column", "write column: and the field that holds the part's name")
        if self.source != "column" and self.column is not None:
            refuse(f"names a column but takes the parts from: {self.source}", "write from: column, or leave column out")
        if [bool(self.required), bool(self.required_file), bool(self.required_from)].count(True) != 1:
            refuse(
                "must say which parts are required", "write one of required: [...], required_file: or required_from:"
            )
        if len(set(self.required)) != len(self.required):
            refuse("requires one part twice", "write each name once")
        if not set(self.periods) <= set(self.required):
            refuse("names days for a part that it does not require", "write its name under required, or remove it")
        return self

    def required_on(self, day: date) -> tuple[str, ...]:
        """The parts that a partition which begins on a day must have."""
        return tuple(name for name in self.required if name not in self.periods or self.periods[name].holds(day))


class Due(Term):
    """When a partition must have arrived. A late delivery is told and published, unless `severity: error` holds it back."""

    by: Clock
    timezone: ZoneName = "UTC"
    days_after: Annotated[Whole, Field(ge=0, le=366)] = 0
    calendar: Literal["all", "weekdays"] = "all"
    holidays: tuple[Day, ...] = ()
    not_for: tuple[QuietDay, ...] = ()
    """The days on which nothing comes to be, so that no partition of them is ever due; a holiday only moves the deadline."""
    severity: Severity = Severity.WARN
    """Refused for being late, a delivery would come later still; so this is for tables where late rows do harm."""

    def expects(self, day: date) -> bool:
        """True for a day of which a partition must arrive at all."""
        return day not in self.not_for and WEEKDAYS[day.weekday()] not in self.not_for


class Delivery(Term):
    """What a producer hands over for one partition, and in what form."""

    path: LandingPath | None = None
    format: Format = Format()
    partition: PartitionTerms | None = None
    parts: PartTerms | None = None
    manifest: Literal["none", "optional", "required"] = "none"
    corrections: YesNo = False
    due: Due | None = None

    @model_validator(mode="after")
    def _path_says_where_partitions_stand(self) -> "Delivery":
        if self.path is None:
            return self
        if self.partition is not None and self.partition.split:
            if "{" in self.path:
                refuse("has {…} in its path, and a delivery holds several partitions", "write one path for all of them")
        elif self.partition is not None and self.path.count("{partition}") != 1:
            refuse(
                "is partitioned, but its path does not say where the partition stands", "write {partition} once in path"
            )
        if self.partition is None and "{" in self.path:
            refuse("has {…} in its path but no partition", "declare partition: or write the path without braces")
        return self
