"""A producer's sample is compared with nothing: what is promised of history is left to the gate, and named."""

from datetime import UTC, datetime

import polars as pl

from contract_core.contract.parsing import parse_contract
from contract_core.operations.samples import Moment, judge_delivery, judge_rows, left_to_the_gate

CONTRACT = parse_contract(
    'contract: cases\nversion: "1.0.0"\nkey: [k]\nfields: [{name: k, type: string}, {name: n, type: integer}]\n'
    "history: [{name: grows, sql: n >= previous.n}, {name: back, vanished: true}]\n",
    "cases.yaml",
)
MOMENT = Moment(datetime(2026, 10, 2, tzinfo=UTC), datetime(2026, 10, 2, tzinfo=UTC))
ROWS = pl.DataFrame({"k": ["a"], "n": [1]})


def test_rows_alone_leave_history_to_the_gate(tmp_path):
    judged = judge_rows(CONTRACT, ROWS, MOMENT, tmp_path)
    assert (judged.is_accepted, [item for item in judged.report.findings if item.rule == "history"]) == (True, [])
    assert {"grows.history", "back.history"} <= set(left_to_the_gate(CONTRACT))


def test_a_whole_delivery_is_judged_as_the_first_one(tmp_path):
    judged = judge_delivery(CONTRACT, ROWS, None, MOMENT, tmp_path)
    reasons = {item.reason for item in judged.report.findings if item.rule == "history"}
    assert (judged.is_accepted, reasons) == (True, {"nothing is published that it could be compared with"})
