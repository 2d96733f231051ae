"""Fields with rules and values at and beside their edges, for the law that target constraints judge as the gate does."""

import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import strategies as st

ALPHABET = "ab B_%.\\'\n\t\u00a0\u0085\u200b\ufeff\u3000e\u0301é👍🏽"
PATTERNS = (
    "a", "a|ab", "ab|a", "^a$", "(?i)ab", "[a-b]{2,}", "a.*", ".*", ".+b", "", "(a|b)?", r"\s*", r"\w+", r"a\\", r"\S", "a_", "%a",
    "é", "(?s).*", r"[^a]", "(?:a|b)(?:b)?", r"\p{L}+", "a{0}", "'+", r"\.", "e\u0301", "👍.", "^", "a$|b", r"\ba\b", "(?m)^a$",
)  # fmt: skip
WIDE = Context(prec=60)
texts = st.text(ALPHABET, max_size=4)


def in_yaml(text: str) -> str:
    """A text in double quotes, with every sign beyond ASCII escaped as YAML has it."""
    return (
        '"'
        + "".join(sign if " " <= sign <= "~" and sign not in '"\\' else f"\\U{ord(sign):08x}" for sign in text)
        + '"'
    )


def single(number: float) -> float:
    return number if abs(number) > 3.4e38 else struct.unpack("<f", struct.pack("<f", number))[0]


@dataclass(frozen=True)
class Case:
    """One field as YAML says it, the type it is delivered in, and delivered values."""

    type: str
    dtype: pl.DataType
    rules: dict[str, str]
    values: list[Any]

    @property
    def text(self) -> str:
        rules = "".join(f", {name}: {value}" for name, value in self.rules.items())
        return f'contract: cases\nversion: "1.0.0"\nfields:\n  - {{name: "x y", type: "{self.type}", nullable: true{rules}}}\n'

    @property
    def let_through(self) -> set[float]:
        """What the target lets through of a family beyond the gate: the single next to a bound, as a narrower delivery has it."""
        words = "".join(sign if sign in "-.0123456789" else " " for sign in " ".join(self.rules.values())).split()
        return {single(float(word)) for word in words} if self.type == "number" else set()

    @property
    def is_by_the_sun(self) -> bool:
        """True for clocks from before there were time zones, of which two databases of zones tell different minutes."""
        early = [value for value in self.values if isinstance(value, datetime) and value.year < 1900]
        return "/" in self.type and (
            bool(early) or any(str(rule).strip("'\"") < "1900" for rule in self.rules.values())
        )

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({"x y": self.values}, schema={"x y": self.dtype})


def _some(draw: st.DrawFn, near: st.SearchStrategy[Any]) -> list[Any]:
    return draw(st.lists(st.none() | near, min_size=1, max_size=8))


def _range(draw: st.DrawFn, bounds: st.SearchStrategy[Any], shown: Callable[[Any], str] = str) -> dict[str, Any]:
    low, high = sorted((draw(bounds), draw(bounds)))
    kept = draw(st.sampled_from([("min",), ("max",), ("min", "max")]))
    return {name: shown(value) for name, value in (("min", low), ("max", high)) if name in kept}


INTEGERS = {
    "int8": (pl.Int8(), 8), "int16": (pl.Int16(), 16), "int32": (pl.Int32(), 32), "int64": (pl.Int64(), 64), "integer": (pl.Int64(), 64),
}  # fmt: skip


@st.composite
def integers(draw: st.DrawFn) -> Case:
    name = draw(st.sampled_from([*INTEGERS, "uint64", "narrow"]))
    if name == "uint64":
        dtype, least, most = pl.UInt64(), 0, 2**64 - 1
    else:
        dtype, bits = INTEGERS.get(name, (pl.Int16(), 16))
        least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    edges = st.sampled_from([least - 1, least, least + 1, -1, 0, 1, most - 1, most, most + 1, 10**30])
    bounds = (st.integers(-5, 5) | edges).flatmap(lambda n: st.sampled_from([Decimal(n), n + Decimal("0.5")]))
    rules = _range(draw, bounds)
    if draw(st.booleans()):
        rules = {"enum": json.dumps(draw(st.lists(st.integers(-3, 3) | edges, min_size=1, max_size=7, unique=True)))}
    near = st.integers(max(least, -6), 6) | edges.filter(lambda n: least <= n <= most)
    return Case("integer" if name == "narrow" else name, dtype, rules, _some(draw, near))


def plain(number: float) -> str:
    return format(Decimal(repr(number)), "f")


@st.composite
def floats(draw: st.DrawFn) -> Case:
    name, dtype, width = draw(
        st.sampled_from([("float64", pl.Float64(), 64), ("float32", pl.Float32(), 32), ("number", pl.Float64(), 64)])
    )
    pool = [-1.5, -0.1, -1e-7, 0.0, 0.1, 0.3, 1.0, 2.0, 1e22, 16777217.0, 123456.789, 3.5e38]
    rules = _range(draw, st.sampled_from(pool) | st.floats(-10, 10), plain)
    if draw(st.booleans()):
        rules = {
            "enum": f"[{', '.join(plain(n) for n in draw(st.lists(st.sampled_from(pool[1:11]), min_size=1, max_size=8, unique=True)))}]"
        }
    if draw(st.booleans()):
        rules["allow_nan"] = "true"
    if draw(st.booleans()):
        rules["severity"] = "{not_finite: warn}" if "allow_nan" not in rules else "error"
    edges = [
        *pool[:11],
        -0.0,
        math.nan,
        math.inf,
        -math.inf,
        0.30000000000000004,
        math.nextafter(0.1, 1),
        math.nextafter(0.1, 0),
        5e-324,
    ]
    near = st.sampled_from([n for n in edges if width == 64 or not math.isfinite(n) or abs(n) < 3e38]) | st.floats(
        -11, 11
    )
    series = pl.Series(_some(draw, near), dtype=pl.Float64).cast(dtype)
    return Case(name, dtype, rules, series.to_list())


@st.composite
def decimals(draw: st.DrawFn) -> Case:
    precision, scale = draw(st.sampled_from([(5, 2), (12, 2), (18, 4), (20, 0), (38, 0), (27, 8), (38, 10)]))
    step, most = Decimal(1).scaleb(-scale), Decimal("9" * precision).scaleb(-scale, WIDE)
    edges = st.sampled_from(
        [
            most.copy_negate(),
            WIDE.subtract(step, most),
            Decimal(0),
            step,
            -step,
            Decimal(1),
            Decimal("1.5"),
            WIDE.subtract(most, step),
            most,
        ]
    )
    bounds = edges.flatmap(
        lambda n: st.sampled_from([n, WIDE.add(n, step / 2), WIDE.add(n, step), WIDE.subtract(n, step)])
    )
    rules = _range(draw, bounds, lambda n: format(n, "f"))
    if draw(st.booleans()):
        rules = {
            "enum": f"[{', '.join(format(n, 'f') for n in draw(st.lists(edges, min_size=1, max_size=6, unique=True)))}]"
        }
    near = edges.map(lambda n: n.quantize(step, context=WIDE)).filter(lambda n: abs(n) <= most)
    return Case(f"decimal({precision},{scale})", pl.Decimal(precision, scale), rules, _some(draw, near))


@st.composite
def days(draw: st.DrawFn) -> Case:
    pool = [date(1, 1, 1), date(1970, 1, 1), date(2026, 3, 29), date(2026, 3, 30), date(9999, 12, 31)]
    rules = _range(draw, st.sampled_from(pool))
    if draw(st.booleans()):
        rules = {
            "enum": f"[{', '.join(map(str, draw(st.lists(st.sampled_from(pool), min_size=1, max_size=5, unique=True))))}]"
        }
    near = st.sampled_from([*pool, date(2026, 3, 28), date(1969, 12, 31)])
    return Case("date", pl.Date(), rules, _some(draw, near))


@st.composite
def moments(draw: st.DrawFn) -> Case:
    unit = draw(st.sampled_from(["ms", "us", "ns"]))
    zone = draw(st.sampled_from([None, "UTC", "Europe/Amsterdam"]))
    name = f"timestamp[{unit}{',' + zone if zone else ''}]"
    years = (1700, 2200) if unit == "ns" else (1, 9999)
    days_ = [date(2026, 3, 29), date(2026, 10, 25), date(2026, 10, 26), date(years[0], 6, 1), date(years[1], 6, 1)]
    if draw(st.booleans()):
        rules = _range(draw, st.sampled_from(days_))
    else:
        clock = [datetime(d.year, d.month, d.day, 2, 30, 0, micro) for d in days_ for micro in (0, 1)]
        rules = _range(draw, st.sampled_from(clock), lambda m: m.isoformat() + ("Z" if zone else ""))
    tick = timedelta(microseconds=1000 if unit == "ms" else 1)
    at = [
        datetime(d.year, d.month, d.day, hour, minute) + n * tick
        for d in days_
        for hour, minute in ((0, 0), (2, 30))
        for n in (-1, 0, 1)
    ]
    values = _some(draw, st.sampled_from(at))
    if zone:
        fold = draw(st.sampled_from([0, 1]))
        values = [
            None if v is None else v.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(ZoneInfo("UTC"))
            for v in values
        ]
    return Case(name, pl.Datetime(unit, zone), rules, values)


@st.composite
def strings(draw: st.DrawFn) -> Case:
    rules: dict[str, Any] = {}
    if draw(st.booleans()):
        rules["pattern"] = in_yaml(draw(st.sampled_from([p for p in PATTERNS if p.strip()])))
    if draw(st.booleans()):
        rules["min_length"] = str(draw(st.integers(0, 3)))
    if draw(st.booleans()):
        rules["max_length"] = str(draw(st.sampled_from([3, 4, 10**15])))
    if draw(st.booleans()):
        rules["not_blank"] = draw(st.sampled_from(["space", "ascii", "unicode"]))
    if draw(st.booleans()):
        rules["trimmed"] = "true"
    if draw(st.booleans()):
        listed = draw(st.lists(texts, min_size=1, max_size=6, unique=True))
        rules["enum"] = f"[{', '.join(map(in_yaml, listed))}]"
    return Case(
        "string",
        pl.String(),
        rules,
        _some(draw, texts | st.sampled_from(["a", "ab", "", " ", "a\n", "\u200b", "\ufeff"])),
    )


@st.composite
def flags(draw: st.DrawFn) -> Case:
    listed = draw(st.lists(st.booleans(), min_size=1, unique=True))
    return Case("boolean", pl.Boolean(), {"enum": json.dumps(listed)}, _some(draw, st.booleans()))


CASES = st.one_of(integers(), floats(), decimals(), days(), moments(), strings(), flags())
