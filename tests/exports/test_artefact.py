"""Generated files: written whole, and told apart from what they should be."""

import pytest

from contract_core.errors import WrongUsageError
from contract_core.exports.artefact import Drift, drift_of, write_artefact


def test_a_file_is_what_was_written(tmp_path):
    write_artefact(tmp_path / "a.py", "# contract-gate\nä\n")
    assert (tmp_path / "a.py").read_bytes() == b"# contract-gate\n\xc3\xa4\n"
    assert drift_of(tmp_path / "a.py", "# contract-gate\nä\n") is None
    assert list(tmp_path.iterdir()) == [tmp_path / "a.py"]


def test_a_file_keeps_its_rights_and_a_link_stays_one(tmp_path):
    target, link = tmp_path / "a.py", tmp_path / "link.py"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_artefact(link, "new")
    assert (target.read_text(), target.stat().st_mode & 0o777, link.is_symlink()) == ("new", 0o640, True)


def test_who_reads_the_file_meanwhile_sees_the_old_one_to_its_end(tmp_path):
    (tmp_path / "a.py").write_text("old")
    with (tmp_path / "a.py").open() as reader:
        write_artefact(tmp_path / "a.py", "new")
        assert reader.read() == "old"


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    (tmp_path / "a.py").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_artefact(tmp_path / "a.py", "\ud800")
    assert (list(tmp_path.iterdir()), (tmp_path / "a.py").read_text()) == ([tmp_path / "a.py"], "old")


@pytest.mark.parametrize("place", [".", "nowhere/a.py"])
def test_a_place_for_no_file_is_refused(tmp_path, place):
    with pytest.raises(WrongUsageError):
        write_artefact(tmp_path / place, "")


def test_a_missing_file_has_drifted(tmp_path):
    assert drift_of(tmp_path / "a.py", "x") == Drift("is not there")


def test_the_difference_is_shown_in_short(tmp_path):
    (tmp_path / "a.py").write_text("# contract-gate\n" + "".join(f"{number}\n" for number in range(100)))
    drift = drift_of(tmp_path / "a.py", "# contract-gate\n" + "x" * 500)
    assert drift is not None
    assert drift.what == "differs"
    assert drift.difference[:2] == ("--- as it is", "+++ as generated")
    assert (len(drift.difference), drift.difference[-1]) == (41, "… 65 more lines")
    assert max(map(len, drift.difference)) <= 161


@pytest.mark.parametrize("content", [b"# contract-gate\r\na\r\n", b"# contract-gate\na"])
def test_other_ends_of_lines_are_drift_too(tmp_path, content):
    (tmp_path / "a.py").write_bytes(content)
    drift = drift_of(tmp_path / "a.py", "# contract-gate\na\n")
    assert drift == Drift("differs", ("the lines are the same; their ends or the encoding are not",))


def test_no_line_of_a_file_that_is_not_ours_is_shown(tmp_path):
    (tmp_path / "a.csv").write_text("name\nsecret\n")
    assert "secret" not in str(drift_of(tmp_path / "a.csv", "# contract-gate\n"))
