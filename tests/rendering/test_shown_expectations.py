"""What a contract expects of its deliveries, and who settles it where they fail, is in the contract and shown to whoever asks."""

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.rendering.contracts import contract_lines

CONTRACT = """\
contract: cases
version: "1.0.0"
recovery: The producer delivers the day again; until then the data desk tells the readers.
owners:
  producer: {name: onboarding, contact: "team:onboarding"}
  consumers:
    - {name: weekly_report, contact: "weekly@example.org"}
    - {name: archive}
fields:
  - {name: region, type: string}
  - {name: day, type: date}
delivery:
  manifest: required
  partition: {every: day, column: day, start: 2026-10-01}
  parts:
    from: column
    column: region
    required: [NL, BE]
    completion: {mechanism: the day is closed at 06:00, evidence: the log of closed days}
  due: {by: "09:00", days_after: 1}
"""


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("  producer: onboarding (team:onboarding)", id="who delivers"),
        pytest.param("  consumers: weekly_report (weekly@example.org), archive", id="who relies on it"),
        pytest.param("  partitions: one for each day of day (UTC)", id="what a delivery is"),
        pytest.param("    deadline: it is there by 09:00 UTC every day, 1 day after its partition (only warns)", id="by when"),
        pytest.param("    coverage.missing: all 2 required parts are there", id="which parts"),
        pytest.param("    completeness: every part is declared complete, and the declaration agrees with the files", id="declared complete"),
        pytest.param("  recovery: The producer delivers the day again; until then the data desk tells the readers.", id="what to do"),
        pytest.param("  not verified: completeness: that a part declared complete really is (the producer knows it by: the day is closed at 06:00; evidence: the log of closed days)", id="S2-031 how the producer knows"),
    ],
)  # fmt: skip
def test_the_delivery_its_owners_and_the_way_to_recovery_are_shown(line: str) -> None:
    """[S2-040] [S2-031]"""
    assert line in list(contract_lines(parse_contract(CONTRACT, "cases.yaml")))
