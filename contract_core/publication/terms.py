"""Under which partition terms a published table is written: the table remembers them, and rows under other terms are refused.

A day and a month can have the same key, and the month would replace the day's neighbours. The terms stand in an application
transaction of each publication, which outlives the log, and in words in the commit. A table from before that is adopted
where every partition it was ever given is one under these terms too, and no row lies outside of them.
"""

import polars as pl
from deltalake import DeltaTable

from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key
from contract_core.errors import ContractCoreError, Problem, PublicationError
from contract_core.publication.causes import cause_of
from contract_core.publication.markers import digest_of, marker_number, terms_marker
from contract_core.publication.replacement import replacement_of
from contract_core.publication.tables import TABLE_FAILURES, rows_of

TERMS_KEY = "partition_terms"


def terms_in_words(contract: Contract) -> str:
    """What tells one partition of the contract's table from another; equal words, and only they, mean equal terms."""
    terms = contract.delivery.partition
    if terms is None:
        return "not partitioned"
    if terms.every is None:
        return f"partitioned by the value of '{terms.column}'"
    is_moment = contract.field(terms.column).type.family is Family.TIMESTAMP
    return f"partitioned by the {terms.every} of '{terms.column}'" + (f" in {terms.timezone}" if is_moment else "")


def terms_number(contract: Contract) -> int:
    """The terms as the number of an application transaction."""
    return marker_number(digest_of(terms_in_words(contract)))


def refuse_other_terms(contract: Contract, table: DeltaTable) -> None:
    """Raise PublicationError where the table is not written under the contract's partition terms."""
    recorded = table.transaction_version(terms_marker(contract.name))
    if recorded == terms_number(contract):
        return
    where, now = f"contract '{contract.name}' {contract.version}", terms_in_words(contract)
    try:
        if recorded is None and _is_adoptable(contract, table):
            return
        told = None if recorded is None else _told(table)
    except TABLE_FAILURES as error:
        what = f"its published table cannot be read: {cause_of(error)}"
    else:
        before = f"is {told}" if told else "was written under other partition terms"
        what = f"the published table {before}, and the contract is {now}"
    hint = (
        "nothing was written, since this would replace rows of other partitions; publish under another contract name, "
        "or take the table away and publish its partitions again"
    )
    raise PublicationError(Problem(where, what, hint)) from None


def _told(table: DeltaTable) -> str | None:
    """The terms in words, as far back as the log goes."""
    return next((str(commit[TERMS_KEY]) for commit in table.history() if TERMS_KEY in commit), None)


def _is_adoptable(contract: Contract, table: DeltaTable) -> bool:
    """True where all that the table was given and all that it shows can be told apart by the contract's terms."""
    given = {str(commit["partition"]) for commit in table.history() if "submission" in commit and "partition" in commit}
    if contract.delivery.partition is None:
        return given <= {""}
    types = pl.Schema(table.schema())
    if "" in given or contract.delivery.partition.column not in types:
        return False
    try:
        keys = [check_key(contract, key) for key in sorted(given)]
        spans = [replacement_of(contract, key, types).belongs for key in keys]
    except ContractCoreError:
        return False
    belongs = [span for span in spans if span is not None]
    outside = ~pl.any_horizontal(belongs) if belongs else pl.lit(value=True)
    return rows_of(table).filter(outside).limit(1).collect(engine="streaming").is_empty()
