"""What a correction changes, in words and as JSON."""

import pytest

from contract_core.rendering.restatements import percent_words, restated_document, restated_words

ROWS = {"rows_before": 20, "rows_after": 20}
KEYS = ROWS | {"keys_added": 0, "keys_removed": 0, "keys_restated": 0}


@pytest.mark.parametrize(
    ("restated", "words"),
    [
        pytest.param({}, "", id="nothing is corrected"),
        pytest.param(ROWS, "replaces 20 published rows", id="no key"),
        pytest.param(ROWS | {"rows_after": 1200}, "replaces 20 published rows by 1,200", id="other rows"),
        pytest.param(KEYS | {"rows_before": 1, "rows_after": 0, "keys_removed": 1}, "replaces 1 published row by 0: 1 key removed", id="one"),
        pytest.param(KEYS, "replaces 20 published rows: no key changed", id="nothing changed"),
        pytest.param(
            KEYS | {"rows_after": 21, "keys_added": 1, "keys_restated": 2, "field:case_count": 2},
            "replaces 20 published rows by 21: 1 key added, 2 restated (case_count 2)", id="added and restated",
        ),
        pytest.param(
            KEYS | {"keys_restated": 1500, "field:a": 3, "field:b": 1500, "field:c": 4, "field:d": 4, "relative_change_ppm:b": 586},
            "replaces 20 published rows: 1,500 keys restated (b 1,500 by 0.0586%, c 4, d 4 and 1 more)", id="the most changed first",
        ),
        pytest.param(
            KEYS | {"keys_removed": 2, "keys_repeated": 3},
            "replaces 20 published rows: 2 keys removed, 3 that stand more than once were not compared", id="repeated",
        ),
    ],
)  # fmt: skip
def test_a_correction_is_told_in_one_line(restated, words):
    assert restated_words(restated) == words


@pytest.mark.parametrize(
    ("ppm", "words"),
    [(0, "0%"), (1, "0.0001%"), (10_000, "1%"), (12_500, "1.25%"), (1_000_000, "100%"), (10**12, "100,000,000%")],
)
def test_parts_per_million_are_told_as_per_cent(ppm, words):
    assert percent_words(ppm) == words


def test_the_document_names_fields_apart_from_the_whole():
    found = KEYS | {"keys_restated": 12, "field:a:b": 12, "touched:day": 3, "relative_change_ppm:a:b": 7}
    assert restated_document(found) == KEYS | {
        "keys_restated": 12, "keys_repeated": None,
        "fields": {"a:b": 12}, "touched": {"day": 3}, "relative_change_ppm": {"a:b": 7},
    }  # fmt: skip


def test_without_a_key_the_document_says_nothing_of_keys():
    shown = restated_document(ROWS)
    assert (shown["rows_before"], shown["keys_restated"], shown["fields"]) == (20, None, {})


def test_where_nothing_is_corrected_there_is_no_document():
    assert restated_document({}) is None
