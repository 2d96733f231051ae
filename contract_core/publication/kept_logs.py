"""The properties by which a Delta table keeps its whole log: commits are our record of what was published and under which decision.

Without them delta-rs removes, each time it writes a checkpoint, the commits that are older than 30 days, as Spark does too.
"""

from collections.abc import Mapping

from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties

WHOLE_LOG: Mapping[str, str] = {
    "delta.enableExpiredLogCleanup": "false",
    "delta.logRetentionDuration": "interval 36525 days",  # for who cleans up by hand
}
_NO_CLEANUP = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)
"""A commit that happens to be the hundredth would remove what it is to keep."""


def lacking(table: DeltaTable, wanted: Mapping[str, str]) -> dict[str, str]:
    """The properties that a table does not have, or has otherwise."""
    stated = table.metadata().configuration
    return {name: value for name, value in wanted.items() if stated.get(name) != value}


def state_properties(table: DeltaTable, properties: Mapping[str, str]) -> None:
    """Gives a table properties, in a commit of its own that changes no row. Without retries, so that a rival is a conflict.

    Raises as delta-rs does.
    """
    table.alter.set_table_properties(
        dict(properties),
        commit_properties=CommitProperties(max_commit_retries=0),
        post_commithook_properties=_NO_CLEANUP,
    )
