"""Polars is told once how far it may read ahead, and what the process was started with stays."""

import os

import polars as pl
import pytest

from contract_core.candidate.read_ahead import read_little_ahead
from tests.candidate.offers import contract_of, taken

GROUPS = "POLARS_ROW_GROUP_PREFETCH_SIZE"
FEW = f"{pl.thread_pool_size() + 1}"


@pytest.mark.parametrize(("stated", "expected"), [({}, FEW), ({GROUPS: "77"}, "77")])
def test_one_row_group_for_each_thread_and_the_next_one_are_read_ahead_unless_the_environment_says_otherwise(
    monkeypatch, stated, expected
):
    monkeypatch.setattr(os, "environ", dict(stated))
    read_little_ahead()
    assert os.environ[GROUPS] == expected


def test_opening_a_candidate_limits_what_is_read_ahead(tmp_path, monkeypatch):
    """It was taken elsewhere: Dagster judges again, and publishes, in processes of their own."""
    candidate = taken(contract_of({"a": "string"}), tmp_path, {"one.csv": "a\n1\n"})
    monkeypatch.setattr(os, "environ", {**os.environ, GROUPS: ""})
    monkeypatch.delitem(os.environ, GROUPS)
    assert candidate.scanned().select("a").collect()["a"].to_list() == ["1"]
    assert os.environ[GROUPS] == FEW


def test_taking_a_candidate_limits_what_is_read_ahead(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", {**os.environ, GROUPS: ""})
    monkeypatch.delitem(os.environ, GROUPS)
    taken(contract_of({"a": "string"}), tmp_path, {"one.csv": "a\n1\n"})
    assert os.environ[GROUPS] == FEW
