"""`docs/changes.md` has every kind of change as it is judged, every difference from the agreed policy, and an example that runs."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contract_core.contract.term_file import read_terms
from contract_core.diff import judging
from contract_core.diff.compatibility import COMPATIBILITY, Row
from contract_core.diff.kinds import Class
from contract_core.diff.policy import Policy, Profile
from contract_core.rendering.changes import NOT_SEEN
from tests.commands import Run
from tests.diff.agreed_policy import OTHERWISE

TEXT = (Path(__file__).parents[2] / "docs" / "changes.md").read_text("utf-8")
EXAMPLE = TEXT.split("## An example")[1].split("\n## ")[0]
PROFILES: tuple[Profile, ...] = ("default", "consumer_strict", "producer", "full")


def cell(row: Row, profile: Profile) -> str:
    """The class of a kind under a profile; `depends` where it breaks those alone who do not tolerate it."""
    if row.asks_meaning:
        return "asks"
    broken, tolerated = (judging._class(row, profile, has_broken=has_broken) for has_broken in (True, False))
    return broken.value if broken is tolerated else "depends"


def line(kind: str, row: Row) -> str:
    classes = " | ".join(cell(row, profile) for profile in PROFILES)
    tolerated = f" (tolerated: `{row.tolerance}`)" if row.tolerance else ""
    return f"| `{kind}` | {classes} | {', '.join(row.breaks) or 'nobody'} | {row.reason}{tolerated} |"


def table() -> str:
    return "\n".join(line(kind.value, row) for kind, row in COMPATIBILITY.items())


def test_the_table_is_the_one_that_judges() -> None:
    """[S4-007]"""
    found = re.findall(r"^\| `\w+` \|(?:[^|\n]+\|){6}$", TEXT, re.MULTILINE)
    assert found == table().split("\n")


@pytest.mark.parametrize("kind", OTHERWISE)
def test_a_choice_that_others_make_otherwise_has_its_reason(kind: str) -> None:
    assert re.search(rf"^- .*`{kind}`.*: \w", TEXT, re.MULTILINE)


def block(language: str, number: int = 0) -> str:
    return str(re.findall(rf"```{language}[^\n]*\n(.*?)```", EXAMPLE, re.DOTALL)[number])


def test_the_example_runs_as_written(run: Run, tmp_path: Path) -> None:
    """[S4-013] [S4-014] [S4-015]"""
    (tmp_path / "orders.yaml").write_text(block("yaml"))
    (tmp_path / "registry").mkdir()
    assert run("release", "orders.yaml", "--by", "anna", "--registry", "registry")[0] == 0
    edited = block("yaml").replace("shipped]", "shipped, returned]").replace("min: 0", "min: -10")
    (tmp_path / "orders.yaml").write_text(edited.replace('"1.0.0"', '"1.1.0"'))
    code, out, _ = run("gate", "orders.yaml", "--registry", "registry")
    assert (code, _without_days(out)) == (1, _without_days(_shown(0)))
    (tmp_path / "orders.yaml").write_text(edited.replace('"1.0.0"', '"2.0.0"'))
    (tmp_path / "changes" / "orders").mkdir(parents=True)
    record = re.sub(r"(?<=supported_until: )\S+", str(datetime.now(UTC).date() + timedelta(days=40)), block("yaml", 1))
    (tmp_path / "changes" / "orders" / "2.0.0.yaml").write_text(record)
    code, out, _ = run("gate", "orders.yaml", "--registry", "registry")
    assert (code, out) == (0, _shown(1))


def _shown(number: int) -> str:
    return block("console", number).split("\n", 1)[1]


def _without_days(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d", "DAY", text)


def test_the_policy_file_that_is_shown_is_one() -> None:
    shown = re.findall(r"```yaml[^\n]*\n(.*?)```", TEXT.split("## The policy file")[1], re.DOTALL)[0]
    policy = read_terms(Policy, shown.encode(), "policy.yaml")
    assert [(item.kind.value, item.verdict) for item in policy.overrides] == [
        ("field_added_optional_closed", Class.BREAKING), ("bound_tightened", Class.PATCH)
    ]  # fmt: skip


def test_what_the_gate_cannot_see_is_said() -> None:
    """[S4-021] [S2-037]"""
    assert NOT_SEEN in TEXT
