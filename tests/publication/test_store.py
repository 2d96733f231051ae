"""The store: one commit per submission, whoever writes in between, and not a word of the library's."""

import pytest
from deltalake import DeltaTable, write_deltalake

from contract_core.errors import PublicationConflictError, PublicationError
from contract_core.publication import commits as commits_module
from contract_core.publication import store as store_module
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.markers import gate_marker, marker_number
from contract_core.publication.store import Shown, Store
from tests.publication.samples import DAY, NOW, WHOLE, contract_of, permit, publications, put, rows
from tests.publication.unchanged import nothing_shown, table_state, unchanged


def test_the_commit_itself_says_what_was_published(site):
    contract = contract_of()
    record = site.accept(contract, rows("a"))
    commit = DeltaTable(site.table()).history(1)[0]
    assert commit["submission"] == record.submission
    assert (commit["contract"], commit["contract_version"], commit["contract_digest"]) == (
        "cases",
        "1.0.0",
        contract.digest,
    )
    assert (commit["partition"], commit["decision"], commit["decided_at"], commit["rows"]) == (
        DAY,
        "publish",
        NOW.isoformat(),
        "1",
    )
    assert len(commit["candidate_digest"]) == len(commit["report_digest"]) == 64


def test_the_table_alone_says_which_submission_a_partition_shows(site):
    record = site.accept(contract_of(), rows("a"))
    (version,) = publications(site.table())
    assert site.store.current("cases", DAY) == Shown(version, marker_number(record.submission))
    assert site.store.current("cases", "2026-10-02") == Shown(version, None)
    assert site.store.current("other", DAY) is None
    assert site.store.commit_of("cases", record.submission) == version
    assert DeltaTable(site.table()).transaction_version(gate_marker("cases")) == version


def test_a_marker_is_a_positive_63_bit_number():
    assert marker_number("f" * 64) == 2**63 - 1
    assert marker_number("0" * 64) == 0


ROWS, CREATION = (commits_module, "write_deltalake"), (commits_module.DeltaTable, "create")


def interrupting(monkeypatch, act, where=ROWS):
    """Calls `act` once, after the handle was opened and before it writes."""
    write, todo = getattr(*where), [act]

    def write_later(*args, **kwargs):
        if todo:
            todo.pop()()
        return write(*args, **kwargs)

    monkeypatch.setattr(*where, write_later)


FOREIGN = {
    "in the same partition": (rows("x"), ["a"]),
    "in another partition": (rows("x", day="2026-10-05"), ["a", "x"]),
}


@pytest.mark.parametrize("stranger, expected", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_commit_in_between_is_not_lost_in_silence(site, monkeypatch, stranger, expected):
    contract = contract_of()
    site.accept(contract, rows("z"))
    candidate = site.take(contract, rows("a"))
    interrupting(monkeypatch, lambda: write_deltalake(site.table(), stranger, mode="append"))
    commit = put(site, contract, candidate)
    assert [row[0] for row in site.shown()] == expected
    _, version = publications(site.table())
    assert commit.version == DeltaTable(site.table()).version() == version


def test_a_foreign_commit_in_between_is_seen_where_the_whole_table_is_replaced(site, monkeypatch):
    contract = contract_of(WHOLE)
    site.accept(contract, rows("z"), None)
    interrupting(monkeypatch, lambda: write_deltalake(site.table(), rows("x"), mode="append"))
    asked = []
    candidate = site.take(contract, rows("a"), None)
    site.store.publish_partition(contract, candidate, lambda shown: asked.append(shown) or permit(contract, candidate))
    assert [row[0] for row in site.shown()] == ["a"]
    assert len(asked) == 2


@pytest.mark.parametrize("where", [CREATION, ROWS], ids=["before the table is created", "before its first rows"])
def test_a_rival_creation_in_between_loses_nothing(site, monkeypatch, where):
    contract = contract_of()
    first, second = site.take(contract, rows("a")), site.take(contract, rows("b", day="2026-10-02"), "2026-10-02")
    interrupting(monkeypatch, lambda: put(site, contract, second), where)
    put(site, contract, first)
    assert [row[0] for row in site.shown()] == ["a", "b"]
    assert len(publications(site.table())) == 2


def test_a_rival_that_wins_every_time_is_told_as_a_conflict(site, monkeypatch):
    contract = contract_of()
    site.accept(contract, rows("z"))
    candidate = site.take(contract, rows("a"))
    monkeypatch.setattr(store_module, "wait", lambda *_: None)
    write = commits_module.write_deltalake

    def always_late(*args, **kwargs):
        write(site.table(), rows("x"), mode="append")
        return write(*args, **kwargs)

    monkeypatch.setattr(commits_module, "write_deltalake", always_late)
    with pytest.raises(PublicationConflictError, match="won 20 times"):
        put(site, contract, candidate)
    assert {row[0] for row in site.shown()} == {"z", "x"}


def test_a_write_that_succeeded_but_reported_an_error_counts_as_written(site, monkeypatch):
    contract = contract_of()
    write = commits_module.write_deltalake

    def lying(*args, **kwargs):
        write(*args, **kwargs)
        raise OSError("the answer was lost")

    monkeypatch.setattr(commits_module, "write_deltalake", lying)
    for _ in range(2):
        put(site, contract, site.take(contract, rows("a", "b")))
    assert len(site.shown()) == 2
    assert publications(site.table()) == (DeltaTable(site.table()).version(),)


class Panic(BaseException):
    """As pyo3 raises it."""


@pytest.mark.parametrize("kind", [Exception, ValueError, Panic], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    ("where", "is_first", "kept"),
    [(CREATION, True, unchanged), (ROWS, True, nothing_shown), (ROWS, False, unchanged)],
    ids=["creation", "first rows", "correction"],
)
def test_the_words_of_the_library_never_leave(site, monkeypatch, where, is_first, kept, kind):
    if not is_first:
        site.accept(contract_of(), rows("z"))

    def failing(*args, **kwargs):
        raise kind("secret-value")

    candidate = site.take(contract_of(), rows("a"))
    monkeypatch.setattr(*where, failing)
    with kept(site.table()), pytest.raises(PublicationError, match=kind.__name__) as refused:
        put(site, contract_of(), candidate)
    assert "secret-value" not in str(refused.value)
    assert refused.value.__context__ is None
    assert refused.value.__cause__ is None


def test_a_constraint_of_the_table_refuses_without_showing_rows(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    DeltaTable(site.table()).alter.add_constraint({"small": "n < 100"})
    before = table_state(site.table())
    with pytest.raises(PublicationError) as refused:
        site.accept(contract, rows("secret-value", n=31337))
    after = table_state(site.table())  # a failed write may leave a data file behind, which no reader sees
    assert (after.version, after.content) == (before.version, before.content)
    assert "31337" not in str(refused.value)
    assert "secret-value" not in str(refused.value)
    assert refused.value.__context__ is None


def test_a_table_that_cannot_be_opened_is_never_taken_for_a_missing_one(site):
    contract = contract_of()
    site.accept(contract, rows("a"))
    site.accept(contract, rows("b"))
    (site.table() / "_delta_log" / f"{1:020d}.json").write_text("{broken")
    candidate = site.take(contract, rows("c"))
    before = sorted(file.name for file in site.table().rglob("*"))
    with pytest.raises(PublicationError, match="cannot be opened"):
        put(site, contract, candidate)
    assert sorted(file.name for file in site.table().rglob("*")) == before


def test_what_a_crashed_first_write_left_behind_does_no_harm(site):
    contract = contract_of()
    orphan = site.table() / "day=2026-10-01" / "part-orphan.parquet"
    orphan.parent.mkdir(parents=True)
    rows("orphan").write_parquet(orphan)
    (site.table() / "_delta_log").mkdir()
    site.accept(contract, rows("a"))
    assert [row[0] for row in site.shown()] == ["a"]


def test_the_store_touches_nothing_when_it_is_not_authorised(site):
    contract = contract_of()
    site.accept(contract, rows("a"))

    def closed(_: int | None) -> LedgerEntry:
        raise RuntimeError("closed")

    with unchanged(site.table()), pytest.raises(RuntimeError):
        Store(site.root / "published").publish_partition(contract, site.take(contract, rows("b")), closed)
