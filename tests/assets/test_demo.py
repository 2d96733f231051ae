"""`make demo` does what the README says of it, the first time and the second, and shows no row."""

import shutil
import sys

import pytest

from contract_assets import demo
from tests.examples.offering import DATA

STORY = [
    "1. Accepted",
    "2. Refused",
    "ERROR: partition: broken",
    "3. Repaired",
    "4. Quarantine",
    "PASSED: decision: 2 of 50 rows go to quarantine/orders (amount.type, status.enum); the other 48 may be published",
    "WARN: field_status: broken: 'status' is one of [open, shipped, cancelled]; 1 of 50 rows breaks it (kept apart in quarantine; to do: map",
    "2 rows of it are kept apart in quarantine/orders",
    "5. Corrected",
    "superseded",
    ": 48 orders, ",
    ": 50 orders, ",
]


@pytest.mark.slow
def test_the_demo_tells_the_five_outcomes_and_can_be_played_again(tmp_path, monkeypatch, capsys):
    """S3-035, S1-068, S3-019, S1-092."""
    for folder in ("contracts", "landing", "corrections"):
        shutil.copytree(DATA / folder, tmp_path / folder)
    monkeypatch.setattr(sys, "argv", ["demo", str(tmp_path)])
    assert demo.main() == 0
    told = capsys.readouterr().out
    places = [told.find(words) for words in STORY]
    assert -1 not in places
    assert places == sorted(places)
    assert "@example" not in told
    assert "W-10" not in told
    assert demo.main() == 0
    assert "nothing changed" in capsys.readouterr().out


def test_the_demo_says_what_is_not_as_it_should_be(capsys):
    assert demo._is_as_it_should_be((20, 0), (21, 0)) is False
    assert "NOT AS IT SHOULD BE: found (20, 0), expected (21, 0)" in capsys.readouterr().out
