"""The knowledge bases that a process serves: those named in WHYIF_KB, else the demo ones; each is loaded once."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import islice
from pathlib import Path

from explainer.concepts import Concept, Exists, Iri, Name, Nominal
from explainer.counterfactuals import Explanation, Request, explain
from explainer.names import Entry, Kind, NameIndex
from explainer.ontology import Ontology
from explainer.owl import load_ontology
from explainer.reasoner import KnowledgeBase
from explainer.reasons import most_specific
from explainer.resources import demo_knowledge_bases
from explainer.verbalise import Verbaliser

VARIABLE = "WHYIF_KB"


def paths() -> tuple[Path, ...]:
    """The files to serve; several in WHYIF_KB are separated like those in PATH."""
    named = tuple(Path(p) for p in os.environ.get(VARIABLE, "").split(os.pathsep) if p)
    return named or demo_knowledge_bases()


@dataclass(frozen=True, eq=False)
class Served:
    """A knowledge base with the one who speaks about it."""

    path: Path
    ontology: Ontology

    @cached_property
    def kb(self) -> KnowledgeBase:
        return KnowledgeBase(self.ontology)

    @cached_property
    def say(self) -> Verbaliser:
        return Verbaliser(self.kb)

    def explain(self, individual: Iri, concept: Iri) -> Explanation:
        """Why the individual belongs to the class or not; worked out once."""
        return self._explain(Request(individual, self.meaning(concept, individual)))

    def meaning(self, concept: Iri, individual: Iri | None = None) -> Concept:
        """What it is to "be" a class: with feathers, the sea and other mere values, to have them or to live there.

        A class is one of values where its instances are related to nothing, but others to them; then ∃r.A is meant, by
        the first role r in which the individual has such a value, or else anybody has.
        """
        name = Name(concept)
        if (individual and self.kb.entails(name, individual)) or concept not in self._roles_to_values:
            return name
        readings = [Exists(role, name) for role in self._roles_to_values[concept]]
        return next((c for c in readings if individual and self.kb.entails(c, individual)), readings[0])

    @cached_property
    def _roles_to_values(self) -> dict[Iri, list[Iri]]:
        """For each class of values the roles that lead to them, the most used first."""
        pairs = [
            (f.role, f.filler.individual)
            for x in self.kb.individuals
            for f in self.kb.features(x)
            if isinstance(f, Exists) and isinstance(f.filler, Nominal)
        ]
        acting = {x for x in self.kb.individuals if any(isinstance(f, Exists) for f in self.kb.features(x))}
        counts: defaultdict[Iri, Counter[Iri]] = defaultdict(Counter)
        for role, y in pairs:
            for f in self.kb.features(y):
                if isinstance(f, Name):
                    counts[f.iri][role] += 1
        acted = {f.iri for x in acting for f in self.kb.features(x) if isinstance(f, Name)}
        return {c: [role for role, _ in by_role.most_common()] for c, by_role in counts.items() if c not in acted}

    @cached_property
    def _explain(self) -> Callable[[Request], Explanation]:
        return lru_cache(maxsize=1000)(partial(explain, self.kb))

    def choices(self, kind: Kind, individual: Iri | None, concept: Iri | None) -> list[Entry]:
        """What a question may be about where its individual or its class was left out."""
        if kind == "individual":
            candidates = self.kb.instances(Name(concept)) if concept else iter(self.kb.individuals)
            return [Entry(kind, x) for x in islice(candidates, 3)]
        if individual:
            return [Entry(kind, c) for c in most_specific(self.kb, self.kb.features(individual))[:3]]
        return [Entry(kind, c) for c in [*self.ontology.definitions, *self.ontology.classes][:3]]

    @property
    def name(self) -> str:
        """The label of the ontology, else the file's name without suffix."""
        return (self.ontology.iri and self.say.lexicon.label(self.ontology.iri)) or self.path.stem


@cache
def served() -> tuple[Served, ...]:
    """The knowledge bases of this process.

    Raises:
        KnowledgeBaseError: a file cannot be read.
    """
    return tuple(Served(path, load_ontology(path)) for path in paths())


@cache
def name_index() -> NameIndex:
    """All names in all knowledge bases of this process."""
    return NameIndex(s.ontology for s in served())


def home_of(iri: Iri) -> tuple[Served, ...]:
    """The knowledge bases that have an individual or class of this IRI."""
    return tuple(s for s in served() if iri in s.ontology.abox.numbers or iri in s.ontology.classes)
