"""Row obligations → SQL predicates for the published columns, so that a table itself can refuse rows that break them.

Defence in depth: the gate judges first, and a predicate never refuses a row that the gate lets through. What the target
cannot judge alike stays with the gate alone, and says why. Keys are never among what the target enforces.
"""

import hashlib
import re
from collections.abc import Mapping

import polars as pl
from sqlglot import exp

from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field
from contract_core.contract.promises import Severity
from contract_core.validation import sql_atoms
from contract_core.validation.obligations import Layer, Obligation, obligations_of
from contract_core.validation.promise_kinds import GroupsHold, HistoryPromise, Holds, NotNull
from contract_core.validation.sql_atoms import NotCovered, refuse_unquoted_lists
from contract_core.validation.sql_conditions import condition
from contract_core.validation.sql_fields import FieldPromise, keeps
from contract_core.validation.target_rule import TargetRule, is_never_null

_AS_TEXT_OR_NUMBER = (Family.TIME, Family.DURATION, Family.OBJECT, Family.ARRAY)
"""A time is published as text and a duration as a number, so that their columns no longer compare as the gate compares them."""
_NO_UNIQUENESS = "Delta enforces no uniqueness; the gate itself does"
_NO_GROUPS = "a constraint sees one row at a time; the gate itself judges groups of them"
_NO_HISTORY = "a constraint sees one row and not what was published before; the gate itself compares them"
_LET_THROUGH = "the policy on_breach: warn publishes rows that break it"


def target_rules(contract: Contract, types: Mapping[str, pl.DataType]) -> tuple[TargetRule, ...]:
    """One for each row obligation of severity error, in the report's order; `types` are those of the published columns."""
    return tuple(
        _rule(obligation, contract, types)
        for obligation in obligations_of(contract)
        if obligation.layer is Layer.ROWS and obligation.severity is Severity.ERROR
    )


def _rule(obligation: Obligation, contract: Contract, types: Mapping[str, pl.DataType]) -> TargetRule:
    promise = obligation.promise
    if isinstance(promise, GroupsHold):
        return TargetRule(obligation, _name(obligation, ""), None, _NO_GROUPS)
    if isinstance(promise, HistoryPromise):
        return TargetRule(obligation, _name(obligation, ""), None, _NO_HISTORY)
    if not isinstance(promise, FieldPromise | NotNull | Holds):
        return TargetRule(obligation, _name(obligation, ""), None, _NO_UNIQUENESS)
    if contract.enforcement.on_breach == "warn":
        return TargetRule(obligation, _name(obligation, ""), None, _LET_THROUGH)
    try:
        predicate = _predicate(promise, contract, types)
        refuse_unquoted_lists(predicate)
    except NotCovered as reason:
        return TargetRule(obligation, _name(obligation, ""), None, str(reason))
    text = predicate.sql(normalize_functions=False, comments=False)
    used = {found.name for found in predicate.find_all(exp.Column)}
    never_null = sorted(field.name for field in contract.fields if field.name in used and is_never_null(field))
    return TargetRule(obligation, _name(obligation, f"{text}|{'|'.join(never_null)}"), text)


def _name(obligation: Obligation, text: str) -> str:
    """Another predicate has another name, and another nullability of its columns: delta-rs simplifies what it stores by it."""
    digest = hashlib.sha256(f"{obligation.id}|{text}".encode()).hexdigest()[:8]
    words = re.sub(r"[^a-z0-9]+", "_", obligation.id.lower()).strip("_")[:60].strip("_") or "field"
    return f"gate_{words}_{digest}"


def _predicate(
    promise: FieldPromise | NotNull | Holds, contract: Contract, types: Mapping[str, pl.DataType]
) -> exp.Expr:
    if isinstance(promise, Holds):
        changed = {field.name for field in contract.fields if field.type.family in _AS_TEXT_OR_NUMBER}
        judged = {name: types[name] for name in contract.field_names if name in types and name not in changed}
        return condition(promise.condition.tree, judged, keeps_unknown=promise.keeps_unknown)
    name = promise.column
    if name not in types:
        raise NotCovered("the published table has no such column")
    found, field = types[name], contract.field(name)
    if isinstance(promise, NotNull):
        return _not_null(field)
    return sql_atoms.any_of([sql_atoms.is_null(name), keeps(promise, field.type, found)])


def _not_null(field: Field) -> exp.Expr:
    if not field.required:
        raise NotCovered("where the field is absent, its column is published as null")
    return exp.not_(sql_atoms.is_null(field.name))
