"""Reads the conditions in SQL of a contract, each text once. What reads them is loaded when the first one is asked for.

Most commands and many contracts need no SQL, and its parser takes longer to load than everything else that reads a contract.
"""

from functools import lru_cache

from contract_core.contract.sql_expression import GroupExpression, RowExpression

_KEPT = 2048
"""A condition is asked for by the checks of its contract, by the obligations and by each comparison of versions; it takes some 5 kB."""


@lru_cache(maxsize=_KEPT)
def row_condition(text: str) -> RowExpression:
    """The condition that `text` states about one row, or RowSqlError."""
    from contract_core.contract.row_sql import parse_row_sql  # noqa: PLC0415 - as the module says

    return parse_row_sql(text)


@lru_cache(maxsize=_KEPT)
def group_condition(text: str, by: tuple[str, ...]) -> GroupExpression:
    """The condition that `text` states about groups of rows with the same values in `by`, or RowSqlError."""
    from contract_core.contract.group_sql import parse_group_sql  # noqa: PLC0415 - as the module says

    return parse_group_sql(text, by)


@lru_cache(maxsize=_KEPT)
def history_condition(text: str) -> RowExpression:
    """The condition that `text` states about a row and its predecessor, or RowSqlError."""
    from contract_core.contract.history_sql import parse_history_sql  # noqa: PLC0415 - as the module says

    return parse_history_sql(text)
