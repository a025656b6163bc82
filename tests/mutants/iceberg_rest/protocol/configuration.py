"""A configuration that is incomplete, misspelled or untrue."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, on_answer, on_call, on_request, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.service import Handler, Scope


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


@fault("IRC-CFG-001")
def config_without_defaults() -> Install:
    """The configuration has no defaults."""
    return config(without("defaults"))


@fault("IRC-CFG-001")
def config_without_overrides() -> Install:
    """The configuration has no overrides."""
    return config(without("overrides"))


@fault("IRC-CFG-001")
def config_defaults_null() -> Install:
    """The defaults are null."""
    return config(lambda d: {**d, "defaults": None})


@fault("IRC-CFG-002")
def config_with_numbers() -> Install:
    """Settings are numbers."""
    return config(lambda d: {**d, "defaults": {"clients": 4}})


@fault("IRC-CFG-002")
def config_with_objects() -> Install:
    """Settings are objects."""
    return config(lambda d: {**d, "overrides": {"s3": {"region": "x"}}})


@fault("IRC-CFG-004", by=partial(on_call, op.get_config))
def config_needs_a_warehouse(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Without a warehouse there is no configuration."""
    if "warehouse" not in arguments:
        raise Problem(404, "NotFoundException", "which warehouse?")
    return handler(**arguments)


@fault("IRC-CFG-005", by=partial(on_call, op.get_config))
def any_warehouse_will_do(handler: Handler, _: dict[str, Any]) -> Reply:
    """A warehouse that does not exist is the default one."""
    return handler()


@fault("IRC-CFG-006", by=partial(on_request, op.get_config))
def warehouses_as_they_are_spelled(scope: Scope) -> None:
    """The name of a warehouse is not percent-decoded."""
    if b"%" in scope["query_string"]:
        raise Problem(400, "BadRequestException", "there is no such warehouse")


@fault("IRC-CFG-007")
def config_is_forbidden() -> Install:
    """The configuration is refused."""
    return on_status(op.get_config, {200: 403})


@fault("IRC-CFG-008")
def endpoints_as_text() -> Install:
    """Endpoints are one string."""
    return config(lambda d: {**d, "endpoints": ", ".join(d["endpoints"])})


@fault("IRC-CFG-008")
def endpoints_as_objects() -> Install:
    """Endpoints are objects."""
    return endpoints(lambda given: [{"method": e.split()[0], "path": e.split()[1]} for e in given])


@fault("IRC-CFG-009")
def endpoints_with_two_spaces() -> Install:
    """Verb and path are two spaces apart."""
    return endpoints(lambda given: [e.replace(" ", "  ") for e in given])


@fault("IRC-CFG-010")
def endpoints_with_other_names() -> Install:
    """The placeholders of endpoints have other names."""
    return endpoints(lambda given: [e.replace("{namespace}", "{ns}") for e in given])


@fault("IRC-CFG-010")
def endpoints_without_a_prefix() -> Install:
    """The paths of endpoints lack `{prefix}`."""
    return endpoints(lambda given: [e.replace("/{prefix}", "") for e in given])


@fault("IRC-CFG-010")
def endpoints_in_capitals() -> Install:
    """The paths of endpoints are written in another case."""
    return endpoints(lambda given: [e.replace("/namespaces", "/Namespaces") for e in given])


@fault("IRC-CFG-010")
def endpoints_with_trailing_slashes() -> Install:
    """The paths of endpoints end with a slash."""
    return endpoints(lambda given: [f"{e}/" for e in given])


@fault("IRC-CFG-009")
def endpoints_with_methods_in_lower_case() -> Install:
    """The methods of endpoints are written in lower case."""
    return endpoints(lambda given: [f"{e.partition(' ')[0].lower()} {e.partition(' ')[2]}" for e in given])


@fault("IRC-CFG-011")
def endpoints_promise_views() -> Install:
    """Views are declared, but there are no such routes."""
    return on_request((op.list_views, op.create_view, op.load_view, op.replace_view, op.drop_view, op.view_exists), _no_route)


@fault("IRC-CFG-011")
def endpoints_promise_credentials() -> Install:
    """Credentials of a table are declared, but not served."""
    return on_call(op.load_credentials, _not_served)


@fault("IRC-CFG-012")
def endpoints_hide_half() -> Install:
    """Every other endpoint is not declared."""
    return endpoints(lambda given: given[::2])


@fault("IRC-CFG-012")
def endpoints_hide_renaming() -> Install:
    """Renaming works without being declared."""
    return endpoints(lambda given: [e for e in given if "rename" not in e])


@fault("IRC-CFG-013")
def defaults_not_served() -> Install:
    """No endpoints are declared, and not all of the defaults are served."""
    return all_of(config(without("endpoints")), on_call(op.rename_table, _not_served))


@fault("IRC-CFG-014")
def heads_without_endpoints() -> Install:
    """HEAD is served beyond the defaults, but no endpoints are declared."""
    return config(without("endpoints"))


@fault("IRC-CFG-015")
def heads_always_miss() -> Install:
    """HEAD finds nothing."""
    return on_status((op.namespace_exists, op.table_exists), {204: 404})


@fault("IRC-CFG-015")
def heads_always_hit() -> Install:
    """HEAD finds everything."""
    return on_status((op.namespace_exists, op.table_exists), {404: 204})


@fault("IRC-CFG-016")
def endpoints_empty() -> Install:
    """The list of endpoints is empty."""
    return config(lambda d: {**d, "endpoints": []})


@fault("IRC-CFG-017")
def endpoints_twice() -> Install:
    """Endpoints are listed twice."""
    return endpoints(lambda given: given + given[:1])


@fault("IRC-CFG-018")
def config_changes() -> Install:
    """The configuration is another at every other call."""
    counted = itertools.count()

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        document = handler(**arguments).document
        return json_reply({**document, "endpoints": document["endpoints"][: None if next(counted) % 2 else -1]})

    return on_call(op.get_config, act)


@fault("IRC-CFG-020", by=partial(config))
def config_with_secrets(document: dict[str, Any]) -> None:
    """The configuration contains a secret key."""
    document["defaults"]["s3.secret-access-key"] = "wJalrXUtnFEMI"


@fault("IRC-CFG-020")
def config_with_secrets_of_an_account() -> Install:
    """The configuration contains the token of a storage account."""
    return config(lambda d: {**d, "overrides": {**d["overrides"], "adls.sas-token.account.dfs.core.windows.net": "sig=0"}})
