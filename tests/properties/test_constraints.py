"""Law: the constraint that a Delta table stores and the gate's own rule give the same verdict, row by row."""

import tempfile
from pathlib import Path

import polars as pl
from deltalake import DeltaTable, Schema, write_deltalake
from deltalake.exceptions import DeltaError
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from contract_core.contract.parsing import parse_contract
from contract_core.publication.published_schema import published_columns
from contract_core.validation.row_rules import kept
from contract_core.validation.schema_match import Columns
from contract_core.validation.sql import target_rules
from contract_core.validation.target_rule import TargetRule
from tests.properties.constraint_cases import ALPHABET, CASES, PATTERNS, Case, strings
from tests.properties.row_rules import SCHEMA, Node, Row, conditions, rows

SLOW = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def published(text: str, frame: pl.DataFrame) -> pl.DataFrame:
    columns = published_columns(parse_contract(text, "c.yaml"), frame.schema, {})
    return frame.select(column.rows for column in columns)


def constrained(folder: str, schema: pl.Schema, rule: TargetRule) -> DeltaTable:
    """An empty table that has the rule as its only constraint."""
    place = Path(folder, rule.name)
    table = DeltaTable.create(place, Schema.from_arrow(schema))
    table.alter.add_constraint({rule.name: rule.predicate})
    return DeltaTable(place)


def takes(table: DeltaTable, rows_: pl.DataFrame) -> bool:
    """Whether a writer that knows nothing of the gate gets these rows in."""
    try:
        write_deltalake(table, rows_, mode="append")
    except DeltaError as error:
        if "Invalid data found" not in str(error):
            raise
        return False
    return True


def verdicts(text: str, frame: pl.DataFrame) -> dict[str, tuple[list[bool], list[bool]]]:
    """For each covered rule what the gate says of each row, and what the table says that stores it."""
    contract, written = parse_contract(text, "c.yaml"), published(text, frame)
    columns = Columns(frame.schema, is_text=False)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for rule in target_rules(contract, written.schema):
            if rule.predicate is not None:
                gate = frame.select(kept(rule.obligation.promise, columns)).to_series().to_list()
                table = constrained(folder, written.schema, rule)
                found[rule.obligation.id] = gate, answers(table, written, gate)
    return found


def answers(table: DeltaTable, written: pl.DataFrame, gate: list[bool]) -> list[bool]:
    """Every row that the gate keeps in one write, and each of the others by itself."""
    if takes(table, written.filter(pl.Series(gate))):
        return [keeps or takes(table, written[place]) for place, keeps in enumerate(gate)]
    return [takes(table, written[place]) for place in range(written.height)]


@SLOW
@given(CASES)
def test_a_stored_constraint_and_the_gate_agree_on_every_row_of_a_field(case: Case) -> None:
    """S1-050, S1-052: bounds at and beside the edge, NaN, -0.0, blanks, Unicode, patterns: same verdict in both places."""
    for name, (gate, table) in verdicts(case.text, case.frame).items():
        rows_ = zip(gate, table, case.values, strict=True)
        assert all(theirs is ours or (ours and value in case.let_through) for theirs, ours, value in rows_), (
            name,
            case,
        )


@SLOW
@given(strings())
def test_a_stored_text_rule_and_the_gate_agree(case: Case) -> None:
    """S1-050: texts are judged by code points, by the same white space and by the same regular expressions."""
    for name, (gate, table) in verdicts(case.text, case.frame).items():
        assert gate == table, (name, case)


FIELDS = {
    "i": "int64", "u": "uint64", "k": "int8", "m": '"decimal(12,2)"', "f": "float64", "s": "string", "t": "string", "d": "date",
    "b": "boolean", "c": "boolean",
}  # fmt: skip


def row_rule(sql: str, on_null: str) -> str:
    fields = "".join(f"  - {{name: {name}, type: {type_}, nullable: true}}\n" for name, type_ in FIELDS.items())
    quoted = sql.replace("'", "''").replace("\n", "\n\n")
    rule = f"rules:\n  - {{name: r, on_null: {on_null}, sql: '{quoted}'}}\n"
    return f'contract: cases\nversion: "1.0.0"\nfields:\n{fields}{rule}'


def holds(node: Node, given_rows: list[Row], on_null: str) -> None:
    frame = pl.DataFrame(given_rows, schema=SCHEMA)
    text = row_rule(node[0], on_null)
    for gate, table in verdicts(text, frame).values():
        assert gate == table, (node[0], on_null, given_rows)


@SLOW
@given(
    conditions.filter(lambda node: len(node[0]) < 500),
    st.lists(rows, min_size=1, max_size=5),
    st.sampled_from(["keep", "breach"]),
)
def test_a_row_rule_that_the_target_takes_agrees_with_the_gate(node: Node, given_rows: list[Row], on_null: str) -> None:
    """S1-050: three-valued logic, NaN and whole numbers beyond 64 bits: a rule agrees, or is left to the gate alone."""
    holds(node, given_rows, on_null)


quoted = st.text(ALPHABET, max_size=3).map(lambda text: "'" + text.replace("'", "''") + "'")
number = st.sampled_from(
    ["0", "-1", "2.5", "0.0", "9223372036854775807", "-9223372036854775809", "127", "100.005", "-0.01"]
)
operators = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
day = st.sampled_from(["DATE '2026-10-01'", "DATE '1900-01-01'"])
sums = st.sampled_from(["i + k", "i - 5", "k * k - i", "2 * i", "i + i + i", "k * 3", "i - k - 9223372036854775807"])
atoms = st.one_of(
    st.tuples(st.sampled_from(["i", "u", "k", "m", "f", "LENGTH(s)"]), operators, number).map(" ".join),
    st.tuples(number, operators, st.sampled_from(["i", "m", "f"])).map(" ".join),
    st.tuples(sums, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), number.filter(lambda n: "." not in n) | sums).map(" ".join),
    st.tuples(st.sampled_from(["s", "t"]), operators, quoted).map(" ".join),
    st.tuples(st.just("d"), operators, day).map(" ".join),
    st.tuples(st.sampled_from(["i", "m", "f", "u"]), number, number).map("{0[0]} BETWEEN {0[1]} AND {0[2]}".format),
    st.tuples(st.sampled_from(["i", "m", "f", "k"]), st.lists(number, min_size=1, max_size=7).map(", ".join)).map("{0[0]} IN ({0[1]})".format),
    st.tuples(st.just("s"), st.lists(quoted, min_size=1, max_size=7).map(", ".join)).map("{0[0]} NOT IN ({0[1]})".format),
    st.tuples(st.sampled_from(["LIKE", "NOT LIKE"]), quoted).map("s {0[0]} {0[1]}".format),
    st.tuples(st.sampled_from(["STARTS_WITH", "ENDS_WITH"]), quoted).map("{0[0]}(s, {0[1]})".format),
    st.sampled_from(PATTERNS).map(lambda p: "REGEXP_LIKE(s, '" + p.replace("'", "''") + "')"),
    st.sampled_from(["b", "c", "b IS TRUE", "b IS NOT FALSE", "f IS NULL", "s IS NOT NULL", "i = k", "i < k", "s = t", "s >= t", "b = c", "b = TRUE"]),
)  # fmt: skip
formulas = st.recursive(
    atoms,
    lambda parts: st.one_of(
        st.tuples(parts, st.sampled_from(["AND", "OR"]), parts).map("({0[0]} {0[1]} {0[2]})".format),
        parts.map("(NOT ({}))".format),
        st.tuples(parts, st.sampled_from(["=", "<>"]), parts).map("(({0[0]}) {0[1]} ({0[2]}))".format),
        st.tuples(parts, st.sampled_from(["TRUE", "NOT TRUE", "FALSE"])).map("(({0[0]}) IS {0[1]})".format),
    ),
    max_leaves=4,
)
near = st.fixed_dictionaries(
    {
        "i": st.none() | st.sampled_from([0, -1, 2, 3, 2**63 - 1, -(2**63)]),
        "u": st.none() | st.sampled_from([0, 2, 3, 2**63 - 1, 2**64 - 1]),
        "k": st.none() | st.sampled_from([-128, -1, 0, 2, 127]),
        "m": st.none() | st.decimals(-3, 3, places=2),
        "f": st.none() | st.sampled_from([0.0, -0.0, 2.5, float("nan"), float("inf"), -float("inf"), 100.005, -0.01]),
        "s": st.none() | st.text(ALPHABET, max_size=3),
        "t": st.none() | st.text(ALPHABET, max_size=3),
        "d": rows.map(lambda row: row["d"]),
        "b": st.none() | st.booleans(),
        "c": st.none() | st.booleans(),
    }
)


@settings(SLOW, max_examples=120)
@given(formulas, st.lists(near, min_size=1, max_size=6), st.sampled_from(["keep", "breach"]))
def test_a_row_rule_of_what_the_target_knows_agrees_with_the_gate(
    sql: str, given_rows: list[Row], on_null: str
) -> None:
    """S1-050, S1-052: comparisons, lists, patterns and exact sums under AND, OR, NOT and IS, whatever is missing."""
    holds((sql, lambda row: row), given_rows, on_null)


@given(
    st.lists(st.floats(width=32, allow_nan=False) | st.sampled_from([0.1, 0.3]), min_size=1, max_size=8),
    st.sampled_from([0.1, 0.3, -0.1, 1.0, 16777217.0]),
)
@settings(SLOW, max_examples=30)
@example([0.1], 0.1)
def test_the_target_never_refuses_what_the_gate_accepted_in_a_narrower_type(values: list[float], bound: float) -> None:
    """S1-050: a family delivered as Float32 is judged by the bound's nearest Float32, and published as Float64."""
    rules = {"min": str(bound - 1), "max": str(bound), "severity": "{not_finite: warn}"}
    case = Case("number", pl.Float32(), rules, pl.Series(values, dtype=pl.Float32).to_list())
    for name, (gate, table) in verdicts(case.text, case.frame).items():
        assert all(ours or not theirs for theirs, ours in zip(gate, table, strict=True)), (name, case)
