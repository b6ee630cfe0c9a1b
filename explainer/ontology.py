"""What a knowledge base states, before anything is inferred from it: K = (T, A) and its annotations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from explainer.concepts import Concept, Exists, Feature, Iri, Name, Nominal, Top, conjuncts, role_assertion
from explainer.rules import Rule

Individuals = npt.NDArray[np.int32]
"""Individuals by their numbers, which are their places in `ABox.individuals`."""


class Text(NamedTuple):
    """An RDF literal. `language` is a lower-case BCP 47 tag, empty where there is none."""

    value: str
    language: str = ""


@dataclass(frozen=True)
class Subsumption:
    """A general concept inclusion C ⊑ D."""

    sub: Concept
    sup: Concept


@dataclass(frozen=True)
class RoleInclusion:
    """r ⊑ s."""

    sub: Iri
    sup: Iri


@dataclass(frozen=True)
class RoleChain:
    """r ∘ s ⊑ t; a transitive role r has r ∘ r ⊑ r."""

    first: Iri
    second: Iri
    sup: Iri


@dataclass(frozen=True)
class Range:
    """range(r) ⊑ C: whatever something is r-related to is a C."""

    role: Iri
    concept: Concept


@dataclass(frozen=True)
class Disjointness:
    """No two of the concepts have a common instance."""

    concepts: tuple[Concept, ...]


@dataclass(frozen=True)
class LeftOut:
    """A construct outside the supported logic: how often it occurs and one example."""

    construct: str
    count: int
    example: str


class Rows:
    """Several relations between individuals, to be read by the first of each pair.

    Args:
        relations: for each relation the first and, in parallel, the second of its pairs.
        individuals: how many there are.
    """

    def __init__(self, relations: Sequence[tuple[Individuals, Individuals]], individuals: int) -> None:
        none = [np.zeros(0, np.int32)]
        firsts = np.concatenate([xs for xs, _ in relations] or none)
        kinds = np.repeat(np.arange(len(relations), dtype=np.int32), [len(xs) for xs, _ in relations])
        order = np.argsort(firsts, kind="stable")
        self._kinds = kinds[order]
        self._seconds = np.concatenate([ys for _, ys in relations] or none)[order]
        self._starts = np.searchsorted(firsts[order], np.arange(individuals + 1))

    def at(self, x: int) -> Iterator[tuple[int, int]]:
        """The place of the relation and the second of the pairs that x comes first in."""
        here = slice(self._starts[x], self._starts[x + 1])
        return zip(self._kinds[here].tolist(), self._seconds[here].tolist(), strict=True)

    def of(self, xs: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Individuals]:
        """The pairs that one of the xs comes first in: its place among them, the place of the relation, the second."""
        starts, counts = self._starts[xs], self._starts[xs + 1] - self._starts[xs]
        places = np.repeat(np.arange(len(xs)), counts)
        here = np.arange(len(places)) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
        return places, self._kinds[here], self._seconds[here]


@dataclass(frozen=True, eq=False)
class ABox:
    """A: assertions about individuals, which are numbered so that a million of them fit.

    Attributes:
        individuals: their IRIs; blank nodes are "_:…".
        classes: for each class A the x with A(x).
        roles: for each role r the x and, in parallel, the y with r(x, y).
    """

    individuals: tuple[Iri, ...]
    classes: Mapping[Iri, Individuals]
    roles: Mapping[Iri, tuple[Individuals, Individuals]]

    @staticmethod
    def of(assertions: Mapping[Iri, Iterable[Concept]]) -> ABox:
        """The ABox with these concepts asserted of these individuals."""
        builder = ABoxBuilder(assertions)
        for x, concepts in assertions.items():
            for concept in concepts:
                builder.tell(builder.number(x), concept)
        return builder.abox()

    @cached_property
    def numbers(self) -> dict[Iri, int]:
        """The number of each individual."""
        return {x: i for i, x in enumerate(self.individuals)}

    @property
    def size(self) -> int:
        """How many assertions there are."""
        return sum(map(len, self.classes.values())) + sum(len(xs) for xs, _ in self.roles.values())

    def features(self, x: Iri) -> tuple[Feature, ...]:
        """What is asserted of x: its classes, then its role assertions."""
        i = self.numbers[x]
        classes, roles = list(self.classes), list(self.roles)
        names = (Name(classes[kind]) for kind, _ in self._classes_of.at(i))
        pairs = (role_assertion(roles[kind], self.individuals[y]) for kind, y in self._roles_of.at(i))
        return (*names, *pairs)

    @cached_property
    def _classes_of(self) -> Rows:
        return Rows([(xs, xs) for xs in self.classes.values()], len(self.individuals))

    @cached_property
    def _roles_of(self) -> Rows:
        return Rows(list(self.roles.values()), len(self.individuals))


class ABoxBuilder:
    """An ABox in the making, of some individuals to begin with."""

    def __init__(self, individuals: Iterable[Iri] = ()) -> None:
        self._individuals = list(individuals)
        self._numbers: dict[Iri, int] | None = None
        self._unnamed = 0
        self.classes: defaultdict[Iri, list[Individuals]] = defaultdict(list)
        self.roles: defaultdict[Iri, list[tuple[Individuals, Individuals]]] = defaultdict(list)

    def number(self, x: Iri) -> int:
        """The number of an individual, which is a new one if need be."""
        if self._numbers is None:
            self._numbers = {y: i for i, y in enumerate(self._individuals)}
        if x not in self._numbers:
            self._numbers[x] = len(self._individuals)
            self._individuals.append(x)
        return self._numbers[x]

    def tell(self, x: int, concept: Concept) -> None:
        """C(x); an existential gets an unnamed filler of its own, which says the same."""
        for part in conjuncts(concept):
            if isinstance(part, Name):
                self.classes[part.iri].append(_column(x))
            elif isinstance(part, Exists):
                if isinstance(part.filler, Nominal):
                    y = self.number(part.filler.individual)
                else:
                    self._unnamed += 1
                    y = self.number(f"_:unnamed{self._unnamed}")
                    self.tell(y, part.filler)
                self.roles[part.role].append((_column(x), _column(y)))

    def abox(self) -> ABox:
        """What has been told."""
        return ABox(
            tuple(self._individuals),
            {a: np.unique(np.concatenate(parts)) for a, parts in self.classes.items()},
            {r: _distinct(*map(np.concatenate, zip(*parts, strict=True))) for r, parts in self.roles.items()},
        )


def _column(x: int) -> Individuals:
    return np.array([x], np.int32)


def _distinct(xs: Individuals, ys: Individuals) -> tuple[Individuals, Individuals]:
    """The pairs, each once, in their order by x."""
    keys = np.unique((xs.astype(np.int64) << 32) | ys)
    return (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)


@dataclass(frozen=True)
class Ontology:
    """A parsed knowledge base.

    Attributes:
        source: where it came from, for messages (a file name, or "graph").
        iri: the IRI of the owl:Ontology node, or None.
        abox: A, what is asserted of individuals.
        classes, roles: every name used as such.
        subsumptions: T's concept inclusions; an equivalence C ≡ D gives both directions.
        role_inclusions: T's role inclusions.
        chains, ranges, disjointnesses: what of OWL 2 EL goes beyond ELH.
        flips: the pairs r, s with r(x, y) ⇒ s(y, x), from inverse and symmetric roles; for the ABox only.
        definitions: for each class A the concepts D with A ≡ D in the file, D not a mere name.
        rules: what was learned of classes, which nothing is inferred from.
        facts: for each individual its data property values (shown, never reasoned with).
        annotations: annotation property → subject → texts.
        left_out: what lies outside the supported logic, counted and named.
        triples: how many triples were read.
    """

    source: str
    iri: Iri | None
    abox: ABox
    classes: tuple[Iri, ...]
    roles: tuple[Iri, ...]
    subsumptions: tuple[Subsumption, ...] = ()
    role_inclusions: tuple[RoleInclusion, ...] = ()
    chains: tuple[RoleChain, ...] = ()
    ranges: tuple[Range, ...] = ()
    disjointnesses: tuple[Disjointness, ...] = ()
    flips: tuple[RoleInclusion, ...] = ()
    definitions: Mapping[Iri, tuple[Concept, ...]] = field(default_factory=lambda: MappingProxyType({}))
    rules: Mapping[Iri, Rule] = field(default_factory=lambda: MappingProxyType({}))
    facts: Mapping[Iri, tuple[tuple[Iri, Text], ...]] = field(default_factory=lambda: MappingProxyType({}))
    annotations: Mapping[Iri, Mapping[Iri, tuple[Text, ...]]] = field(default_factory=lambda: MappingProxyType({}))
    left_out: tuple[LeftOut, ...] = ()
    triples: int = 0

    @property
    def individuals(self) -> tuple[Iri, ...]:
        """The individuals, in the order of the file."""
        return self.abox.individuals

    @cached_property
    def axioms_for(self) -> Mapping[Concept, tuple[Subsumption, ...]]:
        """For each concept the axioms whose right-hand side it is or is a conjunct of."""
        found: defaultdict[Concept, list[Subsumption]] = defaultdict(list)
        for axiom in self.subsumptions:
            for part in dict.fromkeys([axiom.sup, *conjuncts(axiom.sup)]):
                found[part].append(axiom)
        return {concept: tuple(axioms) for concept, axioms in found.items()}

    def rule(self, concept: Concept) -> Rule | None:
        """What was learned of a class."""
        return self.rules.get(concept.iri) if isinstance(concept, Name) else None

    @property
    def nothing_to_explain(self) -> str:
        """Why there is nothing to explain, beginning with "because"; empty where there is something."""
        if not self.individuals:
            return "because it has no individuals"
        if self.abox.size or any(isinstance(axiom.sub, Top) for axiom in self.subsumptions):
            return ""
        return "because none of its individuals is said to belong to a class or to be related to another"

    def asserted(self, x: Iri) -> tuple[Feature, ...]:
        """What is asserted of an individual."""
        return self.abox.features(x)


class Tally:
    """Counts what is left out while a knowledge base is read, keeping one example of each."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, str] = {}

    def add(self, construct: str, example: str) -> None:
        self._counts[construct] += 1
        self._examples.setdefault(construct, example)

    def report(self) -> tuple[LeftOut, ...]:
        return tuple(LeftOut(name, n, self._examples[name]) for name, n in self._counts.most_common())
