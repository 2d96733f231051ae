"""The law of publication: whatever is submitted, retried, refused or crashes, in whatever order, each submission is recorded once."""

from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

import contract_core as core
from contract_core.errors import ContractCoreError
from contract_core.publication.entry import Event
from tests.test_the_path import GOOD, NOW, Walk

DELIVERIES = {
    "first": GOOD,
    "second": GOOD.replace("12", "13"),
    "third": GOOD.replace("12", "14"),
    "bad": GOOD.replace("12", "-1"),
}
COUNTS = {"first": 12, "second": 13, "third": 14}


class Killed(BaseException):
    """Stands for the end of the process."""


def dies_before(event: Event):
    """The ledger of a process that is killed before it can record an event of this kind."""
    append = core.Ledger.append

    def appended(ledger: core.Ledger, entry):
        if entry.event is event:
            raise Killed
        return append(ledger, entry)

    return patch.object(core.Ledger, "append", appended)


STEPS = st.lists(
    st.tuples(st.sampled_from(sorted(DELIVERIES)), st.sampled_from([None, None, Event.DECIDED, Event.PUBLISHED])),
    min_size=1,
    max_size=7,
)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(STEPS)
def test_any_interleaving_of_submit_retry_and_crash_leaves_one_record_and_one_publication(steps):
    """S1-066, S1-086, S1-093"""
    with TemporaryDirectory() as folder:
        walk = Walk(Path(folder))
        accepted = [name for name, crash in steps if _submitted(walk, name, crash)]
        for name in dict.fromkeys(accepted[-1:]):
            _submitted(walk, name, None)
        entries = walk.ledger.entries(contract="cases")
        published = Counter(entry.submission for entry in entries if entry.event is Event.PUBLISHED)
        assert set(published.values()) <= {1}
        assert {entry.verdict for entry in entries if entry.event is Event.PUBLISHED} <= {core.Verdict.PUBLISH}
        assert _shown(walk) in ({COUNTS[name] for name in COUNTS} | {None})


def _submitted(walk: Walk, name: str, crash: Event | None) -> bool:
    """One process that takes, judges and publishes a delivery, and perhaps is killed on the way; true where it was accepted."""
    with suppress(Killed, ContractCoreError):
        if crash is None:
            candidate, _, decision = walk.judged(DELIVERIES[name])
            core.publish(walk.contract, candidate, walk.ledger, walk.store, NOW)
            assert decision.verdict is core.Verdict.PUBLISH
            return True
        with dies_before(crash):
            candidate, _, _ = walk.judged(DELIVERIES[name])
            core.publish(walk.contract, candidate, walk.ledger, walk.store, NOW)
    return False


def _shown(walk: Walk) -> int | None:
    """The first region's count in the published table: which submission it shows; None before anything was published."""
    if not walk.table.exists():
        return None
    rows = walk.store.rows("cases").collect().sort("region")
    assert rows.height == 2, "a partition shows one submission, never two"
    return int(rows["count"][1])
