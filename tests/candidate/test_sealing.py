"""What was just written need not be read again, and of two rivals the first one's record stands."""

from contract_core.candidate import snapshot
from contract_core.candidate.delivery import digest_of
from contract_core.candidate.snapshot import load_candidate
from tests.candidate.offers import contract_of, taken

CONTRACT = contract_of({"a": "integer", "b": "number"})
FILES = {"one.csv": "a,b\n1,2\n"}


def test_a_candidate_just_sealed_is_what_loading_it_gives(tmp_path):
    candidate = taken(CONTRACT, tmp_path, FILES)
    assert load_candidate(tmp_path / "candidates", candidate.contract, candidate.submission) == candidate


def test_a_candidate_just_written_is_hashed_once(tmp_path, monkeypatch):
    hashed = []
    monkeypatch.setattr(snapshot, "digest_of", lambda path: hashed.append(path.name) or digest_of(path))
    taken(CONTRACT, tmp_path, FILES)
    assert hashed == ["candidate.parquet"]


def test_of_two_rivals_the_first_ones_record_stands(tmp_path, monkeypatch):
    first = taken(CONTRACT, tmp_path, FILES)
    monkeypatch.setattr(snapshot, "is_taken", lambda *_: False)
    monkeypatch.setattr(snapshot, "_LEVEL", 19)
    assert taken(CONTRACT, tmp_path, FILES) == first
