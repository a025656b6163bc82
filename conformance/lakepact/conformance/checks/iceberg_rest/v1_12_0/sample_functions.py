"""Functions of the reference server that checks run against: overloads, names, nested types, and a
function that returns a table.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.evidence.exchanges import Document

NAMESPACE = "lakepact_functions"


def definition(*types: Any, returns: Any, kind: str = "udf", **members: Any) -> Document:
    """Return a definition for parameters of some types."""
    names = [one if isinstance(one, str) else one["type"] for one in types]
    return {
        "definition-id": ",".join(names),
        "parameters": [{"name": f"p{number}", "type": one} for number, one in enumerate(types)],
        "return-type": returns,
        "function-type": kind,
        "versions": [
            {
                "version-id": number,
                "timestamp-ms": number,
                "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1"}],
            }
            for number in (1, 2)
        ],
        "current-version-id": 2,
        **members,
    }


def function(name: str, number: int, *definitions: Document) -> Document:
    """Return a function as the file of a server has it."""
    versions = [{"definition-id": one["definition-id"], "version-id": 2} for one in definitions]
    metadata = {
        "function-uuid": f"00000000-0000-4000-8000-{number:012}",
        "format-version": 1,
        "definitions": list(definitions),
        "definition-log": [{"timestamp-ms": 2, "definition-versions": versions}],
        "doc": "a sample",
    }
    return {"namespace": [NAMESPACE], "name": name, "metadata": metadata}


LIST = {"type": "list", "element": "string"}
ROW = {
    "type": "struct",
    "fields": [{"name": "word", "type": "string"}, {"name": "count", "type": "long"}],
}
SAMPLES = [
    function(
        "add_one",
        1,
        definition("int", returns="int", **{"specific-name": "of_int"}),
        definition("long", returns="long"),
    ),
    function("count_words", 2, definition(LIST, returns=ROW, kind="udtf")),
    function(
        "scaled",
        3,
        definition(
            "decimal(9,2)", "int", returns="decimal(9,2)", **{"specific-name": "of_decimal"}
        ),
    ),
]
