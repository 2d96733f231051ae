"""A pandera schema of Polars frames, named as `module:object`, → a contract. Importing the module runs its code.

Checks are read by their name and their numbers; what a check does inside cannot be read, so one of unknown name is named and left.
"""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandera.polars as pa
import polars as pl

from contract_core.bootstrap.draft import Draft, FieldDraft
from contract_core.bootstrap.imported import Imported, as_imported, new_draft, with_fields
from contract_core.bootstrap.names import declarable
from contract_core.bootstrap.pandera_checks import with_check
from contract_core.bootstrap.physical_fields import language_type
from contract_core.contract.model import NAME
from contract_core.errors import Problem, WrongUsageError

_FAILURES = (
    ImportError, SyntaxError, NameError, AttributeError, TypeError, ValueError, LookupError, ArithmeticError, RuntimeError, OSError,
)  # fmt: skip


_NOTHING = object()


def read_pandera(reference: str, name: str | None, folder: Path, fallback: str = "") -> Imported:
    """The contract of the schema that `reference` names, looked for in `folder` too. Raises WrongUsageError where there is none.

    It is called `name`, else as the schema calls itself, else `fallback`.
    """
    schema = _schema(reference, folder)
    own = schema.name if isinstance(schema.name, str) and NAME.fullmatch(schema.name) else fallback
    name = own if name is None else name
    columns = {key: column for key, column in schema.columns.items() if not column.regex}
    names, told = declarable(tuple(columns))
    draft = new_draft(name, "parquet").telling(*told)
    if len(columns) < len(schema.columns):
        draft = draft.telling(
            "columns that a pattern of names stands for are left out: a contract names each of its fields"
        )
    if told or len(columns) < len(schema.columns) or schema.strict is not True:
        draft = draft.having(extra_fields="ignore")
    if schema.description and schema.description.strip():
        draft = draft.having(description=schema.description)
    draft = draft.telling(*_about_whole(schema))
    return as_imported(_with_columns(draft, {key: columns[key] for key in names}, schema))


def _schema(reference: str, folder: Path) -> pa.DataFrameSchema:
    module, _, path = reference.partition(":")
    if not module or not path:
        raise _refused(reference, "names no schema", "write module:object, for example shop.schemas:Orders")
    before = list(sys.path)
    sys.path.insert(0, str(folder))
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part, _NOTHING)
        is_model = isinstance(found, type) and issubclass(found, pa.DataFrameModel)
        schema = found.to_schema() if is_model else found
    except _FAILURES as error:
        what = f"cannot be imported: {type(error).__name__}"
        raise _refused(reference, what, "make its module importable from the current folder") from None
    finally:
        sys.path[:] = before
    if schema is _NOTHING:
        raise _refused(reference, f"'{module}' has no '{path}'", "name a schema that stands in the module")
    if not isinstance(schema, pa.DataFrameSchema) or not schema.columns:
        hint = "name a DataFrameModel or a DataFrameSchema of pandera.polars"
        raise _refused(reference, "is no schema with columns", hint)
    return schema


def _about_whole(schema: pa.DataFrameSchema) -> Iterator[str]:
    """What is said of the frame as a whole and has no place in a contract."""
    yield from (
        f"check `{check.name or check.error or 'unnamed'}` of the frame: what it does cannot be read"
        for check in schema.checks
    )
    asked = {
        "coerce": schema.coerce,
        "parsers": schema.parsers,
        "ordered": schema.ordered,
        "drop_invalid_rows": schema.drop_invalid_rows,
        "add_missing_columns": schema.add_missing_columns,
    }
    yield from (f"`{word}`: {_WHY[word]}" for word, is_asked in asked.items() if is_asked)


_WHY = {
    "coerce": "a contract converts nothing; a column has its type or breaks it",
    "parsers": "a contract changes no value before it judges",
    "ordered": "a contract does not promise the order of delivered columns",
    "drop_invalid_rows": "rows are kept apart by enforcement, which the owners decide",
    "add_missing_columns": "a contract fills nothing in",
}


def _with_columns(draft: Draft, columns: dict[str, pa.Column], schema: pa.DataFrameSchema) -> Draft:
    fields: list[FieldDraft] = []
    rules: list[dict[str, Any]] = []
    for key, column in columns.items():
        written, reason = _type(column)
        draft = draft.telling(f"`{key}`: {reason}") if reason else draft
        if written is None:
            draft = draft.having(extra_fields="ignore")
            continue
        item = _plain(FieldDraft(key, {"type": written}), column)
        for check in column.checks:
            item, own, told = with_check(item, check)
            rules += own
            draft = draft.telling(*told)
        fields.append(item)
        draft = draft.telling(*_about_column(key, column))
    if not fields:
        raise _refused(draft.terms["contract"], "has no column that a contract could declare", "give its columns types")
    return _unique(with_fields(draft.having(rules=rules) if rules else draft, tuple(fields)), columns, schema)


def _type(column: pa.Column) -> tuple[str | None, str]:
    stated = getattr(column.dtype, "type", None)
    if stated is None:
        return None, "is left out: it has no type"
    return language_type(stated() if isinstance(stated, type) and issubclass(stated, pl.DataType) else stated)


def _plain(item: FieldDraft, column: pa.Column) -> FieldDraft:
    item = item if column.required else item.having(required=False)
    item = item.having(nullable=True) if column.nullable else item
    words = column.description or column.title
    return item.having(description=words) if words and words.strip() else item


def _about_column(key: str, column: pa.Column) -> Iterator[str]:
    asked = {"coerce": column.coerce, "parsers": column.parsers}
    yield from (f"`{key}.{word}`: {_WHY[word]}" for word, is_asked in asked.items() if is_asked)
    if column.default is not None:
        yield f"`{key}.default`: a contract fills nothing in"


def _unique(draft: Draft, columns: dict[str, pa.Column], schema: pa.DataFrameSchema) -> Draft:
    """Uniqueness of the frame is the key, where all of its fields are there; that of a column is a rule of its own."""
    declared = {item.name: item for item in draft.fields}
    rules = [
        {"name": f"{key}_unique", "fields": [key]}
        for key, column in columns.items()
        if column.unique and key in declared
    ]
    draft = draft.having(unique=rules) if rules else draft
    named = [schema.unique] if isinstance(schema.unique, str) else list(schema.unique or ())
    if not named:
        return draft
    if all(name in declared and declared[name].terms.get("required", True) for name in named):
        return draft.having(key=named)
    return draft.telling("`unique` of the frame: names a column that is optional or left out")


def _refused(where: str, what: str, hint: str) -> WrongUsageError:
    return WrongUsageError(Problem(where, what, hint))
