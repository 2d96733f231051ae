"""Required parts that another contract's published table lists: looked up at each judgement, never guessed, and told with the version."""

import json
from pathlib import Path

import pytest

from tests.commands import Run, runner

REGIONS = """\
contract: regions
version: "1.0.0"
key: [code, opened]
fields:
  - {name: code, type: string}
  - {name: number, type: integer}
  - {name: opened, type: date}
  - {name: closed, type: date, nullable: true}
  - {name: weight, type: float64}
  - {name: secret, type: string, classification: restricted}
"""
CASES = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string}
  - {name: day, type: date}
delivery:
  partition: {every: day, column: day, start: 2026-10-01}
  parts: {from: column, column: region, required_from: LIST}
"""
HEADER = "code,number,opened,closed,weight,secret\n"
TWO = f"{HEADER}NL,1,2026-01-01,,1,x\nBE,2,2026-01-01,,1,x\n"
CODES = "{contract: regions, field: code}"
IN_FORCE = "{contract: regions, field: code, valid_from: opened, valid_until: closed}"


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    return runner(capfd)


class Place:
    """One environment: its contracts, what is published of regions, and deliveries of cases."""

    def __init__(self, root: Path, run: Run) -> None:
        self.root, self.run = root, run
        (root / "contracts").mkdir(parents=True)
        (root / "contracts" / "regions.yaml").write_text(REGIONS)

    def listing(self, text: str) -> None:
        """Publish a list of regions."""
        (self.root / "regions.csv").write_text(text)
        code, out, err = self.run("publish", "regions", self.root / "regions.csv", "--root", self.root)
        assert code == 0, out + err

    def offered(self, verb: str, listed: str, *regions: str, contract: str = CASES) -> tuple[int, str, str]:
        (self.root / "contracts" / "cases.yaml").write_text(contract.replace("LIST", listed))
        rows = "".join(f"{region},2026-10-01\n" for region in regions)
        (self.root / "cases.csv").write_text(f"region,day\n{rows}")
        where = ("--partition", "2026-10-01", "--root", self.root)
        return self.run(verb, "cases", self.root / "cases.csv", *where, "--json")

    def findings(self, listed: str, *regions: str) -> dict[str, tuple[str, str]]:
        """The two findings about coverage, each with what is said of it."""
        _, out, _ = self.offered("check", listed, *regions)
        found = {item["id"]: (item["outcome"], item["message"]) for item in json.loads(out)["findings"]}
        return {name: found[name] for name in ("coverage.missing", "coverage.unexpected")}


@pytest.fixture
def place(tmp_path: Path, run: Run) -> Place:
    return Place(tmp_path / "root", run)


LISTED = "all 2 parts that 'code' of the published table 'regions' (version 3) lists are there"


def test_the_required_parts_are_those_of_the_other_table(place: Place) -> None:
    """[S2-012]"""
    place.listing(TWO)
    assert place.findings(CODES, "NL", "BE")["coverage.missing"] == ("kept", f"kept: {LISTED}")


def test_a_part_that_the_table_lists_and_nobody_delivered_is_missing(place: Place) -> None:
    place.listing(TWO)
    told = f"broken: {LISTED}; 2 required, 1 missing (BE)"
    assert place.findings(CODES, "NL")["coverage.missing"] == ("breached", told)


def test_a_part_that_the_table_does_not_list_is_unexpected_and_not_named(place: Place) -> None:
    place.listing(TWO)
    outcome, told = place.findings(CODES, "NL", "BE", "FR")["coverage.unexpected"]
    assert (outcome, "FR" in told) == ("breached", False)


@pytest.mark.parametrize(
    ("rows", "states"),
    [
        pytest.param("BE,2,2026-10-01,2026-10-01,1,x\n", ("kept", "kept"), id="on its only day"),
        pytest.param("BE,2,2026-10-02,,1,x\n", ("kept", "breached"), id="from the day after"),
        pytest.param("BE,2,2026-01-01,2026-09-30,1,x\n", ("kept", "breached"), id="until the day before"),
        pytest.param("BE,2,2026-01-01,2026-09-30,1,x\nBE,2,2026-10-01,,1,x\n", ("kept", "kept"), id="again since"),
    ],
)
def test_a_part_is_required_for_the_days_of_its_rows(place: Place, rows: str, states: tuple[str, str]) -> None:
    place.listing(f"{HEADER}NL,1,2026-01-01,,1,x\n{rows}")
    found = place.findings(IN_FORCE, "NL", "BE")
    assert (found["coverage.missing"][0], found["coverage.unexpected"][0]) == states


@pytest.mark.parametrize(
    ("field", "regions"),
    [pytest.param("number", ("1", "2"), id="numbers"), pytest.param("opened", ("2026-01-01",), id="days")],
)
def test_numbers_and_days_name_parts_as_the_gate_writes_them(
    place: Place, field: str, regions: tuple[str, ...]
) -> None:
    place.listing(TWO)
    found = place.findings(f"{{contract: regions, field: {field}}}", *regions)
    assert (found["coverage.missing"][0], found["coverage.unexpected"][0]) == ("kept", "kept")


def test_where_nothing_is_published_coverage_is_unjudged_and_holds_back(place: Place) -> None:
    code, out, _ = place.offered("publish", CODES, "NL")
    report = json.loads(out)
    assert (code, report["verdict"], report["reasons"]) == (1, "refuse", ["coverage.missing", "coverage.unexpected"])
    told = {item["message"].split("; ")[1] for item in report["findings"] if item["outcome"] == "unjudged"}
    assert told == {"nothing of 'regions' is published, so nobody knows which parts are required"}
    assert report["parts"] == []


def test_a_list_of_nothing_is_unjudged_and_never_taken_for_nothing_required(place: Place) -> None:
    place.listing(f"{HEADER}NL,1,2026-10-02,,1,x\n")
    outcome, told = place.findings(IN_FORCE, "NL")["coverage.missing"]
    why = "the published table 'regions' lists no part for the first day of the partition"
    assert (outcome, told.split("; ")[1]) == ("unjudged", why)


def test_a_name_that_no_message_can_show_is_no_part(place: Place) -> None:
    place.listing(f'{HEADER}"N\nL",1,2026-01-01,,1,x\n')
    outcome, told = place.findings(CODES, "NL")["coverage.missing"]
    why = "the published table 'regions' lists a name with signs that no message can show"
    assert (outcome, told.split("; ")[1]) == ("unjudged", why)


def test_a_table_that_cannot_be_read_leaves_coverage_unjudged(place: Place) -> None:
    place.listing(TWO)
    for file in (place.root / "published" / "regions").glob("*.parquet"):
        file.write_bytes(b"")
    outcome, told = place.findings(CODES, "NL", "BE")["coverage.missing"]
    assert (outcome, "cannot be read" in told) == ("unjudged", True)


def test_a_delivery_that_is_judged_again_meets_the_list_as_it_is_then(place: Place) -> None:
    place.listing(TWO)
    assert place.offered("publish", CODES, "NL", "BE")[0] == 0
    place.listing(f"{TWO}FR,3,2026-01-01,,1,x\n")
    code, out, _ = place.offered("publish", CODES, "NL", "BE")
    found = next(item for item in json.loads(out)["findings"] if item["id"] == "coverage.missing")
    assert (code, found["details"], "(version 4)" in found["message"]) == (1, {"required": 3, "missing": 1}, True)


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        pytest.param("{contract: regions, field: kode}", "required_from names 'kode', which 'regions' has not", id="no such field"),
        pytest.param("{contract: regions, field: weight}", "required_from names 'weight' of 'regions', which is of type float64", id="no name"),
        pytest.param("{contract: regions, field: secret}", "required_from names 'secret' of 'regions', which is restricted: reports name parts", id="kept to itself"),
        pytest.param("{contract: regions, field: code, valid_from: number}", "required_from names 'number' of 'regions', which is of type integer", id="no day"),
        pytest.param("{contract: areas, field: code}", "its required parts are listed by 'areas'", id="no such contract"),
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_used_is_an_error_and_no_verdict(place: Place, listed: str, told: str) -> None:
    place.listing(TWO)
    code, out, err = place.offered("check", listed, "NL")
    assert (code, out, f"contract 'cases' 1.0.0: {told}" in err) == (2, "", True)


@pytest.mark.parametrize(
    ("contract", "told"),
    [
        pytest.param(CASES.replace("LIST", "{contract: cases, field: region}"), "what is delivered cannot say itself which parts are required", id="itself"),
        pytest.param(CASES.replace("LIST", IN_FORCE).replace("  partition: {every: day, column: day, start: 2026-10-01}\n", ""), "names days, and the contract has no partitions that are spans of time", id="days without partitions"),
        pytest.param(CASES.replace("LIST", f"{CODES}, required: [NL]"), "must say which parts are required", id="listed twice"),
    ],
)  # fmt: skip
def test_terms_that_do_not_fit_are_told_by_lint(tmp_path: Path, run: Run, contract: str, told: str) -> None:
    (tmp_path / "cases.yaml").write_text(contract)
    code, out, err = run("lint", tmp_path / "cases.yaml")
    assert (code, told in out + err) == (2, True)
