"""Possible results of a predicate for the rows of a file: a set of true, false and null, as three
bits.

Rows are not read, so a predicate has a set of possible results. If every step keeps all results
that a row could produce, the whole predicate keeps them too, also under NOT.
"""

from __future__ import annotations

TRUE, FALSE, NULL = 1, 2, 4
ANYTHING = TRUE | FALSE | NULL
NOTHING = 0  #: there is no row

_AND = {
    TRUE: {TRUE: TRUE, FALSE: FALSE, NULL: NULL},
    FALSE: dict.fromkeys((TRUE, FALSE, NULL), FALSE),
}
_AND[NULL] = {TRUE: NULL, FALSE: FALSE, NULL: NULL}


def _pairs(left: int, right: int) -> int:
    result = NOTHING
    for one in (TRUE, FALSE, NULL):
        for other in (TRUE, FALSE, NULL):
            if left & one and right & other:
                result |= _AND[one][other]
    return result


_CONJUNCTION = tuple(tuple(_pairs(left, right) for right in range(8)) for left in range(8))
_NEGATION = tuple((one & TRUE) << 1 | (one & FALSE) >> 1 | one & NULL for one in range(8))


def both(left: int, right: int) -> int:
    """Return the outcomes of AND in SQL's logic."""
    return _CONJUNCTION[left][right]


def either(left: int, right: int) -> int:
    """Return the outcomes of OR in SQL's logic."""
    return _NEGATION[_CONJUNCTION[_NEGATION[left]][_NEGATION[right]]]


def negate(outcomes: int) -> int:
    """Return the outcomes of NOT in SQL's logic: null stays null."""
    return _NEGATION[outcomes]
