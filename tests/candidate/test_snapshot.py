"""A candidate is taken once, is whole or not there, and is never silently another one."""

import io
import json
import multiprocessing
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from contract_core.candidate import snapshot
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.facts import METADATA_KEY, Facts
from contract_core.candidate.snapshot import Candidate, load_candidate, take_candidate, verify
from contract_core.errors import CandidateAlteredError, CandidateUnreadableError, ContractCoreError
from tests.candidate.offers import RECEIVED, contract_of, rows, taken, written

CONTRACT = contract_of({"a": "integer", "b": "number"})
FILES = {"1.csv": "a,b\n1,1.5\nx,2\n", "2.csv": "b,a\n3,2\n"}
BIG = {"1.csv": "a,b\n" + "".join(f"{n * 7919 % 1000003},{n / 7}\n" for n in range(60_000))}


def finals(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "cases").glob("*")) if (root / "cases").exists() else []


def leftovers(root: Path) -> list[Path]:
    return list((root / ".attempts").glob("take-*"))


def test_a_candidate_is_one_read_only_file_with_all_its_facts(tmp_path):
    candidate = taken(CONTRACT, tmp_path, FILES, "2026-10-01")
    root = tmp_path / "candidates"
    assert candidate.path == root / "cases" / f"{candidate.digest}.parquet"
    assert stat.S_IMODE(candidate.path.stat().st_mode) == 0o444
    assert stat.S_IMODE(candidate.path.parent.stat().st_mode) == 0o700
    assert Facts.from_json(pl.read_parquet_metadata(candidate.path)[METADATA_KEY]) == candidate.facts
    assert finals(root) == sorted([f"{candidate.digest}.parquet", f"{candidate.submission}.json"])
    assert leftovers(root) == []


def test_the_record_says_what_was_taken_and_when(tmp_path):
    candidate = taken(CONTRACT, tmp_path, FILES, "2026-10-01")
    record = json.loads((candidate.path.parent / f"{candidate.submission}.json").read_text())
    assert record == {
        "submission": candidate.submission,
        "digest": candidate.digest,
        "contract": "cases",
        "version": "1.0.0",
        "partition": "2026-10-01",
        "rows": 3,
        "received_at": RECEIVED.isoformat(),
    }


def test_the_columns_stand_in_the_contracts_order(tmp_path):
    frame = rows(taken(CONTRACT, tmp_path, FILES))
    assert frame.columns == ["a", "b", "__raw.a", "__raw.b", "__file", "__row"]
    assert frame.rows() == [(1, 1.5, None, None, 0, 1), (None, 2.0, "x", None, 0, 2), (2, 3.0, None, None, 1, 1)]


def test_the_same_delivery_gives_the_same_bytes(tmp_path):
    digests = {taken(CONTRACT, tmp_path / name, BIG | FILES).digest for name in "abc"}
    assert len(digests) == 1


def test_a_second_call_gives_the_stored_candidate_and_writes_nothing(tmp_path):
    first = taken(CONTRACT, tmp_path, FILES)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "candidates").rglob("*")}
    assert taken(CONTRACT, tmp_path, FILES) == first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "candidates").rglob("*")} == before


def test_a_candidate_can_be_loaded_by_its_submission(tmp_path):
    candidate = taken(CONTRACT, tmp_path, FILES)
    assert load_candidate(tmp_path / "candidates", "cases", candidate.submission) == candidate
    verify(candidate)


def test_an_unknown_submission_is_not_there(tmp_path):
    with pytest.raises(CandidateUnreadableError):
        load_candidate(tmp_path, "cases", "0" * 64)


def altered(candidate: Candidate, content: bytes) -> None:
    candidate.path.chmod(0o644)
    candidate.path.write_bytes(content)


def test_an_altered_candidate_is_refused_everywhere(tmp_path):
    candidate = taken(CONTRACT, tmp_path, FILES)
    altered(candidate, candidate.path.read_bytes() + b"x")
    for attempt in (
        lambda: verify(candidate),
        lambda: load_candidate(tmp_path / "candidates", "cases", candidate.submission),
        lambda: taken(CONTRACT, tmp_path, FILES),
    ):
        with pytest.raises(CandidateAlteredError):
            attempt()


def test_a_record_that_is_not_ours_is_refused(tmp_path):
    candidate = taken(CONTRACT, tmp_path, FILES)
    record = candidate.path.parent / f"{candidate.submission}.json"
    for content in ("", "{", "[]", "{}", '{"digest": 1}'):
        record.chmod(0o644)
        record.write_text(content)
        with pytest.raises(ContractCoreError):
            load_candidate(tmp_path / "candidates", "cases", candidate.submission)


def test_a_candidate_that_is_gone_does_not_verify_and_is_taken_again(tmp_path):
    candidate = taken(CONTRACT, tmp_path, FILES)
    candidate.path.unlink()
    with pytest.raises(CandidateAlteredError):
        verify(candidate)
    assert taken(CONTRACT, tmp_path, FILES) == candidate
    verify(candidate)


def test_a_delivery_without_rows_is_a_candidate(tmp_path):
    candidate = taken(CONTRACT, tmp_path, {"1.csv": "a,b\n"})
    assert (candidate.rows, rows(candidate).schema["a"], rows(candidate).height) == (0, pl.Int64, 0)


def test_a_delivery_without_any_readable_file_is_a_candidate_of_facts(tmp_path):
    candidate = taken(CONTRACT, tmp_path, {"1.csv": ""})
    assert candidate.rows == 0
    assert rows(candidate).columns == ["__file", "__row"]


@pytest.mark.parametrize("change", ["longer", "same size", "gone"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, change):
    landing = written(tmp_path / "landing", FILES)
    delivery = collect_delivery(CONTRACT, [landing], None)
    file = landing / "2.csv"
    file.unlink() if change == "gone" else file.write_text("b,a\n3,2\n4,4\n" if change == "longer" else "b,a\n3,9\n")
    with pytest.raises(CandidateUnreadableError):
        take_candidate(CONTRACT, delivery, tmp_path / "candidates", RECEIVED)
    assert finals(tmp_path / "candidates") == []
    assert leftovers(tmp_path / "candidates") == []


def _take(folder: str) -> str:
    return take_candidate(
        CONTRACT, collect_delivery(CONTRACT, [Path(folder) / "landing"], None), Path(folder) / "candidates", RECEIVED
    ).digest


@pytest.mark.slow
def test_rivals_for_one_delivery_give_one_candidate(tmp_path):
    written(tmp_path / "landing", BIG)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        digests = set(pool.map(_take, [str(tmp_path)] * 8))
        pool.close()  # leaving the pool terminates its workers, and one of them may be in the way of the others then
        pool.join()
    assert len(digests) == 1
    assert len(finals(tmp_path / "candidates")) == 2
    assert leftovers(tmp_path / "candidates") == []


def _take_and_die(folder: str) -> None:
    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    snapshot.refuse_changed = die
    _take(folder)


@pytest.mark.slow
def test_a_crash_leaves_nothing_under_a_final_name_and_is_cleaned_up_by_the_next(tmp_path):
    written(tmp_path / "landing", FILES)
    process = multiprocessing.get_context("spawn").Process(target=_take_and_die, args=(str(tmp_path),))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert finals(tmp_path / "candidates") == []
    assert len(leftovers(tmp_path / "candidates")) == 1
    taken(CONTRACT, tmp_path, FILES)
    assert leftovers(tmp_path / "candidates") == []
    assert len(finals(tmp_path / "candidates")) == 2


def test_an_attempt_that_is_alive_is_left_alone(tmp_path):
    with snapshot.attempt_folder(tmp_path) as alive:
        with snapshot.attempt_folder(tmp_path) as other:
            assert alive.exists()
            assert other != alive
        assert alive.exists()
    assert not alive.exists()


def _take_with_little_room(folder: str, contract_format: str, queue) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    contract = contract_of({"a": "integer", "b": "number"}, form={"encoding": contract_format})
    try:
        take_candidate(
            contract,
            collect_delivery(contract, [Path(folder) / "landing"], None),
            Path(folder) / "candidates",
            RECEIVED,
        )
    except ContractCoreError as error:
        queue.put(str(error))
    except BaseException as error:  # noqa: BLE001 - the test tells any other kind
        queue.put(repr(error))


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_full_disk_leaves_no_half_candidate(tmp_path, encoding):
    written(tmp_path / "landing", BIG)
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_take_with_little_room, args=(str(tmp_path), encoding, queue))
    process.start()
    told = queue.get(timeout=60)
    process.join()
    assert told.startswith(f"candidates {tmp_path}/candidates/cases: cannot be written")
    assert finals(tmp_path / "candidates") == []
    assert leftovers(tmp_path / "candidates") == []


def test_a_root_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "candidates").write_text("a file stands where the folder should be")
    with pytest.raises(CandidateUnreadableError, match="cannot be written"):
        taken(CONTRACT, tmp_path, FILES)


def test_no_message_carries_a_value(tmp_path):
    secret = "S3CR3T"
    files = {
        "1.csv": f"a,b\n{secret}\n",
        "2.csv": f'a,b\n"{secret}"{secret},1\n',
        "3.csv": f"{secret},{secret}\n1,2\n",
        "4.csv": f"a,b\n{secret},1\n\xff".encode("latin-1"),
    }
    candidate = taken(CONTRACT, tmp_path, files)
    assert all(file.unreadable and secret not in file.unreadable for file in candidate.facts.files)
    shutil.rmtree(candidate.path.parent)


def test_many_small_files_are_one_candidate_in_their_order(tmp_path):
    files = {f"{place:04d}.csv": f"a,b\n{place},0.5\nx,1\n" for place in range(150)}
    candidate = taken(CONTRACT, tmp_path, files | {"0070.csv": "b\n2\n", "0071.csv": ""})
    frame = rows(candidate)
    assert candidate.rows == frame.height == 2 * 148 + 1
    assert frame["__file"].to_list() == sorted(frame["__file"])
    assert frame.filter(pl.col("a").is_not_null())["a"].to_list() == [n for n in range(150) if n not in (70, 71)]
    assert frame["__raw.a"].drop_nulls().len() == 148
    assert frame["__absent.a"].sum() == 1
    assert leftovers(tmp_path / "candidates") == []


def test_a_root_that_is_no_utf_8_is_told(tmp_path):
    landing = written(tmp_path / "landing", FILES)
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xff"))
    for attempt in (
        lambda: take_candidate(CONTRACT, collect_delivery(CONTRACT, [landing], None), root, RECEIVED),
        lambda: load_candidate(root, "cases", "0" * 64),
    ):
        with pytest.raises(CandidateUnreadableError, match="not UTF-8"):
            attempt()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_no_engine_of_the_environment_is_used(tmp_path, form):
    content = io.BytesIO()
    pl.DataFrame({"a": ["x"]}).write_parquet(content)
    landing = written(tmp_path / "landing", {f"1.{form}": content.getvalue() if form == "parquet" else "a\nx\n"})
    program = f"""
from pathlib import Path
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import take_candidate
from contract_core.validation.plan import validate
from tests.candidate.offers import RECEIVED, contract_of
contract = contract_of({{"a": "string"}}, form={{"type": "{form}"}})
candidate = take_candidate(contract, collect_delivery(contract, [Path({str(landing)!r})], None), Path({str(tmp_path)!r}), RECEIVED)
assert not validate(contract, candidate, RECEIVED).breached()
"""
    environment = os.environ | {"POLARS_ENGINE_AFFINITY": "gpu", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
