"""Authorization by API keys of IBM Cloud: its identity service issues tokens for them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lakepact.reach.auth import check_token
from lakepact.reach.tokens import FetchedToken

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reach.tokens import Obtaining

IBM_CLOUD = "https://iam.cloud.ibm.com/identity/token"
GRANT = "urn:ibm:params:oauth:grant-type:apikey"


class IamApiKey(FetchedToken):
    """Sends a token that IBM Cloud issues for an API key of a user or a service ID.

    The first request fetches it. It is replaced before it expires, and when the server rejects it.

    Args:
        api_key: The key.
        token_endpoint: The address of the identity service.
        clock: Returns the time that measures the token's lifetime.

    Raises:
        ValueError: `token_endpoint` is not an http(s) address, or the key is invalid. The message
            does not repeat it.
    """

    _renews = False  # the identity service exchanges no tokens

    def __init__(
        self,
        api_key: str,
        *,
        token_endpoint: str = IBM_CLOUD,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(token_endpoint, clock=clock)
        self._fields = {"grant_type": GRANT, "apikey": check_token(api_key)}

    def _obtain(self) -> Obtaining:
        request = self._request(self._fields)
        reply = yield request
        return self._token(request, reply)
