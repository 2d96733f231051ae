"""What the language can say and this version does not enforce. A delivery under such a contract is refused, never half checked."""

from collections.abc import Iterator

from contract_core.contract.complaint import Complaint
from contract_core.contract.model import Contract
from contract_core.errors import NotYetSupportedError, Problem


def unsupported(contract: Contract) -> Iterator[Complaint]:
    """Every promise of the contract that nothing here would enforce."""
    asked = {
        ("delivery", "parts", "required_file"): contract.delivery.parts is not None
        and contract.delivery.parts.required_file is not None,
        ("history",): bool(contract.history),
    }
    instead = {"required_file": "read the contract from its file, or write required: [...]"}
    why = {"required_file": "names a list that was not read: the contract came as a text without its folder"}
    otherwise = "is not enforced by this version, and nothing weaker is done in its place"
    for path, is_asked in asked.items():
        if is_asked:
            what = f"{'.'.join(path)} {why.get(path[-1], otherwise)}"
            yield Complaint(path, what, instead.get(path[-1], "remove it until it is"))


def refuse_unsupported(contract: Contract) -> None:
    """Raises NotYetSupportedError where the contract makes a promise that nothing here would enforce."""
    where = f"contract '{contract.name}' {contract.version}"
    problems = [Problem(where, complaint.what, complaint.hint) for complaint in unsupported(contract)]
    if problems:
        raise NotYetSupportedError(*problems)
