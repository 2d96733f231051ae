"""Laws of contracts: any text is a contract or says why not, and the order of keys means nothing."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contract_core.contract.parsing import parse_contract
from contract_core.errors import InvalidContractError
from contract_core.rendering.contracts import contract_lines
from contract_core.validation.obligations import obligations_of
from tests.properties.strategies import DOCUMENT, TEXT, VALUES, WORDS, damaged, reordered

BUDGET = settings(max_examples=100, derandomize=True, deadline=None)


def is_told(text: str | bytes) -> bool:
    """True where a text is a contract that works, or has problems that each say where they are."""
    try:
        contract = parse_contract(text, "c.yaml")
    except InvalidContractError as error:
        return bool(error.problems) and all(
            problem.where.startswith("c.yaml:") and problem.what for problem in error.problems
        )
    return len(contract.digest) == 64 and bool(obligations_of(contract)) and bool(list(contract_lines(contract)))


@BUDGET
@given(st.text())
@example("\ud800")
@example("a: !!bool x")
@example("min: 1.0e+99999999")
def test_any_text_is_a_contract_or_says_why_not(text: str) -> None:
    assert is_told(text)


@BUDGET
@given(st.binary())
def test_any_bytes_are_a_contract_or_say_why_not(text: bytes) -> None:
    assert is_told(text)


@BUDGET
@given(st.lists(WORDS, max_size=30).map("".join))
def test_any_words_of_the_language_are_a_contract_or_say_why_not(text: str) -> None:
    assert is_told(text)


@BUDGET
@given(damaged(TEXT))
def test_a_damaged_contract_is_one_or_says_why_not(text: str) -> None:
    assert is_told(text)


@pytest.mark.parametrize("attribute", sorted({*DOCUMENT, "freshness", "unique", "status", "publication"}))
@settings(max_examples=25, derandomize=True, deadline=None)
@given(value=VALUES)
def test_any_value_of_an_attribute_is_taken_or_refused(attribute: str, value: Any) -> None:
    assert is_told(json.dumps(DOCUMENT | {attribute: value}))


@settings(max_examples=50, derandomize=True, deadline=None)
@given(
    VALUES,
    st.sampled_from(["min", "max", "enum", "pattern", "severity", "type", "min_length"]),
    st.sampled_from(["integer", "number", "date", "timestamp", "decimal(5,2)"]),
)
def test_any_value_of_a_field_is_taken_or_refused(value: Any, attribute: str, type_: str) -> None:
    assert is_told(
        json.dumps(
            DOCUMENT | {"fields": [{"name": "id", "type": "string"}, {"name": "n", "type": type_} | {attribute: value}]}
        )
    )


@BUDGET
@given(reordered(DOCUMENT))
def test_the_order_of_keys_does_not_change_the_digest(document: dict[str, Any]) -> None:
    assert parse_contract(json.dumps(document), "c.yaml").digest == parse_contract(TEXT, "c.yaml").digest
