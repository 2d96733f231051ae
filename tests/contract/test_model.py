"""The contract as a value: frozen, with a digest that knows meaning from spelling."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from tests.contract.texts import HEAD, MINIMAL, contract_of, with_field

EVERYTHING = """\
contract: cases
version: "1.0.0"
status: active
description: Cases.
domain: health
purpose: Weekly report.
grain: One row per day.
population: All cases.
owners:
  producer: {name: p, contact: c}
  consumers: [{name: w, contact: d, relies_on: [day], tolerates: {new_fields: false, new_enum_values: true}}]
key: [day]
extra_fields: ignore
fields:
  - {name: day, type: date, min: 2026-01-01, max: 2027-01-01, semantics: Day of sampling., description: Day.}
  - {name: text, type: string, required: false, nullable: true, enum: [a, b], pattern: "[ab]", min_length: 1, max_length: 2,
     not_blank: ascii, trimmed: true, severity: {enum: warn}}
  - {name: n, type: number, min: 0, max: 5.5, allow_nan: true, unit: cases, classification: internal}
rules: [{name: r, sql: n > 0, severity: warn, on_null: keep, description: Some.}]
unique: [{name: u, fields: [text], where: n > 0, severity: warn}]
duplicate_rows: warn
rows: {min: 2, max: 9, severity: warn}
groups: [{name: g, by: [day], sql: sum(n) > 0, severity: warn}]
history: [{name: h, sql: n > previous.n, severity: warn, max_share: 25%}]
delivery:
  path: "x/{partition}/*.csv"
  format: {type: csv, encoding: latin-1, delimiter: ";", quote: "'", decimal: ",", null_values: [x], true_values: [j], false_values: [f],
           dates: {day: "%d-%m-%Y"}, integral: [n]}
  partition: {column: day, every: day, timezone: Europe/Rome, start: 2026-10-01}
  parts: {from: column, column: text, required: [a]}
  manifest: optional
  corrections: true
  due: {by: "09:00", timezone: Europe/Rome, days_after: 1, calendar: weekdays, holidays: [2026-12-25]}
freshness: {column: day, max_age: 2d, severity: warn}
monitors:
  volume: {window: 3, min_history: 2, max_change: 50%, max_deviation: 3.5, season: weekday, severity: error}
  fields: {n: {window: 9, min_history: 2, null_rate: 5%, distinct_change: 5%, mean_change: 60%, quantiles_change: 5%, max_deviation: 6, season: weekday, severity: error}}
enforcement: {on_breach: quarantine, quarantine: {max_rows: 100, max_rate: 1%, rows: withheld, keep: 90d}}
publication: {mode: upsert, keep_candidates: 30d, keep_refused: 20d, keep_newest: 2, keep_versions: 40d}
unverified: [{claim: c, evidence: e}]
"""


def edits(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of every leaf of a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [leaf for key, item in items for leaf in edits(item, (*path, key))] or [path]


WHOLE = contract_of(EVERYTHING)
LEAVES = edits(WHOLE.model_dump(mode="json", by_alias=True))


def edited(path: tuple[str | int, ...]) -> Contract:
    """The contract of `EVERYTHING` with another value for one leaf, past every check."""
    parts: list[Any] = [WHOLE]
    for part in path[:-1]:
        parts.append(
            parts[-1][part]
            if isinstance(part, int) or isinstance(parts[-1], dict)
            else getattr(parts[-1], _attribute(part))
        )
    value: Any = timedelta(days=999)
    for holder, part in zip(reversed(parts), reversed(path), strict=True):
        if isinstance(holder, tuple):
            value = (*holder[:part], value, *holder[part + 1 :])  # type: ignore[operator, misc]
        elif isinstance(holder, dict):
            value = holder | {part: value}
        else:
            value = holder.model_copy(update={_attribute(part): value})
    assert isinstance(value, Contract)
    return value


def _attribute(name: str | int) -> str:
    return "source" if name == "from" else str(name)


@pytest.mark.parametrize("path", LEAVES, ids=lambda path: ".".join(map(str, path)))
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_an_edit_of_any_attribute_changes_the_digest(path: tuple[str | int, ...]) -> None:
    assert edited(path).digest != WHOLE.digest


def test_the_edited_attributes_are_all_that_the_language_has() -> None:
    assert {str(path[0]) for path in LEAVES} == {info.alias or name for name, info in Contract.model_fields.items()}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(MINIMAL, "fields:\n  - {type: string, name: a}\nversion: '1.0.0'\ncontract: cases\n", id="order of keys"),
        pytest.param(MINIMAL, MINIMAL + "status: draft\nkey: []\nextra_fields: reject\nrows: {min: 1}\ndelivery: {manifest: none, corrections: false, format: {type: csv, delimiter: ','}}\nenforcement: {on_breach: fail, quarantine: {rows: kept}}\npublication: {mode: replace_partition, keep_newest: 0}\n", id="defaults spelled out"),
        pytest.param(with_field("type: string"), with_field("type: string, required: true, nullable: false, severity: {}"), id="defaults of a field"),
        pytest.param(with_field("type: number, min: 5"), with_field("type: number, min: 5.00"), id="5 and 5.00"),
        pytest.param(with_field("type: number, max: 0.5"), with_field("type: number, max: 0.50"), id="0.5 and 0.50"),
        pytest.param(with_field("type: number, min: 0"), with_field("type: number, min: -0.0"), id="zero and minus zero"),
        pytest.param(with_field("type: number, max: 100"), with_field("type: number, max: 1.0e+2"), id="100 and 1.0e+2"),
        pytest.param(with_field('type: "decimal(5,2)"'), with_field('type: "decimal( 5, 2 )"'), id="blanks in a type"),
        pytest.param(with_field("type: string, not_blank: true"), with_field("type: string, not_blank: unicode"), id="true and unicode"),
        pytest.param(with_field("type: string, severity: warn, required: false"), with_field('type: string, severity: {"*": warn}, required: false'), id="severity of all rules"),
        pytest.param(MINIMAL + "delivery: {format: {null_values: ['', NA]}}\n", MINIMAL + "delivery: {format: {null_values: {'*': ['', NA]}}}\n", id="tokens of all fields"),
        pytest.param(HEAD + "fields: [{name: d, type: date}]\ndelivery: {format: {dates: {d: '%d'}}}\n", HEAD + "fields: [{name: d, type: date}]\ndelivery: {format: {dates: {d: ['%d']}}}\n", id="one format and a list of one"),
        pytest.param(HEAD + "fields: [{name: d, type: date}]\nfreshness: {column: d, max_age: 2d}\n", HEAD + "fields: [{name: d, type: date}]\nfreshness: {column: d, max_age: 48h}\n", id="2d and 48h"),
        pytest.param(MINIMAL.replace("a,", "\ufeffa,").replace("\ufeff", ""), "\ufeff" + MINIMAL.replace("\n", "\r\n"), id="byte order mark and CRLF"),
    ],
)  # fmt: skip
def test_a_spelling_does_not_change_the_digest(first: str, second: str) -> None:
    assert contract_of(first).digest == contract_of(second).digest


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(MINIMAL + "  - {name: b, type: string}\n", HEAD + "fields:\n  - {name: b, type: string}\n  - {name: a, type: string}\n", id="order of fields"),
        pytest.param(with_field("type: string, enum: [x, y]"), with_field("type: string, enum: [y, x]"), id="order of values"),
        pytest.param(with_field('type: string, enum: ["1"]'), with_field("type: integer, enum: [1]"), id="text and number"),
        pytest.param(with_field("type: boolean, enum: [true]"), with_field("type: integer, enum: [1]"), id="true and 1"),
        pytest.param(with_field('type: "decimal(38,10)", max: 1234567890123456789012345678.0123456789'), with_field('type: "decimal(38,10)", max: 1234567890123456789012345678.0123456788'), id="the last of 38 digits"),
        pytest.param(MINIMAL, MINIMAL.replace("1.0.0", "1.0.1"), id="version"),
    ],
)  # fmt: skip
def test_a_meaning_changes_the_digest(first: str, second: str) -> None:
    assert contract_of(first).digest != contract_of(second).digest


def test_a_contract_survives_its_own_json() -> None:
    assert contract_of(MINIMAL) == Contract.model_validate(contract_of(MINIMAL).model_dump(by_alias=True))


def test_an_edited_copy_has_worked_nothing_out_yet() -> None:
    contract = contract_of(MINIMAL)
    before = (contract.digest, contract.field_names, contract.field("a").name)
    copied = contract.model_copy(
        update={"fields": contract_of(with_field("type: string")).fields + contract.fields[:0], "version": "2.0.0"}
    )
    assert (copied.digest != before[0], copied.field_names, contract.digest) == (True, ("a",), before[0])


def test_a_contract_is_frozen() -> None:
    with pytest.raises(ValidationError):
        contract_of(MINIMAL).version = "2.0.0"  # type: ignore[misc]


def test_a_field_s_severity_is_error_unless_the_contract_lowers_it() -> None:
    """S1-005."""
    field = WHOLE.field("text")
    assert (field.severity_of("enum"), field.severity_of("pattern")) == (Severity.WARN, Severity.ERROR)


@pytest.mark.parametrize(
    ("fields", "unit"),
    [
        pytest.param("{name: a, type: integer, unit: ms}, {name: b, type: string}", "ms", id="one"),
        pytest.param(
            "{name: a, type: integer, unit: ms}, {name: b, type: integer, unit: ms}", "ms", id="the same twice"
        ),
        pytest.param("{name: a, type: integer, unit: ms}, {name: b, type: integer, unit: s}", None, id="two"),
        pytest.param("{name: a, type: integer}", None, id="none"),
    ],
)
def test_the_unit_of_a_contract_is_the_only_one_of_its_fields(fields: str, unit: str | None) -> None:
    assert contract_of(HEAD + f"fields: [{fields}]\n").unit == unit
