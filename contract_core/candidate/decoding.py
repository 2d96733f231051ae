"""The text of a value → its typed value, by Polars expressions: exactly what the type states, else null.

White space is never stripped, nothing is rounded and nothing wraps around. Dates and times have a module of their own.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from contract_core.candidate.json_text import is_json
from contract_core.candidate.physical_types import decoded_dtype, timestamp_dtype
from contract_core.candidate.temporal import decoded_date, decoded_duration, decoded_time, decoded_timestamp
from contract_core.contract.delivery_terms import Format
from contract_core.contract.logical_type import Family, LogicalType
from contract_core.contract.model import Field

_NOT_A_NUMBER = ("NaN", "nan")
_INFINITE = ("inf", "Infinity")
_NEGATIVE_INFINITE = ("-inf", "-Infinity")
_BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


@dataclass(frozen=True, slots=True)
class TextTerms:
    """What a contract states about the text of one field."""

    type: LogicalType
    decimal: str = "."
    null_tokens: tuple[str, ...] = ()
    true_tokens: tuple[str, ...] = ("true",)
    false_tokens: tuple[str, ...] = ("false",)
    formats: tuple[str, ...] = ()
    is_integral: bool = False
    is_parsed: bool = False


def csv_terms(field: Field, stated: Format) -> TextTerms:
    """The terms for CSV, where every token and mark is the contract's to choose."""
    name = field.name
    return TextTerms(
        field.type,
        stated.decimal,
        stated.null_tokens(name),
        stated.true_tokens(name),
        stated.false_tokens(name),
        stated.date_formats(name),
        name in stated.integral,
    )


def json_terms(field: Field, stated: Format) -> TextTerms:
    """The terms for JSON, which has its own null, true, false and decimal mark."""
    formats, is_integral = stated.date_formats(field.name), field.name in stated.integral
    return TextTerms(field.type, formats=formats, is_integral=is_integral, is_parsed=True)


def decoded(text: pl.Expr, terms: TextTerms) -> pl.Expr:
    """The value of a text under its terms; null where the text does not decode."""
    return _DECODERS[terms.type.family](text, terms)


def without_null_tokens(text: pl.Expr, terms: TextTerms) -> pl.Expr:
    """The text, null where it is one of the field's null tokens as a whole."""
    if not terms.null_tokens:
        return text
    return pl.when(~text.is_in(list(terms.null_tokens))).then(text)


def undecoded(text: pl.Expr, value: pl.Expr) -> pl.Expr:
    """The raw text of values that did not decode, null elsewhere."""
    return _where(value.is_null(), text)


def _where(kept: pl.Expr, value: pl.Expr) -> pl.Expr:
    return pl.when(kept).then(value)


def _integer(text: pl.Expr, terms: TextTerms) -> pl.Expr:
    dtype = decoded_dtype(terms.type)
    if not terms.is_integral:
        return _where(text.str.contains(r"^[+-]?[0-9]+$"), text.cast(dtype, strict=False))
    mark = re.escape(terms.decimal)
    whole = text.str.replace(rf"{mark}0+$", "")
    return _where(text.str.contains(rf"^[+-]?[0-9]+(?:{mark}0+)?$"), whole.cast(dtype, strict=False))


def _number(text: pl.Expr, terms: TextTerms) -> pl.Expr:
    if terms.type.precision is not None:
        return _decimal(text, terms)
    mark = re.escape(terms.decimal)
    dtype = decoded_dtype(terms.type)
    lexical = rf"^[+-]?(?:[0-9]+(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?$"
    pointed = text if terms.decimal == "." else text.str.replace(terms.decimal, ".", literal=True)
    value = pointed.cast(dtype, strict=False)
    return (
        pl.when(text.str.contains(lexical) & value.is_finite())
        .then(value)
        .when(text.is_in(list(_NOT_A_NUMBER)))
        .then(pl.lit(float("nan"), dtype))
        .when(text.is_in(list(_INFINITE)))
        .then(pl.lit(float("inf"), dtype))
        .when(text.is_in(list(_NEGATIVE_INFINITE)))
        .then(pl.lit(float("-inf"), dtype))
    )


def _decimal(text: pl.Expr, terms: TextTerms) -> pl.Expr:
    """Digits that the type has no place for do not decode, so that the cast has nothing to round."""
    scale = terms.type.scale or 0
    before = (terms.type.precision or 0) - scale
    mark = re.escape(terms.decimal)
    whole = f"0*[0-9]{{1,{before}}}" if before else "0+"
    fraction = rf"|{mark}[0-9]{{1,{scale}}}" if scale else ""
    lexical = rf"^[+-]?(?:{whole}(?:{mark}[0-9]{{0,{scale}}})?{fraction})$"
    pointed = text if terms.decimal == "." else text.str.replace(terms.decimal, ".", literal=True)
    return _where(text.str.contains(lexical), pointed.cast(decoded_dtype(terms.type), strict=False))


def _boolean(text: pl.Expr, terms: TextTerms) -> pl.Expr:
    is_true = text.is_in(list(terms.true_tokens))
    is_false = text.is_in(list(terms.false_tokens))
    return pl.when(is_true).then(pl.lit(True)).when(is_false).then(pl.lit(False))


def _json(text: pl.Expr, terms: TextTerms, kind: type) -> pl.Expr:
    """Read by Python, as JSON deliveries are: Polars 2.1 takes repeated keys and gives up at 128 levels."""
    if terms.is_parsed:
        return text

    def judged(texts: pl.Series) -> pl.Series:
        return pl.Series([value is not None and is_json(value, kind) for value in texts], dtype=pl.Boolean)

    return _where(text.map_batches(judged, return_dtype=pl.Boolean, is_elementwise=True), text)


def _timestamp(text: pl.Expr, terms: TextTerms) -> pl.Expr:
    return decoded_timestamp(text, terms.formats, timestamp_dtype(terms.type))


_DECODERS: dict[Family, Callable[[pl.Expr, TextTerms], pl.Expr]] = {
    Family.STRING: lambda text, _: text,
    Family.INTEGER: _integer,
    Family.NUMBER: _number,
    Family.BOOLEAN: _boolean,
    Family.DATE: lambda text, terms: decoded_date(text, terms.formats),
    Family.TIMESTAMP: _timestamp,
    Family.TIME: lambda text, terms: decoded_time(text, terms.formats),
    Family.DURATION: lambda text, _: decoded_duration(text),
    Family.BINARY: lambda text, _: _where(text.str.contains(_BASE64), text.str.decode("base64", strict=False)),
    Family.OBJECT: lambda text, terms: _json(text, terms, dict),
    Family.ARRAY: lambda text, terms: _json(text, terms, list),
}
