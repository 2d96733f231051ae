"""Which type a column of text has: the first that every one of its values decodes to, by the gate's own decoding.

A text stays text where another reading would lose something (leading zeros, digits beyond a float) or where two readings are
possible and mean different things (day or month first, thousands or a fraction).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from contract_core.candidate.columns import column
from contract_core.candidate.decoding import TextTerms, decoded
from contract_core.contract.logical_type import LogicalType

NULL_TOKENS = (
    "NA", "N/A", "n/a", "#N/A", "NULL", "null", "None", "none", "nil", "NaN", "nan", "(null)", "-", "--", ".", "?",
)  # fmt: skip
_DAYS_FIRST = ("%d-%m-%Y", "%d/%m/%Y", "%d.%m.%Y")
_MONTHS_FIRST = ("%m-%d-%Y", "%m/%d/%Y", "%m.%d.%Y")
_OTHER_DAYS = ("%Y/%m/%d", "%Y.%m.%d", "%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y")
_CLOCKS = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f")
_JOINTS = (" ", "T")
_HEAD, _GLANCE, _NEAR = 2000, 20, 4
_ISO_MARKS = {
    "date": "-",
    "timestamp": "-:",
    "timestamp[us,UTC]": "-:",
    "timestamp[ns]": "-:",
    "timestamp[ns,UTC]": "-:",
    "time": ":",
    "duration": "P",
}
_PADDED = r"^(?:\+|-?0[0-9]|-?[0-9]{16,}$)"
_THOUSANDS = r"^-?[1-9][0-9]{0,2}(?:,[0-9]{3})+$"
AMBIGUOUS_DAYS = "the day or the month may come first: both read every value"


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to read a text: a type and how it is decoded. `rival` is the way that would mean something else."""

    type: str
    decimal: str = "."
    formats: tuple[str, ...] = ()
    true: str = "true"
    false: str = "false"
    rival: tuple[str, ...] = ()

    @property
    def terms(self) -> TextTerms:
        """The terms of the gate's own decoding."""
        logical = LogicalType.parse(self.type)
        return TextTerms(logical, self.decimal, (), (self.true,), (self.false,), self.formats)

    @property
    def marks(self) -> frozenset[str]:
        """The characters that no text of this kind is without."""
        return frozenset(re.sub("%.", "", self.formats[0]) if self.formats else _ISO_MARKS.get(self.type, ""))

    def decoding(self, tokens: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """What the contract must state so that texts are read this way."""
        stated = {"dates": self.formats} if self.formats else {}
        if self.type == "boolean" and self.true != "true":
            stated |= {"true_values": (self.true,), "false_values": (self.false,)}
        return stated | ({"null_values": ("", *tokens)} if tokens else {})


@dataclass(frozen=True, slots=True)
class Reading:
    """What a column of text was found to be; `kind` is None where it is text, and `note` says why where one could ask.

    `either` are two kinds of which both read every value, the day first and the month first.
    """

    kind: Kind | None
    tokens: tuple[str, ...] = ()
    note: str = ""
    present: int = 0
    told: Mapping[str, int] = field(default_factory=dict)
    either: tuple[Kind, ...] = ()


def kinds_of_csv(delimiter: str) -> tuple[Kind, ...]:
    """The readings that are tried on CSV, the strictest first."""
    booleans = (
        Kind("boolean"),
        Kind("boolean", true="True", false="False"),
        Kind("boolean", true="TRUE", false="FALSE"),
    )
    numbers = (Kind("integer"), Kind("number"), *((Kind("number", ","),) if delimiter != "," else ()))
    return (*booleans, *numbers, *KINDS_OF_JSON)


def _timed() -> Iterator[Kind]:
    yield Kind("date")
    for day, month in zip(_DAYS_FIRST, _MONTHS_FIRST, strict=True):
        yield Kind("date", formats=(day,), rival=(month,))
        yield Kind("date", formats=(month,), rival=(day,))
    yield from (Kind("date", formats=(day,)) for day in _OTHER_DAYS)
    yield Kind("timestamp")
    yield Kind("timestamp[us,UTC]")
    yield Kind("timestamp[ns]")
    yield Kind("timestamp[ns,UTC]")
    for clock in _CLOCKS:
        for joint in _JOINTS:
            for day, month in zip(_DAYS_FIRST, _MONTHS_FIRST, strict=True):
                first, second = f"{day}{joint}{clock}", f"{month}{joint}{clock}"
                yield Kind("timestamp", formats=(first,), rival=(second,))
                yield Kind("timestamp", formats=(second,), rival=(first,))
            yield from (Kind("timestamp", formats=(f"{day}{joint}{clock}",)) for day in ("%Y-%m-%d", "%Y/%m/%d"))
    yield Kind("time")
    yield Kind("time", formats=("%H:%M",))
    yield Kind("duration")


KINDS_OF_JSON = tuple(_timed())
"""The readings that are tried on a text of JSON, which writes numbers and booleans without quotes."""


def readings(
    rows: pl.LazyFrame, names: Sequence[str], kinds: Sequence[Kind], tokens: Sequence[str]
) -> dict[str, Reading]:
    """What each column of text holds. Few kinds outlive the first rows, and only those are tried on all."""
    head = rows.select(column(name) for name in names).head(_HEAD).collect(engine="streaming").lazy()
    facts = _facts(rows, names, tokens)
    return {name: _read(_Text(head, rows, _values(name, tokens)), kinds, tokens, facts[name]) for name in names}


@dataclass(frozen=True, slots=True)
class _Text:
    """The values of one column that are no null tokens: in the first rows, and in all."""

    head: pl.LazyFrame
    rows: pl.LazyFrame
    values: pl.Expr


def _read(text: _Text, kinds: Sequence[Kind], tokens: Sequence[str], facts: Mapping[str, int]) -> Reading:
    if not facts["own"]:
        return Reading(None, present=facts["all"])
    first = text.head.select(text.values.alias("value")).drop_nulls().head(_GLANCE).collect(engine="streaming")["value"]
    kinds = [kind for kind in kinds if _could_be(kind, first.to_list())]
    few = facts["own"] // _NEAR
    failed_first = _failures(text.head, text.values, kinds)
    likely = [kind for kind, count in zip(kinds, failed_first, strict=True) if count <= few]
    failed = _failures(text.rows, text.values, likely)
    sure = [kind for kind, count in zip(likely, failed, strict=True) if not count]
    if sure or not likely or facts["padded"]:
        return _reading(sure, facts, tokens)
    least = min(failed)
    near = likely[failed.index(least)]
    shown = f"{near.type}{f' as {near.formats[0]}' if near.formats else ''}"
    note = f"{facts['own'] - least:,} of {facts['own']:,} values read as {shown}, the others do not, so it stays text"
    return Reading(None, note=note if least <= few else "", present=facts["all"])


def _could_be(kind: Kind, first: Sequence[str]) -> bool:
    """False where most of the first values lack a character that the kind needs: decoding tells the same at a higher price."""
    return 2 * sum(kind.marks <= set(value) for value in first) >= len(first)


def _failures(rows: pl.LazyFrame, values: pl.Expr, kinds: Sequence[Kind]) -> list[int]:
    """How many values do not decode to each kind."""
    failed = [_fails(values, kind).sum().alias(f"{index}") for index, kind in enumerate(kinds)]
    return [int(count) for count in rows.select(failed).collect(engine="streaming").row(0)] if failed else []


def _values(name: str, tokens: Sequence[str]) -> pl.Expr:
    return pl.when(~column(name).is_in(["", *tokens])).then(column(name))


def _fails(values: pl.Expr, kind: Kind) -> pl.Expr:
    return values.is_not_null() & (decoded(values, kind.terms).is_null() | _loses(values, kind))


def _loses(values: pl.Expr, kind: Kind) -> pl.Expr:
    """True for a text of which the number would not say all: leading zeros, a plus, more digits than a float has."""
    if kind.type == "integer":
        return values.str.contains(r"^(?:\+|-?0[0-9])")
    if kind.type == "number":
        return values.str.contains(_PADDED)
    return pl.lit(value=False)


def _facts(rows: pl.LazyFrame, names: Sequence[str], tokens: Sequence[str]) -> dict[str, dict[str, int]]:
    """For each column: all values, those that are no token, those that read as thousands, those with a comma, and each token."""
    asked: dict[str, pl.Expr] = {}
    for place, name in enumerate(names):
        text = column(name)
        found = {
            "all": text != "",
            "own": _values(name, tokens).is_not_null(),
            "thousands": text.str.contains(_THOUSANDS),
            "padded": text.str.contains(_PADDED),
            "comma": text.str.contains(",", literal=True),
        }
        found |= {token: text == token for token in tokens}
        asked |= {f"{place}.{what}": expression.sum() for what, expression in found.items()}
    counts = rows.select(**asked).collect(engine="streaming").row(0, named=True) if asked else {}
    kinds = ("all", "own", "thousands", "padded", "comma", *tokens)
    return {name: {what: int(counts[f"{place}.{what}"] or 0) for what in kinds} for place, name in enumerate(names)}


def _reading(kinds: Sequence[Kind], facts: Mapping[str, int], tokens: Sequence[str]) -> Reading:
    own, present = facts["own"], facts["all"]
    if not kinds:
        return Reading(None, present=present)
    kind = kinds[0]
    used = tuple(token for token in tokens if facts[token]) if own < present else ()
    told = {token: facts[token] for token in used}
    either = tuple(other for other in kinds if other.formats in (kind.formats, kind.rival))
    if kind.rival and len(either) > 1:
        note = f"{AMBIGUOUS_DAYS}, so it stays text ({present:,} values)"
        return Reading(None, used, note, present, told, either)
    if kind.decimal == "," and 0 < facts["thousands"] == facts["comma"]:
        note = f"{facts['comma']:,} values have a comma before three digits, thousands or a fraction, so it stays text"
        return Reading(None, note=note, present=present)
    return Reading(kind, used, present=present, told=told)
