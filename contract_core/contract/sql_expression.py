"""What a rule in SQL is once it was read, and that it could not be. Loads nothing that reads SQL, so that naming a rule costs nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

MAX_DIGITS = 38
"""As many as a number in a rule may have."""


class RowSqlError(ValueError):
    """A row rule cannot be used: what is wrong, what to write instead, and where in its text (from 1, if known)."""

    def __init__(self, what: str, hint: str = "", line: int | None = None, column: int | None = None) -> None:
        super().__init__(f"{what}\n    {hint}" if hint else what)
        self.what, self.hint, self.line, self.column = what, hint, line, column


@dataclass(frozen=True, slots=True)
class RowExpression:
    """A row rule that may be used. Two of them are equal when they differ in nothing but layout and quoting.

    `columns` are the names in order of first use, a qualified one as `previous.x`; `canonical` is DuckDB SQL. Nobody changes
    the tree: it is shared by all who ask for the same text.
    """

    canonical: str
    columns: tuple[str, ...]
    tree: "exp.Expr" = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number or value of a group: `kind` is count, distinct, sum, min, max, avg, all or any.

    `value` is what is aggregated in each row, None for COUNT(*); `where` says among which rows, None for all. `tree` is the
    whole of it, so that a problem can be told with its place.
    """

    kind: str
    value: RowExpression | None
    where: RowExpression | None
    tree: "exp.Expr" = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GroupExpression:
    """A group rule that may be used. Two of them are equal when they differ in nothing but layout and quoting.

    `columns` are the names in order of first use, inside and outside of aggregates. `outer` is the condition with a column in
    place of each aggregate, which `aggregates` lists by the name of that column; it asks nothing else of a group but its key.
    """

    canonical: str
    columns: tuple[str, ...]
    outer: RowExpression = field(compare=False, repr=False)
    aggregates: Mapping[str, Aggregate] = field(compare=False, repr=False)
    tree: "exp.Expr" = field(compare=False, repr=False)
