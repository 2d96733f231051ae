"""Fixtures for all tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import postgres as postgresql
from tests.commands import BAD, CASES, GOOD, Run, runner, written

settings.register_profile("contract-gate", deadline=None)  # a busy machine makes no law untrue
settings.load_profile("contract-gate")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The command line, in an empty folder that holds one contract, one good delivery and one bad."""
    monkeypatch.chdir(tmp_path)
    for variable in (
        "ROOT",
        "CONTRACTS",
        "LANDING",
        "CANDIDATES",
        "PUBLISHED",
        "LEDGER",
        "QUARANTINE",
        "REGISTRY",
        "ENV",
        "CONFIG",
    ):
        monkeypatch.delenv(f"CONTRACT_GATE_{variable}", raising=False)
    written(tmp_path, cases_yaml=CASES, good_csv=GOOD, bad_csv=BAD)
    return runner(capfd)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str | None]:
    """The address of a PostgreSQL of these tests; None where there is none on the machine."""
    if postgresql.programs() is None:
        yield None
        return
    with postgresql.started(tmp_path_factory.mktemp("postgres")) as address:
        yield address
