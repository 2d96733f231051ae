"""The command line: arguments in, exit code out. 0 fine, 1 the promise is broken, 2 the question could not be answered."""

import os
import signal
import sys
from typing import NoReturn

import typer

from contract_core.commands import (
    attempts,
    bootstrap,
    catalogue,
    changes,
    contracts,
    corrections,
    deliveries,
    exports,
    fixtures,
    incidents,
    metrics,
    projects,
    records,
    releases,
    targets,
    upkeep,
    version,
)
from contract_core.commands.arguments import UNANSWERED
from contract_core.errors import ContractCoreError
from contract_core.terminal import accept_every_name

app = typer.Typer(
    name="contract-gate",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich takes longer to load than everything else that --help needs
)
_COMMANDS = (
    contracts.lint,
    contracts.show,
    contracts.schema,
    projects.init,
    bootstrap.infer,
    changes.diff,
    changes.gate,
    changes.release,
    exports.export,
    deliveries.check,
    deliveries.publish,
    fixtures.fixtures,
    records.decisions,
    attempts.compare,
    corrections.request,
    corrections.confirm,
    records.status,
    incidents.notify,
    records.clean,
    metrics.metrics,
    releases.releases,
    catalogue.catalog,
    targets.constrain,
    upkeep.reconcile,
    upkeep.access,
)
for _command in _COMMANDS:
    app.command(short_help=_command.__doc__)(_command)  # typer would cut it short
app.command("import", short_help=bootstrap.import_contract.__doc__)(bootstrap.import_contract)
app.callback()(version.whole)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; every failure leaves with its exit code and a message, never with a traceback."""
    accept_every_name()
    for number in (signal.SIGTERM, signal.SIGHUP):  # leave as after an error: temporary folders hold what was delivered
        signal.signal(number, lambda given, _: sys.exit(128 + given))
    os.environ["RUST_BACKTRACE"] = "0"  # a panic of a library would print its stack beside our message
    try:
        app(arguments, standalone_mode=True)
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # Click leaves with 1, which here means a broken promise
            sys.exit(UNANSWERED)
        raise
    except ContractCoreError as error:
        typer.echo(str(error), err=True)
        sys.exit(UNANSWERED)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        typer.echo(f"input or output failed: {reason}\n    nothing more was done; repair it and try again", err=True)
        sys.exit(UNANSWERED)
    except BaseException as error:  # noqa: BLE001 - the edge: texts and panics of libraries may quote a value, a class does not
        place = _own_place(error)
        typer.echo(
            f"contract-gate stopped at {place}: {type(error).__name__}\n    this is a fault of ours: report it with that place",
            err=True,
        )
        sys.exit(UNANSWERED)
    sys.exit(0)


def _own_place(error: BaseException) -> str:
    """Where in our own code an unexpected error passed last, without its text."""
    place, trace = "the start", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.startswith("contract_"):
            place = f"{name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


if __name__ == "__main__":
    main()
