"""What a contract says and nothing here could enforce as it stands. A delivery under such a contract is refused, never half checked."""

from collections.abc import Iterator

from contract_core.contract.complaint import Complaint
from contract_core.contract.model import Contract
from contract_core.errors import NotYetSupportedError, Problem


def unsupported(contract: Contract) -> Iterator[Complaint]:
    """Every promise of the contract that nothing here would enforce."""
    parts = contract.delivery.parts
    if parts is not None and parts.required_file is not None:
        path = ("delivery", "parts", "required_file")
        what = f"{'.'.join(path)} names a list that was not read: the contract came as a text without its folder"
        yield Complaint(path, what, "read the contract from its file, or write required: [...]")


def refuse_unsupported(contract: Contract) -> None:
    """Raises NotYetSupportedError where the contract makes a promise that nothing here would enforce."""
    where = f"contract '{contract.name}' {contract.version}"
    problems = [Problem(where, complaint.what, complaint.hint) for complaint in unsupported(contract)]
    if problems:
        raise NotYetSupportedError(*problems)
