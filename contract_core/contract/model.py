"""The contract itself: frozen values and no I/O. What a single part may hold is checked here, how parts fit together in `consistency`."""

import hashlib
import json
import re
from decimal import Context, Decimal
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema
from pydantic import Field as Attribute

from contract_core.contract.change_terms import ChangeTerms
from contract_core.contract.delivery_terms import ANY_FIELD, Delivery
from contract_core.contract.logical_type import KNOWN_TYPES, SYNONYMS, LogicalType
from contract_core.contract.promises import (
    Assumption,
    Enforcement,
    Freshness,
    GroupRule,
    HistoryRule,
    Monitors,
    Publication,
    RowCount,
    RowRule,
    Severity,
    Unique,
)
from contract_core.contract.scalars import Day, NamedText, Scalar, Term, Text, Whole, YesNo, refuse, yaml_word
from contract_core.contract.yaml_document import MAX_DIGITS

NAME = re.compile(r"[a-z][a-z0-9_]{0,99}")
VERSION = re.compile(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")
RESERVED_PREFIX = "__"
_EXACT = Context(prec=2 * MAX_DIGITS)


def _logical_type(value: object) -> LogicalType:
    if isinstance(value, LogicalType):
        return value
    written = value if isinstance(value, str) else ""
    try:
        return LogicalType.parse(written)
    except ValueError:
        known = f"one of: {', '.join(KNOWN_TYPES)}"
        if written.count("(") != written.count(")") or written.count("[") != written.count("]"):
            refuse(f"'{written}' is torn at its comma", 'write it in quotes: type: "decimal(10,2)"')
        hint = f"did you mean '{SYNONYMS[written]}'? {known}" if written in SYNONYMS else known
        refuse(f"'{written}' is no type" if written else "is no type", hint)


def _contract_name(value: object) -> str:
    if not isinstance(value, str) or not NAME.fullmatch(value):
        refuse(
            "is no contract name", "write small letters, digits and underscores, a letter first: regional_daily_cases"
        )
    return value


def _version(value: object) -> str:
    if not isinstance(value, str):
        refuse(f"is read by YAML as {yaml_word(value)}, a version is text", 'write it in quotes: version: "1.0.0"')
    if not VERSION.fullmatch(value):
        refuse(f"'{value}' is no version", 'write major, minor and patch: "1.0.0"')
    return value


def _field_name(value: object) -> str:
    if not isinstance(value, str):
        refuse("is read by YAML as something else than text", "write the name in quotes")
    if not value or len(value) > 255 or value != value.strip() or any(ord(c) < 32 or ord(c) == 127 for c in value):
        refuse("is no field name", "write 1 to 255 characters without control characters or outer blanks")
    if value == "*" or (value.startswith("^") and value.endswith("$")):
        refuse("is a name that Polars reads as a pattern for many columns", "choose another name")
    if value.startswith(RESERVED_PREFIX):
        refuse(f"starts with '{RESERVED_PREFIX}', which is kept for the gate's own columns", "choose another name")
    return value


def _severities(value: object) -> object:
    return value if isinstance(value, dict) else {ANY_FIELD: value}


def _blank_kind(value: object) -> object:
    return {True: "unicode", False: None}[value] if isinstance(value, bool) else value


def _canonical(value: object) -> object:
    """One spelling for a number: 5.0 is 5. No digit is lost."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else value.normalize(_EXACT)


def _shown_as(schema: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema(schema, mode="validation")


_WEIGHT = {"enum": [severity.value for severity in Severity]}
_EXACT_TYPES = r"^(decimal\([0-9]{1,2}, ?[0-9]{1,2}\)|timestamp\[(ms|us|ns)(, ?[A-Za-z0-9_+/-]+)?\])$"
_TYPE = {
    "anyOf": [{"enum": [name for name in KNOWN_TYPES if name.isalnum()]}, {"type": "string", "pattern": _EXACT_TYPES}]
}

ContractName = Annotated[
    str, BeforeValidator(_contract_name), _shown_as({"type": "string", "pattern": f"^{NAME.pattern}$"})
]
FieldType = Annotated[
    LogicalType, BeforeValidator(_logical_type), PlainSerializer(str, return_type=str), _shown_as(_TYPE)
]
FieldSeverities = Annotated[
    dict[Text, Severity],
    BeforeValidator(_severities),
    _shown_as({"anyOf": [_WEIGHT, {"type": "object", "additionalProperties": _WEIGHT}]}),
]
Bound = Annotated[Any, BeforeValidator(_canonical), _shown_as({"type": ["number", "string"]})]
BlankKind = Annotated[
    Literal["space", "ascii", "unicode"] | None,
    BeforeValidator(_blank_kind),
    _shown_as({"enum": ["space", "ascii", "unicode", True, False]}),
]


class Owner(Term):
    """Who answers for something, and how to reach them."""

    name: NamedText
    contact: NamedText | None = None


class Tolerances(Term):
    """What a consumer says it can live with."""

    new_fields: YesNo = False
    new_enum_values: YesNo = False
    nulls: YesNo = False
    wider_types: YesNo = False
    empty_deliveries: YesNo = False


class Consumer(Owner):
    """Someone who depends on the published table, the fields they rely on and what they tolerate."""

    relies_on: tuple[NamedText, ...] = ()
    tolerates: Tolerances = Tolerances()


class Owners(Term):
    """The producer who keeps the promise and the consumers it is made to; who is told of incidents, who authorises corrections.

    Without `alerts` the producer is told, and the consumers too of what is overdue, stale or silent.
    """

    producer: Owner
    consumers: tuple[Consumer, ...] = ()
    alerts: tuple[Owner, ...] = ()
    corrections: Owner | None = None


class Field(Term):
    """One column of the table and every promise about its values."""

    name: Annotated[str, BeforeValidator(_field_name)]
    type: FieldType
    required: YesNo = True
    nullable: YesNo = False
    enum: Annotated[tuple[Annotated[Any, BeforeValidator(_canonical)], ...], Attribute(min_length=1)] | None = None
    pattern: NamedText | None = None
    min: Bound = None
    max: Bound = None
    min_length: Annotated[Whole, Attribute(ge=0)] | None = None
    max_length: Annotated[Whole, Attribute(ge=0)] | None = None
    not_blank: BlankKind = None
    trimmed: YesNo = False
    allow_nan: YesNo = False
    unit: NamedText | None = None
    classification: Literal["public", "internal", "confidential", "restricted"] | None = None
    semantics: NamedText | None = None
    description: Text | None = None
    renamed_from: NamedText | None = None
    sunset: Day | None = None
    severity: FieldSeverities = Attribute(default={}, validate_default=False)

    def severity_of(self, rule: str) -> Severity:
        """How much a breach of `rule` weighs on this field; `error` unless the contract lowers it."""
        return self.severity.get(rule, self.severity.get(ANY_FIELD, Severity.ERROR))


class Contract(Term):
    """What a producer promises about one table, in one version."""

    contract: ContractName
    version: Annotated[str, BeforeValidator(_version), _shown_as({"type": "string", "pattern": f"^{VERSION.pattern}$"})]
    fields: Annotated[tuple[Field, ...], Attribute(min_length=1)]
    status: Literal["draft", "active", "deprecated", "retired"] = "draft"
    sunset: Day | None = None
    description: Text | None = None
    domain: ContractName | None = None
    purpose: NamedText | None = None
    grain: NamedText | None = None
    population: NamedText | None = None
    recovery: NamedText | None = None
    owners: Owners | None = None
    key: tuple[NamedText, ...] = ()
    extra_fields: Literal["reject", "ignore", "keep"] = "reject"
    rules: tuple[RowRule, ...] = ()
    unique: tuple[Unique, ...] = ()
    duplicate_rows: Severity | None = None
    rows: RowCount = RowCount()
    groups: tuple[GroupRule, ...] = ()
    history: tuple[HistoryRule, ...] = ()
    delivery: Delivery = Delivery()
    freshness: Freshness | None = None
    monitors: Monitors = Monitors()
    enforcement: Enforcement = Enforcement()
    publication: Publication = Publication()
    unverified: tuple[Assumption, ...] = ()
    changes: ChangeTerms = ChangeTerms()

    def __copy__(self) -> Self:
        """A copy that has worked nothing out yet, since `model_copy` may edit it."""
        copied = super().__copy__()
        for name in ("digest", "field_names", "_by_name"):
            copied.__dict__.pop(name, None)
        return copied

    @property
    def name(self) -> str:
        """The contract's name, which asset keys and table folders carry too."""
        return self.contract

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON: the same for every order of keys and every spelling of a default."""
        stated = self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        text = json.dumps(stated, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    @cached_property
    def field_names(self) -> tuple[str, ...]:
        """The names of all fields, in the contract's order."""
        return tuple(field.name for field in self.fields)

    def field(self, name: str) -> Field:
        """The field of that name; raises KeyError where there is none."""
        return self._by_name[name]

    @property
    def unit(self) -> str | None:
        """The unit that a delivery may declare as a whole: the only one among the fields, else None."""
        units = {field.unit for field in self.fields if field.unit is not None}
        return units.pop() if len(units) == 1 else None


__all__ = ["Consumer", "Contract", "Field", "Owner", "Owners", "Scalar", "Severity", "Tolerances"]
