"""The impact of broken requirements on published clients, as `specs/impact/<contract>.json` has it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from lakepact.codegen.documents import Broken, from_json

OUTCOMES = ("wrong", "fails", "refuses", "works", "not-called")


def impact(file: Path, requirements: Collection[str]) -> bytes:
    """Return the measurements of a contract as they are written.

    Args:
        file: the measurements.
        requirements: the ids of the contract, in any version.

    Raises:
        Broken: A measurement names an unknown requirement, client or outcome.
    """
    content = file.read_bytes()
    measured = from_json(content)
    for requirement, entry in measured["requirements"].items():
        unknown = [] if requirement in requirements else ["the requirement"]
        unknown += [f"the client {client}" for client in entry["clients"] if client not in measured["clients"]]
        unknown += [f"the outcome {found['outcome']}" for found in entry["clients"].values() if found["outcome"] not in OUTCOMES]
        if unknown:
            raise Broken(f"impact/{file.name}, {requirement}: unknown: {', '.join(unknown)}")
    return content
