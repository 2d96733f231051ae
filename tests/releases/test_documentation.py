"""`docs/registry.md` says what the code does."""

import json
import re
from pathlib import Path

import pytest

from contract_core.publication.markers import digest_of
from contract_core.releases.sealed import record_of
from contract_core.releases.states import StateKind
from contract_core.releases.versions import parse_reference
from tests.releases.samples import release

TEXT = (Path(__file__).parents[2] / "docs" / "registry.md").read_text("utf-8")
PINS = re.findall(r"^\| `(orders@[^`]+)` \| ([0-9.]+) \| ([0-9.]*) ?\|$", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("pin", "low", "below"), PINS, ids=[pin for pin, *_ in PINS])
def test_a_pin_means_what_the_table_says(pin: str, low: str, below: str) -> None:
    _, found = parse_reference(pin)
    assert (".".join(map(str, found.low)), ".".join(map(str, found.high or ()))) == (low, below)


def test_the_table_of_pins_is_there() -> None:
    assert len(PINS) == 12


def test_every_state_is_told() -> None:
    assert re.findall(r"^\| `(\w+)` \| .* \| (?:yes|no) \|$", TEXT, re.MULTILINE) == [kind.value for kind in StateKind]


def test_every_key_of_the_record_is_told_in_its_order() -> None:
    """[S4-020]"""
    table = TEXT.partition("## The record")[2]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(rows)) == list(record_of(release()))


def test_the_seal_can_be_computed_as_it_is_told() -> None:
    record = record_of(release())
    seal = record.pop("seal")
    assert digest_of(json.loads(json.dumps(record))) == seal
