"""The worked example of two workers: the baseline, every mutation of the exercise, and what each must lead to."""

import pytest

from tests.examples.offering import DATA, contract_of, offer, offer_json, offer_text, shipped, shipped_text

DAY = "2026-10-01"


def run(run_id, duration_ms, day=DAY, **more):
    return {"run_id": run_id, "day": day, "duration_ms": duration_ms, **more}


def part(*rows, complete=True):
    return {"complete": complete, "rows": list(rows)}


A = part(run("r1", 1200))
B = part(run("r2", 800))


def batch(a=A, b=B, **stated):
    return {
        "contract": "run_durations/v1",
        "day": DAY,
        "unit": "ms",
        "partitions": {"worker-a": a, "worker-b": b},
    } | stated


def without(document, key):
    return {name: value for name, value in document.items() if name != key}


REFUSED = [
    pytest.param(batch(partitions={"worker-a": A}), {"coverage.missing": 1}, id="S2-014 B is missing"),
    pytest.param(batch(b=part(run("r2", 800), complete=False)), {"completeness": 1}, id="S2-015 B is incomplete"),
    pytest.param(batch(b=part(complete=False)), {"completeness": 1}, id="S2-016 B is empty so far and incomplete"),
    pytest.param(batch(b=part(run("r1", 800))), {"key": 1}, id="S2-022 run_id repeated across parts"),
    pytest.param(batch(b=part(run("r2", 800), run("r2", 800))), {"key": 1}, id="S2-022 run_id repeated within a part"),
    pytest.param(batch(unit="s"), {"unit": 1}, id="S2-018 S2-032 unit is seconds"),
    pytest.param(batch(unit="MS"), {"unit": 1}, id="S2-018 unit in capitals"),
    pytest.param(
        batch(b=part(run("r2", 800, day="2026-09-30"))), {"partition": 1}, id="S2-021 one row from 30 September"
    ),
    pytest.param(batch(day="2026-09-30"), {"partition.declared": 1}, id="S2-019 envelope of another day"),
    pytest.param(batch(b=part(run("r2", True))), {"duration_ms.type": 1}, id="S2-024 boolean duration"),
    pytest.param(batch(b=part(run("r2", "800"))), {"duration_ms.type": 1}, id="S2-025 numeric string"),
    pytest.param(batch(b=part(run("r2", 800.0))), {"duration_ms.type": 1}, id="S2-008 duration with a fraction"),
    pytest.param(batch(b=part(run("r2", -1))), {"duration_ms.range": 1}, id="S2-008 negative duration"),
    pytest.param(batch(b=part(run("r2", None))), {"duration_ms.null": 1}, id="S2-008 no duration"),
    pytest.param(batch(b=part(run("", 800))), {"run_id.length": 1}, id="S2-008 empty run_id"),
    pytest.param(batch(b=part(run(2, 800))), {"run_id.type": 1}, id="S2-008 run_id is a number"),
    pytest.param(
        batch(b=part(without(run("r2", 800), "duration_ms"))), {"duration_ms.missing": 1}, id="S2-008 key left out"
    ),
    pytest.param(batch(b=part(run("r2", 800, trace_id="t"))), {"extra_field": 1}, id="S2-009 S2-036 extra row key"),
    pytest.param(batch(b=part(run("r2", 800), complete=1)), {"completeness": 1}, id="S2-023 complete is 1"),
    pytest.param(batch(b=part(run("r2", 800), complete="true")), {"completeness": 1}, id="S2-023 complete is a text"),
    pytest.param(batch(b=part(run("r2", 800), complete=None)), {"completeness": 1}, id="S2-023 complete is null"),
    pytest.param(batch(b=without(B, "complete")), {"completeness": 1}, id="S2-023 complete is not said"),
    pytest.param(batch(contract="other_runs/v1"), {"contract": 1}, id="S2-017 other contract"),
    pytest.param(batch(contract="run_durations/v2"), {"contract": 1}, id="S2-035 next major version"),
    pytest.param(without(batch(), "contract"), {"contract": 1}, id="S2-017 no contract named"),
    pytest.param(without(batch(), "unit"), {"unit": 1}, id="S2-018 no unit named"),
    pytest.param(without(batch(), "day"), {"partition.declared": 1}, id="S2-019 no day named"),
    pytest.param(
        batch(partitions={"worker-a": A, "worker-b": B, "worker-c": part()}),
        {"coverage.unexpected": 1},
        id="S2-020 extra part",
    ),
    pytest.param(batch(b=without(B, "rows")), {"completeness": 1}, id="S2-044 part without rows"),
    pytest.param(batch(b=part() | {"rows": {}}), {"completeness": 1}, id="S2-044 rows are no list"),
    pytest.param(batch(b=[]), {"completeness": 1}, id="S2-044 part is no object"),
    pytest.param(batch(note="x"), {"contract": 1}, id="S2-044 unknown key of the envelope"),
]
ACCEPTED = [
    pytest.param(batch(), ["r1", "r2"], [1200, 800], id="S2-027 baseline"),
    pytest.param(batch(b=part()), ["r1"], [1200], id="S2-013 S2-028 B is complete and empty"),
    pytest.param(batch(a=part(), b=part()), [], [], id="S2-013 S2-029 both are complete and empty"),
    pytest.param(batch(b=part(run("r2", 0))), ["r1", "r2"], [1200, 0], id="S2-008 a real duration of zero"),
    pytest.param(batch(contract="run_durations"), ["r1", "r2"], [1200, 800], id="S2-017 name without version"),
    pytest.param(
        batch(contract="run_durations/v1", version="1.0.0"), ["r1", "r2"], [1200, 800], id="S2-017 version stated twice"
    ),
]
MALFORMED = [
    pytest.param("", id="nothing"),
    pytest.param("[]", id="a list"),
    pytest.param("null", id="null"),
    pytest.param('"text"', id="a text"),
    pytest.param("{", id="cut off"),
    pytest.param("{}", id="no partitions"),
    pytest.param('{"partitions": []}', id="partitions are a list"),
    pytest.param('{"partitions": null}', id="partitions are null"),
    pytest.param('{"partitions": {"worker-a": {"rows": [{"duration_ms": NaN}]}}}', id="NaN, which JSON lacks"),
    pytest.param('{"partitions": {}, "partitions": {}}', id="a key twice"),
]


@pytest.mark.parametrize("document, breached", REFUSED)
def test_a_mutated_batch_breaks_just_its_promise_and_is_refused(document, breached, tmp_path):
    """S2-043: each mutation of the exercise, with its predicted outcome."""
    offered = offer_json(shipped("run_durations"), document, DAY, tmp_path)
    assert (offered.verdict, offered.breached, offered.unjudged) == ("refuse", breached, set())


@pytest.mark.parametrize("document, run_ids, durations", ACCEPTED)
def test_a_sound_batch_is_accepted_with_all_of_its_rows(document, run_ids, durations, tmp_path):
    """S2-043: and the mutations that are legitimate results."""
    offered = offer_json(shipped("run_durations"), document, DAY, tmp_path)
    assert (offered.verdict, offered.breached, offered.unjudged) == ("publish", {}, set())
    assert offered.rows["run_id"].to_list() == run_ids
    assert offered.rows["duration_ms"].to_list() == durations


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_envelope_is_a_breach_and_nothing_in_it_counts_as_kept(text, tmp_path):
    """S2-044: the outer structure is judged before use."""
    offered = offer_text(shipped("run_durations"), text, DAY, tmp_path)
    every = {finding.id for finding in offered.report.findings}
    assert (offered.verdict, offered.breached) == ("refuse", {"unreadable": 1})
    assert offered.unjudged == every - {"unreadable"}


def test_a_row_that_is_no_object_is_refused(tmp_path):
    """S2-008, S3-014."""
    offered = offer_json(shipped("run_durations"), batch(b=part("r2")), DAY, tmp_path)
    assert offered.verdict == "refuse"
    assert offered.breached["not_object"] == 1


@pytest.mark.parametrize(
    "parts, states",
    [
        ({"worker-a": A, "worker-b": B}, {"worker-a": "complete", "worker-b": "complete"}),
        ({"worker-a": A, "worker-b": part()}, {"worker-a": "complete", "worker-b": "complete, empty"}),
        ({"worker-a": A, "worker-b": part(complete=False)}, {"worker-a": "complete", "worker-b": "incomplete"}),
        ({"worker-a": A}, {"worker-a": "complete", "worker-b": "missing"}),
        (
            {"worker-a": A, "worker-b": B, "worker-c": part()},
            {"worker-a": "complete", "worker-b": "complete", "<extra>": "unexpected"},
        ),
        ({}, {"worker-a": "missing", "worker-b": "missing"}),
    ],
    ids=["complete", "empty", "incomplete", "missing", "unexpected", "nobody"],
)
def test_the_five_states_of_a_part_never_collapse(parts, states, tmp_path):
    """S2-012, S2-016, S3-016: required names come from the contract, and a name that the data brought is not shown."""
    offered = offer_json(shipped("run_durations"), batch(partitions=parts), DAY, tmp_path)
    assert offered.parts == states


def test_parts_that_arrived_never_decide_which_are_required(tmp_path):
    """S2-010, S2-012: perfect rows of one worker do not make the other one dispensable."""
    offered = offer_json(shipped("run_durations"), batch(partitions={"worker-a": A}), DAY, tmp_path)
    assert offered.report.layers() == {"schema": "kept", "rows": "kept", "operations": "breached"}


def test_an_open_row_contract_takes_the_trace_id_that_a_closed_one_refuses(tmp_path):
    """S2-036, S1-101: tolerance is a term of the contract."""
    open_contract = contract_of(shipped_text("run_durations").replace("extra_fields: reject", "extra_fields: ignore"))
    offered = offer_json(open_contract, batch(b=part(run("r2", 800, trace_id="t"))), DAY, tmp_path)
    assert (offered.verdict, offered.breached) == ("publish", {})


def test_an_empty_batch_passes_only_where_the_contract_allows_it(tmp_path):
    """S1-070: nothing is a result for this contract, and none for one that asks for rows."""
    demanding = contract_of(shipped_text("run_durations").replace("rows: {min: 0}", "rows: {min: 1}"))
    offered = offer_json(demanding, batch(a=part(), b=part()), DAY, tmp_path)
    assert (offered.verdict, offered.breached) == ("refuse", {"row_count": 1})


def test_the_first_version_takes_nothing_that_names_the_second(tmp_path):
    """S2-035: a contract of the next major version refuses what says v1."""
    second = contract_of(shipped_text("run_durations").replace('version: "1.0.0"', 'version: "2.0.0"'))
    offered = offer_json(second, batch(), DAY, tmp_path)
    assert (offered.verdict, offered.breached) == ("refuse", {"contract": 1})


def test_the_shipped_baseline_is_the_worked_example(tmp_path):
    """S2-027: two runs, 1200 and 800 ms, so that the mean is exactly 1000."""
    offered = offer(shipped("run_durations"), [DATA / "landing/run_durations/2026-10-01"], DAY, tmp_path)
    assert offered.rows["duration_ms"].to_list() == [1200, 800]


def test_nothing_of_a_row_stands_in_the_report(tmp_path):
    """S1-063, S1-064, S3-015: neither a key that is repeated, nor an undeclared name, nor a part that was not asked for."""
    parts = {"worker-a": part(run("SECRET", "SECRET", SECRET=1)), "worker-b": part(run("SECRET", 1)), "SECRET": part()}
    offered = offer_json(
        shipped("run_durations"), batch(partitions=parts, unit="SECRET", contract="SECRET"), DAY, tmp_path
    )
    assert len(offered.breached) == 6
    assert "SECRET" not in repr(offered.report)
    assert "SECRET" not in repr(offered.decision)
