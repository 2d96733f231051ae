"""The values of one field in JSON records → three columns of the spool, from values of Python or from the texts of JSON.

For field `i` these are `__t<i>`, text that may still decode; `__r<i>`, its JSON text where `__t<i>` does not say it (a value of
another JSON type, any decimal); and `__a<i>`, absence.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from contract_core.candidate.json_text import (
    FractionalNumber,
    WholeNumber,
    is_unicode,
    json_text,
    parsed_json,
    plain_digits,
)
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field


class JsonColumn:
    """How the values of one field are told apart: those of the JSON type that it takes, and the rest."""

    __slots__ = ("as_text", "is_rewritten", "kinds", "name", "names", "schema", "unclear")

    def __init__(self, index: int, item: Field, contract: Contract) -> None:
        self.name = item.name
        self.names = (f"__t{index}", f"__r{index}", f"__a{index}")
        self.unclear = f"__u{index}"
        self.schema = dict(zip(self.names, (pl.String(), pl.String(), pl.Boolean()), strict=True))
        self.is_rewritten = item.type.precision is not None
        self.kinds = _kinds(item, is_integral=item.name in contract.delivery.format.integral)
        self.as_text = _decimal_text if self.is_rewritten else _AS_TEXT.get(item.type.family)

    def columns(self, objects: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
        """The three columns of this field for a chunk of records."""
        values = [record.get(self.name) for record in objects]
        taken = self._taken(values)
        texts = taken if self.as_text is None else [None if value is None else self.as_text(value) for value in taken]
        raws: list[str | None] = [None] * len(values)
        if self.is_rewritten or taken is not values:
            pairs = zip(values, taken, strict=True)
            raws = [
                json_text(value) if value is not None and (self.is_rewritten or kept is None) else None
                for value, kept in pairs
            ]
        absent = [self.name not in record for record in objects] if None in values else [False] * len(values)
        return dict(zip(self.names, (texts, raws, absent), strict=True))

    def told(self, value: pl.Expr) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
        """The first two of them for values that are no object or array, from their JSON texts, and where that does not suffice."""
        own = _own(value, self.kinds)
        kept = (
            pl.when(_is_text(value)).then(value.str.strip_chars('"')).otherwise(value) if str in self.kinds else value
        )
        rest = pl.lit(True) if self.is_rewritten else ~own
        return (
            pl.when(own).then(kept).alias(self.names[0]),
            pl.when(rest & (value != "null")).then(value).alias(self.names[1]),
            self._unclear(value).alias(self.unclear),
        )

    def settled(self, found: pl.DataFrame, texts: pl.Series) -> tuple[pl.Series, pl.Series]:
        """What `told` has found for these texts, after Python has read those that are not clear."""
        text, raw, unclear = (found[name] for name in (*self.names[:2], self.unclear))
        if not unclear.any():
            return text, raw
        places = unclear.arg_true()
        read = self.columns([{self.name: parsed_json(one)} for one in texts.gather(places)])
        careful = [pl.Series(read[name], dtype=pl.String) for name in self.names[:2]]
        return text.scatter(places, careful[0]), raw.scatter(places, careful[1])

    def _unclear(self, value: pl.Expr) -> pl.Expr:
        """True where Polars alone does not say what a text means: it has escapes, or is a decimal with an exponent."""
        is_escaped = value.str.contains("\\", literal=True)
        return is_escaped | (~_is_text(value) & value.str.contains("[eE]")) if self.is_rewritten else is_escaped

    def _taken(self, values: list[Any]) -> list[Any]:
        """The values of the field's own JSON type, None for others; the list itself where all are."""
        kinds = self.kinds
        if not {*map(type, values)} <= kinds:
            return [value if type(value) in kinds and is_unicode(value) else None for value in values]
        if str in kinds and not all(map(is_unicode, values)):
            return [value if is_unicode(value) else None for value in values]
        return values


def _is_text(value: pl.Expr) -> pl.Expr:
    return value.str.starts_with('"')


def _own(value: pl.Expr, kinds: frozenset[type]) -> pl.Expr:
    """True for the JSON texts of these kinds of values, which are no object or array and no null."""
    if {WholeNumber, FractionalNumber} <= kinds:
        is_number = value.str.contains("^[-0-9]")
        return is_number | _is_text(value) if str in kinds else is_number
    if WholeNumber in kinds:
        return value.str.contains("^-?[0-9]+$")
    if bool in kinds:
        return (value == "true") | (value == "false")
    return _is_text(value) if str in kinds else pl.lit(value=False)


def _kinds(item: Field, *, is_integral: bool) -> frozenset[type]:
    """The Python types that stand for the JSON types a field takes, that of null among them."""
    kinds = _KINDS.get(item.type.family, (str,))
    if item.type.family is Family.INTEGER and is_integral:
        kinds = (WholeNumber, FractionalNumber)
    if item.type.precision is not None:
        kinds = (WholeNumber, FractionalNumber, str)
    return frozenset((*kinds, type(None)))


def _decimal_text(value: str) -> str:
    return value if type(value) is str else plain_digits(value)


_KINDS: dict[Family, tuple[type, ...]] = {
    Family.INTEGER: (WholeNumber,),
    Family.NUMBER: (WholeNumber, FractionalNumber),
    Family.BOOLEAN: (bool,),
    Family.OBJECT: (dict,),
    Family.ARRAY: (list,),
}
_AS_TEXT: dict[Family, Callable[[Any], str]] = {
    Family.BOOLEAN: json_text,
    Family.OBJECT: json_text,
    Family.ARRAY: json_text,
}


def rewritten(texts: pl.Series) -> pl.Series:
    """Texts of JSON as `json_text` writes them, where they are no object or array."""
    is_escaped = texts.str.contains("\\", literal=True).fill_null(value=False)
    if not is_escaped.any():
        return texts
    places = is_escaped.arg_true()
    plain = [json_text(parsed_json(one)) for one in texts.gather(places)]
    return texts.scatter(places, pl.Series(plain, dtype=pl.String))
