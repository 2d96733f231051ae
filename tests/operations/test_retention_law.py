"""The law of retention: whatever happened and whatever is cleaned, everybody gets the answers that they would get without it."""

import shutil
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from contract_core.errors import ContractCoreError
from contract_core.publication.entry import Event
from contract_core.publication.submit import judge_again, publish_judged
from tests.operations.keeping import NOW, House, rows

DAYS = ("2026-10-01", "2026-10-02")
TERMS = "keep_candidates: 1d, keep_refused: 0d, keep_versions: 0d"
STEPS = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from(DAYS), st.sampled_from(["publish", "publish", "decide", "take", "crash"])
    ),
    min_size=1,
    max_size=5,
)


def delivery(number: int, day: str) -> str:
    """Four deliveries of a day with keys of their own; the last has a row that breaks its promise."""
    return rows(number + 1, -1 if number == 3 else 5, first=number * 10, day=day)


def tried(act):
    """What a caller sees: the answer, or the class of the error."""
    try:
        return act()
    except ContractCoreError as error:
        return type(error).__name__


def taken_as_far_as(house: House, step: tuple[int, str, str], hour: int) -> None:
    number, day, how = step
    text, at = delivery(number, day), NOW + timedelta(hours=hour)
    match how:
        case "publish":
            tried(lambda: house.published(text, at, day) if number < 3 else house.judged(text, at, day))
        case "decide":
            house.judged(text, at, day)
        case "crash":
            tried(lambda: killed_before_the_record(house, text, at, day))
        case _:
            house.taken(text, at)


def killed_before_the_record(house: House, text: str, at, day: str) -> None:
    judged = house.judged(text, at, day)
    if judged.is_accepted:
        house.store.publish_partition(
            house.contract, judged.candidate, lambda _: house.ledger.decision_of(judged.candidate.submission)
        )


def answers(house: House, steps: list[tuple[int, str, str]], at) -> list[object]:
    """Judging every partition again, a retry of everything that was delivered, and what the table shows then."""
    decided = {entry.partition for entry in house.ledger.entries("cases") if entry.event is Event.DECIDED}
    again = [judge_again(house.contract, day, house.places, at, at).decision for day in sorted(decided)]
    retried = [tried(partial(retry, house, delivery(number, day), at, day)) for number, day, _ in steps]
    shown = sorted(house.store.rows("cases").collect().rows()) if house.table.exists() else None
    return [*again, *retried, shown]


def retry(house: House, text: str, at, day: str) -> object:
    record = publish_judged(house.judged(text, at, day), house.places, at)
    return record and (record.submission, record.table_version, record.superseded_by, record.already_published)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(STEPS, st.sampled_from(["replace_partition", "append", "upsert"]), st.sampled_from(["fail", "quarantine"]))
def test_cleaning_changes_no_answer(steps, mode, on_breach):
    """S1-071: nothing goes that a publication, a retry or a recheck needs."""
    with TemporaryDirectory() as folder:
        house = House(Path(folder, "cleaned"), f"{{mode: {mode}, {TERMS}}}", f"{{on_breach: {on_breach}}}")
        for hour, step in enumerate(steps):
            taken_as_far_as(house, step, hour)
        shutil.copytree(Path(folder, "cleaned"), Path(folder, "untouched"))
        untouched = House(Path(folder, "untouched"), f"{{mode: {mode}, {TERMS}}}", f"{{on_breach: {on_breach}}}")
        at = NOW + timedelta(days=400)
        house.cleaned(at)
        assert answers(house, steps, at) == answers(untouched, steps, at)
