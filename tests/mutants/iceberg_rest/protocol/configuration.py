"""A configuration that is incomplete, misspelled or untrue."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_answer,
    on_call,
    on_request,
    on_status,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from mutants.operators import refuse_calls, refuse_requests


def config(edit: Callable[[dict[str, Any]], Any]) -> Install:
    """Change the configuration."""
    return on_answer(op.get_config, edit)


def without(member: str) -> Callable[[dict[str, Any]], None]:
    """Take a member away."""

    def edit(document: dict[str, Any]) -> None:
        del document[member]

    return edit


def _not_served(_: Handler, __: dict[str, Any]) -> Reply:
    raise Problem(406, "UnsupportedOperationException", "this server does not offer the operation")


def _no_route(scope: Scope) -> None:
    raise Problem(404, "NotFoundException", f"no route for {scope['path']}")


def endpoints(edit: Callable[[list[str]], list[Any]]) -> Install:
    """Declare other endpoints."""

    def change(document: dict[str, Any]) -> None:
        document["endpoints"] = edit(document["endpoints"])

    return config(change)


@fault("IRC-CFG-018")
def config_changes() -> Install:
    counted = itertools.count()

    def act(handler: Handler, arguments: Arguments) -> Reply:
        document = handler(**arguments).document
        return json_reply(
            {**document, "endpoints": document["endpoints"][: None if next(counted) % 2 else -1]}
        )

    return on_call(op.get_config, act)


FAULTS = {
    "config-needs-a-warehouse IRC-CFG-004": refuse_calls(
        op.get_config,
        lambda arguments: "warehouse" not in arguments,
        Problem(404, "NotFoundException", "which warehouse?"),
    ),
    "warehouses-as-they-are-spelled IRC-CFG-006": refuse_requests(
        op.get_config,
        lambda scope: b"%" in scope["query_string"],
        Problem(400, "BadRequestException", "there is no such warehouse"),
    ),
    "config-without-defaults IRC-CFG-001": config(without("defaults")),
    "config-without-overrides IRC-CFG-001": config(without("overrides")),
    "config-defaults-null IRC-CFG-001": config(lambda d: {**d, "defaults": None}),
    "config-with-numbers IRC-CFG-002": config(lambda d: {**d, "defaults": {"clients": 4}}),
    "config-with-objects IRC-CFG-002": config(
        lambda d: {**d, "overrides": {"s3": {"region": "x"}}}
    ),
    "any-warehouse-will-do IRC-CFG-005": on_call(op.get_config, lambda handler, _: handler()),
    "config-is-forbidden IRC-CFG-007": on_status(op.get_config, {200: 403}),
    "endpoints-as-text IRC-CFG-008": config(
        lambda d: {**d, "endpoints": ", ".join(d["endpoints"])}
    ),
    "endpoints-as-objects IRC-CFG-008": endpoints(
        lambda given: [{"method": e.split()[0], "path": e.split()[1]} for e in given]
    ),
    "endpoints-with-two-spaces IRC-CFG-009": endpoints(
        lambda given: [e.replace(" ", "  ") for e in given]
    ),
    "endpoints-with-other-names IRC-CFG-010": endpoints(
        lambda given: [e.replace("{namespace}", "{ns}") for e in given]
    ),
    "endpoints-without-a-prefix IRC-CFG-010": endpoints(
        lambda given: [e.replace("/{prefix}", "") for e in given]
    ),
    "endpoints-in-capitals IRC-CFG-010": endpoints(
        lambda given: [e.replace("/namespaces", "/Namespaces") for e in given]
    ),
    "endpoints-with-trailing-slashes IRC-CFG-010": endpoints(
        lambda given: [f"{e}/" for e in given]
    ),
    "endpoints-with-methods-in-lower-case IRC-CFG-009": endpoints(
        lambda given: [f"{e.partition(' ')[0].lower()} {e.partition(' ')[2]}" for e in given]
    ),
    "endpoints-promise-views IRC-CFG-011": on_request(
        (
            op.list_views,
            op.create_view,
            op.load_view,
            op.replace_view,
            op.drop_view,
            op.view_exists,
        ),
        _no_route,
    ),
    "endpoints-promise-credentials IRC-CFG-011": on_call(op.load_credentials, _not_served),
    "endpoints-hide-half IRC-CFG-012": endpoints(lambda given: given[::2]),
    "endpoints-hide-renaming IRC-CFG-012": endpoints(
        lambda given: [e for e in given if "rename" not in e]
    ),
    "defaults-not-served IRC-CFG-013": all_of(
        config(without("endpoints")), on_call(op.rename_table, _not_served)
    ),
    "heads-without-endpoints IRC-CFG-014": config(without("endpoints")),
    "heads-always-miss IRC-CFG-015": on_status((op.namespace_exists, op.table_exists), {204: 404}),
    "heads-always-hit IRC-CFG-015": on_status((op.namespace_exists, op.table_exists), {404: 204}),
    "endpoints-empty IRC-CFG-016": config(lambda d: {**d, "endpoints": []}),
    "endpoints-twice IRC-CFG-017": endpoints(lambda given: given + given[:1]),
    "config-with-secrets IRC-CFG-020": config(
        lambda document: document["defaults"].update({"s3.secret-access-key": "wJalrXUtnFEMI"})
    ),
    "config-with-secrets-of-an-account IRC-CFG-020": config(
        lambda d: {
            **d,
            "overrides": {**d["overrides"], "adls.sas-token.account.dfs.core.windows.net": "sig=0"},
        }
    ),
}
