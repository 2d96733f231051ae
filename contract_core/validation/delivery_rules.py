"""Obligations that are judged from the delivery as declared and found, not from its rows: columns, contract, unit, parts, completeness."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import assert_never

from contract_core.candidate.facts import Facts, PartFacts
from contract_core.contract.complaint import few
from contract_core.contract.model import Contract
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import (
    DeclaresContract,
    DeclaresPartition,
    DeclaresUnit,
    DeliveryPromise,
    NoOtherParts,
    PartsArrived,
    PartsComplete,
)
from contract_core.validation.report import Finding, Outcome, Part, PartState

EXTRA, NO_PART = "<extra>", "<none>"
_DONE = (PartState.COMPLETE, PartState.EMPTY)


def judge(
    obligation: Obligation, contract: Contract, facts: Facts, partition: str | None, parts: tuple[Part, ...]
) -> Finding:
    """The finding for one obligation about the delivery; `parts` are those that `parts_found` gave."""
    promise = obligation.promise
    assert isinstance(promise, DeliveryPromise)
    match promise:
        case DeclaresPartition():
            return _declared(obligation, facts, "partition", agrees=facts.declared_partition in (None, partition))
        case DeclaresContract():
            return _declared(obligation, facts, "contract", agrees=_is_this(contract, facts))
        case DeclaresUnit():
            return _declared(obligation, facts, "unit", agrees=_is_unit(contract, facts))
        case PartsArrived(required):
            missing = [part.name for part in parts if part.state is PartState.MISSING]
            details = {"required": len(required), "missing": len(missing)}
            return counted(obligation, len(missing), details, few(missing))
        case NoOtherParts(required):
            return _others(obligation, facts, required, parts)
        case PartsComplete(required):
            return _completeness(obligation, contract, facts, required, parts)
        case _:
            assert_never(promise)


def counted(
    obligation: Obligation, breaches: int, details: Mapping[str, int] | None = None, reason: str = ""
) -> Finding:
    """Kept where nothing was counted, breached otherwise."""
    outcome = Outcome.BREACHED if breaches else Outcome.KEPT
    return Finding(obligation, outcome, breaches, reason if breaches else "", details or {})


def undeclared(obligation: Obligation, facts: Facts) -> Finding:
    """Breached by each column that the contract does not declare."""
    extra = {column.name or column.position for column in facts.extra_columns}
    return counted(obligation, len(extra), _first(facts, {column.name for column in facts.extra_columns}))


def unkeepable(obligation: Obligation, contract: Contract, facts: Facts) -> Finding:
    """Breached by undeclared columns that the published table cannot hold beside the others, or not with all their values."""
    names = {column.name for column in facts.extra_columns if column.name}
    spelled = Counter(name.lower() for name in (*contract.field_names, *names))
    alike = {name for name in names if spelled[name.lower()] > 1}
    problems = [problem.text for problem in facts.problems if problem.rule == "extra_field"]
    reasons = ["a name differs from another one by nothing but capitals"] if alike else []
    breaches = len(alike) + len(problems)
    return counted(obligation, breaches, _first(facts, alike or names), few(dict.fromkeys([*reasons, *problems])))


def _first(facts: Facts, names: Collection[str]) -> dict[str, int]:
    return {
        "first_position": min((column.position for column in facts.extra_columns if column.name in names), default=0)
    }


def parts_found(contract: Contract, facts: Facts, in_rows: Mapping[str | None, int] | None) -> tuple[Part, ...]:
    """Every required part and its state, then the unexpected ones, the rows without a part among them.

    `in_rows` counts rows by part where a column tells it, under None those where it tells none. A part that had rows and
    has none there is missing: all of them went to quarantine, which is not the same as being empty.
    """
    terms = contract.delivery.parts
    if terms is None:
        return ()
    declared = {part.name: part for part in facts.parts}
    is_declared = contract.delivery.manifest == "required" or facts.format == "envelope" or facts.manifest == "present"
    there = [part for part in facts.parts if _is_there(part)]
    found: dict[str | None, int] = {part.name: part.rows for part in there}
    if in_rows is not None:
        found = {name: 0 for name, rows in found.items() if not rows} | dict(in_rows)
    required = [
        Part(name, _state(found.get(name), declared.get(name), is_declared=is_declared), found.get(name))
        for name in terms.required
    ]
    others = [
        Part(NO_PART if name is None else EXTRA, PartState.UNEXPECTED, rows)
        for name, rows in found.items()
        if name not in terms.required
    ]
    return (*required, *others)


def _is_there(part: PartFacts) -> bool:
    return part.complete is not None or part.rows > 0 or part.source_file is not None


def _others(obligation: Obligation, facts: Facts, required: tuple[str, ...], parts: tuple[Part, ...]) -> Finding:
    """Breached by each part that nobody asked for, each one delivered again, and, as one, by all rows without a part."""
    others = [part for part in parts if part.state is PartState.UNEXPECTED]
    repeated = [part.name for part in facts.parts if part.deliveries > 1 and part.name in required]
    partless = sum(part.rows or 0 for part in others if part.name == NO_PART)
    details = {"required": len(required), "unexpected": len(others)}
    details |= {"delivered more than once": len(repeated)} if repeated else {}
    details |= {"rows without a part": partless} if partless else {}
    return counted(obligation, len(others) + len(repeated), details, few(repeated))


def _state(rows: int | None, declared: PartFacts | None, *, is_declared: bool) -> PartState:
    if rows is None:
        return PartState.MISSING
    complete = declared.complete if declared is not None else None
    if complete is False or (complete is None and is_declared):
        return PartState.INCOMPLETE
    return PartState.COMPLETE if rows else PartState.EMPTY


def _declared(obligation: Obligation, facts: Facts, rule: str, *, agrees: bool) -> Finding:
    """Breached where the declaration differs or is malformed; without any declaration there is nothing to differ."""
    problems = [problem.text for problem in facts.problems if problem.rule == rule]
    return counted(obligation, max(len(problems), 0 if agrees else 1), reason=few(problems))


def _is_this(contract: Contract, facts: Facts) -> bool:
    """True where the declaration names this contract and, if any, its major version: name, name/v1, name@1 or name@1.2.0."""
    if facts.declared_contract is None:
        return facts.format != "envelope"
    text = facts.declared_contract.replace("-", "_")
    name, _, version = text.replace("/v", "@").partition("@")
    versions = [stated for stated in (version, facts.declared_version) if stated]
    return name == contract.name and all(_same_major(contract.version, stated.removeprefix("v")) for stated in versions)


def _same_major(version: str, stated: str) -> bool:
    """True where a version, stated in full or by its first numbers, has this version's major: that is what a gate pins."""
    numbers = stated.split(".")
    return len(numbers) <= 3 and all(map(str.isdigit, numbers)) and numbers[0] == version.split(".", maxsplit=1)[0]


def _is_unit(contract: Contract, facts: Facts) -> bool:
    if facts.declared_unit is None:
        return facts.format != "envelope" or contract.unit is None
    return facts.declared_unit == contract.unit


def _completeness(
    obligation: Obligation, contract: Contract, facts: Facts, required: tuple[str, ...], parts: tuple[Part, ...]
) -> Finding:
    """Breached by each part that is there and is not declared complete; rows and files that nobody declared count too."""
    malformed = [problem.text for problem in facts.problems if problem.rule == "completeness"]
    is_absent = facts.manifest == "none" and facts.format != "envelope"
    if is_absent:
        is_owed = contract.delivery.manifest == "required"
        return counted(obligation, max(len(malformed), 1 if is_owed else 0), reason="there is no manifest")
    there = _to_be_complete(facts, required, parts)
    if facts.manifest == "unreadable" and not malformed:
        malformed = ["the manifest cannot be read"]
    details = {
        "incomplete": sum(1 for part in there if part.complete is False),
        "undeclared": sum(1 for part in there if part.complete is None) + len(facts.undeclared_files),
        "disagreeing": sum(1 for part in there if part.problems),
        "malformed": len(malformed),
    }
    open_parts = [part.name for part in there if part.complete is not True or part.problems]
    named = [name for name in open_parts if name in required] + list(facts.undeclared_files)
    breaches = len(open_parts) + len(facts.undeclared_files) + len(malformed)
    return counted(obligation, breaches, details, few([*named, *malformed]))


def _to_be_complete(facts: Facts, required: tuple[str, ...], parts: tuple[Part, ...]) -> list[PartFacts]:
    """The parts that must be declared complete; one that nobody asked for breaks coverage as soon as anything of it is there."""
    declared = {part.name: part for part in facts.parts}
    arrived = [part.name for part in parts if part.name in required and part.state is not PartState.MISSING]
    unnamed = [PartFacts(name) for name in arrived if facts.manifest != "unreadable" and name not in declared]
    asked = [declared[name] for name in required if name in declared]
    others = [part for part in facts.parts if part.name not in required and not (required and _is_there(part))]
    return [*asked, *others, *unnamed]
