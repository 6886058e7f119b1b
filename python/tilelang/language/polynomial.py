"""Integer polynomials: the normal form of index expressions.

`bx * 64 + 64 - bx * 64` is 64: extents of slices, equal sizes and constant bounds are decided here, while the program
is traced. A polynomial maps monomials (sorted tuples of variable numbers) to coefficients; 0 has no entries.
"""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Polynomial", "add", "constant", "key", "multiply", "of_constant", "of_variable", "subtract"]

Polynomial: TypeAlias = dict[tuple[int, ...], int]

#: Products with more terms become variables of their own.
_MOST_TERMS = 32


def of_constant(value: int) -> Polynomial:
    return {(): value} if value else {}


def of_variable(number: int) -> Polynomial:
    return {(number,): 1}


def constant(p: Polynomial) -> int | None:
    """The value of a polynomial without variables."""
    if not p:
        return 0
    if len(p) == 1 and () in p:
        return p[()]
    return None


def key(p: Polynomial) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Equal for equal polynomials."""
    return tuple(sorted(p.items()))


def add(a: Polynomial, b: Polynomial) -> Polynomial:
    result = dict(a)
    for monomial, coefficient in b.items():
        total = result.get(monomial, 0) + coefficient
        if total:
            result[monomial] = total
        else:
            del result[monomial]
    return result


def subtract(a: Polynomial, b: Polynomial) -> Polynomial:
    return add(a, {monomial: -coefficient for monomial, coefficient in b.items()})


def multiply(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """The product; None if it grows too long."""
    if len(a) * len(b) > _MOST_TERMS:
        return None
    result: Polynomial = {}
    for left, x in a.items():
        for right, y in b.items():
            monomial = tuple(sorted(left + right))
            total = result.get(monomial, 0) + x * y
            if total:
                result[monomial] = total
            else:
                result.pop(monomial, None)
    return result
