"""Keys and unique rules of a contract as constraints of a database, where they hold for the whole table and not for each delivery."""

from collections.abc import Iterator
from dataclasses import dataclass

from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity

_ONCE_A_DELIVERY = "it holds within each delivery, and the table holds several"
_LESS = "rows with a null in it are not compared there"
ENFORCING = ("duckdb", "postgres")


@dataclass(frozen=True, slots=True)
class UniqueColumns:
    """Columns whose values no two rows of the table share; `is_key` where they are the contract's key and never null."""

    obligation: str
    columns: tuple[str, ...]
    is_key: bool
    has_nulls: bool


def unique_columns(contract: Contract) -> Iterator[UniqueColumns]:
    """What the table as a whole keeps unique."""
    nullable = {field.name for field in contract.fields if field.nullable or not field.required}
    if contract.key and holds_for_the_table(contract, contract.key):
        has_nulls = bool(nullable & set(contract.key))
        yield UniqueColumns("key", contract.key, not has_nulls, has_nulls)
    for rule in contract.unique:
        is_plain = (
            rule.where is None and rule.severity is Severity.ERROR and contract.publication.mode == "replace_partition"
        )
        if is_plain and holds_for_the_table(contract, rule.fields):
            yield UniqueColumns(
                f"{rule.name}.unique", rule.fields, is_key=False, has_nulls=bool(nullable & set(rule.fields))
            )


def holds_for_the_table(contract: Contract, columns: tuple[str, ...]) -> bool:
    """Whether what is unique in each delivery is so in the table: a delivery is all of it, or the columns tell deliveries apart."""
    if contract.enforcement.on_breach == "warn":
        return False
    partition = contract.delivery.partition
    if contract.publication.mode != "replace_partition":
        return columns == contract.key
    return partition is None or partition.column in columns


def why_not(contract: Contract, obligation: str, dialect: str) -> str:
    """Why an obligation about uniqueness is no constraint in a dialect; nothing where it is one."""
    held = {unique.obligation for unique in unique_columns(contract)}
    if obligation == "key.published":
        return "" if "key" in held and dialect in ENFORCING else "the gate alone compares with what is published"
    if dialect not in ENFORCING:
        return "the engine enforces no uniqueness; the comment of the table names the key"
    if obligation in held:
        return ""
    rule = next((rule for rule in contract.unique if f"{rule.name}.unique" == obligation), None)
    if rule is not None and rule.where is not None:
        return "it holds for some of the rows alone"
    if rule is not None and rule.severity is Severity.WARN:
        return "it only warns, and the format can only refuse"
    if contract.enforcement.on_breach == "warn":
        return "the policy on_breach: warn publishes rows that break it"
    return "it compares whole rows" if obligation == "duplicate_rows" else _ONCE_A_DELIVERY


def weaker(contract: Contract, dialect: str) -> Iterator[tuple[str, str]]:
    """Constraints that let more through than the gate does, and why."""
    if dialect == "duckdb":
        yield from ((unique.obligation, _LESS) for unique in unique_columns(contract) if unique.has_nulls)
