"""Answers that end otherwise than they should, or than they say."""

from __future__ import annotations

from typing import Any

from lakepact.reference_server.faults import Fault, instead

from .capabilities import said
from .ways.wrapped import on_all

END = {"endStreamAction": {"minUrlExpirationTimestamp": 4102444800000}}
FLAG = b"includeendstreamaction=true"


def _always(lines: list[Any]) -> None:
    """End each answer, whoever asks."""
    if "endStreamAction" not in lines[-1]:
        lines.append(END)


def _never(lines: list[Any]) -> list[Any]:
    return [line for line in lines if "endStreamAction" not in line]


def _first(lines: list[Any]) -> list[Any]:
    """Say the end after the first two lines."""
    return [*lines[:2], *(line for line in lines[2:] if "endStreamAction" in line), *_never(lines[2:])]


def _twice(lines: list[Any]) -> list[Any]:
    return [*lines, *(line for line in lines if "endStreamAction" in line)]


def _announced(value: bytes) -> bytes:
    return value if FLAG in value else value + b";" + FLAG


def _with_tokens(lines: list[Any]) -> None:
    """Send a token for the next page, which is empty, whoever asks."""
    if "endStreamAction" not in lines[-1]:
        lines.append({"endStreamAction": {"refreshToken": "another-time"}})


FAULTS = (
    Fault("answers-always-end", "Every answer has an endStreamAction, whoever asks.", ("DS-ESA-02", "DS-DF-05"), on_all(_always)),
    Fault(
        "ends-are-sent-to-everybody",
        "Queries and changes end with an endStreamAction, whoever asks.",
        ("DS-ESA-02", "DS-DF-05"),
        instead("rules", "end-is-wanted", lambda _, **__: True),
    ),
    Fault("everybody-gets-a-token", "Every answer ends with a token, whoever asks.", ("DS-DF-05",), on_all(_with_tokens)),
    Fault(
        "ends-are-announced-and-missing",
        "The endStreamAction that a header announces is missing.",
        ("DS-ESA-03", "DS-ESA-04"),
        on_all(_never),
    ),
    Fault("ends-are-announced-everywhere", "Every header announces an endStreamAction.", ("DS-ESA-03",), said(_announced)),
    Fault(
        "ends-are-not-announced",
        "No header announces the endStreamAction that was asked for.",
        ("DS-ESA-07",),
        said(lambda value: value.replace(b";" + FLAG, b"")),
    ),
    Fault("ends-come-first", "The endStreamAction comes before the files.", ("DS-ESA-04",), on_all(_first)),
    Fault("answers-end-twice", "There are two endStreamActions.", ("DS-ESA-04",), on_all(_twice)),
)
