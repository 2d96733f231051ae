"""What people are told of a refusal holds no value of the delivery, whatever it breaks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_core.publication.entry import Event
from contract_core.publication.ledger import Ledger
from tests.commands import Run
from tests.hook import Hook, listening
from tests.privacy.planting import AS_OF, Planted, cases

OWNERS = 'owners: {producer: {name: shop, contact: "team:shop"}}\n'
AT = ("--as-of", AS_OF.isoformat())


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """The channel of the environment in this folder."""
    with listening() as found:
        text = f'environments: {{dev: {{root: data, channels: {{default: "{found.address}"}}}}}}\n'
        (tmp_path / "environments.yaml").write_text(text)
        monkeypatch.setenv("CONTRACT_GATE_ENV", "dev")
        yield found


@pytest.mark.parametrize("planted", cases())
def test_a_message_says_no_value(run: Run, tmp_path: Path, hook: Hook, planted: Planted) -> None:
    """S1-063."""
    landing = planted.laid_out(tmp_path / "data")
    contract = tmp_path / "data/contracts/cases.yaml"
    contract.write_text(contract.read_text() + OWNERS)
    told = run("publish", "cases", landing, "--partition", planted.partition, *AT, "--notify")
    said = "".join((*told[1:], *run("notify", "--json")[1:]))
    entries = [entry for entry in Ledger(tmp_path / "data/ledger").entries() if entry.event is Event.NOTIFIED]
    assert planted.markers.found_in(said + repr(hook.received) + repr(entries)) == []


def test_a_refusal_of_planted_rows_is_told(run: Run, tmp_path: Path, hook: Hook) -> None:
    """So that the cases above have something to be silent about."""
    planted = next(case.values[0] for case in cases() if "pattern" in case.values[0].breaks)
    landing = planted.laid_out(tmp_path / "data")
    contract = tmp_path / "data/contracts/cases.yaml"
    contract.write_text(contract.read_text() + OWNERS)
    run("publish", "cases", landing, "--partition", planted.partition, *AT, "--notify")
    assert "**nulled.null** (2 breaches)" in hook.texts[0]
