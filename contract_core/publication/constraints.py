"""The row rules of a contract as NOT NULL columns and CHECK constraints of its published table, against writers that pass the gate by.

Everything here is looked at and changed under one handle, so that a rival's commit in between is a conflict. No text of delta-rs
leaves this module: its errors print rows. A constraint that is not ours is left alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

import polars as pl
from deltalake import CommitProperties, DeltaTable, Field, Schema, Transaction

from contract_core.contract.model import Contract
from contract_core.errors import Problem, PublicationConflictError, PublicationError
from contract_core.publication.causes import cause_of, system_cause
from contract_core.publication.markers import digest_of, marker_number
from contract_core.publication.tables import TABLE_FAILURES, open_table, prepare_writing
from contract_core.validation.promise_kinds import NotNull
from contract_core.validation.target_rule import RULE_NAME, TargetRule, not_null_fields

CONSTRAINT_PROPERTY = "delta.constraints."
_OUR_ENGINE = "delta-rs"


@dataclass(frozen=True, slots=True)
class Pending:
    """What separates a table from its contract. `is_altered` where what stands under our names is not what was recorded."""

    columns: tuple[str, ...] = ()
    relax: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    add: tuple[TargetRule, ...] = ()
    tighten: tuple[str, ...] = ()
    is_altered: bool = False
    raises_protocol: bool = False
    other_writers: tuple[str, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """True where the table is as the contract wants it."""
        return not (self.columns or self.relax or self.drop or self.add or self.tighten or self.is_altered)


@dataclass(frozen=True, slots=True)
class Settlement:
    """A fresh handle on a table that is as the contract wants it, and what was changed for that.

    `postponed` are rules that only rows break which are about to be replaced: they are settled when those are gone.
    """

    table: DeltaTable
    changed: Pending
    postponed: tuple[TargetRule, ...] = ()


def constraints_marker(contract: str) -> str:
    """The application id under which a table remembers the constraints that it was given."""
    return f"contract-gate/{contract}/constraints"


def constraints_number(table: DeltaTable) -> int:
    """A number for the constraints under our names, texts included: another one wherever somebody changed them."""
    return marker_number(digest_of(sorted(_ours(table).items())))


def pending(table: DeltaTable | None, contract: Contract, types: Mapping[str, pl.DataType]) -> Pending:
    """What `settle` would change, without writing; None for a table that is not there yet. `types` are the published columns."""
    from contract_core.validation.sql import target_rules  # noqa: PLC0415 - a judgement alone needs no SQL

    schema = pl.Schema() if table is None else pl.Schema(table.schema())
    rules = target_rules(contract, {**types, **schema})
    wanted = {rule.name: rule for rule in rules if rule.predicate is not None}
    if table is None:
        return Pending(add=tuple(wanted.values()), tighten=not_null_fields(contract), raises_protocol=bool(wanted))
    ours = _ours(table)
    recorded = table.transaction_version(constraints_marker(contract.name))
    is_altered = recorded != constraints_number(table) if ours or recorded is not None else False
    intact = {
        name for name in ours if name in wanted and (not is_altered or _is_plain_null_check(wanted[name], ours[name]))
    }
    never_null = not_null_fields(contract)
    firm = _not_null(table) if _has_rows(table) else _backed(table, wanted, intact)
    add = tuple(rule for name, rule in wanted.items() if name not in intact and _is_addable(rule, firm))
    raises = bool(add) and not _knows_constraints(table)
    return Pending(
        columns=tuple(name for name in types if name not in schema),
        relax=tuple(name for name in _not_null(table) if name not in never_null),
        drop=tuple(sorted(set(ours) - intact)),
        add=add,
        tighten=() if _has_rows(table) else tuple(name for name in never_null if name not in firm),
        is_altered=is_altered,
        raises_protocol=raises,
        other_writers=_other_writers(table) if raises else (),
    )


def settle(
    table: DeltaTable, contract: Contract, types: Mapping[str, pl.DataType], replaced: str | None = None
) -> Settlement:
    """Brings the table to what the contract says, before rows are written with the handle that this gives.

    `replaced` is the predicate of the rows that the next commit takes out of the table. Raises PublicationError, before
    anything is changed, where other published rows break a rule that is to be added, and where the writer protocol would be
    raised under other engines. Raises PublicationConflictError where a rival was faster.
    """
    changes = pending(table, contract, types)
    if changes.other_writers:
        raise _unannounced(contract, changes.other_writers)
    return _settled(table, contract, types, changes, replaced)


def settle_with_upgrade(table: DeltaTable, contract: Contract, types: Mapping[str, pl.DataType]) -> Settlement:
    """The same, and raises the writer protocol of the table even where other engines have written to it."""
    return _settled(table, contract, types, pending(table, contract, types), None)


def _settled(
    table: DeltaTable, contract: Contract, types: Mapping[str, pl.DataType], changes: Pending, replaced: str | None
) -> Settlement:
    if changes.is_nothing:
        return Settlement(table, changes)
    from contract_core.publication.violations import broken_by_replaced  # noqa: PLC0415 - it writes SQL

    try:
        postponed = broken_by_replaced(table, contract, changes.add, types, replaced)
        now = replace(changes, add=tuple(rule for rule in changes.add if rule not in postponed))
        if now.is_nothing:
            return Settlement(table, Pending(), postponed)
        prepare_writing(_folder(table))
        _change(table, contract, types, now)
    except (KeyboardInterrupt, SystemExit, PublicationError):
        raise
    except BaseException as error:  # noqa: BLE001 - delta-rs 1.6 raises plain Exceptions and panics too; each may print rows
        cause, is_refused = cause_of(error), system_cause(error) is not None
    else:
        return Settlement(_opened(table, contract), now, postponed)
    return _after_failure(table, contract, types, cause, is_refused=is_refused)


def _after_failure(
    table: DeltaTable, contract: Contract, types: Mapping[str, pl.DataType], cause: str, *, is_refused: bool
) -> Settlement:
    """What to make of a change that failed: a rival has done it already, a rival came in between, or it cannot be done."""
    newest = _opened(table, contract)
    if newest.version() <= table.version():
        what = f"the published table does not take the constraints ({cause})"
        hint = "the library's own words are withheld, since they quote rows"
        hint = "make room or repair the rights on its folder, and publish it again" if is_refused else hint
        raise _refused(contract, what, f"no row was written; {hint}")
    if pending(newest, contract, types).is_nothing:
        return Settlement(newest, Pending())
    what = "somebody else changed the published table while its constraints were set up"
    raise PublicationConflictError(Problem(_where(contract), what, "no row was written; publish it again"))


def _change(table: DeltaTable, contract: Contract, types: Mapping[str, pl.DataType], changes: Pending) -> None:
    """One commit for each step; whoever is interrupted leaves a table that the next one finds altered and settles again.

    Without retries: with them delta-rs 1.6 adds a constraint over rows that a rival wrote meanwhile, and never looks at them.
    """
    properties = _properties(contract)
    if changes.columns:
        new = pl.Schema({name: types[name] for name in changes.columns})
        table.alter.add_columns(list(Schema.from_arrow(new).fields), commit_properties=properties)
    if set(changes.tighten) & set(_not_null(table)):
        _write_schema(table, _with_nulls(table.schema(), changes.tighten), properties)
        table.load_as_version(table.version() + 1)
    for name in changes.relax:
        table.alter.drop_column_not_null(name, commit_properties=properties)
    for name in changes.drop:
        table.alter.drop_constraint(name, commit_properties=properties)
    if changes.add:
        predicates = {rule.name: rule.predicate for rule in changes.add if rule.predicate is not None}
        table.alter.add_constraint(predicates, commit_properties=properties)
    _record(table, contract, changes)


def _record(table: DeltaTable, contract: Contract, changes: Pending) -> None:
    """Writes the number of what is there now; in a table without rows also NOT NULL, which delta-rs 1.6 sets in no other way.

    After the constraints, since those added over a NOT NULL column are stored without a word about null, and NOT NULL is lost
    wherever somebody's `schema_mode="merge"` adds a column.
    """
    properties = _properties(contract, Transaction(constraints_marker(contract.name), constraints_number(table)))
    if changes.tighten:
        _write_schema(table, _tightened(table.schema(), changes.tighten), properties)
    else:
        table.create_write_transaction(
            [], "append", table.schema(), table.metadata().partition_columns, commit_properties=properties
        )


def _write_schema(table: DeltaTable, schema: Schema, properties: CommitProperties) -> None:
    """Another schema for a table without rows. The handle stays at the version before."""
    table.create_write_transaction(
        [], "overwrite", schema, table.metadata().partition_columns, commit_properties=properties
    )


def _properties(contract: Contract, *markers: Transaction) -> CommitProperties:
    about = {"contract": contract.name, "contract_version": contract.version, "contract_digest": contract.digest}
    return CommitProperties(custom_metadata=about, max_commit_retries=0, app_transactions=list(markers))


def _is_addable(rule: TargetRule, firm: tuple[str, ...]) -> bool:
    """False for NOT NULL as a constraint on a column that has it already and keeps it: delta-rs would store `true`."""
    promise = rule.obligation.promise
    return not (isinstance(promise, NotNull) and promise.column in firm)


def _backed(table: DeltaTable, wanted: Mapping[str, TargetRule], intact: set[str]) -> tuple[str, ...]:
    """The NOT NULL columns that need no constraint beside it, or have one; in a table without rows the others get one first."""
    promises = {wanted[name].obligation.promise for name in wanted if name not in intact}
    return tuple(name for name in _not_null(table) if NotNull(name) not in promises)


def _is_plain_null_check(rule: TargetRule, stored: str) -> bool:
    """True where a stored text is certainly that of a rule against null, which cannot be added again to a NOT NULL column."""
    promise = rule.obligation.promise
    return isinstance(promise, NotNull) and stored in (
        f"{promise.column} IS NOT NULL",
        f'"{promise.column}" IS NOT NULL',
    )


def _ours(table: DeltaTable) -> dict[str, str]:
    stated = table.metadata().configuration.items()
    named = {key.removeprefix(CONSTRAINT_PROPERTY): text for key, text in stated if key.startswith(CONSTRAINT_PROPERTY)}
    return {name: str(text) for name, text in named.items() if RULE_NAME.fullmatch(name)}


def _not_null(table: DeltaTable) -> tuple[str, ...]:
    return tuple(field.name for field in table.schema().fields if not field.nullable)


def _tightened(schema: Schema, never_null: tuple[str, ...]) -> Schema:
    return Schema([_field(field, nullable=field.nullable and field.name not in never_null) for field in schema.fields])


def _with_nulls(schema: Schema, names: tuple[str, ...]) -> Schema:
    return Schema([_field(field, nullable=field.nullable or field.name in names) for field in schema.fields])


def _field(field: Field, *, nullable: bool) -> Field:
    return Field(field.name, field.type, nullable=nullable, metadata=field.metadata)


def _has_rows(table: DeltaTable) -> bool:
    return bool(table.file_uris())


def _knows_constraints(table: DeltaTable) -> bool:
    """Writer protocol 3 to 6 include them; from 7 on a table names its features."""
    protocol = table.protocol()
    if protocol.min_writer_version >= 7:
        return "checkConstraints" in (protocol.writer_features or ())
    return protocol.min_writer_version >= 3


def _other_writers(table: DeltaTable) -> tuple[str, ...]:
    foreign = (commit for commit in table.history() if "submission" not in commit)
    engines = {
        str(commit.get("engineInfo") or commit.get("clientVersion") or "an unnamed engine") for commit in foreign
    }
    return tuple(sorted(engine for engine in engines if not engine.startswith(_OUR_ENGINE)))


def _folder(table: DeltaTable) -> Path:
    return Path(unquote(table.table_uri.removeprefix("file://")))


def _opened(table: DeltaTable, contract: Contract) -> DeltaTable:
    """A fresh handle on the same table."""
    try:
        newest = open_table(_folder(table))
        cause = "it is not there"
    except TABLE_FAILURES as error:
        newest, cause = None, cause_of(error)
    if newest is None:
        raise _refused(contract, f"its published table cannot be opened: {cause}", "repair or restore the table")
    return newest


def _unannounced(contract: Contract, writers: tuple[str, ...]) -> PublicationError:
    what = f"constraints raise the writer protocol of the published table, which others write to as well: {', '.join(writers)}"
    hint = (
        "nothing was changed; see that they can write to tables with CHECK constraints, then settle the constraints "
        "with the upgrade allowed"
    )
    return _refused(contract, what, hint)


def _refused(contract: Contract, what: str, hint: str) -> PublicationError:
    return PublicationError(Problem(_where(contract), what, hint))


def _where(contract: Contract) -> str:
    return f"contract '{contract.name}' {contract.version}"
