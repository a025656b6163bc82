"""The suite of watsonx.data catalogs, and the detection of their operations."""

from __future__ import annotations

import contextlib
import itertools
import secrets
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from urllib.parse import quote

from lakepact.conformance.checks.iceberg_rest.kit.detection import DETECTED
from lakepact.conformance.checks.iceberg_rest.kit.lab import DECLARED, UNSERVED
from lakepact.conformance.checks.iceberg_rest.kit.leftovers import leftovers
from lakepact.conformance.checks.iceberg_rest.suite import (
    NAMESPACE_OF_OUR_OWN,
    expect_rights,
    listing_status,
    properties_of_namespaces,
    with_actual_operations,
)
from lakepact.conformance.checks.iceberg_rest.suite import discover as discover_catalog
from lakepact.conformance.checks.watsonx_data.embedded import launch_settings
from lakepact.conformance.checks.watsonx_data.lab import (
    WatsonxLab,
    bearer_token,
    user_and_key,
    zen_api_key,
)
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op

OPERATIONS = frozenset(Contract("watsonx_data").operations)
#: Operations of the page that the list in IBM's topic on the API leaves out.
OMITTED = frozenset({op.update_properties, op.create_view, op.replace_view})
TURNED_AWAY = frozenset({401, 403, 419})
OVERRIDDEN = "overridden prefix"  #: the key of the configuration's prefix in an offer


def discover(wire: Wire, target: Target) -> Offer:
    """Return the declared operations of a catalog: its endpoints, or all of the page's operations
    if it sends none.

    Raises:
        Blocked: it does not answer, or the catalog's name is missing.
    """
    warehouse = quote(warehouse_of(target), safe="")
    catalog_offer = discover_catalog(wire, target, catalog=warehouse)
    prefix = overridden = catalog_offer.segments["prefix"] or warehouse
    if not prefix:
        raise Blocked("which catalog is meant has to be said: --warehouse NAME")
    declared = (
        catalog_offer.operations & OPERATIONS
        if catalog_offer.facts["endpoints"] == "declared"
        else OPERATIONS
    )
    _require_valid_credentials(wire, target, prefix)
    # A prefix that leads nowhere is one failure, of WXD-GEN-001, if the catalog's name leads there.
    if warehouse not in {"", prefix} and listing_status(wire, prefix) != 200:
        prefix = warehouse if listing_status(wire, warehouse) == 200 else prefix
    features = {
        "prefix": True,
        "views": {op.create_view, op.load_view, op.drop_view} <= declared,
        "api-keys": bool(user_and_key(target)),
    }
    endpoints = (
        {}
        if catalog_offer.facts["endpoints"] == "declared"
        else {"endpoints": "absent: all operations of the page"}
    )
    return Offer(
        operations=declared,
        segments=MappingProxyType({"prefix": prefix}),
        features=MappingProxyType(features),
        facts=MappingProxyType({**catalog_offer.facts, **endpoints, "prefix": prefix}),
        results=MappingProxyType(
            {**catalog_offer.results, DECLARED: declared, OVERRIDDEN: overridden}
        ),
    )


def _require_valid_credentials(wire: Wire, target: Target, prefix: str) -> None:
    """Check that each of the user's credentials opens the configuration or the listing of
    namespaces.

    Raises:
        Blocked: one opens neither: it is wrong, or of a scheme that the target does not take.
    """
    token, key = bearer_token(target), user_and_key(target)
    labels = {f"Bearer {token}": token and "bearer token", zen_api_key(key): key and "API key"}
    for authorization, what in labels.items():
        statuses = [
            wire.send(
                "GET",
                path,
                operation=operation,
                check="discover",
                headers=[("Authorization", authorization)],
                accepts="application/json",
                anonymous=True,
            ).status
            for operation, path in (
                (op.get_config, f"/v1/config?warehouse={quote(warehouse_of(target), safe='')}"),
                (op.list_namespaces, f"/v1/{prefix}/namespaces"),
            )
            if what
        ]
        if statuses and TURNED_AWAY.issuperset(statuses):
            raise Blocked(
                f"expected the {what} to be accepted, but the configuration and the namespaces"
                f" returned {' and '.join(map(str, statuses))} for it: check it, or check without"
                " it if the instance does not take its scheme"
            )


def warehouse_of(target: Target) -> str:
    """Return the user's name of the catalog; empty without one."""
    return target.parameters.get("warehouse", "")


def detect_offer(wire: Wire, target: Target) -> Offer:
    """Return the operations that a catalog serves, whatever it declares.

    Raises:
        Blocked: it does not answer, or the catalog's name is missing.
    """
    run, serials = secrets.token_hex(3), itertools.count(2)

    def lab_of(offer: Offer) -> WatsonxLab:
        return WatsonxLab(
            wire,
            Contract("watsonx_data"),
            target,
            offer=offer,
            check="discover",
            run=run,
            serial=next(serials),
        )

    offer = with_actual_operations(
        lab_of, target, discover(wire, target), requirement="WXD-CFG-006"
    )
    if offer.facts["endpoints"] != "declared":
        absent = OMITTED & offer.results[DETECTED].missing
        reasons = {o: why for o, why in offer.results[UNSERVED].items() if o not in absent}
        details = MappingProxyType({**offer.results, UNSERVED: reasons})
        offer = replace(offer, operations=offer.operations - absent, results=details)
    if not offer.operations >= NAMESPACE_OF_OUR_OWN:
        return offer
    lab, features = lab_of(offer), dict[str, bool]()
    with contextlib.suppress(Blocked, NotOffered, Unmet):
        features = properties_of_namespaces(lab)
    lab.clean_up()
    return replace(offer, features=MappingProxyType({**offer.features, **features}))


NO_ENDPOINTS = "a catalog that names its endpoints"

#: The settings of an instance, in addition to those of every catalog.
PARAMETERS = {
    "warehouse": "the catalog that is judged",
    "bearer-token-env": (
        "the variable that holds a bearer token, where another kind of credentials is sent with"
        " every request"
    ),
    "api-key-env": "the variable that holds user:key, where a token is sent with every request",
    "credentials": "a JSON file with tokens and api-keys, instead of variables",
}

suite = Suite(
    "watsonx_data",
    lab=WatsonxLab,
    discover=detect_offer,
    rights=partial(expect_rights, discovery=discover),
    launch_settings=launch_settings,
    parameters=PARAMETERS,
    leftovers=leftovers,
    gaps={
        **dict.fromkeys(
            ("IRC-CFG-008", "IRC-CFG-009", "IRC-CFG-010", "IRC-CFG-012", "IRC-CFG-017"),
            NO_ENDPOINTS,
        ),
        "IRC-SCH-StorageCredential": "credentials of its storage",
        "second-principal": "several principals with different rights",
        "IRC-SEC-003": "tokens that end",
        "IRC-ERR-016": "tokens that end",
        "IRC-GEN-026": "an operation of the contract that is not offered",
    },
)
check = suite.check
invariant = suite.invariant
