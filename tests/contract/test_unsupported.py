"""What the language can say and this version does not enforce is refused as a whole, never half enforced."""

import pytest

from contract_core.contract.unsupported import refuse_unsupported, unsupported
from contract_core.errors import NotYetSupportedError
from tests.contract.texts import HEAD, contract_of

FIELDS = "fields: [{name: day, type: date}, {name: n, type: integer}]\nkey: [day]\n"
PARTITION = "partition: {column: day, every: day, start: 2026-10-01}"


def test_a_list_of_parts_that_was_not_read_is_refused() -> None:
    """A text alone has no folder in which its list could lie."""
    contract = contract_of(HEAD + FIELDS + "delivery: {parts: {from: file, required_file: x.csv}}\n")
    with pytest.raises(NotYetSupportedError) as refused:
        refuse_unsupported(contract)
    (complaint,) = refused.value.problems
    what = "delivery.parts.required_file names a list that was not read: the contract came as a text without its folder"
    where = "contract 'cases' 1.0.0"
    assert (complaint.where, complaint.what, complaint.hint) == (
        where,
        what,
        "read the contract from its file, or write required: [...]",
    )


@pytest.mark.parametrize(
    "addition",
    ["", "enforcement: {on_breach: warn}", "enforcement: {on_breach: quarantine}", "enforcement: {on_breach: quarantine, quarantine: {max_rows: 1, max_rate: 1%, rows: withheld, keep: 30d}}",
     "publication: {mode: replace_partition}", "publication: {mode: upsert}", "publication: {mode: append}", "delivery: {corrections: true}", f"delivery: {{{PARTITION}}}", f"delivery: {{{PARTITION}, due: {{by: '09:00'}}}}", "unique: [{name: u, fields: [n]}]", "groups: [{name: g, by: [day], sql: sum(n) > 0}]", "freshness: {column: day, max_age: 1d}",
     "history: [{name: h, sql: n > previous.n}]", "monitors: {volume: {max_change: 50%}}", "monitors: {fields: {n: {null_rate: 5%}}}"],
)  # fmt: skip
def test_a_promise_that_is_enforced_is_none_of_them(addition: str) -> None:
    assert list(unsupported(contract_of(HEAD + FIELDS + addition + "\n"))) == []
