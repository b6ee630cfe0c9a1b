"""Learned rules in RDF: they survive being saved, converted and merged, nothing follows from them, none does harm."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.namespace import OWL, RDF

from explainer import TOP, Exists, KnowledgeBase, Name, conjunction
from explainer.concepts import Concept, Iri
from explainer.learning import examples_of, learn
from explainer.namespaces import LEARNED
from explainer.ontology import Ontology
from explainer.owl import load_ontology
from explainer.rules import Rule
from explainer.saving import rules_graph, save_rules
from tests.conftest import ANIMALS, DATA, KB, PREFIXES

OTHER = "http://example.org/other#"
B, C, D = (Name(KB + name) for name in "BCD")


def some(role: str, filler: Concept = TOP) -> Exists:
    return Exists(KB + role, filler)


CONCEPTS = {
    "thing": TOP,
    "name": B,
    "existential": some("r"),
    "conjunction": conjunction((B, C, D)),
    "nested": some("r", conjunction((B, some("s", conjunction((C, some("r", D))))))),
    "with a part twice": conjunction((some("r", conjunction((B, C))), some("s", conjunction((B, C))))),
}


def rule_of(concept: Concept, target: Iri = KB + "A", learned: str = "2026-01-01T00:00:00+00:00") -> Rule:
    x, y, z, u, v = (KB + name for name in "xyzuv")
    return Rule(
        target=target,
        concept=concept,
        positives=(x, y, z),
        negatives=(u, v),
        false_positives=(v,),
        false_negatives=(y,),
        complete=True,
        source="kb.ttl",
        learned=learned,
    )


def contents(rule: Rule) -> tuple[Any, ...]:
    """All that a rule says, in whatever order it names the examples."""
    sides = (rule.positives, rule.negatives, rule.false_positives, rule.false_negatives)
    figures = (rule.accuracy, rule.precision, rule.recall, rule.f1)
    said = (rule.target, rule.concept, rule.complete, rule.source, rule.learned)
    return *said, *figures, *map(sorted, sides)


def saved(tmp_path: Path, rules: Iterable[Rule], name: str = "rules.ttl") -> Path:
    path = tmp_path / name
    save_rules(rules, rdflib.Graph().parse(data=PREFIXES), path)
    return path


def as_rdf_xml(path: Path) -> Path:
    converted = path.with_suffix(".owl")
    rdflib.Graph().parse(path).serialize(converted, format="xml")
    return converted


def as_n_triples(path: Path) -> Path:
    converted = path.with_suffix(".nt")
    rdflib.Graph().parse(path).serialize(converted, format="nt", encoding="utf-8")
    return converted


def merged(*parts: Path | str) -> rdflib.Graph:
    """Files and pieces of Turtle in one graph."""
    graph = rdflib.Graph()
    for part in parts:
        if isinstance(part, Path):
            graph.parse(part)
        else:
            graph.parse(data=PREFIXES + part, format="turtle")
    return graph


# --- saved and read again -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("convert", [lambda path: path, as_rdf_xml, as_n_triples], ids=["turtle", "xml", "n-triples"])
@pytest.mark.parametrize("concept", CONCEPTS.values(), ids=CONCEPTS.keys())
def test_rules_are_read_as_they_were_saved(tmp_path: Path, concept: Concept, convert: Callable[[Path], Path]) -> None:
    rule = rule_of(concept)
    (read,) = load_ontology(convert(saved(tmp_path, [rule]))).rules.values()
    assert contents(read) == contents(rule)


@pytest.mark.parametrize("convert", [lambda path: path, as_rdf_xml], ids=["turtle", "xml"])
def test_several_rules_are_kept_apart(tmp_path: Path, convert: Callable[[Path], Path]) -> None:
    rules = [rule_of(concept, KB + f"A{i}") for i, concept in enumerate(CONCEPTS.values())]
    rules[1] = replace(rules[1], complete=False, false_positives=(), positives=(KB + "w",), false_negatives=())
    read = load_ontology(convert(saved(tmp_path, rules))).rules
    assert sorted(map(repr, map(contents, read.values()))) == sorted(map(repr, map(contents, rules)))


def test_classes_with_the_same_name_in_different_namespaces_are_kept_apart(tmp_path: Path) -> None:
    rules = [rule_of(CONCEPTS["nested"]), rule_of(CONCEPTS["conjunction"], OTHER + "A")]
    read = load_ontology(saved(tmp_path, rules)).rules
    assert {target: rule.concept for target, rule in read.items()} == {rule.target: rule.concept for rule in rules}


@pytest.mark.parametrize("name", ["Cat_(animal)", "Café", "Caf%C3%A9", "A.", "O'Neil", "1", "a@b", "a,b", "a~b"])
def test_unusual_names_are_no_trouble(tmp_path: Path, name: str) -> None:
    rule = replace(rule_of(conjunction((Name(KB + name), C)), OTHER + name), positives=(KB + name, KB + "x", KB + "y"))
    (read,) = load_ontology(saved(tmp_path, [rule])).rules.values()
    assert contents(read) == contents(rule)


def test_rules_of_no_class_are_not_saved(tmp_path: Path) -> None:
    assert not load_ontology(saved(tmp_path, [replace(rule_of(B), target=None)])).rules


def test_the_same_rules_make_the_same_file(tmp_path: Path) -> None:
    rules = [rule_of(concept, KB + f"A{i}") for i, concept in enumerate(CONCEPTS.values())]
    one, other = (saved(tmp_path, rules, f"{i}.ttl").read_bytes() for i in range(2))
    assert one == other
    again = load_ontology(tmp_path / "0.ttl").rules.values()
    assert saved(tmp_path, again, "2.ttl").read_bytes() == one


def test_what_was_really_learned_comes_back(tmp_path: Path) -> None:
    kb = KnowledgeBase.load(DATA / "animals.ttl")
    rules = [learn(kb, examples_of(kb, ANIMALS + name)) for name in ("Penguin", "Bird", "Turtle")]
    path = tmp_path / "rules.ttl"
    save_rules(rules, DATA / "animals.ttl", path)
    read = load_ontology(path).rules
    assert [contents(read[ANIMALS + name]) for name in ("Penguin", "Bird", "Turtle")] == list(map(contents, rules))
    assert read[ANIMALS + "Bird"].positives
    assert path.read_text(encoding="utf-8").startswith("#")


def test_the_written_figures_are_those_of_the_rule(tmp_path: Path) -> None:
    graph = rdflib.Graph().parse(saved(tmp_path, [rule_of(B)]))
    figures = {
        name: [float(o) for o in graph.objects(None, rdflib.URIRef(LEARNED + name))]
        for name in ("accuracy", "precision", "recall", "f1")
    }
    assert figures == {"accuracy": [0.6], "precision": [0.6667], "recall": [0.6667], "f1": [0.6667]}


# --- merged with the knowledge base ---------------------------------------------------------------------------------

SMALL = """
:A a owl:Class . :B a owl:Class . :C a owl:Class . :r a owl:ObjectProperty .
:B rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :C ] .
:x a :A . :y a :A , :B . :z a :B , :C . :u a :C ; :r :z . :v a :D ; :r :u .
"""
BY_HAND = ":A owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :B :C ) ] . "
BY_HAND_WITH_A_NOTE = """
:A owl:equivalentClass _:d . _:d a owl:Class ; owl:intersectionOf ( :B :C ) .
[] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty owl:equivalentClass ; owl:annotatedTarget _:d ;
    rdfs:comment "by hand" .
"""


def entailed(ontology: Ontology) -> dict[Iri, Any]:
    """All that is known of the individuals, and of the classes."""
    kb = KnowledgeBase(ontology)
    features = {x: set(kb.features(x)) for x in kb.individuals}
    above = {a: {b for b in ontology.classes if kb.subsumed(Name(a), Name(b))} for a in ontology.classes}
    return {**features, **above}


def assert_nothing_follows(kb: str | Path, *rules: Path) -> None:
    """Nothing is said of anything that is not said without the rules."""
    before, after = load_ontology(merged(kb)), load_ontology(merged(kb, *rules))
    assert entailed(after) == entailed(before)
    assert set(after.individuals) == set(before.individuals)
    assert set(after.subsumptions) == set(before.subsumptions)
    assert after.definitions == before.definitions
    assert after.left_out == before.left_out
    assert after.rules
    assert not before.rules


@pytest.mark.parametrize("convert", [lambda path: path, as_rdf_xml], ids=["turtle", "xml"])
@pytest.mark.parametrize("concept", CONCEPTS.values(), ids=CONCEPTS.keys())
def test_nothing_follows_from_a_rule(tmp_path: Path, concept: Concept, convert: Callable[[Path], Path]) -> None:
    assert_nothing_follows(SMALL, convert(saved(tmp_path, [rule_of(concept)])))


@pytest.mark.parametrize("concept", [B, conjunction((B, C)), some("r")], ids=["name", "conjunction", "existential"])
def test_without_its_annotation_it_would_follow(tmp_path: Path, concept: Concept) -> None:
    graph = merged(SMALL, saved(tmp_path, [rule_of(concept)]))
    for axiom in list(graph.subjects(RDF.type, OWL.Axiom)):
        graph.remove((axiom, None, None))
    bare = load_ontology(graph)
    assert not bare.rules
    assert entailed(bare) != entailed(load_ontology(merged(SMALL)))


def test_nothing_follows_from_the_rules_of_a_real_knowledge_base(tmp_path: Path) -> None:
    kb = KnowledgeBase.load(DATA / "animals.ttl")
    rules = [learn(kb, examples_of(kb, ANIMALS + name)) for name in ("Penguin", "Mammal", "Fish")]
    path = tmp_path / "rules.ttl"
    save_rules(rules, DATA / "animals.ttl", path)
    assert_nothing_follows(DATA / "animals.ttl", path)


def test_nothing_follows_from_rules_of_the_same_class(tmp_path: Path) -> None:
    older = saved(tmp_path, [rule_of(conjunction((B, C)))], "older.ttl")
    newer = saved(tmp_path, [rule_of(some("r"), learned="2026-02-01T00:00:00+00:00")], "newer.ttl")
    for files in ((older, newer), (newer, older)):
        assert load_ontology(merged(SMALL, *files)).rules[KB + "A"].concept == some("r")
        assert_nothing_follows(SMALL, *files)


@pytest.mark.parametrize("by_hand", [BY_HAND, BY_HAND_WITH_A_NOTE], ids=["plain", "with a note"])
def test_an_equivalence_by_hand_stays_an_axiom(by_hand: str) -> None:
    ontology = load_ontology(merged(SMALL, by_hand))
    assert not ontology.rules
    assert ontology.definitions == {KB + "A": (conjunction((B, C)),)}
    assert KnowledgeBase(ontology).entails(Name(KB + "A"), KB + "z")


@pytest.mark.parametrize("convert", [lambda path: path, as_rdf_xml], ids=["turtle", "xml"])
@pytest.mark.parametrize("concept", [some("r"), conjunction((B, C))], ids=["another", "the same"])
@pytest.mark.parametrize("by_hand", [BY_HAND, BY_HAND_WITH_A_NOTE], ids=["plain", "with a note"])
def test_it_stays_one_beside_a_rule(
    tmp_path: Path, by_hand: str, concept: Concept, convert: Callable[[Path], Path]
) -> None:
    path = convert(saved(tmp_path, [rule_of(concept)]))
    assert_nothing_follows(SMALL + by_hand, path)
    assert load_ontology(merged(SMALL + by_hand, path)).rules[KB + "A"].concept == concept


def test_it_stays_one_where_the_learned_expression_is_written_once(tmp_path: Path) -> None:
    """As some tools write it: the expression of the axiom is that of the annotation, one blank node."""
    once = """
    :A owl:equivalentClass _:l . _:l a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom owl:Thing .
    [] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty owl:equivalentClass ; owl:annotatedTarget _:l ;
        <urn:whyif:learned#accuracy> 0.9 .
    """
    path = tmp_path / "once.ttl"
    path.write_text(PREFIXES + once, encoding="utf-8")
    for by_hand in ("", BY_HAND, BY_HAND_WITH_A_NOTE):
        for _ in range(10):  # blank nodes come in any order
            assert_nothing_follows(SMALL + by_hand, path)


# --- broken annotations ---------------------------------------------------------------------------------------------

WHOLE = {
    "type": "a owl:Axiom",
    "source": "owl:annotatedSource :A",
    "property": "owl:annotatedProperty owl:equivalentClass",
    "target": "owl:annotatedTarget :B",
    "accuracy": "learned:accuracy 0.9",
    "positive": "learned:positive :x , :y",
    "complete": "learned:complete true",
    "created": 'dcterms:created "2026-01-01T00:00:00+00:00"',
}
UNION = "[ a owl:Class ; owl:unionOf ( :B :C ) ]"
BREAKS = {
    "nothing": {},
    "no type": {"type": "rdfs:label 'rule'"},
    "no source": {"source": "rdfs:label 'rule'"},
    "no target": {"target": "rdfs:label 'rule'"},
    "no property": {"property": "rdfs:label 'rule'"},
    "no accuracy": {"accuracy": "learned:f1 0.5"},
    "accuracy is no number": {"accuracy": "learned:accuracy 'very good'"},
    "accuracy is a resource": {"accuracy": "learned:accuracy :x"},
    "several accuracies": {"accuracy": "learned:accuracy 0.1 , 0.9 , 'x'"},
    "another property": {"property": "owl:annotatedProperty rdfs:subClassOf"},
    "property is a literal": {"property": "owl:annotatedProperty 'equivalentClass'"},
    "source is a literal": {"source": "owl:annotatedSource 'A'"},
    "source is blank": {"source": f"owl:annotatedSource {UNION}"},
    "source is a thing": {"source": "owl:annotatedSource owl:Thing"},
    "source is an individual": {"source": "owl:annotatedSource :x"},
    "target is a literal": {"target": "owl:annotatedTarget 'B'"},
    "target is empty": {"target": "owl:annotatedTarget []"},
    "target is nothing": {"target": "owl:annotatedTarget owl:Nothing"},
    "target is a datatype": {"target": "owl:annotatedTarget <http://www.w3.org/2001/XMLSchema#string>"},
    "target is a union": {"target": f"owl:annotatedTarget {UNION}"},
    "target is a complement": {"target": "owl:annotatedTarget [ a owl:Class ; owl:complementOf :B ]"},
    "target is a broken list": {"target": "owl:annotatedTarget [ a owl:Class ; owl:intersectionOf :nowhere ]"},
    "target is a broken restriction": {"target": "owl:annotatedTarget [ a owl:Restriction ; owl:someValuesFrom :B ]"},
    "target contains itself": {"target": "owl:annotatedTarget _:loop"},
    "two targets": {"target": "owl:annotatedTarget :B , :C"},
    "two sources": {"source": "owl:annotatedSource :A , :B"},
    "examples are literals": {"positive": "learned:positive 'x' , 7"},
    "examples are unknown": {"positive": "learned:positive :nobody"},
    "complete is no truth value": {"complete": "learned:complete 'perhaps'"},
    "complete twice": {"complete": "learned:complete true , false"},
    "created is no date": {"created": "dcterms:created 'yesterday' , 7"},
    "created is a resource": {"created": "dcterms:created :x"},
}
LOOP = "_:loop a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom _:loop . "
MORE_PREFIXES = "@prefix learned: <urn:whyif:learned#> . @prefix dcterms: <http://purl.org/dc/terms/> . "


def broken(changes: dict[str, str], node: str = "[]") -> str:
    return f"{MORE_PREFIXES}{LOOP}{node} {' ; '.join({**WHOLE, **changes}.values())} . "


@pytest.mark.parametrize("node", ["[]", ":named"])
@pytest.mark.parametrize("changes", BREAKS.values(), ids=BREAKS.keys())
def test_broken_annotations_do_no_harm(changes: dict[str, str], node: str) -> None:
    before, after = load_ontology(merged(SMALL)), load_ontology(merged(SMALL, broken(changes, node)))
    individuals = before.individuals
    assert {x: known for x, known in entailed(after).items() if x in individuals} == {
        x: known for x, known in entailed(before).items() if x in individuals
    }
    for rule in after.rules.values():
        assert contents(rule)
        assert 0 <= rule.accuracy <= 1
        rules_graph([rule], rdflib.Graph()).serialize()


@pytest.mark.parametrize("list_", [":nowhere", "[ rdf:first :B ]", "[ rdf:first :B ; rdf:rest :nowhere ]"])
def test_a_broken_expression_beside_the_annotated_one_does_no_harm(list_: str) -> None:
    inner = f"[ a owl:Class ; owl:intersectionOf {list_} ]"
    axiom = f":A owl:equivalentClass [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom {inner} ] . "
    rdf = "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . "
    assert KB + "A" in load_ontology(merged(SMALL, rdf + axiom + broken({}))).rules


def test_an_annotation_that_is_not_broken_is_a_rule() -> None:
    rule = load_ontology(merged(SMALL, broken({}))).rules[KB + "A"]
    assert (rule.concept, set(rule.positives), rule.complete) == (B, {KB + "x", KB + "y"}, True)
    assert not load_ontology(merged(SMALL, broken(BREAKS["no accuracy"]))).rules


FILE = rules_graph([rule_of(c, KB + f"A{i}") for i, c in enumerate(CONCEPTS.values())], rdflib.Graph())
TRIPLES = sorted(FILE)


@settings(max_examples=150, deadline=None)
@given(
    st.sets(st.integers(0, len(TRIPLES) - 1), max_size=8),
    st.lists(st.tuples(*(st.integers(0, len(TRIPLES) - 1) for _ in range(3))), max_size=3),
)
def test_no_triples_too_few_or_too_many_do_harm(lost: set[int], mixed: list[tuple[int, int, int]]) -> None:
    graph = merged(SMALL)
    for i, triple in enumerate(TRIPLES):
        if i not in lost:
            graph.add(triple)
    for s, p, o in mixed:
        graph.add((TRIPLES[s][0], TRIPLES[p][1], TRIPLES[o][2]))
    ontology = load_ontology(graph)
    for rule in ontology.rules.values():
        assert rule.target
        rules_graph([rule], rdflib.Graph()).serialize()
    KnowledgeBase(ontology)
