"""Server addresses are normalized or raise an error."""

from __future__ import annotations

import pytest

from lakepact.reach.urls import server_address


@pytest.mark.parametrize("address", ["http://h:1", "http://h:1/", "http://h:1//"])
def test_trailing_slashes_are_dropped(address):
    assert server_address(address) == "http://h:1"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "h:8181",
        "ftp://h",
        "http://",
        "file:///tmp",
        "http://h/?a=b",
        "http://h/#a",
        "http://h:port",
    ],
)
def test_invalid_server_address_raises_value_error(address):
    with pytest.raises(ValueError, match=r".+"):
        server_address(address)


def test_credentials_in_an_address_raise_without_the_secret():
    with pytest.raises(ValueError, match="holds no credentials") as exc_info:
        server_address("http://me:planted@h/")

    assert "planted" not in str(exc_info.value)
