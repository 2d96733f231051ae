"""The edge to Dagster's event log: what goes wrong inside a step becomes a Failure without a value from the data."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from contract_core.errors import ContractCoreError, OlderSubmissionError, PublicationConflictError

_GO_BACK = "\n    in Dagster: open the launchpad of the published asset for this partition and set allow_older to true"


@contextmanager
def told_to_dagster() -> Iterator[None]:
    """Our own errors keep their words; of all others only the class is shown, since a library's text may quote a value."""
    try:
        yield
    except ContractCoreError as error:
        words = f"{error}{_GO_BACK}" if isinstance(error, OlderSubmissionError) else str(error)
        failure = dg.Failure(description=words, allow_retries=isinstance(error, PublicationConflictError))
    except (dg.Failure, dg.RetryRequested):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not _is_panic(error):
            raise
        failure = dg.Failure(
            description=f"the step stopped with {type(error).__name__}; its text is withheld, it may quote data"
        )
    else:
        return
    raise failure from None


def _is_panic(error: BaseException) -> bool:
    """True for a panic of Polars or delta-rs, which derive from BaseException (seen with Polars 2.1, delta-rs 1.6)."""
    return type(error).__name__ == "PanicException"
