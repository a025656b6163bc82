"""Creations that a server reports as done, and whose objects are not found afterwards."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Wrong
from lakepact.conformance.report.grouping.cases import NOT_FOUND, Finding, resource_of

if TYPE_CHECKING:
    from lakepact.generated.report import ExchangeLine

CREATING = ("create", "register")  #: the first words of operations that make an object
STAGED = '"stage-create":true'  #: in the body of a creation that stores nothing
CREATES = '"assert-create"'  #: in the body of a commit that creates a table
#: Objects of an operation that are not found, from which on the operation stores nothing; as many
#: for each object that is found.
MANY = 10


class LostCreations:
    """The operations that store nothing, and the findings that they explain.

    Args:
        exchanges: the exchanges of a report.
    """

    def __init__(self, exchanges: Iterable[ExchangeLine]) -> None:
        lost, stored = Counter[str](), Counter[str]()
        #: By names of objects, the creations that no later request of the kind has decided.
        undecided: dict[frozenset[str], ExchangeLine] = {}
        #: By check, the creations whose objects no request found.
        self._of_check: dict[str, list[ExchangeLine]] = defaultdict(list)
        for line in sorted(exchanges, key=lambda line: line["number"]):
            operation, status = line["operation"] or "", line["response"]["status"]
            objects, body = frozenset(line.get("objects", ())), line["request"]["body"]
            creation = undecided.get(objects)
            if creation is not None and _decides(line, creation):
                (lost if status == NOT_FOUND else stored)[str(creation["operation"])] += 1
                if status != NOT_FOUND:
                    self._of_check[creation["check"]].remove(creation)
                del undecided[objects]
            is_staged = STAGED in body.replace(" ", "")
            is_accepted = 200 <= status < LOWEST_ERROR and not is_staged
            if objects and is_accepted and operation.startswith(CREATING):
                undecided[objects] = line
                self._of_check[line["check"]].append(line)
        self._operations = {
            operation
            for operation, number in lost.items()
            if number >= MANY * (stored[operation] + 1)
        }

    def of(self, finding: Finding) -> str:
        """Return the operation that explains a finding, as it stored nothing before; empty if none
        does.
        """
        line = finding.exchange
        if line is None or not _shows_absence(finding):
            return ""
        operations = (
            str(creation["operation"])
            for creation in self._of_check.get(line["check"], ())
            if creation["number"] <= line["number"]
            and not finding.objects.isdisjoint(creation.get("objects", ()))
        )
        return next((each for each in operations if each in self._operations), "")


def _decides(line: ExchangeLine, creation: ExchangeLine) -> bool:
    """Return whether a request shows if the object of an earlier creation is there."""
    operation, status = line["operation"] or "", line["response"]["status"]
    creating = str(creation["operation"])
    return (
        operation != creating
        and resource_of(operation) == resource_of(creating)
        and (status < LOWEST_ERROR or status == NOT_FOUND)
        and CREATES not in line["request"]["body"]
    )


def _shows_absence(finding: Finding) -> bool:
    """Return whether an answer shows that an object is not there: it is not found or not listed, or
    can be created again.
    """
    line = finding.exchange
    is_race = line is not None and "concurrent" in line and finding.operation.startswith(CREATING)
    is_unlisted = finding.operation.startswith("list") and finding.is_about(Kind.MISSING)
    is_again = finding.accepts and finding.wrong == Wrong.PRESENT
    return finding.status == NOT_FOUND or is_unlisted or is_again or is_race
