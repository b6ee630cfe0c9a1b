"""Limits of a change, justifications, and counterfactuals saved as RDF."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from explainer import (
    Exists,
    Fact,
    Flip,
    KnowledgeBase,
    Name,
    Request,
    RoleInclusion,
    Subsumption,
    every_counterfactual,
    explain,
)
from explainer.concepts import Concept, conjunction, role_assertion
from explainer.justification import justification
from explainer.ontology import Ontology
from explainer.saving import changed_graph, save
from tests.conftest import ANIMALS, DATA, FAMILY, KB, PREFIXES, run_whyif
from tests.naive import Naive
from tests.strategies import CLASSES, ROLES, concepts, names, ontologies

FAMILY_OF_THREE = """
:Mother owl:equivalentClass [ owl:intersectionOf ( :Female [ a owl:Restriction ; owl:onProperty :hasChild ;
    owl:someValuesFrom owl:Thing ] ) ] .
:hasSon rdfs:subPropertyOf :hasChild .
:x a :Female ; :hasChild :y ; :hasSon :z .
"""


def iris(features: Any) -> set[str]:
    return {(f.role if isinstance(f, Exists) else f.iri).removeprefix(KB) for f in features}


def removed(kb: KnowledgeBase, **limits: Any) -> list[set[str]]:
    found = explain(kb, Request(KB + "x", Name(KB + "Mother"), **limits)).counterfactuals
    return [iris(c.removed) for c in found]


# --- keep, only, weights, max_changes -----------------------------------------------------------------------------


def test_what_is_kept_stays(kb_of: Any) -> None:
    kb = kb_of(FAMILY_OF_THREE)
    assert removed(kb) == [{"Mother", "Female"}, {"Mother", "hasChild", "hasSon"}]
    assert removed(kb, keep=frozenset({KB + "Female"})) == [{"Mother", "hasChild", "hasSon"}]
    assert removed(kb, keep=frozenset({KB + "hasSon"})) == [{"Mother", "Female"}]
    assert removed(kb, keep=frozenset({role_assertion(KB + "hasChild", KB + "y")})) == [{"Mother", "Female"}]
    assert removed(kb, keep=frozenset({KB + "Mother"})) == []


def test_only_some_change_and_what_follows_from_them(kb_of: Any) -> None:
    kb = kb_of(FAMILY_OF_THREE)
    assert removed(kb, only=frozenset({KB + "Female"})) == [{"Mother", "Female"}]
    assert removed(kb, only=frozenset({KB + "hasChild", KB + "hasSon"})) == [{"Mother", "hasChild", "hasSon"}]
    assert removed(kb, only=frozenset({KB + "hasSon"})) == []  # y is a child still


def test_weights_decide_what_comes_first(kb_of: Any) -> None:
    kb = kb_of(FAMILY_OF_THREE)
    assert removed(kb, weights={KB + "Female": 4}) == [{"Mother", "hasChild", "hasSon"}, {"Mother", "Female"}]
    best = explain(kb, Request(KB + "x", Name(KB + "Mother"), weights=((KB + "Female", 4),))).counterfactuals
    assert [(c.distance, c.cost) for c in best] == [(4, 4), (2, 5)]
    with pytest.raises(ValueError, match="whole numbers"):
        Request(KB + "x", Name(KB + "Mother"), weights=((KB + "Female", 0),))


def test_no_more_changes_than_asked_for(kb_of: Any) -> None:
    kb = kb_of(FAMILY_OF_THREE)
    assert removed(kb, max_changes=2) == [{"Mother", "Female"}]
    assert removed(kb, max_changes=1) == []


def test_limits_of_additions(kb_of: Any) -> None:
    kb = kb_of(FAMILY_OF_THREE + ":w a :Male .")
    request = {"individual": KB + "w", "concept": Name(KB + "Mother")}
    (both,) = explain(kb, Request(**request)).counterfactuals
    assert iris(both.added) >= {"Female", "hasChild", "Mother"}
    assert explain(kb, Request(**request, keep=frozenset({KB + "Female"}))).counterfactuals == ()
    assert explain(kb, Request(**request, only=frozenset({KB + "Female"}))).counterfactuals == ()


@settings(max_examples=150, deadline=None)
@given(ontologies(), names, st.frozensets(st.sampled_from(CLASSES + ROLES), max_size=2), st.integers(1, 4))
def test_limits_only_leave_out(ontology: Ontology, concept: Name, keep: frozenset[str], weight: int) -> None:
    kb = KnowledgeBase(ontology)
    every = list(every_counterfactual(kb, Request("x", concept)))
    limited = list(every_counterfactual(kb, Request("x", concept, keep=keep, max_changes=3)))
    assert all(iris(c.removed).isdisjoint(keep) and iris(c.added).isdisjoint(keep) for c in limited)
    if kb.entails(concept, "x"):
        expected = [c for c in every if iris(c.removed).isdisjoint(keep) and c.distance <= 3]
        assert limited == expected
        weighted = list(every_counterfactual(kb, Request("x", concept, weights=(("A", weight), ("r", 2)))))
        assert {c.removed for c in weighted} == {c.removed for c in every}
        assert [c.cost for c in weighted] == sorted(c.cost for c in weighted)


def test_the_next_one_is_worked_out_when_it_is_asked_for(kb_of: Any) -> None:
    parts = " ".join(f"[ a owl:Restriction ; owl:onProperty :r{i} ; owl:someValuesFrom :A ]" for i in range(12))
    facts = "".join(f":x :r{i} :y{j} . " for i in range(12) for j in range(i + 1))
    fillers = "".join(f":y{j} a :A . " for j in range(12))
    kb = kb_of(f":C owl:equivalentClass [ owl:intersectionOf ( {parts} ) ] . {facts} {fillers}")
    stream = every_counterfactual(kb, Request(KB + "x", Name(KB + "C")))
    assert [c.distance for c in islice(stream, 3)] == [2, 3, 4]


# --- what is said by others ---------------------------------------------------------------------------------------


def test_what_others_say_of_x_cannot_be_changed_by_x(kb_of: Any) -> None:
    """x is a B by the range of r, whatever is asserted of x itself."""
    kb = kb_of(":r rdfs:range :B . :B rdfs:subClassOf :C . :y :r :x . :x a :A .")
    assert kb.entails(Name(KB + "C"), KB + "x")
    assert explain(kb, Request(KB + "x", Name(KB + "C"))).counterfactuals == ()


def test_an_inverse_is_the_same_fact_seen_from_the_other_side(kb_of: Any) -> None:
    kb = kb_of(
        ":hasChild owl:inverseOf :hasParent . :Parent owl:equivalentClass [ a owl:Restriction ; "
        "owl:onProperty :hasChild ; owl:someValuesFrom owl:Thing ] . :y :hasParent :x ."
    )
    (c,) = explain(kb, Request(KB + "x", Name(KB + "Parent"))).counterfactuals
    assert iris(c.removed) == {"Parent", "hasChild"}
    assert justification(kb, Name(KB + "Parent"), KB + "x")[:2] == (
        Fact(KB + "y", role_assertion(KB + "hasParent", KB + "x")),
        Flip(KB + "hasParent", KB + "hasChild"),
    )


def test_an_addition_does_not_contradict_what_is_known(kb_of: Any) -> None:
    kb = kb_of(
        ":Fish owl:disjointWith :Mammal . :Dolphin owl:equivalentClass [ owl:intersectionOf ( :Swims :Mammal ) ] . "
        ":x a :Fish , :Swims . :y a :Swims ."
    )
    assert explain(kb, Request(KB + "x", Name(KB + "Dolphin"))).counterfactuals == ()
    assert len(explain(kb, Request(KB + "y", Name(KB + "Dolphin"))).counterfactuals) == 1


def test_neither_where_the_axioms_speak_of_the_individual_itself(kb_of: Any) -> None:
    kb = kb_of(
        ":Fish owl:disjointWith :Mammal . :Dolphin owl:equivalentClass [ owl:intersectionOf ( :Swims :Mammal ) ] . "
        ":Own owl:equivalentClass [ a owl:Restriction ; owl:onProperty :r ; owl:hasValue :x ] . :x a :Fish , :Swims ."
    )
    assert explain(kb, Request(KB + "x", Name(KB + "Dolphin"))).counterfactuals == ()
    (c,) = explain(kb, Request(KB + "x", Name(KB + "Own"))).counterfactuals
    assert iris(c.added) == {"Own", "r"}


def test_an_addition_counts_what_a_chain_of_three_makes_of_it(kb_of: Any) -> None:
    kb = kb_of(
        ":u owl:propertyChainAxiom ( :r :s :t ) . :C owl:equivalentClass [ a owl:Restriction ; owl:onProperty :r ; "
        "owl:someValuesFrom :B ] . :y a :B ; :s :z . :z :t :w . :v :r :y . :x a :A ."
    )
    assert role_assertion(KB + "u", KB + "w") in kb.features(KB + "v")
    (c,) = explain(kb, Request(KB + "x", Name(KB + "C"))).counterfactuals
    assert iris(c.added) == {"C", "r", "u"}


def test_what_is_added_meets_the_ranges(kb_of: Any) -> None:
    kb = kb_of(
        ":r rdfs:range :D . :C owl:equivalentClass [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :B ] . "
        "[ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom [ owl:intersectionOf ( :B :D ) ] ] "
        "rdfs:subClassOf :E . :y a :B . :s a owl:ObjectProperty . :x a :A . :v :r :w ."
    )
    (c,) = explain(kb, Request(KB + "x", Name(KB + "C"))).counterfactuals
    assert iris(c.added) == {"C", "E", "r"}


def test_a_transitive_role_goes_with_what_it_follows_from(kb_of: Any) -> None:
    kb = kb_of(
        ":in a owl:ObjectProperty , owl:TransitiveProperty . [ a owl:Restriction ; owl:onProperty :in ; "
        "owl:someValuesFrom :Country ] rdfs:subClassOf :Located . :x :in :y . :y :in :z . :z a :Country ."
    )
    features = kb.features(KB + "x")
    assert {f.filler.individual for f in features if isinstance(f, Exists)} == {KB + "y", KB + "z"}  # type: ignore
    (c,) = explain(kb, Request(KB + "x", Name(KB + "Located"))).counterfactuals
    assert c.distance == 3
    assert set(c.removed) == set(features)


# --- justifications -----------------------------------------------------------------------------------------------


@settings(max_examples=250, deadline=None)
@given(ontologies(), names | concepts)
def test_justifications_suffice_and_nothing_can_be_left_out(ontology: Ontology, concept: Concept) -> None:
    kb = KnowledgeBase(ontology)
    assume(kb.entails(concept, "x"))
    found = justification(kb, concept, "x")
    stated = {*ontology.subsumptions, *ontology.role_inclusions}
    for s in found:
        assert s.feature in ontology.asserted(s.individual) if isinstance(s, Fact) else s in stated
    assert follows(found, concept)
    for s in found:
        assert not follows(tuple(other for other in found if other != s), concept)


def follows(statements: tuple[Any, ...], concept: Concept) -> bool:
    """Whether C(x) follows according to the second reasoner."""
    naive = Naive(
        [s for s in statements if isinstance(s, Subsumption)],
        [s for s in statements if isinstance(s, RoleInclusion)],
        [("x", conjunction(())), *((s.individual, s.feature) for s in statements if isinstance(s, Fact))],
        [concept],
    )
    return naive.entails("x", concept)


def test_a_justification_goes_from_the_facts_to_the_conclusion() -> None:
    kb = KnowledgeBase.load(DATA / "family.ttl")
    steps = justification(kb, Name(FAMILY + "Grandfather"), FAMILY + "Heinrich")
    assert [type(s).__name__ for s in steps] == ["Fact", "Fact", "Fact", "Subsumption", "Subsumption", "Subsumption"]
    assert isinstance(steps[-1], Subsumption)
    assert steps[-1].sup == Name(FAMILY + "Grandfather")
    with pytest.raises(ValueError, match="does not follow"):
        justification(kb, Name(FAMILY + "Mother"), FAMILY + "Heinrich")


# --- saving -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("individual", "concept"), [("Shelly", "Turtle"), ("Tweety", "Turtle"), ("Pingu", "Eagle")])
def test_a_saved_knowledge_base_answers_the_other_way(tmp_path: Path, individual: str, concept: str) -> None:
    source = DATA / "animals.ttl"
    before = KnowledgeBase.load(source).entails(Name(ANIMALS + concept), ANIMALS + individual)
    done = run_whyif("explain", source, individual, concept, "--save", tmp_path / "out")
    saved = sorted((tmp_path / "out").iterdir())
    assert done.returncode == 0
    assert saved
    for path in saved:
        kb = KnowledgeBase.load(path)
        assert kb.entails(Name(ANIMALS + concept), ANIMALS + individual) != before
        assert kb.ontology.definitions == KnowledgeBase.load(source).ontology.definitions


def test_a_fresh_filler_is_saved_with_what_it_is(kb_of: Any, tmp_path: Path) -> None:
    kb = kb_of(
        ":T owl:equivalentClass [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom [ owl:intersectionOf "
        "( :S :U ) ] ] . :x a :P ."
    )
    (c,) = explain(kb, Request(KB + "x", Name(KB + "T"))).counterfactuals
    graph = changed_graph(kb, rdflib.Graph().parse(kb.ontology.source), KB + "x", c)
    assert KnowledgeBase.load(graph).entails(Name(KB + "T"), KB + "x")


def test_an_expression_that_is_used_twice_is_saved_whole(tmp_path: Path) -> None:
    source = tmp_path / "shared.ttl"
    source.write_text(
        PREFIXES
        + """:A owl:equivalentClass _:d . [] a owl:Axiom ; rdfs:comment "by law" ; owl:annotatedSource :A ;
        owl:annotatedProperty owl:equivalentClass ; owl:annotatedTarget _:d . :x a :B ; :r :c ; :s :c . :c a :C .
        _:d owl:intersectionOf ( :B [ owl:onProperty :r ; owl:someValuesFrom :C ]
            [ owl:onProperty :s ; owl:someValuesFrom :C ] ) .""",
        encoding="utf-8",
    )
    kb = KnowledgeBase.load(source)
    explanation = explain(kb, Request(KB + "x", Name(KB + "A")))
    for i in range(10):  # blank nodes get other names each time
        (path,) = save(kb, source, explanation, tmp_path / str(i), 1)
        assert KnowledgeBase.load(path).ontology.definitions == kb.ontology.definitions


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run_whyif("explain", DATA / "animals.ttl", "Shelly", "Turtle", "--save", tmp_path / "file")
    assert done.returncode == 2
    assert "cannot write to" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_limits_on_the_command_line() -> None:
    done = run_whyif("explain", DATA / "animals.ttl", "Shelly", "Turtle", "--keep", "hasPart", "--only", "lays eggs")
    assert done.stdout.count("I would not have") == 1
    assert "if it did not lay eggs" in done.stdout
    for options in (("--weight", "LaysEggs"), ("--weight", "LaysEggs=0"), ("--keep", "nonsense")):
        refused = run_whyif("explain", DATA / "animals.ttl", "Shelly", "Turtle", *options)
        assert refused.returncode == 2
        assert len(refused.stderr.splitlines()) == 1
