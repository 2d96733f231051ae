"""What the tests of this folder share: small contract texts, and the problems that a text has."""

import pytest

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.errors import InvalidContractError

HEAD = 'contract: cases\nversion: "1.0.0"\n'
MINIMAL = HEAD + "fields:\n  - {name: a, type: string}\n"


def contract_of(text: str | bytes) -> Contract:
    return parse_contract(text, "c.yaml")


def with_field(attributes: str) -> str:
    """A contract with one field, `a`; its attributes begin in line 4 and column 6."""
    return HEAD + f"fields:\n  - {{{attributes}, name: a}}\n"


def problems(text: str | bytes) -> list[tuple[str, str, str]]:
    """Every problem of a contract text: its place as line:column, what it is, and the hint."""
    with pytest.raises(InvalidContractError) as caught:
        parse_contract(text, "c.yaml")
    return [(problem.where.removeprefix("c.yaml:"), problem.what, problem.hint) for problem in caught.value.problems]


def whats(text: str | bytes) -> list[str]:
    return [what for _, what, _ in problems(text)]
