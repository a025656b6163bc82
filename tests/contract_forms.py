"""The forms of a contract: the document as written, the corrected bundle, and its schemas."""

from __future__ import annotations

from functools import cache

import jsonschema_rs

from codegen.bundles import Bundle, read_bundle
from codegen.contracts import all_sources
from lakepact.generated.contract import Contract

FORMS = ("written", "bundle", "schemas")


@cache
def bundle(contract: str) -> Bundle:
    (source,) = (source for source in all_sources() if source.name == contract)
    return read_bundle(source)


@cache
def validator(contract: str, form: str, schema: str) -> jsonschema_rs.Draft202012Validator:
    """Return the validator of a schema in a form of a contract."""
    document = (
        bundle(contract).source_document if form == "written" else getattr(Contract(contract), form)
    )
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{schema}", "components": document["components"]}
    )
