"""History rules written in SQL: a condition over a row and its published predecessor, and the fields by which the two are found."""

from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.contract.sql_expression import RowExpression

PREVIOUS = "previous"
BEFORE = f"{PREVIOUS}."


def parse_history_sql(text: str) -> RowExpression:
    """The condition that `text` states about a row and its predecessor; raises RowSqlError where it is none."""
    from contract_core.contract.row_sql import parse_row_sql  # noqa: PLC0415 - the fields below are asked for without SQL
    from contract_core.contract.row_sql_language import refused  # noqa: PLC0415

    expression = parse_row_sql(text, frozenset({PREVIOUS}))
    if not of_predecessor(expression):
        hint = "write previous.column for what was published before; promises about single rows stand under rules"
        raise refused("the rule looks at nothing that was published before", hint, expression.tree)
    return expression


def of_row(condition: RowExpression) -> tuple[str, ...]:
    """The columns that the condition looks at in the delivery."""
    return tuple(name for name in condition.columns if not name.startswith(BEFORE))


def of_predecessor(condition: RowExpression) -> tuple[str, ...]:
    """The columns that it looks at in the published table, by their own names."""
    return tuple(name.removeprefix(BEFORE) for name in condition.columns if name.startswith(BEFORE))


def looks_at_earlier_partition(contract: Contract) -> bool:
    """True where the predecessor of a row stands in an earlier partition; else among what the delivery replaces or corrects."""
    terms = contract.delivery.partition
    return terms is not None and terms.every is not None and contract.publication.mode != "upsert"


def tells_rows_of_a_partition_apart(contract: Contract) -> bool:
    """True where rows of an earlier partition can differ in its column, so that one of them is the latest; a day has but one date."""
    terms = contract.delivery.partition
    if terms is None or not looks_at_earlier_partition(contract):
        return False
    return terms.every != "day" or contract.field(terms.column).type.family is not Family.DATE


def predecessor_key(contract: Contract) -> tuple[str, ...]:
    """The fields in which a row and its predecessor agree: the key, without the column that tells partitions apart."""
    terms = contract.delivery.partition
    if terms is None or contract.publication.mode == "upsert":
        return contract.key
    return tuple(name for name in contract.key if name != terms.column)
