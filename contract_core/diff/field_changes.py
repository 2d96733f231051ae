"""How one field differs between two versions: one finder for each of its attributes, so that none can be forgotten."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from contract_core.contract.delivery_terms import ANY_FIELD
from contract_core.contract.model import Contract, Field
from contract_core.contract.promises import Severity
from contract_core.diff.bounds import compared
from contract_core.diff.change import Change
from contract_core.diff.kinds import ChangeKind as Is
from contract_core.diff.meaning import meaning_kind, reworded
from contract_core.diff.type_changes import type_change

_CLASSES = ("public", "internal", "confidential", "restricted")
_BLANKS = (None, "space", "ascii", "unicode")


@dataclass(frozen=True, slots=True)
class Pair:
    """One field in both versions, and the contract that promised the older one."""

    old: Field
    new: Field
    contract: Contract

    @property
    def is_identity(self) -> bool:
        """True for a field that tells rows apart, under its older or newer name."""
        return self.old.name in self.contract.key

    def change(self, kind: Is, attribute: str, what: str) -> Change:
        """A change of one attribute of the field."""
        return Change(kind, f"fields.{self.old.name}.{attribute}", what, self.old.name)


def field_changes(pair: Pair) -> Iterator[Change]:
    """Everything by which the two differ, in the order of the field's attributes; a new name is told by who pairs them."""
    for attribute, finder in FIELD_FINDERS.items():
        if getattr(pair.old, attribute) != getattr(pair.new, attribute):
            yield from finder(pair)


def _type(pair: Pair) -> Iterator[Change]:
    kind = type_change(pair.old.type, pair.new.type, is_identity=pair.is_identity)
    if kind is not None:
        yield pair.change(kind, "type", f"from {pair.old.type} to {pair.new.type}")


def _required(pair: Pair) -> Iterator[Change]:
    kind = Is.PRESENCE_REQUIRED if pair.new.required else Is.PRESENCE_OPTIONAL
    yield pair.change(kind, "required", "must be there" if pair.new.required else "may be left out")


def _nullable(pair: Pair) -> Iterator[Change]:
    if pair.new.nullable:
        kind = Is.NULL_ALLOWED_IN_KEY if pair.is_identity else Is.NULL_ALLOWED
        yield pair.change(_mild(pair, "null", kind), "nullable", "may be null")
    else:
        yield pair.change(_firm(pair, "null", Is.NULL_FORBIDDEN), "nullable", "may no longer be null")


def _firm(pair: Pair, rule: str, kind: Is) -> Is:
    """The kind where a breach holds publication back; a warning where the new version only tells of it."""
    return Is.WARNING_ADDED if pair.new.severity_of(rule) is Severity.WARN else kind


def _mild(pair: Pair, rule: str, kind: Is) -> Is:
    return Is.WARNING_REMOVED if pair.old.severity_of(rule) is Severity.WARN else kind


def _enum(pair: Pair) -> Iterator[Change]:
    old, new = pair.old.enum, pair.new.enum
    if old is None or new is None:
        kind = _firm(pair, "enum", Is.ENUM_INTRODUCED) if old is None else _mild(pair, "enum", Is.ENUM_DROPPED)
        yield pair.change(kind, "enum", "only listed values" if old is None else "any value")
        return
    for value in new:
        if value not in old:
            yield pair.change(_mild(pair, "enum", Is.ENUM_VALUE_ADDED), "enum", f"'{value}' is allowed")
    for value in old:
        if value not in new:
            yield pair.change(_firm(pair, "enum", Is.ENUM_VALUE_REMOVED), "enum", f"'{value}' is no longer allowed")


def _pattern(pair: Pair) -> Iterator[Change]:
    if pair.old.pattern is None:
        yield pair.change(_firm(pair, "pattern", Is.PATTERN_ADDED), "pattern", f"must match {pair.new.pattern}")
    elif pair.new.pattern is None:
        yield pair.change(_mild(pair, "pattern", Is.PATTERN_REMOVED), "pattern", "may be any text")
    else:
        what = f"from {pair.old.pattern} to {pair.new.pattern}"
        yield pair.change(_firm(pair, "pattern", Is.PATTERN_CHANGED), "pattern", what)


def _bound(attribute: str, rule: str, tightened: Is, relaxed: Is) -> Callable[[Pair], Iterator[Change]]:
    """A finder for a lower bound `min…` or an upper one `max…`."""
    is_lower = attribute.startswith("min")

    def finder(pair: Pair) -> Iterator[Change]:
        old, new = getattr(pair.old, attribute), getattr(pair.new, attribute)
        order = compared(old, new, pair.new.type.family, is_lower=is_lower)
        if order == 0:
            return
        is_tighter = order > 0 if is_lower else order < 0
        kind = _firm(pair, rule, tightened) if is_tighter else _mild(pair, rule, relaxed)
        yield pair.change(kind, attribute, _from_to(old, new))

    return finder


def _from_to(old: object, new: object) -> str:
    return f"from {'none' if old is None else old} to {'none' if new is None else new}"


def _not_blank(pair: Pair) -> Iterator[Change]:
    is_tighter = _BLANKS.index(pair.new.not_blank) > _BLANKS.index(pair.old.not_blank)
    tightened, relaxed = Is.WHITE_SPACE_TIGHTENED, Is.WHITE_SPACE_RELAXED
    kind = _firm(pair, "blank", tightened) if is_tighter else _mild(pair, "blank", relaxed)
    yield pair.change(kind, "not_blank", _from_to(pair.old.not_blank, pair.new.not_blank))


def _trimmed(pair: Pair) -> Iterator[Change]:
    if pair.new.trimmed:
        kind, what = _firm(pair, "untrimmed", Is.WHITE_SPACE_TIGHTENED), "may have no outer white space"
    else:
        kind, what = _mild(pair, "untrimmed", Is.WHITE_SPACE_RELAXED), "may have outer white space"
    yield pair.change(kind, "trimmed", what)


def _allow_nan(pair: Pair) -> Iterator[Change]:
    if pair.new.allow_nan:
        yield pair.change(_mild(pair, "not_finite", Is.NAN_ALLOWED), "allow_nan", "NaN and infinities are allowed")
    else:
        kind = _firm(pair, "not_finite", Is.NAN_FORBIDDEN)
        yield pair.change(kind, "allow_nan", "NaN and infinities are no longer allowed")


def _unit(pair: Pair) -> Iterator[Change]:
    old, new = pair.old.unit, pair.new.unit
    kind = Is.UNIT_STATED if old is None else Is.UNIT_REMOVED if new is None else Is.UNIT_CHANGED
    yield pair.change(kind, "unit", _from_to(old, new))


def _semantics(pair: Pair) -> Iterator[Change]:
    old, new = pair.old.semantics, pair.new.semantics
    kind = meaning_kind(old, new, (Is.SEMANTICS_STATED, Is.SEMANTICS_CHANGED))
    yield pair.change(kind, "semantics", reworded(old, new))


def _description(pair: Pair) -> Iterator[Change]:
    yield pair.change(Is.WORDS_EDITED, "description", "is worded differently")


def _renamed_from(pair: Pair) -> Iterator[Change]:
    """A rename is told by who pairs the fields; here, that a name which is in use is given to another field."""
    claimed = pair.new.renamed_from
    if pair.new.name == pair.old.name and claimed in pair.contract.field_names:
        yield Change(Is.FIELD_NAME_REUSED, f"fields.{pair.old.name}", f"stands for '{claimed}' now", pair.old.name)


def _sunset(pair: Pair) -> Iterator[Change]:
    old, new = pair.old.sunset, pair.new.sunset
    if old is None:
        yield pair.change(Is.FIELD_DEPRECATED, "sunset", f"may leave after {new}")
    elif pair.old.name == pair.new.name:  # a name that is gone has no sunset any more
        is_later = new is None or new > old
        kind = Is.FIELD_SUNSET_LATER if is_later else Is.FIELD_SUNSET_EARLIER
        yield pair.change(kind, "sunset", _from_to(old, new))


def _classification(pair: Pair) -> Iterator[Change]:
    old, new = (_CLASSES.index(field.classification or "public") for field in (pair.old, pair.new))
    if old == new:
        yield pair.change(Is.WORDS_EDITED, "classification", "public is stated, or no longer stated")
        return
    kind = Is.CLASSIFICATION_RAISED if new > old else Is.CLASSIFICATION_LOWERED
    yield pair.change(kind, "classification", f"from {_CLASSES[old]} to {_CLASSES[new]}")


def _severity(pair: Pair) -> Iterator[Change]:
    """For each rule that both versions have; what is lowered for all rules is one change."""
    for rule in sorted({*pair.old.severity, *pair.new.severity}):
        old, new = pair.old.severity_of(rule), pair.new.severity_of(rule)
        if old is not new and _has(pair.old, rule) and _has(pair.new, rule):
            kind = Is.SEVERITY_RAISED if new is Severity.ERROR else Is.SEVERITY_LOWERED
            named = "every rule" if rule == ANY_FIELD else f"'{rule}'"
            yield pair.change(kind, "severity", f"{named} from {old} to {new}")


def _has(field: Field, rule: str) -> bool:
    """True where the field has the rule; that one comes or goes is told with its weight, and not as a change of weight."""
    stated = {
        "null": not field.nullable,
        "not_finite": not field.allow_nan,
        "enum": field.enum is not None,
        "pattern": field.pattern is not None,
        "range": field.min is not None or field.max is not None,
        "length": field.min_length is not None or field.max_length is not None,
        "blank": field.not_blank is not None,
        "untrimmed": field.trimmed,
    }
    return stated.get(rule, True)


FIELD_FINDERS: Mapping[str, Callable[[Pair], Iterator[Change]]] = {
    "type": _type,
    "required": _required,
    "nullable": _nullable,
    "enum": _enum,
    "pattern": _pattern,
    "min": _bound("min", "range", Is.BOUND_TIGHTENED, Is.BOUND_RELAXED),
    "max": _bound("max", "range", Is.BOUND_TIGHTENED, Is.BOUND_RELAXED),
    "min_length": _bound("min_length", "length", Is.LENGTH_TIGHTENED, Is.LENGTH_RELAXED),
    "max_length": _bound("max_length", "length", Is.LENGTH_TIGHTENED, Is.LENGTH_RELAXED),
    "not_blank": _not_blank,
    "trimmed": _trimmed,
    "allow_nan": _allow_nan,
    "unit": _unit,
    "classification": _classification,
    "semantics": _semantics,
    "description": _description,
    "renamed_from": _renamed_from,
    "sunset": _sunset,
    "severity": _severity,
}
"""One for each attribute of a field but its name."""
