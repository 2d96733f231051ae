"""The file that names environments: what it may say, who is stronger, and every problem at once."""

from dataclasses import replace
from pathlib import Path

import pytest

from contract_core.environment import Environment
from contract_core.environment_file import find_environment, read_environments
from contract_core.errors import WrongUsageError
from tests.commands import Run

FOUR = """\
environments:
  dev: {root: data}
  test: {root: work/test, contracts: contracts}
  acceptance: {root: /srv/acceptance, catalog: acc}
  production:
    root: /srv/gate
    published: /srv/lake/published
    catalog: prod
    identities: {publisher: svc_gate, readers: analysts}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def chosen(text: str, name: str, root: Path | None = None, **variables: str) -> Environment:
    Path("environments.yaml").write_text(text)
    given = {f"CONTRACT_GATE_{key}": value for key, value in variables.items()}
    return find_environment({"CONTRACT_GATE_ENV": name, **given}, root)


def problems_of(text: str) -> list[tuple[str, str, str]]:
    Path("environments.yaml").write_text(text)
    with pytest.raises(WrongUsageError) as refused:
        read_environments(Path("environments.yaml"))
    return [(problem.where, problem.what, problem.hint) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("dev", replace(Environment.at(Path("data")), name="dev")),
        ("development", replace(Environment.at(Path("data")), name="dev")),
        ("test", replace(Environment.at(Path("work/test")), name="test", contracts=Path("contracts"))),
        ("acceptance", replace(Environment.at(Path("/srv/acceptance")), name="acceptance", catalog="acc")),
        (
            "production",
            replace(
                Environment.at(Path("/srv/gate")),
                name="production",
                published=Path("/srv/lake/published"),
                catalog="prod",
                publisher="svc_gate",
                readers="analysts",
            ),
        ),
    ],
)
def test_the_file_says_where_an_environment_is_and_who_acts_there(folder: Path, name: str, found: Environment) -> None:
    """S1-080, S1-112: places, catalogue and identities, by configuration."""
    assert chosen(FOUR, name) == found


def test_the_long_name_of_dev_may_stand_in_the_file(folder: Path) -> None:
    assert chosen("environments: {development: {root: d}}", "dev").landing == Path("d/landing")


def test_paths_are_relative_to_the_file(folder: Path) -> None:
    (folder / "etc").mkdir()
    (folder / "etc/gate.yaml").write_text(FOUR)
    found = find_environment({"CONTRACT_GATE_ENV": "dev", "CONTRACT_GATE_CONFIG": str(folder / "etc/gate.yaml")})
    assert found.landing == folder / "etc/data/landing"


@pytest.mark.parametrize(
    ("variables", "root", "ledger", "published"),
    [
        pytest.param({}, None, "/srv/gate/ledger", "/srv/lake/published", id="the file"),
        pytest.param({"LEDGER": "/l"}, None, "/l", "/srv/lake/published", id="one folder"),
        pytest.param({"ROOT": "/r"}, None, "/r/ledger", "/r/published", id="a root is stronger than the file"),
        pytest.param({"ROOT": "/r"}, Path("/a"), "/a/ledger", "/a/published", id="an argument is stronger"),
        pytest.param({"PUBLISHED": "/p"}, Path("/a"), "/a/ledger", "/p", id="one folder is strongest"),
    ],
)
def test_what_is_nearer_is_stronger(
    folder: Path, variables: dict[str, str], root: Path | None, ledger: str, published: str
) -> None:
    found = chosen(FOUR, "production", root, **variables)
    assert (found.ledger, found.published) == (Path(ledger), Path(published))
    assert (found.name, found.catalog, found.publisher) == ("production", "prod", "svc_gate")


def test_without_file_and_name_all_is_as_usual(folder: Path) -> None:
    assert find_environment({}) == Environment.at(Path("data"))


def test_a_root_without_a_name_asks_no_file(folder: Path) -> None:
    (folder / "environments.yaml").write_text("of another tool")
    assert find_environment({}, Path("r")) == find_environment({"CONTRACT_GATE_ROOT": "r"}) == Environment.at(Path("r"))


@pytest.mark.parametrize(
    ("variables", "what", "hint"),
    [
        pytest.param({}, "is not set, and environments.yaml has dev, test, acceptance, production", "set it to one of them", id="none is chosen"),
        pytest.param({"ENV": "prod"}, "no environment 'prod'; environments.yaml has dev, test, acceptance, production", "did you mean 'production'?", id="short"),
        pytest.param({"ENV": "uat"}, "no environment 'uat'; environments.yaml has dev, test, acceptance, production", "set it to one of them, or add it to the file", id="unknown"),
    ],
)  # fmt: skip
def test_nobody_guesses_which_environment_is_meant(
    folder: Path, variables: dict[str, str], what: str, hint: str
) -> None:
    (folder / "environments.yaml").write_text(FOUR)
    with pytest.raises(WrongUsageError) as refused:
        find_environment({f"CONTRACT_GATE_{key}": value for key, value in variables.items()})
    [problem] = refused.value.problems
    assert (problem.where, problem.what, problem.hint) == ("CONTRACT_GATE_ENV", what, hint)


def test_a_misspelt_variable_is_told_before_what_is_missing_because_of_it(folder: Path) -> None:
    (folder / "environments.yaml").write_text(FOUR)
    with pytest.raises(WrongUsageError) as refused:
        find_environment({"CONTRACT_GATE_ENVIRONMENT": "production"})
    assert [problem.where for problem in refused.value.problems] == ["CONTRACT_GATE_ENVIRONMENT"]


@pytest.mark.parametrize("config", ["missing.yaml", "."])
def test_a_file_that_is_named_must_be_there(folder: Path, config: str) -> None:
    with pytest.raises(WrongUsageError, match="the file of environments cannot be read"):
        find_environment({"CONTRACT_GATE_CONFIG": config, "CONTRACT_GATE_ENV": "dev"})


KNOWN = "known: candidates, catalog, channels, contracts, identities, landing, ledger, published, quarantine, registry, root"
RULES = "and rules never differ between environments"
WORDS = ("enforcement", "severity", "rules", "on_breach", "skip_checks", "skipChecks", "checks", "disable", "max_age", "warn_only", "fields")  # fmt: skip


@pytest.mark.parametrize("key", WORDS)
def test_an_environment_cannot_switch_a_rule_off(folder: Path, key: str) -> None:
    """S1-081: refused with an error that says where rules are changed."""
    [(where, what, hint)] = problems_of(f"environments:\n  dev:\n    root: data\n    {key}: warn\n")
    assert (where, what) == ("environments.yaml:4:5", f"'{key}' is no attribute of 'environments.dev', {RULES}")
    assert hint == f"a rule is changed in its contract, under a new version; {KNOWN}"


@pytest.mark.parametrize(
    "text",
    [
        "{enforcement: warn, environments: {dev: {root: d}}}",
        "environments: {severity: warn, dev: {root: d}}",
        "environments: {dev: {root: d, identities: {checks: none}}}",
    ],
    ids=["beside all environments", "beside one", "among identities"],
)
def test_a_rule_stands_nowhere_in_the_file(folder: Path, text: str) -> None:
    """S1-081"""
    [(_, what, _)] = problems_of(text)
    assert what.endswith(RULES)


def test_every_problem_is_told_at_its_place(folder: Path) -> None:
    text = """\
environments:
  dev: {root: data, catalgo: x, identities: {publisher: 3, reader: a}}
  prod: {root: x}
  test:
    root:
    published: s3://x/y
    catalog: a/b
    landing: [a]
  acceptance: text
  development: {ledger: "~/l", registry: "$HOME/r", candidates: "a\\tb"}
  production:
    root: x
    root: y
"""
    local = "write the path of a local folder in full: no ~, no $VARIABLE, no URL"
    assert problems_of(text) == [
        ("environments.yaml:2:21", "'catalgo' is no attribute of 'environments.dev'", f"did you mean catalog? {KNOWN}"),
        ("environments.yaml:2:57", "environments.dev.identities.publisher: is read by YAML as a whole number, text is needed", "write it in quotes"),
        ("environments.yaml:2:60", "'reader' is no attribute of 'environments.dev.identities'", "did you mean readers? known: publisher, readers"),
        ("environments.yaml:3:3", "'prod' is no environment", "did you mean production? known: acceptance, dev, production, test"),
        ("environments.yaml:5:10", "environments.test.root: is read by YAML as nothing, text is needed", "write it in quotes"),
        ("environments.yaml:6:16", "environments.test.published: is more than a plain path", local),
        ("environments.yaml:7:14", "environments.test.catalog: cannot begin the key of an asset", "write letters, digits, _ and - only"),
        ("environments.yaml:8:14", "environments.test.landing: is read by YAML as a list, text is needed", "write it in quotes"),
        ("environments.yaml:9:15", "environments.acceptance: is text, a mapping is needed", "write {name: value, …}"),
        ("environments.yaml:10:3", "'development' is the same as 'dev', which stands here too", "keep one"),
        ("environments.yaml:10:3", "'environments.development' has no 'root'", "write root:"),
        ("environments.yaml:10:25", "environments.development.ledger: is more than a plain path", local),
        ("environments.yaml:10:42", "environments.development.registry: is more than a plain path", local),
        ("environments.yaml:10:65", "environments.development.candidates: holds characters that cannot be seen", "write the path of a local folder"),
        ("environments.yaml:13:5", "'root' stands here a second time, first in line 12", "keep one of them"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", "1:1", "the file is empty"),
        ("null", "1:1", "the file is nothing, a mapping is needed"),
        ("- dev", "1:1", "the file is a list, a mapping is needed"),
        ("environments:", "1:14", "environments: is nothing, a mapping of environments is needed"),
        ("environments: {}", "1:15", "environments: is empty, a mapping of environments is needed"),
        ("environments: [dev]", "1:15", "environments: is a list, a mapping of environments is needed"),
    ],
)
def test_a_file_without_environments_says_what_to_write(folder: Path, text: str, where: str, what: str) -> None:
    hint = "write environments: {dev: {root: data}}"
    assert problems_of(text) == [(f"environments.yaml:{where}", what, hint)]


def test_no_message_speaks_of_contracts_where_environments_are_meant(folder: Path) -> None:
    [(_, _, hint)] = problems_of("environments: {dev: {root: data}}\n---\nx: 1\n")
    assert hint == "write all environments into one document"


def test_two_environments_share_no_folder_that_the_gate_writes(folder: Path) -> None:
    """A decision of one would count in the other. Contracts and landing are read, and may be shared."""
    (folder / "elsewhere").symlink_to(folder / "data")
    text = """\
environments:
  dev: {root: data, contracts: c, landing: l}
  test: {root: test, contracts: c, landing: l}
  acceptance: {root: elsewhere/../data, ledger: own}
  production: {root: p, ledger: elsewhere/ledger}
"""
    same = "has the same folders as environments.dev"
    assert [(where, what) for where, what, _ in problems_of(text)] == [
        ("environments.yaml:4:3", f"environments.acceptance {same}: candidates, published, quarantine, registry"),
        ("environments.yaml:5:3", f"environments.production {same}: ledger"),
    ]


def test_nothing_happens_under_a_setting_that_means_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1-081: neither a variable nor a key of the file; nothing is taken, judged or published."""
    publish = ("publish", "cases.yaml", "good.csv", "--partition", "2026-10-01")
    with monkeypatch.context() as patch:
        patch.setenv("CONTRACT_GATE_SKIP_CHECKS", "planted")
        code, out, err = run(*publish)
    assert (code, out, "CONTRACT_GATE_SKIP_CHECKS" in err, "planted" in err) == (2, "", True, False)
    Path("environments.yaml").write_text("environments: {production: {root: p, enforcement: {on_breach: warn}}}")
    monkeypatch.setenv("CONTRACT_GATE_ENV", "production")
    code, out, err = run(*publish)
    assert (code, out, err.splitlines()[0]) == (
        2,
        "",
        f"environments.yaml:1:38: 'enforcement' is no attribute of 'environments.production', {RULES}",
    )
    assert sorted(path.name for path in Path().iterdir()) == ["bad.csv", "cases.yaml", "environments.yaml", "good.csv"]
