"""A contract as the SQL of its table in Unity Catalog: the statements for Delta, a key for information, tags, no schema by name.

Databricks reads `${…}` and `{{…}}` in a statement as variables, in texts too; what holds one is left out and named.
"""

import re
from collections.abc import Iterator

from sqlglot import exp

from contract_core.contract.model import Contract, Field
from contract_core.errors import Problem, WrongUsageError
from contract_core.exports.sql_ddl import Table, key_constraints, laid_out, table_in

_DIALECT = "databricks"
_VARIABLE = re.compile(r"\$\{|\{\{")
_READ_OTHERWISE = "Databricks reads a part of it as a variable"
_MAPPED = re.compile(r"[ ,;{}()\n\t=]")
"""Signs that Delta takes in the name of a column only where names are mapped."""
_PLACE = ("USE CATALOG IDENTIFIER(:catalog)", "USE SCHEMA IDENTIFIER(:reporting_schema)")
_TAGS = ("contract", "version", "status", "domain")
_WORDS = ("description", "semantics", "unit")


def table_of(contract: Contract) -> Table:
    """The table without its statements' place. Raises WrongUsageError for a column whose name would be read as a variable."""
    _refuse_variables(contract)
    table = table_in(_readable(contract), "delta", lambda sql: _READ_OTHERWISE if _is_read_otherwise(sql) else "")
    create, *rest = table.statements
    return Table(
        (_with_terms(create, contract), *rest, _tags(contract)), table.why, (*table.partly, *_unread(contract))
    )


def table_sql(table: Table) -> str:
    """The statements as one script, with the catalog and the schema as parameters."""
    written = [*_PLACE, *(laid_out(statement, _DIALECT) for statement in table.statements)]
    return "".join(f"{statement};\n" for statement in written)


def _is_read_otherwise(text: str) -> bool:
    return _VARIABLE.search(text) is not None


def _refuse_variables(contract: Contract) -> None:
    found = [name for name in contract.field_names if _is_read_otherwise(name)]
    if found:
        where = f"contract '{contract.name}' {contract.version}"
        what = f"Databricks reads a part of a name as a variable: {', '.join(map(repr, found))}"
        raise WrongUsageError(Problem(where, what, "give the field a name without ${ and {{"))


def _readable(contract: Contract) -> Contract:
    """The contract without words that would be read as variables; a classification is among the words of its column."""
    words = {name: _kept(getattr(contract, name)) for name in ("description", "grain")}
    return contract.model_copy(update=words | {"fields": tuple(map(_told, contract.fields))})


def _told(field: Field) -> Field:
    words = {name: _kept(getattr(field, name)) for name in _WORDS}
    label = f"Classification: {field.classification}" if field.classification is not None else None
    told = "\n".join(text for text in (words["description"], label) if text)
    return field.model_copy(update=words | {"description": told or None})


def _kept(text: str | None) -> str | None:
    return None if text is None or _is_read_otherwise(text) else text


def _unread(contract: Contract) -> Iterator[tuple[str, str]]:
    for name in ("description", "grain"):
        if getattr(contract, name) != _kept(getattr(contract, name)):
            yield name, _READ_OTHERWISE
    for field in contract.fields:
        for name in _WORDS:
            if getattr(field, name) != _kept(getattr(field, name)):
                yield f"{field.name}.{name}", _READ_OTHERWISE


def _with_terms(create: exp.Expr, contract: Contract) -> exp.Expr:
    """The table with its key, which Databricks is told that nobody enforces there; never RELY, by which it would answer without looking."""
    stated = create.copy()
    stated.this.set("expressions", [*stated.this.expressions, *key_constraints(contract, "delta")])
    if any(_MAPPED.search(name) for name in contract.field_names):
        mapped = exp.Property(this=exp.Literal.string("delta.columnMapping.mode"), value=exp.Literal.string("name"))
        stated.args["properties"].append("expressions", mapped)
    return stated


def _tags(contract: Contract) -> exp.Expr:
    stated = {name: getattr(contract, name) for name in _TAGS}
    pairs = [
        exp.EQ(this=exp.Literal.string(f"contract_gate_{name}"), expression=exp.Literal.string(value))
        for name, value in stated.items()
        if value is not None
    ]
    table = exp.Table(this=exp.to_identifier(contract.name, quoted=True))
    return exp.Alter(this=table, kind="TABLE", actions=[exp.AlterSet(tag=[exp.Tuple(expressions=pairs)])])
