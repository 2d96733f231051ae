"""The whole path through the library's own interface, and the promises that are about the path and not about one stage."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import polars as pl
import pytest

import contract_core as core
from contract_core.candidate.snapshot import load_candidate
from contract_core.errors import CandidateAlteredError, ContractAlteredError
from contract_core.publication.submit import take_and_decide
from tests.publication.unchanged import unchanged

NOW = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)
CASES = """\
contract: cases
version: "1.0.0"
grain: One row per region and day.
purpose: The weekly report to the minister.
population: Cases confirmed by laboratory test.
key: [region, day]
fields:
  - {name: region, type: string, pattern: "[A-Z]{2}", description: Two capital letters.}
  - {name: day, type: date}
  - {name: count, type: int64, min: 0, max: 100000, unit: cases, semantics: By day of sampling.}
  - {name: status, type: string, enum: [provisional, final]}
  - {name: note, type: string, nullable: true}
delivery: {partition: {column: day, every: day, start: 2026-10-01}}
"""
GOOD = "region,day,count,status,note\nNL,2026-10-01,12,final,\nBE,2026-10-01,3,provisional,late\n"


class Walk:
    """One environment, walked stage by stage as a caller of the library would."""

    def __init__(self, folder: Path, text: str = CASES) -> None:
        self.contract = core.parse_contract(text, "cases.yaml")
        self.places = core.Environment.at(folder)
        self.ledger, self.store = core.Ledger(self.places.ledger), core.Store(self.places.published)
        self.table = self.places.published / "cases"

    def judged(self, rows: str, name: str = "cases.csv"):
        self.places.landing.mkdir(parents=True, exist_ok=True)
        (self.places.landing / name).write_text(rows)
        delivery = core.collect_delivery(self.contract, [self.places.landing / name], "2026-10-01")
        candidate = core.take_candidate(self.contract, delivery, self.places.candidates, received_at=NOW)
        report = core.validate(self.contract, candidate, NOW)
        decision = core.decide(report, self.contract)
        core.record_decision(self.contract, candidate, report, decision, self.ledger, NOW)
        return candidate, report, decision

    def published(self, rows: str):
        candidate, _, _ = self.judged(rows)
        return core.publish(self.contract, candidate, self.ledger, self.store, NOW)


@pytest.fixture
def path(tmp_path):
    return Walk(tmp_path)


def test_parse_take_validate_decide_and_publish_are_plain_functions(path):
    """S3-034, S1-010, S1-011: landing, candidate, validation and publication are operations of their own."""
    candidate, report, decision = path.judged(GOOD)
    assert (decision.verdict, report.rows) == (core.Verdict.PUBLISH, 2)
    assert not path.table.exists()
    record = core.publish(path.contract, candidate, path.ledger, path.store, NOW)
    assert pl.read_delta(str(record.table)).sort("region")["count"].to_list() == [3, 12]


def test_what_was_judged_is_what_is_published(path):
    """S1-012, S1-019: one file, one digest, from validation to publication; a change in between is refused."""
    candidate, report, _ = path.judged(GOOD)
    assert report.candidate_digest == candidate.digest
    modes = [place.stat().st_mode & 0o777 for place in (candidate.path, candidate.path.parent, path.places.candidates)]
    assert modes == [0o444, 0o700, 0o700]
    candidate.path.chmod(0o644)
    candidate.path.write_bytes(candidate.path.read_bytes() + b" ")
    with pytest.raises(CandidateAlteredError):
        core.publish(path.contract, candidate, path.ledger, path.store, NOW)
    assert not path.table.exists()


def test_two_deliveries_never_share_a_candidate_and_one_never_has_two(path):
    """S1-060, S1-061: a candidate's name is its content's digest."""
    first, _, _ = path.judged(GOOD)
    again, _, _ = path.judged(GOOD)
    other, _, _ = path.judged(GOOD.replace("12", "13"))
    assert first.path == again.path != other.path
    assert load_candidate(path.places.candidates, "cases", first.submission).digest == first.digest


def test_names_come_from_the_contract_and_never_from_the_data(path):
    """S1-062: a header, a value or a file name that looks like SQL, a path or a table stays what it is."""
    hostile = GOOD.replace("late", "'; DROP TABLE cases; --").replace("provisional", "final")
    path.published(hostile)
    assert sorted(entry.name for entry in path.places.published.iterdir()) == ["cases"]
    assert pl.read_delta(str(path.table)).columns == list(path.contract.field_names)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        pytest.param(("12,final", "x,final"), "count.type", id="S3-001 type"),
        pytest.param(("NL,2026-10-01,12", "NL,2026-10-01,"), "count.null", id="S3-001 nullability"),
        pytest.param(("final", "draft"), "status.enum", id="S3-001 allowed values"),
        pytest.param(("NL", "nl"), "region.pattern", id="S3-001 pattern"),
        pytest.param(("12,final", "-1,final"), "count.range", id="S3-001 bound"),
        pytest.param(("BE", "NL"), "key", id="S2-004 identity"),
    ],
)
def test_each_kind_of_promise_holds_publication_back(path, change, rule):
    """S3-018: nothing of a breaching delivery is written."""
    path.published(GOOD)
    with unchanged(path.table):
        _, report, decision = path.judged(GOOD.replace(*change))
    assert ([finding.id for finding in report.breached()], decision.verdict) == ([rule], core.Verdict.REFUSE)


def test_a_contract_says_what_values_mean_and_whom_they_serve(path):
    """S2-001, S2-002, S2-003, S2-006: meaning is a part of the contract, and of its digest."""
    stated = path.contract.model_dump(mode="json")
    assert (stated["grain"], stated["purpose"]) == ("One row per region and day.", "The weekly report to the minister.")
    assert (path.contract.field("count").unit, path.contract.field("count").semantics) == (
        "cases",
        "By day of sampling.",
    )
    other = core.parse_contract(CASES.replace("By day of sampling.", "By day of report."), "cases.yaml")
    assert other.digest != path.contract.digest


def test_what_rows_cannot_show_is_listed_as_not_verified(path):
    """S2-007, S1-029: the population and membership in a register are told as believed, not as checked."""
    _, report, _ = path.judged(GOOD)
    assert [claim.split(":")[0] for claim in report.unverified] == ["population", "units", "region"]


def test_a_description_stays_with_its_field(path):
    """S3-011: the canonical form carries every description."""
    [region] = [field for field in path.contract.model_dump(mode="json")["fields"] if field["name"] == "region"]
    assert region["description"] == "Two capital letters."


def test_the_contract_and_not_the_writer_decides_what_may_change(path):
    """S3-002, S3-017: a new column is judged before anything is written, and never adopted by a write."""
    path.published(GOOD)
    with unchanged(path.table):
        _, report, _ = path.judged("region,day,count,status,note,trace\nNL,2026-10-01,12,final,,t1\n")
    assert [finding.id for finding in report.breached()] == ["extra_field"]


def test_a_native_contract_claims_no_conformance_to_the_open_standard():
    """S2-011"""
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    assert "no claim of conformance to the Open Data Contract Standard" in readme


def test_a_record_is_no_substitute_for_the_commit():
    """S1-094"""
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    assert "not one atomic operation" in readme
    assert "an audit trail is no\nsubstitute for it" in readme


def test_a_decision_says_what_it_was_taken_with(path):
    """S1-083: another runtime is another environment; its versions stand beside each decision."""
    path.judged(GOOD)
    [entry] = path.ledger.entries(contract="cases")
    assert entry.runtime == {
        "python": platform.python_version(),
        "polars": version("polars"),
        "deltalake": version("deltalake"),
        "contract-gate": entry.runtime["contract-gate"],
    }


def test_every_public_name_can_be_loaded():
    assert [name for name in core.__all__ if getattr(core, name) is None] == []
    with pytest.raises(AttributeError):
        core.nonsense  # noqa: B018


def test_a_version_in_use_never_changes_its_text(tmp_path):
    """S4-018: an edit of an active contract needs a version of its own; a draft may still be edited."""
    owners = "owners: {producer: {name: lab}, consumers: [{name: ministry}]}\n"
    active = Walk(tmp_path, CASES + owners + "status: active\n")
    edited = Walk(tmp_path, CASES.replace("max: 100000", "max: 10") + owners + "status: active\n")
    active.published(GOOD)
    delivery = core.collect_delivery(edited.contract, [active.places.landing / "cases.csv"], "2026-10-01")
    with unchanged(active.table), pytest.raises(ContractAlteredError, match="give your edit a new version"):
        take_and_decide(edited.contract, delivery, active.places, NOW, NOW)
    draft = core.parse_contract(CASES.replace("max: 100000", "max: 10"), "cases.yaml")
    assert not take_and_decide(draft, delivery, active.places, NOW, NOW).is_accepted
