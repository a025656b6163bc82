"""`lakepact check-client`: judge a client by its requests and results while scripts answer."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from lakepact.conformance.clients.lab import Client
from lakepact.conformance.evidence import extras
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.judging import known_failures
from lakepact.conformance.programs.held import HeldProgram
from lakepact.conformance.programs.program import PAGE, Program
from lakepact.conformance.report import output
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.running import plan, runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import embedded
from lakepact.reach.auth import ZenApiKey
from lakepact.reach.options import argument, flag, option, part, with_options
from lakepact.reach.settings import api_key

SECONDS = 30.0  #: that one task may take
MAX_WORKERS = min(4, os.cpu_count() or 1)  #: tasks at a time: each needs a process of the program


@dataclass(frozen=True, kw_only=True)
class ClientOptions:
    """The options of `lakepact check-client`."""

    command: tuple[str, ...] = argument(nargs=-1, type=click.UNPROCESSED)
    contract: str | None = option(
        f"Contract of the client. [default: {suites.with_clients()[0]}]",
        type=click.Choice(suites.with_clients()),
    )
    api_key_env: str | None = option(
        "Environment variable that holds `user:key`, by which a client of watsonx.data logs in.  "
        "[default: it gets a token]",
        "NAME",
    )
    name: str | None = option("Name of the client in reports. [default: the name of its program]")
    output: output.ReportOptions = part(output.ReportOptions)
    timeout: float = option(
        "Seconds that one task may take.",
        default=SECONDS,
        type=click.FloatRange(min=0, min_open=True),
    )
    tasks: bool = flag("List the tasks that a client is given, and end.")
    hold: str | None = option(
        "Show the tasks of one requirement that a script answers, and wait while you perform "
        "them, in a debugger for example; COMMAND, if named, does the others.",
        "REQUIREMENT",
    )


@click.command(context_settings={"allow_interspersed_args": False})
@with_options(ClientOptions)
def check_client(options: ClientOptions) -> None:
    """Judge the client that COMMAND speaks for.

    COMMAND reads tasks from its standard input, one JSON object per line, and answers each with one
    line of JSON. `--tasks` lists the tasks, docs/test-a-client.md describes the lines.

    Exit code: 0 conformant, 1 not conformant, 2 wrong usage, 3 incomplete, by Ctrl-C for example.

    Example: lakepact check-client --report html=report.html -- python my_client.py
    """
    reports, hold = options.output, options.hold
    console = Screen(stderr=reports.json)
    reason, run, program = "", None, Program((), options.timeout)
    with contextlib.ExitStack() as stack:
        try:
            if not options.tasks:
                program = _program(hold, options.command, options.timeout)
                stack.callback(program.stop)
            contract = options.contract or suites.with_clients()[0]
            suite = suites.of_clients(contract, reports.contract_version)
            if options.tasks:
                for task, sentence in suite.lab.tasks.items():
                    click.echo(f"{task:<24} {sentence}")
                return
            extras.require(*suite.libraries)
            key = options.api_key_env
            login = _login(suite.contract.name, key) if key else ""
            selection = plan.plan(suite, only=(hold,) if hold else reports.only, each=True)
            files = output.report_files(reports.report, make_folders=reports.make_folders)
            failures = known_failures.read(reports.known_failures, suite.contract.requirements)
        except (LookupError, ValueError) as wrong:
            raise click.UsageError(str(wrong.args[0] if wrong.args else wrong)) from wrong
        if hold:
            click.echo(f"{hold}: {suite.requirement(hold).sentence}", err=True)
        name = options.name or _client_name(options.command)
        try:
            program.check_running()
            server = stack.enter_context(embedded(suite))
            client = Client(
                server.url,
                headers=server.headers,
                parameters=server.parameters,
                shared_files=server.shared_files,
                name=name,
                program=program,
                login=login,
            )
            run = runner.Run(
                selection, client, known_failures=failures, max_workers=1 if hold else MAX_WORKERS
            )
            stack.enter_context(_stop_on_ctrl_c(program))
            for _ in output.progress_of(run, console):
                pass
            if program.failure:
                run.verdicts.clear()  # meaningless for a program that performs no task
                reason = f"the client performs no task, such as {program.failure}; {PAGE}"
        except (Blocked, KeyboardInterrupt) as early:
            reason = output.stop_reason(early)
            run = run or runner.Run(
                selection, Client("http://127.0.0.1", name=name, program=program)
            )
    sys.exit(output.write(run, files, console, reports, verb="check-client", stopped=reason))


def _login(contract: str, variable: str) -> str:
    """Return the Authorization of `user:key` in an environment variable.

    Raises:
        ValueError: the variable holds none, or clients of the contract send none.
    """
    key = api_key(variable)
    if contract != "watsonx_data" or not isinstance(key, ZenApiKey):
        raise ValueError("--api-key-env names `user:key` of --contract watsonx_data")
    return key.header


def _program(hold: str | None, command: Sequence[str], seconds: float) -> Program:
    """Return the program of a client, started if a command is named; a person performs tasks to
    hold.

    Raises:
        ValueError: there is no program of that name.
    """
    existing = _existing_command(command) if command or not hold else ()
    program = (
        HeldProgram(
            existing, seconds, show=partial(click.echo, err=True), read=sys.stdin.buffer.readline
        )
        if hold
        else Program(existing, seconds)
    )
    if command:
        program.start()
    return program


@contextlib.contextmanager
def _stop_on_ctrl_c(program: Program) -> Generator[None]:
    """End the client's program first on Ctrl-C, since it runs in a session of its own and tasks
    wait for it.
    """

    def interrupt(*_: object) -> None:
        program.stop()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _existing_command(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command, if its program exists.

    Raises:
        ValueError: no program is named, or there is none of that name.
    """
    if not command:
        raise ValueError(
            "name the command that speaks for the client behind --, for example: lakepact"
            " check-client -- python my_client.py"
        )
    if shutil.which(command[0]) is None:
        raise ValueError(f"there is no program {command[0]}")
    return tuple(command)


def _client_name(command: Sequence[str]) -> str:
    """Return the name of a client from its command: the executed file. The arguments may be
    secret.
    """
    files = [word for word in command if os.path.isfile(word)]  # noqa: PTH113 - Path.is_file() fails for words longer than a name
    return Path(files[-1] if files else [*command, "client"][0]).name
