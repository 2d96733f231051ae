"""One check of a pandera column → rules of the field or row rules, by the check's name; others are named and left."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from pandera.polars import Check

from contract_core.bootstrap.bounds import above, below, none_of
from contract_core.bootstrap.draft import FieldDraft
from contract_core.bootstrap.patterns import whole_pattern

Ruled = tuple[FieldDraft, list[dict[str, Any]]]
_WARNED = {
    "min": "range",
    "max": "range",
    "enum": "enum",
    "pattern": "pattern",
    "min_length": "length",
    "max_length": "length",
}


def with_check(item: FieldDraft, check: Check) -> tuple[FieldDraft, list[dict[str, Any]], tuple[str, ...]]:
    """The field with the check's rules, row rules beside it, and a sentence where the check is not taken over."""
    name = str(check.name or check.error or "unnamed")
    make = _CHECKS.get(str(check.name))
    if make is None:
        return item, [], (f"`{item.name}`: check `{name}` is not taken over: what it does cannot be read",)
    ruled, rules = make(item, {key: _exact(value) for key, value in (check.statistics or {}).items()})
    added = [rule for rule in ruled.terms if ruled.terms.get(rule) != item.terms.get(rule)]
    if any(rule in item.terms for rule in added):
        return item, [], (f"`{item.name}`: check `{name}` is not taken over: another check states the same rule",)
    if check.raise_warning:
        weights = {**ruled.terms.get("severity", {}), **{_WARNED[rule]: "warn" for rule in added}}
        ruled = ruled.having(severity=weights) if weights else ruled
        rules = [{**rule, "severity": "warn"} for rule in rules]
    return ruled, rules, ()


def _exact(value: Any) -> Any:  # noqa: ANN401 - any number of a check
    """A float as the decimal that it is written as; everything else as it is."""
    if isinstance(value, list | tuple):
        return [_exact(item) for item in value]
    return Decimal(repr(value)) if isinstance(value, float) else value


def _between(item: FieldDraft, stated: Mapping[str, Any]) -> Ruled:
    low, high = stated["min_value"], stated["max_value"]
    rules: list[dict[str, Any]] = []
    if stated.get("include_min", True):
        item = item.having(min=low)
    else:
        item, rules = above(item, low)
    if stated.get("include_max", True):
        return item.having(max=high), rules
    item, more = below(item, high)
    return item, [*rules, *more]


def _length(item: FieldDraft, stated: Mapping[str, Any]) -> Ruled:
    exact = stated.get("exact_value")
    low = stated.get("min_value") if exact is None else exact
    high = stated.get("max_value") if exact is None else exact
    item = item if low is None else item.having(min_length=low)
    return (item if high is None else item.having(max_length=high)), []


def _pattern(make: Callable[[Mapping[str, Any]], str]) -> Callable[[FieldDraft, Mapping[str, Any]], Ruled]:
    return lambda item, stated: (item.having(pattern=make(stated)), [])


def _matching(stated: Mapping[str, Any]) -> str:
    """Pandera matches from the start of the value on, and not to its end."""
    pattern = str(stated["pattern"])
    return whole_pattern(pattern if pattern.startswith("^") else f"^(?:{pattern})")


def _text(stated: Mapping[str, Any]) -> str:
    return re.escape(str(stated["string"]))


_CHECKS: dict[str, Callable[[FieldDraft, Mapping[str, Any]], Ruled]] = {
    "greater_than_or_equal_to": lambda item, stated: (item.having(min=stated["min_value"]), []),
    "less_than_or_equal_to": lambda item, stated: (item.having(max=stated["max_value"]), []),
    "greater_than": lambda item, stated: above(item, stated["min_value"]),
    "less_than": lambda item, stated: below(item, stated["max_value"]),
    "in_range": _between,
    "isin": lambda item, stated: (item.having(enum=tuple(stated["allowed_values"])), []),
    "equal_to": lambda item, stated: (item.having(enum=(stated["value"],)), []),
    "not_equal_to": lambda item, stated: none_of(item, [stated["value"]]),
    "notin": lambda item, stated: none_of(item, stated["forbidden_values"]),
    "str_length": _length,
    "str_matches": _pattern(_matching),
    "str_contains": _pattern(lambda stated: whole_pattern(str(stated["pattern"]))),
    "str_startswith": _pattern(lambda stated: f"{_text(stated)}(?s:.*)"),
    "str_endswith": _pattern(lambda stated: f"(?s:.*){_text(stated)}"),
}
