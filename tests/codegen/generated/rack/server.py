# Made by codegen.server from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""The operations of Rack 2 as a server implements them."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeVar

Reply_co = TypeVar("Reply_co", covariant=True)


class Handlers(Protocol[Reply_co]):
    """One method for each operation.

    Arguments are parameters as their schemas say, and bodies as JSON documents that have passed theirs; parameters that were not
    sent are left out.
    """

    def list_books(
        self,
        *,
        rack_id: str,
        page_token: str | None = None,
        page_size: int | None = None,
        order: Literal["title", "author"] | None = None,
        damaged: bool | None = None,
        x_languages: list[Literal["de", "en"]] | None = None,
    ) -> Reply_co:
        """List the books on a rack.

        GET /racks/{rack-id}/books

        Answers:
            200: Books. The books.
            404: Refusal (NoSuchRack). There is no such rack.
            5XX: as for every operation.
        """
        ...

    def rack_exists(self, *, rack_id: str) -> Reply_co:
        """Ask whether there is a rack.

        HEAD /racks/{rack-id}/books

        Answers:
            204: no body. There is one.
            404: no body. There is none.
        """
        ...

    def change_rack(self, *, rack_id: str, body: dict[str, Any] | None = None) -> Reply_co:
        """Change a rack.

        POST /racks/{rack-id}/books

        Body: Change.

        Answers:
            204: no body. It is changed.
            409: Refusal (Conflict). Someone else changed it.
            5XX: as for every operation.
        """
        ...

    def read_log(self, *, rack_id: str, x_since: int | None = None) -> Reply_co:
        """Read what happened to a rack.

        GET /racks/{rack-id}/log

        Answers:
            200: lines, each a Change. One change a line.
            404: Refusal. There is no such rack.
        """
        ...

    def get_key(self, *, body: dict[str, Any]) -> Reply_co:
        """Get a key.

        POST /keys

        Body: KeyRequest.

        Answers:
            200: Key. A key.
        """
        ...
