"""Several processes at once: the same submission, rivals for one partition, and neighbours."""

import pytest

from contract_core.publication.entry import Event
from contract_core.publication.history import decisions
from tests.publication.processes import at_once
from tests.publication.samples import DAY, contract_of, publications, rows

RACE = """
from pathlib import Path
from contract_core.errors import GateClosedError, PublicationConflictError
from tests.publication.samples import Site, contract_of, rows
site, contract = Site(Path(FOLDER)), contract_of()
candidate = site.take(contract, FRAME, PARTITION)
ready()
try:
    site.decide(contract, candidate)
    site.publish(contract, candidate)
except GateClosedError:
    raise SystemExit(3)
except PublicationConflictError:
    raise SystemExit(4)
"""
SAME = RACE.replace("FRAME", 'rows("a", "b")').replace("PARTITION", '"2026-10-01"')
RIVALS = RACE.replace("FRAME", 'rows(f"r{NUMBER}")').replace("PARTITION", '"2026-10-01"')
NEIGHBOURS = RACE.replace("FRAME", 'rows("a", day=f"2026-10-0{NUMBER + 1}")').replace(
    "PARTITION", 'f"2026-10-0{NUMBER + 1}"'
)


@pytest.mark.parametrize("is_first", [True, False], ids=["first publication", "correction"])
def test_four_processes_with_one_submission_publish_it_once(site, is_first):
    if not is_first:
        site.accept(contract_of(), rows("z"))
    before = len(site.ledger.entries())
    assert at_once(4, SAME, site.root) == [0, 0, 0, 0]
    assert [row[0] for row in site.shown()] == ["a", "b"]
    assert len(publications(site.table())) == (1 if is_first else 2)
    assert len(site.ledger.entries()) == before + 2


@pytest.mark.parametrize("is_first", [True, False], ids=["first publication", "correction"])
def test_of_four_rival_submissions_the_last_decided_is_shown_whole(site, is_first):
    if not is_first:
        site.accept(contract_of(), rows("z"))
    codes = at_once(4, RIVALS, site.root)
    assert set(codes) <= {0, 3}
    last = site.ledger.latest_decision("cases", DAY)
    published = [entry for entry in site.ledger.entries() if entry.event is Event.PUBLISHED]
    assert published[-1].submission == last.submission
    assert len(site.shown()) == 1
    assert len(published) - (0 if is_first else 1) == codes.count(0)
    assert tuple(entry.table_version for entry in published) == publications(site.table())


def test_four_neighbouring_partitions_are_all_published(site):
    assert at_once(4, NEIGHBOURS, site.root) == [0, 0, 0, 0]
    assert len(site.shown()) == 4
    assert len({row[1] for row in site.shown()}) == 4
    assert len(decisions(site.ledger.entries())) == len(publications(site.table())) == 4
