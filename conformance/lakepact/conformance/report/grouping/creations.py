"""Creations that a server reports as done, and whose objects are not found afterwards."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Wrong
from lakepact.conformance.report.grouping.cases import NOT_FOUND, Finding

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
        creations: dict[frozenset[str], ExchangeLine] = {}
        #: By check, the creations whose objects no request found.
        self._of_check: dict[str, list[ExchangeLine]] = defaultdict(list)
        for line in sorted(exchanges, key=lambda line: line["number"]):
            operation, status = line["operation"] or "", line["response"]["status"]
            objects, body = frozenset(line.get("objects", ())), line["request"]["body"]
            for names in [names for names in creations if names <= objects]:
                creation = creations[names]
                is_other = LOWEST_ERROR <= status != NOT_FOUND
                if is_other or creation["operation"] == operation or CREATES in body:
                    continue
                (lost if status == NOT_FOUND else stored)[str(creation["operation"])] += 1
                if status != NOT_FOUND:
                    self._of_check[creation["check"]].remove(creation)
                del creations[names]
            is_staged = STAGED in body.replace(" ", "")
            if operation.startswith(CREATING) and 200 <= status < LOWEST_ERROR and not is_staged:
                creations[objects] = line
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
        if line is None:
            return ""
        for creation in self._of_check.get(line["check"], ()):
            operation = str(creation["operation"])
            is_before = creation["number"] <= line["number"]
            is_near = bool({*creation.get("objects", ())} & finding.objects)
            if operation in self._operations and is_before and is_near:
                is_again = finding.operation == operation and finding.status < LOWEST_ERROR
                is_absent = finding.status == NOT_FOUND or finding.is_about(Kind.MISSING)
                if is_absent or is_again or (finding.accepts and finding.wrong == Wrong.PRESENT):
                    return operation
        return ""
