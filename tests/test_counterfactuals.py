"""Counterfactuals on small knowledge bases where one can see the answer, and on the published ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from explainer.concepts import TOP, Exists, Name, role_assertion
from explainer.counterfactuals import Request, explain
from explainer.ranking import Likelihood, Population, distance
from explainer.reasoner import KnowledgeBase
from tests.conftest import KB


def removed(kb: KnowledgeBase, concept: str, x: str = "x", **options: Any) -> list[set[str]]:
    explanation = explain(kb, Request(KB + x, Name(KB + concept), **options))
    return [{describe(f) for f in c.removed} for c in explanation.counterfactuals]


def describe(feature: Any) -> str:
    if isinstance(feature, Name):
        return feature.iri.removeprefix(KB)
    return f"{feature.role.removeprefix(KB)} {feature.filler.individual.removeprefix(KB)}"


def some(role: str, filler: str) -> str:
    return f"[ a owl:Restriction ; owl:onProperty :{role} ; owl:someValuesFrom {filler} ]"


def test_a_subclass_goes_with_its_superclass(kb_of: Any) -> None:
    kb = kb_of(
        f":Mother owl:equivalentClass [ owl:intersectionOf ( :Female {some('hasChild', 'owl:Thing')} ) ] ."
        ":Mother rdfs:subClassOf :Female . :x a :Female ; :hasChild :y ."
    )
    assert removed(kb, "Mother") == [{"Mother", "hasChild y"}, {"Mother", "Female"}]


def test_a_subrole_goes_with_its_superrole(kb_of: Any) -> None:
    kb = kb_of(
        f":married rdfs:subPropertyOf :hasPartner . {some('hasPartner', 'owl:Thing')} rdfs:subClassOf :Taken . "
        ":x :married :y . :z :hasPartner :y ."
    )
    assert removed(kb, "Taken") == [{"Taken", "hasPartner y", "married y"}]
    assert removed(kb, "Taken", "z") == [{"Taken", "hasPartner y"}]


def test_an_existential_goes_with_all_its_fillers(kb_of: Any) -> None:
    kb = kb_of(f"{some('r', ':A')} rdfs:subClassOf :C . :x :r :y , :z , :w . :y a :A . :z a :A . :w a :B .")
    assert removed(kb, "C") == [{"C", "r y", "r z"}]


def test_anonymous_successors_count(kb_of: Any) -> None:
    kb = kb_of(
        f":A rdfs:subClassOf {some('r', ':B')} . {some('r', ':B')} rdfs:subClassOf :C . :x a :A ; :r :y . :y a :B ."
    )
    assert removed(kb, "C") == [{"C", "A", "r y"}]


def test_loops(kb_of: Any) -> None:
    kb = kb_of(f"{some('r', some('r', ':A'))} rdfs:subClassOf :C . :x a :A ; :r :x ; :r :y . :y :r :x . :z :r :z .")
    assert removed(kb, "C") == [{"C", "A"}, {"C", "r x", "r y"}]


def test_what_others_are_told_stays(kb_of: Any) -> None:
    """y is a D because x is an A, but D(y) is in the materialised ABox: a local change leaves it there."""
    kb = kb_of(
        f"{some('r', ':A')} rdfs:subClassOf :D . {some('s', ':D')} rdfs:subClassOf :C . :x a :A ; :s :y . :y :r :x ."
    )
    assert removed(kb, "C") == [{"C", "s y"}]


def test_additions_take_what_is_missing_only(kb_of: Any) -> None:
    kb = kb_of(
        f":T owl:equivalentClass [ owl:intersectionOf ( :P :Q {some('r', ':S')} ) ] . :x a :P . :s a :S . "
        ":y a :Q ; :r :s . :z a :P , :Q ; :r :s ."
    )
    for x, added in (("x", {"Q", "T", "r s"}), ("y", {"P", "T"})):
        (c,) = explain(kb, Request(KB + x, Name(KB + "T"))).counterfactuals
        assert {describe(f) for f in c.added} == added
        assert c.distance == len(added)
        assert c.becomes == (KB + "T",)


def test_a_fresh_filler_where_nobody_fits(kb_of: Any) -> None:
    kb = kb_of(f":T owl:equivalentClass [ owl:intersectionOf ( :P {some('r', ':S')} ) ] . :x a :P .")
    (c,) = explain(kb, Request(KB + "x", Name(KB + "T"))).counterfactuals
    assert c.said == (Exists(KB + "r", Name(KB + "S")),)
    assert [describe(f) for f in c.added] == ["T", "r _:new1"]
    assert c.distance == 2


def test_readings_of_distance() -> None:
    a, rx, ry = Name("a"), Exists("r", Name("x")), Exists("r", Name("y"))
    assert distance([a, rx], [rx, ry]) == 2
    assert distance([a, rx], [rx, ry], "names") == 1


def test_likelinesses(kb_of: Any) -> None:
    kb = kb_of(":x a :A . :y a :A ; :r :z , :x . :z a :B ; :r :x , :z .")
    everyone, nobody = np.ones(3, np.bool_), np.zeros(3, np.bool_)
    a, r_x = Name(KB + "A"), role_assertion(KB + "r", KB + "x")
    for features, by_assertions, by_names in (
        ([a], ([0, 2, 4], KB + "x"), ([0, 1, 3], KB + "x")),
        ([a, r_x], ([1, 1, 3], KB + "x"), ([1, 0, 2], KB + "y")),
        ([r_x, Name("unheard of")], ([3, 3, 3], KB + "x"), ([3, 2, 2], KB + "y")),
    ):
        for reading, (distances, nearest) in (("assertions", by_assertions), ("names", by_names)):
            found = Population(kb, everyone, reading).likelihood(features)
            assert found == Likelihood(min(distances), sum(distances) / 3, nearest)
            assert Population(kb, everyone, reading).distances(features).tolist() == distances
    assert Population(kb, nobody).likelihood([a]) == Likelihood(None, None, None)


def test_populations(kb_of: Any) -> None:
    kb = kb_of(":A rdfs:subClassOf :C . :x a :A . :y a :A . :z a :B . :w a :B , :Odd .")
    sizes = {
        (against, among): explain(
            kb, Request(KB + "x", Name(KB + "C"), against=against, among=Name(KB + among) if among else TOP)
        ).population_size
        for against in ("negatives", "others")
        for among in ("", "B")
    }
    assert sizes == {("negatives", ""): 2, ("negatives", "B"): 2, ("others", ""): 3, ("others", "B"): 2}


def test_what_a_chain_leads_to_can_go_with_its_links(kb_of: Any) -> None:
    kb = kb_of(":r owl:propertyChainAxiom ( :s :s ) ; rdfs:range :A . :x :s :x .")
    assert removed(kb, "A") == [{"A", "r x", "s x"}]
