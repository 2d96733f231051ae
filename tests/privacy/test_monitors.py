"""What monitors keep of a delivery holds no value of it: not of few rows, not of a classified field, and no text at all."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.publication.ledger import Ledger
from contract_core.publication.submit import Judged, publish_judged, take_and_decide
from contract_core.rendering.reports import check_document, report_lines

NOW = datetime(2026, 10, 9, tzinfo=UTC)
NUMBER, WORD = 712345678, "zq81planted"
CASES = f"""\
contract: cases
version: "1.0.0"
fields:
  - {{name: day, type: date}}
  - {{name: n, type: integer, nullable: true}}
  - {{name: s, type: string, enum: [a, {WORD}b], severity: {{enum: warn}}}}
  - {{name: secret, type: integer, nullable: true, classification: restricted}}
delivery: {{partition: {{column: day, every: day, start: 2026-10-01}}}}
monitors:
  volume: {{max_change: 5%, max_deviation: 3, min_history: 1}}
  fields:
    n: {{null_rate: 1%, distinct_change: 1%, mean_change: 1%, quantiles_change: 1%, min_history: 1}}
    s: {{shares: 1%, distinct_change: 1%, min_history: 1}}
    secret: {{null_rate: 1%, min_history: 1}}
"""


def delivered(rows: list[str], day: str, root: Path) -> Judged:
    contract, environment = parse_contract(CASES, "cases.yaml"), Environment.at(root)
    path = root / f"{day}.csv"
    path.write_text("day,n,s,secret\n" + "".join(f"{day},{row}\n" for row in rows))
    judged = take_and_decide(contract, collect_delivery(contract, [path], day), environment, NOW, NOW)
    publish_judged(judged, environment, NOW)
    return judged


def kept_of(root: Path) -> str:
    """All that ledger and commits say."""
    entries = [repr(entry) for entry in Ledger(root / "ledger").entries()]
    logs = [path.read_text("utf-8") for path in sorted(root.glob("published/*/_delta_log/*.json"))]
    return "\n".join([*entries, *(line for log in logs for line in log.splitlines() if '"commitInfo"' in line)])


def said_of(judged: Judged) -> str:
    return "\n".join(
        [*report_lines(judged.report, judged.decision), str(check_document(judged.report, judged.decision))]
    )


def test_nothing_of_a_few_rows_is_kept_or_told(tmp_path: Path) -> None:
    """Nine rows of one value: any aggregate of them would be that value."""
    delivered([f"{number},a,5" for number in range(100, 120)], "2026-10-01", tmp_path)
    judged = delivered([f"{NUMBER},{WORD}b,{NUMBER}"] * 9, "2026-10-02", tmp_path)
    assert judged.report.learned.profile == {"n": {"null_rate": 0.0}, "secret": {"null_rate": 0.0}}
    assert str(NUMBER) not in kept_of(tmp_path) + said_of(judged)


def test_of_a_classified_field_only_the_share_of_nulls_is_kept(tmp_path: Path) -> None:
    judged = delivered([f"{number},a,{NUMBER}" for number in range(30)], "2026-10-01", tmp_path)
    assert judged.report.learned.profile["secret"] == {"null_rate": 0.0}
    assert str(NUMBER) not in kept_of(tmp_path)


def test_shares_name_no_value_where_they_are_kept(tmp_path: Path) -> None:
    """A value that is in the list may be named in a message; one that is not stands nowhere."""
    delivered(["1,a,5"] * 30, "2026-10-01", tmp_path)
    judged = delivered([f"1,{WORD}b,5"] * 20 + [f"1,{WORD}x,5"] * 20, "2026-10-02", tmp_path)
    assert set(judged.report.learned.profile["s"]) == {"distinct", "shares", "enum"}
    assert "that of 'a' moved by 100 percentage points" in said_of(judged)
    assert WORD not in kept_of(tmp_path)
    assert f"{WORD}x" not in said_of(judged)


@pytest.mark.parametrize("number", [NUMBER, -NUMBER, NUMBER * 1000])
def test_a_movement_is_told_without_the_numbers_that_moved(number: int, tmp_path: Path) -> None:
    delivered([f"{row % 7},a,5" for row in range(40)], "2026-10-01", tmp_path)
    judged = delivered([f"{number + row % 7},a,5" for row in range(40)], "2026-10-02", tmp_path)
    told = said_of(judged)
    assert {"n.drift.mean", "n.drift.quantiles"} <= set(judged.decision.warnings)
    assert not {
        text
        for text in (str(abs(number))[:6], f"{abs(number):,}"[:7])
        if text in told.replace(judged.report.submission, "")
    }


def test_a_profile_is_of_the_rows_that_were_published(tmp_path: Path) -> None:
    """What went to quarantine stands in no aggregate."""
    contract = parse_contract(
        CASES.replace("name: n, type: integer", "name: n, type: integer, max: 100")
        + "enforcement: {on_breach: quarantine}\n",
        "cases.yaml",
    )
    path = tmp_path / "d.csv"
    path.write_text("day,n,s,secret\n" + "2026-10-01,7,a,5\n" * 20 + f"2026-10-01,{NUMBER},a,5\n" * 12)
    environment = Environment.at(tmp_path)
    judged = take_and_decide(contract, collect_delivery(contract, [path], "2026-10-01"), environment, NOW, NOW)
    assert judged.decision.quarantined == 12
    assert judged.report.learned.profile["n"] == {"null_rate": 0.0, "distinct": 1, "mean": 7.0, "quantiles": [7.0] * 5}
    assert pl.read_parquet(judged.candidate.path).height == 32
