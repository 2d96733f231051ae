"""From a sample that keeps a contract, one sample for each promise, with that promise broken and as little else as can be."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import polars as pl

from contract_core.bootstrap.samples import Sample
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field

_NO_VALUE = "no such value"
_BLANKS = {"empty": "", "spaces": "  ", "tab": "\t", "newline": "\n"}
_WRONG_TEXTS = ("?", "§", "x", " ", "0", "no match at all, and a long one at that")
_TEXTUAL = (Family.STRING, Family.BINARY)


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to break one obligation: a name for its file, the obligation's id, and the sample that breaks it."""

    name: str
    breaks: str
    sample: Sample


def faults_of(contract: Contract, sample: Sample) -> Iterator[Fault]:
    """A fault for every obligation that can be broken by editing the sample."""
    for field in contract.fields:
        if field.name in sample.columns:
            yield from _field_faults(contract, field, sample)
    yield from _whole_faults(contract, sample)


def _field_faults(contract: Contract, field: Field, sample: Sample) -> Iterator[Fault]:
    name = field.name
    if field.required:
        yield Fault(f"{name}__missing", f"{name}.missing", sample.without(name))
    yield Fault(f"{name}__type", f"{name}.type", _wrong_type(field, sample))
    for words, rule, value in _wrong_values(contract, field, sample):
        yield Fault(f"{name}__{words}", f"{name}.{rule}", sample.with_first(name, value))


def _wrong_type(field: Field, sample: Sample) -> Sample:
    if sample.types is not None:
        is_text = field.type.family in _TEXTUAL
        dtype: pl.DataType = pl.Int64() if is_text else pl.String()
        return sample.with_column(field.name, tuple((0 if is_text else "0") for _ in sample.rows), dtype)
    is_object = sample.suffix != ".csv" and field.type.family in _TEXTUAL
    return sample.with_first(field.name, {"is": "no text"} if is_object else "no value of this type")


def _wrong_values(contract: Contract, field: Field, sample: Sample) -> Iterator[tuple[str, str, Any]]:
    """The name, the rule and the value of each fault in one cell."""
    write, is_csv = _writer(contract, field, sample), sample.suffix == ".csv"
    tokens = contract.delivery.format.null_tokens(field.name)
    if not field.nullable and (tokens or not is_csv):
        yield "null", "null", tokens[0] if is_csv else None
    if _may_be_nan(field, sample):
        yield "nan", "not_finite", "NaN" if is_csv else float("nan")
    for words, bound, step in (("below", field.min, -1), ("above", field.max, 1)):
        if bound is not None and (value := _beyond(bound, step)) is not None:
            yield words, "range", write(value)
    if field.enum is not None:
        yield "enum", "enum", write(_unlisted(field.enum))
    if field.type.family is Family.STRING:
        yield from _wrong_texts(field, str(sample.rows[0][field.name]))


def _may_be_nan(field: Field, sample: Sample) -> bool:
    """JSON has no word for NaN, and a decimal has no such value."""
    is_float = field.type.family is Family.NUMBER and field.type.precision is None
    return is_float and not field.allow_nan and sample.suffix not in (".jsonl", ".json")


def _wrong_texts(field: Field, value: str) -> Iterator[tuple[str, str, str]]:
    if field.pattern is not None:
        texts = pl.Series(_WRONG_TEXTS)
        other = texts.filter(~texts.str.contains(f"^(?:{field.pattern})$"))
        if len(other):
            yield "pattern", "pattern", other[0]
    if field.max_length is not None:
        yield "too_long", "length", "x" * (field.max_length + 1)
    if field.min_length:
        yield "too_short", "length", "x" * (field.min_length - 1)
    if field.not_blank is not None:
        blanks = {name: text for name, text in _BLANKS.items() if field.not_blank != "space" or not text.strip(" ")}
        yield from ((f"blank_{name}", "blank", text) for name, text in blanks.items())
    if field.trimmed:
        yield "untrimmed", "untrimmed", f" {value}"


def _beyond(bound: Any, step: int) -> Any:  # noqa: ANN401 - a bound is whatever its field holds
    match bound:
        case int() | Decimal():
            return bound + step
        case date():
            return bound + timedelta(days=2 * step)
    return None


def _unlisted(values: tuple[Any, ...]) -> Any:  # noqa: ANN401
    return _NO_VALUE if isinstance(values[0], str) else _beyond(max(values), 1)


def _writer(contract: Contract, field: Field, sample: Sample) -> Callable[[Any], Any]:
    """How a value of the field is written in the format of the sample."""
    stated = contract.delivery.format

    def write(value: Any) -> Any:  # noqa: ANN401
        if sample.types is not None:
            return float(value) if field.type.family is Family.NUMBER and field.type.precision is None else value
        if isinstance(value, date):
            formats = stated.date_formats(field.name)
            return value.strftime(formats[0]) if formats else value.isoformat()
        if sample.suffix == ".csv":
            return str(value).replace(".", stated.decimal)
        return float(value) if isinstance(value, Decimal) else value

    return write


def _whole_faults(contract: Contract, sample: Sample) -> Iterator[Fault]:
    if contract.extra_fields == "reject":
        values = tuple("x" for _ in sample.rows)
        yield Fault("extra_field", "extra_field", sample.with_column("not_in_the_contract", values, pl.String()))
    if contract.key:
        yield Fault("key__twice", "key", sample.with_rows((*sample.rows, sample.rows[0])))
    if contract.rows.min > 0 and sample.suffix != ".jsonl":
        yield Fault("no_rows", "row_count", sample.with_rows(()))
    parts = contract.delivery.parts
    if parts is not None and parts.column is not None and len(parts.required) > 1:
        lost = parts.required[0]
        rest = tuple(row for row in sample.rows if row[parts.column] != lost)
        yield Fault("part__missing", "coverage.missing", sample.with_rows(rest))
