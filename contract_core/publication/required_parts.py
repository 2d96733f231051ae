"""The required parts that another contract's published table lists: read at one version of it, for the first day of a partition."""

from datetime import date

import polars as pl
from deltalake import DeltaTable

from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.contract.part_sources import RequiredFrom
from contract_core.contract.partition import begins_at
from contract_core.contract.registry import find_contract
from contract_core.environment import Environment
from contract_core.errors import Problem, UnknownContractError, WrongUsageError
from contract_core.publication.causes import cause_of
from contract_core.publication.tables import TABLE_FAILURES, open_table, rows_of
from contract_core.validation.past import ListedParts

MOST = 10_000
"""More parts than that are no list of sources: most likely the field is another one than was meant."""
_NAMING = (Family.STRING, Family.INTEGER, Family.DATE)
_CLOSED = ("confidential", "restricted")


def listed_parts(contract: Contract, partition: str | None, environment: Environment) -> ListedParts | None:
    """The parts that the contract's `required_from` lists for a partition; None where it names its parts otherwise.

    Raises WrongUsageError where the other contract is not known here, or its fields are not of a kind that messages may name.
    """
    parts = contract.delivery.parts
    if parts is None or parts.required_from is None:
        return None
    source = parts.required_from
    _refuse_unfit(contract, source, environment)
    about = f"the published table '{source.contract}'"
    try:
        table = open_table(environment.published / source.contract)
        if table is None:
            return ListedParts(
                why_not=f"nothing of '{source.contract}' is published, so nobody knows which parts are required"
            )
        begins = begins_at(contract, partition)
        return _read(table, source, begins.date() if begins is not None else None, about)
    except TABLE_FAILURES as error:
        return ListedParts(why_not=f"{about} cannot be read: {cause_of(error)}")


def _read(table: DeltaTable, source: RequiredFrom, day: date | None, about: str) -> ListedParts:
    """The names in force on a day, each once; a row without a name lists nothing."""
    rows, version = rows_of(table), table.version()
    types = rows.collect_schema()
    lacking = next((name for name in source.fields if not _is_of_its_kind(types.get(name), name == source.field)), None)
    if lacking is not None:
        return ListedParts(version=version, why_not=f"{about} has no column '{lacking}' of the promised type")
    name = pl.col(source.field).cast(pl.String)
    named = rows.filter(name.str.strip_chars() != "")
    found = named.filter(_in_force(source, day)).select(name.alias("name")).unique().head(MOST + 1)
    names = tuple(sorted(found.collect(engine="streaming")["name"].to_list()))
    if len(names) > MOST:
        return ListedParts(version=version, why_not=f"{about} lists more than {MOST:,} parts")
    if not all(name.isprintable() for name in names):
        return ListedParts(version=version, why_not=f"{about} lists a name with signs that no message can show")
    for_day = " for the first day of the partition" if len(source.fields) > 1 else ""
    return ListedParts(names, version, "" if names else f"{about} lists no part{for_day}")


def _in_force(source: RequiredFrom, day: date | None) -> pl.Expr:
    """True for rows that hold on a day, both ends included; a null leaves its end open."""
    begins = (
        pl.lit(value=True) if source.valid_from is None else (pl.col(source.valid_from) <= day).fill_null(value=True)
    )
    ends = (
        pl.lit(value=True) if source.valid_until is None else (pl.col(source.valid_until) >= day).fill_null(value=True)
    )
    return begins & ends


def _is_of_its_kind(found: pl.DataType | None, is_name: bool) -> bool:  # noqa: FBT001
    if found is None:
        return False
    return found == pl.Date or (is_name and (found == pl.String or found.is_integer()))


def _refuse_unfit(contract: Contract, source: RequiredFrom, environment: Environment) -> None:
    """Names of parts stand in messages, so nothing that its contract keeps to itself may become one."""
    where = f"contract '{contract.name}' {contract.version}"
    other = _other(where, source, environment)
    problems = []
    for name in source.fields:
        if name not in other.field_names:
            known = ", ".join(other.field_names)
            problems.append(
                Problem(where, f"required_from names '{name}', which '{other.name}' has not", f"fields: {known}")
            )
            continue
        field, fitting = other.field(name), _NAMING if name == source.field else (Family.DATE,)
        if field.type.family not in fitting:
            what = f"required_from names '{name}' of '{other.name}', which is of type {field.type}"
            problems.append(Problem(where, what, f"use a field of type {' or '.join(fitting)}"))
        if field.classification in _CLOSED:
            what = (
                f"required_from names '{name}' of '{other.name}', which is {field.classification}: reports name parts"
            )
            problems.append(Problem(where, what, "use a public or internal field, or write required: [...]"))
    if problems:
        raise WrongUsageError(*problems)


def _other(where: str, source: RequiredFrom, environment: Environment) -> Contract:
    try:
        return find_contract(source.contract, environment.contracts)
    except UnknownContractError:
        what = f"its required parts are listed by '{source.contract}', which {environment.contracts} does not hold"
        raise WrongUsageError(Problem(where, what, "put that contract there, or write required: [...]")) from None
