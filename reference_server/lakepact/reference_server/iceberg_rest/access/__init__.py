"""Access to catalogs: callers and their rights are checked before a handler is called."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service, Unanswered
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest.access import callers, token_endpoint
from lakepact.reference_server.iceberg_rest.access.callers import Caller, Callers, forbidden
from lakepact.reference_server.iceberg_rest.access.needs import CATALOG, NEEDS, READS_FILES, Need
from lakepact.reference_server.iceberg_rest.access.rights import WRITE, Rights, Subject
from lakepact.reference_server.iceberg_rest.access.token_endpoint import (
    TokenEndpoint,
    credentials_of,
    in_oauth_form,
)
from lakepact.reference_server.iceberg_rest.access.tokens import Tokens
from lakepact.reference_server.iceberg_rest.access.visibility import (
    FilteredStore,
    SeenWarehouse,
    Visibility,
    seeing,
    sight,
)
from lakepact.reference_server.iceberg_rest.identifiers import (
    SEPARATOR,
    identifier_key,
    levels_of,
    namespace_key,
)
from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
from lakepact.reference_server.iceberg_rest.warehouses import ServedWarehouse, no_such_prefix
from lakepact.reference_server.server_file import ServerFile
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage.store import Store
from lakepact.reference_server.warehouse.local import Warehouse

CONFIGURATION = op.get_config
TOKENS = op.get_token  #: the operation that needs no caller


@dataclass(frozen=True, slots=True)
class Guarded:
    """One warehouse, and the catalog that is kept in it."""

    warehouse: ServedWarehouse
    catalog: Catalog


class Access:
    """The access control of the catalogs of one service.

    Args:
        file: the principals and their grants.
        issues_tokens: whether this server issues tokens.
    """

    def __init__(self, file: ServerFile, *, issues_tokens: bool) -> None:
        self._admission, self._callers, self._token_endpoint = (
            Rules(),
            callers.Rules(),
            token_endpoint.Rules(),
        )
        self._tokens = Tokens() if issues_tokens else None
        self._file = file

    @property
    def rules(self) -> tuple[ServiceRules, ...]:
        """The decisions about access that a fault may replace."""
        return self._admission, self._callers, self._token_endpoint

    @staticmethod
    def store_for_caller(store: Store) -> Store:
        """Return a store without what the caller of the moment may not see."""
        return FilteredStore(store)

    @staticmethod
    def warehouse_for_caller(warehouse: Warehouse) -> Warehouse:
        """Return a warehouse in which the caller of the moment chooses places only where it may."""
        return SeenWarehouse(warehouse)

    def guard(
        self,
        service: Service,
        warehouses: Sequence[ServedWarehouse],
        catalogs: Sequence[Catalog],
        configuration: Callable[[Sequence[ServedWarehouse]], Handler],
    ) -> None:
        """Guard the handlers of a service.

        Args:
            service: the service.
            warehouses: its warehouses.
            catalogs: the catalog of each.
            configuration: returns the handler of the configuration operation for callers that see
                only some warehouses.

        Raises:
            Unanswered: an operation has no declared access needs.
        """
        unsaid = unsaid_needs(service.contract)
        if unsaid:
            raise Unanswered(
                f"{service.contract.name} {service.contract.version}: nothing says which rights "
                f"{', '.join(unsaid)} needs; add it to NEEDS in access/needs.py, "
                "as docs/upgrade-a-contract.md says"
            )
        callers = Callers(
            self._file,
            self._tokens,
            self._callers,
            warehouses=[warehouse.name for warehouse in warehouses],
        )
        by_prefix = {
            unquote(warehouse.prefix): Guarded(warehouse, catalog)
            for warehouse, catalog in zip(warehouses, catalogs, strict=True)
        }
        admission = Admission(service, by_prefix, configuration, self._admission)
        service.rules.replace(
            "authenticate",
            lambda operation, scope: {
                "caller": credentials_of(scope) if operation == TOKENS else callers.caller(scope)
            },
        )
        service.rules.replace("admit", admission.of)
        service.rules.replace("credentials_may_write", credentials_may_write)
        service.rules.replace("plans_are_of", plans_are_of)
        if TOKENS not in service.contract.operations:
            return
        service.filters[TOKENS].append(in_oauth_form)
        if self._tokens is not None:
            service.handlers[TOKENS] = TokenEndpoint(
                self._file, callers, self._tokens, self._token_endpoint
            ).get_token
            service.unavailable -= {TOKENS}


class Admission:
    """Checks the rights of the caller before each call of a handler.

    Args:
        served: the service.
        catalogs: its catalogs, by the prefixes in paths.
        configuration: returns the handler of the configuration operation for some of the
            warehouses.
        rules: the decisions about rights.
    """

    def __init__(
        self,
        service: Service,
        catalogs: Mapping[str, Guarded],
        configuration: Callable[[Sequence[ServedWarehouse]], Handler],
        rules: Rules,
    ) -> None:
        self._served = service
        self._rules = rules
        self._catalogs = catalogs
        self._configuration = configuration
        self._only = next(iter(catalogs.values())) if len(catalogs) == 1 else None

    def of(self, operation: str, handler: Handler) -> Handler:
        """Return a handler that also takes the caller, and checks its rights first."""
        if operation == TOKENS or operation not in self._served.handlers:
            return handler
        needs = NEEDS[operation]
        if operation == CONFIGURATION:
            return self._with_configuration(handler)

        def answer(*, caller: Caller, **arguments: Any) -> Reply:
            one = self._only or self._catalogs.get(arguments["prefix"])
            if one is None or not (self._only or caller.rights[one.warehouse.name].sees_any):
                raise no_such_prefix(arguments["prefix"])
            _spell(arguments, one.warehouse.separator)
            rights = caller.rights[one.warehouse.name]
            subjects = self._invisible(operation, rights, needs(arguments), one.catalog)
            if "idempotency_key" in arguments:
                arguments["idempotency_key"] = own_key(
                    caller.principal.name, arguments["idempotency_key"], is_allowed=not subjects
                )
            places = (
                _places(one.catalog, Visibility(rights), arguments)
                if operation in READS_FILES
                else ()
            )
            with seeing(Visibility(rights, subjects, places, caller.principal.name)):
                return handler(**arguments)

        return answer

    def _with_configuration(self, handler: Handler) -> Handler:
        warehouses = [catalog.warehouse for catalog in self._catalogs.values()]

        def answer(*, caller: Caller, **arguments: Any) -> Reply:
            visible = [
                warehouse for warehouse in warehouses if caller.rights[warehouse.name].sees_any
            ]
            if not visible:
                raise forbidden("do anything here")
            return (handler if len(visible) == len(warehouses) else self._configuration(visible))(
                **arguments
            )

        return answer

    def _invisible(
        self, operation: str, rights: Rights, needs: Iterable[Need], catalog: Catalog
    ) -> frozenset[Subject]:
        """Return the subjects that the caller may not know of; the handler must not find them
        either.

        They stay hidden even if another client creates them at this moment.

        Raises:
            Problem: 403, the caller sees the subject but lacks the right.
        """
        subjects: list[Subject] = []
        for need in needs:
            if not self._rules.may(operation, rights, need):
                if need.subject == CATALOG or is_there(catalog, Visibility(rights), need.subject):
                    raise forbidden(need.what)
                subjects.append(need.subject)
        return frozenset(subjects)


def _spell(arguments: Arguments, separator: str) -> None:
    """Spell namespaces with the contract's separator, as their handlers read them."""
    for name in ("namespace", "parent"):
        value = arguments.get(name)
        if isinstance(value, str) and SEPARATOR not in value:
            arguments[name] = value.replace(separator, SEPARATOR)


def _places(
    catalog: Catalog, visibility: Visibility, arguments: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the location of the requested table, if it is visible."""
    with seeing(visibility), catalog.store.view() as view:
        record = view.get(identifier_key(levels_of(arguments["namespace"]), arguments["table"]))
    return () if record is None else (record.document["metadata"]["location"],)


def own_key(principal: str, text: str, *, is_allowed: bool) -> str | None:
    """Return the principal's own form of an Idempotency-Key, so that no principal gets the answer
    to another.

    Args:
        principal: the sender.
        text: the key as sent; a text that is no UUID is returned unchanged, for the handler to
            refuse.
        is_allowed: whether the sender may do what it asks for. If not, the key is ignored: the
            answer kept under it may be older than a withdrawn grant.
    """
    try:
        key = uuid.UUID(text)
    except ValueError:
        return text
    return str(uuid.uuid5(key, principal)) if is_allowed else None


def is_there(catalog: Catalog, visibility: Visibility, subject: Subject) -> bool:
    """Return whether a subject exists for who sees this."""
    key = (
        namespace_key(subject.levels)
        if subject.name is None
        else identifier_key(subject.levels, subject.name)
    )
    with seeing(visibility), catalog.store.view() as view:
        return view.get(key) is not None


def may(operation: str, rights: Rights, need: Need) -> bool:  # noqa: ARG001 - a fault may let one operation pass
    """Return whether a caller with these rights has what an operation needs."""
    return need.is_met(rights)


def credentials_may_write(levels: Sequence[str], name: str) -> bool:
    """Return whether the keys of a table that the caller of the moment is given let it write."""
    now = sight()
    return now is None or now.rights.of(Subject(tuple(levels), name)) >= WRITE


def plans_are_of() -> str:
    """Return the principal of the request: plans name files that another principal may not see."""
    now = sight()
    return "" if now is None else now.principal


def unsaid_needs(contract: Contract) -> list[str]:
    """Return the operations of a contract that have no declared access needs."""
    return [operation for operation in contract.operations if operation not in NEEDS]


def way_of(file: ServerFile, explicit: str | None) -> str:
    """Return how callers are known, one of `AUTH`.

    Args:
        file: who there is.
        explicit: what the settings say; None to do as the file suggests.

    Raises:
        BadSetting: it is not possible with these principals.
    """
    fetches = any(principal.client_id is not None for principal in file.principals.values())
    way = explicit or ("oauth" if fetches else "bearer")
    if way == "bearer" and not any(principal.token for principal in file.principals.values()):
        raise BadSetting(
            "--auth bearer needs a principal with a token: none in the file of --config has one"
        )
    if way == "oauth" and not fetches:
        raise BadSetting(
            "--auth oauth needs a principal with client-id and client-secret: none in the file of"
            " --config has them"
        )
    return way


class Rules(ServiceRules):
    """Decisions about access that a fault may replace."""

    may = staticmethod(may)
