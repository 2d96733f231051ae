"""What to do about each broken rule, exceeded budget, failed publication and missing delivery: one sentence for each, by its label."""

from collections.abc import Mapping

from contract_core.contract.model import Contract
from contract_core.operations.incidents import Incident, IncidentKind
from contract_core.validation.obligations import obligations_of

_BUDGET = "correct the rows at the source and deliver again, or release a contract version with a larger budget"
BY_RULE: Mapping[str, str] = {
    "unreadable": "deliver the file as the contract states it, or state its format in a new contract version",
    "not_object": "deliver one JSON object for each record and nothing else",
    "extra_field": "remove the column, or declare it in a new contract version",
    "missing": "deliver the column, or release a contract version without it",
    "type": "deliver values that are of the promised type, or state how they are written in a new contract version",
    "null": "fill in the values at the source and deliver again, or release a contract version with nullable: true",
    "not_finite": "look for a division by zero at the source and deliver numbers, or release a version with allow_nan: true",
    "enum": "map the values to the promised ones at the source, or release a contract version that lists them",
    "pattern": "correct how the values are written at the source, or release a contract version with a wider pattern",
    "range": "look for typing errors, wrong signs and units at the source, or release a version with wider bounds",
    "length": "look for texts that are cut off or run together at the source, or release a version with other lengths",
    "blank": "replace the blank texts at the source by real ones, or by nulls where the contract allows them",
    "untrimmed": "strip the outer white space at the source and deliver again",
    "row_rule": "correct the columns that contradict each other at the source, or release a version with another rule",
    "key": "find out which source repeats the key and deliver one row for each",
    "unique": "find out which source repeats the values and deliver one row for each",
    "duplicate_rows": "remove the surplus rows at the source and deliver each row once",
    "group": "compare the groups with the source and deliver them whole, or release a contract version that allows them",
    "history": "compare with the delivery before, correct the one that is wrong, or release a version with another rule",
    "row_count": "ask the producer whether the delivery is whole; say rows: {min: 0} where empty is fine",
    "partition": "deliver these rows under the partition they belong to",
    "coverage": "fetch the missing part and deliver the partition again",
    "completeness": "wait until the producer declares every part complete, then take the delivery again",
    "contract": "deliver under this contract's name and major version, or publish under another contract",
    "unit": "convert at the source and declare the contract's unit",
    "deadline": "ask the producer why it came late; a correction of it is judged by when the first one came",
    "freshness": "look for a newer delivery; consumers see old data until it comes",
    "volume": "ask the producer whether rows lack or came twice; if all is right, release a version with a wider limit",
    "drift": "find out what changed in the field at the source; if that is right, release a version with a wider limit",
}
"""By the label of the rule; each says something of its own."""
BY_ID: Mapping[str, str] = {
    "key.published": "deliver only keys that are not published yet, or release the contract with mode: upsert",
    "coverage.unexpected": "ask the producer what the other part is, then leave it out or release a contract version that requires it",
    "partition.declared": "declare the partition that is delivered, or offer the delivery under the one it declares",
    "quarantine.max_rows": _BUDGET,
    "quarantine.max_rate": _BUDGET,
    "quarantine.no_row_left": "correct the rows at the source and deliver again",
}
"""What is about more than its rule says, or about no rule."""
_FAILURES: Mapping[str, str] = {
    "OlderSubmissionError": "it was received before what is published; publish it with --allow-older if you mean to go back",
    "PublicationConflictError": "other publications won every time; publish it again",
    "PublicationError": "the published table did not take it; publish it again and read the message",
}
"""Why a publication that was allowed failed and what to do, by the class of error that the ledger keeps."""
WHEN_OVERDUE = "ask the producer for the partition, then take its delivery; until it comes consumers do without it"
WHEN_SILENT = "find out whether deliveries have stopped, or the pipeline that takes them"


def step_for(identity: str, rule: str) -> str:
    """What to do about a finding or a budget, by its id and the label of its rule."""
    return BY_ID.get(identity) or BY_RULE[rule]


def steps_for(contract: Contract, incident: Incident) -> tuple[tuple[str, str], ...]:
    """What to do about an incident: by the id of each rule that holds the partition back, else one step without an id."""
    match incident.kind:
        case IncidentKind.REFUSED:
            rules = {obligation.id: obligation.rule for obligation in obligations_of(contract)}
            return tuple((name, _step_of_old(name, rules)) for name in incident.rules)
        case IncidentKind.FAILED:
            return (("", _FAILURES.get(incident.error or "", _FAILURES["PublicationError"])),)
        case IncidentKind.OVERDUE:
            return (("", WHEN_OVERDUE),)
        case IncidentKind.SILENT:
            return (("", WHEN_SILENT),)
        case IncidentKind.STALE:
            return (("", BY_RULE["freshness"]),)


def failure_words(reason: str | None) -> str:
    """Why a publication that was allowed failed, and what to do, by the class of its error; empty where nobody recorded it."""
    return _FAILURES.get(reason or "", reason or "")


def _step_of_old(name: str, rules: Mapping[str, str]) -> str:
    """The step of a rule that an earlier version of the contract may have had: its id ends with the label, or holds it."""
    known = rules.get(name) or next((part for part in reversed(name.split(".")) if part in BY_RULE), None)
    return BY_ID.get(name) or BY_RULE.get(known or "", "read the contract version under which it was refused")
