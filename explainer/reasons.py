"""Why C(x) holds or does not, in terms of C's definition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from explainer.concepts import And, Concept, Exists, Feature, Iri, Name, conjunction, conjuncts, is_role_assertion
from explainer.reasoner import KnowledgeBase
from explainer.supposition import Supposition


@dataclass(frozen=True)
class Reason:
    """Why C(x) holds, or what it lacks.

    Attributes:
        holding: the parts of C's definition (or of the axiom that makes it hold) that x meets.
        missing: those that x does not meet; empty where C(x) holds.
        told: C(x) is asserted and follows from nothing else that is asserted of x.
    """

    holding: tuple[Concept, ...]
    missing: tuple[Concept, ...]
    told: bool


def definitions(kb: KnowledgeBase, concept: Concept) -> tuple[Concept, ...]:
    """The concepts that a class name is defined as."""
    return tuple(kb.ontology.definitions.get(concept.iri, ())) if isinstance(concept, Name) else ()


def grounds(kb: KnowledgeBase, asked: Concept, concept: Concept) -> tuple[Concept, ...]:
    """What a concept rests on: its definitions; where the one asked about has none, all that suffices for it."""
    return definitions(kb, concept) or (
        sufficient(kb, concept) if concept == asked and isinstance(concept, Name) else ()
    )


def sufficient(kb: KnowledgeBase, concept: Concept) -> tuple[Concept, ...]:
    """The left-hand sides of T's axioms that make a concept hold, but for those defined by that very concept."""
    axioms = list(kb.ontology.axioms_for.get(concept, ()))
    if isinstance(concept, Exists):
        axioms += [a for a in kb.ontology.subsumptions if a not in axioms and kb.subsumed(a.sup, concept)]
    return tuple(axiom.sub for axiom in axioms if concept not in unfolded(kb, axiom.sub))


def unfolded(kb: KnowledgeBase, concept: Concept) -> set[Concept]:
    """The concept, its conjuncts, and what these are defined as, all the way down."""
    found: set[Concept] = set()
    queue = [concept]
    while queue:
        c = queue.pop()
        if c not in found:
            found.add(c)
            queue += [*(conjuncts(c) if isinstance(c, And) else ()), *definitions(kb, c)]
    return found


def reason_for(kb: KnowledgeBase, x: Iri, concept: Concept) -> Reason:
    """Why C(x) holds, or what it lacks: by C's definition if it has one, else by an axiom that makes it hold."""
    told = _is_told(kb, x, concept)
    grounds = definitions(kb, concept)
    if not grounds and isinstance(concept, (Name, Exists)) and kb.entails(concept, x):
        grounds = () if told else tuple(c for c in sufficient(kb, concept) if kb.entails(c, x))
    elif not grounds and not isinstance(concept, Name):
        grounds = (concept,)
    if not grounds:
        return Reason((), (), told)
    parts = telling_parts(kb, max(grounds, key=lambda c: kb.entails(c, x)))
    return Reason(tuple(c for c in parts if kb.entails(c, x)), tuple(c for c in parts if not kb.entails(c, x)), told)


def reason_by_rule(kb: KnowledgeBase, x: Iri, concept: Concept) -> Reason:
    """Which parts of a learned concept x meets, and which it lacks."""
    parts = telling_parts(kb, concept)
    return Reason(
        tuple(c for c in parts if kb.entails(c, x)), tuple(c for c in parts if not kb.entails(c, x)), told=False
    )


def _is_told(kb: KnowledgeBase, x: Iri, concept: Concept) -> bool:
    """Whether C(x) holds because it is asserted, or because ∃r.D is by a role assertion, and would else not."""
    asserted = kb.ontology.asserted(x)
    if isinstance(concept, Exists):
        others = [c for c in asserted if not is_role_assertion(c)]
    else:
        others = [c for c in asserted if c != concept]
    return len(others) < len(asserted) and kb.entails(concept, x) and not Supposition(kb, x).entails(others, concept)


def telling_parts(kb: KnowledgeBase, concept: Concept) -> tuple[Concept, ...]:
    """The conjuncts that the others do not imply: who has a child need not be said to be a person."""
    parts = list(conjuncts(concept))
    for part in reversed(conjuncts(concept)):
        others = [c for c in parts if c != part]
        if others and kb.subsumed(conjunction(others), part):
            parts = others
    return tuple(parts)


def most_specific(kb: KnowledgeBase, features: Iterable[Feature]) -> tuple[Iri, ...]:
    """The classes among the features that have no proper subclass among them."""
    names = [f for f in features if isinstance(f, Name)]
    types = {f: kb.tbox.type_of(f) for f in names}
    above = {
        a for b in names for a in names if types[a] != types[b] and types[b] & kb.tbox.bit(a)
    }  # equivalent classes have the same type
    return tuple(a.iri for a in names if a not in above)
