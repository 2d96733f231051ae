"""Do the types in a group rule fit together? Judged from the contract's own types, inside of aggregates and between them."""

from collections.abc import Iterator, Mapping

from contract_core.contract.group_sql import Aggregate, GroupExpression
from contract_core.contract.row_sql import RowSqlError
from contract_core.contract.row_sql_language import refused
from contract_core.contract.row_sql_types import ANYTHING, NUMERIC, OPAQUE, cast_hint, check_types, family_of

_GIVES = {"count": "integer", "distinct": "integer", "avg": "number", "all": "boolean", "any": "boolean"}


def check_group_types(expression: GroupExpression, families: Mapping[str, str]) -> Iterator[RowSqlError]:
    """Every place where types do not fit; `families` gives the family of each column of a row."""
    outside = dict(families)
    for name, aggregate in expression.aggregates.items():
        found = "null"
        if aggregate.value is not None:
            found, problems = family_of(aggregate.value.tree, families)
            problems = problems or tuple(_unfit(aggregate, found))
            yield from problems
            found = "unknown" if problems else found
        if aggregate.where is not None:
            yield from check_types(aggregate.where, families)
        outside[name] = _GIVES.get(aggregate.kind, found)
    yield from check_types(expression.outer, outside)


def _unfit(aggregate: Aggregate, found: str) -> Iterator[RowSqlError]:
    """What is wrong with aggregating values of this family."""
    match aggregate.kind:
        case "sum" | "avg" if found not in ANYTHING | NUMERIC:
            hint = cast_hint(found, "number") or "count such values, or compare them: COUNT(…), MIN(…), MAX(…)"
            yield refused(f"{found} stands where a number is needed", hint, aggregate.tree)
        case "all" | "any" if found not in ANYTHING | {"boolean"}:
            hint = "compare it: column > 0, column = 'text'"
            yield refused(f"{found} stands where boolean is needed", hint, aggregate.tree)
        case "min" | "max" | "distinct" if found in OPAQUE:
            yield refused(f"{found} cannot be compared", "only COUNT(…) is known for it", aggregate.tree)
        case _:
            return
