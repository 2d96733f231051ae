"""Messages to people: what hostile names in a contract can make of them, and how many incidents one message shows."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_core.contract.parsing import parse_contract
from contract_core.operations.incidents import Incident, IncidentKind
from contract_core.operations.notices import Batch, Notice, Stage
from contract_core.rendering.notifications import escaped, message_of
from tests.catalogue.hostile import EVERY

NOON = datetime(2026, 10, 2, 12, tzinfo=UTC)
CONTRACT = parse_contract('contract: cases\nversion: "1.0.0"\nfields: [{name: a, type: string}]\n', "c.yaml")
REFUSED = Incident("cases", IncidentKind.REFUSED, "2026-10-01", NOON, rules=("a.null",))
MARKUP = (
    "[text](http://evil.example)", "![image](http://evil.example/i.png)", "# head", "- item", "> quote", "`code`", "**bold**", "_it_", "~~gone~~",
    "<!channel>", "<http://evil.example>", "&copy;", "a\n\n# head", "a\u2028b", "|a|b|", "\\", "[ref]: http://evil.example", "1. one",
)  # fmt: skip
TAGS = {"p", "strong", "ul", "li", "code"}


def batch(*notices: Notice, recovery: str | None = None) -> Batch:
    return Batch(CONTRACT.model_copy(update={"recovery": recovery}), notices, (), NOON + timedelta(hours=3))


def notice(incident: Incident = REFUSED) -> Notice:
    return Notice(incident, Stage.OPENED, "team:shop")


@pytest.mark.parametrize("text", [*EVERY, *MARKUP])
def test_what_a_contract_says_acts_as_no_markup(text: str) -> None:
    hostile = replace(REFUSED, partition=text, rules=(f"{text}.null",))
    title, told = message_of(batch(notice(hostile), recovery=text))
    html = markdown.markdown(told)
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= TAGS
    assert "\n" not in title


@given(st.text())
def test_no_text_at_all_acts_as_markup(text: str) -> None:
    html = markdown.markdown(f"Begins {escaped(text)} and ends.")
    assert re.sub(r"&[a-z]+;|&#[0-9]+;", "", html.removeprefix("<p>").removesuffix("</p>")).count("<") == 0


@pytest.mark.parametrize(
    "text", ["order_id.null", "case_count.range", "2026-10-01", "weekly@example.org", "key.published"]
)
def test_an_ordinary_name_is_shown_as_it_is(text: str) -> None:
    assert escaped(text) == text


@pytest.mark.parametrize("text", ["@everyone", "ask @here", "(@channel)"])
def test_a_name_calls_nobody(text: str) -> None:
    assert escaped(text) == text.replace("@", "@\u200b")


def test_of_many_incidents_the_first_are_shown_and_the_others_counted() -> None:
    many = [notice(replace(REFUSED, partition=f"2026-10-{day:02}")) for day in range(1, 26)]
    title, told = message_of(batch(*many))
    assert (title, told.count("is refused since")) == ("cases: 25 incidents", 20)
    assert "… and 5 more: `contract-gate status cases`" in told


def test_begin_and_end_are_counted_apart() -> None:
    over = replace(notice(replace(REFUSED, resolved_at=NOON + timedelta(hours=1))), stage=Stage.RECOVERED)
    assert message_of(batch(notice(), notice(), over))[0] == "cases: 2 incidents, 1 recovery"


@pytest.mark.parametrize(
    ("incident", "head"),
    [
        (REFUSED, "**cases 1.0.0, 2026-10-01** is refused since 2026-10-02 12:00Z, 3h."),
        (
            replace(REFUSED, kind=IncidentKind.FAILED, error="PublicationError", attempts=("a", "b")),
            "**cases 1.0.0, 2026-10-01** is not published since 2026-10-02 12:00Z, 3h; 2 submissions did not get through.",
        ),
        (replace(REFUSED, kind=IncidentKind.STALE, partition=None), "**cases 1.0.0** is stale since 2026-10-02 12:00Z, 3h."),
    ],
    ids=["refused", "failed", "stale"],
)  # fmt: skip
def test_an_incident_is_told_with_since_when(incident: Incident, head: str) -> None:
    assert message_of(batch(notice(incident)))[1].splitlines()[0] == head
