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


def length(concept: Concept) -> int:
    """How many symbols a concept is written with: names, ⊤, role names, ∃ and ⊓.

    This is the length that DL-Learner and the OWL API count: |A| = |⊤| = 1, |∃r.C| = 2 + |C|, |C ⊓ D| = |C| + |D| + 1.
    """
    if isinstance(concept, And):
        return sum(length(part) + 1 for part in concept.conjuncts) - 1
    return 2 + length(concept.filler) if isinstance(concept, Exists) else 1


def role_depth(concept: Concept) -> int:
    """How deeply existential restrictions are nested."""
    if isinstance(concept, And):
        return max(map(role_depth, concept.conjuncts))
    return 1 + role_depth(concept.filler) if isinstance(concept, Exists) else 0


def existentials(concept: Concept) -> int:
    """How many existential restrictions occur in a concept."""
    return sum(isinstance(c, Exists) for c in subconcepts(concept))


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
