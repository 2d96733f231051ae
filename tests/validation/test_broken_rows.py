"""Which rows go to quarantine: one bit for each, asked once, and the same for a stretch of the rows as for all of them."""

from pathlib import Path

import polars as pl
import pytest

from contract_core.candidate.columns import FILE_INDEX, ROW_NUMBER
from contract_core.validation import breaking_rows as breaking_rows_module
from contract_core.validation.breaking_rows import RULES, conforming_rows, split_of
from contract_core.validation.broken_rows import BrokenRows, counted_alone
from contract_core.validation.obligations import obligations_of
from contract_core.validation.plan import validate
from contract_core.validation.subject import open_subject
from tests.validation.judged import AS_OF, candidate_of, contract_of

TEXT = "fields: [{name: n, type: integer, min: 0}]\nkey: [n]\nenforcement: {on_breach: quarantine}\n"
APPENDED = TEXT + "publication: {mode: append}\n"


def rows_of(*values: int) -> pl.DataFrame:
    places = {FILE_INDEX: [0] * len(values), ROW_NUMBER: list(range(1, len(values) + 1))}
    schema = {FILE_INDEX: pl.UInt32, ROW_NUMBER: pl.UInt64, "n": pl.Int64}
    return pl.DataFrame(places | {"n": list(values)}, schema=schema)


def bits(*flags: bool) -> BrokenRows:
    none = BrokenRows(pl.DataFrame({"__is_broken": [False] * len(flags)}))
    return none.with_those_at({"a": pl.Series([place for place, flag in enumerate(flags) if flag], dtype=pl.UInt32)})


def unasked(*_: object) -> None:
    message = "the rules are asked again"
    raise AssertionError(message)


def test_rules_are_not_asked_again_of_the_candidate_that_was_judged_last(tmp_path, monkeypatch):
    contract, candidate = contract_of(TEXT), candidate_of(rows_of(1, -1, 2, 2), tmp_path)
    report = validate(contract, candidate, AS_OF)
    monkeypatch.setattr(breaking_rows_module, "counted_alone", unasked)
    assert conforming_rows(contract, candidate, None).collect()["n"].to_list() == [1]
    assert report.broken_rows == 3


def test_another_candidate_is_asked_for_itself(tmp_path):
    contract = contract_of(TEXT)
    validate(contract, candidate_of(rows_of(1, -1), tmp_path / "one"), AS_OF)
    assert conforming_rows(contract, candidate_of(rows_of(-1, 1), tmp_path / "two"), None).collect()["n"].to_list() == [
        1
    ]


def test_other_bytes_under_the_same_path_are_asked_for_themselves(tmp_path):
    contract = contract_of(TEXT)
    validate(contract, candidate_of(rows_of(1, -1), tmp_path), AS_OF)
    assert conforming_rows(contract, candidate_of(rows_of(-1, 1), tmp_path), None).collect()["n"].to_list() == [1]


@pytest.mark.parametrize(
    "other",
    [
        TEXT.replace("min: 0", "min: -1"),
        TEXT.replace("key: [n]\n", ""),
        TEXT.replace("min: 0", "min: 0, severity: {range: warn}"),
    ],
    ids=["another bound", "no key", "only a warning"],
)
def test_another_contract_is_asked_for_itself(tmp_path, other):
    candidate = candidate_of(rows_of(1, -1, 2, 2), tmp_path)
    validate(contract_of(other), candidate, AS_OF)
    assert conforming_rows(contract_of(TEXT), candidate, None).collect()["n"].to_list() == [1]


def test_what_is_published_already_is_looked_up_each_time(tmp_path):
    """The table may have changed since the delivery was judged."""
    contract, candidate = contract_of(APPENDED), candidate_of(rows_of(1, -1, 2), tmp_path)
    first, other = (rows_of(1, -1, 2).lazy().filter(n=value).select(FILE_INDEX, ROW_NUMBER) for value in (1, 2))
    assert conforming_rows(contract, candidate, first).collect()["n"].to_list() == [2]
    assert conforming_rows(contract, candidate, other).collect()["n"].to_list() == [1]


def test_each_rule_is_counted_and_the_rows_that_break_any_of_them_are_marked(tmp_path):
    contract = contract_of("fields: [{name: n, type: integer, min: 0, max: 9, enum: [1, 2, 10]}]\n")
    rows, subject = open_subject(contract, candidate_of(rows_of(1, -1, 10, 2, 3), tmp_path))
    asked = [item for item in obligations_of(contract) if item.rule in ("range", "enum")]
    counts, broken = counted_alone(rows, asked, asked, subject)
    assert counts == {"n.enum": 2, "n.range": 2}
    assert broken.flags.to_list() == [False, True, True, False, True]


def test_only_what_sends_rows_away_marks_them(tmp_path):
    contract = contract_of("fields: [{name: n, type: integer, min: 0}]\n")
    rows, subject = open_subject(contract, candidate_of(rows_of(1, -1), tmp_path))
    asked = [item for item in obligations_of(contract) if item.rule == "range"]
    counts, broken = counted_alone(rows, asked, [], subject)
    assert (counts, broken.flags.to_list()) == ({"n.range": 1}, [False, False])


def test_without_any_rule_each_row_has_a_bit_all_the_same(tmp_path):
    rows, subject = open_subject(contract_of(TEXT), candidate_of(rows_of(1, 2, 3), tmp_path))
    assert counted_alone(rows, [], [], subject)[1].flags.to_list() == [False, False, False]


def test_further_places_leave_the_bits_that_they_are_added_to_as_they_were():
    none = bits(False, False, False)
    more = none.with_those_at({"key": pl.Series([1], dtype=pl.UInt32)}).with_those_at({"one": pl.Series([2])})
    assert (none.flags.to_list(), more.flags.to_list()) == ([False, False, False], [False, True, True])
    assert more.bits.select("__breaks.key", "__breaks.one").rows() == [(False, False), (True, False), (False, True)]


def test_bits_of_other_rows_are_never_laid_beside_these(tmp_path):
    """A file that was altered does not lose rows in silence."""
    rows = candidate_of(rows_of(1, 2, 3), tmp_path).path
    with pytest.raises(pl.exceptions.ShapeError):
        bits(True, False).staying(pl.scan_parquet(rows)).collect(engine="streaming")


def test_a_stretch_in_which_no_row_goes_is_not_read():
    nowhere = pl.scan_parquet(Path(__file__), schema={"n": pl.Int64})
    gone = bits(False, False, True).stretch(0, 2).going(nowhere)
    assert gone.collect().is_empty()


@pytest.mark.parametrize("begin", [0, 1, 2, 3])
def test_a_row_goes_for_the_same_reasons_whatever_stretch_it_is_looked_at_in(tmp_path, begin):
    """Its twin, which is in another stretch, is a reason all the same."""
    split = split_of(contract_of(TEXT), candidate_of(rows_of(-1, 5, -1, 5), tmp_path), None)
    expected = [["n.range", "key"], ["key"], ["n.range", "key"], ["key"]]
    assert split.stretch(begin, 1).going().collect()[RULES].to_list() == [expected[begin]]
