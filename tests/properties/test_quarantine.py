"""Laws of the split: each row either stays or goes, for the reasons that a reading of the contract in plain Python gives."""

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.candidate.columns import FILE_INDEX, RAW, ROW_NUMBER
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.validation.breaking_rows import RULE, RULES, Split, breaking_rows, conforming_rows, split_of
from contract_core.validation.plan import validate
from contract_core.validation.report import Outcome
from tests.validation.judged import AS_OF, candidate_of, contract_of

SCHEMA = {
    FILE_INDEX: pl.UInt32,
    ROW_NUMBER: pl.UInt64,
    "id": pl.Int64,
    "n": pl.Int64,
    RAW + "n": pl.String,
    "t": pl.String,
}
Row = dict[str, Any]
Place = tuple[int, int]
RowRule = tuple[str, Callable[[Row], bool]]
ROW_RULES: dict[str, RowRule] = {
    "id.null": ("", lambda row: row["id"] is None),
    "n.null": ("", lambda row: row["n"] is None and row[RAW + "n"] is None),
    "n.type": ("", lambda row: row[RAW + "n"] is not None),
    "n.range": ("min: 0, max: 3", lambda row: row["n"] is not None and not 0 <= row["n"] <= 3),
    "n.enum": ("enum: [0, 1, 9]", lambda row: row["n"] is not None and row["n"] not in (0, 1, 9)),
    "t.enum": ("enum: [a, b]", lambda row: row["t"] is not None and row["t"] not in ("a", "b")),
    "t.length": ("max_length: 1", lambda row: row["t"] is not None and len(row["t"]) > 1),
    "small.row_rule": (
        "{name: small, sql: n <= id}",
        lambda row: row[RAW + "n"] is None and (None in (row["n"], row["id"]) or row["n"] > row["id"]),
    ),
    "lax.row_rule": (
        "{name: lax, sql: n > id, on_null: keep}",
        lambda row: row[RAW + "n"] is None and None not in (row["n"], row["id"]) and row["n"] <= row["id"],
    ),
}
"""Each rule about one row: how a contract asks for it, and when a row breaks it."""


@dataclass(frozen=True)
class Terms:
    """What one contract promises: the rules it has, in its own order, and which of them only warn."""

    rules: tuple[str, ...]
    warns: frozenset[str]
    key: tuple[str, ...]
    one_each: bool
    no_duplicates: bool

    @property
    def text(self) -> str:
        sections = [
            f"  - {{name: id, type: integer{self._rules_of('id')}}}",
            f"  - {{name: n, type: integer{self._rules_of('n')}}}",
            f"  - {{name: t, type: string, nullable: true{self._rules_of('t')}}}",
        ]
        conditions = [ROW_RULES[name][0][:-1] + self._weight(name) + "}" for name in self.rules if "row_rule" in name]
        more = [f"rules: [{', '.join(conditions)}]"] * bool(conditions)
        more += [f"key: [{', '.join(self.key)}]"] * bool(self.key)
        more += ["unique: [{name: one, fields: [t], where: n > 0}]"] * self.one_each
        more += ["duplicate_rows: error"] * self.no_duplicates
        return "\n".join(["fields:", *sections, *more, "enforcement: {on_breach: quarantine}\n"])

    def _rules_of(self, field: str) -> str:
        asked = [ROW_RULES[name][0] for name in self.rules if name.startswith(f"{field}.") and ROW_RULES[name][0]]
        weights = [f'"{name.partition(".")[2]}": warn' for name in sorted(self.warns) if name.startswith(f"{field}.")]
        asked += [f"severity: {{{', '.join(weights)}}}"] * bool(weights)
        nullable = ", nullable: true" if f"{field}.null" not in self.rules and field != "t" else ""
        return nullable + "".join(f", {words}" for words in asked)

    def _weight(self, name: str) -> str:
        return ", severity: warn" if name in self.warns else ""


@st.composite
def terms(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Terms:
    optional = [name for name in ROW_RULES if name != "n.type"]
    chosen = draw(st.sets(st.sampled_from(optional))) | {"n.type"}
    rules = tuple(name for name in ROW_RULES if name in chosen)
    warns = draw(st.sets(st.sampled_from(optional))) & chosen
    key = draw(st.sampled_from([(), ("id",), ("n",), ("id", "t")]))
    return Terms(rules, frozenset(warns), key, draw(st.booleans()), draw(st.booleans()))


def _row(place: int) -> st.SearchStrategy[Row]:
    number = st.one_of(
        st.tuples(st.sampled_from([None, -1, 0, 1, 2, 3, 4, 9]), st.none()),
        st.tuples(st.none(), st.sampled_from(["x", "", "1e3"])),
    )
    rest = st.tuples(st.sampled_from([None, 0, 1, 2]), number, st.sampled_from([None, "a", "b", "A", "ab", ""]))
    return rest.map(
        lambda drawn: {
            FILE_INDEX: place % 2, ROW_NUMBER: place // 2 + 1, "id": drawn[0], "n": drawn[1][0], RAW + "n": drawn[1][1], "t": drawn[2],
        }
    )  # fmt: skip


ROWS = st.integers(0, 9).flatmap(lambda count: st.tuples(*map(_row, range(count))).map(list))


def frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA)


def oracle(terms: Terms, rows: list[Row]) -> dict[Place, list[str]]:
    """Which rows go for what, read from the contract's words row by row; repeated values are counted in a dictionary."""
    groups: dict[str, list[Any]] = {}
    if terms.key:
        groups["key"] = [tuple((row[name], row.get(RAW + name)) for name in terms.key) for row in rows]
    if terms.one_each:
        groups["one.unique"] = [row["t"] if (row["n"] or 0) > 0 else place for place, row in enumerate(rows)]
    if terms.no_duplicates:
        groups["duplicate_rows"] = [(row["id"], row["n"], row[RAW + "n"], row["t"]) for row in rows]
    sizes = {name: Counter(values) for name, values in groups.items()}
    found = {}
    for place, row in enumerate(rows):
        broken = [name for name in terms.rules if name not in terms.warns and ROW_RULES[name][1](row)]
        broken += [name for name, values in groups.items() if sizes[name][values[place]] > 1]
        if broken:
            found[row[FILE_INDEX], row[ROW_NUMBER]] = _in_order(broken)
    return found


def _in_order(broken: list[str]) -> list[str]:
    labels = ["null", "type", "enum", "range", "length"]
    order = [f"{field}.{label}" for field in ("id", "n", "t") for label in labels]
    order += ["small.row_rule", "lax.row_rule", "key", "one.unique", "duplicate_rows"]
    return sorted(broken, key=order.index)


@dataclass(frozen=True)
class Found:
    """What became of a candidate: the rows that stay, those that go and why, and what its report counts."""

    stay: list[Place]
    gone: dict[Place, list[str]]
    first: list[str]
    counts: dict[str, int]
    broken_rows: int | None


def split(contract: Contract, rows: pl.DataFrame, chunks: int | None = None) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        candidate = candidate_of(rows, Path(folder))
        if chunks is not None:
            rows.write_parquet(candidate.path, row_group_size=chunks)
        stay = conforming_rows(contract, candidate, None).collect()
        gone = breaking_rows(contract, candidate, None).collect()
        report = validate(contract, candidate, AS_OF)
    assert stay.schema == rows.schema, "what stays has other columns than the candidate"
    reasons = dict(zip(gone.select(FILE_INDEX, ROW_NUMBER).rows(), gone[RULES].to_list(), strict=True))
    counts = {item.id: item.breaches for item in report.findings if item.in_rows and item.severity is Severity.ERROR}
    return Found(stay.select(FILE_INDEX, ROW_NUMBER).rows(), reasons, gone[RULE].to_list(), counts, report.broken_rows)


@settings(max_examples=60, deadline=None)
@given(terms(), ROWS)
def test_each_row_stays_or_goes_for_just_the_reasons_that_a_reader_finds(terms, rows):
    """[S3-019, S3-020] And the report counts each of them once."""
    found = split(contract_of(terms.text), frame(rows))
    assert found.gone == oracle(terms, rows)
    assert found.first == [reasons[0] for reasons in found.gone.values()]
    assert sorted([*found.stay, *found.gone]) == sorted((row[FILE_INDEX], row[ROW_NUMBER]) for row in rows)
    assert found.broken_rows == len(found.gone)


@settings(max_examples=40, deadline=None)
@given(terms(), ROWS)
def test_a_rule_about_single_rows_counts_the_rows_that_go_for_it(terms, rows):
    found = split(contract_of(terms.text), frame(rows))
    named = Counter(name for reasons in found.gone.values() for name in reasons)
    alone = {name: count for name, count in found.counts.items() if name in ROW_RULES}
    assert alone == {name: named[name] for name in alone}
    assert {name for name, count in found.counts.items() if count} == set(named)


@settings(max_examples=40, deadline=None)
@given(terms(), ROWS)
def test_the_rows_that_stay_break_nothing_that_sends_rows_away(terms, rows):
    """Judged again by themselves, they all stay."""
    contract = contract_of(terms.text)
    first = split(contract, frame(rows))
    staying = frame([row for row in rows if (row[FILE_INDEX], row[ROW_NUMBER]) in first.stay])
    again = split(contract, staying)
    assert (again.stay, again.gone, again.broken_rows) == (first.stay, {}, 0)
    assert set(again.counts.values()) <= {0}


@settings(max_examples=40, deadline=None)
@given(terms(), ROWS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))), st.integers(1, 4))
def test_neither_the_order_of_rows_nor_their_chunks_change_what_goes(terms, orders, chunks):
    contract, (rows, shuffled) = contract_of(terms.text), orders
    one, other = split(contract, frame(rows)), split(contract, frame(list(shuffled)), chunks)
    assert (one.gone, one.counts, one.broken_rows) == (other.gone, other.counts, other.broken_rows)
    assert sorted(one.stay) == sorted(other.stay)


@settings(max_examples=40, deadline=None)
@given(terms(), ROWS, st.integers(1, 7), st.integers(1, 4))
def test_read_in_stretches_of_any_size_every_row_stays_or_goes_once_and_for_the_same_reasons(terms, rows, chunks, size):
    """[S3-019] However the file is cut into groups of rows: what stays and what goes, each in the candidate's order, is all there is."""
    with tempfile.TemporaryDirectory() as folder:
        candidate = candidate_of(frame(rows), Path(folder))
        frame(rows).write_parquet(candidate.path, row_group_size=chunks)
        whole = split_of(contract_of(terms.text), candidate, None)
        stretches = [whole.stretch(begin, size) for begin in range(0, whole.height, size)] or [whole]
        stay, gone = (pl.concat([part.collect() for part in side]) for side in zip(*map(both, stretches), strict=True))
        all_stay, all_gone = (side.collect() for side in both(whole))
    assert (stay.rows(), gone.rows()) == (all_stay.rows(), all_gone.rows())
    assert whole.height == len(rows) == stay.height + gone.height
    assert sorted([*places(stay), *places(gone)]) == sorted(places(frame(rows)))


def both(split: Split) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    return split.staying(), split.going()


def places(rows: pl.DataFrame) -> list[Place]:
    return rows.select(FILE_INDEX, ROW_NUMBER).rows()


@settings(max_examples=30, deadline=None)
@given(terms(), ROWS)
def test_what_is_asked_of_a_delivery_does_not_depend_on_what_happens_to_its_rows(terms, rows):
    """The findings about rows are the same whether they go to quarantine or hold the whole back."""
    findings = []
    for policy in ("quarantine", "fail"):
        contract = contract_of(terms.text.replace("on_breach: quarantine", f"on_breach: {policy}"))
        with tempfile.TemporaryDirectory() as folder:
            report = validate(contract, candidate_of(frame(rows), Path(folder)), AS_OF)
        findings.append([(item.id, item.outcome, item.breaches) for item in report.findings if item.id != "row_count"])
    assert findings[0] == findings[1]
    assert all(outcome is not Outcome.UNJUDGED for _, outcome, _ in findings[0])
