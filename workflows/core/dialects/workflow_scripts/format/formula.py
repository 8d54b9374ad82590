"""Upper bounds as formulas over named unknowns: `8 + 21*len(find.findings)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

MOST_TERMS = 40
"""Terms of a sum. A longer one becomes an unknown of its own."""
SHOWN_TERMS = 12
MOST_NUMBER = 10**12
"""Larger numbers of a script count as this one."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A number that only a run knows, named after what it counts.

    `named`: the name leads to an answer, an input or another workflow. `budget`: the number of
    rounds of a loop that the token target of a run ends. Other unknowns are marked by a line.
    """

    name: str
    named: bool = True
    budget: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self.name

    def inside(self, script: str) -> Unknown:
        """The unknown of another script: `len(route-audit/list.handlers)`."""
        kind, bracket, path = self.name.partition("(")
        return replace(self, name=f"{kind}{bracket}{script}/{path}" if path else f"{script}/{kind}")


@dataclass(frozen=True, slots=True)
class Least:
    """The smaller of a number and a formula."""

    limit: int
    inner: Formula

    def __str__(self) -> str:
        return f"min({self.limit}, {self.inner})"


@dataclass(frozen=True, slots=True)
class Most:
    """The largest of several formulas."""

    options: tuple[Formula, ...]

    def __str__(self) -> str:
        return f"max({', '.join(map(str, self.options))})"


@dataclass(frozen=True, slots=True)
class Batches:
    """A formula divided by a number, rounded up."""

    inner: Formula
    size: int

    def __str__(self) -> str:
        return f"ceil({self.inner}/{self.size})"


Atom: TypeAlias = Unknown | Least | Most | Batches
Product: TypeAlias = tuple[Atom, ...]


@dataclass(frozen=True)
class Formula:
    """A sum of products with coefficients that are not negative. Terms are in the order in which
    the script mentions their unknowns."""

    terms: tuple[tuple[Product, int], ...] = ()

    @cached_property
    def table(self) -> Mapping[Product, int]:
        return dict(self.terms)

    @property
    def constant(self) -> int | None:
        """The number, if the formula has no unknown."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @cached_property
    def ceiling(self) -> int | None:
        """The largest value with any unknowns. None: no limit."""
        total = 0
        for product, factor in self.terms:
            for atom in product:
                limit = _ceiling(atom)
                if limit is None:
                    return None
                factor *= limit
            total += factor
        return total

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """Each unknown once, in order."""
        return tuple(dict.fromkeys(_unknowns(self)))

    @property
    def unlimited(self) -> tuple[Unknown, ...]:
        """The unknowns that can make the value arbitrarily large."""
        return tuple(
            dict.fromkeys(
                one
                for product, _ in self.terms
                if any(_ceiling(atom) is None for atom in product)
                for atom in product
                if _ceiling(atom) is None
                for one in _of_atom(atom)
            )
        )

    def value(self, assumed: Mapping[str, int]) -> int | None:
        """The value with these numbers for unknowns. None if one without a limit is missing."""
        total = 0
        for product, factor in self.terms:
            for atom in product:
                number = _value(atom, assumed)
                if number is None:
                    return None
                factor *= number
            total += factor
        return total

    def __add__(self, other: Formula) -> Formula:
        table = dict(self.terms)
        for product, factor in other.terms:
            table[product] = table.get(product, 0) + factor
        return _of(table)

    def __mul__(self, other: Formula) -> Formula:
        if self == ONE:
            return other
        if other == ONE:
            return self
        table: dict[Product, int] = {}
        for one, factor in self.terms:
            for two, second in other.terms:
                product = tuple(sorted((*one, *two), key=str))
                table[product] = table.get(product, 0) + factor * second
        return _of(table)

    def at_most(self, limit: int) -> Formula:
        """The smaller of this and a number. The formula stays visible only if it is named
        and no sum: `min(20, len(find.files))`."""
        if self.constant is not None:
            return number(min(limit, self.constant))
        if self.ceiling is not None and self.ceiling <= limit:
            return self
        atom = self.terms[0][0][0] if self.terms[0][0] else None
        single = len(self.terms) == 1 and len(self.terms[0][0]) == 1 and self.terms[0][1] == 1
        if single and isinstance(atom, Least):
            return atom.inner.at_most(limit)
        if single and atom is not None and all(one.named for one in self.unknowns):
            return Formula((((Least(limit, self),), 1),))
        return number(limit)

    def batches(self, size: int) -> Formula:
        """This divided by `size`, rounded up."""
        if size == 1:
            return self
        if self.constant is not None:
            return number(-(-self.constant // size))
        return Formula((((Batches(self, size),), 1),))

    def renamed(self, rename: Callable[[Unknown], Unknown]) -> Formula:
        """This with other names of its unknowns."""
        table: dict[Product, int] = {}
        for product, factor in self.terms:
            new = tuple(sorted((_renamed(atom, rename) for atom in product), key=str))
            table[new] = table.get(new, 0) + factor
        return _of(table)

    def covers(self, other: Formula) -> bool:
        """True if this is at least the other one term by term."""
        return all(self.table.get(product, 0) >= factor for product, factor in other.terms)

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        order = sorted(self.terms, key=lambda term: bool(term[0]))
        parts = [
            "*".join([*([str(factor)] if factor != 1 or not product else []), *map(str, product)])
            for product, factor in order
        ]
        more = len(parts) - SHOWN_TERMS
        return " + ".join([*parts[:SHOWN_TERMS], *([f"… + {more} more"] if more > 0 else [])])


def number(value: int) -> Formula:
    """A formula without unknowns; at least 0."""
    value = min(max(0, value), MOST_NUMBER)
    return Formula((((), value),)) if value else Formula()


ZERO = Formula()
ONE = number(1)


def unknown(name: str, *, named: bool = True, budget: bool = False) -> Formula:
    """A formula that is one unknown."""
    return Formula((((Unknown(name, named, budget),), 1),))


def largest(options: Iterable[Formula]) -> Formula:
    """A formula that is at least each of these."""
    kept: list[Formula] = []
    for one in options:
        if any(other.covers(one) for other in kept):
            continue
        kept = [other for other in kept if not one.covers(other)] + [one]
    if len(kept) < 2:
        return kept[0] if kept else ZERO
    if len(kept) > 6:
        total = ZERO
        for one in kept:
            total = total + one
        return total
    return Formula((((Most(tuple(kept)),), 1),))


def _of(table: Mapping[Product, int]) -> Formula:
    terms = tuple(
        (product, min(factor, MOST_NUMBER)) for product, factor in table.items() if factor
    )
    if len(terms) > MOST_TERMS:
        return unknown(f"more than {MOST_TERMS} terms", named=False)
    return Formula(terms)


def _ceiling(atom: Atom) -> int | None:
    match atom:
        case Unknown():
            return None
        case Least():
            return atom.limit
        case Most():
            limits = [one.ceiling for one in atom.options]
            return None if None in limits else max(limit or 0 for limit in limits)
        case Batches():
            inner = atom.inner.ceiling
            return None if inner is None else -(-inner // atom.size)


def _value(atom: Atom, assumed: Mapping[str, int]) -> int | None:
    match atom:
        case Unknown():
            return assumed.get(atom.name)
        case Least():
            inner = atom.inner.value(assumed)
            return atom.limit if inner is None else min(atom.limit, inner)
        case Most():
            values = [one.value(assumed) for one in atom.options]
            return None if None in values else max(value or 0 for value in values)
        case Batches():
            inner = atom.inner.value(assumed)
            return None if inner is None else -(-inner // atom.size)


def _renamed(atom: Atom, rename: Callable[[Unknown], Unknown]) -> Atom:
    match atom:
        case Unknown():
            return rename(atom)
        case Least() | Batches():
            return replace(atom, inner=atom.inner.renamed(rename))
        case Most():
            return Most(tuple(one.renamed(rename) for one in atom.options))


def _unknowns(formula: Formula) -> Iterator[Unknown]:
    for product, _ in formula.terms:
        for atom in product:
            yield from _of_atom(atom)


def _of_atom(atom: Atom) -> Iterator[Unknown]:
    match atom:
        case Unknown():
            yield atom
        case Least() | Batches():
            yield from _unknowns(atom.inner)
        case Most():
            for one in atom.options:
                yield from _unknowns(one)
