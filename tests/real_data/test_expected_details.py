"""What else the independent verdicts state of a file and its violations: promised types, key columns, rows that could not be judged."""

import pytest

from contract_core.contract.registry import read_contract
from tests.examples.offering import contract_of, offer
from tests.real_data.test_expected_verdicts import CONTRACTS, EVALUATIONS, NOW_OF_THE_SETS, offered

TYPES = [
    item for item in EVALUATIONS if any(v["rule"] == "type" and "declared" in v for v in item.values[1]["violations"])
]
KEYS = [item for item in EVALUATIONS if any(v["rule"] == "unique" for v in item.values[1]["violations"])]
_OURS = {"datetime": "timestamp"}
ROW_RULES = [item for item in EVALUATIONS if any(v["rule"].startswith("rule:") for v in item.values[1]["violations"])]


def of_rule(stated, prefix):
    return [violation for violation in stated["violations"] if violation["rule"].startswith(prefix)]


@pytest.mark.parametrize("folder, stated", TYPES)
def test_the_promised_type_is_the_one_that_the_violation_names(folder, stated):
    contract = read_contract(CONTRACTS / f"{stated['contract']}.yaml")
    promised = {v["column"]: v["declared"] for v in of_rule(stated, "type") if "declared" in v}
    ours = {name: _OURS.get(declared, declared) for name, declared in promised.items()}
    assert {name: contract.field(name).type.family.value for name in promised} == ours


@pytest.mark.parametrize("folder, stated", KEYS)
def test_the_key_is_made_of_the_columns_that_the_violation_names(folder, stated):
    contract = read_contract(CONTRACTS / f"{stated['contract']}.yaml")
    assert [list(contract.key)] == [violation["columns"] for violation in of_rule(stated, "unique")]


@pytest.mark.parametrize("folder, stated", ROW_RULES)
def test_a_row_rule_is_unknown_for_as_many_rows_as_stated(folder, stated, tmp_path):
    """A breach where the condition is unknown counts here, and is left out where the contract says on_null: keep."""
    text = (CONTRACTS / f"{stated['contract']}.yaml").read_text("utf-8")
    lenient = contract_of(text.replace('", severity: warn}', '", severity: warn, on_null: keep}'))
    kept = offer(lenient, [folder / stated["file"]], stated["partition"], tmp_path, NOW_OF_THE_SETS).breached
    every = offered(folder, stated, tmp_path).breached
    names = [f"{violation['rule'].removeprefix('rule:')}.row_rule" for violation in of_rule(stated, "rule:")]
    unknown = [violation["rows_not_evaluated"] for violation in of_rule(stated, "rule:")]
    assert [every.get(name, 0) - kept.get(name, 0) for name in names] == unknown


@pytest.mark.parametrize("folder, stated", EVALUATIONS)
def test_a_file_is_readable_where_it_has_no_ragged_row_and_is_text(folder, stated, tmp_path):
    facts = stated["facts"]
    (file,) = offered(folder, stated, tmp_path).candidate.facts.files
    assert (file.unreadable is None) == (facts["ragged_rows"] == 0 and facts["decodes_as_utf-8"])


@pytest.mark.parametrize("folder, stated", EVALUATIONS)
def test_the_bytes_begin_and_end_as_stated(folder, stated):
    """So that what was judged is what others looked at: byte order mark, ends of lines, a blank line at the top."""
    content, facts = (folder / stated["file"]).read_bytes(), stated["facts"]
    assert content.startswith(b"\xef\xbb\xbf") == facts["bom"]
    assert content.endswith(b"\n") == facts["final_newline"]
    assert (content.removeprefix(b"\xef\xbb\xbf")[:1] in b"\r\n") == facts["leading_blank_line"]
    assert ("crlf" if b"\r\n" in content else "lf") == facts["newline"]
