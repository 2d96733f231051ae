"""Group rules written in SQL: a condition over aggregates of one group of rows, from its text to an allowed tree.

Inside and outside of its aggregates a group rule is made of what row rules are made of, and read in the same way.
"""

from collections.abc import Iterable, Mapping

from sqlglot import exp

from contract_core.contract.row_sql import (
    canonical_text,
    check_condition,
    column_key,
    columns_of,
    expression_of,
    read_condition,
    with_one_spelling,
)
from contract_core.contract.row_sql_language import check_node, named, refused
from contract_core.contract.row_sql_shapes import shape_problems
from contract_core.contract.sql_expression import Aggregate, GroupExpression, RowExpression, RowSqlError

_KINDS: Mapping[type[exp.Expr], str] = {
    exp.Count: "count", exp.Sum: "sum", exp.Min: "min", exp.Max: "max", exp.Avg: "avg", exp.LogicalAnd: "all",
    exp.LogicalOr: "any",
}  # fmt: skip
_NAMES = ("AVG", "BOOL_AND", "BOOL_OR", "COUNT", "EVERY", "FILTER (WHERE …)", "MAX", "MIN", "SUM")
_DIALECT_MARKS = frozenset({"this", "big_int"})  # the second: of sqlglot 30, for the type of a count
_PLAIN: Mapping[type[exp.Expr], str] = {exp.LogicalAnd: "BOOL_AND", exp.LogicalOr: "BOOL_OR"}
_PLACEHOLDER = "__aggregate."
_NEVER_BOOLEAN = frozenset({"avg", "count", "distinct", "sum"})


def parse_group_sql(text: str, by: Iterable[str]) -> GroupExpression:
    """The rule that `text` states about groups of rows with the same values in `by`; raises RowSqlError where it is none."""
    frame = exp.Paren(this=read_condition(text))  # whatever is replaced has a parent
    _say_bool_and(frame)
    _check(frame.this, frozenset(by))
    frame.set("this", with_one_spelling(frame.this))
    canonical, columns, tree = group_text(frame.this), columns_of(frame.this), frame.this.copy()
    aggregates = _set_apart(frame)
    outer = frame.this
    outer.parent = None
    if not _is_placeholder(outer.unnest()):
        check_condition(outer)
    elif aggregates[column_key(outer.unnest())].kind in _NEVER_BOOLEAN:
        raise refused("a rule must be true or false", "compare it with something: COUNT(*) > 0", outer)
    return GroupExpression(canonical, columns, expression_of(outer), aggregates, tree)


def group_text(tree: exp.Expr) -> str:
    """The tree in DuckDB SQL; sqlglot 30 would write a cast into BOOL_AND and BOOL_OR, which no rule may contain."""
    frame = exp.Paren(this=tree.copy())
    for node in list(frame.find_all(*_PLAIN)):
        node.replace(exp.Anonymous(this=_PLAIN[type(node)], expressions=[node.this]))
    return canonical_text(frame.this)


def _say_bool_and(frame: exp.Expr) -> None:
    """EVERY(x) becomes BOOL_AND(x), which is the name that DuckDB has for it."""
    for node in list(frame.find_all(exp.Anonymous)):
        if str(node.this).upper() == "EVERY" and len(node.expressions) == 1:
            same = exp.LogicalAnd(this=node.expressions[0])
            same.meta.update(node.meta)
            node.replace(same)


def _is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.Filter) or type(node) in _KINDS


def _is_placeholder(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.name.startswith(_PLACEHOLDER)


def _check(tree: exp.Expr, by: frozenset[str]) -> None:
    count = 0
    for node in tree.walk(bfs=False, prune=_is_aggregate):
        if _is_aggregate(node):
            count += 1
            _check_aggregate(node)
        elif isinstance(node, exp.Column) and column_key(node) not in by and not node.table:
            hint = f"put it inside an aggregate, such as MAX(…); a group has: {', '.join(sorted(by)) or 'nothing of its own'}"
            raise refused(f"'{node.name}' may differ within a group", hint, node)
        else:
            _check_one(node)
    if not count:
        raise refused("the rule has no aggregate", "promises about single rows stand under rules", tree)


def _check_one(node: exp.Expr) -> None:
    check_node(node, _NAMES)
    for problem in shape_problems(node, frozenset()):
        raise problem


def _check_aggregate(node: exp.Expr) -> None:
    call, where = _parts(node)
    if type(call) not in _KINDS:
        raise refused(f"FILTER follows {named(call)}", f"it follows an aggregate: {', '.join(_NAMES)}", node)
    extra = [name for name, value in call.args.items() if value and name not in _DIALECT_MARKS]
    if extra or call.this is None:
        raise refused(f"{_KINDS[type(call)].upper()} takes one value", "write one column or calculation", node)
    value = _value(call)
    if isinstance(value, exp.Distinct):
        hint = "write COUNT(DISTINCT column); for several columns write several rules, or join them as text"
        raise refused("DISTINCT stands in COUNT alone, with one value", hint, node)
    if value is not None:
        _check_inside(value)
    if where is not None:
        _check_inside(where)
        check_condition(where)


def _parts(node: exp.Expr) -> tuple[exp.Expr, exp.Expr | None]:
    """The call, and the condition of its FILTER."""
    return (node.this, node.expression.this) if isinstance(node, exp.Filter) else (node, None)


def _value(call: exp.Expr) -> exp.Expr | None:
    """What is aggregated: None for COUNT(*), and what follows DISTINCT in COUNT(DISTINCT …)."""
    value: exp.Expr = call.this
    if not isinstance(call, exp.Count):
        return value
    if isinstance(value, exp.Star) and not any(value.args.values()):
        return None
    is_one = isinstance(value, exp.Distinct) and len(value.expressions) == 1 and not value.args.get("on")
    return value.expressions[0] if is_one else value


def _check_inside(tree: exp.Expr) -> None:
    for node in tree.walk(bfs=False):
        if _is_aggregate(node):
            hint = "calculate with the columns of a row inside of an aggregate, with aggregates outside"
            raise refused("an aggregate stands inside of another", hint, node)
        _check_one(node)


def _set_apart(frame: exp.Expr) -> dict[str, Aggregate]:
    """The aggregates below `frame`, each by the name of the column that stands in its place from now on."""
    names: dict[str, str] = {}
    found: dict[str, Aggregate] = {}
    for node in [node for node in frame.walk(bfs=False, prune=_is_aggregate) if _is_aggregate(node)]:
        name = names.setdefault(group_text(node), f"{_PLACEHOLDER}{len(names)}")
        column = exp.column(exp.to_identifier(name, quoted=True))
        first = next((part.meta for part in node.walk(bfs=False) if "start" in part.meta), {})
        column.this.meta.update(first)
        node.replace(column)
        node.parent = None
        found.setdefault(name, _aggregate(node))
    return found


def _aggregate(node: exp.Expr) -> Aggregate:
    call, where = _parts(node)
    value, kind = _value(call), "distinct" if isinstance(call.this, exp.Distinct) else _KINDS[type(call)]
    inside = None if value is None else _expression(value)
    return Aggregate(kind, inside, None if where is None else _expression(where), node)


def _expression(tree: exp.Expr) -> RowExpression:
    alone = tree.copy()
    alone.parent = None
    return expression_of(alone)


__all__ = ["Aggregate", "GroupExpression", "RowSqlError", "group_text", "parse_group_sql"]
