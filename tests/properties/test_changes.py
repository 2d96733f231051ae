"""Laws of changes: none without a difference, the way back mirrors the way there, and what is called compatible is."""

import json
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.writing import contract_text
from contract_core.diff.change import Change
from contract_core.diff.changes import find_changes
from contract_core.diff.compatibility import COMPATIBILITY
from contract_core.diff.judging import Terms, judge
from contract_core.diff.kinds import Class, Direction
from contract_core.publication.decision import Verdict, decide
from contract_core.validation.plan import validate
from tests.properties.contract_edits import Slots, contract_of, fits, pairs, physical, rows, slots_of
from tests.properties.strategies import DOCUMENT, TEXT, reordered
from tests.validation.judged import AS_OF, breaches, candidate_of, report_on_files

SOME = settings(max_examples=120, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
MANY = settings(SOME, max_examples=300)
CASES = sorted((Path(__file__).parents[1] / "cases" / "changes").iterdir())
EXAMPLES = sorted((Path(__file__).parents[2] / "data" / "contracts").glob("*.yaml"))
MIRROR = {
    Direction.TIGHTENS: Direction.LOOSENS,
    Direction.LOOSENS: Direction.TIGHTENS,
    Direction.BOTH: Direction.BOTH,
    Direction.NEUTRAL: Direction.NEUTRAL,
    Direction.UNDETERMINED: Direction.UNDETERMINED,
}
OF_VALUES = (
    "required", "nullable", "min", "max", "enum", "pattern", "min_length", "max_length", "trimmed", "not_blank", "allow_nan", "lowered", "rule", "on_null",
    "key", "unique", "duplicate_rows", "min_rows", "max_rows",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("candidates")


def is_accepted(contract: Contract, frame: pl.DataFrame, folder: Path) -> bool:
    """True where the gate would publish the frame under the contract."""
    return decide(validate(contract, candidate_of(frame, folder), AS_OF), contract).verdict is Verdict.PUBLISH


def directions(changes: tuple[Change, ...]) -> list[Direction]:
    return sorted(COMPATIBILITY[change.kind].direction for change in changes)


def classes(old: Contract, new: Contract) -> set[Class]:
    terms = Terms(old, new, AS_OF.date())
    return {judge(change, terms).verdict for change in find_changes(old, new)}


def is_compatible(case: tuple[str, Slots, Slots]) -> bool:
    """True where nothing that the second contract promises breaks anything of the first."""
    _, before, after = case
    return fits(after) and classes(contract_of(before), contract_of(after)) <= {Class.COMPATIBLE, Class.PATCH}


def typed(type_: str) -> Slots:
    """A contract that promises a type and nothing else."""
    return {"type": type_, "key": None, "unique": None, "duplicate_rows": None, "min_rows": 1, "max_rows": None}


@SOME
@given(slots=st.sampled_from(["integer", "number", "decimal", "string", "timestamp"]).flatmap(slots_of))
def test_a_contract_that_is_written_anew_has_no_changes(slots: Slots) -> None:
    contract = contract_of(slots)
    assert find_changes(contract, parse_contract(contract_text(contract), "again.yaml")) == ()


@SOME
@given(reordered(DOCUMENT))
def test_the_order_of_keys_is_no_change(document: dict[str, Any]) -> None:
    assert find_changes(parse_contract(TEXT, "c.yaml"), parse_contract(json.dumps(document), "c.yaml")) == ()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_that_is_written_anew_has_no_changes(path: Path) -> None:
    contract = parse_contract(path.read_bytes(), str(path))
    assert find_changes(contract, parse_contract(contract_text(contract), "again.yaml")) == ()


SHORT = """\
contract: cases
version: "1.0.0"
fields: [{name: a, type: number, min: 1}, {name: b, type: string, enum: [x, y]}, {name: m, type: timestamp, max: 2026-10-01}]
rules: [{name: r, sql: "a > 1 AND b <> 'x  y'"}]
groups: [{name: g, by: [b, m], sql: "sum(a) > 1 AND bool_and(a > 0)"}]
unique: [{name: u, fields: [a, b]}]
owners: {producer: {name: p}, consumers: [{name: c, relies_on: [a, b]}]}
delivery: {format: {null_values: [NA, ""]}}
changes: {approvals: [p, c], window: 1d}
unverified: [{claim: one}, {claim: two}]
"""
LONG = """\
version: '1.0.0'
contract: cases
status: draft
key: []
extra_fields: reject
rows: {min: 1, severity: error}
fields:
  - {required: true, nullable: false, type: number, name: a, min: 1.0, trimmed: false, allow_nan: false, severity: {range: error}}
  - {name: b, type: string, enum: [y, x], not_blank: false, severity: error}
  - {name: m, type: timestamp, max: 2026-10-01T23:59:59.999999}
rules:
  - name: r
    on_null: breach
    sql: |
      (a>1) and   "b" != 'x  y'
groups: [{name: g, by: [m, b], sql: '(SUM( "a" )>1) and every(a>0)', severity: error, on_null: breach}]
unique: [{name: u, fields: [b, a], severity: error}]
owners: {producer: {name: p}, consumers: [{name: c, relies_on: [b, a], tolerates: {nulls: false}}]}
delivery: {manifest: none, corrections: false, format: {type: csv, encoding: UTF8, null_values: {"*": ["", NA]}}}
enforcement: {on_breach: fail, quarantine: {rows: kept}}
publication: {mode: replace_partition, keep_newest: 0}
unverified: [{claim: two}, {claim: one}]
changes: {profile: default, transitive: false, approvals: [c, p], window: 24h}
"""


def test_defaults_that_are_written_out_and_another_layout_are_no_changes() -> None:
    old, new = parse_contract(SHORT, "short.yaml"), parse_contract(LONG, "long.yaml")
    assert old != new
    assert (find_changes(old, new), find_changes(new, old)) == ((), ())


@MANY
@given(case=pairs(1, OF_VALUES))
def test_the_way_back_is_the_mirror(case: tuple[str, Slots, Slots]) -> None:
    _, before, after = case
    assume(fits(after))
    old, new = contract_of(before), contract_of(after)
    mirrored = sorted(MIRROR[direction] for direction in directions(find_changes(new, old)))
    assert directions(find_changes(old, new)) == mirrored


@settings(SOME, max_examples=100)
@given(case=pairs(3).filter(is_compatible), data=st.data())
def test_what_is_called_compatible_is(folder: Path, case: tuple[str, Slots, Slots], data: st.DataObject) -> None:
    """[S4-005] A candidate that keeps the old contract keeps the new one, seen through the widened types."""
    kind, before, after = case
    old, new = contract_of(before), contract_of(after)
    frames = data.draw(st.lists(rows(kind, before["type"]), min_size=6, max_size=6))
    kept = [frame for frame in frames if is_accepted(old, frame, folder)]
    assert [
        frame for frame in kept if not is_accepted(new, widened(frame, before["type"], after["type"]), folder)
    ] == []


TYPES = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "decimal(5,2)", "decimal(7,2)", "decimal(20,0)",
    "decimal(21,1)", "timestamp[ms]", "timestamp[us]", "timestamp[ns]", "integer", "number", "timestamp",
)  # fmt: skip
WIDER = [
    (before, after)
    for before in TYPES
    for after in TYPES
    if before != after and is_compatible(("", typed(before), typed(after)))
]


def extremes(type_: str) -> list[Any]:
    """The smallest value of a type, the largest, and one that is not whole where it can."""
    match physical(type_):
        case pl.Decimal(precision=digits, scale=scale):
            largest = Decimal(10**digits - 1).scaleb(-scale)
            return [-largest, largest, Decimal(1).scaleb(-scale)]
        case pl.Float32():
            return [-3.4028234663852886e38, 3.4028234663852886e38, 0.10000000149011612]
        case pl.Float64():
            return [-1.7976931348623157e308, 1.7976931348623157e308, 0.1]
        case pl.Datetime(time_unit="ns"):
            return [datetime(1678, 1, 1), datetime(2262, 1, 1), datetime(2026, 1, 1, 0, 0, 0, 1)]
        case pl.Datetime():
            return [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59), datetime(2026, 1, 1, 0, 0, 0, 1000)]
        case dtype:
            lowest, highest = pl.select(dtype.min(), dtype.max().alias("highest")).row(0)
            return [lowest, highest, 1]


def test_the_wider_types_are_these() -> None:
    """[S4-005]"""
    assert len(WIDER) == 64
    assert {("int64", "float64"), ("uint64", "integer"), ("decimal(5,2)", "decimal(7,3)")}.isdisjoint(WIDER)


@pytest.mark.parametrize("before, after", WIDER, ids=[f"{before} to {after}" for before, after in WIDER])
def test_a_wider_type_holds_every_value_of_the_narrower_one(folder: Path, before: str, after: str) -> None:
    """[S4-005]"""
    frame = pl.DataFrame({"id": [0, 1, 2], "v": pl.Series(extremes(before), dtype=physical(before))})
    assert is_accepted(contract_of(typed(before)), frame, folder)
    assert is_accepted(contract_of(typed(after)), widened(frame, before, after), folder)


@pytest.mark.parametrize("before, after", WIDER, ids=[f"{before} to {after}" for before, after in WIDER])
def test_a_text_that_is_read_as_the_narrower_type_is_read_as_the_wider_one(
    tmp_path: Path, before: str, after: str
) -> None:
    """[S4-005]"""
    values = [written(value) for value in extremes(before)]
    text = "id,v\n" + "".join(f"{number},{value}\n" for number, value in enumerate(values))
    for name, type_ in (("before", before), ("after", after)):
        terms = (
            f"fields: [{{name: id, type: int64}}, {{name: v, type: '{type_}'}}]\ndelivery: {{format: {{type: csv}}}}\n"
        )
        assert breaches(report_on_files(terms, {"a.csv": text}, tmp_path / name)) == {}


def written(value: Any) -> str:
    """A value as a delivery in text states it."""
    if isinstance(value, datetime):
        return value.isoformat(" ", timespec="milliseconds")
    return f"{value:f}" if isinstance(value, float) else str(value)


def widened(frame: pl.DataFrame, before: str, after: str) -> pl.DataFrame:
    """The frame in the type of the new contract, which holds each value exactly; a family takes it as it is."""
    if "v" not in frame.columns or after in ("integer", "number", "timestamp"):
        return frame
    wide = frame.with_columns(pl.col("v").cast(physical(after), strict=True))
    assert wide["v"].cast(physical(before)).equals(frame["v"], null_equal=True)
    return wide


@settings(SOME, max_examples=120)
@given(case=pairs(1, OF_VALUES), data=st.data())
def test_what_tightens_accepts_less_and_what_loosens_more(
    folder: Path, case: tuple[str, Slots, Slots], data: st.DataObject
) -> None:
    """Each way proves the other: how a change is judged, and what the gate publishes."""
    kind, before, after = case
    assume(fits(after))
    old, new = contract_of(before), contract_of(after)
    found = {direction for direction in directions(find_changes(old, new)) if direction is not Direction.NEUTRAL}
    assume(found <= {Direction.TIGHTENS} or found <= {Direction.LOOSENS})
    frames = data.draw(st.lists(rows(kind, before["type"]), min_size=4, max_size=4))
    accepted = [(is_accepted(old, frame, folder), is_accepted(new, frame, folder)) for frame in frames]
    assert all(is_now <= was for was, is_now in accepted) or Direction.LOOSENS in found
    assert all(was <= is_now for was, is_now in accepted) or Direction.TIGHTENS in found
