"""The golden cases: contracts that people really get wrong, and the text they are told."""

from pathlib import Path

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.errors import InvalidContractError

CASES = Path(__file__).parents[1] / "cases" / "invalid_contracts"


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_a_wrong_contract_is_told_in_these_words(case: Path) -> None:
    with pytest.raises(InvalidContractError) as caught:
        parse_contract((case / "contract.yaml").read_bytes(), "contract.yaml")
    assert f"{caught.value}\n" == (case / "expected.txt").read_text("utf-8")
