"""The suite of Iceberg REST catalogs, and the offer that a catalog makes in `GET /v1/config`."""

from __future__ import annotations

import contextlib
import itertools
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, unquote

from lakepact.conformance.checks.iceberg_rest.access_offers import access_features
from lakepact.conformance.checks.iceberg_rest.embedded import launch_settings
from lakepact.conformance.checks.iceberg_rest.kit.detection import (
    DETECTED,
    VIEWS,
    Detection,
    detect,
    planning_features,
    send_probes,
    undeclared_operations,
)
from lakepact.conformance.checks.iceberg_rest.kit.endpoints import declared as declared_by
from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    CHILDREN,
    DECLARED,
    SEPARATOR_OF_TARGET,
    UNSERVED,
    CatalogLab,
    Namespace,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.leftovers import clean, leftovers
from lakepact.conformance.checks.iceberg_rest.kit.refused_changes import ComparingLab
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import has_files_here
from lakepact.conformance.evidence.exchanges import Document, Reply
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.evidence.shared_files import READABLE_FILES
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.caller import REFUSED as NOT_SERVED
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging import expect
from lakepact.conformance.running.discovery import refusal_message
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.iceberg_rest import op

#: Operations of a catalog that sends no `endpoints` (the contract's own list).
DEFAULT_OPERATIONS = frozenset(
    {
        op.list_namespaces,
        op.create_namespace,
        op.load_namespace_metadata,
        op.drop_namespace,
        op.update_properties,
        op.list_tables,
        op.create_table,
        op.load_table,
        op.update_table,
        op.drop_table,
        op.register_table,
        op.report_metrics,
        op.rename_table,
        op.commit_transaction,
    }
)

#: Operations without which views cannot be checked.
NEEDED_FOR_VIEWS = frozenset({op.create_view, op.load_view, op.drop_view})
MAKES_VIEWS = frozenset({op.create_view, op.load_view})

#: Operations needed to read a new table.
TABLE_OF_OUR_OWN = frozenset(
    {op.create_namespace, op.create_table, op.load_table, op.drop_table, op.drop_namespace}
)

#: Operations needed to read a new namespace.
NAMESPACE_OF_OUR_OWN = frozenset(
    {op.create_namespace, op.load_namespace_metadata, op.drop_namespace}
)

NOT_ACCEPTABLE = 406
TURNED_AWAY = range(300, 500)
#: Statuses of a server that does not support a request, rather than refusing it in this state.
REFUSED = frozenset({400, 405, NOT_ACCEPTABLE, 422, 501})

#: Keys of temporary storage secrets in the configuration of a table.
SECRET = re.compile(r"s3\.session-token|gcs\.oauth2\.token|adls\.sas-token\..+")

#: Optional behaviours that only a table shows.
TOLD_BY_A_TABLE = frozenset({"etag", "vended-credentials"})

#: The configuration always exists; no server declares the token endpoint, which its own checks
#: probe.
ALWAYS = frozenset({op.get_config})


def discover(wire: Wire, target: Target, *, catalog: str | None = None) -> Offer:
    """Detect what a catalog declares.

    Args:
        wire: connections to it.
        target: its address and settings.
        catalog: the prefix of its paths, if neither target nor configuration have it.

    Raises:
        Blocked: it does not answer, answers with a web page, refuses all requests, or does not have
            the named warehouse.
    """
    warehouse = target.parameters.get("warehouse")
    query = f"?warehouse={quote(warehouse, safe='')}" if warehouse else ""
    reply = wire.send(
        "GET",
        f"/v1/config{query}",
        operation=op.get_config,
        check="discover",
        accepts="application/json",
    )
    if reply.exchange.is_a_page:
        raise Blocked(refusal_message(wire, reply.exchange))
    config: Document = (
        reply.exchange.json if reply.status == 200 and isinstance(reply.exchange.json, dict) else {}
    )
    settings = {
        **_strings(config.get("defaults")),
        **_strings(target.parameters),
        **_strings(config.get("overrides")),
    }
    prefix = settings.get("prefix") or None
    if reply.status in TURNED_AWAY and (
        listing_status(wire, prefix or catalog) in TURNED_AWAY
        or (warehouse and catalog is None and _has_configuration(wire))
    ):
        raise Blocked(refusal_message(wire, reply.exchange))
    endpoints = config.get("endpoints")
    entries = endpoints if isinstance(endpoints, list) and endpoints else None
    declared = declared_by(entries, prefix) if entries else DEFAULT_OPERATIONS
    features = {"prefix": prefix is not None, "views": declared >= NEEDED_FOR_VIEWS}
    facts = {
        "config": f"status {reply.status}",
        "endpoints": DECLARED if entries else "absent: the contract's defaults",
    }
    if prefix:
        facts["prefix"] = prefix
    separator = _strings(config.get("overrides")).get("namespace-separator", "")
    return Offer(
        operations=declared | ALWAYS,
        segments=MappingProxyType({"prefix": prefix}),
        features=MappingProxyType(features),
        facts=MappingProxyType(facts),
        results=MappingProxyType({SEPARATOR_OF_TARGET: unquote(separator), DECLARED: declared}),
    )


def listing_status(wire: Wire, prefix: str | None) -> int:
    """Return the status of the listing of namespaces below a prefix."""
    path = f"/v1/{prefix}/namespaces" if prefix else "/v1/namespaces"
    return wire.send(
        "GET", path, operation=op.list_namespaces, check="discover", accepts="application/json"
    ).status


def _has_configuration(wire: Wire) -> bool:
    """Return whether the configuration is returned if no warehouse is named: then the name is
    wrong.
    """
    return (
        wire.send(
            "GET",
            "/v1/config",
            operation=op.get_config,
            check="discover",
            accepts="application/json",
        ).status
        == 200
    )


def expect_rights(
    wire: Wire, target: Target, *, discovery: Callable[[Wire, Target], Offer] = discover
) -> None:
    """Create, change and drop one table in one namespace, and leave nothing.

    Raises:
        Blocked: the caller lacks the right to do so; the message names it.
    """
    contract, run = Contract("iceberg_rest"), secrets.token_hex(3)
    offer = discovery(wire, target)
    lab = CatalogLab(wire, contract, target, offer=offer, check="discover", run=run, serial=0)
    namespace, name = (lab.name(),), lab.name()
    table: Document = {"namespace": namespace, "table": name}
    note = {"requirements": [], "updates": [set_properties(note="1")]}
    drops: dict[str, tuple[OperationId, Document]] = {
        "drop tables": (op.drop_table, table),
        "drop namespaces": (op.drop_namespace, {"namespace": namespace}),
    }
    creations: dict[str, tuple[OperationId, Document]] = {
        "create namespaces": (
            op.create_namespace,
            {"body": {"namespace": list(namespace), "properties": {}}},
        ),
        "create tables": (
            op.create_table,
            {"namespace": namespace, "body": lab.table_request(name)},
        ),
        "commit to tables": (op.update_table, {"body": note, **table}),
    }
    refusals: dict[str, Reply] = {}
    for right, (operation, arguments) in {**creations, **drops}.items():
        if lab.offers(operation) and (right in drops or not refusals):
            with contextlib.suppress(Blocked):
                reply = lab.send(operation, **arguments)
                if reply.status in NOT_SERVED:
                    refusals[right] = reply
    for right, reply in refusals.items():
        exchange = reply.exchange
        raise Blocked(
            f"the caller may not {right}: {exchange.method} {exchange.url} returned {reply.summary}; "
            "checks create and drop namespaces and tables, so give it that right"
        )


def discover_with_a_table(wire: Wire, target: Target) -> Offer:
    """Detect what a catalog serves, and whether tables carry ETags and credentials; a table is
    created and dropped for that.

    Raises:
        Blocked: it does not answer at all, or it serves no operation.
    """
    return with_a_table(wire, target, discover(wire, target))


def with_actual_operations(
    lab_of: Callable[[Offer], CatalogLab], target: Target, offer: Offer, *, requirement: str
) -> Offer:
    """Return an offer with the operations that a catalog serves, whatever it declares.

    Args:
        lab_of: returns a lab for an offer.
        target: its feature `views`, if the user sets it, decides whether view operations are used.
        offer: the declared offer.
        requirement: the requirement by which a catalog without `endpoints` implements them.

    Raises:
        Blocked: it serves no operation.
    """
    declared = offer.operations
    answers = send_probes(lab_of(offer))
    usable = declared | undeclared_operations(answers, declared)
    detection = detect(lab_of(replace(offer, operations=usable)), answers, declared)
    operations = declared | detection.operations
    reasons = _reasons(detection, declared, offer, target, requirement=requirement)
    if "views" in target.features:
        operations = (
            operations | (VIEWS & lab_of(offer).contract.operations.keys())
            if target.features["views"]
            else operations - VIEWS
        )
        reasons = {operation: why for operation, why in reasons.items() if operation not in VIEWS}
    if not ((operations - ALWAYS) | offer.results[DECLARED]) - reasons.keys():
        raise Blocked(
            "expected the catalog to serve an operation of the contract, but neither `endpoints` in"
            " its configuration nor its answers show one: check the address, and pass --warehouse"
            " or --parameter prefix=… if its paths need them"
        )
    further = {
        "served, not declared": operations - declared,
        "declared, not served": detection.missing,
    }
    return replace(
        offer,
        operations=operations,
        features=MappingProxyType(
            {
                **offer.features,
                "views": operations >= NEEDED_FOR_VIEWS and not MAKES_VIEWS & reasons.keys(),
            }
        ),
        facts=MappingProxyType(
            {
                **offer.facts,
                **{name: ", ".join(sorted(which)) for name, which in further.items() if which},
            }
        ),
        results=MappingProxyType({**offer.results, DETECTED: detection, UNSERVED: reasons}),
    )


def _reasons(
    detection: Detection,
    declared: frozenset[OperationId],
    offer: Offer,
    target: Target,
    *,
    requirement: str,
) -> dict[OperationId, str]:
    """Return why operations cannot be used although the catalog promises them."""
    sends = offer.facts["endpoints"] == DECLARED
    why = (
        "its `endpoints` declare it (IRC-CFG-011)"
        if sends
        else f"a configuration without `endpoints` implies it ({requirement})"
    )
    missing = {
        operation: f"the server does not implement {operation}, although {why}"
        for operation in detection.missing
    }
    late = (
        f"no answer came within {target.timeout:g} seconds when it was detected; --timeout SECONDS"
        " waits longer"
    )
    return missing | {
        operation: f"{operation}: {late}" for operation in detection.silent & declared
    }


def with_a_table(
    wire: Wire, target: Target, offer: Offer, *, contract: Contract | None = None
) -> Offer:
    """Detect what a catalog serves, and what its token endpoint, its errors and a table show."""
    offer = replace(
        offer, features=MappingProxyType({**offer.features, **access_features(wire, target, offer)})
    )
    run = secrets.token_hex(3)
    serials = itertools.count(2)

    def lab_of(offer: Offer) -> CatalogLab:
        version = contract or Contract("iceberg_rest")
        return CatalogLab(
            wire, version, target, offer=offer, check="discover", run=run, serial=next(serials)
        )

    offer = with_actual_operations(lab_of, target, offer, requirement="IRC-CFG-013")
    features, children = _features_of_namespaces(wire, target, offer)
    findings = MappingProxyType({**offer.results, CHILDREN: children})
    offer = replace(
        offer, features=MappingProxyType({**offer.features, **features}), results=findings
    )
    if target.features.keys() >= TOLD_BY_A_TABLE or not offer.operations >= TABLE_OF_OUR_OWN:
        return offer
    lab = CatalogLab(
        wire,
        Contract("iceberg_rest"),
        target,
        offer=offer,
        check="discover",
        run=secrets.token_hex(3),
        serial=0,
    )
    features = dict.fromkeys(sorted(TOLD_BY_A_TABLE), False)
    with contextlib.suppress(Blocked, NotOffered, Unmet):
        table = lab.make_table()
        features["etag"] = "etag" in lab.load(table).reply.headers
        features[READABLE_FILES] = has_files_here(lab, table)
        lab.offer = replace(offer, features=MappingProxyType({**offer.features, **features}))
        features |= planning_features(lab, table, with_files=features[READABLE_FILES])
        vending = lab.send(
            op.load_table,
            headers=[("X-Iceberg-Access-Delegation", "vended-credentials")],
            **table.at,
        )
        alone = (
            lab.send(op.load_credentials, **table.at)
            if lab.offers(op.load_credentials)
            else vending
        )
        features["vended-credentials"] = any(
            reply.status == 200 and _vends(reply) for reply in (vending, alone)
        )
    lab.clean_up()
    return replace(offer, features=MappingProxyType({**offer.features, **features}))


def _features_of_namespaces(
    wire: Wire, target: Target, offer: Offer
) -> tuple[dict[str, bool], bool]:
    """Detect whether namespaces lack children (refused, or neither named, loaded nor listed) or
    properties (406 or null).

    And whether a child was created and loaded: checks that need children are skipped otherwise.
    """
    features: dict[str, bool] = {}
    children = True
    if not offer.operations >= NAMESPACE_OF_OUR_OWN:
        return features, children
    lab = CatalogLab(
        wire,
        Contract("iceberg_rest"),
        target,
        offer=offer,
        check="discover",
        run=secrets.token_hex(3),
        serial=1,
    )
    with contextlib.suppress(Blocked, NotOffered, Unmet):
        home = lab.make_namespace()
        child = (*home, lab.name())
        created = lab.send(op.create_namespace, body={"namespace": list(child), "properties": {}})
        status = created.status
        children = status == 200 == lab.send(op.load_namespace_metadata, namespace=child).status
        if status in REFUSED or not (children or _is_named(created, child) or _lists(lab, child)):
            features["nesting"] = False
        if status not in REFUSED:
            lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=child))
        features |= properties_of_namespaces(lab)
    lab.clean_up()
    return features, children


def properties_of_namespaces(lab: CatalogLab) -> dict[str, bool]:
    """Return the feature `namespace-properties` as off if namespaces keep none (406 or null)."""
    namespace = (lab.name(),)
    reply = lab.send(
        op.create_namespace,
        body={"namespace": list(namespace), "properties": {"lakepact.note": "1"}},
    )
    lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=namespace))
    load = lab.send(op.load_namespace_metadata, namespace=namespace)
    null = load.status == 200 and load.document.get("properties", {}) is None
    if reply.status == NOT_ACCEPTABLE or (null and not _updates_properties(lab, namespace)):
        return {"namespace-properties": False}
    return {}


def _is_named(created: Reply, child: Namespace) -> bool:
    """Return whether the answer to a creation names the child, and not a shortened or joined
    namespace.
    """
    document = created.exchange.json
    return isinstance(document, dict) and document.get("namespace") == list(child)


def _lists(lab: CatalogLab, child: Namespace) -> bool:
    """Return whether a namespace is listed below its parent."""
    document = lab.send(op.list_namespaces, parent=child[:-1]).exchange.json
    namespaces = document.get("namespaces") if isinstance(document, dict) else None
    return isinstance(namespaces, list) and list(child) in namespaces


def health(lab: CatalogLab) -> None:
    """Expect 200 and an array for the listing of namespaces, which earlier requests may break.

    Raises:
        Unmet: the answer differs.
    """
    if lab.offers(op.list_namespaces):
        reply = lab.send(op.list_namespaces)
        expect.status(reply, 200)
        expect.true(
            isinstance(reply.at("namespaces"), list),
            "an array `namespaces`",
            reply.summary,
            at=reply.place("namespaces"),
        )


def _updates_properties(lab: CatalogLab, namespace: tuple[str, ...]) -> bool:
    """Return whether properties can be set on a namespace, even if loading does not show them."""
    if not lab.offers(op.update_properties):
        return False
    return (
        lab.send(
            op.update_properties, namespace=namespace, body={"updates": {"lakepact.note": "2"}}
        ).status
        == 200
    )


def _vends(reply: Reply) -> bool:
    """Return whether an answer holds credentials, even malformed ones, or, as those of older
    servers, in `config`.
    """
    document = reply.exchange.json if isinstance(reply.exchange.json, dict) else {}
    config = document.get("config")
    return bool(document.get("storage-credentials")) or (
        isinstance(config, dict) and any(SECRET.fullmatch(str(key)) for key in config)
    )


def _strings(settings: Any) -> dict[str, str]:
    if not isinstance(settings, Mapping):
        return {}
    return {str(k): v for k, v in settings.items() if isinstance(v, str)}


#: The settings of a target.
PARAMETERS = {
    "burst": (
        "requests that are sent at the same moment to provoke 429 or 503, 48 unless given, and 0"
        " for none"
    ),
    "warehouse": "the warehouse that is judged; it is named when the configuration is asked for",
    "other-warehouse": (
        "another warehouse of the target, which is distinct from the one that is judged"
    ),
    "prefix": "the prefix of all paths, where the configuration does not say it",
    "reader-token-env": (
        "the environment variable with the token of a principal that may read everything and change"
        " nothing"
    ),
    "reader-writable-namespace": "a namespace in which that reader may change tables",
    "denied-token-env": "the environment variable with the token of a principal without any rights",
    "expired-token-env": "the variable that holds a token whose time is over",
    "client-env": "the variable that holds id:secret of a client that may do what the harness may",
    "subject-token-env": "the variable that holds the token of a user, to be exchanged for another",
    "principals": (
        "a JSON file with reader-token, denied-token, expired-token, subject-token and client,"
        " instead of variables"
    ),
    "scan-table": (
        "NAMESPACE.TABLE, a table with data whose scans may be planned and which is left as it is"
    ),
    "async-planning-properties": (
        "properties NAME=VALUE,… of a table whose scans are planned in the background"
    ),
    "expiry-wait": (
        "seconds that the harness waits for vended credentials to expire, 5 unless given"
    ),
    "paged-planning-properties": (
        "properties NAME=VALUE,… of a table whose plans are divided into plan tasks"
    ),
}

suite: Suite[CatalogLab] = Suite(
    "iceberg_rest",
    lab=ComparingLab,
    discover=discover_with_a_table,
    rights=expect_rights,
    launch_settings=launch_settings,
    parameters=PARAMETERS,
    leftovers=leftovers,
    clean=clean,
    health=health,
    gaps={
        "IRC-CFG-013": "a catalog without `endpoints`",
        "IRC-CFG-021": "a catalog of two warehouses",
        "IRC-GEN-034": "a catalog that refuses names",
        "IRC-NS-CREATE-011": "a catalog without nesting",
        "IRC-NS-GET-003": "a catalog without properties of namespaces",
        "IRC-NS-PROP-011": "a catalog without properties of namespaces",
        "IRC-PAG-007": "a catalog that does not page",
        "IRC-TBL-CRED-016": "a storage that keys open",
        "IRC-TBL-LOAD-015": "a storage that keys open",
    },
)
check = suite.check
invariant = suite.invariant
