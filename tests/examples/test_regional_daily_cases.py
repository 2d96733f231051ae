"""The worked example of regional cases: every fixture that its source asks for, in CSV and, where types are physical, in Parquet."""

from datetime import date, datetime

import polars as pl
import pytest

from tests.examples.offering import contract_of, offer_parquet, offer_text, shipped, shipped_text

DAY = "2026-10-01"
HEADER = "region_code;report_date;case_count;status;note\n"
GOOD = "NL11;01-10-2026;14;final;\nNL12;01-10-2026;0;final;no new cases\n"
PARQUET = """\
contract: regional_daily_cases
version: "1.0.0"
key: [region_code, report_date]
fields:
  - {name: region_code, type: string, not_blank: space}
  - {name: report_date, type: date}
  - {name: case_count, type: int64, min: 0}
  - {name: status, type: string, enum: [provisional, final]}
delivery:
  format: {type: parquet}
  partition: {every: day, column: report_date, timezone: UTC, start: 2026-10-01}
"""
SCHEMA = {"region_code": pl.String, "report_date": pl.Date, "case_count": pl.Int64, "status": pl.String}
FIRST = date(2026, 10, 1)


def frame(*rows):
    return pl.DataFrame(list(rows), schema=SCHEMA, orient="row")


SOUND = frame(("NL11", FIRST, 14, "final"), ("NL12", FIRST, 0, "provisional"))
CSV_MUTATIONS = [
    pytest.param(HEADER + GOOD, {}, id="baseline"),
    pytest.param(
        "report_date;status;note;case_count;region_code\n01-10-2026;final;;14;NL11\n01-10-2026;final;;1;NL12\n",
        {},
        id="S1-020 other order of columns",
    ),
    pytest.param(
        "region_code;report_date;case_count;status\nNL11;01-10-2026;14;final\nNL12;01-10-2026;1;final\n",
        {},
        id="S3-007 optional column left out",
    ),
    pytest.param(
        HEADER[:-1] + ";source\nNL11;01-10-2026;14;final;;x\nNL12;01-10-2026;1;final;;y\n",
        {"extra_field": 1},
        id="S1-021 extra column",
    ),
    pytest.param(HEADER + GOOD.replace("14", "many"), {"case_count.type": 1}, id="S1-023 text for a number"),
    pytest.param(HEADER + GOOD.replace("14", "14.0"), {"case_count.type": 1}, id="S1-023 whole number with a fraction"),
    pytest.param(
        HEADER + GOOD.replace("14", "9223372036854775808"), {"case_count.type": 1}, id="S1-023 too large for int64"
    ),
    pytest.param(
        HEADER + GOOD.replace("01-10-2026;14", "2026-10-01;14"),
        {"report_date.type": 1},
        id="S1-023 date in another form",
    ),
    pytest.param(
        HEADER + GOOD.replace("01-10-2026;14", "31-09-2026;14"), {"report_date.type": 1}, id="S1-023 no such day"
    ),
    pytest.param(HEADER + GOOD.replace("14;", "-1;"), {"case_count.range": 1}, id="S1-025 negative count"),
    pytest.param(HEADER + GOOD.replace("14;final", "14;draft"), {"status.enum": 1}, id="S1-024 invalid status"),
    pytest.param(
        HEADER + GOOD.replace("14;final", "14;Final"), {"status.enum": 1}, id="S1-024 status in other letters"
    ),
    pytest.param(HEADER + GOOD + "NL11;01-10-2026;15;final;\n", {"key": 1}, id="S1-026 duplicate key"),
    pytest.param(
        HEADER + GOOD + ";01-10-2026;15;final;\n", {"region_code.null": 1}, id="S1-027 S1-085 region_code empty"
    ),
    pytest.param(
        HEADER + GOOD + "  ;01-10-2026;15;final;\n",
        {"region_code.pattern": 1, "region_code.blank": 1, "coverage.unexpected": 1},
        id="S1-027 S1-085 region_code spaces",
    ),
    pytest.param(
        HEADER + GOOD + "\t;01-10-2026;15;final;\n",
        {"region_code.pattern": 1, "region_code.blank": 1, "coverage.unexpected": 1},
        id="S1-085 region_code tab",
    ),
    pytest.param(
        HEADER + GOOD + '"\n";01-10-2026;15;final;\n',
        {"region_code.pattern": 1, "region_code.blank": 1, "coverage.unexpected": 1},
        id="S1-085 region_code newline",
    ),
    pytest.param(
        HEADER + GOOD.replace("NL11;01-10-2026", "NL11;"), {"report_date.null": 1}, id="S1-030 report_date empty"
    ),
    pytest.param(HEADER + GOOD.replace(";14;", ";;"), {"case_count.null": 1}, id="S1-030 case_count empty"),
    pytest.param(HEADER + GOOD.replace("14;final", "14;"), {"status.null": 1}, id="S1-030 status empty"),
    pytest.param(
        HEADER + GOOD.replace("01-10-2026;14", "02-10-2026;14"), {"partition": 1}, id="S2-021 row of another day"
    ),
    pytest.param(
        HEADER + GOOD.replace("NL12", "NL13"),
        {"coverage.missing": 1, "coverage.unexpected": 1},
        id="S1-029 S1-102 region that is not in the register",
    ),
    pytest.param(
        HEADER + "NL11;01-10-2026;14;final;\n", {"coverage.missing": 1}, id="S1-102 region that did not report"
    ),
    pytest.param(
        HEADER + GOOD.replace("no new cases", " no new cases"),
        {"note.untrimmed": 1},
        id="outer blank in an optional field",
    ),
    pytest.param(
        HEADER + GOOD.replace("no new cases", "x" * 201), {"note.length": 1}, id="S3-010 text over the longest length"
    ),
    pytest.param(HEADER + GOOD.replace("no new cases", "é" * 200), {}, id="S3-010 length counts characters, not bytes"),
]
PARQUET_MUTATIONS = [
    pytest.param(SOUND, {}, id="baseline"),
    pytest.param(
        SOUND.select("status", "case_count", "report_date", "region_code"), {}, id="S1-020 other order of columns"
    ),
    pytest.param(SOUND.with_columns(source=pl.lit("x")), {"extra_field": 1}, id="S1-021 extra column"),
    pytest.param(
        SOUND.with_columns(case_count=pl.lit(-1, pl.Int64)), {"case_count.range": 2}, id="S1-025 negative count"
    ),
    pytest.param(SOUND.with_columns(status=pl.lit("draft")), {"status.enum": 2}, id="S1-024 invalid status"),
    pytest.param(pl.concat([SOUND, SOUND]), {"key": 2}, id="S1-026 every row twice"),
    pytest.param(frame((None, FIRST, 1, "final")), {"region_code.null": 1}, id="S1-030 S1-031 region_code null"),
    pytest.param(frame(("NL11", None, 1, "final")), {"report_date.null": 1}, id="S1-030 S1-031 report_date null"),
    pytest.param(frame(("NL11", FIRST, None, "final")), {"case_count.null": 1}, id="S1-030 S1-031 case_count null"),
    pytest.param(frame(("NL11", FIRST, 1, None)), {"status.null": 1}, id="S1-030 S1-031 status null"),
    pytest.param(
        frame((None, None, None, None)),
        {"region_code.null": 1, "report_date.null": 1, "case_count.null": 1, "status.null": 1},
        id="S1-030 nothing at all",
    ),
    pytest.param(
        frame((None, FIRST, 1, "final"), (None, FIRST, 1, "final")),
        {"region_code.null": 2, "key": 1},
        id="S1-026 two nulls in a key are equal",
    ),
    pytest.param(SOUND.clear(), {"row_count": 1}, id="S1-070 no rows"),
]
WRONG_TYPES = [
    pytest.param("case_count", pl.String, id="S1-023 string for bigint"),
    pytest.param("case_count", pl.Int32, id="S1-023 int32 for int64"),
    pytest.param("case_count", pl.UInt64, id="S1-023 uint64 for int64"),
    pytest.param("case_count", pl.Float64, id="S1-023 float for int64"),
    pytest.param("case_count", pl.Boolean, id="S2-024 boolean for int64"),
    pytest.param("case_count", pl.Decimal(38, 0), id="S1-023 decimal for int64"),
    pytest.param("report_date", pl.Datetime("us"), id="S1-023 timestamp for date"),
    pytest.param("report_date", pl.String, id="S1-023 string for date"),
    pytest.param("status", pl.Binary, id="S1-023 bytes for string"),
]


@pytest.mark.parametrize("text, breached", CSV_MUTATIONS)
def test_a_mutated_csv_breaks_just_its_promises(text, breached, tmp_path):
    """S1-084: the fixtures of the example, one promise each."""
    offered = offer_text(shipped("regional_daily_cases"), text, DAY, tmp_path)
    assert (offered.breached, offered.unjudged) == (breached, set())
    assert offered.verdict == ("refuse" if breached else "publish")


@pytest.mark.parametrize("delivered, breached", PARQUET_MUTATIONS)
def test_a_mutated_parquet_file_breaks_just_its_promises(delivered, breached, tmp_path):
    """S1-084: the same where columns have types of their own."""
    offered = offer_parquet(contract_of(PARQUET), delivered, DAY, tmp_path)
    assert (offered.breached, offered.unjudged) == (breached, set())
    assert offered.verdict == ("refuse" if breached else "publish")


@pytest.mark.parametrize("name, dtype", WRONG_TYPES)
def test_a_column_of_another_type_is_refused_and_never_cast(name, dtype, tmp_path):
    """S1-018, S1-023, S1-100: all rows break the type, and the rules on the column are not judged."""
    wrong = SOUND.with_columns(pl.lit(None, dtype).alias(name))
    offered = offer_parquet(contract_of(PARQUET), wrong, DAY, tmp_path)
    assert offered.verdict == "refuse"
    assert offered.breached == {f"{name}.type": 2}
    assert f"{name}.null" in offered.unjudged


@pytest.mark.parametrize("dtype", [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64])
def test_a_family_takes_every_width_that_an_exact_type_refuses(dtype, tmp_path):
    """S1-023: widening is a term of the contract."""
    family = contract_of(PARQUET.replace("type: int64", "type: integer"))
    offered = offer_parquet(family, SOUND.with_columns(pl.col("case_count").cast(dtype)), DAY, tmp_path)
    assert (offered.verdict, offered.breached) == ("publish", {})


@pytest.mark.parametrize("name", SCHEMA)
def test_a_missing_column_is_refused_and_its_rules_are_not_judged(name, tmp_path):
    """S1-022, S1-084: nothing is filled in for a column that is not there."""
    offered = offer_parquet(contract_of(PARQUET), SOUND.drop(name), DAY, tmp_path)
    assert offered.verdict == "refuse"
    assert offered.breached == {f"{name}.missing": 1}
    assert {f"{name}.type", f"{name}.null"} <= offered.unjudged
    assert name not in offered.rows.columns


def test_a_missing_column_of_a_csv_is_refused_and_its_rules_are_not_judged(tmp_path):
    """S1-022: the same for text."""
    text = "region_code;report_date;status;note\nNL11;01-10-2026;final;\nNL12;01-10-2026;final;\n"
    offered = offer_text(shipped("regional_daily_cases"), text, DAY, tmp_path)
    assert (offered.verdict, offered.breached) == ("refuse", {"case_count.missing": 1})
    assert offered.unjudged == {"case_count.type", "case_count.null", "case_count.range", "zero_is_final.row_rule"}


@pytest.mark.parametrize(
    "minimum, verdict, breached",
    [(1, "refuse", {"row_count": 1, "coverage.missing": 2}), (0, "refuse", {"coverage.missing": 2})],
    ids=["rows are asked for", "no rows are fine, missing regions are not"],
)
def test_a_header_alone_is_no_sound_delivery(minimum, verdict, breached, tmp_path):
    """S1-070: absence of bad rows proves nothing."""
    contract = contract_of(shipped_text("regional_daily_cases") + f"rows: {{min: {minimum}}}\n")
    offered = offer_text(contract, HEADER, DAY, tmp_path)
    assert (offered.verdict, offered.breached) == (verdict, breached)
    assert offered.unjudged == {"freshness"}


def test_a_file_of_no_bytes_is_unreadable_and_nothing_in_it_counts_as_kept(tmp_path):
    """S1-070."""
    offered = offer_text(shipped("regional_daily_cases"), "", DAY, tmp_path)
    assert (offered.verdict, offered.breached) == ("refuse", {"unreadable": 1})
    assert {"case_count.range", "key", "row_count", "coverage.missing"} <= offered.unjudged


@pytest.mark.parametrize("kind, verdict", [("reject", "refuse"), ("ignore", "publish"), ("keep", "publish")])
def test_what_an_additional_column_does_is_said_by_the_contract(kind, verdict, tmp_path):
    """S1-101, S3-005: closed, dropped or kept."""
    contract = contract_of(PARQUET + f"extra_fields: {kind}\n")
    offered = offer_parquet(contract, SOUND.with_columns(source=pl.lit("x")), DAY, tmp_path)
    assert offered.verdict == verdict
    assert ("source" in offered.rows.columns) == (kind == "keep")


def test_a_rule_that_warns_lets_the_delivery_through_and_says_so(tmp_path):
    """S1-005, S1-105: zero cases that are not final are unusual, not wrong."""
    offered = offer_text(
        shipped("regional_daily_cases"), HEADER + GOOD.replace("0;final", "0;provisional"), DAY, tmp_path
    )
    assert (offered.verdict, offered.breached) == ("publish", {"zero_is_final.row_rule": 1})
    assert offered.decision.warnings == ("zero_is_final.row_rule",)


def test_old_cases_are_stale_and_not_wrong(tmp_path):
    """S1-002, S1-015: correctness and timeliness are separate verdicts."""
    from datetime import UTC

    from tests.examples.offering import DATA, offer

    later = datetime(2026, 11, 1, tzinfo=UTC)
    offered = offer(
        shipped("regional_daily_cases"), [DATA / "landing/regional_daily_cases/2026-10-01"], DAY, tmp_path, later
    )
    assert (offered.verdict, offered.breached) == ("publish", {"freshness": 1})
    assert offered.report.layers() == {"schema": "kept", "rows": "kept", "operations": "kept"}


def test_the_three_layers_of_a_contract_have_a_verdict_each(tmp_path):
    """S1-002: schema, rows and operations are told apart."""
    offered = offer_text(shipped("regional_daily_cases"), HEADER + "NL11;01-10-2026;many;draft;\n", DAY, tmp_path)
    assert offered.report.layers() == {"schema": "breached", "rows": "breached", "operations": "breached"}


def test_membership_in_a_register_is_believed_unless_the_contract_lists_it(tmp_path):
    """S1-029: with required regions it is checked, without them the report says that nobody did."""
    listed = offer_text(shipped("regional_daily_cases"), HEADER + GOOD, DAY, tmp_path)
    believed = offer_parquet(contract_of(PARQUET), SOUND, DAY, tmp_path)
    assert not any("register" in claim and claim.startswith("region_code") for claim in listed.report.unverified)
    assert any("register" in claim and claim.startswith("region_code") for claim in believed.report.unverified)


def test_nothing_of_a_row_stands_in_the_report(tmp_path):
    """S1-063, S1-064: keys, values and names from the data stay in the restricted area."""
    text = HEADER[:-1] + ";SECRET\nSECRET;01-10-2026;SECRET;SECRET; SECRET;1\nSECRET;01-10-2026;1;final;;1\n"
    offered = offer_text(shipped("regional_daily_cases"), text, DAY, tmp_path)
    assert set(offered.breached) == {
        "extra_field",
        "region_code.pattern",
        "case_count.type",
        "status.enum",
        "note.untrimmed",
        "key",
        "coverage.missing",
        "coverage.unexpected",
    }
    assert "SECRET" not in repr(offered.report)
    assert "SECRET" not in repr(offered.decision)
