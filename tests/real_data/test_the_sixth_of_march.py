"""Five files for one day, as they came on the evening after: what status, incidents and the ledger tell of it at each step."""

from datetime import datetime

import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.environment import Environment
from contract_core.operations.incidents import IncidentKind, incidents_of
from contract_core.operations.status import status_of
from contract_core.publication.ledger import Ledger
from contract_core.publication.submit import publish_judged, take_and_decide
from tests.examples.offering import SHARED
from tests.real_data.test_expected_verdicts import contract_named

DELIVERIES = SHARED / "italy_regions_march2020" / "deliveries"
CONTRACT = contract_named("ita_regions@1.0.0")
FIRST, THIRD, LAST = "2020-03-07T13:43:14+01:00", "2020-03-07T17:32:37+01:00", "2020-03-07T22:21:34+01:00"
pytestmark = pytest.mark.skipif(
    not DELIVERIES.is_dir(), reason="the independent data sets are not beside the repository"
)


def offered(places: Environment, name: str, partition: str, moment: str) -> None:
    """Taken, judged, decided and, if accepted, published, all at one moment."""
    at = datetime.fromisoformat(moment)
    delivery = collect_delivery(CONTRACT, [DELIVERIES / f"regioni-{name}.csv"], partition)
    publish_judged(take_and_decide(CONTRACT, delivery, places, at, at), places, at)


@pytest.fixture
def places(tmp_path):
    """The day before is published, and four files for the sixth were refused."""
    found = Environment.at(tmp_path)
    offered(found, "20200305-r2", "2020-03-05", "2020-03-05T19:30:00+01:00")
    offered(found, "20200306-r0", "2020-03-06", FIRST)
    offered(found, "20200306-r1", "2020-03-06", "2020-03-07T16:22:04+01:00")
    offered(found, "20200306-r2", "2020-03-06", "2020-03-07T16:26:08+01:00")
    offered(found, "20200306-r3", "2020-03-06", THIRD)
    return found


def test_while_the_day_is_refused_consumers_see_the_day_before_under_its_own_name(places):
    """[S1-016] [S2-039]"""
    status = status_of(CONTRACT, Ledger(places.ledger).entries(), datetime.fromisoformat(THIRD))
    assert (status.newest.partition, [record.partition for record in status.refused_since]) == (
        "2020-03-05",
        ["2020-03-06"],
    )


def test_what_the_newest_file_breaks_is_named_before_what_is_mended(places):
    """[S2-030] The zeros are still lacking; that numbers stand beside the wrong regions is over since the second file."""
    (refused,) = incidents_of(CONTRACT, Ledger(places.ledger).entries(), datetime.fromisoformat(THIRD))
    assert refused.rules[:3] == ("codice_regione.pattern", "coverage.missing", "coverage.unexpected")
    assert (refused.rules[-2:], len(refused.attempts)) == (
        ("cumulative_collapse.history", "stated_change_widespread.history"),
        4,
    )


def test_it_took_from_the_first_refusal_to_the_good_file(places):
    """[S1-035]"""
    offered(places, "20200306-r4", "2020-03-06", LAST)
    (resolved,) = incidents_of(CONTRACT, Ledger(places.ledger).entries(), datetime.fromisoformat(LAST))
    assert (resolved.kind, resolved.opened_at, resolved.resolved_at) == (
        IncidentKind.REFUSED,
        datetime.fromisoformat(FIRST),
        datetime.fromisoformat(LAST),
    )
