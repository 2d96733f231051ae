"""A first contract from delivered files: these files keep it, types are strict, and nothing is guessed without a mark."""

import json
import os
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract_core.bootstrap.draft import REVIEW
from contract_core.contract.writing import contract_text
from contract_core.errors import CandidateUnreadableError, ContractCoreError, WrongUsageError
from tests.bootstrap.inferring import broken, field, infer, infer_text, types, written

DATA = Path(__file__).parents[2] / "data"
MANY = 60


def lines(*rows: str) -> str:
    return "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize(
    "days",
    [
        pytest.param(["ita_regions/2020-03-09", "ita_regions/2020-03-10"], id="two good days"),
        pytest.param(["ita_regions"], id="every day, spoiled ones too"),
        pytest.param(["orders"], id="orders"),
        pytest.param(["regional_daily_cases"], id="cases"),
    ],
)
def test_the_files_that_a_contract_comes_from_keep_it(tmp_path: Path, days: list[str]) -> None:
    """[S4-025] The first version is green by definition, held against by the product's own machinery."""
    found = infer(tmp_path, *(DATA / "landing" / day for day in days))
    assert all(not report.breached() for report in found.reports)
    assert found.rows > 0
    assert written(found) == found.draft.contract


def test_the_written_contract_judges_the_same_files_and_finds_a_spoiled_one(tmp_path: Path) -> None:
    """[S4-025] Infer, then validate the same data: it passes; other data does not."""
    found = infer(tmp_path, DATA / "landing/ita_regions/2020-03-09", DATA / "landing/ita_regions/2020-03-10")
    good = broken(found, tmp_path, DATA / "landing/ita_regions/2020-03-10", partition="2020-03-10")
    spoiled = broken(found, tmp_path, DATA / "landing/ita_regions/2020-03-06", partition="2020-03-06")
    assert good == []
    assert "data.type" in spoiled


VALUES = {
    "s": st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6),
    "i": st.integers(-(10**20), 10**20).map(str),
    "n": st.floats(allow_nan=True, allow_infinity=True).map(repr),
    "d": st.dates(date(1, 1, 1)).map(date.isoformat),
    "e": st.dates(date(1000, 1, 1)).map(lambda day: day.strftime("%d/%m/%Y")),
    "b": st.sampled_from(["true", "false", "TRUE", ""]),
    "z": st.sampled_from(["007", "7", "NA", "-", "1,5", "1.5", "", "null"]),
}


@settings(max_examples=15, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.fixed_dictionaries(VALUES), min_size=1, max_size=6), st.sampled_from(",;\t|"))
def test_any_csv_keeps_the_contract_inferred_from_it(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]], delimiter: str
) -> None:
    """[S4-025]"""
    folder = tmp_path_factory.mktemp("csv")
    content = pl.DataFrame(rows, schema=dict.fromkeys(VALUES, pl.String)).write_csv(
        separator=delimiter, quote_style="always"
    )
    found = infer_text(folder, content)
    assert broken(found, folder, folder / "cases.csv") == []


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**25), 10**25) | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.dates().map(date.isoformat),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=3,
)  # fmt: skip


@settings(max_examples=15, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from(["a", "b", "c"]), JSON_VALUES), min_size=1, max_size=5))
def test_any_json_lines_keep_the_contract_inferred_from_them(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]]
) -> None:
    """[S4-025]"""
    folder = tmp_path_factory.mktemp("json")
    content = "".join(json.dumps({"id": place, **record}) + "\n" for place, record in enumerate(records))
    found = infer_text(folder, content, "cases.jsonl")
    assert broken(found, folder, folder / "cases.jsonl") == []


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        pytest.param(["1", "-2"], "integer", id="whole numbers"),
        pytest.param(["1", "2.5"], "number", id="numbers"),
        pytest.param(["01", "2"], "string", id="a leading zero"),
        pytest.param(["+31612345678", "1"], "string", id="a plus"),
        pytest.param(["12345678901234567890", "1"], "string", id="more digits than 64 bits hold"),
        pytest.param(["1e3", "2"], "number", id="an exponent"),
        pytest.param(["true", "false"], "boolean", id="booleans"),
        pytest.param(["TRUE", "FALSE"], "boolean", id="capital booleans"),
        pytest.param(["0", "1"], "integer", id="zero and one are numbers"),
        pytest.param(["yes", "no"], "string", id="yes is a word"),
        pytest.param(["2026-10-01", "2026-10-02"], "date", id="days"),
        pytest.param(["2026-10-01", "2026-02-30"], "string", id="a day that is none"),
        pytest.param(["13-01-2026", "01-02-2026"], "date", id="the day first"),
        pytest.param(["01/13/2026", "02/01/2026"], "date", id="the month first"),
        pytest.param(["01-02-2026", "03-04-2026"], "string", id="either first"),
        pytest.param(["20261001", "20261002"], "integer", id="digits are a number"),
        pytest.param(["2026-10-01 10:00:00", "2026-10-01T10:00:01"], "timestamp", id="moments"),
        pytest.param(["2026-10-01T10:00:00Z", "2026-10-01T10:00:00+02:00"], "timestamp[us,UTC]", id="moments with an offset"),
        pytest.param(["2026-10-01T10:00:00Z", "2026-10-01T10:00:00"], "string", id="an offset here and none there"),
        pytest.param(["2026-10-01T10:00:00.123456789", "2026-10-01T10:00:00"], "timestamp[ns]", id="nanoseconds"),
        pytest.param(["10:00:00", "11:30:00"], "time", id="times"),
        pytest.param(["P1D", "PT3H"], "duration", id="durations"),
        pytest.param(["1", "NA"], "integer", id="a word for nothing"),
        pytest.param(["a", "NA"], "string", id="among words it is one"),
        pytest.param(["1,5", "2,25"], "number", id="a decimal comma"),
        pytest.param(["1,500", "2,250"], "string", id="thousands or a fraction"),
        pytest.param(["", ""], "string", id="nothing at all"),
    ],
)  # fmt: skip
def test_a_text_has_the_strictest_type_that_loses_nothing(tmp_path: Path, values: list[str], type_: str) -> None:
    found = infer_text(tmp_path, lines("a;b", *(f"{value};x" for value in values)))
    assert types(found)["a"] == type_
    assert broken(found, tmp_path, tmp_path / "cases.csv") == []


def test_days_that_could_be_months_stay_text_and_say_so(tmp_path: Path) -> None:
    found = infer_text(tmp_path, lines("a;b", "01-02-2026;x", "03-04-2026;y"))
    assert "the day or the month may come first" in field(found, "a").notes["type"]


def test_the_day_of_the_path_settles_which_comes_first(tmp_path: Path) -> None:
    for day in ("01", "02"):
        (tmp_path / f"landing/cases/2026-10-{day}").mkdir(parents=True)
        (tmp_path / f"landing/cases/2026-10-{day}/x.csv").write_text(f"day;n\n{day}-10-2026;1\n")
    found = infer(tmp_path)
    assert types(found)["day"] == "date"
    assert found.draft.contract.delivery.format.dates == {"day": ("%d-%m-%Y",)}
    assert [report.partition for report in found.reports] == ["2026-10-01", "2026-10-02"]


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        pytest.param("a,b\n1,2\n", {}, id="plain"),
        pytest.param("\ufeffa,b\n1,2\n".encode(), {}, id="a byte order mark"),
        pytest.param("a;b\n1;2\n", {"delimiter": ";"}, id="semicolons"),
        pytest.param("a\tb\n1\t2\n", {"delimiter": "\t"}, id="tabs"),
        pytest.param("a|b\n1|2\n", {"delimiter": "|"}, id="bars"),
        pytest.param('a;b\n"x, y, z";2\n', {"delimiter": ";"}, id="commas inside quotes"),
        pytest.param("a;b\nK\xf6ln;2\n".encode("cp1252"), {"encoding": "cp1252", "delimiter": ";"}, id="no UTF-8"),
        pytest.param("a,b\n1,2\n".encode("utf-16"), {"encoding": "utf-16"}, id="UTF-16"),
        pytest.param("a;b\n1,5;x\n", {"delimiter": ";", "decimal": ","}, id="a decimal comma"),
    ],
)  # fmt: skip
def test_the_form_of_a_csv_file_is_told_from_its_bytes(
    tmp_path: Path, content: str | bytes, stated: dict[str, str]
) -> None:
    found = infer_text(tmp_path, content)
    form = found.draft.contract.delivery.format
    assert {name: getattr(form, name) for name in form.model_fields_set} == stated
    assert found.draft.contract.field_names == ("a", "b")


def test_nulls_and_absence_are_allowed_only_where_they_are(tmp_path: Path) -> None:
    content = '{"a": 1, "b": null, "c": 1}\n{"a": 2, "b": 1}\n'
    fields = infer_text(tmp_path, content, "x.jsonl").draft.contract.fields
    assert [(item.nullable, item.required) for item in fields] == [(False, True), (True, True), (False, False)]


def test_json_numbers_and_texts_are_told_apart(tmp_path: Path) -> None:
    content = '{"a": 1, "b": 1.0, "c": "1", "d": "2026-10-01", "e": [1], "f": {"g": 1}, "h": true, "i": 12345678901234567890}\n'
    found = infer_text(tmp_path, content, "x.jsonl")
    assert list(types(found).values()) == [
        "integer", "number", "string", "date", "array", "object", "boolean", "decimal(38,0)",
    ]  # fmt: skip


def test_a_key_of_several_json_types_is_left_out_and_named(tmp_path: Path) -> None:
    found = infer_text(tmp_path, '{"a": 1, "b": 1}\n{"a": 2, "b": "x"}\n', "x.jsonl")
    assert found.draft.contract.field_names == ("a",)
    assert found.draft.contract.extra_fields == "ignore"
    assert found.draft.told == ("`b` is left out: its values are of several JSON types",)


FRAME = pl.DataFrame(
    {
        "i": [1, 2],
        "u": pl.Series([1, 2], dtype=pl.UInt8),
        "f": [1.5, float("nan")],
        "m": pl.Series([Decimal("1.50"), None], dtype=pl.Decimal(10, 2)),
        "at": pl.Series([datetime(2026, 10, 1)] * 2, dtype=pl.Datetime("ms", "Europe/Rome")),
        "c": pl.Series(["x", "y"], dtype=pl.Categorical),
        "o": [{"k": 1}, {"k": 2}],
        "l": [[1], []],
        "n": pl.Series([None, None], dtype=pl.Null),
    }
)


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow"])
def test_columns_with_types_of_their_own_keep_them(tmp_path: Path, name: str) -> None:
    {"x.parquet": FRAME.write_parquet, "x.arrow": FRAME.write_ipc}[name](tmp_path / name)
    found = infer(tmp_path, tmp_path / name)
    assert list(types(found).values()) == [
        "int64", "uint8", "float64", "decimal(10,2)", "timestamp[ms,Europe/Rome]", "string", "object", "array", "string",
    ]  # fmt: skip
    assert field(found, "f").terms["allow_nan"] is True
    assert field(found, "m").terms["nullable"] is True
    assert broken(found, tmp_path, tmp_path / name) == []


def test_a_column_of_two_types_in_two_files_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "landing").mkdir()
    pl.DataFrame({"a": [1], "b": [1]}).write_parquet(tmp_path / "landing/1.parquet")
    pl.DataFrame({"a": [2], "b": ["x"]}).write_parquet(tmp_path / "landing/2.parquet")
    found = infer(tmp_path)
    assert found.draft.contract.field_names == ("a",)
    assert found.draft.told == ("`b` is left out: no one type takes all of its values",)


def test_files_with_other_columns_make_fields_optional(tmp_path: Path) -> None:
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing/1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "landing/2.csv").write_text("a,c\n1,2\n")
    found = infer(tmp_path)
    assert [item.required for item in found.draft.contract.fields] == [True, False, False]


def test_every_guess_is_marked_and_nobody_has_approved(tmp_path: Path) -> None:
    """[S1-104] Owners approve what values mean; nothing is inferred from the name of a column."""
    rows = [f"{place},{'ab'[place % 2]},{place % 7}" for place in range(MANY)]
    found = infer_text(tmp_path, lines("order_id,email,amount", *rows))
    contract = found.draft.contract
    assert (contract.status, contract.version, contract.owners, contract.enforcement.on_breach) == (
        "draft",
        "0.1.0",
        None,
        "warn",
    )
    marks = {path: note for path, note in found.draft.comments.items() if note.startswith(REVIEW)}
    assert {
        ("owners",),
        ("status",),
        ("key",),
        ("fields", 0, "min"),
        ("fields", 1, "enum"),
        ("fields", 2, "min"),
    } <= set(marks)
    assert marks["fields", 1, "enum"] == "review: enum: 2 distinct in 60 rows"


def test_the_same_values_under_other_names_give_the_same_rules(tmp_path: Path) -> None:
    """[S1-104] The engine never infers meaning from the names of columns."""
    rows = [f"{place},{'ab'[place % 2]}" for place in range(MANY)]
    telling = infer_text(tmp_path, lines("order_id,status", *rows)).draft
    silent = infer_text(tmp_path, lines("x,y", *rows)).draft
    assert [item.terms for item in telling.fields] == [item.terms for item in silent.fields]
    assert len(telling.contract.key) == len(silent.contract.key) == 1


def test_the_text_is_the_same_every_time(tmp_path: Path) -> None:
    rows = [f"{place},{'abc'[place % 3]},{place * 7919 % 101}" for place in range(500)]
    first = infer_text(tmp_path, lines("id,kind,n", *rows)).draft
    again = infer_text(tmp_path, lines("id,kind,n", *rows)).draft
    assert contract_text(first.contract, first.comments) == contract_text(again.contract, again.comments)


@pytest.mark.parametrize(
    ("content", "name", "what"),
    [
        pytest.param("", "x.csv", "is empty: 0 bytes", id="empty"),
        pytest.param("1,2\n3,4\n", "x.csv", "2 of its 2 names look like values", id="no header"),
        pytest.param("a,b\n1,2\n3\n", "x.csv", "line 3 has 1 field, the header has 2", id="ragged"),
        pytest.param("a,a\n1,2\n", "x.csv", "column 2 repeats 'a' of column 1", id="one name twice"),
        pytest.param('{"a": 1}\n{"a"\n', "x.jsonl", "line 2 is not well-formed JSON", id="no JSON"),
        pytest.param("[1]\n", "x.jsonl", "line 1 is no JSON object", id="no object"),
        pytest.param('{"a": 1, "a": 2}\n', "x.jsonl", "line 1 repeats a key within one object", id="one key twice"),
        pytest.param('{"a@b.nl": 1, "c@d.nl": 2}\n', "x.jsonl", "2 of its 2 names look like values", id="keys that are values"),
        pytest.param("PAR1xxxxPAR1", "x.parquet", "the Parquet footer is damaged", id="no Parquet"),
        pytest.param(b"\x1f\x8b\x08\x00", "x.csv", "is packed with gzip", id="packed"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, content: str | bytes, name: str, what: str) -> None:
    with pytest.raises(CandidateUnreadableError) as caught:
        infer_text(tmp_path, content, name)
    assert caught.value.problems[0].what == what


def test_files_of_several_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing/1.csv").write_text("a\n1\n")
    (tmp_path / "landing/2.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(WrongUsageError) as caught:
        infer(tmp_path)
    assert caught.value.problems[0].what == "the files are of several formats: csv, jsonl"


@pytest.mark.parametrize("name", ["x\udcff.csv", "x\udcff.jsonl", "x\udcff.parquet"])
def test_a_path_that_is_no_unicode_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CandidateUnreadableError, match="not UTF-8"):
        infer_text(tmp_path, "a\n1\n", name)


def test_an_envelope_is_recognised(tmp_path: Path) -> None:
    with pytest.raises(CandidateUnreadableError, match="is an envelope"):
        infer(tmp_path, DATA / "landing/run_durations/2026-10-01")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(CandidateUnreadableError, match="is no file"):
        infer(tmp_path, tmp_path / "x.csv")


def test_a_link_that_leads_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "landing").mkdir()
    (tmp_path / "x.csv").write_text("a\n1\n")
    (tmp_path / "landing/x.csv").symlink_to(tmp_path / "x.csv")
    with pytest.raises(CandidateUnreadableError, match="leads out of its folder"):
        infer(tmp_path)


def test_nothing_there_and_nothing_in_it_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "landing").mkdir()
    with pytest.raises(CandidateUnreadableError, match="holds no file"):
        infer(tmp_path)
    with pytest.raises(CandidateUnreadableError, match="is not there"):
        infer(tmp_path, tmp_path / "nowhere")


def test_columns_that_no_contract_can_declare_are_told_by_their_place(tmp_path: Path) -> None:
    found = infer_text(tmp_path, "a,A, c ,*,__x,,d\n1,2,3,4,5,6,7\n")
    assert found.draft.contract.field_names == ("a", "d")
    assert [sentence.partition(" is left out")[0] for sentence in found.draft.told] == [
        f"column {place}" for place in range(2, 7)
    ]
    assert broken(found, tmp_path, tmp_path / "cases.csv") == []


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param('{"a": 1}\n{"a": "x"}\n', "x.jsonl", id="several types"),
        pytest.param('{"a": "\\ud800"}\n', "x.jsonl", id="no Unicode"),
        pytest.param("{}\n", "x.jsonl", id="no keys"),
        pytest.param(" a ,*\n1,2\n", "x.csv", id="no names"),
    ],
)
def test_where_no_column_is_left_there_is_no_contract(tmp_path: Path, content: str, name: str) -> None:
    with pytest.raises(CandidateUnreadableError, match="has no column that a contract could declare"):
        infer_text(tmp_path, content, name)


def test_a_json_key_that_is_no_unicode_is_left_out(tmp_path: Path) -> None:
    found = infer_text(tmp_path, '{"\\ud800": 1, "a": "\\ud800", "b": 1}\n', "x.jsonl")
    assert found.draft.told[0] == "column 1 is left out: it has a name that is not Unicode"
    assert broken(found, tmp_path, tmp_path / "x.jsonl") == []


def test_a_file_without_rows_gives_a_contract_that_allows_none(tmp_path: Path) -> None:
    found = infer_text(tmp_path, "a,b\n")
    assert found.draft.contract.rows.min == 0


SECRET = "Zwaantje-4711"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param(lines("a,b", f"{SECRET},1", "x"), "x.csv", id="ragged"),
        pytest.param(f'{{"a": "{SECRET}"\n', "x.jsonl", id="no JSON"),
        pytest.param(f'["{SECRET}"]\n', "x.jsonl", id="no object"),
        pytest.param(lines("a", f'"{SECRET}', "x"), "x.csv", id="an open quote"),
    ],
)
def test_no_message_holds_a_value(tmp_path: Path, content: str, name: str) -> None:
    with pytest.raises(ContractCoreError) as caught:
        infer_text(tmp_path, content, name)
    assert SECRET not in str(caught.value)


def test_no_value_is_in_the_contract_but_those_of_a_closed_set(tmp_path: Path) -> None:
    rows = [
        f"{SECRET}-{place},{'ab'[place % 2]},{4711000 + place},2026-10-{place % 28 + 1:02d}" for place in range(MANY)
    ]
    found = infer_text(tmp_path, lines("name,kind,number,day", *rows))
    told = contract_text(found.draft.contract, found.draft.comments) + " ".join(found.draft.told)
    assert "enum: [a, b]" in told
    assert all(secret not in told for secret in (SECRET, "4711", "2026-10"))
