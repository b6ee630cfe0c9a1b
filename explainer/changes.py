"""The minimal changes of an individual's features that make C(x) fail, or hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from explainer.concepts import (
    And,
    Concept,
    Exists,
    Feature,
    Iri,
    Name,
    Nominal,
    conjunction,
    conjuncts,
    role_assertion,
)
from explainer.reasoner import KnowledgeBase, Model
from explainer.reasons import definitions, grounds, sufficient
from explainer.search import minimal_sets
from explainer.supposition import Supposition


@dataclass(frozen=True)
class Limits:
    """What a change may touch.

    Attributes:
        keep: features, and IRIs of classes and roles, that may not change.
        only: if given, what alone of the asserted may change; what was inferred goes with what it followed from.
        weights: IRI of a class or role → the cost of a change of such a feature, 1 or more; others cost 1.
    """

    keep: frozenset[Feature | Iri] = frozenset()
    only: frozenset[Feature | Iri] | None = None
    weights: tuple[tuple[Iri, int], ...] = ()

    def kept(self, concept: Concept) -> bool:
        """Whether a feature, or a concept to be added, may not change."""
        return not self.keep.isdisjoint(_labels(concept))

    def open_to(self, concept: Concept) -> bool:
        """Whether a change may start from a feature, or a concept to be added."""
        return not self.kept(concept) and (self.only is None or not self.only.isdisjoint(_labels(concept)))

    def cost(self, features: Iterable[Concept]) -> int:
        """What it costs to change features."""
        weights = dict(self.weights)
        return sum(weights.get(_iri(f), 1) for f in features)


def _labels(concept: Concept) -> set[Concept | Iri]:
    return {concept, _iri(concept)}


def _iri(concept: Concept) -> Iri:
    return concept.role if isinstance(concept, Exists) else concept.iri if isinstance(concept, Name) else ""


ANYTHING = Limits()
"""No limits."""


@dataclass(frozen=True)
class Change:
    """A minimal change: the assertions x is left with, and what the change is in terms of the definition."""

    assertions: tuple[Concept, ...]
    said: tuple[Concept, ...]


# --- removal ------------------------------------------------------------------------------------------------------


def removals(
    kb: KnowledgeBase, supposition: Supposition, concept: Concept, limits: Limits = ANYTHING
) -> Iterator[Change]:
    """The ⊆-minimal sets R of features of x such that (T, A* without R) does not entail C(x), cheapest first.

    That nothing in R is entailed again by the rest follows from minimality: what the rest entails need not go.
    """
    features = kb.features(supposition.x)
    removable = [f for f in _relevant(kb, features, concept) if _removable(kb, supposition.x, f, limits)]
    fixed = set(features).difference(removable)
    holds = supposition.oracle((f for f in features if f in fixed), removable, concept)

    def no_longer(removed: Iterable[int]) -> bool:
        gone = set(removed)
        return not holds(i for i in range(len(removable)) if i not in gone)

    weights = [limits.cost([f]) for f in removable] if limits.weights else None
    for chosen in minimal_sets(len(removable), no_longer, weights):
        removed = {removable[i] for i in chosen}
        rest = tuple(f for f in features if f not in removed)
        after = supposition.model(rest)
        yield Change(rest, tuple(dict.fromkeys(_ceased(kb, supposition.x, after, concept, concept))))


def _relevant(kb: KnowledgeBase, features: Iterable[Feature], concept: Concept) -> list[Feature]:
    """The features that C(x) could rest on."""
    concepts, roles = kb.tbox.relevant_to(concept)
    roles = _leading_to(kb, roles)
    return [
        f
        for f in features
        if (kb.tbox.number(f) in concepts if isinstance(f, Name) else not roles.isdisjoint(kb.tbox.superroles(f.role)))
    ]


def _leading_to(kb: KnowledgeBase, roles: Iterable[Iri]) -> set[Iri]:
    """The roles, and those of the chains that lead to them."""
    found = set(roles)
    grown = True
    while grown:
        before = len(found)
        for chain in kb.ontology.chains:
            if not found.isdisjoint(kb.tbox.superroles(chain.sup)):
                found |= {chain.first, chain.second}
        grown = len(found) > before
    return found


def _removable(kb: KnowledgeBase, x: Iri, feature: Feature, limits: Limits) -> bool:
    """Whether the limits let a feature go: as it may change itself, or was never asserted but inferred."""
    if limits.kept(feature):
        return False
    return limits.open_to(feature) or feature not in kb.ontology.asserted(x)


def _ceased(
    kb: KnowledgeBase, x: Iri, after: Model, asked: Concept, concept: Concept, above: frozenset[Concept] = frozenset()
) -> Iterator[Concept]:
    """The undefined concepts that x ceases to meet and on which the loss of C(x) rests, read off C's definition."""
    if concept in above or not kb.entails(concept, x) or after.satisfies(x, concept):
        return
    if isinstance(concept, And):
        for part in concept.conjuncts:
            yield from _ceased(kb, x, after, asked, part, above)
        return
    grounds = definitions(kb, concept) or (sufficient(kb, concept) if concept == asked else ())
    below = [c for ground in grounds for c in _ceased(kb, x, after, asked, ground, above | {concept})]
    yield from below or (concept,)


# --- addition -----------------------------------------------------------------------------------------------------


def additions(
    kb: KnowledgeBase, supposition: Supposition, concept: Concept, limits: Limits = ANYTHING
) -> Iterator[Change]:
    """The minimal sets of assertions about x that make C(x) hold, smallest first, leaving out any that is merely
    stronger than another, and any that contradicts what is known.

    The assertions are drawn from C's definition, unfolded down to classes without one: asserting a defined class says
    no more than its definition, and a subclass of a class says more than is needed. ∃r.D is met by an individual that
    is a D already and that others are related to by r, the most common such, or else by a fresh one.
    """
    x = supposition.x
    features = kb.features(x)

    requirements = tuple(dict.fromkeys(_requirements(kb, concept, concept)))
    if not supposition.entails((*features, *requirements), concept):  # nothing but being told so helps
        requirements = conjuncts(concept)
    requirements = tuple(c for c in requirements if limits.open_to(c))
    enough = supposition.oracle(features, requirements, concept)
    found = [tuple(requirements[i] for i in sorted(chosen)) for chosen in minimal_sets(len(requirements), enough)]
    found = [said for said in found if supposition.consistent((*features, *said))]
    after = {said: supposition.model((*features, *said)) for said in found}

    def implies(one: tuple[Concept, ...], other: tuple[Concept, ...]) -> bool:
        return after[one].satisfies(x, conjunction(other))

    for said in found:
        if not any(implies(said, other) and not implies(other, said) for other in found):
            yield Change((*features, *_with_fillers(kb, x, said)), said)


def _requirements(
    kb: KnowledgeBase, asked: Concept, concept: Concept, above: frozenset[Concept] = frozenset()
) -> Iterator[Concept]:
    """The concepts without definition that C unfolds to; the class asked about is itself none of them."""
    if concept in above:
        return
    if isinstance(concept, And):
        for part in concept.conjuncts:
            yield from _requirements(kb, asked, part, above)
        return
    resting_on = grounds(kb, asked, concept)
    for ground in resting_on:
        yield from _requirements(kb, asked, ground, above | {concept})
    if not resting_on and (concept != asked or not isinstance(concept, Name)):
        yield concept


def _with_fillers(kb: KnowledgeBase, x: Iri, assertions: Iterable[Concept]) -> Iterator[Concept]:
    """Each ∃r.D with its filler: a role assertion to a known individual, or, as it stands, to a fresh one."""
    for assertion in assertions:
        if isinstance(assertion, Exists) and not isinstance(assertion.filler, Nominal):
            filler = _common_filler(kb, x, assertion)
            yield role_assertion(assertion.role, filler) if filler else assertion
        else:
            yield assertion


def _common_filler(kb: KnowledgeBase, x: Iri, existential: Exists) -> Iri | None:
    """The individual that meets ∃r.D for most others, the first by IRI among equals; None where there is none."""
    edges = kb.abox.roles.get(existential.role)
    if edges is None:
        return None
    me = kb.number(x)
    counts = np.bincount(edges.targets[edges.sources != me], minlength=kb.abox.size)
    counts[~kb.extension(existential.filler)] = 0
    counts[me] = 0
    return min(kb.individuals[y] for y in np.flatnonzero(counts == counts.max()).tolist()) if counts.any() else None
