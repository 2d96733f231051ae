"""Laws of coverage over time: the states divide the calendar, and agree with deadlines and with a reckoning from the entries alone."""

from datetime import UTC, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from contract_core.contract.deadlines import due_at
from contract_core.contract.delivery_terms import Due, PartitionTerms
from contract_core.contract.model import Contract
from contract_core.contract.partition import begun, window
from contract_core.operations.coverage import PartitionState, coverage_of
from contract_core.operations.deadlines import State, deadlines_of
from contract_core.operations.incidents import open_incidents
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from tests.properties.test_deadlines import DAYS, dues, partitions

_WINDOW = 12
_TRIES = ("refused", "accepted", "failed", "published", "published late")


@st.composite
def histories(draw: st.DrawFn, terms: PartitionTerms, at: datetime) -> tuple[LedgerEntry, ...]:
    """Some tries for some of the last partitions, each with a submission of its own, in any order of partitions."""
    keys = list(islice(begun(terms, at), _WINDOW))
    tries = draw(st.lists(st.tuples(st.sampled_from(keys), st.sampled_from(_TRIES)), max_size=20))
    return tuple(entry for number, (key, what) in enumerate(tries) for entry in entries_of(key, what, number, at))


def entries_of(key: str, what: str, number: int, at: datetime) -> list[LedgerEntry]:
    verdict = Verdict.REFUSE if what == "refused" else Verdict.PUBLISH
    moment = at - timedelta(days=0 if what == "published late" else 5000)
    told = {"failed": [Event.FAILED], "published": [Event.PUBLISHED], "published late": [Event.PUBLISHED]}.get(what, [])
    return [
        LedgerEntry(event, "c", "1.0.0", "d", key, f"{number}", "d", verdict, "r", 1, moment, moment, received_at=moment,
                    sequence=10 * number + place)
        for place, event in enumerate([Event.DECIDED, *told])
    ]  # fmt: skip


def contract_of(terms: PartitionTerms, due: Due | None) -> Contract:
    fields = [{"name": "at", "type": "timestamp"}]
    delivery = {"partition": terms, "due": due} if due is not None else {"partition": terms}
    return Contract.model_validate({"contract": "c", "version": "1.0.0", "fields": fields, "delivery": delivery})


def reckoned(terms: PartitionTerms, due: Due | None, key: str, story: tuple[LedgerEntry, ...], at: datetime) -> str:
    """The state of one partition in the plainest way: by the last entry about it, its end, its deadline and the day that it is."""
    own = [entry for entry in story if entry.partition == key]
    due_moment = None if due is None else due_at(terms, due, key)
    if own:
        last = own[-1]
        if last.event is Event.PUBLISHED:
            first = min(entry.received_at or entry.at for entry in own if entry.event is Event.PUBLISHED)
            return "late" if due_moment is not None and first > due_moment else "published"
        return "refused" if last.verdict is Verdict.REFUSE else "unpublished"
    has_ended = window(terms, key)[1] <= at
    if due is None or due_moment is None:
        return "missing" if has_ended else "waiting"
    if at > due_moment:
        return "missing"
    today = at.astimezone(ZoneInfo(due.timezone)).date()
    is_off = today in due.holidays or (due.calendar == "weekdays" and today.weekday() >= 5)
    return "not_expected" if has_ended and is_off else "waiting"


MOMENTS = st.builds(
    lambda day, hour, minute: datetime.combine(day, time(hour, minute), UTC),
    DAYS,
    st.integers(0, 23),
    st.integers(0, 59),
)


@given(st.data(), partitions(), st.none() | dues(), MOMENTS)
def test_states_agree_with_a_reckoning_from_the_entries(
    data: st.DataObject, terms: PartitionTerms, due: Due | None, at: datetime
) -> None:
    """[S1-016]"""
    story = data.draw(histories(terms, at))
    found = coverage_of(contract_of(terms, due), story, at, _WINDOW)
    keys = list(islice(begun(terms, at), _WINDOW))
    assert [(item.partition, item.state.value) for item in found.partitions] == [
        (key, reckoned(terms, due, key, story, at)) for key in keys
    ]


@given(st.data(), partitions(), st.none() | dues(), MOMENTS)
def test_the_states_divide_the_calendar(
    data: st.DataObject, terms: PartitionTerms, due: Due | None, at: datetime
) -> None:
    """Every partition that has begun has one state, none is left out, none stands twice, and the counts add up."""
    found = coverage_of(contract_of(terms, due), data.draw(histories(terms, at)), at, _WINDOW)
    assert sum(found.count(state) for state in PartitionState) == len({item.partition for item in found.partitions})
    spans = [window(terms, item.partition) for item in found.partitions]
    assert all(later[0] == earlier[1] for later, earlier in pairwise(spans))
    assert spans[0][0] <= at < spans[0][1]


_AS_DEADLINES = {
    PartitionState.PUBLISHED: State.PUBLISHED,
    PartitionState.LATE: State.LATE,
    PartitionState.MISSING: State.MISSING,
    PartitionState.WAITING: State.WAITING,
    PartitionState.NOT_EXPECTED: State.WAITING,
    PartitionState.REFUSED: State.REFUSED,
    PartitionState.UNPUBLISHED: State.UNPUBLISHED,
}


@given(st.data(), partitions(), dues(), MOMENTS)
def test_where_nothing_is_shown_coverage_and_deadlines_say_the_same(
    data: st.DataObject, terms: PartitionTerms, due: Due, at: datetime
) -> None:
    """[S2-041]"""
    contract, story = contract_of(terms, due), data.draw(histories(terms, at))
    expected = {item.partition: item.state for item in deadlines_of(contract, story, at, _WINDOW).partitions}
    hidden = [item for item in coverage_of(contract, story, at, _WINDOW).partitions if not item.is_shown]
    assert {item.partition: _AS_DEADLINES[item.state] for item in hidden} == {
        item.partition: expected[item.partition] for item in hidden
    }


@given(st.data(), partitions(), MOMENTS)
def test_what_is_refused_now_is_an_open_incident_and_what_is_published_is_none(
    data: st.DataObject, terms: PartitionTerms, at: datetime
) -> None:
    """[S1-016]"""
    contract, story = contract_of(terms, None), data.draw(histories(terms, at))
    stands = {item.partition: item.state for item in coverage_of(contract, story, at, _WINDOW).partitions}
    held_back = {item.partition for item in open_incidents(contract, story, None, at)}
    assert {key for key, state in stands.items() if state is PartitionState.REFUSED} <= held_back
    assert {stands[key] for key in held_back} <= {PartitionState.REFUSED, PartitionState.UNPUBLISHED}
