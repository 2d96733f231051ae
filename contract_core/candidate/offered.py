"""The deliveries that somebody offers at once: one, or, where a contract's deliveries hold several partitions, one for each of them."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.candidate.delivery import Delivery, collect_delivery
from contract_core.candidate.rows import brought_together, read_files
from contract_core.candidate.split import rows_by_key
from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key
from contract_core.errors import CandidateUnreadableError, Problem

MOST = 1_000
"""Each partition is read and judged by itself; beyond this the column is hardly the one that was meant."""


def holds_several(contract: Contract, partition: str | None) -> bool:
    """True where what is offered may hold several partitions, and nobody named one of them."""
    terms = contract.delivery.partition
    return terms is not None and terms.split and partition is None


def offered_deliveries(contract: Contract, paths: Sequence[Path], partition: str | None) -> tuple[Delivery, ...]:
    """What lies at these paths as the deliveries that it is, in the order of their keys.

    Raises CandidateUnreadableError where no partition can be told, or more than anybody can have meant.
    """
    if not holds_several(contract, partition):
        return (collect_delivery(contract, paths, check_key(contract, partition)),)
    whole = collect_delivery(contract, paths, None)
    return tuple(replace(whole, partition=key) for key in _keys(contract, whole))


def _keys(contract: Contract, whole: Delivery) -> Sequence[str]:
    where = f"delivery of {contract.name}"
    counts = _counted(contract, whole, {})
    if counts is None:  # as candidates are taken: what failed is read again with care
        counts = _counted(contract, whole, {file.name: "cannot be read" for file in whole.files})
    if not counts:
        hint = "name the partition that it is of with --partition, to have it judged and told what is wrong"
        raise CandidateUnreadableError(Problem(where, "no partition can be told from its rows", hint))
    if len(counts) > MOST:
        what = f"it holds {len(counts):,} partitions, and at most {MOST:,} are taken at once"
        raise CandidateUnreadableError(Problem(where, what, "name those that are meant, one by one, with --partition"))
    return tuple(counts)


def _counted(contract: Contract, whole: Delivery, careful: Mapping[str, str]) -> Mapping[str, int] | None:
    """The rows by partition; None where they cannot be read, or no column tells."""
    try:
        with tempfile.TemporaryDirectory(prefix="contract-gate-") as folder:
            spool = Path(folder) / "spool"
            files = read_files(contract, whole, spool, careful)
            return rows_by_key(contract, brought_together(contract, whole, files, spool).frame)
    except READ_FAILURES:
        return None
