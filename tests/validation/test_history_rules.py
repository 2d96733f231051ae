"""History rules: each row beside the published one of the same key; what is not compared is counted, never broken in silence."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import polars as pl
import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import take_candidate
from contract_core.publication.decision import decide
from contract_core.validation.past import NONE_PUBLISHED, Past, Predecessor
from contract_core.validation.plan import validate
from tests.validation.judged import AS_OF, PARQUET, breaches, candidate_of, contract_of, finding, frame_of, outcomes

FIELDS = (
    "fields:\n  - {name: day, type: date}\n  - {name: region, type: string, nullable: true}\n"
    "  - {name: total, type: integer, nullable: true}\nkey: [day, region]\n"
)
BY_DAY = "delivery: {format: {type: parquet}, partition: {column: day, every: day, start: 2026-01-01}}\n"
BY_WEEK = BY_DAY.replace("every: day", "every: week")
SCHEMA = {"day": pl.Date, "region": pl.String, "total": pl.Int64}
GROWS = "history: [{name: grows, sql: total >= previous.total}]\n"
FIRST, SECOND = date(2026, 10, 1), date(2026, 10, 2)


def judged(text, rows, before, tmp_path, partition="2026-10-02"):
    """The report on rows of the second day, compared with these of the first."""
    contract = contract_of(FIELDS + text + ("" if "delivery:" in text else BY_DAY))
    candidate = candidate_of(frame_of(SCHEMA, *rows), tmp_path, partition=partition)
    past = Past(predecessor=Predecessor(frame_of(SCHEMA, *before).lazy(), "p" * 64))
    return validate(contract, candidate, AS_OF, past)


def today(region, total):
    return (SECOND, region, total)


def before(region, total, day=FIRST):
    return (day, region, total)


COUNTS = ("judged", "broken", "unknown", "skipped", "ambiguous", "undecoded")


def counts(report, name="grows.history"):
    return tuple(finding(report, name).details[each] for each in COUNTS)


def test_a_row_that_keeps_the_rule_beside_its_predecessor(tmp_path):
    report = judged(GROWS, [today("a", 2)], [before("a", 1)], tmp_path)
    assert (breaches(report), counts(report)) == ({}, (1, 0, 0, 0, 0, 0))


def test_a_row_that_breaks_it_is_counted(tmp_path):
    report = judged(GROWS, [today("a", 1), today("b", 9)], [before("a", 2), before("b", 9)], tmp_path)
    assert (breaches(report), counts(report)) == ({"grows.history": 1}, (2, 1, 0, 0, 0, 0))


def test_a_row_without_predecessor_is_not_compared(tmp_path):
    report = judged(GROWS, [today("a", 1), today("new", 1)], [before("a", 1)], tmp_path)
    assert (breaches(report), counts(report)) == ({}, (1, 0, 0, 1, 0, 0))


@pytest.mark.parametrize(
    ("on_null", "broken"), [pytest.param("", 2, id="breach"), pytest.param(", on_null: keep", 0, id="keep")]
)
def test_an_unknown_answer_breaks_the_rule_unless_the_contract_says_that_it_keeps_it(on_null, broken, tmp_path):
    rule = f"history: [{{name: grows, sql: total >= previous.total{on_null}}}]\n"
    report = judged(rule, [today("a", None), today("b", 1)], [before("a", 1), before("b", None)], tmp_path)
    assert counts(report) == (2, broken, 2, 0, 0, 0)
    assert finding(report, "grows.history").breaches == broken


def test_two_nulls_of_the_key_are_equal(tmp_path):
    report = judged(GROWS, [today(None, 1)], [before(None, 2)], tmp_path)
    assert counts(report) == (1, 1, 0, 0, 0, 0)


def test_of_several_rows_of_a_key_the_latest_is_the_predecessor(tmp_path):
    published = [before("a", 9), before("a", 3, FIRST + timedelta(days=1))]
    report = judged(GROWS + BY_WEEK, [(date(2026, 10, 4), "a", 5)], published, tmp_path, "2026-10-04")
    assert (breaches(report), counts(report)) == ({}, (1, 0, 0, 0, 0, 0))


def test_where_there_are_still_several_none_of_them_is_taken(tmp_path):
    report = judged(GROWS, [today("a", 1), today("b", 1)], [before("a", 2), before("a", 3), before("b", 1)], tmp_path)
    assert (breaches(report), counts(report)) == ({}, (1, 0, 0, 0, 1, 0))


def test_rows_of_one_key_are_each_compared_with_its_predecessor(tmp_path):
    rows = [(date(2026, 10, 4), "a", 1), (date(2026, 10, 5), "a", 3)]
    report = judged(GROWS + BY_WEEK, rows, [before("a", 2)], tmp_path, "2026-10-04")
    assert counts(report) == (2, 1, 0, 0, 0, 0)


def test_a_key_of_nothing_but_the_partition_joins_every_row_to_the_latest(tmp_path):
    contract = contract_of(FIELDS.replace("key: [day, region]", "key: [day]") + GROWS + BY_WEEK)
    rows = frame_of(SCHEMA, (date(2026, 10, 4), "a", 3), (date(2026, 10, 5), "b", 5))
    published = frame_of(SCHEMA, before("x", 9), before("y", 4, SECOND)).lazy()
    candidate = candidate_of(rows, tmp_path, partition="2026-10-04")
    report = validate(contract, candidate, AS_OF, Past(predecessor=Predecessor(published, "p")))
    assert counts(report) == (2, 1, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        pytest.param("24%", {"grows.history": 1}, id="more than is borne"),
        pytest.param("25%", {}, id="just what is borne"),
        pytest.param("0%", {"grows.history": 1}, id="nothing is borne"),
    ],
)
def test_a_share_of_the_rows_may_break_the_rule(share, expected, tmp_path):
    rule = f"history: [{{name: grows, sql: total >= previous.total, max_share: {share}}}]\n"
    rows = [today("a", 1), today("b", 1), today("c", 1), today("d", 0), today("new", 0)]
    report = judged(rule, rows, [before(region, 1) for region in "abcd"], tmp_path)
    assert (breaches(report), counts(report)) == (expected, (4, 1, 0, 1, 0, 0))


def test_several_rules_are_asked_of_one_join(tmp_path):
    rules = "{name: grows, sql: total >= previous.total}, {name: calm, sql: total < 2 * previous.total, severity: warn}"
    rows = [today("a", 1), today("b", 9)]
    report = judged(f"history: [{rules}]\n", rows, [before("a", 2), before("b", 4)], tmp_path)
    assert breaches(report) == {"grows.history": 1, "calm.history": 1}


VANISHED = "history: [{name: back, vanished: true}]\n"


def test_every_published_key_is_there_again(tmp_path):
    report = judged(VANISHED, [today("a", 1), today("new", 1)], [before("a", 9)], tmp_path)
    assert breaches(report) == {}
    assert finding(report, "back.history").details == {"keys": 1, "gone": 0, "undecoded": 0}


def test_published_keys_that_are_gone_are_counted_once_each(tmp_path):
    report = judged(
        VANISHED, [today("a", 1)], [before("a", 1), before("b", 1), before("b", 2), before(None, 1)], tmp_path
    )
    assert breaches(report) == {"back.history": 2}
    assert finding(report, "back.history").details == {"keys": 3, "gone": 2, "undecoded": 0}


@pytest.mark.parametrize(
    ("share", "expected"), [pytest.param("49%", {"back.history": 1}, id="more"), pytest.param("50%", {}, id="just so")]
)
def test_a_share_of_the_published_keys_may_vanish(share, expected, tmp_path):
    rule = f"history: [{{name: back, vanished: true, max_share: {share}}}]\n"
    assert breaches(judged(rule, [today("a", 1)], [before("a", 1), before("b", 1)], tmp_path)) == expected


def test_where_nothing_is_published_the_rules_are_kept_and_say_so(tmp_path):
    contract = contract_of(
        FIELDS + "history: [{name: g, sql: total >= previous.total}, {name: v, vanished: true}]\n" + PARQUET
    )
    candidate = candidate_of(frame_of(SCHEMA, today("a", 1)), tmp_path)
    report = validate(contract, candidate, AS_OF, Past(predecessor=NONE_PUBLISHED))
    found = [finding(report, name) for name in ("g.history", "v.history")]
    reason = "nothing is published that it could be compared with"
    assert [(item.outcome.value, item.reason) for item in found] == [("kept", reason)] * 2
    assert (report.learned.baseline, decide(report, contract).verdict.value) == (None, "publish")


def test_where_nobody_looked_nothing_is_judged(tmp_path):
    contract = contract_of(FIELDS + GROWS + PARQUET)
    report = validate(contract, candidate_of(frame_of(SCHEMA, today("a", 1)), tmp_path), AS_OF)
    assert outcomes(report) == {"grows.history": ("unjudged", 0)}
    assert finding(report, "grows.history").reason == "nobody looked at the published table"
    assert decide(report, contract).verdict.value == "refuse"


def test_the_report_names_the_submission_that_was_compared_with(tmp_path):
    assert judged(GROWS, [today("a", 1)], [before("a", 1)], tmp_path).learned.baseline == "p" * 64


PUBLISHED = [
    pytest.param({"day": pl.Date, "region": pl.String}, "the published table has no column 'total' yet: let the rule only warn until a delivery with it is published", id="missing"),
    pytest.param({"day": pl.Date, "region": pl.String, "total": pl.String}, "its condition does not fit the types that are published: integer and string do not compare", id="unfit"),
    pytest.param({"day": pl.Date, "region": pl.Int64, "total": pl.Int64}, "column 'region' is Int64 in the published table and String in this delivery", id="another key"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "reason"), PUBLISHED)
def test_what_the_published_table_cannot_answer_is_unjudged(schema, reason, tmp_path):
    contract = contract_of(FIELDS + GROWS + BY_DAY)
    candidate = candidate_of(frame_of(SCHEMA, today("a", 1)), tmp_path, partition="2026-10-02")
    report = validate(contract, candidate, AS_OF, Past(predecessor=Predecessor(pl.LazyFrame(schema=schema), "p")))
    assert (outcomes(report), finding(report, "grows.history").reason) == ({"grows.history": ("unjudged", 0)}, reason)


def test_the_latest_row_is_not_told_without_the_column_of_the_partition(tmp_path):
    contract = contract_of(FIELDS + GROWS + BY_WEEK)
    candidate = candidate_of(frame_of(SCHEMA, today("a", 1)), tmp_path, partition="2026-09-27")
    there = pl.LazyFrame(schema={"region": pl.String, "total": pl.Int64})
    report = validate(contract, candidate, AS_OF, Past(predecessor=Predecessor(there, "p")))
    assert (
        finding(report, "grows.history").reason
        == "the published table has no column 'day' yet: let the rule only warn until a delivery with it is published"
    )


def test_a_column_that_the_delivery_lacks_leaves_its_rule_unjudged(tmp_path):
    contract = contract_of(FIELDS + GROWS + BY_DAY)
    rows = frame_of(SCHEMA, today("a", 1)).drop("total")
    past = Past(predecessor=Predecessor(frame_of(SCHEMA, before("a", 1)).lazy(), "p"))
    report = validate(contract, candidate_of(rows, tmp_path, partition="2026-10-02"), AS_OF, past)
    assert finding(report, "grows.history").reason == "the delivery has no column 'total'"


def test_only_what_is_published_needs_a_column_that_is_asked_of_nothing_else(tmp_path):
    """A field that left the deliveries can still be looked at where it is published."""
    contract = contract_of(
        FIELDS.replace("nullable: true}\nkey", "nullable: true, required: false}\nkey")
        + "history: [{name: was, sql: previous.total > 0}]\n" + BY_DAY
    )  # fmt: skip
    past = Past(predecessor=Predecessor(frame_of(SCHEMA, before("a", 0)).lazy(), "p"))
    rows = frame_of(SCHEMA, today("a", 1)).drop("total")
    report = validate(contract, candidate_of(rows, tmp_path, partition="2026-10-02"), AS_OF, past)
    assert breaches(report) == {"was.history": 1}


KEYS = [
    pytest.param("integer", pl.UInt64, pl.Int64, 7, id="whole numbers of any width"),
    pytest.param("number", pl.Float32, pl.Float64, 0.5, id="floats"),
    pytest.param("number", pl.Float64, pl.Float64, float("nan"), id="NaN"),
    pytest.param("number", pl.Decimal(10, 2), pl.Decimal(10, 2), Decimal("1.50"), id="decimals"),
    pytest.param("string", pl.Categorical, pl.String, "x", id="categories"),
    pytest.param("boolean", pl.Boolean, pl.Boolean, True, id="booleans"),
    pytest.param("binary", pl.Binary, pl.Binary, b"x", id="bytes"),
    pytest.param("duration", pl.Duration("ms"), pl.Duration("us"), timedelta(seconds=1), id="durations"),
    pytest.param("timestamp", pl.Datetime("ns"), pl.Datetime("us"), datetime(2026, 1, 1), id="moments"),
    pytest.param("timestamp", pl.Datetime("ms", "Europe/Rome"), pl.Datetime("us", "UTC"), datetime(2026, 1, 1, tzinfo=UTC), id="moments of a zone"),
]  # fmt: skip


@pytest.mark.parametrize(("family", "offered", "published", "value"), KEYS)
def test_keys_are_found_again_in_the_types_that_a_table_has_for_them(family, offered, published, value, tmp_path):
    text = f"fields: [{{name: k, type: {family}, allow_nan: true}}, {{name: n, type: integer}}]\nkey: [k]\n"
    contract = contract_of(
        text.replace(", allow_nan: true", "" if family != "number" else ", allow_nan: true")
        + "history: [{name: grows, sql: n > previous.n}]\n"
        + PARQUET
    )
    rows = pl.DataFrame({"k": pl.Series([value]).cast(offered), "n": [1]})
    past = Past(predecessor=Predecessor(pl.LazyFrame({"k": pl.Series([value]).cast(published), "n": [1]}), "p"))
    assert counts(validate(contract, candidate_of(rows, tmp_path), AS_OF, past)) == (1, 1, 0, 0, 0, 0)


def test_moments_with_and_without_a_zone_are_no_key_of_each_other(tmp_path):
    contract = contract_of(
        "fields: [{name: k, type: timestamp}, {name: n, type: integer}]\nkey: [k]\nhistory: [{name: grows, sql: n > previous.n}]\n"
        + PARQUET
    )
    rows = pl.DataFrame({"k": [datetime(2026, 1, 1)], "n": [1]})
    there = pl.LazyFrame({"k": [datetime(2026, 1, 1, tzinfo=UTC)], "n": [1]})
    report = validate(contract, candidate_of(rows, tmp_path), AS_OF, Past(predecessor=Predecessor(there, "p")))
    assert outcomes(report) == {"grows.history": ("unjudged", 0)}


QUARANTINED = "enforcement: {on_breach: quarantine}\nrules: [{name: sane, sql: total < 100}]\n"


def test_quarantine_is_asked_of_the_rows_that_stay(tmp_path):
    """The row that goes breaks the rule as well, and is not asked; a key of which no row stays is gone."""
    rules = "history: [{name: falls, sql: total <= previous.total}, {name: back, vanished: true, severity: warn}]\n"
    report = judged(QUARANTINED + rules, [today("a", 500), today("b", 1)], [before("a", 1), before("b", 1)], tmp_path)
    assert breaches(report) == {"sane.row_rule": 1, "back.history": 1}
    assert counts(report, "falls.history") == (1, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        pytest.param("fail", "refuse", id="fail"),
        pytest.param("quarantine", "refuse", id="quarantine: it is about no single row"),
        pytest.param("warn", "publish", id="warn"),
    ],
)
def test_what_a_broken_history_rule_does_follows_the_policy(policy, verdict, tmp_path):
    text = f"enforcement: {{on_breach: {policy}}}\n" + GROWS
    report = judged(text, [today("a", 1)], [before("a", 2)], tmp_path)
    assert decide(report, contract_of(FIELDS + text + BY_DAY)).verdict.value == verdict


def test_a_rule_that_only_warns_holds_nothing_back(tmp_path):
    text = "history: [{name: grows, sql: total >= previous.total, severity: warn}]\n"
    report = judged(text, [today("a", 1)], [before("a", 2)], tmp_path)
    decision = decide(report, contract_of(FIELDS + text + BY_DAY))
    assert (decision.verdict.value, decision.warnings) == ("publish", ("grows.history",))


def test_names_that_sql_and_polars_read_otherwise(tmp_path):
    """A field may be called like a qualified column; then only the qualified one can be asked for."""
    fields = 'fields: [{name: "a b", type: string}, {name: "previous.n", type: string}, {name: "n", type: integer}]\nkey: ["a b", previous.n]\n'
    contract = contract_of(
        fields + 'history: [{name: grows, sql: \'"n" > previous."n"\'}, {name: back, vanished: true}]\n' + PARQUET
    )
    rows = pl.DataFrame({"a b": ["x"], "previous.n": ["y"], "n": [1]})
    past = Past(predecessor=Predecessor(rows.lazy(), "p"))
    report = validate(contract, candidate_of(rows, tmp_path), AS_OF, past)
    assert (counts(report), finding(report, "back.history").details["keys"]) == ((1, 1, 0, 0, 0, 0), 1)


TEXT = (
    "fields: [{name: k, type: integer, severity: {type: error}}, {name: n, type: integer}, {name: m, type: integer}]\nkey: [k]\n"
    "history: [{name: grows, sql: n > previous.n}, {name: also, sql: m > previous.m}, {name: back, vanished: true}]\n"
)


def report_on_text(text, published, tmp_path, contract_text=TEXT):
    contract = contract_of(contract_text)
    (tmp_path / "x.csv").write_text(text)
    candidate = take_candidate(contract, collect_delivery(contract, [tmp_path / "x.csv"], None), tmp_path / "c", AS_OF)
    frame = pl.LazyFrame(published, schema=["k", "n", "m"], orient="row")
    return validate(contract, candidate, AS_OF, Past(predecessor=Predecessor(frame, "p")))


def test_a_text_that_did_not_decode_is_judged_by_its_type_alone(tmp_path):
    report = report_on_text("k,n,m\n1,two,1\n2,1,1\n", [(1, 1, 1), (2, 1, 1)], tmp_path)
    assert counts(report) == (1, 1, 0, 0, 0, 1)
    assert counts(report, "also.history") == (2, 2, 0, 0, 0, 0)
    assert breaches(report) == {"n.type": 1, "grows.history": 1, "also.history": 2}


def test_a_key_that_did_not_decode_may_be_any_that_is_gone(tmp_path):
    report = report_on_text("k,n,m\none,9,9\n2,9,9\n", [(1, 1, 1), (2, 1, 1), (3, 1, 1)], tmp_path)
    assert counts(report) == (1, 0, 0, 0, 0, 1)
    assert finding(report, "back.history").details == {"keys": 3, "gone": 1, "undecoded": 1}


def test_a_key_that_did_not_decode_forgives_no_key_where_none_is_gone(tmp_path):
    report = report_on_text("k,n,m\none,9,9\n2,9,9\n", [(2, 1, 1)], tmp_path)
    assert finding(report, "back.history").details == {"keys": 1, "gone": 0, "undecoded": 1}


def test_several_files_are_one_delivery(tmp_path):
    contract = contract_of(TEXT)
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing" / "x.csv").write_text("k,n,m\n1,0,9\n")
    (tmp_path / "landing" / "y.csv").write_text("k,n,m\n2,9,9\n")
    delivery = collect_delivery(contract, [tmp_path / "landing"], None)
    frame = pl.LazyFrame([(1, 1, 1), (2, 1, 1), (3, 1, 1)], schema=["k", "n", "m"], orient="row")
    candidate = take_candidate(contract, delivery, tmp_path / "c", AS_OF)
    report = validate(contract, candidate, AS_OF, Past(predecessor=Predecessor(frame, "p")))
    assert breaches(report) == {"grows.history": 1, "back.history": 1}
