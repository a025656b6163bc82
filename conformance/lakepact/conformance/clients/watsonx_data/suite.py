"""The suite of clients of watsonx.data, and its lab, which turns the scripted catalog into an
instance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lakepact.conformance.checks.watsonx_data.embedded import CATALOG, launch_settings
from lakepact.conformance.clients.iceberg_rest.kit.lab import TASKS, CatalogClientLab
from lakepact.conformance.clients.iceberg_rest.kit.scripts import ALWAYS, ROUTES, error
from lakepact.conformance.clients.iceberg_rest.protocol.requests import Requests, judge_requests
from lakepact.conformance.clients.lab import Performance, everything
from lakepact.conformance.evidence.exchanges import Members
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.programs.listener import Answer
from lakepact.conformance.programs.scripted_server import Forward, Request, Script, as_it_is
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op

CONTRACT = Contract("watsonx_data")
#: Tasks of operations and parameters that instances do not have.
ABSENT_TASKS = frozenset({"list-child-namespaces", "plan-scan", "report-metrics"})
OFFERED_TASKS = {task: text for task, text in TASKS.items() if task not in ABSENT_TASKS}
ENDPOINTS = [ROUTES[o] for o in ROUTES if o in CONTRACT.operations and o not in ALWAYS]
ABSENT_ENDPOINTS = frozenset(ROUTES.values()) - frozenset(ENDPOINTS)
AUTHORIZATION = "header.Authorization"
#: Properties by which the user of a task authorizes the client otherwise.
LOGINS = frozenset({AUTHORIZATION, "credential", "token"})


class InstanceClientLab(CatalogClientLab):
    """The lab of one check: the client has to name the catalog, and to send credentials.

    Scripts see its requests without prefix and credentials, as those of other catalogs.
    """

    tasks = OFFERED_TASKS

    def namespace(self, *tables: str, within: Sequence[str] = (), name: str = "") -> list[str]:
        """Return a new namespace with these tables in it; it is at the top, as all are."""
        del within
        return super().namespace(*tables, name=name)

    def performs(
        self, task: str, script: Script = as_it_is, *, prefix: str = "", **arguments: Any
    ) -> Performance:
        """Let the client perform a task, below the catalog's prefix or another."""
        if task not in self.tasks:
            raise NotOffered(f"instances of watsonx.data do not offer {task}")
        return super().performs(task, script, prefix=prefix or CATALOG, **arguments)

    def arguments(self, url: str, arguments: Members) -> Members:
        """Return the arguments of a task, whose properties name the catalog and the credentials."""
        members = super().arguments(url, arguments)
        token = self._authorization.removeprefix("Bearer ")
        login = {AUTHORIZATION: self.target.login} if self.target.login else {"token": token}
        own = {} if LOGINS & members["properties"].keys() else login
        return {**members, "properties": {"warehouse": CATALOG, **own, **members["properties"]}}

    def observe(
        self, task: str, script: Script, arguments: Members
    ) -> tuple[Script, Callable[[Performance], None]]:
        """Return the script for callers with the catalog's prefix and credentials, and the
        judge.
        """
        script, judge = super().observe(task, script, arguments)
        is_default_login = not LOGINS & arguments.get("properties", {}).keys()

        def instance(request: Request, forward: Forward) -> Answer:
            if is_default_login:
                if request.headers.get("authorization") != self._authorization:
                    return error(401, "NotAuthorizedException")
                request = request.without_authorization()
            answer = script(request.without_step(2, CATALOG), without_prefix(forward))
            return with_prefix(answer) if request.operation == op.get_config else answer

        return instance, judge

    def request_for_server(self, request: Request) -> Request:
        """Return a request with the prefix and the credentials of the server."""
        _, version, *steps = request.target.split("/")
        path = (
            [version, *steps] if request.operation == op.get_config else [version, CATALOG, *steps]
        )
        request = request.without_authorization()
        request.headers["authorization"] = self.target.headers["Authorization"]
        return request.at("/".join(["", *path]))

    @property
    def _authorization(self) -> str:
        return self.target.login or self.target.headers["Authorization"]


def without_prefix(forward: Forward) -> Forward:
    """Return a forwarder whose configurations name endpoints instead of the prefix."""

    def script(request: Request) -> Answer:
        answer = forward(request)
        if request.operation != op.get_config or answer.status != 200:
            return answer
        return answer.with_document({"defaults": {}, "overrides": {}, "endpoints": ENDPOINTS})

    return script


def with_prefix(answer: Answer) -> Answer:
    """Return a configuration with the catalog's prefix, unless a script names another, and without
    endpoints that instances do not have.
    """
    try:
        document = answer.document
        prefixes = {**document["defaults"], **document["overrides"]}
        endpoints = [
            endpoint for endpoint in document["endpoints"] if endpoint not in ABSENT_ENDPOINTS
        ]
    except (KeyError, TypeError, ValueError):  # a script made it no configuration
        return answer
    answer = answer.with_document({**document, "endpoints": endpoints})
    return answer if "prefix" in prefixes else answer.merging(overrides={"prefix": CATALOG})


suite = Suite(
    CONTRACT.name,
    lab=InstanceClientLab,
    discover=partial(everything, InstanceClientLab, CONTRACT),
    launch_settings=launch_settings,
)
judge_requests(suite, Requests(CONTRACT))
