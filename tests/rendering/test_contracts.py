"""A contract as a person reads it."""

from pathlib import Path

from contract_core.rendering.contracts import contract_lines
from contract_core.validation.obligations import obligations_of
from tests.contract.texts import contract_of

EXAMPLE = Path(__file__).parents[1] / "cases" / "design_example.yaml"


def test_a_contract_is_told_with_owners_policy_rules_and_what_nobody_checks() -> None:
    """S3-024, S2-002, S1-040."""
    lines = list(contract_lines(contract_of(EXAMPLE.read_bytes())))
    assert lines[0] == "regional_daily_cases 1.0.0 (active)"
    assert {
        "  producer: onboarding (team:onboarding)", "  consumers: weekly_report (weekly@example.org)", "  grain: One row per region and reporting date.", "  on breach: fail",
        "  publication: replace_partition", "  extra fields: reject", "  partitions: one for each day of report_date (UTC)",
        "    case_count: int64 in cases - Confirmed by laboratory test, by day of sampling.", "    note: string, optional, nullable",
        "      note.untrimmed: 'note' has no outer white space", "    key: (region_code, report_date) is unique",
    } <= set(lines)  # fmt: skip


def test_what_is_not_enforced_yet_is_said() -> None:
    """A text without its folder names a list that nobody read."""
    parts = "delivery: {parts: {from: file, required_file: x.csv}}\n"
    lines = list(
        contract_lines(contract_of(f'contract: c\nversion: "1.0.0"\nfields: [{{name: a, type: string}}]\n{parts}'))
    )
    assert (
        "  not enforced yet: delivery.parts.required_file names a list that was not read: "
        "the contract came as a text without its folder"
    ) in lines


def test_a_group_rule_is_told_under_its_name() -> None:
    text = "fields: [{name: a, type: string}]\ngroups: [{name: g, by: [a], sql: count(*) < 9, severity: warn, on_null: keep}]\n"
    lines = list(contract_lines(contract_of('contract: c\nversion: "1.0.0"\n' + text)))
    assert "    g.group: for each (a): COUNT(*) < 9 or is unknown (only warns)" in lines


def test_history_rules_are_told_under_their_names() -> None:
    rules = "[{name: h, sql: n > previous.n, severity: warn, on_null: keep, max_share: 5%}, {name: v, vanished: true}]"
    text = f"fields: [{{name: a, type: string}}, {{name: n, type: integer}}]\nkey: [a]\nhistory: {rules}\n"
    lines = list(contract_lines(contract_of('contract: c\nversion: "1.0.0"\n' + text)))
    condition = '"n" > "previous"."n" or is unknown, but for at most 5% of rows (only warns)'
    assert {
        f"    h.history: beside what was published before: {condition}",
        "    v.history: every published key (a) is there again",
    } <= set(lines)


def test_every_obligation_is_told_once_or_by_the_line_of_its_field() -> None:
    contract = contract_of(EXAMPLE.read_bytes())
    lines = list(contract_lines(contract))
    told = [item for item in obligations_of(contract) if item.rule not in ("missing", "type", "null", "not_finite")]
    assert [sum(line.strip().startswith(f"{item.id}: ") for line in lines) for item in told] == [1] * len(told)


def test_a_partition_by_value_has_no_zone() -> None:
    contract = contract_of(
        'contract: c\nversion: "1.0.0"\nfields: [{name: a, type: string}]\ndelivery: {partition: {column: a}}\n'
    )
    assert "  partitions: one for each value of a" in list(contract_lines(contract))
