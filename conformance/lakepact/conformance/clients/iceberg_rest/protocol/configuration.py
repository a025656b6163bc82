"""Handling of the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from lakepact.conformance.clients.iceberg_rest.api import (
    Answer,
    CatalogClientLab,
    Forward,
    Request,
    Script,
    check,
    expect,
    op,
    with_endpoints,
)

PREFIX = "prefix"
NONE: Mapping[str, str] = {}


def with_configuration(*, defaults: Mapping[str, str], overrides: Mapping[str, str]) -> Script:
    """Return a catalog whose configuration has these defaults and overrides, and which answers at
    every prefix among them.
    """
    prefixes = {*defaults.values(), *overrides.values()}

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation == op.get_config:
            return forward(request).merging(defaults=defaults, overrides=overrides)
        return forward(request.without_step(2, *prefixes, *OWN.values()))

    return script


OWN = {PREFIX: "own"}
#: The catalog's default, the user's setting, the catalog's override, and the effective value.
MERGED = (
    ({PREFIX: "default"}, NONE, NONE, "default"),
    ({PREFIX: "default"}, OWN, NONE, "own"),
    ({PREFIX: "default"}, OWN, {PREFIX: "override"}, "override"),
)


@check("IRC-CFG-003")
def settings_are_merged(lab: CatalogClientLab) -> None:
    """A client uses the `prefix` of `overrides`, else of the user's settings, else of
    `defaults`.
    """
    namespace = lab.listable()
    with lab.judge_each("IRC-CFG-003") as case:
        for defaults, settings, overrides, effective in MERGED:
            with case():
                performance = lab.performs(
                    "list-tables",
                    with_configuration(defaults=defaults, overrides=overrides),
                    prefix=effective,
                    properties=settings,
                    namespace=namespace,
                )
                paths = sorted(
                    {
                        exchange.url.partition("/v1/")[2].partition("?")[0]
                        for exchange in performance.exchanges
                        if "/namespaces" in exchange.url
                    }
                )
                subject = (
                    f"with defaults {expect.excerpt(defaults)}, own properties"
                    f" {expect.excerpt(settings)} and overrides {expect.excerpt(overrides)}"
                )
                is_used = bool(paths) and all(path.startswith(f"{effective}/") for path in paths)
                expect.true(
                    is_used, f"paths below /v1/{effective}/ {subject}", expect.excerpt(paths)
                )


#: Entries of endpoints as later versions or other implementations may have them.
UNKNOWN_ENDPOINTS = (
    "POST /v1/{prefix}/lakepact/unknown",
    "PUT /v1/{prefix}/tables/{table}",
    "PATCH /v2/{prefix}/tables",
)


@check("IRC-CLI-052")
def unknown_endpoints(lab: CatalogClientLab) -> None:
    """A client lists tables of a catalog whose `endpoints` has unknown entries."""
    home = lab.listable()

    def script(request: Request, forward: Forward) -> Answer:
        answer = with_endpoints()(request, forward)
        if request.operation != op.get_config:
            return answer
        document = answer.document
        return answer.with_document(
            {
                **document,
                "endpoints": [
                    *UNKNOWN_ENDPOINTS[:1],
                    *document["endpoints"],
                    *UNKNOWN_ENDPOINTS[1:],
                ],
            }
        )

    with lab.judge("IRC-CLI-052"):
        performance = lab.performs("list-tables", script, namespace=home)
        performance.meets(
            performance.prints(["t"]),
            f"the tables, where endpoints has {expect.excerpt(UNKNOWN_ENDPOINTS[0])}",
        )


WAREHOUSES = ("plain", "s3://bucket/a b&c=d+e", "50%41#\u00e9")


@check("IRC-CLI-053")
def warehouses(lab: CatalogClientLab) -> None:
    """A client sends its warehouse as the parameter `warehouse` of GET /v1/config."""
    home = lab.listable()

    def script(request: Request, forward: Forward) -> Answer:
        return forward(
            request.at(request.target.partition("?")[0])
            if request.operation == op.get_config
            else request
        )

    with lab.judge_each("IRC-CLI-053") as case:
        for warehouse in WAREHOUSES:
            performance = lab.performs(
                "list-tables", script, namespace=home, properties={"warehouse": warehouse}
            )
            requests = performance.require(op.get_config)
            with case():
                query = dict(parse_qsl(urlsplit(requests[0].url).query, keep_blank_values=True))
                expect.equal(
                    warehouse, query.get("warehouse"), "warehouse in the query of getConfig:"
                )
