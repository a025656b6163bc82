"""Answers that end otherwise than they should, or than they say."""

from __future__ import annotations

from functools import partial
from typing import Any

from lakepact.reference_server.faults import Install, fault, replace_rule
from mutants.delta_sharing.operators.wrapped import on_all
from mutants.delta_sharing.protocol.capabilities import said

END = {"endStreamAction": {"minUrlExpirationTimestamp": 4102444800000}}
FLAG = b"includeendstreamaction=true"


def _never(lines: list[Any]) -> list[Any]:
    return [line for line in lines if "endStreamAction" not in line]


@fault("DS-ESA-02", "DS-DF-05", by=partial(on_all))
def answers_always_end(lines: list[Any]) -> None:
    """Every answer has an endStreamAction, whoever asks."""
    if "endStreamAction" not in lines[-1]:
        lines.append(END)


@fault("DS-ESA-02", "DS-DF-05")
def ends_are_sent_to_all_clients() -> Install:
    """Queries and changes end with an endStreamAction, whoever asks."""
    return replace_rule("end_is_wanted", lambda _, **__: True)


@fault("DS-DF-05", by=partial(on_all))
def tokens_are_sent_to_all_clients(lines: list[Any]) -> None:
    """Every answer ends with a token, whoever asks."""
    if "endStreamAction" not in lines[-1]:
        lines.append({"endStreamAction": {"refreshToken": "another-time"}})


@fault("DS-ESA-03", "DS-ESA-04")
def ends_are_announced_and_missing() -> Install:
    """The endStreamAction that a header announces is missing."""
    return on_all(_never)


@fault("DS-ESA-03", by=partial(said))
def ends_are_announced_everywhere(value: bytes) -> bytes:
    """Every header announces an endStreamAction."""
    return value if FLAG in value else value + b";" + FLAG


@fault("DS-ESA-07")
def ends_are_not_announced() -> Install:
    """No header announces the endStreamAction that was asked for."""
    return said(lambda value: value.replace(b";" + FLAG, b""))


@fault("DS-ESA-04", by=partial(on_all))
def ends_come_first(lines: list[Any]) -> list[Any]:
    """The endStreamAction comes before the files."""
    return [*lines[:2], *(line for line in lines[2:] if "endStreamAction" in line), *_never(lines[2:])]


@fault("DS-ESA-04", by=partial(on_all))
def answers_end_twice(lines: list[Any]) -> list[Any]:
    """There are two endStreamActions."""
    return [*lines, *(line for line in lines if "endStreamAction" in line)]


@fault("DS-EST-07", by=partial(on_all))
def failures_have_another_name(lines: list[Any]) -> None:
    """A failure is said in a member that no client knows."""
    for line in lines:
        if "endStreamAction" in line:
            line["endStreamAction"] = {"endStreamAction": "the files could not be listed"}
