"""Timestamps of ISO 8601 with a zone are read exactly; other texts are refused."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.queries.timestamps import (
    BadTimestamp,
    not_after,
    not_before,
)

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
YEARS = (dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1))  # noqa: DTZ001  # as hypothesis wants them
zones = st.integers(-14 * 60, 14 * 60).map(
    lambda minutes: dt.timezone(dt.timedelta(minutes=minutes))
)


@given(st.datetimes(*YEARS, timezones=zones))
def test_iso_8601_of_python_is_read_as_the_same_instant(instant: dt.datetime) -> None:
    microseconds = (instant - EPOCH) // dt.timedelta(microseconds=1)

    assert not_after(instant.isoformat()) == microseconds // 1000
    assert not_before(instant.isoformat()) == -(-microseconds // 1000)


@given(st.integers(0, 253_402_300_799_999))
def test_a_millisecond_is_neither_before_nor_after_itself(milliseconds: int) -> None:
    text = (
        (EPOCH + dt.timedelta(milliseconds=milliseconds))
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )

    assert (not_before(text), not_after(text)) == (milliseconds, milliseconds)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2022-01-01T00:00:00Z", 1640995200000, 1640995200000),
        ("2022-01-01t00:00:00z", 1640995200000, 1640995200000),
        ("2022-01-01T00:00Z", 1640995200000, 1640995200000),
        ("2022-01-01T02:00:00+02:00", 1640995200000, 1640995200000),
        ("2022-01-01T02:00:00+0200", 1640995200000, 1640995200000),
        ("2022-01-01T02:00:00+02", 1640995200000, 1640995200000),
        ("2021-12-31T18:30:00-05:30", 1640995200000, 1640995200000),
        ("2022-01-01T00:00:00.5Z", 1640995200500, 1640995200500),
        ("2022-01-01T00:00:00,5Z", 1640995200500, 1640995200500),
        ("2022-01-01T00:00:00.123000000Z", 1640995200123, 1640995200123),
        ("2022-01-01T00:00:00.123000001Z", 1640995200124, 1640995200123),
        ("1970-01-01T00:00:00Z", 0, 0),
        ("1969-12-31T23:59:59.999Z", -1, -1),
        ("1969-12-31T23:59:59.9995Z", 0, -1),
        ("9999-12-31T23:59:59-14:00", 253402351199000, 253402351199000),
    ],
)
def test_fractions_and_offsets_are_never_misread(text: str, first: int, last: int) -> None:
    assert (not_before(text), not_after(text)) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "2022-01-01 00:00:00",
        "2022-01-01 00:00:00Z",
        "2022-01-01T00:00:00",
        "2022-01-01T02:00:00 02:00",
        "2022-01-01",
        "1640995200000",
        "1640995200",
        "now",
        "2022-13-01T00:00:00Z",
        "2022-02-30T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2022-01-01T24:00:00Z",
        "2022-01-01T00:60:00Z",
        "2022-01-01T00:00:60Z",
        "2022-01-01T00:00:00.Z",
        "2022-01-01T00:00:00+25:00",
        "2022-01-01T00:00:00Z\n",
        "٢٠٢٢-01-01T00:00:00Z",
        "-2022-01-01T00:00:00Z",
        "20220101T000000Z",
        "2022-W01-1T00:00:00Z",
    ],
)
def test_other_text_is_refused_with_an_example(text: str) -> None:
    for read in (not_before, not_after):
        with pytest.raises(BadTimestamp, match="2022-01-01T00:00:00Z"):
            read(text)


@given(st.text())
def test_arbitrary_text_is_refused(text: str) -> None:
    with pytest.raises(BadTimestamp):
        not_after(text)
