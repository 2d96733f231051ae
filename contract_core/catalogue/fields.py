"""The fields of a contract as rows of a table: type, presence, rules in plain words, and what a value means."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date

from contract_core.catalogue.released import ReleasedVersion
from contract_core.contract.model import Field
from contract_core.contract.promises import Severity
from contract_core.rendering.promises import promise_words
from contract_core.validation.obligations import Obligation

_IN_COLUMNS = ("missing", "type", "null")
_NAMED = ("row_rule", "unique", "group", "history")


@dataclass(frozen=True, slots=True)
class ToldRule:
    """One rule in words; `is_warning` where a breach is told and holds nothing back."""

    words: str
    is_warning: bool


@dataclass(frozen=True, slots=True)
class ToldField:
    """One field; `relied_on_by` are the consumers who name it, or who name none and so rely on all."""

    field: Field
    rules: tuple[ToldRule, ...]
    is_key: bool
    relied_on_by: tuple[str, ...]
    sunset: str

    @property
    def nulls(self) -> str:
        """Whether a null may be there, and how much one weighs that must not."""
        if self.field.nullable:
            return "may be null"
        return "null only warns" if self.field.severity_of("null") is Severity.WARN else "never null"

    @property
    def presence(self) -> str:
        """Whether the field may be left out."""
        return "required" if self.field.required else "optional"


def told_fields(version: ReleasedVersion, today: date) -> tuple[ToldField, ...]:
    """All fields in the contract's order."""
    rules: dict[str, list[Obligation]] = defaultdict(list)
    for obligation in version.obligations:
        if is_of_its_field(obligation):
            rules[str(obligation.field)].append(obligation)
    return tuple(_told(version, field, rules[field.name], today) for field in version.contract.fields)


def is_of_its_field(obligation: Obligation) -> bool:
    """True for a rule that stands at a field; one about the whole may name a field too."""
    return obligation.field is not None and obligation.id == f"{obligation.field}.{obligation.rule}"


def told_rule(obligation: Obligation) -> ToldRule:
    """The rule in the contract's words: that of a field without its name, one across fields with its own."""
    words = promise_words(obligation.promise)
    if is_of_its_field(obligation):
        words = words.removeprefix(f"'{obligation.field}' ")
    elif obligation.rule in _NAMED:
        words = f"{obligation.id.removesuffix(f'.{obligation.rule}')}: {words}"
    return ToldRule(words, obligation.severity is Severity.WARN)


def _told(version: ReleasedVersion, field: Field, obligations: list[Obligation], today: date) -> ToldField:
    return ToldField(
        field=field,
        rules=tuple(told_rule(item) for item in obligations if item.rule not in _IN_COLUMNS),
        is_key=field.name in version.contract.key,
        relied_on_by=tuple(
            consumer.name
            for consumer in version.consumers
            if not consumer.relies_on or field.name in consumer.relies_on
        ),
        sunset=_sunset(field, today),
    )


def _sunset(field: Field, today: date) -> str:
    if field.sunset is None:
        return ""
    tense = "since its sunset on" if field.sunset < today else "after"
    return f"deprecated: may leave {tense} {field.sunset}"
