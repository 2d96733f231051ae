"""What a published table shows and how old that is, in sentences: never without its partition, and never without a word on its age."""

from collections.abc import Iterator

from contract_core.operations.status import Status
from contract_core.rendering.moments import length_words


def shown_words(status: Status) -> str:
    """What consumers see now, how old it is, and whether that is as promised."""
    if status.newest is None:
        return "nothing is published"
    return f"shows {partition_words(status)}, {event_age_words(status)}; {state_words(status)}"


def partition_words(status: Status) -> str:
    """The newest partition that consumers see, and how many there are beside it; the submission of a table without any."""
    if status.newest is None:
        return "nothing"
    if status.newest.partition is None:
        return f"submission {status.newest.submission[:12]}"
    more = status.partitions - 1
    return f"{status.newest.partition}{f' and {more:,} more' if more else ''}"


def event_age_words(status: Status) -> str:
    """The age of the newest event in what consumers see; or by how much it is dated ahead, which no age would tell."""
    if status.ahead:
        return f"its newest event {length_words(status.ahead)} ahead"
    return "of no age" if status.age is None else f"{length_words(status.age)} old"


def state_words(status: Status) -> str:
    """`fresh`, or `stale` and why; or that there is nothing to tell it of, or that no age is promised."""
    if status.is_stale is None:
        return "nothing is published" if status.newest is None else "no age is promised"
    return f"stale: {'; '.join(stale_reasons(status))}" if status.is_stale else "fresh"


def stale_reasons(status: Status) -> Iterator[str]:
    """Which of the two promises of freshness is broken, with what is and what is promised."""
    if status.promise is None:
        return
    if status.is_too_old and status.age is not None:
        allowed = length_words(status.promise.max_age)
        yield f"the newest event is {length_words(status.age)} old, at most {allowed} is promised"
    if status.is_silent and status.silence is not None and status.promise.max_silence is not None:
        allowed = length_words(status.promise.max_silence)
        yield f"nothing was published for {length_words(status.silence)}, at most {allowed} is promised"


def event_words(status: Status) -> str:
    """What consumers see, and whether its newest event is as new as promised; the promise about pauses is another one."""
    if status.promise is None or status.newest is None or status.age is None:
        return shown_words(status)
    allowed = length_words(status.promise.max_age)
    shows = f"shows {partition_words(status)}, {event_age_words(status)}"
    return f"{shows}; {'stale: ' if status.is_too_old else ''}at most {allowed} is promised"


def pause_words(status: Status) -> str:
    """How long ago something was published last, and whether that is as promised; the age of the events is another promise."""
    if status.promise is None or status.promise.max_silence is None or status.silence is None:
        return shown_words(status)
    length, allowed = length_words(status.silence), length_words(status.promise.max_silence)
    what = f"nothing was published for {length}" if status.is_silent else f"the last publication was {length} ago"
    return f"{what}, at most {allowed} is promised"
