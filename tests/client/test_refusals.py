"""Errors are selected by the error type if it fits the status, else by the contract, else by the status."""

from __future__ import annotations

import pytest

from lakepact.client import errors
from lakepact.client.refusals import ErrorBody

from .conftest import REFUSALS


@pytest.mark.parametrize(
    ("operation", "status", "type_", "expected"),
    [
        pytest.param("adopt", 404, "NoSuchNamespace", errors.NoSuchNamespace, id="a type that the contract names here"),
        pytest.param("visit", 404, "NoSuchNamespace", errors.NoSuchNamespace, id="a type that it names elsewhere and that fits"),
        pytest.param("visit", 404, "Gone", errors.NoSuchTable, id="an unknown type where only one is named"),
        pytest.param("adopt", 404, "Gone", errors.NotFound, id="an unknown type where several are named"),
        pytest.param("adopt", 404, None, errors.NotFound, id="no type"),
        pytest.param("visit", 500, "NoSuchTable", errors.ServerError, id="a type that belies the status"),
        pytest.param("adopt", 409, "Taken", errors.AlreadyExists, id="a type where the contract names none"),
        pytest.param("adopt", 500, "Unclear", errors.OutcomeUnknown, id="an unknown outcome, by the server's own word"),
        pytest.param("feed", 503, "Busy", errors.OutcomeUnknown, id="a busy server that does not invite back to a commit"),
        pytest.param("feed", 501, "Never", errors.OperationNotSupported, id="a commit that is not implemented was not carried out"),
    ],
)
def test_error_type_and_status_select_the_error(operation, status, type_, expected):
    kind = REFUSALS.kind(operation, status, ErrorBody("so", type_), invited_back=False)

    assert kind is expected


def test_503_with_retry_after_is_a_server_error():
    assert REFUSALS.kind("feed", 503, None, invited_back=True) is errors.ServerError


def test_404_without_an_error_body_is_not_found():
    assert REFUSALS.kind("visit", 404, None, invited_back=False) is errors.NotFound
