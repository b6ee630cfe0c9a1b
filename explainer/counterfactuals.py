"""Counterfactual reasoning in ELH: why C(x) holds or does not, and what would have to be different.

The method is that of Sieger et al., "Explaining ELH Concept Descriptions through Counterfactual Reasoning", made
exact and lazy by hitting sets (see `explainer.search`). A request P = ⟨C(x), rem⟩ asks for C(x) not to hold,
⟨C(x), add⟩ for C(x) to hold. A counterfactual is a change of the features of x alone that fulfils P and of which
nothing can be left out; each is confirmed by the reasoner before it is returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from explainer.concepts import (
    TOP,
    And,
    Concept,
    Exists,
    Feature,
    Iri,
    Name,
    Nominal,
    conjunction,
    conjuncts,
    is_role_assertion,
    role_assertion,
)
from explainer.ranking import Likeliness, Reading, distance, likelihood, rank_key
from explainer.reasoner import KnowledgeBase, Model, Supposition
from explainer.search import minimal_sets

Population = Literal["negatives", "others"]

MOST_CANDIDATES = 1000
"""How many minimal changes are enumerated, smallest first, before they are ranked."""


@dataclass(frozen=True)
class Request:
    """What is to be explained.

    Attributes:
        individual: x.
        concept: C.
        reading: how δ and the likelinesses count (see `explainer.ranking.distance`).
        against: whom x is compared with: "negatives", the individuals y with K ⊭ C(y), or "others", all but x.
        among: a concept whose instances alone are compared with.
        rank: the likeliness that orders counterfactuals with equal δ.
        add: ask for ⟨C(x), add⟩ even where C(x) holds already; the kind of request is else what C(x) calls for.
    """

    individual: Iri
    concept: Concept
    reading: Reading = "assertions"
    against: Population = "negatives"
    among: Concept = TOP
    rank: Likeliness = "min"
    add: bool = False


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


@dataclass(frozen=True)
class Counterfactual:
    """A least change of x's features that fulfils the request.

    Attributes:
        removed, added: the features of x that go, and that come, in the materialised ABox.
        said: what this means in terms of C's definition: the concepts that x would no longer (or newly) meet.
        distance: δ, the number of features that change.
        l_min, l_mean: see `explainer.ranking.Likelihood`.
        becomes: the most specific classes of x after the change.
    """

    removed: tuple[Feature, ...]
    added: tuple[Feature, ...]
    said: tuple[Concept, ...]
    distance: int
    l_min: int | None
    l_mean: float | None
    becomes: tuple[Iri, ...]


@dataclass(frozen=True)
class Explanation:
    """The answer to a request: the reason, and the counterfactuals in the order in which they are told."""

    request: Request
    holds: bool
    kind: Literal["rem", "add"]
    reason: Reason
    counterfactuals: tuple[Counterfactual, ...]
    population_size: int


def explain(kb: KnowledgeBase, request: Request) -> Explanation:
    """Explain why C(x) holds or does not hold.

    Raises:
        KeyError: the individual is not in the knowledge base.
    """
    x, concept = request.individual, request.concept
    holds = kb.entails(concept, x)
    kind: Literal["rem", "add"] = "rem" if holds and not request.add else "add"
    population = [kb.features(y) for y in comparison_individuals(kb, request)]
    supposition = kb.supposing(x)
    changes = removals(kb, supposition, concept) if kind == "rem" else additions(kb, supposition, concept)
    ranked = sorted(
        (
            _measured(kb, supposition, request, change, population)
            for change in islice(changes, MOST_CANDIDATES)
            if supposition.entails(change.assertions, concept) == (kind == "add")
        ),
        key=rank_key(request.rank),
    )
    return Explanation(request, holds, kind, reason_for(kb, x, concept), tuple(ranked), len(population))


def comparison_individuals(kb: KnowledgeBase, request: Request) -> list[Iri]:
    """The individuals that likeliness is measured against."""
    return [
        y
        for y in kb.individuals
        if y != request.individual
        and (request.among == TOP or kb.entails(request.among, y))
        and (request.against == "others" or not kb.entails(request.concept, y))
    ]


# --- removal ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A minimal change: the assertions x is left with, and what the change is in terms of the definition."""

    assertions: tuple[Concept, ...]
    said: tuple[Concept, ...]


def removals(kb: KnowledgeBase, supposition: Supposition, concept: Concept) -> Iterator[Change]:
    """The ⊆-minimal sets R of features of x such that (T, A* without R) does not entail C(x), smallest first.

    That nothing in R is entailed again by the rest follows from minimality: what the rest entails need not go.
    """
    features = kb.features(supposition.x)

    def no_longer(removed: frozenset[Feature]) -> bool:
        return not supposition.entails((f for f in features if f not in removed), concept)

    for removed in minimal_sets(features, no_longer):
        rest = tuple(f for f in features if f not in removed)
        after = supposition.model(rest)
        yield Change(rest, tuple(dict.fromkeys(_ceased(kb, supposition.x, after, concept, concept))))


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


def additions(kb: KnowledgeBase, supposition: Supposition, concept: Concept) -> Iterator[Change]:
    """The minimal sets of assertions about x that make C(x) hold, smallest first, leaving out any that is merely
    stronger than another.

    The assertions are drawn from C's definition, unfolded down to classes without one: asserting a defined class says
    no more than its definition, and a subclass of a class says more than is needed. ∃r.D is met by an individual that
    is a D already and that others are related to by r, the most common such, or else by a fresh one.
    """
    x = supposition.x
    features = kb.features(x)

    def enough(assertions: frozenset[Concept]) -> bool:
        return supposition.entails((*features, *assertions), concept)

    requirements = tuple(dict.fromkeys(_requirements(kb, concept, concept)))
    if not enough(frozenset(requirements)):  # nothing but being told so helps
        requirements = conjuncts(concept)
    found = [tuple(c for c in requirements if c in chosen) for chosen in minimal_sets(requirements, enough)]
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
    grounds = _grounds(kb, asked, concept)
    for ground in grounds:
        yield from _requirements(kb, asked, ground, above | {concept})
    if not grounds and (concept != asked or not isinstance(concept, Name)):
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
    counts = Counter(
        f.filler.individual
        for y in kb.individuals
        if y != x
        for f in kb.features(y)
        if isinstance(f, Exists) and f.role == existential.role and isinstance(f.filler, Nominal)
    )
    fitting = [(-n, y) for y, n in counts.items() if y != x and kb.entails(existential.filler, y)]
    return min(fitting)[1] if fitting else None


# --- reasons ------------------------------------------------------------------------------------------------------


def definitions(kb: KnowledgeBase, concept: Concept) -> tuple[Concept, ...]:
    """The concepts that a class name is defined as."""
    return tuple(kb.ontology.definitions.get(concept.iri, ())) if isinstance(concept, Name) else ()


def _grounds(kb: KnowledgeBase, asked: Concept, concept: Concept) -> tuple[Concept, ...]:
    """What a concept rests on: its definitions; where the one asked about has none, all that suffices for it."""
    return definitions(kb, concept) or (
        sufficient(kb, concept) if concept == asked and isinstance(concept, Name) else ()
    )


def sufficient(kb: KnowledgeBase, concept: Concept) -> tuple[Concept, ...]:
    """The left-hand sides of T's axioms that make a concept hold, but for those defined by that very concept."""

    def leads_to_it(sup: Concept) -> bool:
        return concept in conjuncts(sup) or (isinstance(concept, Exists) and kb.subsumed(sup, concept))

    axioms = (axiom for axiom in kb.ontology.subsumptions if leads_to_it(axiom.sup))
    return tuple(axiom.sub for axiom in axioms if concept not in _unfolded(kb, axiom.sub))


def _unfolded(kb: KnowledgeBase, concept: Concept) -> set[Concept]:
    """The concept, its conjuncts, and what these are defined as, all the way down."""
    unfolded: set[Concept] = set()
    queue = [concept]
    while queue:
        c = queue.pop()
        if c not in unfolded:
            unfolded.add(c)
            queue += [*(conjuncts(c) if isinstance(c, And) else ()), *definitions(kb, c)]
    return unfolded


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


def _is_told(kb: KnowledgeBase, x: Iri, concept: Concept) -> bool:
    """Whether C(x) holds because it is asserted, or because ∃r.D is by a role assertion, and would else not."""
    asserted = kb.ontology.assertions[x]
    if isinstance(concept, Exists):
        others = [c for c in asserted if not is_role_assertion(c)]
    else:
        others = [c for c in asserted if c != concept]
    return len(others) < len(asserted) and kb.entails(concept, x) and not kb.supposing(x).entails(others, concept)


def telling_parts(kb: KnowledgeBase, concept: Concept) -> tuple[Concept, ...]:
    """The conjuncts that the others do not imply: who has a child need not be said to be a person."""
    parts = list(conjuncts(concept))
    for part in reversed(conjuncts(concept)):
        others = [c for c in parts if c != part]
        if others and kb.subsumed(conjunction(others), part):
            parts = others
    return tuple(parts)


# --- measuring ----------------------------------------------------------------------------------------------------


def _measured(
    kb: KnowledgeBase,
    supposition: Supposition,
    request: Request,
    change: Change,
    population: list[tuple[Feature, ...]],
) -> Counterfactual:
    before = kb.features(request.individual)
    after = supposition.features(change.assertions)
    near = likelihood(after, population, request.reading)
    return Counterfactual(
        removed=tuple(f for f in before if f not in after),
        added=tuple(f for f in after if f not in before),
        said=change.said,
        distance=distance(before, after, request.reading),
        l_min=near.l_min,
        l_mean=near.l_mean,
        becomes=most_specific(kb, after),
    )


def most_specific(kb: KnowledgeBase, features: Iterable[Feature]) -> tuple[Iri, ...]:
    """The classes among the features that have no proper subclass among them."""
    names = [f for f in features if isinstance(f, Name)]
    return tuple(a.iri for a in names if not any(kb.subsumed(b, a) and not kb.subsumed(a, b) for b in names if b != a))
