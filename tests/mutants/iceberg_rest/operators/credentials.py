"""Other credentials than the server has for its tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.reference_server.faults import Install, wrap_rule
from lakepact.reference_server.iceberg_rest.documents import Document

Credentials = list[Document]


def given(edit: Callable[[Credentials], Credentials]) -> Install:
    """Hand out other credentials, with tables and by themselves."""

    def wrapped(usual: Callable[..., Credentials]) -> Callable[..., Credentials]:
        def credentials(*arguments: Any, **named: Any) -> Credentials:
            return edit(usual(*arguments, **named))

        return credentials

    return wrap_rule("storage_credentials", wrapped)


def each_credential(change: Callable[[Document], Document]) -> Install:
    """Change each credential."""
    return given(lambda credentials: [change(one) for one in credentials])


def each_config(change: Callable[[dict[str, str]], dict[str, str]]) -> Install:
    """Change the settings of each credential."""
    return each_credential(lambda one: {**one, "config": change(one["config"])})
