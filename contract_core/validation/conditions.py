"""Conditions in SQL → Polars, as the modules of SQL make them: those are loaded when the first condition is asked for.

Many contracts state none, and what reads SQL takes longer to load than a small delivery takes to be judged.
"""

from collections.abc import Mapping

import polars as pl

from contract_core.contract.sql_expression import GroupExpression, RowExpression, RowSqlError


def compile_condition(condition: RowExpression, types: Mapping[str, pl.DataType]) -> pl.Expr:
    """True, false or null for each row of a frame with these columns; RowSqlError where it does not fit them."""
    from contract_core.validation.expressions import compile_expression  # noqa: PLC0415 - as the module says

    return compile_expression(condition, types)


def why_not_compiled(condition: RowExpression | GroupExpression, types: Mapping[str, pl.DataType]) -> str:
    """Why a condition cannot be asked of these physical types, which the contract's families leave open; empty where it can."""
    try:
        if isinstance(condition, GroupExpression):
            from contract_core.validation.group_rules import check_compiles  # noqa: PLC0415 - as the module says

            check_compiles(condition, types)
        else:
            compile_condition(condition, types)
    except RowSqlError as error:
        return error.what
    return ""
