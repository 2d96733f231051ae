"""The commits that publish: rows, markers, and what the decision was, written together or not at all.

Each takes the handle that was looked at, so that a rival's commit in between is a conflict. What they raise is delta-rs' own
and may print rows: the store turns it into words.
"""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl
from arro3.core import RecordBatchReader
from deltalake import CommitProperties, DeltaTable, Schema, Transaction, write_deltalake

from contract_core.contract.model import Contract
from contract_core.publication.batches import counted_frames
from contract_core.publication.classified import properties_of
from contract_core.publication.constraints import CONSTRAINT_PROPERTY
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.markers import gate_marker, marker_number, partition_marker, terms_marker
from contract_core.publication.offer import Offer
from contract_core.publication.replacement import folders_of
from contract_core.publication.terms import TERMS_KEY, terms_in_words, terms_number
from contract_core.publication.upserting import overwrite_of


def create_table(place: str, types: Mapping[str, pl.DataType], contract: Contract) -> None:
    """An empty table under the contract's partition terms; its constraints are still to come.

    Without retries: with them delta-rs 1.6 lets two creators both win.
    """
    DeltaTable.create(
        place,
        Schema.from_arrow(pl.Schema(types)),
        mode="error",
        partition_by=list(folders_of(contract, types)) or None,
        name=contract.name,
        description=contract.description,
        configuration=dict(properties_of(contract)),
        commit_properties=_made_by(contract),
    )


def remake_table(bare: DeltaTable, types: Mapping[str, pl.DataType], contract: Contract) -> None:
    """The same in place of a bare table, under the handle that was found bare.

    Not by creating it anew: delta-rs 1.6 opens the newest version for that, and would take rows that a rival published since.
    """
    for name in bare.metadata().configuration:
        if name.startswith(CONSTRAINT_PROPERTY):
            constraint = name.removeprefix(CONSTRAINT_PROPERTY)
            bare.alter.drop_constraint(constraint, commit_properties=CommitProperties(max_commit_retries=0))
    write_deltalake(
        bare,
        pl.DataFrame(schema=pl.Schema(types)),
        mode="overwrite",
        schema_mode="overwrite",
        partition_by=list(folders_of(contract, types)),
        commit_properties=_made_by(contract),
    )


def _made_by(contract: Contract) -> CommitProperties:
    return CommitProperties(
        custom_metadata={"contract": contract.name, TERMS_KEY: terms_in_words(contract)},
        max_commit_retries=0,
        app_transactions=[Transaction(terms_marker(contract.name), terms_number(contract))],
    )


def is_bare(table: DeltaTable, contract: str) -> bool:
    """True for a table that was made and never published to: nothing would be lost with it."""
    return table.transaction_version(gate_marker(contract)) is None and not table.file_uris()


def is_made_for(table: DeltaTable, types: Mapping[str, pl.DataType], contract: Contract) -> bool:
    """True where a bare table is just as it would be made now, its constraints apart."""
    has_terms = table.transaction_version(terms_marker(contract.name)) == terms_number(contract)
    folders = tuple(table.metadata().partition_columns)
    return has_terms and folders == folders_of(contract, types) and pl.Schema(table.schema()) == pl.Schema(types)


def write_rows(table: DeltaTable, offer: Offer, contract: Contract, allowed: LedgerEntry) -> None:
    """The rows as the contract's mode says, in one commit. Delta-rs matches columns by name."""
    properties, mode = _properties(table, contract, allowed), contract.publication.mode
    if mode == "replace_partition":
        write_deltalake(
            table,
            _stream(offer, allowed),
            mode="overwrite",
            predicate=offer.replacement.predicate,
            commit_properties=properties,
        )
    elif mode == "upsert" and allowed.published_rows:
        change = overwrite_of(table, offer, contract, allowed.published_rows)
        write_deltalake(table, change.rows, mode="overwrite", predicate=change.predicate, commit_properties=properties)
    else:
        write_deltalake(table, _stream(offer, allowed), mode="append", commit_properties=properties)


def _stream(offer: Offer, allowed: LedgerEntry) -> RecordBatchReader:
    return counted_frames(offer.types, (), offer.frames(), allowed.published_rows)


def _properties(table: DeltaTable, contract: Contract, allowed: LedgerEntry) -> CommitProperties:
    return CommitProperties(
        custom_metadata=commit_metadata(contract, allowed),
        app_transactions=[
            Transaction(partition_marker(contract.name, allowed.partition), marker_number(allowed.submission)),
            Transaction(gate_marker(contract.name), table.version() + 1),
            Transaction(terms_marker(contract.name), terms_number(contract)),
        ],
    )


def commit_metadata(contract: Contract, allowed: LedgerEntry) -> dict[str, str]:
    """What the commit itself says about its rows: enough to write the ledger anew from it.

    `version` and `operation` are names that Delta keeps for itself.
    """
    return {
        "submission": allowed.submission,
        "contract": contract.name,
        "contract_version": contract.version,
        "contract_digest": contract.digest,
        "partition": allowed.partition or "",
        TERMS_KEY: terms_in_words(contract),
        "mode": allowed.mode,
        "candidate_digest": allowed.candidate_digest,
        "rows": str(allowed.rows),
        "quarantined": str(allowed.quarantined),
        "decision": allowed.verdict.value,
        "report_digest": allowed.report_digest,
        "as_of": allowed.as_of.isoformat(),
        "decided_at": allowed.at.isoformat(),
        "received_at": "" if allowed.received_at is None else allowed.received_at.isoformat(),
        "found": json.dumps(_found(allowed), sort_keys=True),
        "learned": json.dumps(_learned(allowed), sort_keys=True),
    }


def _found(allowed: LedgerEntry) -> dict[str, Any]:
    sets = ("breached", "unjudged", "warned", "reasons")
    return {name: list(getattr(allowed, name)) for name in sets} | {"counts": dict(allowed.counts)}


def _learned(allowed: LedgerEntry) -> dict[str, Any]:
    told = {"baseline": allowed.baseline, "profile": dict(allowed.profile), "restated": dict(allowed.restated)}
    return {"event_age": allowed.event_age} | told
