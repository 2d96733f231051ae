"""A producer's repository and its branches: what the version gate says of each, through real commits."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.producer import (
    NOTE_REMOVED,
    ORDERS,
    RECORD,
    RETURNS,
    REWORDED,
    TOLERANT,
    Repository,
    alone,
    edited,
    founded,
    lacking,
    to,
)

ROOT = Path(__file__).parents[1]
FILE = "contracts/orders.yaml"
BREAKING = edited(to("2.0.0"), NOTE_REMOVED)
IN_TIME, TOO_SOON = "2026-11-01", "2026-10-31"
OPTIONAL = ("  - {name: note", "  - {name: voucher, type: string, required: false}\n  - {name: note")
AT_THE_RECORD = "contracts/changes/orders/2.0.0.yaml"
POLICY = "contracts/changes/policy.yaml"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Repository:
    """The shop's repository, with the contract of its orders on `main`."""
    alone(monkeypatch, tmp_path)
    found = founded(tmp_path / "shop", capfd, (FILE, ORDERS), ("contracts/returns.yaml", RETURNS))
    monkeypatch.chdir(found.root)
    return found


def test_an_untouched_branch_passes(repository: Repository) -> None:
    repository.branch(("README.md", "a shop\n"))
    code, out, err = repository.gate()
    assert (code, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines() if line[0] != " "] == ["pass", "pass", "note"]


UNIT = ("min: 0,", "min: 0, unit: cents,")
EDITS = [
    pytest.param(ORDERS, edited(REWORDED), 1, "1.0.1", ["words_edited"], id="words without a version"),
    pytest.param(ORDERS, edited(REWORDED, to("1.0.1")), 0, "1.0.1", ["words_edited"], id="words with a patch"),
    pytest.param(ORDERS, edited(to("1.0.1")), 0, "1.0.0", [], id="a version without a change"),
    pytest.param(ORDERS, edited(OPTIONAL, to("1.1.0")), 1, "2.0.0", ["field_added_optional_closed"], id="optional field, not tolerated"),
    pytest.param(TOLERANT, edited(OPTIONAL, to("1.1.0"), text=TOLERANT), 0, "1.1.0", ["field_added_optional_closed"], id="optional field, tolerated"),
    pytest.param(TOLERANT, edited(OPTIONAL, to("1.0.1"), text=TOLERANT), 1, "1.1.0", ["field_added_optional_closed"], id="optional field, version too low"),
    pytest.param(ORDERS, edited(("min: 0", "min: -5"), to("1.1.0")), 0, "1.1.0", ["bound_relaxed"], id="a bound relaxed"),
    pytest.param(ORDERS, edited(("[open, shipped]", "[open]"), to("1.1.0")), 1, "2.0.0", ["enum_value_removed"], id="a value taken away"),
    pytest.param(ORDERS, edited(to("0.9.0")), 1, "1.0.0", [], id="a version below"),
    pytest.param(edited(UNIT), edited(UNIT, ("unit: cents", "unit: euros"), to("1.1.0")), 1, "2.0.0", ["unit_changed"], id="another unit"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "code", "required", "kinds"), EDITS)
def test_an_edit_asks_for_its_version(
    repository: Repository, before: str, after: str, code: int, required: str, kinds: list[str]
) -> None:
    """[S4-012] [S4-004] [S3-029]."""
    repository.commit((FILE, before))
    repository.branch((FILE, after))
    judged = repository.judged(code=code)
    assert judged["required_version"] == required
    assert {change["kind"] for change in judged["changes"]} >= set(kinds)


def test_a_breaking_edit_is_refused_and_each_change_is_named(repository: Repository) -> None:
    """[S4-013] [S4-002] [S4-001]."""
    repository.branch((FILE, edited(NOTE_REMOVED, ("[open, shipped]", "[open]"), ("amount, type: integer", "amount, type: string"), (", min: 0", ""), to("1.1.0"))))  # fmt: skip
    code, out, err = repository.gate(FILE)
    assert (code, err) == (1, "")
    assert out.startswith("fail: orders 1.0.0 → 1.1.0: ")
    assert "needs 2.0.0 or more" in out.splitlines()[0]
    assert all(f"  breaking    {path} " in out for path in ("fields.note", "fields.status.enum", "fields.amount.type"))
    assert "version 1.1.0 is not enough" in out
    assert 'write version: "2.0.0"' in out


def test_the_record_that_is_lacking_is_printed_as_a_whole_and_opens_the_gate(repository: Repository) -> None:
    """[S4-002] [S4-014]"""
    repository.branch((FILE, BREAKING))
    draft = repository.judged(code=1)["record"]
    assert draft["place"] == "changes/orders/2.0.0.yaml"
    repository.commit((f"contracts/{draft['place']}", draft["text"]))
    assert repository.judged(code=0)["missing"] == []


def test_a_new_major_alone_does_not_open_the_gate(repository: Repository) -> None:
    """[S4-014]."""
    repository.branch((FILE, BREAKING))
    judged = repository.judged(code=1)
    assert judged["approvals"] == {"archive": False}
    assert "'archive' has not approved these changes" in lacking(judged)
    assert "nobody says how long version 1.0.0 stays supported" in lacking(judged)


def digest(repository: Repository) -> str:
    return str(repository.judged(code=1)["changes_digest"])


def test_a_new_major_with_approval_and_window_passes(repository: Repository) -> None:
    """[S4-014] [S4-015]."""
    repository.branch((FILE, BREAKING))
    repository.commit((AT_THE_RECORD, RECORD.format(digest=digest(repository), until=IN_TIME)))
    judged = repository.judged(code=0)
    assert (judged["approvals"], judged["missing"]) == ({"archive": True}, [])
    assert f"approved    by archive (changes {judged['changes_digest']})" in repository.gate()[1]


def test_an_approval_of_other_changes_does_not_count(repository: Repository) -> None:
    """[S4-014]."""
    repository.branch((FILE, BREAKING))
    record = RECORD.format(digest=digest(repository), until=IN_TIME)
    repository.commit((AT_THE_RECORD, record), (FILE, BREAKING.replace("[open, shipped]", "[open]")))
    assert "'archive' has not approved these changes; an earlier approval was for others" in lacking(repository.judged(code=1))  # fmt: skip


def test_an_approval_survives_an_edit_of_words(repository: Repository) -> None:
    repository.branch((FILE, BREAKING))
    record = RECORD.format(digest=digest(repository), until=IN_TIME)
    repository.commit((AT_THE_RECORD, record), (FILE, edited(REWORDED, text=BREAKING)))
    assert repository.judged(code=0)["missing"] == []


def test_an_approval_of_somebody_else_does_not_count(repository: Repository) -> None:
    repository.branch((FILE, BREAKING))
    record = RECORD.format(digest=digest(repository), until=IN_TIME).replace("archive", "web_shop")
    repository.commit((AT_THE_RECORD, record))
    assert repository.judged(code=1)["approvals"] == {"archive": False}


def test_the_window_of_the_published_version_counts_to_the_day(repository: Repository) -> None:
    """[S4-015]."""
    repository.branch((FILE, BREAKING))
    repository.commit((AT_THE_RECORD, RECORD.format(digest=digest(repository), until=TOO_SOON)))
    assert lacking(repository.judged(code=1)) == "only until 2026-10-31 version 1.0.0 stays supported; its own terms promise 30 days"  # fmt: skip


SUNSET = edited(("nullable: true", "nullable: true, sunset: 2026-12-31"))


def test_a_field_leaves_after_its_sunset_and_not_before(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[S4-015]."""
    repository.commit((FILE, SUNSET))
    record = RECORD.format(digest="0" * 12, until="2027-03-31")
    repository.branch((FILE, edited(to("2.0.0"), ("  - {name: note, type: string, nullable: true, sunset: 2026-12-31}\n", ""), text=SUNSET)), (AT_THE_RECORD, record))  # fmt: skip
    assert "fields.note is gone; its sunset is 2026-12-31" in lacking(repository.judged(code=1))
    monkeypatch.setattr("contract_core.commands.changes.now", lambda: datetime(2027, 1, 1, tzinfo=UTC))
    assert repository.judged(code=0)["approvals"] == {}


def test_a_sunset_at_short_notice_is_breaking(repository: Repository) -> None:
    """[S4-015]."""
    repository.branch((FILE, edited(("nullable: true", "nullable: true, sunset: 2026-10-31"), to("1.1.0"))))
    assert [change["kind"] for change in repository.judged(code=1)["changes"]] == ["field_deprecated_at_short_notice"]


def test_a_sunset_in_good_time_is_a_minor_version(repository: Repository) -> None:
    """[S4-015]."""
    repository.branch((FILE, edited(("nullable: true", "nullable: true, sunset: 2026-11-01"), to("1.1.0"))))
    assert repository.judged(code=0)["required_version"] == "1.1.0"


def test_a_record_of_another_version_is_an_error(repository: Repository) -> None:
    record = RECORD.format(digest="0" * 12, until=IN_TIME).replace("2.0.0", "3.0.0")
    repository.branch((FILE, BREAKING), (AT_THE_RECORD, record))
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert "is about orders 3.0.0 and stands where orders 2.0.0 belongs" in err


def test_a_misspelled_record_is_an_error(repository: Repository) -> None:
    record = RECORD.format(digest="0" * 12, until=IN_TIME).replace("approvals", "aprovals")
    repository.branch((FILE, BREAKING), (AT_THE_RECORD, record))
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert f"{AT_THE_RECORD}:3:1: 'aprovals' is no attribute of the file" in err


@pytest.mark.parametrize(
    "freed",
    [
        pytest.param("changes: {window: 0d}\n", id="window"),
        pytest.param("changes: {profile: producer}\n", id="profile"),
    ],
)
def test_a_branch_does_not_free_itself_by_its_own_terms(repository: Repository, freed: str) -> None:
    """[S4-016]."""
    repository.branch((FILE, BREAKING.replace("key:", f"{freed}key:")))
    judged = repository.judged(code=1)
    assert "'archive' has not approved these changes" in lacking(judged)
    assert "its own terms promise 30 days" in lacking(judged)


def test_a_branch_does_not_free_itself_by_dropping_the_consumer(repository: Repository) -> None:
    """[S4-016]."""
    line = next(line for line in ORDERS.splitlines(keepends=True) if "archive" in line)
    repository.branch((FILE, BREAKING.replace(line, "")))
    assert "'archive' has not approved these changes" in lacking(repository.judged(code=1))


def test_a_branch_does_not_free_itself_by_becoming_a_draft(repository: Repository) -> None:
    """[S4-016]."""
    repository.branch((FILE, edited(NOTE_REMOVED, ("status: active", "status: draft"))))
    assert "ask for 2.0.0" in lacking(repository.judged(code=1))


MILD = """\
overrides:
  - {kind: field_removed, class: patch, reason: Nobody reads it, owner: web_shop, expires: 2027-01-31}
"""


def test_the_policy_of_the_base_counts_and_not_that_of_the_branch(repository: Repository) -> None:
    """[S4-007] [S4-016]."""
    repository.branch((FILE, edited(NOTE_REMOVED, to("1.0.1"))), (POLICY, MILD))
    assert repository.judged(code=1)["required_version"] == "2.0.0"


def test_a_policy_that_was_agreed_before_counts_and_is_told(repository: Repository) -> None:
    """[S4-007]."""
    repository.commit((POLICY, MILD))
    repository.branch((FILE, edited(NOTE_REMOVED, to("1.0.1"))))
    judged = repository.judged(code=0)
    assert judged["required_version"] == "1.0.1"
    assert any("Nobody reads it (web_shop, until 2027-01-31)" in note for note in judged["notes"])


def test_a_policy_of_the_base_that_is_wrong_is_an_error_and_not_the_default(repository: Repository) -> None:
    repository.commit((POLICY, "overrides: [{kind: nothing}]\n"))
    repository.branch()
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert f"main:{POLICY}" in err


def test_a_contract_that_is_gone_is_refused_and_named(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "edit")
    repository.git("rm", "--quiet", FILE)
    repository.commit()
    assert lacking(repository.judged(code=1)) == "version 1.0.0 is active, and its contract is gone"
    found = repository.gate("--format", "github")[1]
    assert "::error file=contracts/orders.yaml,line=1,col=1,title=contract_removed::" in found


def test_a_draft_that_is_gone_binds_nobody(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "edit")
    repository.git("rm", "--quiet", "contracts/returns.yaml")
    repository.commit()
    assert repository.gate()[0] == 0


def test_a_file_may_have_another_name(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "edit")
    repository.git("mv", FILE, "contracts/shop_orders.yml")
    repository.commit()
    assert repository.judged(code=0)["changes"] == []
    assert repository.judged("contracts/shop_orders.yml", code=0)["from"] == "1.0.0"


def test_a_contract_does_not_escape_by_another_name(repository: Repository) -> None:
    """[S4-016]."""
    repository.branch((FILE, edited(NOTE_REMOVED, ("contract: orders", "contract: shop_orders"))))
    assert "its contract is gone" in lacking(repository.judged(FILE, code=1))
    assert "its contract is gone" in lacking(repository.judged(code=1))


def test_a_contract_that_moved_to_another_file_of_the_folder_is_not_gone(repository: Repository) -> None:
    other = edited(("contract: orders", "contract: parcels"))
    repository.branch((FILE, other), ("contracts/moved.yaml", ORDERS))
    assert repository.gate(FILE)[0] == 0


def test_two_files_with_one_contract_are_an_error(repository: Repository) -> None:
    repository.branch(("contracts/again.yaml", ORDERS))
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert "stands in another file of the folder too" in err


def test_a_base_with_one_contract_in_two_files_is_an_error(repository: Repository) -> None:
    repository.commit(("contracts/again.yaml", BREAKING))
    repository.branch(("contracts/again.yaml", RETURNS.replace("returns", "again")))
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert "stood in another file of the folder too" in err


def test_a_base_that_cannot_be_read_is_an_error_that_says_where(repository: Repository) -> None:
    repository.commit((FILE, ORDERS.replace("integer", "wholes")))
    repository.branch((FILE, ORDERS))
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert f"main:{FILE}:14:26: fields.amount.type: 'wholes' is no type" in err
    assert "name another commit as --base, or what was released: --registry" in err


def test_a_branch_that_cannot_be_read_is_an_error(repository: Repository) -> None:
    repository.branch((FILE, ORDERS.replace("integer", "wholes")))
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert err.startswith(f"{FILE}:14:26: fields.amount.type: 'wholes' is no type")


def test_a_folder_without_any_contract_is_an_error_and_no_pass(repository: Repository) -> None:
    """[S4-016]."""
    (repository.root / "elsewhere/contracts").mkdir(parents=True)
    code, out, err = repository.run("gate", "--base", "main", "--root", "elsewhere")
    assert (code, out) == (2, "")
    assert "elsewhere/contracts: holds no contract, and held none at the base" in err


def test_a_folder_that_is_not_there_is_an_error(repository: Repository) -> None:
    code, out, err = repository.run("gate", "--base", "main", "--root", "nowhere")
    assert (code, out) == (2, "")
    assert "nowhere/contracts: is no folder of contracts" in err


def test_line_ends_of_another_system_change_nothing(repository: Repository) -> None:
    repository.branch((FILE, ORDERS.replace("\n", "\r\n").encode()))
    assert repository.judged(code=0)["changes"] == []


@pytest.mark.parametrize("root", ["a/b/c", "with blanks and (brackets)", "Verträge — 契約", "-dash", "*?[x]", "a:b"])
def test_the_folder_may_lie_anywhere(repository: Repository, root: str) -> None:
    repository.commit((f"{root}/contracts/orders.yaml", ORDERS))
    repository.branch((f"{root}/contracts/orders.yaml", edited(REWORDED)))
    code, out, _ = repository.run("gate", "--base", "main", f"--root={root}")
    assert (code, out.split(";")[0]) == (1, "fail: orders 1.0.0: 1 patch (profile default)")


def test_files_of_several_folders_are_each_held_against_their_own(repository: Repository) -> None:
    repository.commit(("b/contracts/orders.yaml", BREAKING), ("b/contracts/changes/policy.yaml", MILD))
    repository.branch((FILE, edited(NOTE_REMOVED, to("1.0.1"))))
    code, out, _ = repository.run("gate", "--base", "main", FILE, "b/contracts/orders.yaml")
    assert code == 1
    assert [line.split(":")[0] for line in out.splitlines() if not line.startswith(" ")] == ["fail", "pass", "note"]


def test_a_merge_is_held_against_what_is_named(repository: Repository) -> None:
    repository.branch((FILE, edited(REWORDED)))
    repository.git("switch", "--quiet", "main")
    repository.commit(("README.md", "a shop\n"))
    repository.git("merge", "--quiet", "--no-ff", "--message", "merge", "edit")
    assert repository.judged(code=0, base="HEAD")["changes"] == []
    assert repository.judged(code=1, base="HEAD^1")["required_version"] == "1.0.1"


@pytest.mark.parametrize("base", ["v1", "v1-signed", "refs/tags/v1", "HEAD~1", "main"])
def test_every_name_of_a_commit_is_a_base(repository: Repository, base: str) -> None:
    repository.git("tag", "v1")
    repository.git("tag", "--annotate", "--message", "one", "v1-signed")
    repository.branch((FILE, edited(REWORDED)))
    assert repository.judged(code=1, base=base)["from"] == "1.0.0"


def test_a_short_hash_is_a_base_with_a_detached_head(repository: Repository) -> None:
    first = repository.git("rev-parse", "--short", "HEAD")
    repository.branch((FILE, edited(REWORDED)))
    repository.git("switch", "--quiet", "--detach", "edit")
    assert repository.judged(code=1, base=first)["required_version"] == "1.0.1"


@pytest.mark.parametrize(
    "base",
    ["nowhere", "", "-h", "--all", "-rf", "main..edit", "main...edit", "^main", "main:contracts", "a b", "$(id)"],
)
def test_what_names_no_commit_is_an_error(repository: Repository, base: str) -> None:
    code, out, err = repository.run("gate", f"--base={base}", "--root", ".")
    assert (code, out) == (2, "")
    assert err.startswith(f"--base: git knows no commit '{base}'\n")


def test_a_shallow_clone_says_what_to_do(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.branch((FILE, edited(REWORDED)))
    repository.git(
        "clone", "--quiet", "--depth", "1", "--branch", "edit", f"file://{repository.root}", str(tmp_path / "ci")
    )
    monkeypatch.chdir(tmp_path / "ci")
    code, out, err = repository.gate(base="origin/main")
    assert (code, out) == (2, "")
    assert "git knows no commit 'origin/main'" in err
    assert "a shallow clone has few: fetch the whole history" in err


def test_a_clone_that_lacks_objects_is_an_error_and_no_first_version(repository: Repository) -> None:
    """[S4-016]."""
    tree = repository.git("rev-parse", "main:contracts")
    repository.branch((FILE, edited(NOTE_REMOVED, to("1.0.1"))))
    (repository.root / ".git/objects" / tree[:2] / tree[2:]).unlink()
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert "fetch the whole history, with all of its objects" in err


def test_a_contract_whose_content_is_missing_is_an_error(repository: Repository) -> None:
    """[S4-016]."""
    blob = repository.git("rev-parse", f"main:{FILE}")
    repository.branch((FILE, edited(NOTE_REMOVED, to("1.0.1"))))
    (repository.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert "git cat-file could not read that commit" in err


def test_a_worktree_is_a_repository_too(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.git("worktree", "add", "--quiet", "-b", "edit", str(tmp_path / "tree"))
    (tmp_path / "tree" / FILE).write_text(edited(REWORDED))
    monkeypatch.chdir(tmp_path / "tree")
    assert repository.judged(code=1)["required_version"] == "1.0.1"


def test_a_hook_of_another_repository_does_not_mislead(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    other = founded(tmp_path / "other", capfd, ("contracts/orders.yaml", BREAKING))
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", "index.lock")
    assert repository.judged(code=0)["from"] == "1.0.0"


def test_a_hook_of_this_repository_refuses_the_commit(repository: Repository) -> None:
    """[S4-001]."""
    hook = repository.root / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\nexec {sys.executable} -m contract_core.cli gate --base main --root .\n")
    hook.chmod(0o755)
    repository.git("switch", "--quiet", "--create", "edit")
    repository.write(FILE, edited(REWORDED))
    ended = subprocess.run(
        ["git", "commit", "--all", "--message", "edit"],
        cwd=repository.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "version 1.0.0 is the version before" in ended.stdout + ended.stderr


def test_a_submodule_that_was_not_fetched_is_an_error_and_no_pass(repository: Repository, tmp_path: Path) -> None:
    """[S4-016]."""
    repository.git("-c", "protocol.file.allow=always", "clone", "--quiet", str(repository.root), str(tmp_path / "sub"))
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "sub"), "sub")
    repository.commit()
    repository.git("submodule", "--quiet", "deinit", "--force", "sub")
    (repository.root / "sub/contracts").mkdir(parents=True)
    code, out, _ = repository.run("gate", "--base", "main", "--root", "sub")
    assert (code, out) == (2, "")


def test_a_link_at_the_base_is_an_error_and_no_first_version(repository: Repository) -> None:
    """[S4-016]."""
    repository.write("shared.yaml", ORDERS)
    (repository.root / FILE).unlink()
    (repository.root / FILE).symlink_to("../shared.yaml")
    repository.commit()
    repository.branch(("shared.yaml", edited(NOTE_REMOVED, to("1.0.1"))))
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert f"main:{FILE}: was a link at that commit" in err


def test_a_folder_outside_of_git_is_an_error(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "plain/contracts").mkdir(parents=True)
    (tmp_path / "plain/contracts/orders.yaml").write_text(ORDERS)
    code, out, err = repository.run("gate", "--base", "main", "--root", tmp_path / "plain")
    assert (code, out) == (2, "")
    assert "is in no git repository that can be read" in err


def test_a_machine_without_git_is_told(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert err == "--base: there is no git here that can be run\n    install git, or name --registry\n"


def test_many_and_large_contracts_are_read_whole(repository: Repository) -> None:
    long = "".join(f"  - {{name: field_{number}, type: string, required: false}}\n" for number in range(1500))
    files = [(f"contracts/table_{number}.yaml", RETURNS.replace("returns", f"table_{number}")) for number in range(300)]
    repository.commit((FILE, ORDERS + long), *files)
    repository.branch((FILE, edited(REWORDED, text=ORDERS + long)))
    code, out, err = repository.gate("--json")
    document = json.loads(out)
    assert (code, err, len(document["contracts"])) == (1, "", 302)
    assert [item["contract"] for item in document["contracts"] if item["verdict"] == "fail"] == ["orders"]
