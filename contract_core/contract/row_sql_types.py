"""Do the types in a row rule fit together? Judged from the contract's own types, before any row is read.

Nothing is converted on the way: text is no number, a boolean no integer, a date no timestamp. Integers and numbers mix.
"""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from sqlglot import exp

from contract_core.contract.row_sql import column_key
from contract_core.contract.row_sql_language import (
    ARITHMETIC,
    CAST_TARGETS,
    COMPARISONS,
    is_literal,
    is_timestamp,
    literal_value,
    refused,
)
from contract_core.contract.sql_expression import RowExpression, RowSqlError

NUMERIC = frozenset({"integer", "number"})
ANYTHING = frozenset({"null", "unknown"})  # NULL, and whatever another problem has already been told about
OPAQUE = frozenset({"object", "array"})
_CASTS: Mapping[str, frozenset[str]] = {
    "integer": frozenset({"integer", "number", "string", "boolean"}),
    "number": frozenset({"integer", "number", "string"}),
    "date": frozenset({"date", "timestamp", "string"}),
    "string": frozenset({"string", "integer", "boolean", "date"}),
}
_DAY_PARTS = frozenset({"YEAR", "MONTH", "DAY", "DOW"})


def check_types(expression: RowExpression, families: Mapping[str, str]) -> Iterator[RowSqlError]:
    """Every place where types do not fit; `families` gives each column's family, `previous.x` for a qualified one."""
    reader = _Reader(families)
    top = reader.family(expression.tree)
    yield from reader.problems
    if top not in ANYTHING | {"boolean"}:
        yield refused(f"the rule gives {top}, not true or false", "compare it with something", expression.tree)


def family_of(tree: exp.Expr, families: Mapping[str, str]) -> tuple[str, tuple[RowSqlError, ...]]:
    """The family of the values that a tree gives, and every place in it where types do not fit."""
    reader = _Reader(families)
    return reader.family(tree), tuple(reader.problems)


def cast_hint(found: str, wanted: str) -> str:
    """How a value of one family is cast to another; empty where it is not."""
    names = {"string": "VARCHAR", "number": "DOUBLE"}
    return f"write CAST(… AS {names[wanted]})" if wanted in names and found in _CASTS[wanted] else ""


class _Reader:
    """Walks one tree from the leaves and collects what does not fit."""

    def __init__(self, families: Mapping[str, str]) -> None:
        self.families = families
        self.problems: list[RowSqlError] = []

    def family(self, node: exp.Expr) -> str:
        """The family of the values that this node gives."""
        return _literal_family(node) if is_literal(node) else _READERS[type(node)](self, node)

    def inner(self, node: exp.Expr) -> str:
        return self.family(node.this)

    def condition(self, node: exp.Expr) -> str:
        parts = list(node.flatten(unnest=False)) if isinstance(node, exp.And | exp.Or) else [node.this]
        return self._all_of(parts, "boolean", "boolean")

    def is_test(self, node: exp.Is) -> str:
        if isinstance(node.expression, exp.Null):
            self.family(node.this)
            return "boolean"
        return self.condition(node)

    def joined(self, node: exp.Concat | exp.DPipe) -> str:
        parts = node.expressions if isinstance(node, exp.Concat) else [node.this, node.expression]
        return self._all_of(parts, "string", "string")

    def text_test(self, node: exp.Expr) -> str:
        return self._all_of([node.this, node.expression], "string", "boolean")

    def text(self, node: exp.Expr) -> str:
        return self._all_of([node.this], "string", "integer" if isinstance(node, exp.Length) else "string")

    def choice(self, node: exp.Expr) -> str:
        return self._common([node.this, *([node.expression] if isinstance(node, exp.Nullif) else node.expressions)])

    def column(self, node: exp.Column) -> str:
        key = column_key(node)
        if key not in self.families:
            near = get_close_matches(key, self.families, n=1)
            known = f"columns: {', '.join(sorted(self.families))}"
            self._tell(f"there is no column '{key}'", f"did you mean '{near[0]}'? {known}" if near else known, node)
        return self.families.get(key, "unknown")

    def _all_of(self, nodes: list[exp.Expr], wanted: str, given: str) -> str:
        for node in nodes:
            found = self.family(node)
            if found not in ANYTHING | {wanted}:
                hint = "compare it: column > 0, column = 'text'" if wanted == "boolean" else cast_hint(found, wanted)
                self._tell(f"{found} stands where {wanted} is needed", hint, node)
        return given

    def number(self, node: exp.Expr) -> str:
        found = self.family(node.this)
        if found not in ANYTHING | NUMERIC:
            self._tell(f"{found} stands where a number is needed", cast_hint(found, "number"), node.this)
            return "unknown"
        return found

    def arithmetic(self, node: exp.Expr) -> str:
        left, right = self.family(node.this), self.family(node.expression)
        if left == "date" and isinstance(node, exp.Add | exp.Sub) and right in {"integer"} | ANYTHING:
            return "date"
        if left == right == "date" and isinstance(node, exp.Sub):
            return "integer"
        for side, found in ((node.this, left), (node.expression, right)):
            if found not in ANYTHING | NUMERIC:
                hint = "dates: date - date, date + whole days; others: compare them" if "date" in (left, right) else ""
                self._tell(f"{found} cannot be calculated with", hint or cast_hint(found, "number"), side)
                return "unknown"
            if isinstance(node, exp.Mod) and found == "number":
                self._tell("% takes integers only", "write CAST(column AS BIGINT)", side)
        return "number" if isinstance(node, exp.Div) or "number" in (left, right) else "integer"

    def comparison(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Between):
            others = [node.args["low"], node.args["high"]]
        else:
            others = node.expressions if isinstance(node, exp.In) else [node.expression]
        is_plain = not isinstance(node, exp.In | exp.NullSafeEQ | exp.NullSafeNEQ)
        for literal in [node.this, *others] if is_plain else []:
            if isinstance(literal, exp.Null):
                self._tell("a comparison with NULL is never true", "write IS NULL or IS NOT NULL", node)
                return "boolean"
        self._common([node.this, *others])
        return "boolean"

    def case(self, node: exp.Case) -> str:
        conditions = [branch.this for branch in node.args["ifs"]]
        if node.this is None:
            self._all_of(conditions, "boolean", "boolean")
        else:
            self._common([node.this, *conditions])
        default = node.args.get("default")
        return self._common([*(branch.args["true"] for branch in node.args["ifs"]), *([default] if default else [])])

    def _common(self, nodes: list[exp.Expr]) -> str:
        """The family that all nodes share: the first that says one, number where integers and numbers meet."""
        common, first = "null", nodes[0]
        for node in nodes:
            found = self.family(node)
            if found in OPAQUE:
                self._tell(f"{found} cannot be compared", "only IS NULL and IS NOT NULL are known for it", node)
            elif common in ANYTHING:
                common, first = found, node
            elif {common, found} <= NUMERIC:
                common = "number" if "number" in (common, found) else "integer"
            elif found not in ANYTHING | {common}:
                hint = _mix_hint(first, node, common, found)
                self._tell(f"{common} and {found} do not compare", hint, node)
        return common

    def extract(self, node: exp.Extract) -> str:
        found, part = self.family(node.expression), node.name
        fits = {"date", "timestamp"} if part in _DAY_PARTS else {"timestamp", "time"}
        if found not in ANYTHING | fits:
            self._tell(f"{found} has no {part.lower()}", f"it is taken from {' or '.join(sorted(fits))}", node)
        return "integer"

    def cast(self, node: exp.Cast) -> str:
        target = CAST_TARGETS[node.to.this]
        found = self.family(node.this)
        if found not in ANYTHING | _CASTS[target]:
            self._tell(f"{found} is not cast to {target}", f"possible: {', '.join(sorted(_CASTS[target]))}", node)
        return target

    def _tell(self, what: str, hint: str, node: exp.Expr) -> None:
        self.problems.append(refused(what, hint, node))


_READERS: Mapping[type[exp.Expr], Callable[[_Reader, Any], str]] = {
    exp.Column: _Reader.column, exp.Paren: _Reader.inner, exp.Escape: _Reader.inner, exp.Is: _Reader.is_test,
    **dict.fromkeys((exp.And, exp.Or, exp.Not), _Reader.condition),
    **dict.fromkeys((*COMPARISONS, exp.In, exp.Between), _Reader.comparison),
    **dict.fromkeys(ARITHMETIC, _Reader.arithmetic),
    **dict.fromkeys((exp.Neg, exp.Abs, exp.Round, exp.Floor, exp.Ceil), _Reader.number),
    exp.Case: _Reader.case, exp.Extract: _Reader.extract, exp.Cast: _Reader.cast, exp.TryCast: _Reader.cast,
    **dict.fromkeys((exp.Coalesce, exp.Least, exp.Greatest, exp.Nullif), _Reader.choice),
    exp.Concat: _Reader.joined, exp.DPipe: _Reader.joined,
    **dict.fromkeys((exp.Like, exp.StartsWith, exp.EndsWith, exp.RegexpLike), _Reader.text_test),
    **dict.fromkeys((exp.Lower, exp.Upper, exp.Trim, exp.Substring, exp.Length), _Reader.text),
}  # fmt: skip


def _literal_family(node: exp.Expr) -> str:
    match node:
        case exp.Null():
            return "null"
        case exp.Boolean():
            return "boolean"
        case exp.Cast():
            return "timestamp" if is_timestamp(node.to) else "date"
        case _:
            value = literal_value(node)
            return "string" if isinstance(value, str) else "integer" if isinstance(value, int) else "number"


def _mix_hint(first: exp.Expr, second: exp.Expr, common: str, found: str) -> str:
    """What to write instead, in the rule's own words."""
    texts = [node.name for node in (first, second) if isinstance(node, exp.Literal) and node.is_string]
    other = found if common == "string" else common
    if {common, found} == {"date", "timestamp"}:
        return "write CAST(… AS DATE) for the timestamp, or TIMESTAMP '2026-10-01 00:00:00' for the date"
    if "boolean" in (common, found):
        return "write TRUE or FALSE"
    if texts and other in ("date", "timestamp"):
        return f"write {other.upper()} '{texts[0]}'"
    if texts and other in NUMERIC:
        return f"write {texts[0]} without quotes" if texts[0].isdigit() else "write the number without quotes"
    if "string" in (common, found) and other in NUMERIC:
        literal = next((node.sql() for node in (first, second) if is_literal(node)), None)
        return f"write '{literal}' in quotes" if literal else "write CAST(… AS BIGINT) for the text"
    return "cast one of them"
