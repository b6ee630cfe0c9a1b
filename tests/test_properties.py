"""On random knowledge bases: the reasoner agrees with a second one, and the counterfactuals with brute force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, combinations

from hypothesis import HealthCheck, assume, given, settings

from explainer.changes import additions, removals
from explainer.concepts import TOP, Concept, Exists, Feature, Name, Nominal, conjunction, is_role_assertion, subconcepts
from explainer.counterfactuals import Request, explain
from explainer.ontology import ABox, Ontology
from explainer.reasoner import KnowledgeBase
from explainer.reasons import unfolded
from explainer.supposition import Supposition
from tests.naive import Naive
from tests.strategies import CLASSES, INDIVIDUALS, concepts, names, ontologies, ontologies_beyond_elh

relaxed = settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


def materialised(ontology: Ontology, kb: KnowledgeBase) -> dict[str, tuple[Feature, ...]]:
    return {x: kb.features(x) for x in ontology.individuals}


def holds(ontology: Ontology, abox: dict[str, tuple[Concept, ...]], x: str, concept: Concept) -> bool:
    """C(x) according to the second reasoner, from scratch."""
    assertions = [(y, c) for y, cs in abox.items() for c in (TOP, *cs)]
    return Naive(ontology.subsumptions, ontology.role_inclusions, assertions, [concept]).entails(x, concept)


def subsets(items: Iterable[Concept], most: int | None = None) -> Iterable[frozenset[Concept]]:
    items = tuple(items)
    sizes = range(len(items) + 1 if most is None else min(most, len(items)) + 1)
    return (frozenset(c) for c in chain.from_iterable(combinations(items, n) for n in sizes))


def minimal(sets: Iterable[frozenset[Concept]]) -> set[frozenset[Concept]]:
    found: list[frozenset[Concept]] = []
    for s in sorted(sets, key=len):
        if not any(smaller <= s for smaller in found):
            found.append(s)
    return set(found)


@relaxed
@given(ontologies(), concepts)
def test_instance_checks_agree_with_a_second_reasoner(ontology: Ontology, concept: Concept) -> None:
    kb = KnowledgeBase(ontology)
    queries = [*map(Name, CLASSES), concept]
    naive = Naive(
        ontology.subsumptions,
        ontology.role_inclusions,
        [(x, c) for x in ontology.individuals for c in (TOP, *ontology.asserted(x))],
        queries,
    )
    for x in INDIVIDUALS:
        for query in queries:
            assert kb.entails(query, x) == naive.entails(x, query), (x, query)


@settings(relaxed, max_examples=1000)
@given(ontologies(), names | concepts)
def test_removals_are_all_the_minimal_ones(ontology: Ontology, concept: Concept) -> None:
    kb = KnowledgeBase(ontology)
    assume(kb.entails(concept, "x"))
    abox = materialised(ontology, kb)
    assume(len(abox["x"]) <= 7)
    brute = minimal(
        removed
        for removed in subsets(abox["x"])
        if not holds(ontology, {**abox, "x": tuple(f for f in abox["x"] if f not in removed)}, "x", concept)
    )
    changes = list(removals(kb, Supposition(kb, "x"), concept))
    found = [frozenset(abox["x"]) - frozenset(change.assertions) for change in changes]
    assert set(found) == brute
    assert len(found) == len(set(found))
    for change in changes:
        assert change.said
        assert not holds(ontology, {**abox, "x": change.assertions}, "x", conjunction(change.said))


@settings(relaxed, max_examples=100)
@given(ontologies_beyond_elh(), names | concepts)
def test_removals_beyond_elh(ontology: Ontology, concept: Concept) -> None:
    """With ranges, chains and nominals, the counterfactual knowledge bases being reasoned with from scratch."""
    kb = KnowledgeBase(ontology)
    assume(kb.entails(concept, "x"))
    abox = materialised(ontology, kb)
    assume(len(abox["x"]) <= 6)

    def still_holds(removed: frozenset[Concept]) -> bool:
        changed = {**abox, "x": tuple(f for f in abox["x"] if f not in removed)}
        return KnowledgeBase(replace(ontology, abox=ABox.of(changed))).entails(concept, "x")

    brute = minimal(removed for removed in subsets(abox["x"]) if not still_holds(removed))
    kb = kb.knowing(concept)
    changes = list(removals(kb, Supposition(kb, "x"), concept))
    assert {frozenset(abox["x"]) - frozenset(change.assertions) for change in changes} == brute


@relaxed
@given(ontologies(), names | concepts)
def test_additions_flip_the_answer_and_nothing_weaker_does(ontology: Ontology, concept: Concept) -> None:
    kb = KnowledgeBase(ontology)
    assume(not kb.entails(concept, "x"))
    abox = materialised(ontology, kb)
    changes = list(additions(kb, Supposition(kb, "x"), concept))
    assert changes
    for change in changes:
        assert holds(ontology, {**abox, "x": change.assertions}, "x", concept)
        for part in change.said:
            rest = tuple(c for c in change.said if c != part)
            assert not holds(ontology, {**abox, "x": (*abox["x"], *rest)}, "x", concept)
    for one, other in combinations(changes, 2):
        assert not implies(ontology, abox, one.said, other.said) or implies(ontology, abox, other.said, one.said)
    # whatever else makes C(x) hold implies one of them, unless it says of x what C itself says
    vocabulary = {c for axiom in ontology.subsumptions for side in (axiom.sub, axiom.sup) for c in subconcepts(side)}
    others = [c for c in (*map(Name, CLASSES), *vocabulary) if isinstance(c, (Name, Exists)) and c != concept]
    candidates = [c for c in others if concept not in unfolded(kb, c)]
    for chosen in subsets(dict.fromkeys(candidates[:6]), most=2):
        with_chosen = {**abox, "x": (*abox["x"], *chosen)}
        if chosen and holds(ontology, with_chosen, "x", concept):
            weakest = [c.said for c in changes if c.said != (concept,)]
            assert not weakest or any(holds(ontology, with_chosen, "x", conjunction(said)) for said in weakest)


def implies(
    ontology: Ontology, abox: dict[str, tuple[Concept, ...]], one: tuple[Concept, ...], other: tuple[Concept, ...]
) -> bool:
    return holds(ontology, {**abox, "x": (*abox["x"], *one)}, "x", conjunction(other))


@relaxed
@given(ontologies(), names)
def test_explanations_are_ranked_verified_and_free_of_each_other(ontology: Ontology, concept: Name) -> None:
    kb = KnowledgeBase(ontology)
    explanation = explain(kb, Request("x", concept))
    abox = materialised(ontology, kb)
    distances = [c.distance for c in explanation.counterfactuals]
    assert distances == sorted(distances)
    for c in explanation.counterfactuals:
        features = tuple(f for f in abox["x"] if f not in c.removed) + c.added
        fresh = {f.filler.individual for f in c.added if is_role_assertion(f)} - set(INDIVIDUALS)
        if not fresh:
            changed = {**abox, "x": features}
            assert holds(ontology, changed, "x", concept) != explanation.holds
        assert c.distance == len(c.removed) + len(c.added)
    if explanation.kind == "rem":
        for one, other in combinations(explanation.counterfactuals, 2):
            assert not set(one.removed) <= set(other.removed)


def test_the_second_reasoner_knows_anonymous_successors_and_loops() -> None:
    from explainer.ontology import Subsumption

    told = [Subsumption(Name("A"), Exists("r", Name("B"))), Subsumption(Exists("r", Name("B")), Name("C"))]
    assert Naive(told, (), [("x", Name("A"))]).entails("x", Name("C"))
    loop = [Subsumption(Exists("r", Exists("r", Name("A"))), Name("C"))]
    assert Naive(loop, (), [("x", Name("A")), ("x", Exists("r", Nominal("x")))]).entails("x", Name("C"))
