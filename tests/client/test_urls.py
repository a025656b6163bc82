"""Addresses are taken as they are meant, or refused."""

from __future__ import annotations

import pytest

from lakepact.client.urls import server_address, url


@pytest.mark.parametrize("address", ["http://h:1", "http://h:1/", "http://h:1//"])
def test_slashes_at_the_end_do_not_count(address):
    assert server_address(address) == "http://h:1"


@pytest.mark.parametrize("address", ["", "h:8181", "ftp://h", "http://", "file:///tmp", "http://h/?a=b", "http://h/#a", "http://h:port"])
def test_what_is_not_the_address_of_a_server_is_refused(address):
    with pytest.raises(ValueError, match=r".+"):
        server_address(address)


def test_credentials_in_an_address_are_refused_without_being_repeated():
    with pytest.raises(ValueError, match="holds no credentials") as caught:
        server_address("http://me:planted@h/")

    assert "planted" not in str(caught.value)


def test_a_call_without_a_query_has_no_question_mark():
    assert url("http://h/base", "/v1/config", ()) == "http://h/base/v1/config"
