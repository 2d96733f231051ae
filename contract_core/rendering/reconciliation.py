"""What reconciling found and completed, as text and as a JSON document."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from contract_core.operations.access import OpenPlace
from contract_core.operations.difference import Difference, Found, Kind
from contract_core.publication.entry import LedgerEntry

_HINTS = {
    Kind.FOREIGN: "find out who writes there; publish the partitions that it changed again",
    Kind.UNREADABLE: "find out who wrote it; nothing was recorded of it",
    Kind.UNMARKED: "find out who wrote it; nothing was recorded of it",
    Kind.ALTERED_CONSTRAINTS: "find out who changed them; the next publication sets them anew",
    Kind.LEFT_OUT: "an entry is never put before others; the ledger stays without it",
    Kind.NO_TABLE: "restore the table from a copy, or publish the deliveries again",
    Kind.NO_COMMIT: "the table was replaced or restored from a copy; publish that delivery again",
    Kind.OTHER_MARK: "the table was replaced or restored from a copy; publish the partition again",
    Kind.OTHER_ROWS: "look for commits of others, or a roll-back; publish the partition again",
    Kind.ROWS_OUTSIDE: "look for commits of others, or publications from before the oldest version of the log",
    Kind.ROWS_UNREADABLE: "repair or restore the table",
    Kind.QUARANTINE_UNPUBLISHED: "a publication stopped before its commit; publish the delivery again",
    Kind.QUARANTINE_OTHER_ROWS: "find out who writes there; the candidate still holds the rows",
    Kind.QUARANTINE_UNREADABLE: "repair or restore the quarantine table",
}


def is_in_order(found: Iterable[Found], places: Sequence[OpenPlace], *, is_complete: bool) -> bool:
    """True where nothing differs, and nothing waits to be completed."""
    return not places and all(not item.differences and (is_complete or not item.missing) for item in found)


def difference_words(difference: Difference) -> str:  # noqa: C901 - a table, one case a kind
    """One difference as a sentence."""
    submission = "" if difference.submission is None else difference.submission[:12]
    match difference.kind:
        case Kind.FOREIGN:
            what = f"version {difference.version} ({difference.actor}) changed rows and is no publication of the gate"
        case Kind.UNREADABLE:
            what = f"version {difference.version} ({difference.actor}) cannot be read as a publication"
        case Kind.UNMARKED:
            what = f"version {difference.version} ({difference.actor}) names a submission and does not bear its mark"
        case Kind.ALTERED_CONSTRAINTS:
            what = "somebody changed the constraints that the gate had set"
        case Kind.LEFT_OUT:
            what = (
                f"version {difference.version} of submission {submission} is not in the ledger, "
                "which has a later publication of the partition"
            )
        case Kind.NO_TABLE:
            what = f"there is no table, and the ledger has {difference.recorded:,} publications that it should show"
        case Kind.NO_COMMIT:
            what = f"submission {submission} is recorded as version {difference.version}, which is not its publication"
        case Kind.OTHER_MARK if submission:
            what = f"the table does not bear the mark of submission {submission}, which the ledger has as the last one"
        case Kind.OTHER_MARK:
            what = "the table bears the mark of a publication that the ledger does not know"
        case Kind.OTHER_ROWS:
            what = f"the table shows {difference.shown:,} rows, the ledger says {difference.recorded:,}"
        case Kind.ROWS_OUTSIDE:
            what = f"{difference.shown:,} rows of the table lie in no partition that the ledger knows"
        case Kind.ROWS_UNREADABLE:
            what = "the rows of the table cannot be read"
        case Kind.QUARANTINE_UNPUBLISHED:
            what = f"{difference.shown:,} rows are in quarantine of submission {submission}, which is not published"
        case Kind.QUARANTINE_OTHER_ROWS:
            what = (
                f"{difference.shown:,} rows are in quarantine of submission {submission}, "
                f"and its decision kept {difference.recorded:,} apart"
            )
        case Kind.QUARANTINE_UNREADABLE:
            what = "its quarantine cannot be read"
    return what if difference.partition is None else f"{difference.partition}: {what}"


def reconciliation_lines(found: Found, *, is_complete: bool) -> Iterator[str]:
    """One contract: how much was compared, what the ledger lacked, and each difference with what to do."""
    yield f"{found.contract}: {_compared(found)}"
    rebuilt = {entry.submission for entry in found.rebuilt}
    done = "recorded" if is_complete else "would be recorded"
    for entry in found.recorded:
        decided = ", and its decision from what the commit says" if entry.submission in rebuilt else ""
        yield f"    {_about(entry)}: version {entry.table_version} {done}{decided}"
    for entry in found.said_again:
        yield f"    {_about(entry)}: {'said' if is_complete else 'would be said'} again that it was decided last"
    for difference in found.differences:
        yield f"    {difference_words(difference)}"
        yield f"        {_HINTS[difference.kind]}"


def _compared(found: Found) -> str:
    if found.versions is None:
        return "no table"
    first, last = found.versions
    number = f"{found.publications:,} publication{'' if found.publications == 1 else 's'}"
    agree = "" if found.missing or found.differences else "; table and ledger agree"
    return f"{number} in versions {first} to {last}{agree}"


def _about(entry: LedgerEntry) -> str:
    return entry.submission[:12] if entry.partition is None else f"{entry.partition} {entry.submission[:12]}"


def reconciliation_document(
    found: Sequence[Found], places: Sequence[OpenPlace], *, is_complete: bool
) -> dict[str, Any]:
    """All contracts that were asked about, and the places that are open to others."""
    return {
        "dry_run": not is_complete,
        "agrees": is_in_order(found, places, is_complete=is_complete),
        "contracts": [_contract_document(item) for item in found],
        "open_places": [{"path": str(place.path), "what": place.what, "hint": place.hint} for place in places],
    }


def _contract_document(found: Found) -> dict[str, Any]:
    rebuilt = {entry.submission for entry in found.rebuilt}
    return {
        "contract": found.contract,
        "table": str(found.table),
        "versions": None if found.versions is None else {"first": found.versions[0], "last": found.versions[1]},
        "publications": found.publications,
        "recorded": [
            {
                "partition": entry.partition,
                "submission": entry.submission,
                "version": entry.table_version,
                "decision_rebuilt": entry.submission in rebuilt,
            }
            for entry in found.recorded
        ],
        "said_again": [{"partition": entry.partition, "submission": entry.submission} for entry in found.said_again],
        "differences": [_difference_document(difference) for difference in found.differences],
    }


def _difference_document(difference: Difference) -> dict[str, Any]:
    return {
        "kind": difference.kind.value,
        "partition": difference.partition,
        "submission": difference.submission,
        "version": difference.version,
        "recorded": difference.recorded,
        "shown": difference.shown,
        "message": difference_words(difference),
    }
