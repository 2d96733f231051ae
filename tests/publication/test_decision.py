"""The gate: what holds a candidate back, and what only warns."""

import subprocess
import sys

import pytest

from contract_core.contract.promises import Severity
from contract_core.errors import NotYetSupportedError
from contract_core.publication.decision import Decision, Verdict, decide, refuse_unsupported
from contract_core.validation.obligations import Layer
from contract_core.validation.report import Outcome
from tests.publication.samples import CASES, candidate_of, contract_of, finding, report_of, rows

WARN = CASES + "enforcement: {on_breach: warn}\n"
KEPT, BREACHED, UNJUDGED = Outcome.KEPT, Outcome.BREACHED, Outcome.UNJUDGED
ERROR, WARNING = Severity.ERROR, Severity.WARN

DECISIONS = {
    "nothing was found": (CASES, [], Decision(Verdict.PUBLISH)),
    "all is kept": (CASES, [("a", KEPT, ERROR, Layer.ROWS)], Decision(Verdict.PUBLISH)),
    "an error is broken": (CASES, [("a", BREACHED, ERROR, Layer.ROWS)], Decision(Verdict.REFUSE, ("a",))),
    "an error is unjudged": (CASES, [("a", UNJUDGED, ERROR, Layer.ROWS)], Decision(Verdict.REFUSE, ("a",))),
    "a warning is broken": (CASES, [("a", BREACHED, WARNING, Layer.SCHEMA)], Decision(Verdict.PUBLISH, (), ("a",))),
    "a warning is unjudged": (CASES, [("a", UNJUDGED, WARNING, Layer.ROWS)], Decision(Verdict.PUBLISH, (), ("a",))),
    "reasons stand in the report's order": (
        CASES,
        [
            ("z", BREACHED, ERROR, Layer.ROWS),
            ("m", BREACHED, WARNING, Layer.ROWS),
            ("a", UNJUDGED, ERROR, Layer.SCHEMA),
        ],
        Decision(Verdict.REFUSE, ("z", "a"), ("m",)),
    ),
    "warn lets broken rows through": (
        WARN,
        [("a", BREACHED, ERROR, Layer.ROWS)],
        Decision(Verdict.PUBLISH, (), ("a",)),
    ),
    "warn lets no unjudged rule through": (
        WARN,
        [("a", UNJUDGED, ERROR, Layer.ROWS)],
        Decision(Verdict.REFUSE, ("a",)),
    ),
    "warn lets no broken schema through": (
        WARN,
        [("a", BREACHED, ERROR, Layer.SCHEMA)],
        Decision(Verdict.REFUSE, ("a",)),
    ),
    "warn lets no missing part through": (
        WARN,
        [("a", BREACHED, ERROR, Layer.OPERATIONS)],
        Decision(Verdict.REFUSE, ("a",)),
    ),
}


@pytest.mark.parametrize("text, found, expected", DECISIONS.values(), ids=DECISIONS)
def test_the_gate_weighs_findings(tmp_path, text, found, expected):
    contract = contract_of(text)
    report = report_of(contract, candidate_of(contract, rows("a"), tmp_path), *(finding(*each) for each in found))
    assert decide(report, contract) == expected


_UNREAD = "  parts: {from: file, required_file: x.csv}\n"
UNSUPPORTED = {
    "unread list": (_UNREAD, 1),
}


@pytest.mark.parametrize("more, problems", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_what_is_not_supported_is_refused_and_never_weakened(tmp_path, more, problems):
    contract = contract_of(CASES + more)
    with pytest.raises(NotYetSupportedError) as refused:
        refuse_unsupported(contract)
    assert len(refused.value.problems) == problems
    with pytest.raises(NotYetSupportedError):
        decide(report_of(contract, candidate_of(contract, rows("a"), tmp_path)), contract)


def test_deciding_needs_no_dataframe_library():
    code = (
        "import sys, contract_core.publication.decision; print('polars' in sys.modules or 'deltalake' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        == "False"
    )
