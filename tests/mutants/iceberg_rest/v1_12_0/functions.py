"""Faults of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, on_answer
from lakepact.reference_server.http.problems import Problem
from mutants.operators import refuse_calls

ABSENT = Problem(404, "NoSuchFunctionException", "Function does not exist")


def in_metadata(edit: Callable[[Any], object]) -> Install:
    """Change the metadata of functions that are loaded."""

    def change(document: Any) -> None:
        edit(document["metadata"])

    return on_answer(op.load_function, change, status=200)


def in_definitions(edit: Callable[[Any], object]) -> Install:
    """Change every definition of functions that are loaded."""
    return in_metadata(lambda metadata: [edit(one) for one in metadata["definitions"]])


def as_type(kind: str) -> Callable[[Any], Any]:
    """Give errors of one type another type."""
    return lambda document: (
        document["error"].update(type="NotFoundException")
        if document["error"]["type"] == kind
        else None
    )


def renamed(metadata: Any) -> None:
    """Write ids of definitions with spaces, in the log as well."""
    refs = [ref for entry in metadata["definition-log"] for ref in entry["definition-versions"]]
    for one in [*metadata["definitions"], *refs]:
        one["definition-id"] = one["definition-id"].replace(",", ", ") + " "


FAULTS = {
    "functions-without-namespaces IRC-FN-001": on_answer(
        op.list_functions,
        lambda document: document.update(identifiers=[one[-1:] for one in document["identifiers"]]),
        status=200,
    ),
    "lists-functions-nowhere-with-another-type IRC-FN-002": on_answer(
        op.list_functions, as_type("NoSuchNamespaceException"), status=404
    ),
    "functions-on-the-first-page-alone IRC-FN-003": on_answer(
        op.list_functions, lambda document: document.update({"next-page-token": None}), status=200
    ),
    "listed-functions-are-missing IRC-FN-004": refuse_calls(
        op.load_function, lambda arguments: arguments["function"] == "count_words", ABSENT
    ),
    "functions-without-log IRC-FN-005": in_metadata(
        lambda metadata: metadata.pop("definition-log")
    ),
    "missing-functions-with-another-type IRC-FN-006": on_answer(
        op.load_function, as_type("NoSuchFunctionException"), status=404
    ),
    "functions-nowhere-with-another-type IRC-FN-007": on_answer(
        op.load_function, as_type("NoSuchNamespaceException"), status=404
    ),
    "current-versions-that-do-not-exist IRC-FN-008": in_definitions(
        lambda one: one.update({"current-version-id": 9})
    ),
    "logs-of-versions-that-do-not-exist IRC-FN-009": in_metadata(
        lambda metadata: metadata["definition-log"][0]["definition-versions"][0].update(
            {"version-id": 9}
        )
    ),
    "one-specific-name-for-all IRC-FN-010": in_definitions(
        lambda one: one.update({"specific-name": "any"})
    ),
    "tables-of-one-value IRC-FN-011": in_definitions(
        lambda one: one.update({"return-type": "string"})
    ),
    "types-with-spaces IRC-FN-012": in_definitions(
        lambda one: (
            one.update({"return-type": one["return-type"].replace(",", ", ")})
            if isinstance(one["return-type"], str)
            else None
        )
    ),
    "definition-ids-with-spaces IRC-FN-013": in_metadata(renamed),
}
