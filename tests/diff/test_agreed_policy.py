"""The table of verdicts says what was agreed on: no row of the policy is forgotten, and every difference has a reason."""

import re

import pytest

from contract_core.diff.compatibility import COMPATIBILITY, Row
from contract_core.diff.kinds import ChangeKind, Class
from tests.diff.agreed_policy import ABSENT, AGREED, BEYOND, OTHERWISE

IDS = re.findall(
    r"\S+",
    """
DATASET_REMOVED DATASET_ADDED DATASET_RENAMED FIELD_REMOVED FIELD_REMOVED_DEPRECATED FIELD_NAME_REUSED FIELD_ADDED_OPTIONAL
FIELD_ADDED_OPTIONAL_CLOSED FIELD_ADDED_REQUIRED FIELD_RENAMED FIELD_RENAMED_WITH_ALIAS FIELD_ORDER FIELD_MOVED FIELD_ID_CHANGED
TYPE_WIDENED_INT TYPE_NARROWED_INT TYPE_SIGN TYPE_FLOAT_WIDENED TYPE_FLOAT_NARROWED TYPE_INT_TO_FLOAT TYPE_FLOAT_TO_INT
TYPE_DECIMAL_PRECISION_UP TYPE_DECIMAL_PRECISION_DOWN TYPE_DECIMAL_SCALE TYPE_DECIMAL_FLOAT TYPE_STRING_OTHER TYPE_DATE_TIMESTAMP
TYPE_TIMESTAMP_TZ TYPE_TIME_UNIT TYPE_BOOL_INT TYPE_LIST_INNER TYPE_SCALAR_LIST TYPE_STRING_LENGTH_UP TYPE_STRING_LENGTH_DOWN
TYPE_LOGICAL_SAME_PHYSICAL NULLABLE_TO_NOT_NULL NOT_NULL_TO_NULLABLE REQUIRED_ADDED REQUIRED_REMOVED DEFAULT_CHANGED ENUM_ADDED
ENUM_REMOVED ENUM_BECAME ENUM_DROPPED ENUM_RELABELLED MIN_RAISED MIN_LOWERED BOUND_EXCLUSIVITY PATTERN_ADDED PATTERN_REMOVED
PATTERN_CHANGED LENGTH_* NAN_POLICY WHITESPACE_POLICY CASE/COLLATION CONDITIONAL/EXPR THRESHOLD RULE_REMOVED RULE_ADDED
RULE_ID_CHANGED UNIT_CHANGED SCALE/CURRENCY/ROUNDING KEY_CHANGED KEY_ADDED KEY_DROPPED GRAIN_CHANGED POPULATION_CHANGED
SEMANTICS_CHANGED DESCRIPTION_CHANGED NAME/TITLE/TAGS/EXAMPLES CLASSIFICATION_RAISED CLASSIFICATION_LOWERED CONTRACT_ID_CHANGED
STATUS OWNER_PRODUCER_CHANGED CONSUMER_ADDED PARTITION_REQUIRED_ADDED PARTITION_REQUIRED_REMOVED PARTITION_SET_SOURCE
COMPLETENESS_MECHANISM EMPTY_POLICY FRESHNESS_LOOSENED FRESHNESS_TIGHTENED DEADLINE_LATER DEADLINE_EARLIER RETENTION_SHORTER
RETENTION_LONGER ROWCOUNT CORRECTION_STRATEGY EXTRA_FIELDS COLUMN_ORDER COERCION ON_BREACH SEVERITY FAILURE_BUDGET DLQ/RETENTION
SLA/SUPPORT/ALERT CHANGE_POLICY DEPRECATED LANGUAGE
""",
)
LETTERS = {Class.BREAKING: "B", Class.COMPATIBLE: "C", Class.PATCH: "P", Class.REFUSED: "X", None: "D"}


def classes(row: Row) -> str:
    """The two classes of a row as letters; what its author is asked for counts as asked, unless it breaks all the same."""
    letters = (LETTERS[verdict] for verdict in (row.default, row.strict))
    return "".join("?" if row.asks_meaning and letter in "PC" else letter for letter in letters)


@pytest.mark.parametrize("name", IDS)
def test_every_row_of_the_policy_has_its_kinds_or_its_reason(name: str) -> None:
    """[S4-007]"""
    named = {key.replace(",", " ").split(" ")[0] for key in (*AGREED, *ABSENT)}
    assert name in named


@pytest.mark.parametrize(
    "name, kind", [(name, kind) for name, (_, kinds) in AGREED.items() for kind in kinds if kind not in OTHERWISE]
)
def test_a_kind_has_the_class_that_was_agreed_on(name: str, kind: ChangeKind) -> None:
    """[S4-005] [S4-006] [S3-029]"""
    assert classes(COMPATIBILITY[kind]) == AGREED[name][0]


@pytest.mark.parametrize("kind", OTHERWISE)
def test_a_difference_is_one(kind: ChangeKind) -> None:
    assert {classes(COMPATIBILITY[kind])} != {agreed for agreed, kinds in AGREED.values() if kind in kinds}


def test_every_kind_stands_for_a_row_or_for_something_beyond() -> None:
    agreed = {kind for _, kinds in AGREED.values() for kind in kinds}
    assert agreed | set(BEYOND) == set(ChangeKind)
    assert agreed & set(BEYOND) == set()
