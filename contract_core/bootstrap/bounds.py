"""Bounds that a value must not reach. A contract's own bounds are reached, so whole numbers move by one and others become a row rule."""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from contract_core.bootstrap.draft import FieldDraft
from contract_core.contract.logical_type import Family, LogicalType


def above(item: FieldDraft, bound: Any) -> tuple[FieldDraft, list[dict[str, Any]]]:  # noqa: ANN401 - a number of another language
    """The field whose values are above the bound, and the row rule that says it where the field cannot."""
    if _is_whole(item, bound):
        return item.having(min=int(bound) + 1), []
    return item, [_rule(item, ">", bound)]


def below(item: FieldDraft, bound: Any) -> tuple[FieldDraft, list[dict[str, Any]]]:  # noqa: ANN401 - a number of another language
    """The field whose values are below the bound, and the row rule that says it where the field cannot."""
    if _is_whole(item, bound):
        return item.having(max=int(bound) - 1), []
    return item, [_rule(item, "<", bound)]


def _is_whole(item: FieldDraft, bound: Any) -> bool:  # noqa: ANN401 - a number of another language
    is_integer = LogicalType.parse(str(item.terms["type"])).family is Family.INTEGER
    return is_integer and isinstance(bound, int | Decimal) and not isinstance(bound, bool) and bound == int(bound)


def none_of(item: FieldDraft, values: Sequence[Any]) -> tuple[FieldDraft, list[dict[str, Any]]]:
    """The field, and the row rule that it is none of these values."""
    quoted, name = _quoted(item)
    listed = ", ".join(map(_literal, values))
    return item, [{"name": f"{name}_not", "sql": f"{quoted} NOT IN ({listed})", "on_null": "keep"}]


def _rule(item: FieldDraft, sign: str, bound: Any) -> dict[str, Any]:  # noqa: ANN401 - a number of another language
    quoted, name = _quoted(item)
    word = "above" if sign == ">" else "below"
    return {"name": f"{name}_{word}", "sql": f"{quoted} {sign} {_literal(bound)}", "on_null": "keep"}


def _quoted(item: FieldDraft) -> tuple[str, str]:
    """The field's name as SQL reads it, and as a part of a rule's name."""
    written = item.name.replace('"', '""')
    return f'"{written}"', re.sub(r"[^A-Za-z0-9_]+", "_", item.name)


def _literal(value: Any) -> str:  # noqa: ANN401 - a value of another language
    """The value in SQL; what has no literal there makes no condition, and the contract's own checks refuse it."""
    match value:
        case str():
            return "'" + value.replace("'", "''") + "'"
        case Decimal():
            return f"{value:f}"
        case date() if type(value) is date:
            return f"DATE '{value}'"
        case _:
            return str(value)
