"""A promised pause is told wherever a person reads what is promised, though no delivery is ever held against it."""

from contract_core.catalogue.terms import promises
from contract_core.contract.parsing import parse_contract
from contract_core.exports.left_out import sentences
from contract_core.rendering.contracts import contract_lines
from contract_core.rendering.enforcement import enforcement_document, enforcement_lines
from tests.rendering.standings import FRESH, OWNED

QUIET = parse_contract(FRESH, "c.yaml")
LOUD = parse_contract(OWNED + "freshness: {column: day, max_age: 2d}\n", "c.yaml")


def test_a_contract_says_how_long_its_table_may_be_silent() -> None:
    said = "    silence: something new is published every 3d at least"
    assert (said in contract_lines(QUIET), said in contract_lines(LOUD)) == (True, False)


def test_it_is_said_who_looks_after_it() -> None:
    """A promise without an enforcement point would be none."""
    said = "  freshness.max_silence: the published table, by `status` and the scheduled check `silence`"
    assert (said in enforcement_lines(QUIET, {}), said in enforcement_lines(LOUD, {})) == (True, False)
    assert [enforcement_document(contract, {})["published_table"] for contract in (QUIET, LOUD)] == [
        ["freshness.max_silence"],
        [],
    ]


def test_an_export_says_that_it_leaves_it_out() -> None:
    told = [" ".join(sentences(contract, lambda _: "", frozenset())) for contract in (QUIET, LOUD)]
    assert ["`freshness.max_silence`" in text for text in told] == [True, False]


def test_the_catalogue_says_it() -> None:
    said = ("Silence", "something new is published every 3 days at least")
    assert (said in promises(QUIET), said in promises(LOUD)) == (True, False)
