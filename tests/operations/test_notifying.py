"""Incidents told to people: once each, to those whom the contract names, whatever fails in between."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.operations.notices import Moments, Notice, Notified
from contract_core.operations.notifying import notify, plan
from contract_core.publication.entry import Event
from contract_core.publication.submit import publish_judged
from contract_core.rendering.next_steps import BY_RULE
from contract_core.rendering.notifications import message_of
from tests.hook import SECRET, Hook, listening
from tests.operations.keeping import CASES, DAY, NOW, House, rows

OWNERS = """\
owners:
  producer: {name: shop, contact: "team:shop"}
  consumers: [{name: report, contact: "report@example.org"}]
"""
HOUR = timedelta(hours=1)
BAD, GOOD = rows(-1), rows(1)
LATER = "2026-10-02"


@pytest.fixture
def hook() -> Iterator[Hook]:
    with listening() as found:
        yield found


class Told:
    """A house whose incidents are told, to a hook for everybody unless channels are named."""

    def __init__(self, folder: Path, terms: str = OWNERS) -> None:
        self.house = House(folder)
        self.house.contract = parse_contract(CASES + terms, "cases.yaml")
        self.channels: tuple[tuple[str, str], ...] = ()

    def notify(self, after: timedelta = timedelta(0)) -> Notified:
        environment = replace(self.house.places, channels=self.channels)
        return notify(self.house.contract, environment, {}, Moments(NOW + after, NOW + after), message_of)

    def plan(self, after: timedelta = timedelta(0)) -> Notified:
        return plan(self.house.contract, replace(self.house.places, channels=self.channels), {}, NOW + after)

    def events(self) -> list[str]:
        wanted = (Event.NOTIFIED, Event.NOT_NOTIFIED)
        return [entry.event.value for entry in self.house.ledger.entries() if entry.event in wanted]

    def deliver(self, text: str, after: timedelta = timedelta(0), day: str = DAY) -> None:
        publish_judged(self.house.judged(text, NOW + after, day), self.house.places, NOW + after)


@pytest.fixture
def told(tmp_path: Path, hook: Hook) -> Told:
    found = Told(tmp_path)
    found.channels = (("default", hook.address),)
    return found


def failures(found: Notified) -> list[str | None]:
    return [item.failure for item in found.told]


def test_an_incident_is_told_once_and_its_end_once(told: Told, hook: Hook) -> None:
    """[S1-016] [S2-041] Over retries, further refusals, corrections and further runs."""
    told.deliver(BAD)
    assert told.notify().is_complete
    told.deliver(BAD, HOUR)
    told.deliver(rows(-2), 2 * HOUR)
    told.notify(2 * HOUR)
    told.deliver(GOOD, 3 * HOUR)
    told.notify(3 * HOUR)
    told.notify(4 * HOUR)
    assert hook.titles == ["cases 2026-10-01: refused", "cases 2026-10-01: no longer refused"]
    assert told.events() == ["notified", "notified"]


def test_a_message_says_what_broke_how_often_what_to_do_and_what_consumers_see(told: Told, hook: Hook) -> None:
    """[S1-016] [S2-030]"""
    told.house.contract = parse_contract(f"{CASES}{OWNERS}recovery: Call the shop.\n", "cases.yaml")
    told.deliver(GOOD, day=DAY)
    told.deliver(rows(-1, -2, day=LATER), HOUR, LATER)
    told.notify(2 * HOUR)
    assert hook.texts == [
        (
            "**cases 1.0.0, 2026-10-02** is refused since 2026-10-02 10:00Z, 1h; 1 submission did not get through.\n\n"
            f"- **count.range** (2 breaches): {BY_RULE['range']}\n\n"
            "Consumers see 2026-10-01, 1d 11h old.\n\n"
            "The contract says what is to be done then: Call the shop."
        )
    ]


def test_the_end_of_an_incident_says_how_long_it_took(told: Told, hook: Hook) -> None:
    told.deliver(BAD)
    told.notify()
    told.deliver(GOOD, 3 * HOUR)
    told.notify(4 * HOUR)
    assert hook.texts[1] == (
        "**cases 1.0.0, 2026-10-01** is no longer refused: from 2026-10-02 09:00Z to 2026-10-02 12:00Z, 3h.\n\n"
        "Consumers see 2026-10-01, 1d 13h old."
    )


def test_what_a_contact_has_not_heard_comes_in_one_message(told: Told, hook: Hook) -> None:
    told.deliver(BAD)
    told.deliver(rows(-1, day=LATER), day=LATER)
    told.notify()
    assert (hook.titles, told.events()) == (["cases: 2 incidents"], ["notified", "notified"])


def test_what_was_over_before_anybody_heard_of_it_is_told_to_nobody(told: Told, hook: Hook) -> None:
    told.deliver(BAD)
    told.deliver(GOOD, HOUR)
    assert (told.notify(2 * HOUR).told, hook.titles, told.events()) == ((), [], [])


def test_a_channel_that_fails_twice_takes_it_the_third_time_and_then_no_more(told: Told, hook: Hook) -> None:
    told.deliver(BAD)
    hook.status = 500
    assert [failures(told.notify()), failures(told.notify())] == [["channel 'default' did not take it"]] * 2
    hook.status = 200
    assert [failures(told.notify()), failures(told.notify())] == [[None], []]
    assert told.events() == ["notified", "not_notified", "notified", "not_notified", "notified"]
    assert len(hook.titles) == 3


def test_what_fails_for_long_is_tried_less_and_less_often(told: Told, hook: Hook) -> None:
    told.deliver(BAD)
    hook.status = 500
    for _ in range(20):
        told.notify()
    assert len(hook.titles) == 3
    (waiting,) = failures(told.notify())
    assert waiting == "channel 'default' did not take it, 3 times so far; it is tried again from 2026-10-02 09:05Z"
    hook.status = 200
    assert failures(told.notify(timedelta(minutes=5))) == [None]


def test_the_end_is_told_only_to_those_who_heard_of_the_beginning(told: Told, hook: Hook) -> None:
    told.deliver(BAD)
    hook.status = 500
    told.notify()
    hook.status = 200
    told.deliver(GOOD, HOUR)
    assert told.notify(2 * HOUR).told == ()
    assert told.events() == ["notified", "not_notified"]


def test_a_receiver_who_is_named_later_hears_of_what_is_still_open(told: Told, hook: Hook) -> None:
    told.deliver(BAD)
    told.notify()
    alerts = '  alerts: [{name: shop, contact: "team:shop"}, {name: duty, contact: "team:duty"}]\n'
    told.house.contract = parse_contract(CASES.replace("1.0.0", "1.0.1") + OWNERS + alerts, "cases.yaml")
    assert [item.notice.contact for item in told.notify().told] == ["team:duty"]


def test_a_refusal_is_told_to_the_producer_and_what_is_overdue_to_consumers_too(told: Told, hook: Hook) -> None:
    """[S1-095] [S2-041] Although nothing arrived, and the ledger has no entry of that partition."""
    due = CASES.replace("start: 2026-10-01}", 'start: 2026-10-01}, due: {by: "08:00", days_after: 1}')
    told.house.contract = parse_contract(due + OWNERS, "cases.yaml")
    contacts = [(item.notice.incident.kind.value, item.notice.contact) for item in told.notify().told]
    assert contacts == [("overdue", "team:shop"), ("overdue", "report@example.org")]
    assert hook.texts[0] == (
        "**cases 1.0.0, 2026-10-01** is overdue since 2026-10-02 08:00Z, 1h.\n\n"
        "- ask the producer for the partition, then take its delivery; until it comes consumers do without it\n\n"
        "Consumers see nothing: nothing is published."
    )


def test_data_that_grew_too_old_are_told_and_so_is_that_newer_ones_came(told: Told, hook: Hook) -> None:
    """[S1-016]"""
    told.house.contract = parse_contract(f"{CASES}{OWNERS}freshness: {{column: day, max_age: 2d}}\n", "cases.yaml")
    told.deliver(GOOD)
    told.notify(20 * HOUR)
    told.deliver(rows(1, day=LATER), 21 * HOUR, LATER)
    told.notify(22 * HOUR)
    assert hook.titles == ["cases: stale", "cases: stale", "cases: no longer stale", "cases: no longer stale"]


def test_each_contact_is_told_on_its_own_channel_else_by_mail_else_on_the_default(told: Told, hook: Hook) -> None:
    alerts = (
        'alerts: [{name: a, contact: "team:shop"}, {name: b, contact: "a+b@example.org"}, {name: c, contact: "team:c"}]'
    )
    told.house.contract = parse_contract(f"{CASES}{OWNERS}  {alerts}\n", "cases.yaml")
    told.channels = (
        ("team:shop", f"{hook.address}/shop"),
        ("email", f"{hook.address}/mail/{{contact}}"),
        ("default", f"{hook.address}/default"),
    )
    told.deliver(BAD)
    told.notify()
    assert hook.paths == [f"/{SECRET}/{end}" for end in ("shop", "mail/a+b@example.org", "default")]


@pytest.mark.parametrize(
    ("contact", "channels", "why"),
    [
        pytest.param("team:shop", (), "no channel is named 'team:shop' or 'default': add one to channels:", id="none"),
        pytest.param(
            "report@example.org",
            (("email", f"json://127.0.0.1:1/{SECRET}"),),
            "no channel is named 'report@example.org', 'email' (with {contact} in its address) or 'default'",
            id="no place for the contact",
        ),
        pytest.param("x", (("default", "env:HOOK"),), "channel 'default' has its address in HOOK, which is not set", id="no variable"),
        pytest.param(
            "a@example.org,b@example.org",
            (("email", f"json://127.0.0.1:1/{{contact}}/{SECRET}"),),
            "no channel is named 'a@example.org,b@example.org' or 'default'",
            id="two addresses",
        ),
    ],
)  # fmt: skip
def test_who_could_not_be_told_is_said_with_what_to_add_and_nothing_is_recorded(
    told: Told, contact: str, channels: tuple[tuple[str, str], ...], why: str
) -> None:
    told.house.contract = parse_contract(CASES + OWNERS.replace("team:shop", contact), "cases.yaml")
    told.channels = channels
    told.deliver(BAD)
    (failure,) = failures(told.notify())
    assert failure is not None
    assert (why in failure, SECRET in failure, told.events()) == (True, False, [])


def test_a_contract_that_names_nobody_leaves_its_incidents_unaddressed(told: Told) -> None:
    told.house.contract = parse_contract(CASES, "cases.yaml")
    told.deliver(BAD)
    found = told.notify()
    assert ([item.kind.value for item in found.unaddressed], found.is_complete, found.told) == (["refused"], False, ())


def test_a_plan_sends_nothing_and_records_nothing(told: Told, hook: Hook) -> None:
    told.deliver(BAD)
    (item,) = told.plan().told
    assert (item.channel, item.failure, hook.titles, told.events()) == ("default", None, [], [])


def test_a_claim_is_had_by_one(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.judged(BAD)
    (decided,) = house.ledger.entries()
    claim = replace(
        decided, event=Event.NOTIFIED, reference="a:opened:1:b", by="contract-gate", sequence=0, identity=""
    )
    assert [house.ledger.claim(claim), house.ledger.claim(claim)] == [True, False]
    assert house.ledger.claim(replace(claim, contract_digest="d" * 64)) is False


@pytest.mark.parametrize("contact", ["a:b:c", "x:opened:1:y", " . ", "é\n\t", "a" * 500])
def test_whatever_a_contact_is_called_it_is_told_once(told: Told, hook: Hook, contact: str) -> None:
    owner = told.house.contract.owners
    assert owner is not None
    producer = owner.producer.model_copy(update={"contact": contact})
    told.house.contract = told.house.contract.model_copy(
        update={"owners": owner.model_copy(update={"producer": producer})}
    )
    told.deliver(BAD)
    told.notify()
    told.notify()
    assert len(hook.titles) == 1


def test_a_notice_is_known_by_incident_stage_attempt_and_contact(told: Told) -> None:
    told.deliver(BAD)
    (item,) = told.plan().told
    assert isinstance(item.notice, Notice)
    assert item.notice.reference == f"{item.notice.incident.identity[:16]}:opened:1:team:shop"
