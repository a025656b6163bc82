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
    in_oauth_form,
    shown,
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

    kept: ServedWarehouse
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
    def seen_store(store: Store) -> Store:
        """Return a store without what the caller of the moment may not see."""
        return FilteredStore(store)

    @staticmethod
    def seen_warehouse(warehouse: Warehouse) -> Warehouse:
        """Return a warehouse in which the caller of the moment chooses places only where it may."""
        return SeenWarehouse(warehouse)

    def guard(
        self,
        served: Service,
        warehouses: Sequence[ServedWarehouse],
        catalogs: Sequence[Catalog],
        configuration: Callable[[Sequence[ServedWarehouse]], Handler],
    ) -> None:
        """Guard the handlers of a service.

        Args:
            served: the service.
            warehouses: its warehouses.
            catalogs: the catalog of each.
            configuration: returns the handler of the configuration operation for callers that see
                only some warehouses.

        Raises:
            Unanswered: an operation has no declared access needs.
        """
        unsaid = unsaid_needs(served.contract)
        if unsaid:
            raise Unanswered(
                f"{served.contract.name} {served.contract.version}: nothing says which rights "
                f"{', '.join(unsaid)} needs; add it to NEEDS in access/needs.py, "
                "as docs/upgrade-a-contract.md says"
            )
        known = Callers(
            self._file, self._tokens, self._callers, warehouses=[kept.name for kept in warehouses]
        )
        by_prefix = {
            unquote(kept.prefix): Guarded(kept, catalog)
            for kept, catalog in zip(warehouses, catalogs, strict=True)
        }
        admission = Admission(served, by_prefix, configuration, self._admission)
        served.rules.replace(
            "authenticate",
            lambda operation, scope: {
                "caller": shown(scope) if operation == TOKENS else known.caller(scope)
            },
        )
        served.rules.replace("admit", admission.of)
        served.rules.replace("credentials_may_write", credentials_may_write)
        served.rules.replace("plans_are_of", plans_are_of)
        if TOKENS not in served.contract.operations:
            return
        served.filters[TOKENS].append(in_oauth_form)
        if self._tokens is not None:
            served.handlers[TOKENS] = TokenEndpoint(
                self._file, known, self._tokens, self._token_endpoint
            ).get_token
            served.not_offered -= {TOKENS}


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
        served: Service,
        catalogs: Mapping[str, Guarded],
        configuration: Callable[[Sequence[ServedWarehouse]], Handler],
        rules: Rules,
    ) -> None:
        self._served = served
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
            return self._configured(handler)

        def answer(*, caller: Caller, **arguments: Any) -> Reply:
            one = self._only or self._catalogs.get(arguments["prefix"])
            if one is None or not (self._only or caller.rights[one.kept.name].sees_any):
                raise no_such_prefix(arguments["prefix"])
            _spell(arguments, one.kept.separator)
            rights = caller.rights[one.kept.name]
            denied = self._denied(operation, rights, needs(arguments), one.catalog)
            if "idempotency_key" in arguments:
                arguments["idempotency_key"] = own_key(
                    caller.principal.name, arguments["idempotency_key"], is_allowed=not denied
                )
            places = (
                _places(one.catalog, Visibility(rights), arguments)
                if operation in READS_FILES
                else ()
            )
            with seeing(Visibility(rights, denied, places, caller.principal.name)):
                return handler(**arguments)

        return answer

    def _configured(self, handler: Handler) -> Handler:
        warehouses = [one.kept for one in self._catalogs.values()]

        def answer(*, caller: Caller, **arguments: Any) -> Reply:
            known = [kept for kept in warehouses if caller.rights[kept.name].sees_any]
            if not known:
                raise forbidden("do anything here")
            return (handler if len(known) == len(warehouses) else self._configuration(known))(
                **arguments
            )

        return answer

    def _denied(
        self, operation: str, rights: Rights, needs: Iterable[Need], catalog: Catalog
    ) -> frozenset[Subject]:
        """Return the subjects that the caller may not know of; the handler must not find them
        either.

        They stay hidden even if another client creates them at this moment.

        Raises:
            Problem: 403, the caller sees the subject but lacks the right.
        """
        denied: list[Subject] = []
        for need in needs:
            if not self._rules.may(operation, rights, need):
                if need.subject == CATALOG or is_there(catalog, Visibility(rights), need.subject):
                    raise forbidden(need.what)
                denied.append(need.subject)
        return frozenset(denied)


def _spell(arguments: Arguments, separator: str) -> None:
    """Spell namespaces with the contract's separator, as their handlers read them."""
    for name in ("namespace", "parent"):
        spelled = arguments.get(name)
        if isinstance(spelled, str) and SEPARATOR not in spelled:
            arguments[name] = spelled.replace(separator, SEPARATOR)


def _places(catalog: Catalog, seen: Visibility, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the location of the requested table, if it is visible."""
    with seeing(seen), catalog.store.view() as view:
        record = view.get(identifier_key(levels_of(arguments["namespace"]), arguments["table"]))
    return () if record is None else (record.document["metadata"]["location"],)


def own_key(principal: str, spelled: str, *, is_allowed: bool) -> str | None:
    """Return the principal's own form of an Idempotency-Key, so that no principal gets the answer
    to another.

    Args:
        principal: the sender.
        spelled: the key as sent; a text that is no UUID is returned unchanged, for the handler to
            refuse.
        is_allowed: whether the sender may do what it asks for. If not, the key is ignored: the
            answer kept under it may be older than a withdrawn grant.
    """
    try:
        key = uuid.UUID(spelled)
    except ValueError:
        return spelled
    return str(uuid.uuid5(key, principal)) if is_allowed else None


def is_there(catalog: Catalog, seen: Visibility, subject: Subject) -> bool:
    """Return whether a subject exists for who sees this."""
    key = (
        namespace_key(subject.levels)
        if subject.name is None
        else identifier_key(subject.levels, subject.name)
    )
    with seeing(seen), catalog.store.view() as view:
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


def way_of(file: ServerFile, asked: str | None) -> str:
    """Return how callers are known, one of `AUTH`.

    Args:
        file: who there is.
        asked: what the settings say; None to do as the file suggests.

    Raises:
        BadSetting: it is not possible with these principals.
    """
    fetches = any(one.client_id is not None for one in file.principals.values())
    way = asked or ("oauth" if fetches else "bearer")
    if way == "bearer" and not any(one.token for one in file.principals.values()):
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
