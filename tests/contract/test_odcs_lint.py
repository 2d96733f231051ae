"""What `lint` says of documents of the Open Data Contract Standard."""

from pathlib import Path

import pytest

from tests.commands import Run

DOCUMENT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: "1.0.0"
status: draft
tags: [x]
schema: [{name: orders, properties: [{name: a, logicalType: string}]}]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "orders.yaml"
    path.write_text(DOCUMENT)
    return path


def test_a_document_is_a_contract_and_what_it_does_not_hold_is_a_note(file: Path, run: Run):
    code, out, err = run("lint", str(file))
    assert (code, out) == (0, "1 contract without problems\n")
    assert err == f"{file}: note: `tags`: a contract has no tags\n"


def test_a_document_in_a_folder_is_linted_with_its_notes(file: Path, run: Run):
    _, _, err = run("lint", str(file.parent))
    assert err == f"{file}: note: `tags`: a contract has no tags\n"


def test_a_document_with_several_tables_asks_for_a_choice(file: Path, run: Run):
    file.write_text(
        DOCUMENT.replace("[{name: orders,", "[{name: b, properties: [{name: x, logicalType: date}]}, {name: orders,")
    )
    code, _, err = run("lint", str(file))
    assert code == 2
    assert f"choose one: contract-gate import {file} --from odcs --table b" in err
