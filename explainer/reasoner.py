"""Reasoning in ELH by types in the canonical model.

The *type* of an element e is the set of concepts of the vocabulary that e is an instance of. The elements are the
individuals, plus one anonymous element for each right-hand filler: where A ⊑ ∃r.B, every A has an r-edge to the
element of B. Types are the least sets such that

    told    C ∈ type(e), C ⊑ D in T                              ⇒  D ∈ type(e)
    ⊓-      C ⊓ D ∈ type(e)                                      ⇒  C, D ∈ type(e)
    ⊓+      C, D ∈ type(e), C ⊓ D in the vocabulary              ⇒  C ⊓ D ∈ type(e)
    ∃+      e -r-> f, r ⊑* s, D ∈ type(f), ∃s.D in the vocabulary ⇒  ∃s.D ∈ type(e)

which is the completion of EL (Baader, Brandt, Lutz, "Pushing the EL Envelope", IJCAI 2005). An anonymous element's
type depends on its filler alone, so the TBox is saturated once (`TBox`) and what is left is a fixpoint over the
individuals (`Model`). A type is a Python integer, one bit for each concept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Union

from explainer.concepts import (
    TOP,
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
from explainer.errors import KnowledgeBaseError
from explainer.ontology import Ontology, RoleInclusion, Subsumption
from explainer.owl import load_ontology
from explainer.rdf import Source

Element = Union[Iri, Concept]
"""An individual, or the anonymous element of a concept."""
Type = int
"""A set of concepts as a bit mask over `TBox.vocabulary`."""


def bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class TBox:
    """A saturated TBox.

    Attributes:
        vocabulary: the concepts that types are made of: all class names and all concepts that occur in T.
    """

    def __init__(
        self, subsumptions: Iterable[Subsumption], role_inclusions: Iterable[RoleInclusion], classes: Iterable[Iri] = ()
    ) -> None:
        subsumptions = tuple(subsumptions)
        occurring = [c for axiom in subsumptions for side in (axiom.sub, axiom.sup) for c in subconcepts(side)]
        self.vocabulary: tuple[Concept, ...] = tuple(dict.fromkeys([TOP, *map(Name, classes), *occurring]))
        self._bit = {concept: 1 << i for i, concept in enumerate(self.vocabulary)}
        self._superroles = _reachability((axiom.sub, axiom.sup) for axiom in role_inclusions)
        self._told = [0] * len(self.vocabulary)
        for axiom in subsumptions:
            self._told[self._bit[axiom.sub].bit_length() - 1] |= self._bit[axiom.sup]
        self._conjunctions: list[tuple[Type, Type]] = []
        self._existentials: defaultdict[Iri, list[tuple[Type, Type]]] = defaultdict(list)
        for concept, bit in self._bit.items():
            if isinstance(concept, And):
                parts = sum(self._bit[part] for part in concept.conjuncts)
                self._conjunctions.append((parts, bit))
                self._told[bit.bit_length() - 1] |= parts
            elif isinstance(concept, Exists):
                self._existentials[concept.role].append((self._bit[concept.filler], bit))
        self._names = sum(bit for concept, bit in self._bit.items() if isinstance(concept, Name))
        self._anonymous: dict[Concept, Type] = {}
        self._closed: dict[Type, Type] = {}
        self._saturate()

    def superroles(self, role: Iri) -> tuple[Iri, ...]:
        """The roles s with r ⊑* s, r first."""
        return self._superroles.get(role, (role,))

    def names(self, type_: Type) -> Type:
        """The part of a type that consists of class names."""
        return type_ & self._names

    def concepts(self, type_: Type) -> Iterator[Concept]:
        """The concepts of a type, in the order of the vocabulary."""
        return (self.vocabulary[i] for i in bits(type_))

    def bit(self, concept: Concept) -> Type:
        """The type {concept}, 0 for a concept outside the vocabulary."""
        return self._bit.get(concept, 0)

    def type_of(self, concept: Concept) -> Type:
        """The type of an element of which only C is known: all of the vocabulary that subsumes C."""
        known = self._anonymous.get(concept)
        if known is None:
            known = self._anonymous[concept] = self.close(self.asserted(concept))
        return known

    def asserted(self, concept: Concept) -> Type:
        """What asserting C of an element contributes to its type, before `close`; for ∃r.{y} see `seen`."""
        type_ = self._bit.get(concept, 0)
        for part in conjuncts(concept):
            type_ |= self._bit.get(part, 0)
            if isinstance(part, Exists):
                type_ |= self.seen(part.role, self.type_of(part.filler))
        return type_

    def seen(self, role: Iri, type_: Type) -> Type:
        """The concepts ∃s.D that an element gains by an r-edge to an element of the given type (rule ∃+)."""
        gained = 0
        for superrole in self.superroles(role):
            for filler, existential in self._existentials.get(superrole, ()):
                if filler & type_:
                    gained |= existential
        return gained

    def close(self, type_: Type) -> Type:
        """The least type that contains the given one and obeys told, ⊓-, ⊓+ and, for what is anonymous, ∃+."""
        known = self._closed.get(type_)
        if known is None:
            known = self._closed[type_] = self._close(type_)
        return known

    def _close(self, type_: Type) -> Type:
        closed, fresh = type_ | self._bit[TOP], type_ | self._bit[TOP]
        while fresh:
            gained = 0
            for i in bits(fresh):
                gained |= self._told[i]
            for parts, conjunction in self._conjunctions:
                if parts & fresh and parts & closed == parts:
                    gained |= conjunction
            fresh = gained & ~closed
            closed |= fresh
        return closed

    def _saturate(self) -> None:
        """Fold the types of the anonymous elements into `_told`, so that `close` needs no edges."""
        existentials = [c for c in self.vocabulary if isinstance(c, Exists)]
        fillers = dict.fromkeys(c.filler for c in existentials)
        changed = True
        while changed:
            types = {filler: self._close(self._bit[filler]) for filler in fillers}
            changed = False
            for concept in existentials:
                i = self._bit[concept].bit_length() - 1
                told = self._told[i] | self.seen(concept.role, types[concept.filler])
                changed |= told != self._told[i]
                self._told[i] = told


class Model:
    """The canonical model of a knowledge base, possibly laid over another one.

    `types` and `edges` give, for each individual, its type and its asserted role assertions with superroles.
    """

    def __init__(
        self,
        tbox: TBox,
        types: Callable[[Iri], Type],
        edges: Callable[[Iri], Mapping[Iri, tuple[Element, ...]]],
    ) -> None:
        self.tbox = tbox
        self._types = types
        self._edges = edges

    def type_of(self, element: Element) -> Type:
        return self._types(element) if isinstance(element, str) else self.tbox.type_of(element)

    def successors(self, element: Element) -> Iterator[tuple[Iri, Element]]:
        """All (s, f) with an s-edge from the element to f."""
        if isinstance(element, str):
            for role, targets in self._edges(element).items():
                for target in targets:
                    yield role, target
            parts: Iterable[Concept] = ()
        else:
            parts = conjuncts(element)
        for concept in (*parts, *self.tbox.concepts(self.type_of(element))):
            if isinstance(concept, Exists) and not isinstance(concept.filler, Nominal):
                for role in self.tbox.superroles(concept.role):
                    yield role, concept.filler

    def satisfies(self, element: Element, concept: Concept) -> bool:
        """Whether the element is an instance of the concept in the canonical model, that is, in every model."""
        if isinstance(concept, Top):
            return True
        if isinstance(concept, Nominal):
            return element in (concept.individual, concept)
        bit = self.tbox.bit(concept)
        if bit:
            return bool(bit & self.type_of(element))
        if isinstance(concept, And):
            return all(self.satisfies(element, part) for part in concept.conjuncts)
        if isinstance(concept, Exists):
            return any(
                role == concept.role and self.satisfies(f, concept.filler) for role, f in self.successors(element)
            )
        return False


class KnowledgeBase:
    """K = (T, A) with A materialised: A* holds every D(x) and r(x, y) that K entails for named individuals."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.tbox = TBox(ontology.subsumptions, ontology.role_inclusions, ontology.classes)
        self.individuals: tuple[Iri, ...] = tuple(ontology.assertions)
        self._edges = {x: self._edges_of(features) for x, features in ontology.assertions.items()}
        self._predecessors: defaultdict[Iri, set[Iri]] = defaultdict(set)
        for x, edges in self._edges.items():
            for targets in edges.values():
                for y in targets:
                    if isinstance(y, str):
                        self._predecessors[y].add(x)
        told = {x: self._told_type(features) for x, features in ontology.assertions.items()}
        self._types = dict(told)
        self._fixpoint(self._types, told, self.individuals, self._edges.__getitem__, self._types.__getitem__)
        self.model = Model(self.tbox, self._types.__getitem__, self._edges.__getitem__)
        self._features: dict[Iri, tuple[Feature, ...]] = {}

    @classmethod
    def load(cls, source: Source) -> KnowledgeBase:
        """Read a file in any RDF syntax, or an rdflib graph, and materialise it.

        Raises:
            KnowledgeBaseError: it cannot be read, or has no individuals and so nothing to explain.
        """
        ontology = load_ontology(source)
        if not ontology.assertions:
            raise KnowledgeBaseError(f"{ontology.source} has no individuals, so there is nothing to explain")
        return cls(ontology)

    def features(self, x: Iri) -> tuple[Feature, ...]:
        """The features of x: the classes D with D(x) in A*, then the (r, y) with r(x, y) in A*."""
        if x not in self._features:
            names = self.tbox.concepts(self.tbox.names(self._types[x]))
            pairs = (
                Exists(r, Nominal(y)) for r, targets in self._edges[x].items() for y in targets if isinstance(y, str)
            )
            self._features[x] = (*names, *pairs)  # type: ignore[arg-type]
        return self._features[x]

    def entails(self, concept: Concept, x: Iri) -> bool:
        """Whether K ⊨ C(x)."""
        return self.model.satisfies(x, concept)

    def instances(self, concept: Concept) -> Iterator[Iri]:
        """The individuals x with K ⊨ C(x)."""
        return (x for x in self.individuals if self.entails(concept, x))

    def subsumed(self, sub: Concept, sup: Concept) -> bool:
        """Whether T ⊨ C ⊑ D."""
        return self.model.satisfies(sub, sup)

    def predecessors(self, y: Iri) -> set[Iri]:
        """The individuals with a role assertion to y."""
        return self._predecessors.get(y, set())

    def supposing(self, x: Iri) -> Supposition:
        """Everything but the features of x held fixed, ready for other features of x to be tried."""
        return Supposition(self, x)

    def _edges_of(self, assertions: Iterable[Concept]) -> dict[Iri, tuple[Element, ...]]:
        edges: defaultdict[Iri, dict[Element, None]] = defaultdict(dict)
        for concept in assertions:
            if isinstance(concept, Exists):
                target = concept.filler.individual if isinstance(concept.filler, Nominal) else concept.filler
                for role in self.tbox.superroles(concept.role):
                    edges[role][target] = None
        return {role: tuple(targets) for role, targets in edges.items()}

    def _told_type(self, assertions: Iterable[Concept]) -> Type:
        type_ = 0
        for concept in assertions:
            if not isinstance(concept, Exists) or not isinstance(concept.filler, Nominal):
                type_ |= self.tbox.asserted(concept)
        return self.tbox.close(type_)

    def _fixpoint(
        self,
        types: dict[Iri, Type],
        told: Mapping[Iri, Type],
        start: Iterable[Iri],
        edges: Callable[[Iri], Mapping[Iri, tuple[Element, ...]]],
        type_of: Callable[[Iri], Type],
    ) -> None:
        """Grow `types` to the least fixpoint of ∃+ for the individuals in `told`, starting from `start`."""
        queue = list(start)
        queued = set(queue)
        while queue:
            x = queue.pop()
            queued.discard(x)
            type_ = told[x] | types.get(x, 0)
            for role, targets in edges(x).items():
                for y in targets:
                    type_ |= self.tbox.seen(role, type_of(y) if isinstance(y, str) else self.tbox.type_of(y))
            type_ = self.tbox.close(type_)
            if type_ != types.get(x, 0) or x not in types:
                types[x] = type_
                for predecessor in self.predecessors(x):
                    if predecessor in told and predecessor not in queued:
                        queued.add(predecessor)
                        queue.append(predecessor)


class Supposition:
    """K with the assertions about one individual x taken out of A*, so that others can be put in.

    What A* says about the other individuals stays, as the definition of a local change asks; only what the
    others owe to x through a complex concept (no feature, so not in A*) is inferred anew: those are the
    individuals on a path from x back to x.
    """

    def __init__(self, kb: KnowledgeBase, x: Iri) -> None:
        self.kb = kb
        self.x = x
        loop = (_closure(x, self._targets) & _closure(x, kb.predecessors)) - {x}
        names = kb.tbox.names
        self._told = {y: kb.tbox.close(names(kb._types[y])) for y in loop}
        self._base = dict(self._told)
        no_edges: dict[Iri, tuple[Element, ...]] = {}
        self._settle(self._base, {**self._told, x: kb.tbox.close(0)}, [x, *sorted(loop)], no_edges)

    def model(self, assertions: Iterable[Concept]) -> Model:
        """The canonical model of K in which just the given concepts are asserted of x.

        A concept ∃r.{y} is a role assertion to y; any other ∃r.D gives x a fresh r-successor that is a D.
        """
        assertions = tuple(assertions)
        edges = self.kb._edges_of(assertions)
        types = dict(self._base)
        self._settle(types, {**self._told, self.x: self.kb._told_type(assertions)}, [self.x], edges)
        return Model(
            self.kb.tbox,
            lambda y: types[y] if y in types else self.kb._types[y],
            lambda y: edges if y == self.x else self.kb._edges[y],
        )

    def entails(self, assertions: Iterable[Concept], concept: Concept) -> bool:
        """Whether C(x) holds where just the given concepts are asserted of x."""
        return self.model(assertions).satisfies(self.x, concept)

    def features(self, assertions: Iterable[Concept]) -> tuple[Feature, ...]:
        """The features that x has where just the given concepts are asserted of it; fresh fillers are "_:new1" …."""
        assertions = tuple(assertions)
        names = self.kb.tbox.concepts(self.kb.tbox.names(self.model(assertions).type_of(self.x)))
        fresh: dict[Element, Iri] = {}
        pairs = (
            role_assertion(role, y if isinstance(y, str) else fresh.setdefault(y, f"_:new{len(fresh) + 1}"))
            for role, targets in self.kb._edges_of(assertions).items()
            for y in targets
        )
        return (*names, *pairs)  # type: ignore[arg-type]

    def _targets(self, y: Iri) -> set[Iri]:
        return {z for targets in self.kb._edges.get(y, {}).values() for z in targets if isinstance(z, str)}

    def _settle(
        self,
        types: dict[Iri, Type],
        told: Mapping[Iri, Type],
        start: Iterable[Iri],
        edges: Mapping[Iri, tuple[Element, ...]],
    ) -> None:
        types.pop(self.x, None)
        kb_types, kb_edges = self.kb._types, self.kb._edges
        self.kb._fixpoint(
            types,
            told,
            start,
            lambda y: edges if y == self.x else kb_edges[y],
            lambda y: types[y] if y in types else (told[y] if y in told else kb_types[y]),
        )


def _reachability(pairs: Iterable[tuple[Iri, Iri]]) -> dict[Iri, tuple[Iri, ...]]:
    """The reflexive-transitive closure of a relation, as the nodes reachable from each node, itself first."""
    next_: defaultdict[Iri, list[Iri]] = defaultdict(list)
    for a, b in pairs:
        next_[a].append(b)
    closure = {}
    for node in list(next_):
        reached = {node: None}
        queue = [node]
        while queue:
            for successor in next_.get(queue.pop(), ()):
                if successor not in reached:
                    reached[successor] = None
                    queue.append(successor)
        closure[node] = tuple(reached)
    return closure


def _closure(start: Iri, step: Callable[[Iri], Iterable[Iri]]) -> set[Iri]:
    """The individuals reachable from the start in one or more steps."""
    reached: set[Iri] = set()
    queue = [start]
    while queue:
        for y in step(queue.pop()):
            if y not in reached:
                reached.add(y)
                queue.append(y)
    return reached
