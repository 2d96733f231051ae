"""A contract as Python source of a pandera `DataFrameModel`: columns, types, and one named check for each rule of a field.

The gate's own expressions stand in `pandera_schema`, conditions in SQL among them; here is what can be read and kept.
"""

from contract_core.candidate.physical_types import decoded_dtype
from contract_core.contract.model import Contract, Field
from contract_core.contract.promises import Severity
from contract_core.exports.exported import Exported
from contract_core.exports.left_out import BESIDE_THE_ROW, DELIVERY_RULES, WHOLE_DELIVERY, sentences
from contract_core.exports.pandera_checks import VALUE, ValuePromise, condition
from contract_core.exports.polars_source import dtype_source, has_one_dtype, partly_typed
from contract_core.exports.source_text import (
    Bracket,
    Code,
    call,
    class_name,
    heading,
    laid_out,
    listed,
    names_in,
    python_names,
    text_literal,
)
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.promise_kinds import NoDuplicateRows, NotNull, UniqueKey

RESERVED = frozenset(
    {"Config", "build_schema_", "classmethod", "empty", "example", "from_json", "from_yaml",
     "get_metadata", "pa", "pl", "pydantic_validate", "strategy", "to_json", "to_json_schema", "to_schema", "to_yaml",
     "typing", "validate"}
)  # fmt: skip
"""What the body of a model uses, and what every pandera model has of its own."""
_MODULES = ("datetime", "typing")
_CARRIED = frozenset({"fields.description", "fields.semantics"})
_KEPT = '''

def _kept(data: pa.PolarsData, holds: pl.Expr) -> pl.LazyFrame:
    """A verdict for each row; a missing value is judged by the check for nulls alone."""
    return data.lazyframe.select(holds.fill_null(value=True))
'''
_STEPS = '''

def _steps(data: pa.PolarsData) -> pl.Expr:
    """The values counted in the smallest steps of their type: decimals, moments since 1970."""
    return pl.col(data.key).to_physical()
'''
_ONCE = '''

def _once(data: pa.PolarsData, columns: list[str]) -> pl.LazyFrame:
    """A verdict for each row: no other has the same values in the columns that are there."""
    there = data.lazyframe.collect_schema().names()
    compared = [name for name in columns if name in there]
    return data.lazyframe.select(pl.len().over(compared or pl.lit(0)) == 1)
'''
_HELPERS = {"_kept": _KEPT, "_steps": _STEPS, "_once": _ONCE}


def pandera_source(contract: Contract) -> Exported:
    """A module with one model, named after the contract; a field whose name Python does not take has an alias."""
    checked = [item for item in obligations_of(contract) if not _why(item) and not _is_pandera_s_own(item)]
    names = python_names([*contract.field_names, *map(_check_name, checked)], RESERVED)
    columns = "".join(f"{_column(names[field.name], field, contract)}\n" for field in contract.fields)
    checks = "".join(f"\n{_check(names[_check_name(item)], item, contract)}\n" for item in checked)
    body = f"{columns}\n{_config(contract)}{checks}"
    used = names_in(body)
    helpers = "".join(source for name, source in _HELPERS.items() if name in used)
    standard = "".join(f"import {module}\n" for module in _MODULES if module in used)
    blank = "\n" if standard else ""
    text = (
        f"{heading(contract, 'pandera')}\n{standard}{blank}"
        f"import pandera.polars as pa\nimport polars as pl\n{helpers}\n\n"
        f"class {class_name(contract, 'Table')}(pa.DataFrameModel):\n"
        f'    """The rows of {contract.name} {contract.version}."""\n\n{body}'
    )
    return Exported(text, sentences(contract, _why, _CARRIED, partly_typed(contract)))


def _is_pandera_s_own(obligation: Obligation) -> bool:
    """What pandera judges without a check: which columns there are, and of which type."""
    return obligation.rule in ("extra_field", "missing", "type")


def _why(obligation: Obligation) -> str:
    if obligation.rule in DELIVERY_RULES:
        return WHOLE_DELIVERY
    if obligation.id == "key.published":
        return "a frame does not know what is published"
    if obligation.rule in BESIDE_THE_ROW:
        return BESIDE_THE_ROW[obligation.rule]
    if obligation.rule == "row_rule":
        return "a condition in SQL is judged by contract_core.pandera_schema, not by this source"
    if isinstance(obligation.promise, UniqueKey) and obligation.promise.where is not None:
        return "a condition in SQL is judged by the gate alone"
    return ""


def _check_name(obligation: Obligation) -> str:
    """What the method of a check is named after; no field has a name with a line feed."""
    return f"check\n{obligation.id}"


def _column(name: str, field: Field, contract: Contract) -> str:
    arguments: dict[str, Code] = {"nullable": "True"}  # a check of our own judges nulls: pandera 0.35 takes NaN for one
    if name != field.name:
        arguments["alias"] = text_literal(field.name)
    words = "\n".join(text for text in (field.description, field.semantics) if text)
    if words:
        arguments["description"] = text_literal(words)
    return laid_out(f"{name}: {_annotation(field, contract)} = ", call("pa.Field", **arguments), indent=4)


def _annotation(field: Field, contract: Contract) -> str:
    kind, arguments = _dtype_parts(field, contract)
    annotated = f"typing.Annotated[{kind}, {', '.join(arguments)}]" if arguments else kind
    return annotated if field.required else f"typing.Optional[{annotated}]"


def _dtype_parts(field: Field, contract: Contract) -> tuple[str, tuple[str, ...]]:
    """The class of a Polars type and what it is made with."""
    if not has_one_dtype(field, contract):
        return {"object": "pl.Struct", "array": "pl.List"}[field.type.family.value], ()
    kind, _, written = dtype_source(decoded_dtype(field.type)).removesuffix(")").partition("(")
    arguments = tuple(written.split(", ")) if written else ()
    if kind == "pl.Datetime" and len(arguments) == 1:  # pandera 0.35 wants every argument of a type
        return kind, (*arguments, "None")
    return kind, arguments


def _config(contract: Contract) -> str:
    strict = contract.extra_fields == "reject"
    return (
        "    class Config:\n"
        f'        """Which columns may be there besides."""\n\n'
        f"        name = {text_literal(contract.name)}\n        strict = {strict}\n        coerce = False\n"
    )


def _check(name: str, obligation: Obligation, contract: Contract) -> str:
    promise = obligation.promise
    arguments: dict[str, Code] = {"name": text_literal(obligation.id)}
    if obligation.severity is Severity.WARN:
        arguments["raise_warning"] = "True"
    if isinstance(promise, UniqueKey | NoDuplicateRows):
        decorator = call("pa.dataframe_check", **arguments)
        compared = promise.columns if isinstance(promise, UniqueKey) else contract.field_names
        verdict: Code = call("_once", "data", listed(map(text_literal, compared)))
    else:
        assert obligation.field is not None, "every other check is about one field"
        decorator = call("pa.check", text_literal(obligation.field), **arguments)
        verdict = _verdict(obligation, contract.field(obligation.field))
    signature = Bracket(f"def {name}(", ("cls", "data: pa.PolarsData"), ")")
    lines = (
        laid_out("@", decorator, indent=4),
        "    @classmethod",
        laid_out("", signature, " -> pl.LazyFrame:", indent=4),
        laid_out("return ", verdict, indent=8),
    )
    return "\n".join(lines)


def _verdict(obligation: Obligation, field: Field) -> Code:
    promise = obligation.promise
    if isinstance(promise, NotNull):
        return f"data.lazyframe.select({VALUE}.is_not_null())"
    assert isinstance(promise, ValuePromise), "no other rule is about the value of one field"
    return call("_kept", "data", condition(promise, field))
