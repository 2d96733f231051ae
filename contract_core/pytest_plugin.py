"""The gate in a producer's own tests: the fixture `contract_gate` judges samples, and holds the contracts against what is published.

Every run of pytest loads this module, so whatever is heavy is imported when a test asks for it.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import pytest

if TYPE_CHECKING:
    import polars as pl

    from contract_core.contract.model import Contract
    from contract_core.environment import Environment
    from contract_core.operations.samples import Moment, Sample
    from contract_core.operations.version_gate import Held
    from contract_core.publication.submit import Judged

    Offered = str | Path | Sequence[str | Path] | pl.DataFrame | pl.LazyFrame

_ROOT = "contract_gate_root"


class ContractGateWarning(UserWarning):
    """A promise that is not kept and holds nothing back: its severity is `warn`, or its rows would go to quarantine."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one setting: where the environment's folders lie."""
    parser.addini(
        _ROOT, "the environment's folder with contracts/ and registry/, relative to pytest's root", default=""
    )


@pytest.fixture
def contract_gate(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "ContractGate":
    """Judges samples by contracts, and contracts by what is published. Paths are relative to pytest's root folder."""
    return ContractGate(request, tmp_path_factory)


@dataclass(frozen=True, slots=True)
class ContractGate:
    """What a test asks of the gate. Every question fails the test with the gate's own report where the answer is no."""

    _request: pytest.FixtureRequest
    _folders: pytest.TempPathFactory

    def check(
        self, contract: str, delivery: "Offered", *, partition: str | None = None, as_of: str | datetime | None = None
    ) -> None:
        """The delivery, files or a frame, is one that the gate would publish."""
        __tracebackhide__ = True
        from contract_core.operations.samples import judge_delivery  # noqa: PLC0415

        with _told():
            found, folder = self._contract(contract), self._folders.mktemp("contract_gate")
            judged = judge_delivery(found, self._sample(delivery), partition, _moment(as_of), folder)
        self._weigh(judged)

    def sample(self, contract: str, rows: "Offered") -> None:
        """The rows, files or a frame, keep all that single rows can keep; what is about whole deliveries is not asked."""
        __tracebackhide__ = True
        self._weigh(self._judged_rows(contract, rows))

    def known(self, contract: str, rows: "Offered", expected: Mapping[str, Any]) -> None:
        """The rows, made from a known input, keep the contract and have just these numbers.

        `expected` is for example `{"rows": 3, "sum": {"amount": 60}}`; also `min`, `max`, `nulls` and `distinct`.
        """
        __tracebackhide__ = True
        from contract_core.operations.samples import differences  # noqa: PLC0415

        judged = self._judged_rows(contract, rows)
        self._weigh(judged)
        with _told():
            found = differences(judged.contract, judged.candidate, expected)
        if found:
            about = f"{judged.contract.name} {judged.contract.version}"
            _fail([f"known input: {about} has other numbers than the test expects", *(f"    {line}" for line in found)])

    def gate(self, *, base: str | None = None, registry: str | None = None) -> None:
        """The contracts may follow what is published: a commit of their repository, or the registry."""
        __tracebackhide__ = True
        from contract_core.rendering.changes import NOT_SEEN, successor_lines  # noqa: PLC0415

        with _told():
            held = self._held(base, registry)
        lines = [line for item in held for line in successor_lines(item.successor)] + [f"note: {NOT_SEEN}"]
        if not all(item.successor.passes for item in held):
            _fail(lines)
        self._report(lines)

    def _judged_rows(self, contract: str, rows: "Offered") -> "Judged":
        __tracebackhide__ = True
        from contract_core.operations.samples import judge_rows, left_to_the_gate  # noqa: PLC0415

        with _told():
            found, folder = self._contract(contract), self._folders.mktemp("contract_gate")
            judged = judge_rows(found, self._sample(rows), _moment(None), folder)
        if left := left_to_the_gate(found):
            self._report([f"a sample does not show: {', '.join(left)}"])
        return judged

    def _weigh(self, judged: "Judged") -> None:
        __tracebackhide__ = True
        from contract_core.rendering.reports import consequence, message, report_lines  # noqa: PLC0415

        lines = [*report_lines(judged.report, judged.decision)]
        if not judged.is_accepted:
            _fail(lines)
        self._report(lines)
        for finding in judged.report.breached():
            told = f"{finding.id}: {message(finding)}"
            also = consequence(finding, judged.decision)
            warnings.warn(ContractGateWarning(f"{told} ({also})" if also else told), stacklevel=3)

    def _report(self, lines: Iterable[str]) -> None:
        self._request.node.add_report_section("call", "contract-gate", "\n".join(lines))

    def _held(self, base: str | None, registry: str | None) -> "tuple[Held, ...]":
        from contract_core.commands.arguments import now  # noqa: PLC0415
        from contract_core.operations.version_gate import (  # noqa: PLC0415
            against_registry,
            folder_against_commit,
            working_contracts,
        )

        _refuse_both(base, registry)
        folder = self._environment().contracts
        if base is not None:
            return folder_against_commit(base, folder, now().date())
        assert registry is not None, "one of the two is named"
        return against_registry(self._place(registry), working_contracts(folder), now().date())

    def _contract(self, reference: str) -> "Contract":
        from contract_core.commands.arguments import now  # noqa: PLC0415
        from contract_core.releases.pins import resolve  # noqa: PLC0415

        is_file = reference.endswith((".yaml", ".yml")) or "/" in reference
        return resolve(str(self._place(reference)) if is_file else reference, self._environment(), now().date())

    def _environment(self) -> "Environment":
        from contract_core.commands.arguments import environment_of  # noqa: PLC0415

        root = self._request.config.getini(_ROOT)
        return environment_of(self._place(root) if root else None)

    def _place(self, path: str | Path) -> Path:
        return self._request.config.rootpath / path

    def _sample(self, offered: "Offered") -> "Sample":
        from contract_core.operations.samples import is_frame  # noqa: PLC0415

        if is_frame(offered):
            return cast("pl.DataFrame", offered)
        paths = [offered] if isinstance(offered, str | Path) else offered
        if not isinstance(paths, list | tuple) or not all(isinstance(path, str | Path) for path in paths):
            _refuse_strange()
        return [self._place(path) for path in paths]


def _moment(as_of: str | datetime | None) -> "Moment":
    from contract_core.commands.arguments import moment_of, now  # noqa: PLC0415
    from contract_core.operations.samples import Moment  # noqa: PLC0415

    return Moment(now(), moment_of(as_of.isoformat() if isinstance(as_of, datetime) else as_of))


def _refuse_strange() -> NoReturn:
    from contract_core.errors import Problem, WrongUsageError  # noqa: PLC0415

    hint = "give a path, a list of paths, or a frame of Polars (polars.from_pandas makes one)"
    raise WrongUsageError(Problem("sample", "is neither files nor a frame of Polars", hint))


def _refuse_both(base: str | None, registry: str | None) -> None:
    from contract_core.errors import Problem, WrongUsageError  # noqa: PLC0415

    if (base is None) == (registry is None):
        hint = "name base=, a branch or a tag, or registry=; not both"
        raise WrongUsageError(Problem("gate", "needs to know what is published", hint))


@contextmanager
def _told() -> Iterator[None]:
    """A question that cannot be answered fails the test with our own words, and without a stack of ours."""
    __tracebackhide__ = True
    from contract_core.errors import ContractCoreError  # noqa: PLC0415

    try:
        yield
    except ContractCoreError as error:
        told = str(error)
    else:
        return
    _fail([told])


def _fail(lines: Iterable[str]) -> NoReturn:
    __tracebackhide__ = True
    raise pytest.fail.Exception("\n".join(lines), pytrace=False) from None
