"""The pages that are written from the code are current, complete, and true of what the code does."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from contract_core.cli import app
from contract_core.contract.parsing import parse_contract
from contract_core.exports.language_schema import language_schema
from contract_core.reference.__main__ import PAGES, main
from contract_core.reference.attributes import CHAPTERS, attributes_page
from contract_core.reference.commands import commands_page
from contract_core.reference.rule_examples import EXAMPLES
from contract_core.reference.rules import rules_page
from contract_core.rendering.next_steps import BY_ID, BY_RULE
from contract_core.validation.obligations import obligations_of

DOCS = Path(__file__).parents[2] / "docs"
CELLS = re.findall(r"^\| `(\w+)` \|", attributes_page(), re.MULTILINE)
COMMANDS = {
    name: [option for item in command.params for option in item.opts if option.startswith("-")]
    for name, command in get_command(app).commands.items()
}
PARTS = {name: part for name, part in language_schema()["$defs"].items() if "properties" in part}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_current(tmp_path: Path, name: str) -> None:
    """If not: `make reference`."""
    main(tmp_path)
    assert (DOCS / "reference" / name).read_text("utf-8") == (tmp_path / name).read_text("utf-8")


def test_every_attribute_of_every_part_has_a_row() -> None:
    rows = len(language_schema()["properties"]) + sum(len(part["properties"]) for part in PARTS.values())
    assert len(CELLS) == rows


def test_every_part_of_the_language_is_led_to_the_chapter_that_explains_it() -> None:
    chapters = re.findall(r"^## (.+)$", (DOCS / "language.md").read_text("utf-8"), re.MULTILINE)
    assert set(CHAPTERS) == {"Contract", *PARTS}
    assert set(CHAPTERS.values()) <= {title.lower().replace(" ", "-") for title in chapters}


def test_every_command_and_every_option_is_told() -> None:
    page = commands_page()
    assert re.findall(r"^## ([a-z]+)$", page, re.MULTILINE) == sorted(COMMANDS)
    assert [name for names in COMMANDS.values() for name in names if f"`{name}" not in page] == []


def test_every_form_of_text_has_words() -> None:
    assert "text of the form" not in attributes_page()


def test_every_rule_has_an_example_and_its_own_section() -> None:
    assert set(EXAMPLES) == set(BY_RULE)
    assert re.findall(r"^## (\w+)$", rules_page(), re.MULTILINE) == list(EXAMPLES)


@pytest.mark.parametrize("rule", EXAMPLES)
def test_an_example_is_a_contract_that_asks_for_its_rule(rule: str) -> None:
    asked = {found.id: found.rule for found in obligations_of(parse_contract(EXAMPLES[rule].text, rule))}
    assert {asked.get(broken.id) for broken in EXAMPLES[rule].broken} == {rule}


@pytest.mark.parametrize("rule", EXAMPLES)
def test_an_example_shows_every_breach_that_its_rule_can_have(rule: str) -> None:
    """Of all obligations of the example under this label none is left out."""
    asked = {found.id for found in obligations_of(parse_contract(EXAMPLES[rule].text, rule)) if found.rule == rule}
    shown = {broken.id for broken in EXAMPLES[rule].broken}
    kinds = {name.partition(".")[2] or name for name in asked}
    assert {name.partition(".")[2] or name for name in shown} == kinds


def test_what_is_to_be_done_stands_under_each_rule_and_id() -> None:
    page = rules_page()
    told = {**BY_RULE, **{name: step for name, step in BY_ID.items() if not name.startswith("quarantine.")}}
    assert [name for name, step in told.items() if f"- **To do**: {step}." not in page] == []
