"""The files beside contracts that say what people agreed to: the change record of each version, and the policy of the folder."""

from collections.abc import Iterator
from pathlib import Path

from contract_core.contract.registry import read_file
from contract_core.contract.term_file import read_terms
from contract_core.diff.policy import Policy
from contract_core.diff.record import ChangeRecord
from contract_core.errors import ContractCoreError, Problem, WrongUsageError

RECORDS = "changes"
POLICY = "policy.yaml"


def record_problems(folder: Path) -> Iterator[Problem]:
    """What is wrong with the policy and the change records beside the contracts of a folder, and with where they lie."""
    for path in sorted((folder / RECORDS).rglob("*")):
        if not path.is_file() or path.name.startswith("."):
            continue
        place = path.relative_to(folder / RECORDS)
        try:
            if place == Path(POLICY):
                policy_of(path)
            elif len(place.parts) != 2 or path.suffix != ".yaml":
                hint = f"a record lies in {RECORDS}/<contract>/<version>.yaml, the policy in {RECORDS}/{POLICY}"
                yield Problem(str(path), "lies where nobody reads it", hint)
            else:
                record_at(path, place.parts[0], path.stem)
        except ContractCoreError as error:
            yield from error.problems


def policy_of(path: Path) -> Policy:
    """The policy of a file; the default where there is none."""
    return read_terms(Policy, read_file(path), str(path)) if path.exists() else Policy()


def record_at(path: Path, name: str, version: str) -> ChangeRecord:
    """The record of a version. Raises WrongUsageError for a file that is wrong, or about another version."""
    record = read_terms(ChangeRecord, read_file(path), str(path))
    if (record.contract, record.version) != (name, version):
        what = f"is about {record.contract} {record.version} and stands where {name} {version} belongs"
        raise WrongUsageError(Problem(str(path), what, "name the contract and the version of the file's own place"))
    return record
