"""Offsets of a stream are versions, stored as JSON in the checkpoint."""

from __future__ import annotations

import json

import pytest

from lakepact.spark.offsets import NOTHING, after, offset, version_of


def stored(value):
    return json.loads(json.dumps(value))


def test_stream_continues_with_the_version_after_its_offset():
    assert (version_of(stored(offset(7))), after(stored(offset(7))), after(stored(offset(-1)))) == (
        7,
        8,
        0,
    )


def test_stream_without_offset_begins_with_a_snapshot():
    assert (version_of(stored(NOTHING)), after(stored(NOTHING))) == (None, None)


@pytest.mark.parametrize("other", [{}, {"version": "7"}, {"version": True}, {"offset": 7}])
def test_offset_of_another_source_is_refused(other):
    with pytest.raises(ValueError, match="the checkpoint is not of this source"):
        version_of(other)
