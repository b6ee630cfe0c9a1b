"""A knowledge base to ask: K = (T, A) with A materialised, and its canonical model.

The elements of the canonical model are the individuals and one anonymous element for each filler of an ∃r.C that T
makes something an instance of; C(x) follows from K exactly where x is an instance of C in that model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Union

import numpy as np

from explainer.abox import Mask, Materialised, is_feature_role
from explainer.concepts import (
    And,
    Concept,
    Exists,
    Feature,
    Iri,
    Name,
    Nominal,
    Top,
    conjuncts,
    role_assertion,
    subconcepts,
)
from explainer.errors import InconsistentError, KnowledgeBaseError
from explainer.ontology import Ontology
from explainer.owl import load_ontology
from explainer.rdf import Source
from explainer.saturation import BOTTOM
from explainer.tbox import TBox, Type, bits, mask_of

Element = Union[Iri, Concept]
"""An individual, or the anonymous element of a concept."""
Links = Mapping[Iri, tuple[Element, ...]]
"""For each role what something is related to by it."""


class Model:
    """A canonical model.

    Args:
        tbox: T.
        type_of: the type of each individual.
        links: the role assertions of each individual, those that follow by role inclusions and chains included.
    """

    def __init__(self, tbox: TBox, type_of: Callable[[Iri], Type], links: Callable[[Iri], Links]) -> None:
        self.tbox = tbox
        self._type_of = type_of
        self._links = links

    def type_of(self, element: Element) -> Type:
        """The concepts of T's vocabulary that the element is an instance of."""
        return self._type_of(element) if isinstance(element, str) else self.tbox.type_of(element)

    def successors(self, element: Element) -> Iterator[tuple[Iri, Element]]:
        """All (s, f) with an s-edge from the element to f."""
        if isinstance(element, str):
            for role, targets in self._links(element).items():
                for target in targets:
                    yield role, target
        else:
            for part in conjuncts(element):
                if isinstance(part, Exists):
                    yield from self._edges(part.role, self.tbox.narrowed(part))
        for concept in self.tbox.concepts(self.type_of(element) & self.tbox.existential_mask):
            assert isinstance(concept, Exists)
            yield from self._edges(concept.role, self.tbox.witness_of(concept))

    def _edges(self, role: Iri, filler: Concept) -> Iterator[tuple[Iri, Element]]:
        target = filler.individual if isinstance(filler, Nominal) else filler
        for superrole in self.tbox.superroles(role):
            yield superrole, target

    def satisfies(self, element: Element, concept: Concept) -> bool:
        """Whether the element is an instance of the concept in the canonical model, that is, in every model."""
        if isinstance(concept, Top) or (not isinstance(element, str) and concept in conjuncts(element)):
            return True
        if isinstance(concept, Nominal):
            return element == concept.individual
        type_ = self.type_of(element)
        if not self.tbox.consistent(type_):
            return True
        bit = self.tbox.bit(concept)
        if bit:
            return bool(bit & type_)
        if isinstance(concept, And):
            return all(self.satisfies(element, part) for part in concept.conjuncts)
        if isinstance(concept, Exists):
            return any(
                role == concept.role and self.satisfies(f, concept.filler) for role, f in self.successors(element)
            )
        return False


class KnowledgeBase:
    """K = (T, A) with A materialised: A* holds every D(x) and r(x, y) that K entails for named individuals.

    Args:
        ontology: K as it was read.
        also: concepts for T's vocabulary beside those that occur in T.

    Raises:
        InconsistentError: K has no model, so that everything follows from it.
    """

    def __init__(self, ontology: Ontology, also: tuple[Concept, ...] = ()) -> None:
        self.ontology = ontology
        self.also = also
        self.tbox = TBox(ontology, also)
        self.abox = Materialised(ontology, self.tbox)
        self._types: dict[Iri, Type] = {}
        self._links: dict[Iri, Links] = {}
        self._features: dict[Iri, tuple[Feature, ...]] = {}
        self._knowing: dict[Concept, KnowledgeBase] = {}
        self.model = Model(self.tbox, self.type_of, self.links)
        self._require_consistency()

    @classmethod
    def load(cls, source: Source) -> KnowledgeBase:
        """Read a file in any RDF syntax, or an rdflib graph, and materialise it.

        Raises:
            KnowledgeBaseError: it cannot be read, or has no individuals and so nothing to explain.
            InconsistentError: it contradicts itself.
        """
        return cls.of(load_ontology(source))

    @classmethod
    def of(cls, ontology: Ontology) -> KnowledgeBase:
        """Materialise a knowledge base, for the same errors as `load`."""
        if ontology.nothing_to_explain:
            raise KnowledgeBaseError(f"there is nothing to explain in {ontology.source}, {ontology.nothing_to_explain}")
        return cls(ontology)

    def knowing(self, concept: Concept) -> KnowledgeBase:
        """This knowledge base, ready for a concept that T does not mention.

        Without role chains that is always so. With them, an ∃r.C outside the vocabulary cannot be read off the model,
        and is entered into it.
        """
        if not self.ontology.chains or self.tbox.number(concept) is not None:
            return self
        if concept not in self._knowing:
            self._knowing[concept] = KnowledgeBase(self.ontology, tuple(subconcepts(concept)))
        return self._knowing[concept]

    # --- individuals ------------------------------------------------------------------------------------------

    @property
    def individuals(self) -> tuple[Iri, ...]:
        """The individuals, in the order of the file."""
        return self.ontology.individuals

    def number(self, x: Iri) -> int:
        """The place of an individual among them.

        Raises:
            KeyError: there is no such individual.
        """
        return self.ontology.abox.numbers[x]

    def type_of(self, x: Iri) -> Type:
        """The concepts of T's vocabulary that an individual is an instance of."""
        type_ = self._types.get(x)
        if type_ is None:
            concepts = self.abox.concepts_of(self.number(x))
            type_ = self._types[x] = mask_of(concepts, len(self.tbox.vocabulary))
        return type_

    def links(self, x: Iri) -> Links:
        """The role assertions about an individual in A*."""
        links = self._links.get(x)
        if links is None:
            names = self.individuals
            successors = self.abox.successors(self.number(x))
            links = self._links[x] = {role: tuple(names[y] for y in ys) for role, ys in successors.items()}
        return links

    def features(self, x: Iri) -> tuple[Feature, ...]:
        """The features of x: the classes D with D(x) in A*, then the (r, y) with r(x, y) in A*."""
        features = self._features.get(x)
        if features is None:
            names = self.tbox.concepts(self.tbox.names(self.type_of(x)))
            links = [(r, y) for r, ys in self.links(x).items() if is_feature_role(r) for y in ys]
            pairs = (role_assertion(r, y) for r, y in links if isinstance(y, str))
            features = self._features[x] = (*names, *pairs)  # type: ignore[arg-type]
        return features

    # --- concepts ---------------------------------------------------------------------------------------------

    def entails(self, concept: Concept, x: Iri) -> bool:
        """Whether K ⊨ C(x).

        Raises:
            KeyError: there is no such individual.
        """
        return self.knowing(concept).model.satisfies(x, concept)

    def subsumed(self, sub: Concept, sup: Concept) -> bool:
        """Whether T ⊨ C ⊑ D."""
        return self.knowing(sup).model.satisfies(sub, sup)

    def instances(self, concept: Concept) -> Iterator[Iri]:
        """The individuals x with K ⊨ C(x), in the order of the file."""
        return (self.individuals[i] for i in np.flatnonzero(self.extension(concept)).tolist())

    def extension(self, concept: Concept) -> Mask:
        """The individuals x with K ⊨ C(x), by their numbers."""
        return self.knowing(concept)._extension(concept)

    def _extension(self, concept: Concept) -> Mask:
        abox = self.abox
        number = self.tbox.number(concept)
        if number is not None:
            return abox.mask(abox.column(number))
        if isinstance(concept, And):
            common: Mask = np.logical_and.reduce([self._extension(part) for part in concept.conjuncts])
            return common
        members = np.zeros(abox.size, np.bool_)
        if isinstance(concept, Nominal) and concept.individual in self.ontology.abox.numbers:
            members[self.number(concept.individual)] = True
        elif isinstance(concept, Exists):
            members = abox.predecessors(concept.role, self._extension(concept.filler))
            for i in bits(self.unnamed(concept)):
                members |= abox.mask(abox.column(i))
        return members

    def unnamed(self, existential: Exists) -> Type:
        """The concepts of the vocabulary that give their instances an unnamed filler for ∃r.C."""
        return sum(
            1 << i
            for i, known in self._existentials
            if existential.role in self.tbox.superroles(known.role)
            and self.model.satisfies(self.tbox.witness_of(known), existential.filler)
        )

    @cached_property
    def _existentials(self) -> list[tuple[int, Exists]]:
        return [(i, c) for i, c in enumerate(self.tbox.vocabulary) if isinstance(c, Exists)]

    @cached_property
    def anonymous_fillers(self) -> list[tuple[int, tuple[Iri, ...], Element]]:
        """The concepts ∃r.C of the vocabulary: their numbers, the roles from r up, and the element that fills r."""
        tbox = self.tbox
        found: list[tuple[int, tuple[Iri, ...], Element]] = []
        for i, c in self._existentials:
            filler = tbox.witness_of(c)
            found.append((i, tbox.superroles(c.role), filler.individual if isinstance(filler, Nominal) else filler))
        return found

    # --- consistency ------------------------------------------------------------------------------------------

    def _require_consistency(self) -> None:
        bottom = self.tbox.number(BOTTOM)
        if bottom is None:
            return
        clashing = np.flatnonzero(self.abox.mask(self.abox.column(bottom)))
        if len(clashing):
            x = self.individuals[int(clashing[0])]
            raise InconsistentError(self.ontology.source, x, self._clash(x), len(clashing))

    def _clash(self, x: Iri) -> tuple[Concept, ...]:
        """Concepts that x is an instance of and that have no common instance, or one that has none at all."""
        type_ = self.type_of(x)
        own = list(self.tbox.concepts(type_ & ~self.tbox.bit(BOTTOM)))
        for concept in sorted(own, key=lambda c: not isinstance(c, Name)):
            if not self.tbox.consistent(self.tbox.type_of(concept)):
                return (concept,)
        for disjointness in self.ontology.disjointnesses:
            met = [c for c in disjointness.concepts if self.tbox.bit(c) & type_]
            if len(met) > 1:
                return tuple(met[:2])
        return (BOTTOM,)
