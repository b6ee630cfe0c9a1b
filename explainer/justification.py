"""Justifications: minimal sets of axioms and facts from which C(x) follows, in an order that a person can follow.

A justification of an entailment is a ⊆-minimal part of K that entails it (Kalyanpur et al., "Finding All Justifications
of OWL DL Entailments", ISWC 2007). One is found in two steps: a shallowest proof by backward chaining over the rules of
`explainer.tbox` in the canonical model, where every goal is known to hold; then whatever the proof can do without is
left out, with the reasoner as the judge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Union

from explainer.concepts import And, Concept, Exists, Feature, Iri, Name, Nominal, Top, conjuncts, role_assertion
from explainer.ontology import ABox, Disjointness, Ontology, Range, RoleChain, RoleInclusion, Subsumption
from explainer.reasoner import Element, KnowledgeBase


@dataclass(frozen=True)
class Fact:
    """An assertion of the ABox: a feature of an individual."""

    individual: Iri
    feature: Feature


@dataclass(frozen=True)
class Flip:
    """r(x, y) ⇒ s(y, x), from an inverse or symmetric role."""

    sub: Iri
    sup: Iri


Statement = Union[Fact, Subsumption, RoleInclusion, RoleChain, Range, Flip, Disjointness]
Proof = tuple[Statement, ...]


def justification(kb: KnowledgeBase, concept: Concept, x: Iri) -> tuple[Statement, ...]:
    """One justification of C(x), premises before what rests on them.

    Raises:
        ValueError: K does not entail C(x).
    """
    if not kb.entails(concept, x):
        raise ValueError("what does not follow has no justification")
    proof = _Prover(kb).prove(x, concept)
    needed = list(dict.fromkeys(proof))
    for statement in tuple(needed):
        rest = [s for s in needed if s != statement]
        if _suffices(rest, concept, x):
            needed = rest
    return tuple(needed)


def _suffices(statements: list[Statement], concept: Concept, x: Iri) -> bool:
    """Whether C(x) follows from the statements alone."""
    facts: defaultdict[Iri, list[Concept]] = defaultdict(list)
    facts[x] = []
    for s in statements:
        if isinstance(s, Fact):
            facts[s.individual].append(s.feature)
            if isinstance(s.feature, Exists) and isinstance(s.feature.filler, Nominal):
                facts[s.feature.filler.individual] += ()
    part = Ontology(
        source="justification",
        iri=None,
        abox=ABox.of(facts),
        classes=(),
        roles=(),
        subsumptions=tuple(s for s in statements if isinstance(s, Subsumption)),
        role_inclusions=tuple(s for s in statements if isinstance(s, RoleInclusion)),
        chains=tuple(s for s in statements if isinstance(s, RoleChain)),
        ranges=tuple(s for s in statements if isinstance(s, Range)),
        flips=tuple(RoleInclusion(s.sub, s.sup) for s in statements if isinstance(s, Flip)),
    )
    return KnowledgeBase(part, (concept,)).entails(concept, x)


class _Prover:
    """Proofs by iterative deepening: each goal (e, C) holds in the canonical model, so that some depth suffices."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.kb = kb
        self.proved: dict[tuple[Element, Concept], Proof] = {}
        self.failed: dict[tuple[Element, Concept], int] = {}
        self.into: defaultdict[Iri, list[tuple[Iri, Statement]]] = defaultdict(list)
        for inclusion in kb.ontology.role_inclusions:
            self.into[inclusion.sup].append((inclusion.sub, inclusion))

    def prove(self, element: Element, concept: Concept) -> Proof:
        depth = 1
        while (proof := self._attempt(element, concept, depth)) is None:
            depth += 1
        return proof

    def _attempt(self, e: Element, c: Concept, depth: int) -> Proof | None:
        if isinstance(c, Top) or (isinstance(c, Nominal) and e == c.individual):
            return ()
        if not isinstance(e, str) and (c == e or c in conjuncts(e)):
            return ()
        goal = (e, c)
        if goal in self.proved:
            return self.proved[goal]
        if self.failed.get(goal, 0) >= depth or not self.kb.model.satisfies(e, c):
            return None
        for derive in (self._asserted, self._by_parts, self._by_axiom, self._by_edge, self._by_range):
            proof = derive(e, c, depth - 1)
            if proof is not None:
                self.proved[goal] = proof
                return proof
        self.failed[goal] = depth
        return None

    def _all(self, goals: Iterator[tuple[Element, Concept]], depth: int) -> Proof | None:
        proofs: list[Statement] = []
        for e, c in goals:
            proof = self._attempt(e, c, depth) if depth else None
            if proof is None:
                return None
            proofs += proof
        return tuple(proofs)

    def _asserted(self, e: Element, c: Concept, depth: int) -> Proof | None:
        if isinstance(e, str) and isinstance(c, Name) and c in self.kb.ontology.asserted(e):
            return (Fact(e, c),)
        return None

    def _by_parts(self, e: Element, c: Concept, depth: int) -> Proof | None:
        return self._all(((e, part) for part in c.conjuncts), depth + 1) if isinstance(c, And) else None

    def _by_axiom(self, e: Element, c: Concept, depth: int) -> Proof | None:
        for axiom in self.kb.ontology.axioms_for.get(c, ()):
            if self.kb.model.satisfies(e, axiom.sub):
                proof = self._all(iter([(e, axiom.sub)]), depth) if axiom.sub != Top() else ()
                if proof is not None:
                    return (*proof, axiom)
        return None

    def _by_edge(self, e: Element, c: Concept, depth: int) -> Proof | None:
        if not isinstance(c, Exists):
            return None
        if isinstance(e, str):
            for role, targets in self.kb.links(e).items():
                if role != c.role:
                    continue
                for y in targets:
                    filler = self._all(iter([(y, c.filler)]), depth) if depth or isinstance(c.filler, Top) else None
                    if isinstance(c.filler, (Top, Nominal)):
                        filler = () if isinstance(c.filler, Top) or y == c.filler.individual else None
                    edge = None if filler is None or not isinstance(y, str) else self._edge(e, role, y, depth + 1)
                    if filler is not None and edge is not None:
                        return (*edge, *filler)
        return self._by_unnamed(e, c, depth)

    def _by_unnamed(self, e: Element, c: Exists, depth: int) -> Proof | None:
        """∃r.F(e) with r ⊑* s makes ∃s.D hold of e where what is an F, in r's ranges, is a D."""
        tbox = self.kb.tbox
        known = [k for k in tbox.concepts(self.kb.model.type_of(e) & tbox.existential_mask) if isinstance(k, Exists)]
        if not isinstance(e, str):
            known += [part for part in conjuncts(e) if isinstance(part, Exists)]
        for k in known:
            if k == c or c.role not in tbox.superroles(k.role):
                continue
            target: Element = k.filler.individual if isinstance(k.filler, Nominal) else tbox.narrowed(k)
            if not self.kb.model.satisfies(target, c.filler):
                continue
            proof = self._all(iter([(e, k), (target, c.filler)]), depth)
            path = self._inclusions(k.role, c.role)
            ranges = [r for r in self.kb.ontology.ranges if r.role in tbox.superroles(k.role)]
            above = [axiom for r in ranges for axiom in self._inclusions(k.role, r.role)]
            if proof is not None:
                return (*proof, *path, *above, *ranges)
        return self._by_chain(e, c, depth)

    def _by_chain(self, e: Element, c: Exists, depth: int) -> Proof | None:
        """e -r-> f, ∃s.D(f) and r ∘ s ⊑ t make ∃t.D hold of e."""
        for chain in self.kb.ontology.chains:
            if c.role in self.kb.tbox.superroles(chain.sup):
                step = Exists(chain.first, Exists(chain.second, c.filler))
                if step != c and self.kb.knowing(step).model.satisfies(e, step):
                    proof = self._all(iter([(e, step)]), depth)
                    if proof is not None:
                        return (*proof, chain, *self._inclusions(chain.sup, c.role))
        return None

    def _by_range(self, e: Element, c: Concept, depth: int) -> Proof | None:
        if not isinstance(e, str) or not depth:
            return None
        for axiom in self.kb.ontology.ranges:
            edges = self.kb.abox.roles.get(axiom.role)
            if c == axiom.concept and edges is not None:
                for z in edges.into_one(self.kb.number(e)).tolist():
                    edge = self._edge(self.kb.individuals[z], axiom.role, e, depth)
                    if edge is not None:
                        return (*edge, axiom)
        return None

    def _edge(self, x: Iri, role: Iri, y: Iri, depth: int) -> Proof | None:
        """How r(x, y) comes about."""
        if depth <= 0:
            return None
        if role_assertion(role, y) in self.kb.ontology.asserted(x):
            return (Fact(x, role_assertion(role, y)),)
        for sub, inclusion in self.into[role]:
            if y in self.kb.links(x).get(sub, ()):
                below = self._edge(x, sub, y, depth - 1)
                if below is not None:
                    return (*below, inclusion)
        for flip in self.kb.ontology.flips:
            if flip.sup == role and x in self.kb.links(y).get(flip.sub, ()):
                mirrored = self._edge(y, flip.sub, x, depth - 1)
                if mirrored is not None:
                    return (*mirrored, Flip(flip.sub, flip.sup))
        for chain in self.kb.ontology.chains:
            if chain.sup == role:
                for z in self._links(x, chain.first):
                    if y in self._links(z, chain.second):
                        first = self._edge(x, chain.first, z, depth - 1)
                        second = self._edge(z, chain.second, y, depth - 1)
                        if first is not None and second is not None:
                            return (*first, *second, chain)
        link = Exists(role, Nominal(y))
        return self._by_axiom(x, link, depth - 1) if depth > 1 and self.kb.tbox.number(link) is not None else None

    def _links(self, x: Iri, role: Iri) -> list[Iri]:
        edges = self.kb.abox.roles.get(role)
        if edges is None:
            return []
        n = self.kb.number(x)
        return [self.kb.individuals[y] for y in edges.targets[edges.sources == n].tolist()]

    def _inclusions(self, role: Iri, sup: Iri) -> Proof:
        """The role inclusions that lead from one role to another."""
        came: dict[Iri, tuple[Iri, Statement]] = {}
        queue = [sup]
        for at in queue:
            for sub, inclusion in self.into[at]:
                if sub not in came and sub != sup:
                    came[sub] = (at, inclusion)
                    queue.append(sub)
        path: list[Statement] = []
        while role != sup:
            role, inclusion = came[role]
            path.append(inclusion)
        return tuple(path)
