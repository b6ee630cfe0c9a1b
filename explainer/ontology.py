"""What a knowledge base states, before anything is inferred from it: K = (T, A) and its annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from explainer.concepts import Concept, Feature, Iri


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
class LeftOut:
    """A construct outside the supported logic: how often it occurs and one example."""

    construct: str
    count: int
    example: str


@dataclass(frozen=True)
class Ontology:
    """A parsed knowledge base.

    Attributes:
        source: where it came from, for messages (a file name, or "graph").
        iri: the IRI of the owl:Ontology node, or None.
        subsumptions: T's concept inclusions; an equivalence C ≡ D gives both directions.
        role_inclusions: T's role inclusions.
        definitions: for each class A the concepts D with A ≡ D in the file, D not a mere name.
        assertions: A: for each individual its asserted features, in the order of the file.
        classes, roles: every name used as such.
        facts: for each individual its data property values (shown, never reasoned with).
        annotations: annotation property → subject → texts.
        left_out: what lies outside the supported logic, counted and named.
        triples: how many triples were read.
    """

    source: str
    iri: Iri | None
    subsumptions: tuple[Subsumption, ...]
    role_inclusions: tuple[RoleInclusion, ...]
    definitions: Mapping[Iri, tuple[Concept, ...]]
    assertions: Mapping[Iri, tuple[Feature, ...]]
    classes: tuple[Iri, ...]
    roles: tuple[Iri, ...]
    facts: Mapping[Iri, tuple[tuple[Iri, Text], ...]] = field(default_factory=lambda: MappingProxyType({}))
    annotations: Mapping[Iri, Mapping[Iri, tuple[Text, ...]]] = field(default_factory=lambda: MappingProxyType({}))
    left_out: tuple[LeftOut, ...] = ()
    triples: int = 0


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
