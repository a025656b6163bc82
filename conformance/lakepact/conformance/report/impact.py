"""The impact of broken requirements on published clients, as measured with one faulty server for
each requirement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache

from lakepact.conformance.report.grouping.cases import UNCLEAR
from lakepact.generated.contract import Contract, contracts


class Effect(StrEnum):
    """The behaviour of a client on a server that breaks a requirement, the gravest first."""

    WRONG = "wrong"
    FAILS = "fails"
    REFUSES = "refuses"
    WORKS = "works"
    NOT_CALLED = "not-called"


HURTS = (Effect.WRONG, Effect.FAILS, Effect.REFUSES)  #: the client cannot do its task
#: By effect: the predicate of one client, and of several.
PREDICATES = {
    Effect.WRONG: ("returns or writes wrong data", "return or write wrong data"),
    Effect.FAILS: ("fails without a clear error", "fail without a clear error"),
    Effect.REFUSES: ("refuses", "refuse"),
    Effect.WORKS: ("works", "work"),
    Effect.NOT_CALLED: ("sends no such request", "send no such request"),
}


@dataclass(frozen=True, slots=True)
class Harm:
    """The behaviour of one client, and the requirement that the server broke."""

    outcome: Effect
    requirement: str
    task: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Impact:
    """The measurements of one contract."""

    measured_on: str  #: the day
    version: str  #: of the contract
    clients: Mapping[str, str]  #: titles with versions, by name
    requirements: Mapping[str, Mapping[str, Harm]]  #: by id and name of the client
    #: By id: what the suite finds on the server with the measured fault, as `deviations` of
    #: `report.grouping.cases` writes it.
    deviations: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def of_faults(self, deviations: Mapping[str, Collection[str]]) -> Impact:
        """Return the measurements whose faults are among these: by requirement, the deviations that
        a report shows.
        """
        harms_of = {
            requirement: harms
            for requirement, harms in self.requirements.items()
            if (own := self.deviations.get(requirement, ()))
            and not any(deviation.endswith(UNCLEAR) for deviation in own)
            and set(own) <= set(deviations.get(requirement, ()))
        }
        return replace(self, requirements=harms_of)

    def worst(self, requirements: Iterable[str]) -> dict[str, Harm]:
        """Return the worst measurement of each client, the gravest first."""
        order, worst = list(Effect), dict[str, Harm]()
        pairs = [
            pair
            for requirement in requirements
            for pair in self.requirements.get(requirement, {}).items()
        ]
        for client, harm in sorted(pairs, key=lambda pair: order.index(pair[1].outcome)):
            worst.setdefault(client, harm)
        return worst


@cache
def impact_of(contract: str) -> Impact:
    """Return the measurements of a contract; of a contract that has none, without clients."""
    table = Contract(contract).impact if contract in contracts() else {}
    return Impact(
        table.get("measured", ""),
        table.get("version", ""),
        {
            name: f"{client['title'].partition(',')[0]} {client['version']}"
            for name, client in table.get("clients", {}).items()
        },
        {
            requirement: {
                client: Harm(
                    Effect(harm["outcome"]),
                    requirement,
                    harm.get("task", ""),
                    harm.get("detail", ""),
                )
                for client, harm in entry["clients"].items()
            }
            for requirement, entry in table.get("requirements", {}).items()
        },
        {
            requirement: entry.get("deviations", ())
            for requirement, entry in table.get("requirements", {}).items()
        },
    )


def sentence(clients: Mapping[str, str], outcomes: Mapping[str, str]) -> str:
    """Return the clients by outcome in one line, the gravest outcome first.

    Args:
        clients: titles by name.
        outcomes: outcomes by name.
    """
    parts: list[str] = []
    for effect, (one, several) in PREDICATES.items():
        titles = [title for name, title in clients.items() if outcomes.get(name) == effect]
        if titles:
            who = (
                listing(titles)
                if effect in HURTS or len(titles) == 1
                else f"{len(titles)} {'others' if parts else 'clients'}"
            )
            parts.append(f"{who} {one if len(titles) == 1 else several}")
    return "; ".join(parts)


def listing(titles: Sequence[str], word: str = "and") -> str:
    """Return titles as "a, b and c"."""
    return f" {word} ".join(filter(None, (", ".join(titles[:-1]), titles[-1])))
