"""The event loop writes changes while the disk is fast; otherwise a thread does."""

from __future__ import annotations

from lakepact.reference_server.storage.group_commit import LOOKED_AT, QUICK, TRIED, Pace

SLOW = 2 * QUICK


def slow() -> Pace:
    pace = Pace()
    for _ in range(LOOKED_AT):
        pace.note(SLOW)
    return pace


def test_the_loop_writes_as_long_as_nothing_is_known() -> None:
    assert Pace().lets_write()


def test_a_write_that_takes_long_now_and_then_changes_nothing() -> None:
    pace = Pace()
    for number in range(10 * LOOKED_AT):
        pace.note(SLOW if number % 4 == 0 else 0.0)

    assert pace.lets_write()


def test_slow_disk_keeps_the_loop_from_writing_except_for_tries() -> None:
    pace = slow()

    assert [n for n in range(1, 2 * TRIED + 1) if pace.lets_write()] == [TRIED, 2 * TRIED]


def test_a_try_that_is_slow_changes_nothing() -> None:
    pace = slow()
    pace.note(SLOW)

    assert not pace.lets_write()


def test_a_disk_that_is_quick_again_is_waited_for_again() -> None:
    pace = slow()
    pace.note(0.0)

    assert [pace.lets_write() for _ in range(TRIED)] == [True] * TRIED
