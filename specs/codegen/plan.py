"""The plan of a contract's paths: what connexion makes of its routing, worked out once, so that no
server has to do it at every start.
"""

from __future__ import annotations

import warnings
from typing import Any

from lakepact.codegen.documents import Document

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # connexion imports what others have deprecated
    from connexion.middleware.abstract import AbstractRoutingAPI
    from connexion.resolver import Resolver
    from connexion.spec import Specification


class _Planned(AbstractRoutingAPI[Any]):
    """Takes down what connexion hands over, in its order: an operation's method and path, and the
    name that it is resolved by.
    """

    def __init__(self, specification: Specification, resolver: Resolver) -> None:
        self.routes: list[list[str]] = []
        super().__init__(specification, base_path="", resolver=resolver)

    def make_operation(self, operation: Any) -> Any:
        return operation

    @staticmethod
    def _framework_path_and_name(operation: Any, path: str) -> tuple[str, str]:
        return path, operation.operation_id

    def _add_operation_internal(
        self,
        method: str,
        path: str,
        operation: Any,
        name: str | None = None,  # noqa: ARG002
    ) -> None:
        self.routes.append([method.upper(), path, operation.function()])


def plan(routing: Document) -> Document:
    """Return every operation of a routing view as connexion routes and resolves it.

    Raises:
        connexion.exceptions.InvalidSpecification: connexion does not take the view.
    """
    resolver = Resolver(lambda operation_id: lambda: operation_id)
    specification = Specification.from_dict(routing)  # type: ignore[no-untyped-call]  # connexion has annotations, but not here
    return {"routes": _Planned(specification, resolver).routes}
