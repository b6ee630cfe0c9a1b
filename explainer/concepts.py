"""Concepts of the description logic ELH, as values.

Throughout the package: A, B are class names; C, D concepts; r, s roles; x, y individuals.

    C ::= ⊤ | A | {y} | C ⊓ C | ∃r.C

The nominal {y} is there so that a role assertion r(x, y) is the concept assertion (∃r.{y})(x):
then every *feature* of an individual is a concept, either A or ∃r.{y}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Union

Iri = str


@dataclass(frozen=True)
class Top:
    """⊤, which every individual is an instance of (owl:Thing)."""


@dataclass(frozen=True)
class Name:
    """A class name."""

    iri: Iri


@dataclass(frozen=True)
class Nominal:
    """{y}, the concept whose only instance is the individual y."""

    individual: Iri


@dataclass(frozen=True)
class And:
    """A conjunction; equal up to the order of its conjuncts, which is kept for speaking.

    Build it with `conjunction`, which flattens and removes what is superfluous.
    """

    conjuncts: tuple[Concept, ...] = field(compare=False)
    as_set: frozenset[Concept] = field(repr=False)


@dataclass(frozen=True)
class Exists:
    """∃r.C: has an r-successor that is a C."""

    role: Iri
    filler: Concept


Concept = Union[Top, Name, Nominal, And, Exists]
Feature = Union[Name, Exists]

TOP = Top()


def conjunction(concepts: Iterable[Concept]) -> Concept:
    """C₁ ⊓ … ⊓ Cₙ, flat, without ⊤ and repetitions: ⊤ if none is left, C if one is left."""
    flat = tuple(dict.fromkeys(part for c in concepts for part in conjuncts(c)))
    if len(flat) > 1:
        return And(flat, frozenset(flat))
    return flat[0] if flat else TOP


def conjuncts(concept: Concept) -> tuple[Concept, ...]:
    """The conjuncts of a concept: none of ⊤, the concept itself where it is no conjunction."""
    if isinstance(concept, And):
        return concept.conjuncts
    return () if concept == TOP else (concept,)


def role_assertion(role: Iri, target: Iri) -> Exists:
    """The feature ∃r.{y}, which x has where r(x, y) holds."""
    return Exists(role, Nominal(target))


def subconcepts(concept: Concept) -> Iterator[Concept]:
    """The concept and all that occurs in it, the whole first."""
    yield concept
    if isinstance(concept, And):
        for part in concept.conjuncts:
            yield from subconcepts(part)
    elif isinstance(concept, Exists):
        yield from subconcepts(concept.filler)


def is_role_assertion(concept: Concept) -> bool:
    """Whether the concept is of the form ∃r.{y}."""
    return isinstance(concept, Exists) and isinstance(concept.filler, Nominal)
