"""The outcome of a client's task, from its error and from what it stored."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.conformance.programs.everyday.outcomes import difference, is_clear


@pytest.mark.parametrize(
    ("error", "clear"),
    [
        ("RESTError\nReceived 404 for a table", True),
        (
            "ErrRESTError\ncannot unmarshal number into Go struct field configResponse.defaults of type string",
            True,
        ),
        ("ValidationError\n1 validation error for ConfigResponse\nendpoints\n  Value error", True),
        ("IllegalArgumentException\nCannot parse missing string: prefix", True),
        ("IllegalArgumentException\nCurrent snapshot ID does not match main branch", True),
        ("CommitFailedError\norders was changed", True),
        ("ErrRESTError\nREST error", False),
        ('Unexpected\nFailed to parse {"metadata-location": null}', False),
        ("TypeError\nCannot read properties of undefined (reading 'table-uuid')", False),
    ],
)
def test_error_is_clear_if_it_names_the_matter(error: str, *, clear: bool) -> None:
    assert is_clear(error, ["orders"]) == clear


@pytest.mark.parametrize(
    ("expected", "actual", "text"),
    [
        ([{"id": 1, "data": "a"}], [], "0 rows instead of 1"),
        ({"uuid": "uuid 1"}, {"uuid": "abc"}, "an unknown one instead of uuid 1 at /uuid"),
        (["a"], [], '[] instead of ["a"]'),
    ],
)
def test_difference_shows_the_first_place(expected: Any, actual: Any, text: str) -> None:
    assert difference(expected, actual) == text
