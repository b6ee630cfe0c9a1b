"""A second reasoner for ELH, to hold the first one against: the completion algorithm as in the textbook.

T and A are normalised to A ⊑ B, A1 ⊓ A2 ⊑ B, A ⊑ ∃r.B, ∃r.A ⊑ B and r ⊑ s, an individual being a name like any other
(C(x) is {x} ⊑ C); S and R grow by the rules CR1 to CR5 of Baader, Brandt, Lutz (IJCAI 2005) until nothing changes.
Nothing here is shared with `explainer.reasoner` but the concepts themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from explainer.concepts import TOP, And, Concept, Exists, Name, Nominal
from explainer.ontology import RoleInclusion, Subsumption

Atom = object


class Naive:
    def __init__(
        self,
        subsumptions: Iterable[Subsumption],
        role_inclusions: Iterable[RoleInclusion],
        assertions: Iterable[tuple[str, Concept]],
        queries: Iterable[Concept] = (),
    ) -> None:
        self.fresh = count()
        self.simple: set[tuple[Atom, Atom]] = set()
        self.both: set[tuple[Atom, Atom, Atom]] = set()
        self.right: set[tuple[Atom, str, Atom]] = set()
        self.left: set[tuple[str, Atom, Atom]] = set()
        self.roles = {(axiom.sub, axiom.sup) for axiom in role_inclusions}
        self.query = {}
        for axiom in subsumptions:
            self.simple.add((self.below(axiom.sub), self.above(axiom.sup)))
        for x, concept in assertions:
            self.simple.add((("individual", x), self.above(concept)))
        for concept in queries:
            self.query[concept] = self.below(concept)
        self.complete()

    def below(self, concept: Concept) -> Atom:
        """An atom that everything that is a C belongs to."""
        if isinstance(concept, Name):
            return concept.iri
        if isinstance(concept, Nominal):
            return ("individual", concept.individual)
        if concept == TOP:
            return TOP
        atom = ("below", next(self.fresh))
        if isinstance(concept, And):
            rest = concept.conjuncts
            previous = self.below(rest[0])
            for part in rest[1:]:
                step = ("below", next(self.fresh))
                self.both.add((previous, self.below(part), step))
                previous = step
            self.simple.add((previous, atom))
        elif isinstance(concept, Exists):
            self.left.add((concept.role, self.below(concept.filler), atom))
        return atom

    def above(self, concept: Concept) -> Atom:
        """An atom whose instances are all Cs."""
        if isinstance(concept, Name):
            return concept.iri
        if isinstance(concept, Nominal):
            return ("individual", concept.individual)
        if concept == TOP:
            return TOP
        atom = ("above", next(self.fresh))
        if isinstance(concept, And):
            for part in concept.conjuncts:
                self.simple.add((atom, self.above(part)))
        elif isinstance(concept, Exists):
            self.right.add((atom, concept.role, self.above(concept.filler)))
        return atom

    def complete(self) -> None:
        atoms = {TOP}
        for axiom in (*self.simple, *self.both):
            atoms.update(axiom)
        for a, _, b in self.right:
            atoms |= {a, b}
        for _, a, b in self.left:
            atoms |= {a, b}
        self.s = {atom: {atom, TOP} for atom in atoms}
        self.r: set[tuple[Atom, str, Atom]] = set()
        changed = True
        while changed:
            before = (sum(map(len, self.s.values())), len(self.r))
            for atom, supers in self.s.items():
                supers |= {b for a, b in self.simple if a in supers}
                supers |= {c for a, b, c in self.both if a in supers and b in supers}
                self.r |= {(atom, role, b) for a, role, b in self.right if a in supers}
            for sub, sup in self.roles:
                self.r |= {(a, sup, b) for a, role, b in self.r if role == sub}
            for a, role, b in self.r:
                self.s[a] |= {d for left_role, c, d in self.left if left_role == role and c in self.s[b]}
            changed = before != (sum(map(len, self.s.values())), len(self.r))

    def entails(self, x: str, concept: Concept) -> bool:
        """C(x), for a class name or one of the queries."""
        known = self.s.get(("individual", x), {TOP})
        return self.query.get(concept, concept.iri if isinstance(concept, Name) else concept) in known
