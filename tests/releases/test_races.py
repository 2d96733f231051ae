"""Several processes that release at the same moment: one wins, the others are told or agree."""

import pytest

from contract_core.releases.registry import open_registry
from tests.publication.processes import at_once
from tests.releases.samples import KINDS

SAME = """
from contract_core.errors import ContractAlteredError
from tests.releases.samples import registry_of, release
kind = "{kind}"
from contract_core.releases import table_registry
ready()
try:
    registry_of(kind, Path(FOLDER) / "registry", {release})
except ContractAlteredError:
    sys.exit(7)
"""
ONE = 'release("1.0.0", f"2026-10-0{NUMBER + 1}", released_by=f"p{NUMBER}")'
OTHER = 'release("1.0.0", more=f"description: by process {NUMBER}\\n")'
MANY = '*(release(f"1.{minor}.{NUMBER}") for minor in range(4))'


@pytest.mark.parametrize("kind", KINDS)
def test_processes_that_release_the_same_contract_make_one_release(kind, tmp_path):
    """[S4-018]"""
    assert at_once(3, SAME.format(kind=kind, release=ONE), tmp_path) == [0, 0, 0]
    registry = open_registry(tmp_path / "registry")
    assert (len(registry.releases()), registry.problems()) == (1, ())


@pytest.mark.parametrize("kind", KINDS)
def test_of_processes_that_release_other_contracts_under_one_version_one_wins(kind, tmp_path):
    """[S4-018]"""
    assert sorted(at_once(3, SAME.format(kind=kind, release=OTHER), tmp_path)) == [0, 7, 7]
    registry = open_registry(tmp_path / "registry")
    assert (len(registry.releases()), registry.problems()) == (1, ())


@pytest.mark.parametrize("kind", KINDS)
def test_processes_that_release_other_versions_lose_none(kind, tmp_path):
    assert at_once(3, SAME.format(kind=kind, release=MANY), tmp_path) == [0, 0, 0]
    registry = open_registry(tmp_path / "registry")
    assert (len(registry.releases()), registry.problems()) == (12, ())


READING = """
from contract_core.releases.registry import open_registry
from tests.releases.samples import registry_of, release
ready()
for turn in range(60):
    if NUMBER == 0:
        registry_of("folder", Path(FOLDER) / "registry", release(f"1.{turn}.0"))
    else:
        open_registry(Path(FOLDER) / "registry").releases("orders")
"""


def test_who_reads_while_another_releases_never_sees_half_a_release(tmp_path):
    assert at_once(3, READING, tmp_path) == [0, 0, 0]
