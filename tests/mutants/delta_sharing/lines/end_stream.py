"""Answers that end otherwise than they should, or than they say."""

from __future__ import annotations

from typing import Any

from lakepact.reference_server.faults import fault, replace_rule
from mutants.delta_sharing.operators.wrapped import on_all
from mutants.delta_sharing.protocol.capabilities import on_capabilities

END = {"endStreamAction": {"minUrlExpirationTimestamp": 4102444800000}}
FLAG = b"includeendstreamaction=true"


def _never(lines: list[Any]) -> list[Any]:
    return [line for line in lines if "endStreamAction" not in line]


@fault("DS-ESA-02", "DS-DF-05", by=on_all)
def answers_always_end(lines: list[Any]) -> None:
    if "endStreamAction" not in lines[-1]:
        lines.append(END)


@fault("DS-DF-05", by=on_all)
def tokens_are_sent_to_all_clients(lines: list[Any]) -> None:
    if "endStreamAction" not in lines[-1]:
        lines.append({"endStreamAction": {"refreshToken": "another-time"}})


@fault("DS-EST-07", by=on_all)
def failures_have_another_name(lines: list[Any]) -> None:
    for line in lines:
        if "endStreamAction" in line:
            line["endStreamAction"] = {"endStreamAction": "the files could not be listed"}


FAULTS = {
    "ends-are-sent-to-all-clients DS-ESA-02 DS-DF-05": replace_rule(
        "needs_end", lambda _, **__: True
    ),
    "ends-are-announced-and-missing DS-ESA-03 DS-ESA-04": on_all(_never),
    "ends-are-announced-everywhere DS-ESA-03": on_capabilities(
        lambda value: value if FLAG in value else value + b";" + FLAG
    ),
    "ends-are-not-announced DS-ESA-07": on_capabilities(
        lambda value: value.replace(b";" + FLAG, b"")
    ),
    "ends-come-first DS-ESA-04": on_all(
        lambda lines: [
            *lines[:2],
            *(line for line in lines[2:] if "endStreamAction" in line),
            *_never(lines[2:]),
        ]
    ),
    "answers-end-twice DS-ESA-04": on_all(
        lambda lines: [*lines, *(line for line in lines if "endStreamAction" in line)]
    ),
}
