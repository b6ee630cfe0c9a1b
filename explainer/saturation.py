"""The TBox, saturated by a worklist: which concepts subsume which.

The *vocabulary* are the concepts that occur in T, numbered. An *element* stands for something of which only one concept
of the vocabulary is known; its *type* is the set of all concepts of the vocabulary that it must then be an instance of.
Where A ⊑ ∃r.B, every A has an r-edge to the element of B. Types are the least sets such that

    told    C ∈ type(e), C ⊑ D in T                                ⇒  D ∈ type(e)
    ⊓-      C ⊓ D ∈ type(e)                                        ⇒  C, D ∈ type(e)
    ⊓+      C, D ∈ type(e), C ⊓ D in the vocabulary                ⇒  C ⊓ D ∈ type(e)
    ∃+      e -r-> f, r ⊑* s, D ∈ type(f), ∃s.D in the vocabulary  ⇒  ∃s.D ∈ type(e)
    chain   e -r-> f, ∃s.D ∈ type(f), r ∘ s ⊑ t, t ⊑* t'           ⇒  ∃t'.D ∈ type(e)
    ⊥       e -r-> f, ⊥ ∈ type(f), or C, D ∈ type(e) disjoint      ⇒  ⊥ ∈ type(e)

and the filler of an edge is an instance of the role's ranges too: the completion of EL (Baader, Brandt, Lutz, "Pushing
the EL Envelope", IJCAI 2005, and "Pushing the EL Envelope Further", OWLED 2008).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from explainer.concepts import TOP, And, Concept, Exists, Iri, Name, Nominal, conjunction, subconcepts
from explainer.namespaces import OWL
from explainer.ontology import Ontology

Node = TypeVar("Node")

BOTTOM = Name(OWL + "Nothing")
"""⊥, which nothing is an instance of."""


class Saturation:
    """A saturated TBox.

    Args:
        ontology: T.
        also: concepts to be in the vocabulary beside those that occur in T.

    Attributes:
        vocabulary: the concepts that types are made of.
    """

    def __init__(self, ontology: Ontology, also: Iterable[Concept] = ()) -> None:
        self._superroles = reachability((axiom.sub, axiom.sup) for axiom in ontology.role_inclusions)
        self._ranges: defaultdict[Iri, list[Concept]] = defaultdict(list)
        for range_ in ontology.ranges:
            self._ranges[range_.role].append(range_.concept)
        self.vocabulary: list[Concept] = []
        self._number: dict[Concept, int] = {}
        self._witness: dict[int, tuple[Iri, int]] = {}
        self._gains: defaultdict[Iri, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._enter_all(ontology, also)
        size = len(self.vocabulary)
        self._told: list[list[int]] = [[] for _ in range(size)]
        self._conjunctions: list[list[tuple[frozenset[int], int]]] = [[] for _ in range(size)]
        self._groups: list[list[frozenset[int]]] = [[] for _ in range(size)]
        for axiom in ontology.subsumptions:
            self._told[self._number[axiom.sub]].append(self._number[axiom.sup])
        for i, concept in enumerate(self.vocabulary):
            if isinstance(concept, And):
                parts = frozenset(self._number[part] for part in concept.conjuncts)
                self._told[i] += parts
                for part in parts:
                    self._conjunctions[part].append((parts, i))
        for disjointness in ontology.disjointnesses:
            group = frozenset(self._number[c] for c in disjointness.concepts)
            for member in group:
                self._groups[member].append(group)
            for concept, occurrences in Counter(disjointness.concepts).items():
                if occurrences > 1:  # disjoint from itself
                    self._told[self._number[concept]].append(self._number[BOTTOM])
        self._flat_gains: dict[Iri, dict[int, list[int]]] = {}
        self._types: dict[int, set[int]] = {}
        self._edges_into: defaultdict[int, list[tuple[Iri, int]]] = defaultdict(list)
        self._queue: list[tuple[int, int]] = []
        self._relevant: dict[Concept, tuple[set[int], set[Iri]]] = {}
        for i, concept in enumerate(self.vocabulary):
            if isinstance(concept, Name):
                self._activate(i)
        self._saturate()

    # --- the vocabulary -----------------------------------------------------------------------------------

    def _enter_all(self, ontology: Ontology, also: Iterable[Concept]) -> None:
        self._enter(TOP)
        for concept in also:
            self._enter(concept)
        for a in (*ontology.classes, *ontology.abox.classes):
            self._enter(Name(a))
        for axiom in ontology.subsumptions:
            self._enter(axiom.sub)
            self._enter(axiom.sup)
        for concepts in self._ranges.values():
            for concept in concepts:
                self._enter(concept)
        for disjointness in ontology.disjointnesses:
            for concept in (*disjointness.concepts, BOTTOM):
                self._enter(concept)
        done = 0
        while done < len(self.vocabulary):  # grows by the fillers of chains and of roles with a range
            concept = self.vocabulary[done]
            if isinstance(concept, Exists):
                self._enter_existential(done, concept, ontology)
            done += 1

    def _enter_existential(self, number: int, concept: Exists, ontology: Ontology) -> None:
        self._witness[number] = (concept.role, self._enter(self.narrowed(concept)))
        self._gains[concept.role][self._number[concept.filler]].append(number)
        for chain in ontology.chains:
            if chain.second in self.superroles(concept.role):  # so that a chain goes on from where it has led
                self._enter(Exists(chain.sup, concept.filler))
            if concept.role in self.superroles(chain.sup):
                self._gains[chain.first][self._enter(Exists(chain.second, concept.filler))].append(number)

    def _enter(self, concept: Concept) -> int:
        if concept not in self._number:
            for c in subconcepts(concept):
                if c not in self._number:
                    self._number[c] = len(self.vocabulary)
                    self.vocabulary.append(c)
        return self._number[concept]

    # --- saturation ---------------------------------------------------------------------------------------

    def _activate(self, element: int) -> set[int]:
        known = self._types.get(element)
        if known is None:
            known = self._types[element] = set()
            self._add(element, element)
            self._add(element, 0)
        return known

    def _add(self, element: int, concept: int) -> None:
        type_ = self._types[element]
        if concept not in type_:
            type_.add(concept)
            self._queue.append((element, concept))

    def _saturate(self) -> None:
        types, queue, add = self._types, self._queue, self._add
        bottom = self._number.get(BOTTOM)
        while queue:
            e, c = queue.pop()
            type_ = types[e]
            for d in self._told[c]:
                add(e, d)
            for parts, whole in self._conjunctions[c]:
                if whole not in type_ and parts <= type_:
                    add(e, whole)
            for group in self._groups[c]:
                if len(group & type_) > 1 and bottom is not None:
                    add(e, bottom)
            if c in self._witness:
                role, f = self._witness[c]
                self._edges_into[f].append((role, e))
                gains = self.gains(role)
                for d in tuple(self._activate(f)):
                    for gained in gains.get(d, ()):
                        add(e, gained)
                    if d == bottom:
                        add(e, d)
            for role, predecessor in self._edges_into.get(e, ()):
                for gained in self.gains(role).get(c, ()):
                    add(predecessor, gained)
                if c == bottom:
                    add(predecessor, c)

    def gains(self, role: Iri) -> Mapping[int, list[int]]:
        """For each concept the concepts that an element gains by an edge of the role to an instance of it."""
        flat = self._flat_gains.get(role)
        if flat is None:
            merged: defaultdict[int, list[int]] = defaultdict(list)
            for superrole in self.superroles(role):
                for filler, gained in self._gains.get(superrole, {}).items():
                    merged[filler] += gained
            flat = self._flat_gains[role] = dict(merged)
        return flat

    def subsumers(self, number: int) -> set[int]:
        """The type of an element of which one concept of the vocabulary is known, all by their numbers."""
        if number not in self._types:
            self._activate(number)
            self._saturate()
        return self._types[number]

    def teach(self, individual: Iri, concepts: Iterable[int]) -> bool:
        """Let {y} be subsumed by more concepts, as the ABox says them of y; whether that is news."""
        element = self._number[Nominal(individual)]
        before = sum(map(len, self._types.values()))
        self._activate(element)
        for concept in concepts:
            self._add(element, concept)
        self._saturate()
        return sum(map(len, self._types.values())) > before

    # --- what is in the vocabulary ------------------------------------------------------------------------

    def superroles(self, role: Iri) -> tuple[Iri, ...]:
        """The roles s with r ⊑* s, r first."""
        return self._superroles.get(role, (role,))

    def ranges(self, role: Iri) -> list[int]:
        """The numbers of the concepts that whatever a role leads to is an instance of."""
        return [self._number[c] for r in self.superroles(role) for c in self._ranges.get(r, ())]

    def narrowed(self, existential: Exists) -> Concept:
        """What the filler of ∃r.C must be: a C, and in the ranges of r; a nominal is as it is."""
        filler = existential.filler
        if isinstance(filler, Nominal) or not self._ranges:
            return filler
        return conjunction((filler, *(self.vocabulary[c] for c in self.ranges(existential.role))))

    def number(self, concept: Concept) -> int | None:
        """The place of a concept in the vocabulary."""
        return self._number.get(concept)

    def own_gains(self, role: Iri) -> Mapping[int, list[int]]:
        """`gains` without what the role owes to its superroles."""
        return self._gains.get(role, {})

    def number_of_name(self, iri: Iri) -> int:
        """The place of a class name in the vocabulary."""
        return self._number[Name(iri)]

    def conjunctions_with(self, number: int) -> list[tuple[frozenset[int], int]]:
        """The conjunctions of the vocabulary with a given conjunct: all their conjuncts, and their own number."""
        return self._conjunctions[number]

    def disjoint_groups(self) -> set[frozenset[int]]:
        """The sets of concepts of which an individual can be an instance of one at most."""
        return {group for groups in self._groups for group in groups}

    def nominals(self) -> dict[Iri, int]:
        """The individuals that occur in T, with the numbers of their nominals."""
        return {c.individual: i for i, c in enumerate(self.vocabulary) if isinstance(c, Nominal)}

    def links_to_individuals(self) -> list[tuple[int, Iri, Iri]]:
        """The concepts ∃r.{y} of the vocabulary: number, r, y."""
        return [
            (i, c.role, c.filler.individual)
            for i, c in enumerate(self.vocabulary)
            if isinstance(c, Exists) and isinstance(c.filler, Nominal)
        ]

    # --- what a concept can rest on -----------------------------------------------------------------------

    @cached_property
    def _premises(self) -> tuple[dict[int, set[int]], dict[int, set[Iri]]]:
        """For each concept what may lead to it: other concepts, and roles."""
        concepts: defaultdict[int, set[int]] = defaultdict(set)
        roles: defaultdict[int, set[Iri]] = defaultdict(set)
        for i, told in enumerate(self._told):
            for d in told:
                concepts[d].add(i)
        for i, concept in enumerate(self.vocabulary):
            if isinstance(concept, And):
                concepts[i].update(self._number[part] for part in concept.conjuncts)
        for role, gains in self._gains.items():
            for filler, existentials in gains.items():
                for existential in existentials:
                    concepts[existential].add(filler)
                    roles[existential].add(role)
        for existential, (role, filler) in list(self._witness.items()):
            all_gains = self.gains(role)
            for d in self.subsumers(filler):
                for gained in all_gains.get(d, ()):
                    concepts[gained].add(existential)
        for role, ranges in self._ranges.items():
            for concept in ranges:
                roles[self._number[concept]].add(role)
        return concepts, roles

    def relevant_to(self, concept: Concept) -> tuple[set[int], set[Iri]]:
        """The concepts of the vocabulary, by their numbers, and the roles that an instance of C may owe that to."""
        known = self._relevant.get(concept)
        if known is None:
            premises, role_premises = self._premises
            roles: set[Iri] = set()
            queue = [*self._mentioned(concept, roles)]
            found = set(queue)
            for at in queue:
                new = premises.get(at, set()) - found
                roles |= role_premises.get(at, set())
                found |= new
                queue += new
            known = self._relevant[concept] = found, roles
        return known

    def _mentioned(self, concept: Concept, roles: set[Iri]) -> Iterator[int]:
        """What of the vocabulary a concept speaks of; its roles are added to `roles`."""
        number = self._number.get(concept)
        if number is not None:
            yield number
        elif isinstance(concept, And):
            for part in concept.conjuncts:
                yield from self._mentioned(part, roles)
        elif isinstance(concept, Exists):
            roles.add(concept.role)
            yield from (i for i, (role, _) in self._witness.items() if concept.role in self.superroles(role))
            yield from self._mentioned(concept.filler, roles)


def reachability(pairs: Iterable[tuple[Node, Node]]) -> dict[Node, tuple[Node, ...]]:
    """The reflexive-transitive closure of a relation, as the nodes reachable from each node, itself first."""
    next_: defaultdict[Node, list[Node]] = defaultdict(list)
    for a, b in pairs:
        next_[a].append(b)
    closure = {}
    for node in list(next_):
        reached = {node: None}
        queue = [node]
        for at in queue:
            for successor in next_.get(at, ()):
                if successor not in reached:
                    reached[successor] = None
                    queue.append(successor)
        closure[node] = tuple(reached)
    return closure
