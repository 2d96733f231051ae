"""Writes to a published table that did not succeed: why, in words that are ours, and whether trying again may help."""

from dataclasses import dataclass

from contract_core.contract.model import Contract
from contract_core.errors import Problem, PublicationError


@dataclass(frozen=True, slots=True)
class Failure:
    """Why nothing was committed: the class of the error, what the operating system refused if it did, and whether a rival won."""

    kind: str
    refusal: str | None
    is_conflict: bool


def unless_fatal(failure: Failure | None, contract: Contract, partition: str | None) -> Failure | None:
    """The failure where trying again may help. Raises PublicationError where it does not."""
    if failure is not None and not failure.is_conflict:
        raise _refused(contract, partition, failure)
    return failure


def _refused(contract: Contract, partition: str | None, failure: Failure) -> PublicationError:
    if failure.refusal is not None:
        what = f"the published table cannot be written: {failure.refusal}"
        hint = "nothing was published; make room or repair the rights on its folder, and publish it again"
    else:
        what = f"the published table does not take the rows ({failure.kind})"
        hint = "nothing was published; the library's own words are withheld, since they quote rows"
    return PublicationError(Problem(where_of(contract, partition), what, hint))


def where_of(contract: Contract, partition: str | None) -> str:
    """The contract and the partition that a problem is about."""
    about = "" if partition is None else f", partition {partition}"
    return f"contract '{contract.name}' {contract.version}{about}"
