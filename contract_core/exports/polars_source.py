"""A contract as Python source of a `polars.Schema`: the names and the types that text is decoded to."""

import polars as pl

from contract_core.candidate.physical_types import decoded_dtype
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field
from contract_core.exports.exported import Exported
from contract_core.exports.left_out import sentences
from contract_core.exports.source_text import Bracket, call, heading, laid_out, text_literal
from contract_core.validation.obligations import Obligation

_CARRIED = frozenset[str]()
_NESTED = (Family.OBJECT, Family.ARRAY)


def polars_source(contract: Contract) -> Exported:
    """A module with the schema as `SCHEMA`, in the contract's order."""
    entries = [
        f"{text_literal(field.name)}: {dtype_source(decoded_dtype(field.type))}"
        for field in contract.fields
        if has_one_dtype(field, contract)
    ]
    schema = laid_out("SCHEMA = ", call("pl.Schema", Bracket("{", tuple(entries), "}")))
    text = f"{heading(contract, 'polars')}\nimport polars as pl\n\n{schema}\n"
    return Exported(text, sentences(contract, _why, _CARRIED, partly_typed(contract)))


def dtype_source(dtype: pl.DataType) -> str:
    """The type as an expression; `pl` is Polars."""
    match dtype:
        case pl.Decimal():
            return f"pl.Decimal({dtype.precision}, {dtype.scale})"
        case pl.Datetime(time_zone=None):
            return f'pl.Datetime("{dtype.time_unit}")'
        case pl.Datetime():
            return f'pl.Datetime("{dtype.time_unit}", {text_literal(str(dtype.time_zone))})'
        case pl.Duration():
            return f'pl.Duration("{dtype.time_unit}")'
        case _:
            return f"pl.{type(dtype).__name__}()"


def has_one_dtype(field: Field, contract: Contract) -> bool:
    """False for an object or array that is no text, whose inner types only each delivery knows."""
    return contract.delivery.format.is_text or field.type.family not in _NESTED


def partly_typed(contract: Contract) -> list[tuple[str, str]]:
    """The fields for which one Polars type says more, or less, than the contract does."""
    return [(f"{field.name}.type", why) for field in contract.fields if (why := _why_partly(field, contract))]


def _why_partly(field: Field, contract: Contract) -> str:
    if not has_one_dtype(field, contract):
        return "its inner types are not known"
    if contract.delivery.format.is_text:
        return "it stands as its JSON text, as it is decoded" if field.type.family in _NESTED else ""
    has_others = field.type.family in (Family.STRING, Family.INTEGER, Family.NUMBER, Family.TIMESTAMP, Family.DURATION)
    return (
        "a family takes other types too, and here one stands for them" if has_others and not field.type.is_exact else ""
    )


def _why(obligation: Obligation) -> str:
    return "" if obligation.rule == "type" else "a Polars schema holds names and types alone"
