"""The library's own interface: no exception, nor any that stands behind it, no log record and no warning holds a value."""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.table import TableAlterer

import contract_core as core
from contract_core.environment import Environment
from contract_core.operations.reconciled import reconcile
from contract_core.operations.reconciliation import complete, reconcile_contract
from contract_core.operations.retention import plan_cleaning
from contract_core.operations.status import status_of
from contract_core.operations.targets import set_up, target_of
from contract_core.publication import commits, ledger, quarantine
from contract_core.publication import publish as publishing
from contract_core.publication.entry import Event, latest
from contract_core.publication.submit import (
    Judged,
    judge_again,
    publish_judged,
    publish_latest,
    store_of,
    take_and_decide,
)
from tests.privacy.planting import (
    AS_OF,
    BY_ID,
    DAMAGES,
    MODES,
    PLANTED,
    Heard,
    Planted,
    cases,
    published,
)  # fmt: skip

Call = Callable[..., object]


@contextmanager
def listening(heard: Heard, caplog: pytest.LogCaptureFixture) -> Iterator[Call]:
    """Calls what it is given and hears what comes of it: answer, error, warnings, the records of every logger."""

    def call(function: Call, *arguments: object) -> object:
        name = getattr(function, "__name__", "call")
        try:
            answer = function(*arguments)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is looked at
            heard.add_error(name, error)
            return None
        told = (answer.report, answer.decision) if isinstance(answer, Judged) else answer
        heard.add(f"{name}: answer", "" if isinstance(answer, core.Candidate) else repr(told))
        return answer

    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield call
    heard.add("warnings", "\n".join(str(item.message) for item in warned))
    heard.add("logs", "\n".join(f"{record.getMessage()} {record.exc_text}" for record in caplog.records))


def offered(root: Path, planted: Planted, call: Call) -> Judged | None:
    """The whole path of a delivery through the library, up to the published table."""
    environment, landing = Environment.at(root), planted.laid_out(root)
    promised = core.find_contract("cases", environment.contracts)
    delivery = call(core.collect_delivery, promised, [landing], planted.partition)
    judged = call(take_and_decide, promised, delivery, environment, AS_OF, AS_OF)
    if isinstance(judged, Judged):
        call(publish_judged, judged, environment, AS_OF)
        return judged
    return None


def everything_else(root: Path, planted: Planted, call: Call) -> None:
    """All other questions that an operator asks the library about a contract."""
    environment = Environment.at(root)
    promised = core.find_contract("cases", environment.contracts)
    store = store_of(environment)
    call(judge_again, promised, planted.partition, environment, AS_OF, AS_OF)
    call(publish_latest, promised, planted.partition, environment, AS_OF)
    entries = call(core.Ledger(environment.ledger).entries, "cases")
    if isinstance(entries, tuple):
        call(status_of, promised, entries, AS_OF)
    call(reconcile, promised, planted.partition, environment)
    if (found := call(reconcile_contract, promised, environment, AS_OF)) is not None:
        call(complete, found, core.Ledger(environment.ledger))
    call(target_of, promised, environment)
    call(set_up, promised, environment)
    call(plan_cleaning, promised, environment, AS_OF)
    call(store.quarantine.held, "cases")
    call(store.quarantine.counts, "cases")
    call(store.quarantine.remove, "cases", {})


FEWER = [
    planted for planted in PLANTED if not any(word in planted.id for word in ("warn", "upsert", "jsonl", "csv, fail, "))
]


@pytest.mark.parametrize("planted", cases(FEWER))
def test_no_error_holds_a_value_whatever_is_delivered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, planted: Planted
) -> None:
    """S1-063, S1-064, S3-015."""
    heard = Heard()
    with listening(heard, caplog) as call:
        if planted.before is not None:
            assert offered(tmp_path, planted.before, call) is not None
        offered(tmp_path, planted, call)
    assert heard.leaks(planted.markers) == []


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_error_holds_a_value_of_what_is_stored_and_damaged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    """S1-063, S1-092."""
    planted, heard = published(damage), Heard()
    with listening(heard, caplog) as call:
        judged = offered(tmp_path, planted, call)
        assert judged is not None
        DAMAGES[damage](tmp_path, planted.markers)
        call(core.validate, judged.contract, judged.candidate, AS_OF)
        offered(tmp_path, planted, call)
        everything_else(tmp_path, planted, call)
    assert heard.leaks(planted.markers) == []


@pytest.mark.parametrize("mode", MODES)
def test_rows_that_pass_the_gate_by_are_refused_by_the_table_without_a_word_of_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """S1-063. The constraint's error in delta-rs quotes the rows; the gate is made to let a refused candidate through."""
    planted, heard, said = BY_ID[f"rows, parquet, fail, {mode}"], Heard(), []

    write = commits.write_rows

    def overheard(*arguments: object) -> None:
        try:
            write(*arguments)  # type: ignore[arg-type]
        except BaseException as error:
            said.append(str(error))
            raise

    monkeypatch.setattr("contract_core.publication.store.write_rows", overheard)
    monkeypatch.setattr(publishing, "passing", lambda _, __, entries: latest(entries, Event.DECIDED))
    with listening(heard, caplog) as call:
        environment = Environment.at(tmp_path)
        judged = offered(tmp_path, planted, call)
        assert judged is not None
        call(
            core.publish,
            judged.contract,
            judged.candidate,
            core.Ledger(environment.ledger),
            store_of(environment),
            AS_OF,
        )
    assert planted.markers.found_in("".join(said)), "the library quotes no row any more"
    assert heard.leaks(planted.markers) == []


FAILURES: dict[str, type[BaseException]] = {
    "an exception": Exception, "an error of delta-rs": DeltaError, "a lost race": CommitFailedError, "a panic": pl.exceptions.PanicException,
    "an error of Polars": pl.exceptions.ComputeError, "an error of the system": OSError,
}  # fmt: skip
PLACES = {"table": commits, "quarantine": quarantine, "ledger": ledger}
NUMBERED = {
    "a number of the system's": "{} (os error 28)",
    "a number of no system": "{} (os error 99999999999999999999)",
}
WRITES = [
    *((place, failure, "{}") for place in PLACES for failure in FAILURES),
    *((place, "an error of delta-rs", words) for place in PLACES for words in NUMBERED.values()),
]


@pytest.mark.parametrize(("place", "failure", "words"), WRITES, ids=map(", ".join, WRITES))
def test_a_write_that_fails_is_told_without_the_words_of_a_library(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    failure: str,
    words: str,
) -> None:
    """S1-063"""
    planted, heard = published(f"{place}, {failure}, {words}"), Heard()

    def failing(*_: object, **__: object) -> None:
        cause = ValueError(planted.markers.text("the cause"))
        raise FAILURES[failure](words.format(planted.markers.text("the words"))) from cause

    monkeypatch.setattr(PLACES[place], "write_deltalake", failing)
    with listening(heard, caplog) as call:
        offered(tmp_path, planted, call)
    assert any("Error" in where for where, _ in heard.pieces)
    assert heard.leaks(planted.markers) == []


def test_a_value_that_reads_like_a_number_of_the_system_leaves_no_row_in_a_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """S1-063. The rows that delta-rs quotes are searched for what the operating system refused."""
    planted, heard = published("a number in a value"), Heard()
    other = planted.files["d.csv"].replace(b",ok,", b",other,")
    other = other.replace(planted.markers.text("published").encode(), b"(os error 99999999999999999999)")
    with listening(heard, caplog) as call:
        offered(tmp_path, planted, call)
        DAMAGES["a constraint by somebody else"](tmp_path, planted.markers)
        again = Planted(planted.id, planted.contract, {"d.csv": other}, planted.markers, planted.breaks)
        offered(tmp_path, again, call)
    assert heard.leaks(planted.markers) == []


@pytest.mark.parametrize("failure", [Exception, pl.exceptions.PanicException], ids=lambda kind: kind.__name__)
def test_constraints_that_cannot_be_set_are_told_without_the_words_of_a_library(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException]
) -> None:
    """S1-063."""
    planted, heard = published(f"constraints, {failure.__name__}"), Heard()

    def failing(*_: object, **__: object) -> None:
        raise failure(planted.markers.text("the words"))

    monkeypatch.setattr(TableAlterer, "add_constraint", failing)
    with listening(heard, caplog) as call:
        offered(tmp_path, planted, call)
    assert any("does not take the constraints" in said for _, said in heard.pieces)
    assert heard.leaks(planted.markers) == []
