"""Checks of functions. No operation of the contract creates one, so they look at those that the
target has.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    Namespace,
    NotOffered,
    Place,
    Reply,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.v1_12_0.suite import SCHEMAS, check

MOST_NAMESPACES = 30  #: that are searched for functions
MOST_FUNCTIONS = 20  #: that are loaded
FORBIDDEN = frozenset(" \t\n\"'`")  #: characters that a type must not contain


class FunctionListing(NamedTuple):
    """A namespace, and the listing of its functions."""

    namespace: Namespace
    listing: Reply

    @property
    def names(self) -> list[str]:
        """The names of the functions."""
        return [identifier[-1] for identifier in self.listing.at("identifiers")]


def find_functions(lab: CatalogLab) -> FunctionListing:
    """Return a namespace of the target that has functions.

    Raises:
        NotOffered: it names none, and none at the top level has some.
    """
    parameter = lab.target.parameters.get("function-namespace")
    namespaces = (
        [parameter.split(".")]
        if parameter
        else lab.require(lab.send(op.list_namespaces), 200).at("namespaces")[:MOST_NAMESPACES]
    )
    for namespace in namespaces:
        listing = lab.send(op.list_functions, namespace=tuple(namespace))
        if listing.status == 200 and listing.document.get("identifiers"):
            return FunctionListing(tuple(namespace), listing)
    raise NotOffered(
        "no namespace of the target has functions; --parameter function-namespace=… names one"
    )


def load_functions(lab: CatalogLab) -> Iterator[tuple[str, Reply]]:
    """Yield the names of functions of the target, and the answers to loading them.

    Raises:
        NotOffered: it has none.
    """
    functions = find_functions(lab)
    for name in functions.names[:MOST_FUNCTIONS]:
        yield name, lab.send(op.load_function, namespace=functions.namespace, function=name)


def definitions_of(lab: CatalogLab) -> Iterator[tuple[Reply, list[Document], Place]]:
    """Yield the answer, the definitions and their place for each function that can be loaded.

    Raises:
        StepFailed: one cannot be loaded, or has no definitions.
    """
    for name, reply in load_functions(lab):
        with lab.step("IRC-FN-004"):
            expect.status(reply, 200, about=f"for the function {name}")
        with lab.step("IRC-FN-005"):
            _fits(reply)
        yield reply, reply.at("metadata", "definitions"), reply.place("metadata", "definitions")


def _fits(reply: Reply) -> None:
    for component, flaw in SCHEMAS.flaws_in(reply.exchange).items():
        if flaw is not None:
            at = Place(
                reply.exchange,
                f"/body{SCHEMAS.invalid_instance(component, reply.exchange).pointer}",
            )
            raise expect.unmet(
                f"{component} as its schema says", reply.exchange.redact(flaw), at=at
            )


@check("IRC-FN-001", "IRC-FN-002")
def list_functions_returns_identifiers(lab: CatalogLab) -> None:
    """Listing functions returns 200 and identifiers with the levels of the namespace and a name,
    and 404 for a missing namespace.
    """
    empty = lab.make_namespace()
    listings = [FunctionListing(empty, lab.send(op.list_functions, namespace=empty))]
    with contextlib.suppress(NotOffered):  # an empty listing is one too
        listings.append(find_functions(lab))
    with lab.judge_each("IRC-FN-001") as case:
        for namespace, listing in listings:
            with case():
                expect.status(listing, 200)
                identifiers, at = listing.at("identifiers"), listing.place("identifiers")
                expect.true(
                    isinstance(identifiers, list),
                    "an array as `identifiers`",
                    expect.excerpt(identifiers),
                    at=at,
                )
                wrong = [
                    identifier
                    for identifier in identifiers
                    if not isinstance(identifier, list) or identifier[:-1] != list(namespace)
                ]
                expect.equal(
                    [], wrong, "identifiers without the levels of the namespace and a name:", at=at
                )
    missing = lab.send(op.list_functions, namespace=(lab.name(),))
    with lab.judge("IRC-FN-002"):
        expect.not_found(missing, "namespace")
        expect.member("NoSuchNamespaceException", missing.place("error", "type"), "error.type")


@check("IRC-FN-003")
def pages_of_functions_have_each_once(lab: CatalogLab) -> None:
    """Pages of one function each have the functions of the whole listing, each once."""
    functions = find_functions(lab)
    with lab.judge("IRC-FN-003"):
        names = [name for page in _pages(lab, functions) for name in page]
        expect.same_items(functions.names, names, "functions on all pages:", at=None)


def _pages(lab: CatalogLab, functions: FunctionListing) -> Iterator[list[str]]:
    """Yield the names on each page of one function, of at most as many pages as there are
    functions.
    """
    token: str | None = ""
    for _ in functions.names:
        page = lab.send(
            op.list_functions, namespace=functions.namespace, page_size=1, page_token=token
        )
        expect.status(page, 200)
        yield [identifier[-1] for identifier in page.at("identifiers")]
        token = page.document.get("next-page-token")
        if not token:
            return


@check("IRC-FN-004", "IRC-FN-005")
def listed_functions_can_be_loaded(lab: CatalogLab) -> None:
    """Loading a function of a listing returns 200 and metadata that fit their schemas."""
    for name, reply in lab.each(load_functions(lab)):
        with lab.judge("IRC-FN-004"):
            expect.status(reply, 200, about=f"for the function {name}")
        lab.require(reply, 200)
        with lab.judge("IRC-FN-005"):
            _fits(reply)


@check("IRC-FN-006", "IRC-FN-007")
def missing_functions_return_404(lab: CatalogLab) -> None:
    """Loading a missing function returns 404 and NoSuchFunctionException; in a missing namespace,
    NoSuchNamespaceException.
    """
    absent = lab.send(op.load_function, namespace=lab.make_namespace(), function=lab.name())
    with lab.judge("IRC-FN-006"):
        expect.not_found(absent, "function")
        expect.member("NoSuchFunctionException", absent.place("error", "type"), "error.type")
    nowhere = lab.send(op.load_function, namespace=(lab.name(),), function=lab.name())
    with lab.judge("IRC-FN-007"):
        expect.not_found(nowhere, "namespace")
        expect.member("NoSuchNamespaceException", nowhere.place("error", "type"), "error.type")


@check("IRC-FN-008", "IRC-FN-009")
def versions_of_functions_exist(lab: CatalogLab) -> None:
    """Current versions and those in the log are versions of the definitions of the function."""
    for reply, definitions, at in lab.each(definitions_of(lab)):
        versions = {
            definition["definition-id"]: {
                version["version-id"] for version in definition["versions"]
            }
            for definition in definitions
        }
        with lab.judge_each("IRC-FN-008") as case:
            for number, one in enumerate(definitions):
                with case():
                    current = one["current-version-id"]
                    place = at.within(number, "current-version-id")
                    expect.one_of(
                        sorted(versions[one["definition-id"]]),
                        current,
                        "the current version",
                        at=place,
                    )
        with lab.judge("IRC-FN-009"):
            log = reply.at("metadata", "definition-log")
            references = [ref for entry in log for ref in entry["definition-versions"]]
            unknown = [
                ref
                for ref in references
                if ref["version-id"] not in versions.get(ref["definition-id"], ())
            ]
            expect.equal(
                [],
                unknown,
                "versions in the log that no definition has:",
                at=reply.place("metadata", "definition-log"),
            )


@check("IRC-FN-010", "IRC-FN-011", "IRC-FN-012", "IRC-FN-013")
def definitions_are_consistent(lab: CatalogLab) -> None:
    """Ids and specific names of definitions are unique, types have no spaces or quotes, and tables
    are structs.
    """
    for _, definitions, at in lab.each(definitions_of(lab)):
        names = Counter(
            definition["specific-name"]
            for definition in definitions
            if "specific-name" in definition
        )
        with lab.judge("IRC-FN-010"):
            expect.equal(
                [],
                [name for name, count in names.items() if count > 1],
                "specific names of several definitions:",
                at=at,
            )
        ids = Counter(definition["definition-id"] for definition in definitions)
        for number, one in lab.each(enumerate(definitions)):
            place = at.within(number)
            types = [*(parameter["type"] for parameter in one["parameters"]), one["return-type"]]
            with lab.judge("IRC-FN-011"):
                is_struct = (
                    isinstance(one["return-type"], dict) and one["return-type"]["type"] == "struct"
                )
                sound = one["function-type"] != "udtf" or is_struct
                expect.true(
                    sound,
                    "a struct as the return-type of a udtf",
                    expect.excerpt(one["return-type"]),
                    at=place.within("return-type"),
                )
            with lab.judge("IRC-FN-012"):
                wrong = [
                    text for each in types for text in _spellings(each) if FORBIDDEN & set(text)
                ]
                expect.equal([], wrong, "types with a space or a quote:", at=place)
            with lab.judge("IRC-FN-013"):
                identifier, id_place = one["definition-id"], place.within("definition-id")
                expect.equal(
                    1,
                    ids[identifier],
                    f"definitions with the id {identifier}:",
                    at=id_place,
                    kind=Kind.SURPLUS,
                )
                if all(isinstance(parameter["type"], str) for parameter in one["parameters"]):
                    canonical = ",".join(parameter["type"] for parameter in one["parameters"])
                    expect.equal(
                        canonical,
                        identifier,
                        "the types of the parameters as definition-id:",
                        at=id_place,
                    )


def _spellings(kind: Any) -> Iterator[str]:
    """Yield the types within a type that are strings."""
    if isinstance(kind, str):
        yield kind
        return
    for member in ("element", "key", "value"):
        if member in kind:
            yield from _spellings(kind[member])
    for field in kind.get("fields", ()):
        yield from _spellings(field["type"])
