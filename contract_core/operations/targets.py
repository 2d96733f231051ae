"""The published table as a second line of defence: which promises it enforces itself, and what separates it from its contract."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.publication.constraints import Pending, settle, settle_with_upgrade
from contract_core.publication.published_schema import promised_types
from contract_core.publication.submit import store_of
from contract_core.validation.sql import target_rules
from contract_core.validation.target_rule import TargetRule


@dataclass(frozen=True, slots=True)
class Target:
    """What the table of a contract enforces, by obligation, and what is still to be done to it."""

    rules: Mapping[str, TargetRule]
    pending: Pending


def target_of(contract: Contract, environment: Environment) -> Target:
    """The table as it is, or as it would be made; nothing is written. Raises PublicationError where it cannot be opened."""
    store = store_of(environment)
    rules = target_rules(contract, promised_types(contract, store.types(contract.name)))
    return Target({rule.obligation.id: rule for rule in rules}, store.pending(contract))


def set_up(contract: Contract, environment: Environment) -> Pending:
    """Makes the table and its constraints ready before anything is published; gives what was changed."""
    return store_of(environment).set_up(contract, settle)


def set_up_with_upgrade(contract: Contract, environment: Environment) -> Pending:
    """The same where other engines write to the table too, and the writer protocol rises under them."""
    return store_of(environment).set_up(contract, settle_with_upgrade)


def changes_in(pending: Pending) -> dict[str, Any]:
    """The changes by the names of constraints and columns, as plain values for those who tell about them."""
    told = {field.name: getattr(pending, field.name) for field in fields(pending)}
    return told | {"add": tuple(rule.name for rule in pending.add)}
