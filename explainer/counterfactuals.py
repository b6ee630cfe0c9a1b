"""Counterfactual reasoning in ELH: why C(x) holds or does not, and what would have to be different.

The method is that of Sieger et al., "Explaining ELH Concept Descriptions through Counterfactual Reasoning", made
exact and lazy by hitting sets (see `explainer.search`). A request P = ⟨C(x), rem⟩ asks for C(x) not to hold,
⟨C(x), add⟩ for C(x) to hold. A counterfactual is a change of the features of x alone that fulfils P and of which
nothing can be left out; each is confirmed by the reasoner before it is returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal

from explainer.abox import Mask
from explainer.changes import Change, Limits, additions, removals
from explainer.concepts import TOP, Concept, Feature, Iri
from explainer.justification import Statement, justification
from explainer.ranking import Likeliness, Population, Reading, distance, rank_key
from explainer.reasoner import KnowledgeBase
from explainer.reasons import Reason, most_specific, reason_by_rule, reason_for
from explainer.rules import Rule
from explainer.supposition import Supposition

Against = Literal["negatives", "others"]

MOST = 100
"""How many counterfactuals an explanation holds; `every_counterfactual` goes on."""


@dataclass(frozen=True)
class Request:
    """What is to be explained.

    Attributes:
        individual: x.
        concept: C.
        reading: how δ and the likelinesses count (see `explainer.ranking.distance`).
        against: whom x is compared with: "negatives", the individuals y with K ⊭ C(y), or "others", all but x.
        among: a concept whose instances alone are compared with.
        rank: the likeliness that orders counterfactuals with equal cost.
        add: ask for ⟨C(x), add⟩ even where C(x) holds already; the kind of request is else what C(x) calls for.
        keep: features, and IRIs of classes and roles, that may not change.
        only: if given, what alone of the asserted may change; what was inferred goes with what it followed from.
        weights: pairs of the IRI of a class or role and the cost of changing such a feature, a whole number from 1
            on; the cost of a counterfactual is that of its features together, each 1 by default.
        max_changes: the greatest δ of interest.
        rule: what was learned of the class C, to be explained by instead of its definition.
    """

    individual: Iri
    concept: Concept
    reading: Reading = "assertions"
    against: Against = "negatives"
    among: Concept = TOP
    rank: Likeliness = "min"
    add: bool = False
    keep: frozenset[Feature | Iri] = frozenset()
    only: frozenset[Feature | Iri] | None = None
    weights: tuple[tuple[Iri, int], ...] = ()
    max_changes: int | None = None
    rule: Rule | None = None

    def __post_init__(self) -> None:
        if isinstance(self.weights, Mapping):
            object.__setattr__(self, "weights", tuple(self.weights.items()))
        if any(weight < 1 for _, weight in self.weights):
            raise ValueError("weights are whole numbers from 1 on")

    @property
    def meaning(self) -> Concept:
        """What decides: C, or what was learned of it."""
        return self.rule.concept if self.rule else self.concept

    @property
    def limits(self) -> Limits:
        """What a change may touch."""
        return Limits(self.keep, self.only, self.weights)


@dataclass(frozen=True)
class Counterfactual:
    """A least change of x's features that fulfils the request.

    Attributes:
        removed, added: the features of x that go, and that come, in the materialised ABox.
        said: what this means in terms of C's definition: the concepts that x would no longer (or newly) meet.
        distance: δ, the number of features that change.
        cost: the weight of the features that change; equal to δ where no weights are given.
        l_min, l_mean, nearest: see `explainer.ranking.Likelihood`.
        becomes: the most specific classes of x after the change.
    """

    removed: tuple[Feature, ...]
    added: tuple[Feature, ...]
    said: tuple[Concept, ...]
    distance: int
    cost: int
    l_min: int | None
    l_mean: float | None
    nearest: Iri | None
    becomes: tuple[Iri, ...]


@dataclass(frozen=True)
class Explanation:
    """The answer to a request: the reason, and the counterfactuals in the order in which they are told.

    Attributes:
        holds: whether K ⊨ C(x); for a learned rule, whether x meets it.
        known: whether K ⊨ C(x), whatever a rule says.
        kind: "rem" or "add".
        reason: in terms of C's definition.
        counterfactuals: the first `MOST` of them.
        population_size: how many individuals x was compared with.
    """

    request: Request
    holds: bool
    known: bool
    kind: Literal["rem", "add"]
    reason: Reason
    counterfactuals: tuple[Counterfactual, ...]
    population_size: int
    _kb: KnowledgeBase = field(repr=False, compare=False)

    @cached_property
    def justification(self) -> tuple[Statement, ...]:
        """A minimal set of axioms and facts from which C(x) follows, premises first; empty where it does not hold."""
        return justification(self._kb, self.request.meaning, self.request.individual) if self.holds else ()


def explain(kb: KnowledgeBase, request: Request) -> Explanation:
    """Explain why C(x) holds or does not hold.

    Raises:
        KeyError: the individual is not in the knowledge base.
    """
    x, concept = request.individual, request.meaning
    known = kb.entails(request.concept, x)
    kb = kb.knowing(concept)
    population = _population(kb, request)
    return Explanation(
        request=request,
        holds=kb.entails(concept, x),
        known=known,
        kind=_kind(kb, request),
        reason=reason_by_rule(kb, x, concept) if request.rule else reason_for(kb, x, concept),
        counterfactuals=tuple(islice(_ranked(kb, request, population), MOST)),
        population_size=len(population),
        _kb=kb,
    )


def every_counterfactual(kb: KnowledgeBase, request: Request) -> Iterator[Counterfactual]:
    """All counterfactuals in the order in which they are told, each worked out when it is asked for.

    Raises:
        KeyError: the individual is not in the knowledge base.
    """
    kb = kb.knowing(request.meaning)
    return _ranked(kb, request, _population(kb, request))


def comparison_individuals(kb: KnowledgeBase, request: Request) -> Mask:
    """The individuals that likeliness is measured against, by their numbers."""
    members = kb.extension(request.among).copy()
    if request.against == "negatives":
        members &= ~kb.extension(request.meaning)
    members[kb.number(request.individual)] = False
    return members


def _population(kb: KnowledgeBase, request: Request) -> Population:
    return Population(kb, comparison_individuals(kb, request), request.reading)


def _kind(kb: KnowledgeBase, request: Request) -> Literal["rem", "add"]:
    return "rem" if not request.add and kb.entails(request.meaning, request.individual) else "add"


def _ranked(kb: KnowledgeBase, request: Request, population: Population) -> Iterator[Counterfactual]:
    """The counterfactuals in order. Removals come cheapest first, so that only those of equal cost wait for each
    other; what an addition costs shows when it is made, so all are made before the first is returned."""
    kind = _kind(kb, request)
    cheapest_first = kind == "rem" and request.reading == "assertions"
    supposition = Supposition(kb, request.individual)
    search = removals if kind == "rem" else additions
    waiting: list[Counterfactual] = []
    for change in search(kb, supposition, request.meaning, request.limits):
        if supposition.entails(change.assertions, request.meaning) != (kind == "add"):
            continue
        found = _measured(kb, supposition, request, change, population)
        if not _within(request, found):
            continue
        if cheapest_first and waiting and found.cost > waiting[0].cost:
            yield from sorted(waiting, key=rank_key(request.rank))
            waiting = []
        waiting.append(found)
    yield from sorted(waiting, key=rank_key(request.rank))


def _within(request: Request, counterfactual: Counterfactual) -> bool:
    if request.max_changes is not None and counterfactual.distance > request.max_changes:
        return False
    return not any(request.limits.kept(f) for f in (*counterfactual.removed, *counterfactual.added))


def _measured(
    kb: KnowledgeBase, supposition: Supposition, request: Request, change: Change, population: Population
) -> Counterfactual:
    before = kb.features(request.individual)
    after = supposition.features(change.assertions)
    near = population.likelihood(after)
    kept, known = set(after), set(before)
    removed = tuple(f for f in before if f not in kept)
    added = tuple(f for f in after if f not in known)
    return Counterfactual(
        removed=removed,
        added=added,
        said=change.said,
        distance=distance(before, after, request.reading),
        cost=request.limits.cost((*removed, *added)) if request.weights else distance(before, after, request.reading),
        l_min=near.l_min,
        l_mean=near.l_mean,
        nearest=near.nearest,
        becomes=most_specific(kb, after),
    )
