"""Which contracts there are: a folder of YAML files, one contract each, found by name or by path."""

from difflib import get_close_matches
from pathlib import Path

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.part_list import with_listed_parts
from contract_core.contract.yaml_document import MAX_BYTES
from contract_core.errors import InvalidContractError, Problem, UnknownContractError

_UNREAD = "the contract file cannot be read"
SUFFIXES = (".yaml", ".yml")


def read_contract(path: Path) -> Contract:
    """The contract in one file. Raises InvalidContractError, or UnknownContractError where the file cannot be read."""
    return with_parts_beside(parse_contract(read_file(path), str(path)), path)


def with_parts_beside(contract: Contract, path: Path) -> Contract:
    """The contract of a file with the required parts that a list beside it names. Raises InvalidContractError."""
    place = "" if path.parent == Path() else f"{path.parent}/"

    def read(name: str) -> bytes:
        try:
            return read_file(path.parent / name)
        except UnknownContractError as error:
            hint = "put it below the folder of the contract, or write required: [...]"
            what = f"the list of required parts cannot be read{error.problems[0].what.removeprefix(_UNREAD)}"
            raise InvalidContractError(Problem(f"{place}{name}", what, hint)) from None

    return with_listed_parts(contract, read, place)


def read_file(path: Path) -> bytes:
    """What stands in a contract file, no more than a contract may have and a byte. Raises UnknownContractError."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise UnknownContractError(Problem(str(path), "is a device or a pipe", "give a contract file (*.yaml)"))
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        what = f"{_UNREAD}: {error.strerror or type(error).__name__}"
        raise UnknownContractError(Problem(str(path), what, "check the path and your rights")) from None


def contract_files(folder: Path) -> tuple[Path, ...]:
    """The contract files directly in `folder`, sorted; none where there is no folder."""
    if not folder.is_dir():
        return ()
    return tuple(sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES and not path.name.startswith(".")))


def read_contracts(folder: Path) -> tuple[Contract, ...]:
    """All contracts of a folder, sorted by name. Raises InvalidContractError with the problems of all files."""
    contracts: dict[str, Contract] = {}
    problems: list[Problem] = []
    for path in contract_files(folder):
        try:
            contract = read_contract(path)
        except InvalidContractError as error:
            problems.extend(error.problems)
            continue
        if contract.name in contracts:
            problems.append(
                Problem(str(path), f"contract '{contract.name}' stands in another file of the folder too", "keep one")
            )
        contracts[contract.name] = contract
    if problems:
        raise InvalidContractError(*problems)
    return tuple(contracts[name] for name in sorted(contracts))


def find_contract(reference: str, folder: Path) -> Contract:
    """The contract that `reference` means: a path to a file, or the name of a contract in `folder`."""
    if reference.endswith(SUFFIXES) or "/" in reference:
        return read_contract(Path(reference))
    for path in contract_files(folder):
        if path.stem == reference:
            found = read_contract(path)
            if found.name == reference:
                return found
    known = {contract.name: contract for contract in read_contracts(folder)}
    if reference in known:
        return known[reference]
    raise UnknownContractError(_unknown(reference, folder, known))


def where_else(folder: Path) -> str:
    """What to do where a folder holds no contract: one often stands in the environment's own folder and has named no root."""
    here = Path("contracts")
    if contract_files(here) and not (folder.is_dir() and here.samefile(folder)):
        return "contracts/ is in this folder: add --root . or export CONTRACT_GATE_ROOT=$PWD"
    return "name another --root, or a contract file"


def _unknown(reference: str, folder: Path, known: dict[str, Contract]) -> Problem:
    listed = ", ".join(f"'{name}' ({contract.version})" for name, contract in sorted(known.items())) or "no contract"
    close = get_close_matches(reference, known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else "give a contract file, or a name from that folder"
    hint = hint if known else where_else(folder)
    return Problem("", f"no contract '{reference}'; {folder} has {listed}", hint)
