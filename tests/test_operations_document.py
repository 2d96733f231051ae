"""`docs/operations.md` says which incidents there are, shows contracts and environments that can be read, and fits the command."""

import re
from pathlib import Path

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.contract.receivers import receivers_of
from contract_core.environment_file import read_environments
from contract_core.operations.announcing import Channel, channel_of
from contract_core.operations.incidents import IncidentKind
from tests.contract.texts import MINIMAL

TEXT = (Path(__file__).parents[1] / "docs" / "operations.md").read_text("utf-8")
OWNERS, ENVIRONMENTS = re.findall(r"```yaml[^\n]*\n(.*?)```", TEXT, re.DOTALL)
ADDRESSES = {"ONBOARDING_HOOK": "json://a", "MAIL": "mailtos://user:secret@host?to={contact}", "DUTY_HOOK": "json://c"}


def test_every_kind_of_incident_is_told_of() -> None:
    assert re.findall(r"^\| (\w+) \|", TEXT, re.MULTILINE)[1:] == [kind.value for kind in IncidentKind]


def test_the_owners_are_those_of_a_contract() -> None:
    """[S1-095]"""
    contract = parse_contract(MINIMAL + OWNERS, "c.yaml")
    assert [owner.name for owner in receivers_of(contract, is_late=True)] == ["duty"]
    assert contract.owners is not None
    assert contract.owners.corrections is not None


@pytest.mark.parametrize(
    ("contact", "channel", "address"),
    [
        ("team:onboarding", "team:onboarding", "json://a"),
        ("weekly@example.org", "email", "mailtos://user:secret@host?to=weekly%40example.org"),
        ("team:data-office", "default", "json://c"),
    ],
)
def test_the_channels_are_found_as_it_says(tmp_path: Path, contact: str, channel: str, address: str) -> None:
    (tmp_path / "environments.yaml").write_text(ENVIRONMENTS)
    environment = read_environments(tmp_path / "environments.yaml")["production"]
    found = channel_of(contact, environment, ADDRESSES)
    assert isinstance(found, Channel)
    assert (found.name, found.address) == (channel, address)


def test_a_channel_is_shown_without_its_address() -> None:
    assert "secret" not in repr(Channel("email", "mailtos://user:secret@host"))
