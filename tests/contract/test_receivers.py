"""Whom a contract names to be told of incidents, and the words in which `show` says so."""

import pytest

from contract_core.contract.receivers import receivers_of
from contract_core.rendering.contracts import contract_lines
from contract_core.rendering.enforcement import enforcement_document, enforcement_lines
from tests.contract.texts import MINIMAL, contract_of

PRODUCER = 'producer: {name: shop, contact: "team:shop"}'
CONSUMERS = 'consumers: [{name: report, contact: "report@example.org"}, {name: stock}]'
ALERTS = 'alerts: [{name: duty, contact: "team:duty"}, {name: night, contact: "team:duty"}]'


def with_owners(*terms: str) -> str:
    return f"{MINIMAL}owners: {{{', '.join(terms)}}}\n"


@pytest.mark.parametrize(
    ("text", "always", "late"),
    [
        pytest.param(MINIMAL, [], [], id="no owners"),
        pytest.param(with_owners("producer: {name: shop}"), [], [], id="no contact"),
        pytest.param(with_owners(PRODUCER), ["team:shop"], ["team:shop"], id="the producer"),
        pytest.param(
            with_owners(PRODUCER, CONSUMERS),
            ["team:shop"],
            ["team:shop", "report@example.org"],
            id="consumers of what is late",
        ),
        pytest.param(with_owners(PRODUCER, CONSUMERS, ALERTS), ["team:duty"], ["team:duty"], id="the named ones alone"),
    ],
)
def test_whom_a_contract_names_is_told(text: str, always: list[str], late: list[str]) -> None:
    """[S1-095]"""
    contract = contract_of(text)
    assert [owner.contact for owner in receivers_of(contract, is_late=False)] == always
    assert [owner.contact for owner in receivers_of(contract, is_late=True)] == late


@pytest.mark.parametrize(
    ("text", "told", "corrections"),
    [
        pytest.param(MINIMAL, "nobody: no contact is named", "nobody is named", id="nobody"),
        pytest.param(
            with_owners(PRODUCER, CONSUMERS, "corrections: {name: data_office}"),
            "shop (team:shop); of what is overdue, stale or silent also report (report@example.org)",
            "data_office",
            id="the default",
        ),
        pytest.param(
            with_owners(PRODUCER, ALERTS, 'corrections: {name: office, contact: "team:office"}'),
            "duty (team:duty)",
            "office (team:office)",
            id="named",
        ),
    ],
)
def test_show_says_who_is_told_and_who_may_authorise_a_correction(text: str, told: str, corrections: str) -> None:
    """[S1-095]"""
    contract = contract_of(text)
    assert {f"  told of incidents: {told}", f"  corrections by: {corrections}"} <= set(contract_lines(contract))
    people = [
        f"told by `contract-gate notify` of what is refused, failed, overdue, stale or silent: {told}",
        f"a correction of what is published is authorised by: {corrections}",
    ]
    assert enforcement_document(contract, {})["people"] == people
    assert {f"  people: {line}" for line in people} <= set(enforcement_lines(contract, {}))
