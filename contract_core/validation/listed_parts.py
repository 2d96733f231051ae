"""A contract whose required parts stand in another contract's table: bound by the parts that were found there, or unjudged without them."""

from dataclasses import replace

from contract_core.contract.model import Contract
from contract_core.validation.obligations import Obligation
from contract_core.validation.past import Past
from contract_core.validation.promise_kinds import NoOtherParts, PartsArrived


def bound_by_list(contract: Contract, past: Past) -> Contract:
    """The contract with the parts that were found in the other table; itself where it names its parts otherwise."""
    parts = contract.delivery.parts
    if parts is None or parts.required_from is None or past.listed is None:
        return contract
    known = parts.model_copy(update={"required": past.listed.required})
    return contract.model_copy(update={"delivery": contract.delivery.model_copy(update={"parts": known})})


def why_unlisted(contract: Contract, past: Past) -> str:
    """Why nobody knows which parts are required; empty where it is known."""
    parts = contract.delivery.parts
    if parts is None or parts.required_from is None:
        return ""
    if past.listed is None:
        return f"nobody looked which parts '{parts.required_from.contract}' lists"
    return "" if past.listed.required else past.listed.why_not or f"'{parts.required_from.contract}' lists no part"


def asks_for_parts(obligation: Obligation) -> bool:
    """True where an obligation cannot be judged without knowing the required parts."""
    return isinstance(obligation.promise, PartsArrived | NoOtherParts)


def with_version(obligation: Obligation, past: Past) -> Obligation:
    """The obligation with the version of the table that listed its parts, so that a report tells which one it was."""
    promise, listed = obligation.promise, past.listed
    if not isinstance(promise, PartsArrived) or listed is None or listed.version is None:
        return obligation
    return replace(obligation, promise=replace(promise, listed_in=f"{promise.listed_in} (version {listed.version})"))
