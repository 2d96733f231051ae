"""Spans as a real tracer of OpenTelemetry is given them."""

import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from contract_core import tracing
from contract_core.tracing import span, tell
from tests.commands import GOOD, Run, written

ROOT = Path(__file__).parents[1]
DAY = "2026-10-01"
MARKER = "zq7planted7marker"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What a tracer was given; its provider is set aside from that of the process, which can be set only once."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    return exporter


def told(spans: InMemorySpanExporter) -> dict[str, dict[str, object]]:
    return {found.name: dict(found.attributes or {}) for found in spans.get_finished_spans()}


def test_every_stage_is_a_span_that_carries_the_contract_version(run: Run, spans: InMemorySpanExporter) -> None:
    """[S3-032]"""
    assert run("publish", "cases.yaml", "good.csv", "--partition", DAY, "--root", "data")[0] == 0
    found = told(spans)
    about = {"contract_gate.contract": "cases", "contract_gate.version": "1.0.0", "contract_gate.partition": DAY}
    submission = found["contract_gate.take"]["contract_gate.submission"]
    about |= {"contract_gate.submission": submission, "contract_gate.rows": 2}
    verdict = {"contract_gate.verdict": "publish"}
    stages = [finished.name for finished in spans.get_finished_spans()]
    assert stages == [f"contract_gate.{stage}" for stage in ("take", "validate", "record", "record", "publish")]
    assert found["contract_gate.take"].items() >= about.items()
    assert found["contract_gate.validate"].items() >= (about | verdict).items()
    assert found["contract_gate.publish"].items() >= (about | verdict).items()
    assert found["contract_gate.record"].items() >= (about.items() - {("contract_gate.rows", 2)})


def test_a_span_says_what_its_stage_cost(run: Run, spans: InMemorySpanExporter) -> None:
    """[S1-103]"""
    assert run("publish", "cases.yaml", "good.csv", "--partition", DAY, "--root", "data")[0] == 0
    found = told(spans)
    measured = {"contract_gate.cpu_seconds", "contract_gate.rows_per_second", "contract_gate.read_bytes"}
    assert [measured <= found[f"contract_gate.{stage}"].keys() for stage in ("take", "validate", "publish")] == [
        True,
        True,
        True,
    ]
    assert measured & found["contract_gate.record"].keys() == {"contract_gate.cpu_seconds"}
    assert found["contract_gate.take"]["contract_gate.read_bytes"] == len(GOOD)


def test_a_refused_delivery_is_no_failed_span_and_is_never_published(run: Run, spans: InMemorySpanExporter) -> None:
    """[S3-032]"""
    assert run("publish", "cases.yaml", "bad.csv", "--partition", DAY, "--root", "data")[0] == 1
    assert told(spans)["contract_gate.validate"]["contract_gate.verdict"] == "refuse"
    assert {found.status.status_code for found in spans.get_finished_spans()} == {trace.StatusCode.UNSET}
    assert list(told(spans)) == ["contract_gate.take", "contract_gate.validate", "contract_gate.record"]


def test_an_error_is_told_by_its_class_and_never_by_its_text(spans: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match=MARKER), span("take", contract="cases", version="1.0.0"):
        raise ValueError(MARKER)
    (found,) = spans.get_finished_spans()
    assert (found.status.status_code, found.status.description, found.events) == (trace.StatusCode.ERROR, None, ())
    assert found.attributes["error.type"] == "ValueError"
    assert MARKER not in found.to_json()


def test_no_value_of_the_data_is_in_a_span(run: Run, spans: InMemorySpanExporter, tmp_path: Path) -> None:
    written(tmp_path, planted_csv=f"region,day,count,{MARKER}\n{MARKER},2026-10-01,{MARKER},{MARKER}\n")
    assert run("publish", "cases.yaml", "planted.csv", "--partition", DAY, "--root", "data")[0] == 1
    assert len(spans.get_finished_spans()) == 3
    assert MARKER not in "".join(found.to_json() for found in spans.get_finished_spans())


def test_a_check_takes_and_validates(run: Run, spans: InMemorySpanExporter) -> None:
    run("check", "cases.yaml", "good.csv", "--partition", DAY)
    assert list(told(spans)) == ["contract_gate.take", "contract_gate.validate"]


def test_a_span_of_ours_lies_within_the_one_that_is_open(spans: InMemorySpanExporter) -> None:
    with trace.get_tracer("theirs").start_as_current_span("nightly"), span("validate", version="1.0.0"):
        tell(verdict="publish")
    ours, theirs = spans.get_finished_spans()
    assert (ours.parent.span_id, dict(theirs.attributes)) == (theirs.context.span_id, {})


def test_without_the_library_nothing_is_done(
    run: Run, monkeypatch: pytest.MonkeyPatch, spans: InMemorySpanExporter
) -> None:
    tracing._api.cache_clear()
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    try:
        assert run("publish", "cases.yaml", "good.csv", "--partition", DAY, "--root", "data")[0] == 0
    finally:
        tracing._api.cache_clear()
    assert spans.get_finished_spans() == ()


def test_the_library_is_imported_by_none_of_our_modules() -> None:
    """So that it costs nothing where nobody takes a delivery."""
    asked = "import sys, contract_core.publication.submit as s; print([m for m in sys.modules if m.startswith('opentelemetry')])"
    ended = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
