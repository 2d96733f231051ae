"""The producer's own words about a delivery, in the envelope or in the manifest: strictly read, nothing repaired.

What is declared wrongly becomes a problem under the rule that it breaks; texts name keys and positions, never values.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from contract_core.candidate.facts import Declaration, DeliveryProblem
from contract_core.candidate.json_text import WholeNumber

_CONTRACT = re.compile(r"([^/@]+)(?:[/@]([^/@]+))?")


def unknown_keys(stated: Mapping[str, Any], known: Collection[str], where: str) -> list[DeliveryProblem]:
    """Keys that nobody knows, by position: their names come from the producer."""
    positions = [place for place, key in enumerate(stated, start=1) if key not in known]
    hint = ", ".join(sorted(known))
    return [DeliveryProblem("contract", f"{where}: key {place} is not known; known are {hint}") for place in positions]


def declared_text(
    stated: Mapping[str, Any], key: str, rule: str, where: str
) -> tuple[str | None, list[DeliveryProblem]]:
    """A text that may be absent; anything but text is a problem."""
    value = stated.get(key)
    if type(value) is str and value:
        return value, []
    return None, [DeliveryProblem(rule, f"{where}: '{key}' is no text")] if key in stated else []


def declared_contract(stated: Mapping[str, Any], where: str) -> tuple[str | None, str | None, list[DeliveryProblem]]:
    """Name and version out of `name`, `name/v1` or `name@1.2`, both as written."""
    text, problems = declared_text(stated, "contract", "contract", where)
    match = _CONTRACT.fullmatch(text) if text else None
    if text and not match:
        problems.append(DeliveryProblem("contract", f"{where}: 'contract' is neither a name nor a name with a version"))
    return (match[1], match[2], problems) if match else (None, None, problems)


def declared_complete(stated: Mapping[str, Any]) -> tuple[bool | None, tuple[str, ...]]:
    """True or false where the producer says literally that; anything else is a problem, never a yes."""
    if "complete" not in stated:
        return None, ("does not say whether it is complete",)
    value = stated["complete"]
    return (value, ()) if type(value) is bool else (None, ("'complete' is neither true nor false",))


def declared_count(stated: Mapping[str, Any]) -> tuple[int | None, tuple[str, ...]]:
    """The number of rows a part is said to have."""
    if "rows" not in stated:
        return None, ()
    value = stated["rows"]
    is_count = type(value) is WholeNumber and len(value) < 19 and not value.startswith("-")  # fits 64 bits
    return (int(value), ()) if is_count else (None, ("'rows' is no count",))


def merged(first: Declaration, second: Declaration) -> Declaration:
    """Two declarations of one delivery; where both speak they must agree."""
    problems = [*first.problems, *second.problems]
    agreed: dict[str, str | None] = {}
    for name, rule in (("contract", "contract"), ("version", "contract"), ("partition", "partition"), ("unit", "unit")):
        one, other = getattr(first, name), getattr(second, name)
        agreed[name] = one if one is not None else other
        if one is not None and other is not None and one != other:
            problems.append(DeliveryProblem(rule, f"'{name}' is declared twice, and differently"))
    return Declaration(**agreed, parts=(*first.parts, *second.parts), problems=tuple(problems))
