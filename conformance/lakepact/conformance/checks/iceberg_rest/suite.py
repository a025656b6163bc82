"""The suite of Iceberg REST catalogs: what a catalog declares in `GET /v1/config`, and where its
checks register.
"""

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
    detected,
    planning_features,
    probed,
    undeclared,
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
from lakepact.conformance.checks.iceberg_rest.kit.leftovers import cleaned, leftovers
from lakepact.conformance.checks.iceberg_rest.kit.refused_changes import ComparingLab
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import has_files_here
from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.evidence.shared_files import READABLE_FILES
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.caller import REFUSED as NOT_SERVED
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging import expect
from lakepact.conformance.running.discovery import refused
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

OK, NOT_ACCEPTABLE = 200, 406
TURNED_AWAY = range(300, 500)
#: Statuses of a server that does not support a request, rather than refusing it in this state.
REFUSED = frozenset({400, 405, NOT_ACCEPTABLE, 422, 501})

#: Keys of temporary storage secrets in the configuration of a table.
SECRET = re.compile(r"s3\.session-token|gcs\.oauth2\.token|adls\.sas-token\..+")

#: Optional behaviours that only a table tells of.
TOLD_BY_A_TABLE = frozenset({"etag", "vended-credentials"})

#: The configuration always exists; no server declares the token endpoint, which its own checks
#: probe.
ALWAYS = frozenset({op.get_config})


def discover(wire: Wire, target: Target, *, catalog: str | None = None) -> Offer:
    """Detect what a catalog declares.

    Args:
        wire: connections to it.
        target: what is known of it.
        catalog: the prefix of its paths, where neither the target nor the configuration has to say
            it.

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
        raise Blocked(refused(wire, reply.exchange))
    config: dict[str, Any] = (
        reply.exchange.parsed
        if reply.status == 200 and isinstance(reply.exchange.parsed, dict)
        else {}
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
        raise Blocked(refused(wire, reply.exchange))
    endpoints = config.get("endpoints")
    sent = endpoints if isinstance(endpoints, list) and endpoints else None
    declared = declared_by(sent, prefix) if sent else DEFAULT_OPERATIONS
    features = {"prefix": prefix is not None, "views": declared >= NEEDED_FOR_VIEWS}
    facts = {
        "config": f"status {reply.status}",
        "endpoints": DECLARED if sent else "absent: the contract's defaults",
    }
    if prefix:
        facts["prefix"] = prefix
    separator = _strings(config.get("overrides")).get("namespace-separator", "")
    return Offer(
        operations=declared | ALWAYS,
        segments=MappingProxyType({"prefix": prefix}),
        features=MappingProxyType(features),
        facts=MappingProxyType(facts),
        found=MappingProxyType({SEPARATOR_OF_TARGET: unquote(separator), DECLARED: declared}),
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
        == OK
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
    table: dict[str, Any] = {"namespace": namespace, "table": name}
    note = {"requirements": [], "updates": [set_properties(note="1")]}
    drops: dict[str, tuple[OperationId, dict[str, Any]]] = {
        "drop tables": (op.drop_table, table),
        "drop namespaces": (op.drop_namespace, {"namespace": namespace}),
    }
    creations: dict[str, tuple[OperationId, dict[str, Any]]] = {
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
            f"the caller may not {right}: {exchange.method} {exchange.url} returned {reply.shown}; "
            "checks create and drop namespaces and tables, so give it that right"
        )


def discover_with_a_table(wire: Wire, target: Target) -> Offer:
    """Detect what a catalog serves, and whether tables carry ETags and credentials; a table is
    created and dropped for that.

    Raises:
        Blocked: it does not answer at all, or it serves no operation.
    """
    return with_a_table(wire, target, discover(wire, target))


def with_what_is_served(
    lab_of: Callable[[Offer], CatalogLab], target: Target, found: Offer, *, implied_by: str
) -> Offer:
    """Return an offer with the operations that a catalog serves, whatever it declares.

    Args:
        lab_of: returns a lab for an offer.
        target: its feature `views`, where the user sets it, decides whether view operations are
            used.
        found: the offer by what the catalog declares.
        implied_by: the requirement that operations are implemented although the catalog sends no
            `endpoints`.

    Raises:
        Blocked: it serves no operation.
    """
    promised = found.operations
    answers = probed(lab_of(found))
    usable = promised | undeclared(answers, promised)
    seen = detected(lab_of(replace(found, operations=usable)), answers, promised)
    operations, reasons = (
        promised | seen.served,
        _reasons(seen, promised, found, target, implied_by=implied_by),
    )
    if "views" in target.features:
        operations = (
            operations | (VIEWS & lab_of(found).contract.operations.keys())
            if target.features["views"]
            else operations - VIEWS
        )
        reasons = {operation: why for operation, why in reasons.items() if operation not in VIEWS}
    if not ((operations - ALWAYS) | found.found[DECLARED]) - reasons.keys():
        raise Blocked(
            "expected the catalog to serve an operation of the contract, but neither `endpoints` in"
            " its configuration nor its answers show one: check the address, and pass --parameter"
            " prefix=… or warehouse=… if its paths need them"
        )
    further = {"served, not declared": operations - promised, "declared, not served": seen.missing}
    return replace(
        found,
        operations=operations,
        features=MappingProxyType(
            {
                **found.features,
                "views": operations >= NEEDED_FOR_VIEWS and not MAKES_VIEWS & reasons.keys(),
            }
        ),
        facts=MappingProxyType(
            {
                **found.facts,
                **{name: ", ".join(sorted(which)) for name, which in further.items() if which},
            }
        ),
        found=MappingProxyType({**found.found, DETECTED: seen, UNSERVED: reasons}),
    )


def _reasons(
    seen: Detection,
    promised: frozenset[OperationId],
    found: Offer,
    target: Target,
    *,
    implied_by: str,
) -> dict[OperationId, str]:
    """Return why operations cannot be used although the catalog promises them."""
    sends = found.facts["endpoints"] == DECLARED
    why = (
        "its `endpoints` declare it (IRC-CFG-011)"
        if sends
        else f"a configuration without `endpoints` implies it ({implied_by})"
    )
    missing = {
        operation: f"the server does not implement {operation}, although {why}"
        for operation in seen.missing
    }
    late = (
        f"no answer came within {target.timeout:g} seconds when it was detected; --timeout SECONDS"
        " waits longer"
    )
    return missing | {operation: f"{operation}: {late}" for operation in seen.silent & promised}


def with_a_table(
    wire: Wire, target: Target, found: Offer, *, contract: Contract | None = None
) -> Offer:
    """Detect what a catalog serves, and what its token endpoint, its errors and a table show."""
    found = replace(
        found, features=MappingProxyType({**found.features, **access_features(wire, target, found)})
    )
    run = secrets.token_hex(3)
    serials = itertools.count(2)

    def lab_of(offer: Offer) -> CatalogLab:
        version = contract or Contract("iceberg_rest")
        return CatalogLab(
            wire, version, target, offer=offer, check="discover", run=run, serial=next(serials)
        )

    found = with_what_is_served(lab_of, target, found, implied_by="IRC-CFG-013")
    told, children = _features_of_namespaces(wire, target, found)
    known = MappingProxyType({**found.found, CHILDREN: children})
    found = replace(found, features=MappingProxyType({**found.features, **told}), found=known)
    if target.features.keys() >= TOLD_BY_A_TABLE or not found.operations >= TABLE_OF_OUR_OWN:
        return found
    lab = CatalogLab(
        wire,
        Contract("iceberg_rest"),
        target,
        offer=found,
        check="discover",
        run=secrets.token_hex(3),
        serial=0,
    )
    told = dict.fromkeys(sorted(TOLD_BY_A_TABLE), False)
    with contextlib.suppress(Blocked, NotOffered, Unmet):
        table = lab.make_table()
        told["etag"] = "etag" in lab.load(table).reply.headers
        told[READABLE_FILES] = has_files_here(lab, table)
        lab.offer = replace(found, features=MappingProxyType({**found.features, **told}))
        told |= planning_features(lab, table, with_files=told[READABLE_FILES])
        delegated = lab.send(
            op.load_table,
            headers=[("X-Iceberg-Access-Delegation", "vended-credentials")],
            **table.at,
        )
        alone = (
            lab.send(op.load_credentials, **table.at)
            if lab.offers(op.load_credentials)
            else delegated
        )
        told["vended-credentials"] = any(
            reply.status == 200 and _vends(reply) for reply in (delegated, alone)
        )
    lab.clean_up()
    return replace(found, features=MappingProxyType({**found.features, **told}))


def _features_of_namespaces(
    wire: Wire, target: Target, found: Offer
) -> tuple[dict[str, bool], bool]:
    """Detect whether namespaces lack children (refused, or neither named, loaded nor listed) or
    properties (406 or null).

    And whether a child was made and found: what merely needs some is not judged by children that
    are made or looked for wrongly.
    """
    told: dict[str, bool] = {}
    children = True
    if not found.operations >= NAMESPACE_OF_OUR_OWN:
        return told, children
    lab = CatalogLab(
        wire,
        Contract("iceberg_rest"),
        target,
        offer=found,
        check="discover",
        run=secrets.token_hex(3),
        serial=1,
    )
    with contextlib.suppress(Blocked, NotOffered, Unmet):
        home = lab.make_namespace()
        child = (*home, lab.name())
        created = lab.send(op.create_namespace, body={"namespace": list(child), "properties": {}})
        status = created.status
        children = status == OK == lab.send(op.load_namespace_metadata, namespace=child).status
        if status in REFUSED or not (children or _is_named(created, child) or _lists(lab, child)):
            told["nesting"] = False
        if status not in REFUSED:
            lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=child))
        told |= properties_of_namespaces(lab)
    lab.clean_up()
    return told, children


def properties_of_namespaces(lab: CatalogLab) -> dict[str, bool]:
    """Return the feature `namespace-properties` as off if namespaces keep none (406 or null)."""
    noted = (lab.name(),)
    reply = lab.send(
        op.create_namespace,
        body={"namespace": list(noted), "properties": {"lakepact.note": "1"}},
    )
    lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=noted))
    loaded = lab.send(op.load_namespace_metadata, namespace=noted)
    null = loaded.status == OK and loaded.document.get("properties", {}) is None
    if reply.status == NOT_ACCEPTABLE or (null and not _updates_properties(lab, noted)):
        return {"namespace-properties": False}
    return {}


def _is_named(created: Reply, child: Namespace) -> bool:
    """Return whether the answer to a creation names the child, and not a shortened or joined
    namespace.
    """
    document = created.exchange.parsed
    return isinstance(document, dict) and document.get("namespace") == list(child)


def _lists(lab: CatalogLab, child: Namespace) -> bool:
    """Return whether a namespace is listed below its parent."""
    listed = lab.send(op.list_namespaces, parent=child[:-1]).exchange.parsed
    found = listed.get("namespaces") if isinstance(listed, dict) else None
    return isinstance(found, list) and list(child) in found


def health(lab: CatalogLab) -> None:
    """Expect the listing of namespaces, which every careless request before may have spoiled.

    Raises:
        Unmet: it is no longer answered with 200 and an array.
    """
    if lab.offers(op.list_namespaces):
        reply = lab.send(op.list_namespaces)
        expect.status(reply, OK)
        expect.true(
            isinstance(reply.at("namespaces"), list),
            "an array `namespaces`",
            reply.shown,
            at=reply.place("namespaces"),
        )


def _updates_properties(lab: CatalogLab, namespace: tuple[str, ...]) -> bool:
    """Return whether properties can be set on a namespace, whatever it is loaded with."""
    if not lab.offers(op.update_properties):
        return False
    return (
        lab.send(
            op.update_properties, namespace=namespace, body={"updates": {"lakepact.note": "2"}}
        ).status
        == OK
    )


def _vends(reply: Reply) -> bool:
    """Return whether an answer holds credentials, however ill they are made, and in `config` as
    older servers send them.
    """
    document = reply.exchange.parsed if isinstance(reply.exchange.parsed, dict) else {}
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
    clean=cleaned,
    health=health,
    unserved={
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
