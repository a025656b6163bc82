"""A configuration that is incomplete, misspelled or untrue."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, all_of, anew, on_answer, on_call, on_request, on_status
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.service import Handler, Scope


def config(edit: Callable[[dict[str, Any]], Any]) -> Install:
    """Change the configuration."""
    return on_answer("getConfig", edit)


def without(member: str) -> Callable[[dict[str, Any]], None]:
    """Take a member away."""

    def edit(document: dict[str, Any]) -> None:
        del document[member]

    return edit


def _not_served(_: Handler, __: dict[str, Any]) -> Reply:
    raise Problem(406, "UnsupportedOperationException", "this server does not offer the operation")


def endpoints(edit: Callable[[list[str]], list[Any]]) -> Install:
    """Declare other endpoints."""

    def change(document: dict[str, Any]) -> None:
        document["endpoints"] = edit(document["endpoints"])

    return config(change)


def _any_warehouse(handler: Handler, _: dict[str, Any]) -> Reply:
    return handler()


def _needs_warehouse(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if "warehouse" not in arguments:
        raise Problem(404, "NotFoundException", "which warehouse?")
    return handler(**arguments)


def _alternating() -> Install:
    """Declare one endpoint less at every other call."""
    counted = itertools.count()

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        document = handler(**arguments).document
        return json_reply({**document, "endpoints": document["endpoints"][: None if next(counted) % 2 else -1]})

    return on_call("getConfig", act)


def _as_it_is_spelled(scope: Scope) -> None:
    if b"%" in scope["query_string"]:
        raise Problem(400, "BadRequestException", "there is no such warehouse")


def _secret(document: dict[str, Any]) -> None:
    document["defaults"]["s3.secret-access-key"] = "wJalrXUtnFEMI"


FAULTS = (
    Fault("config-without-defaults", "The configuration has no defaults.", ("IRC-CFG-001",), config(without("defaults"))),
    Fault("config-without-overrides", "The configuration has no overrides.", ("IRC-CFG-001",), config(without("overrides"))),
    Fault("config-defaults-null", "The defaults are null.", ("IRC-CFG-001",), config(lambda d: {**d, "defaults": None})),
    Fault("config-with-numbers", "Settings are numbers.", ("IRC-CFG-002",), config(lambda d: {**d, "defaults": {"clients": 4}})),
    Fault("config-with-objects", "Settings are objects.", ("IRC-CFG-002",), config(lambda d: {**d, "overrides": {"s3": {"region": "x"}}})),
    Fault(
        "config-needs-a-warehouse",
        "Without a warehouse there is no configuration.",
        ("IRC-CFG-004",),
        on_call("getConfig", _needs_warehouse),
    ),
    Fault(
        "any-warehouse-will-do",
        "A warehouse that does not exist is the default one.",
        ("IRC-CFG-005",),
        on_call("getConfig", _any_warehouse),
    ),
    Fault(
        "warehouses-as-they-are-spelled",
        "The name of a warehouse is not percent-decoded.",
        ("IRC-CFG-006",),
        on_request("getConfig", _as_it_is_spelled),
    ),
    Fault("config-is-forbidden", "The configuration is refused.", ("IRC-CFG-007",), on_status("getConfig", {200: 403})),
    Fault(
        "endpoints-as-text", "Endpoints are one string.", ("IRC-CFG-008",), config(lambda d: {**d, "endpoints": ", ".join(d["endpoints"])})
    ),
    Fault(
        "endpoints-as-objects",
        "Endpoints are objects.",
        ("IRC-CFG-008",),
        endpoints(lambda given: [{"method": e.split()[0], "path": e.split()[1]} for e in given]),
    ),
    Fault(
        "endpoints-with-two-spaces",
        "Verb and path are two spaces apart.",
        ("IRC-CFG-009",),
        endpoints(lambda given: [e.replace(" ", "  ") for e in given]),
    ),
    Fault(
        "endpoints-with-other-names",
        "The placeholders of endpoints have other names.",
        ("IRC-CFG-010",),
        endpoints(lambda given: [e.replace("{namespace}", "{ns}") for e in given]),
    ),
    Fault(
        "endpoints-promise-credentials",
        "Credentials of a table are declared, but not served.",
        ("IRC-CFG-011",),
        on_call("loadCredentials", _not_served),
    ),
    Fault(
        "endpoints-hide-renaming",
        "Renaming works without being declared.",
        ("IRC-CFG-012",),
        endpoints(lambda given: [e for e in given if "rename" not in e]),
    ),
    Fault(
        "defaults-not-served",
        "No endpoints are declared, and not all of the defaults are served.",
        ("IRC-CFG-013",),
        all_of(config(without("endpoints")), on_call("renameTable", _not_served)),
    ),
    Fault(
        "heads-without-endpoints",
        "HEAD is served beyond the defaults, but no endpoints are declared.",
        ("IRC-CFG-014",),
        config(without("endpoints")),
    ),
    Fault("heads-always-miss", "HEAD finds nothing.", ("IRC-CFG-015",), on_status(("namespaceExists", "tableExists"), {204: 404})),
    Fault("heads-always-hit", "HEAD finds everything.", ("IRC-CFG-015",), on_status(("namespaceExists", "tableExists"), {404: 204})),
    Fault("endpoints-empty", "The list of endpoints is empty.", ("IRC-CFG-016",), config(lambda d: {**d, "endpoints": []})),
    Fault("endpoints-twice", "Endpoints are listed twice.", ("IRC-CFG-017",), endpoints(lambda given: given + given[:1])),
    Fault("config-changes", "The configuration is another at every other call.", ("IRC-CFG-018",), anew(_alternating)),
    Fault("config-with-secrets", "The configuration hands out a secret key.", ("IRC-CFG-020",), config(_secret)),
    Fault(
        "config-with-secrets-of-an-account",
        "The configuration hands out the token of a storage account.",
        ("IRC-CFG-020",),
        config(lambda d: {**d, "overrides": {**d["overrides"], "adls.sas-token.account.dfs.core.windows.net": "sig=0"}}),
    ),
)
