"""What "not blank" means, precisely: each kind of white space that a contract can name, on each value that looks like nothing."""

import polars as pl
import pytest

from tests.examples.offering import contract_of, offer_parquet

CODES = """\
contract: codes
version: "1.0.0"
fields:
  - {name: code, type: string, not_blank: space}
delivery: {format: {type: parquet}}
"""
KINDS = {
    "none": CODES.replace(", not_blank: space", ""),
    "space": CODES,
    "ascii": CODES.replace("space", "ascii"),
    "unicode": CODES.replace("space", "unicode"),
    "true": CODES.replace("space", "true"),
}
NEVER, UNICODE, ASCII = (), ("unicode", "true"), ("ascii", "unicode", "true")
SPACE = ("space", *ASCII)
BLANKS = [  # the value, and the kinds of white space under which it is blank
    pytest.param("", SPACE, id="empty"),
    pytest.param("   ", SPACE, id="spaces"),
    pytest.param("\t", ASCII, id="tab"),
    pytest.param("\n", ASCII, id="newline"),
    pytest.param(" \r\n\t ", ASCII, id="mixed"),
    pytest.param("\u00a0", UNICODE, id="no-break space"),
    pytest.param("\u2003", UNICODE, id="em space"),
    pytest.param(" \u00a0 ", UNICODE, id="space and no-break space"),
    pytest.param(" NL11 ", NEVER, id="a code between spaces"),
    pytest.param("\u200b", NEVER, id="zero width space, which Unicode does not count as white space"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value, blank_under", BLANKS)
def test_each_kind_of_white_space_is_its_own_choice(value, blank_under, kind, tmp_path):
    """S1-027, S1-028, S1-044, S1-085: which blanks an identifier may not be made of is said, and `true` is the strictest."""
    offered = offer_parquet(contract_of(KINDS[kind]), pl.DataFrame({"code": [value, "NL11"]}), None, tmp_path)
    assert offered.breached == ({"code.blank": 1} if kind in blank_under else {})


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_code_is_null_and_not_blank(kind, tmp_path):
    """S1-027, S1-030: one absence, one breach."""
    offered = offer_parquet(contract_of(KINDS[kind]), pl.DataFrame({"code": [None, "NL11"]}), None, tmp_path)
    assert offered.breached == {"code.null": 1}
