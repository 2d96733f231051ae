"""`contract-gate reconcile`: its exit codes, its document, and that nothing of the data is in it."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from contract_core.publication.entry import Event
from contract_core.publication.ledger import Ledger
from tests.commands import CASES, GOOD, Run, written

DAY, NEXT = "2026-10-01", "2026-10-02"
SECRET = GOOD.replace("NL", "QX").replace("12", "987654")
UNKNOWN = ("published_at", "superseded_at", "effort")


@pytest.fixture
def gate(run: Run, tmp_path: Path) -> Run:
    """An environment in which two contracts were published to; one partition was corrected, one delivery refused rows."""
    apart = CASES.replace("contract: cases", "contract: apart") + "enforcement: {on_breach: quarantine}\n"
    (tmp_path / "data/contracts").mkdir(parents=True)
    written(tmp_path / "data/contracts", cases_yaml=CASES, apart_yaml=apart)
    written(
        tmp_path,
        secret_csv=SECRET,
        next_csv=GOOD.replace(DAY, NEXT),
        partly_csv=f"region,day,count\nNL,{DAY},12\nBE,{DAY},-3\n",
    )
    for contract, file, day in (
        ("cases", "good.csv", DAY),
        ("cases", "next.csv", NEXT),
        ("cases", "secret.csv", DAY),
        ("apart", "partly.csv", DAY),
    ):
        code, _, err = run("publish", contract, file, "--partition", day)
        assert (code, err) == (0, "")
    return run


def document(run: Run, *arguments: str, code: int = 0) -> Any:
    found, out, err = run(*arguments, "--json")
    assert (found, err) == (code, "")
    return json.loads(out)


def decided(run: Run) -> dict[str, list[dict[str, Any]]]:
    """By contract, each decision without the moments and costs that only the ledger has."""
    records = document(run, "decisions")
    return {
        name: [
            {key: value for key, value in record.items() if key not in UNKNOWN}
            for record in records
            if record["contract"] == name
        ]
        for name in ("apart", "cases")
    }


def files(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_where_all_agrees_it_says_so(gate: Run) -> None:
    code, out, err = gate("reconcile")
    assert (code, err) == (0, "")
    assert [line.partition(": ")[0] for line in out.splitlines()] == ["apart", "cases"]
    assert all(line.endswith("table and ledger agree") for line in out.splitlines())


def test_a_ledger_that_is_lost_is_written_anew(gate: Run, tmp_path: Path) -> None:
    """S1-093: afterwards `decisions`, `status` and the gate answer as before; a retry publishes nothing."""
    decisions, status = decided(gate), document(gate, "status", "--as-of", "2026-10-03")
    shutil.rmtree(tmp_path / "data/ledger")
    found = document(gate, "reconcile")
    assert (found["agrees"], found["dry_run"], found["open_places"]) == (True, False, [])
    assert [(item["contract"], len(item["recorded"])) for item in found["contracts"]] == [("apart", 1), ("cases", 3)]
    assert all(record["decision_rebuilt"] for item in found["contracts"] for record in item["recorded"])
    assert decided(gate) == decisions
    again = document(gate, "status", "--as-of", "2026-10-03")
    assert [(item["partitions"], item["newest"]["submission"], item["refused"]) for item in again] == [
        (item["partitions"], item["newest"]["submission"], item["refused"]) for item in status
    ]
    before = DeltaTable(tmp_path / "data/published/cases").version()
    retry = document(gate, "publish", "cases", "secret.csv", "--partition", DAY)
    assert (retry["publication"]["already_published"], DeltaTable(tmp_path / "data/published/cases").version()) == (
        True,
        before,
    )
    written(tmp_path, new_csv=GOOD.replace("7", "8"))
    assert document(gate, "publish", "cases", "new.csv", "--partition", DAY)["publication"]["version"] > before
    assert document(gate, "reconcile")["agrees"]


def test_a_record_that_a_crash_kept_back_is_completed(
    gate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1-093"""
    append = Ledger.append

    def killed(ledger: Ledger, entry: Any) -> Any:
        if entry.event is Event.PUBLISHED:
            raise KeyboardInterrupt
        return append(ledger, entry)

    written(tmp_path, new_csv=GOOD.replace("7", "8"))
    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "append", killed)
        assert gate("publish", "cases", "new.csv", "--partition", DAY)[0] != 0
    version = DeltaTable(tmp_path / "data/published/cases").version()
    code, out, err = gate("reconcile", "cases")
    assert (code, err, len(out.splitlines())) == (0, "", 2)
    assert out.splitlines()[1].endswith(f": version {version} recorded")
    assert document(gate, "decisions", "cases")[-1]["table_version"] == version


def test_a_dry_run_writes_nothing(gate: Run, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "data/ledger")
    before = files(tmp_path)
    code, out, err = gate("reconcile", "--dry-run")
    assert (code, err, files(tmp_path), (tmp_path / "data/ledger").exists()) == (1, "", before, False)
    assert len([line for line in out.splitlines() if "would be recorded" in line]) == 4
    found = document(gate, "reconcile", "--dry-run", code=1)
    assert (found["agrees"], found["dry_run"], files(tmp_path)) == (False, True, before)
    assert gate("reconcile")[0] == 0
    assert gate("reconcile", "--dry-run")[0] == 0


def test_a_difference_that_remains_is_told_without_a_value(gate: Run, tmp_path: Path) -> None:
    """S1-108, S1-112: what others did is told by version, engine and count."""
    DeltaTable(tmp_path / "data/published/cases").delete("region = 'QX' AND \"count\" = 987654")
    found = document(gate, "reconcile", "cases", code=1)
    [item] = found["contracts"]
    assert [(told["kind"], told["recorded"], told["shown"]) for told in item["differences"]] == [
        ("foreign", None, None),
        ("other_rows", 2, 1),
    ]
    code, out, err = gate("reconcile", "cases")
    assert (code, err) == (1, "")
    assert not any(value in out + json.dumps(found) for value in ("QX", "987654"))
    assert "(DELETE by delta-rs:py-" in out


def test_a_contract_whose_file_is_gone_is_still_reconciled(gate: Run, tmp_path: Path) -> None:
    (tmp_path / "data/contracts/cases.yaml").unlink()
    shutil.rmtree(tmp_path / "data/ledger")
    assert [len(item["recorded"]) for item in document(gate, "reconcile", "cases")["contracts"]] == [3]
    assert [item["contract"] for item in document(gate, "reconcile")["contracts"]] == ["apart", "cases"]


def test_without_published_tables_the_ledger_has_more_than_they(gate: Run, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "data/published")
    found = document(gate, "reconcile", code=1)
    assert [[told["kind"] for told in item["differences"]] for item in found["contracts"]] == [["no_table"]] * 2
    shutil.rmtree(tmp_path / "data/ledger")
    code, out, err = gate("reconcile", "cases")
    assert (code, out, err) == (0, "cases: no table\n", "")


def test_a_place_that_is_open_to_others_is_told(gate: Run, tmp_path: Path) -> None:
    """S1-108"""
    (tmp_path / "data/quarantine").chmod(0o755)
    [place] = document(gate, "reconcile", code=1)["open_places"]
    assert (place["path"], place["hint"]) == ("data/quarantine", "chmod go-rwx data/quarantine")
    assert "data/quarantine: can be read by" in gate("reconcile")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reconcile", "order"), "no contract 'order'"),
        (("reconcile", "--root", "elsewhere"), "there is no contract, no published table and no ledger"),
    ],
)
def test_what_is_not_there_cannot_be_answered(gate: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = gate(*arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_one_table_that_cannot_be_read_does_not_keep_the_others_from_being_reconciled(
    gate: Run, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "data/ledger")
    (tmp_path / "data/published/apart/_delta_log" / f"{0:020d}.json").write_text('{"QX')
    code, out, err = gate("reconcile", "--json")
    assert (code, [item["contract"] for item in json.loads(out)["contracts"]]) == (2, ["cases"])
    assert err.startswith("contract 'apart': the log of its published table cannot be read")
    assert "QX" not in err


def test_only_the_publisher_completes_the_ledger(gate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "environments:\n  production: {root: data, identities: {publisher: nobody}}\n"
    written(tmp_path, environments_yaml=text)
    monkeypatch.setenv("CONTRACT_GATE_ENV", "production")
    code, out, err = gate("reconcile")
    assert (code, out) == (2, "")
    assert "'nobody'" in err
    assert gate("reconcile", "--dry-run")[0] == 0
