"""Fixtures for all tests."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests import postgres as postgresql
from tests.commands import BAD, CASES, GOOD, Run, runner, written

# Dagster leaves connections to closed databases to the garbage collector, which may run while Python parses a file: told with a
# traceback, which parses lines too, that ends in a SystemError in Python 3.11 (gh-106905).
logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
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


TOGETHER = {
    "tests/ui/": "the tests of one server",
    "tests/catalogue/test_browser.py": "the tests of one browser",
    "tests/exports/test_sql_ddl_engines.py": "the tests of one PostgreSQL",
    "tests/assets/test_postgres.py": "the tests of one PostgreSQL",
    "tests/assets/test_real_io_managers.py": "the tests that load pandas",
    "tests/operations/test_reconciliation.py": "the tests of one lived table",
    "tests/test_pytest_plugin.py": "the tests of one producer",
}
"""What one worker runs, by the beginning of its name; pytest 9.2 has no place where pytest-xdist 3.8 would write the groups of marks."""
YEARS = "tests/operations/test_a_year.py"
"""What one worker runs of each year, which is the parameter of its tests."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """Every test by itself, but for those that share something dear. Groups are given out first."""
    return Grouped(config, log) if config.getoption("dist") == "loadgroup" else None


class Grouped(LoadScopeScheduling):
    """Tests by the groups above."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(YEARS) and nodeid.endswith("]"):
            return f"{YEARS}[{nodeid.rpartition('[')[2]}"
        return next((group for begin, group in TOGETHER.items() if nodeid.startswith(begin)), nodeid)
