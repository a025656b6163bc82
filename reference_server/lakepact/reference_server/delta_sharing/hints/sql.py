"""`predicateHints`: predicates in a subset of SQL. A hint outside of this subset is ignored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from lakepact.reference_server.delta_sharing.hints import predicates
from lakepact.reference_server.delta_sharing.hints.casts import BadCast, check_cast
from lakepact.reference_server.delta_sharing.hints.columns import (
    PARTITION_VALUES,
    Column,
    Columns,
    NoSuchColumn,
    kind,
)
from lakepact.reference_server.delta_sharing.hints.reading import Unreadable, read, single
from lakepact.reference_server.delta_sharing.hints.sql_text import (
    END,
    SUFFIX,
    Token,
    Unusable,
    readings,
    tokens,
)
from lakepact.reference_server.delta_sharing.hints.values import Kind, Values, comparable

LONGEST = 32_768  #: characters of one hint
DEEPEST = 50
MOST = 1000  #: comparisons of one hint

#: The names of types in CAST.
TYPES = {
    "STRING": "string",
    "BOOLEAN": "boolean",
    "TINYINT": "byte",
    "BYTE": "byte",
    "SMALLINT": "short",
    "SHORT": "short",
    "INT": "integer",
    "INTEGER": "integer",
    "BIGINT": "long",
    "LONG": "long",
    "FLOAT": "float",
    "REAL": "float",
    "DOUBLE": "double",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_LTZ": "timestamp",
    "TIMESTAMP_NTZ": "timestamp_ntz",
}
#: Types whose literals begin with their name.
TYPED = {
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_LTZ": "timestamp",
    "TIMESTAMP_NTZ": "timestamp_ntz",
}
RESERVED = frozenset(
    {
        "AND",
        "OR",
        "NOT",
        "IS",
        "NULL",
        "IN",
        "BETWEEN",
        "LIKE",
        "CAST",
        "AS",
        "TRUE",
        "FALSE",
        "CASE",
    }
)
FLIPPED = {"<>": "=", "!=": "="}


def sql_predicate(hint: str, columns: Columns) -> predicates.Predicate:
    """Return the predicate that a hint spells.

    Raises:
        Unusable: it is not in the part of SQL that is understood here, or does not fit the table.
    """
    if len(hint) > LONGEST:
        raise Unusable(f"longer than {LONGEST} characters")
    try:
        return _Parser(hint, columns).whole()
    except (BadCast, NoSuchColumn, Unreadable) as error:
        raise Unusable(str(error)) from None


@dataclass(frozen=True, slots=True)
class _Name:
    """A column, perhaps cast."""

    parts: tuple[str, ...]
    cast: str | None = None


@dataclass(frozen=True, slots=True)
class _Constant:
    """A literal whose type is its neighbour's, unless it has one."""

    readings: tuple[str, ...]  #: what its text may mean
    sort: str  #: "number", "real" if it is a float or double, "text", "boolean", or a type


@dataclass(frozen=True, slots=True)
class _Quoted:
    """Between double quotes: a text to some, a name to others."""

    text: str


_Term = _Name | _Constant | _Quoted


class _Parser:
    def __init__(self, hint: str, columns: Columns) -> None:
        self._tokens, self._at = tokens(hint), 0
        self._columns = columns
        self._depth, self._left = 0, MOST

    def whole(self) -> predicates.Predicate:
        predicate = self._predicate(self._or())
        if self._next is not END:
            raise Unusable(f"{self._next.text[:50]!r} is not understood")
        return predicate

    # Words and signs

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._next
        self._at += 1
        return token

    def _accept(self, *words: str) -> bool:
        if self._next.word in words:
            self._at += 1
            return True
        return False

    def _sign(self, sign: str) -> bool:
        if self._next == ("sign", sign):
            self._at += 1
            return True
        return False

    def _want(self, what: str) -> None:
        if not (self._sign(what) or self._accept(what)):
            raise Unusable(f"{what} is missing")

    # The grammar; a term may turn out to be a predicate, or a predicate's operand

    def _or(self) -> predicates.Predicate | _Term:
        return self._chain(self._and, "OR", predicates.disjunction)

    def _and(self) -> predicates.Predicate | _Term:
        return self._chain(self._not, "AND", predicates.conjunction)

    def _chain(
        self,
        part: Callable[[], predicates.Predicate | _Term],
        word: str,
        join: Callable[..., predicates.Predicate],
    ) -> predicates.Predicate | _Term:
        first = part()
        if self._next.word != word:
            return first
        parts = [self._predicate(first)]
        while self._accept(word):
            parts.append(self._predicate(part()))
        return join(*parts)

    def _not(self) -> predicates.Predicate | _Term:
        negative = False
        while self._accept("NOT"):
            negative = not negative
        if not negative:
            return self._comparison()
        return predicates.Not(self._predicate(self._comparison()))

    def _comparison(self) -> predicates.Predicate | _Term:
        left = self._term()
        if not isinstance(left, _Term):
            return left
        if self._accept("IS"):
            absent = not self._accept("NOT")
            self._want("NULL")
            null = predicates.IsNull(self._reading(left, for_comparison=False))
            return null if absent else predicates.Not(null)
        negative = self._accept("NOT")
        if self._accept("IN"):
            result: predicates.Predicate = self._in(left)
        elif self._accept("BETWEEN"):
            result = self._between(left)
        elif negative:
            raise Unusable("NOT is not understood there")
        elif self._next.sort == "sign" and self._next.text in {
            *predicates.COMPARISONS,
            *FLIPPED,
            "==",
        }:
            result = self._compare(self._take().text, left, self._operand())
        else:
            return left
        return predicates.Not(result) if negative else result

    def _in(self, left: _Term) -> predicates.Predicate:
        self._want("(")
        options = [self._compare("=", left, self._operand())]
        while self._sign(","):
            options.append(self._compare("=", left, self._operand()))
        self._want(")")
        return predicates.disjunction(*options)

    def _between(self, left: _Term) -> predicates.Predicate:
        low = self._operand()
        self._want("AND")
        return predicates.conjunction(
            self._compare(">=", left, low), self._compare("<=", left, self._operand())
        )

    def _operand(self) -> _Term:
        term = self._term()
        if not isinstance(term, _Term):
            raise Unusable("a predicate cannot be compared")
        return term

    def _term(self) -> predicates.Predicate | _Term:
        token = self._take()
        if token == ("sign", "("):
            self._deeper()
            inner = self._or()
            self._want(")")
            self._depth -= 1
            return inner
        return self._constant(token) or self._name_term(token)

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unusable("deeper than this server reads")

    def _constant(self, token: Token) -> _Term | None:
        has_sign = token.text in {"+", "-"} and self._next.sort == "number"
        if has_sign or token.sort == "number":
            return _number(token.text + self._take().text if has_sign else token.text)
        if token.sort == "text":
            return _Constant(self._text(token), "text")
        if token.sort == "double" and self._next.text != ".":
            return _Quoted(token.text[1:-1].replace('""', '"'))
        if token.word in {"TRUE", "FALSE"}:
            return _Constant((token.text.lower(),), "boolean")
        if token.word in TYPED and self._next.sort == "text":
            return _Constant(self._text(self._take()), TYPED[token.word])
        return None

    def _name_term(self, token: Token) -> _Term:
        if token.word == "CAST" and self._next.text == "(":
            return self._cast()
        if token.sort in {"word", "quoted", "double"} and token.word not in RESERVED:
            return _Name(self._parts(token))
        raise Unusable(f"{token.text[:50]!r} is not understood")

    def _text(self, token: Token) -> tuple[str, ...]:
        if self._next.sort == "text":
            raise Unusable("two texts in a row")
        return readings(token.text[1:-1])

    def _parts(self, token: Token) -> tuple[str, ...]:
        parts = [_name(token)]
        while self._sign("."):
            parts.append(_name(self._take()))
        if self._next.text == "(":
            raise Unusable("functions are not understood")
        return tuple(parts)

    def _cast(self) -> _Name:
        self._want("(")
        self._deeper()
        term = self._operand()
        self._depth -= 1
        self._want("AS")
        type_name = (self._take().word or "").upper()
        type_ = TYPES.get(type_name)
        if type_name in {"DECIMAL", "DEC", "NUMERIC"} and self._sign("("):
            precision = self._take().text
            scale = self._take().text if self._sign(",") else "0"
            self._want(")")
            type_ = f"decimal({precision},{scale})"
        self._want(")")
        if type_ is None or not isinstance(term, _Name) or term.cast is not None:
            raise Unusable("that CAST is not understood")
        return _Name(term.parts, type_)

    # From terms to predicates

    def _predicate(self, term: predicates.Predicate | _Term) -> predicates.Predicate:
        if not isinstance(term, _Term):
            return term
        if isinstance(term, _Constant) and term.sort == "boolean":
            return predicates.Holds(_literal(term, "boolean"))
        reading = self._reading(term)
        if kind(reading.type) is not Kind.BOOLEAN:
            raise Unusable("not a predicate")
        return predicates.Holds(reading)

    def _compare(self, sign: str, left: _Term, right: _Term) -> predicates.Predicate:
        self._left -= 1
        if self._left < 0:
            raise Unusable("longer than this server reads")
        left, right = self._decide(left, right), self._decide(right, left)
        name_term = next((term for term in (left, right) if isinstance(term, _Name)), None)
        if name_term is None:
            raise Unusable("two constants")
        type_ = self._reading(name_term).type
        one, other = (
            _literal(term, type_) if isinstance(term, _Constant) else self._reading(term)
            for term in (left, right)
        )
        if not comparable(kind(one.type), kind(other.type)):
            raise Unusable(f"{one.type} and {other.type} are not compared")
        comparison = predicates.Comparison(
            FLIPPED.get(sign, "=" if sign == "==" else sign), one, other
        )
        return predicates.Not(comparison) if sign in FLIPPED else comparison

    def _decide(self, term: _Term, beside: _Term) -> _Term:
        """Return what a double-quoted text means: a name beside a constant, and a constant beside a
        name, unless it is also a name.
        """
        if not isinstance(term, _Quoted):
            return term
        if isinstance(beside, _Constant):
            return _Name((term.text,))
        if isinstance(beside, _Name) and term.text not in self._columns and "\\" not in term.text:
            return _Constant((term.text,), "text")
        raise Unusable("double quotes may mean a name or a text")

    def _reading(self, term: _Term, *, for_comparison: bool = True) -> predicates.Reading:
        if isinstance(term, _Quoted):
            term = _Name((term.text,))
        if not isinstance(term, _Name):
            raise Unusable("a column is wanted")
        column, raw = self._column(term.parts)
        type_ = term.cast or column.type
        if raw and for_comparison and term.cast is None and column.type != "string":
            raise Unusable("partitionValues without a CAST are texts")
        check_cast(column.type, type_)
        return predicates.Reading(column, type_)

    def _column(self, parts: tuple[str, ...]) -> tuple[Column, bool]:
        if (
            len(parts) == 2
            and parts[0].casefold() == PARTITION_VALUES
            and parts[0] not in self._columns
        ):
            column = self._columns.at(parts[1:])
            if not column.partition:
                raise Unusable(f"{parts[1][:50]!r} is not a partition column")
            return column, True
        return self._columns.at(parts), False


def _number(text: str) -> _Constant:
    digits = SUFFIX.sub("", text)
    if len(digits) > 40:
        raise Unusable("a number of more than 40 digits")
    if text[-1] in "fF":
        return _Constant((digits, repr(single(float(digits)))), "real")
    return _Constant(
        (digits,), "real" if text[-1] in "dD" and text[-2:] not in {"BD", "bd"} else "number"
    )


def _name(token: Token) -> str:
    if token.sort == "quoted":
        return token.text[1:-1].replace("``", "`")
    if token.sort == "double" and "\\" not in token.text:
        return token.text[1:-1].replace('""', '"')
    if token.sort == "word":
        return token.text
    raise Unusable(f"{token.text[:50]!r} is not a name")


def _literal(term: _Constant, type_: str) -> predicates.Literal:
    """Return a constant beside a column that is read as `type_`."""
    target = kind(type_)
    if term.sort in TYPED.values():
        type_ = term.sort
    elif term.sort in {"number", "real"}:
        if target not in {Kind.INTEGER, Kind.REAL}:
            raise Unusable(f"a number is not compared with {type_}")
        return predicates.Literal(type_, _numeric(term, type_))
    elif term.sort == "boolean" and target is not Kind.BOOLEAN:
        raise Unusable(f"a boolean is not compared with {type_}")
    results = [read(type_, reading) for reading in term.readings]
    low, high = min(values.low for values in results), max(values.high for values in results)
    return predicates.Literal(type_, results[0]._replace(low=low, high=high))


def _numeric(term: _Constant, type_: str) -> Values:
    """Return a number as it is spelled, and as it would be read in the type of the column beside
    it.
    """
    numbers: list[Any] = [
        int(text) if text.lstrip("+-").isdigit() else Decimal(text) for text in term.readings
    ]
    exact = (
        term.sort == "number" and isinstance(numbers[0], int) and type_ not in {"float", "double"}
    )
    if type_ in {"float", "double"}:
        near = read(type_, term.readings[0])
        numbers += [near.low, near.high]
    return Values(Kind.INTEGER if exact else Kind.REAL, min(numbers), max(numbers))
