"""Reading knowledge bases in every syntax, and saying what is wrong with a file in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib

from explainer.concepts import TOP, Exists, Name, conjunction, role_assertion
from explainer.errors import KnowledgeBaseError
from explainer.ontology import Range, RoleChain
from explainer.owl import load_ontology
from explainer.reasoner import KnowledgeBase
from tests.conftest import DATA, KB, PREFIXES, SHARED

A, B, C = Name(KB + "A"), Name(KB + "B"), Name(KB + "C")
R = KB + "r"
EXAMPLE = (
    PREFIXES
    + """
:A a owl:Class ; owl:equivalentClass [ owl:intersectionOf ( :B [ a owl:Restriction ;
    owl:onProperty :r ; owl:someValuesFrom :C ] ) ] .
:B a owl:Class . :C a owl:Class . :r a owl:ObjectProperty .
:x a owl:NamedIndividual , :B ; :r :y . :y a owl:NamedIndividual , :C .
"""
)


@pytest.mark.parametrize(
    ("rdf_format", "suffix"),
    [
        ("turtle", ".ttl"),
        ("xml", ".owl"),
        ("nt", ".nt"),
        ("json-ld", ".jsonld"),
        ("turtle", ".owl"),
        ("xml", ".rdf"),
        ("n3", ".n3"),
    ],
)
def test_every_rdf_syntax_says_the_same(tmp_path: Path, rdf_format: str, suffix: str) -> None:
    path = tmp_path / f"kb{suffix}"
    rdflib.Graph().parse(data=EXAMPLE, format="turtle").serialize(path, format=rdf_format, encoding="utf-8")
    kb = KnowledgeBase.load(path)
    assert list(kb.instances(A)) == [KB + "x"]


def test_owl_syntaxes_that_are_not_rdf(tmp_path: Path) -> None:
    path = tmp_path / "kb.ofn"
    path.write_text(
        f"Prefix(:=<{KB}>)\nOntology(<http://example.org/kb>\nDeclaration(Class(:A))\nDeclaration(NamedIndividual(:x))\n"
        "Declaration(ObjectProperty(:r))\nSubClassOf(ObjectSomeValuesFrom(:r :A) :A)\nClassAssertion(:A :y)\n"
        "ObjectPropertyAssertion(:r :x :y)\n)"
    )
    assert set(KnowledgeBase.load(path).instances(A)) == {KB + "x", KB + "y"}


def test_an_rdflib_graph() -> None:
    graph = rdflib.Graph().parse(data=EXAMPLE, format="turtle")
    assert KnowledgeBase.load(graph).entails(A, KB + "x")


def test_what_strict_parsers_refuse(tmp_path: Path) -> None:
    path = tmp_path / "kb.ttl"
    path.write_text("@prefix : <http://example.org/kb#> .\n<http://example.org/a b> a :A .\n")
    assert len(KnowledgeBase.load(path).individuals) == 1


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "no RDF statements"),
        (b"# nothing\n", "no RDF statements"),
        (b"Dear diary, today I saw a turtle.", "cannot read"),
        (b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><broken", "cannot read"),
        (b"\x00\x01\x02\xff\xfe", "cannot read"),
        (PREFIXES.encode() + b":A a owl:Class .", "no individuals"),
        (b"Ontology(this is not OWL", "cannot read"),
        (b'{"@context": 3}', "cannot read"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "kb.owl"
    path.write_bytes(content)
    with pytest.raises(KnowledgeBaseError, match=complaint) as error:
        KnowledgeBase.load(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


def test_a_missing_file_and_a_directory(tmp_path: Path) -> None:
    for path in (tmp_path / "none.ttl", tmp_path):
        with pytest.raises(KnowledgeBaseError, match="cannot open"):
            KnowledgeBase.load(path)


def test_constructs_of_elh(tmp_path: Path) -> None:
    path = tmp_path / "kb.ttl"
    path.write_text(
        PREFIXES
        + """
:r a owl:ObjectProperty ; rdfs:domain :C ; rdfs:subPropertyOf :s .
[ owl:unionOf ( :A :B ) ] rdfs:subClassOf :C .
:A owl:equivalentClass :B .
:C rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :r ; owl:minCardinality 1 ] .
:x a [ owl:intersectionOf ( :A [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :B ] ) ] .
"""
    )
    ontology = load_ontology(path)
    pairs = {(axiom.sub, axiom.sup) for axiom in ontology.subsumptions}
    assert pairs >= {(A, C), (B, C), (A, B), (B, A), (Exists(R, TOP), C), (C, Exists(R, TOP))}
    assert [(axiom.sub, axiom.sup) for axiom in ontology.role_inclusions] == [(R, KB + "s")]
    assert ontology.asserted(KB + "x") == (A, role_assertion(R, "_:unnamed1"))
    assert ontology.left_out == ()


def test_what_is_left_out_is_counted_and_the_sound_part_kept(tmp_path: Path) -> None:
    path = tmp_path / "kb.ttl"
    path.write_text(
        PREFIXES
        + """
:A rdfs:subClassOf [ owl:intersectionOf ( :B [ owl:complementOf :C ] ) ] ; owl:disjointWith :C .
[ owl:complementOf :A ] rdfs:subClassOf :C .
:r a owl:ObjectProperty , owl:TransitiveProperty ; rdfs:range :A ; owl:inverseOf :s .
:x a :A ; :age 7 .
"""
    )
    ontology = load_ontology(path)
    assert [(axiom.sub, axiom.sup) for axiom in ontology.subsumptions] == [(A, B)]
    assert {item.construct: item.count for item in ontology.left_out} == {
        "owl:complementOf": 1,
        "owl:inverseOf (used between named individuals only)": 1,
    }
    assert {frozenset(axiom.concepts) for axiom in ontology.disjointnesses} == {frozenset({A, C})}
    assert ontology.chains == (RoleChain(R, R, R),)
    assert ontology.ranges == (Range(R, A),)
    assert [(p, v.value) for p, v in ontology.facts[KB + "x"]] == [(KB + "age", "7")]


def test_an_equivalence_is_a_definition() -> None:
    ontology = load_ontology(rdflib.Graph().parse(data=EXAMPLE, format="turtle"))
    assert ontology.definitions == {A.iri: (conjunction([B, Exists(R, C)]),)}


@pytest.mark.parametrize("name", ["animals", "family"])
def test_the_demo_knowledge_bases_are_elh_throughout(name: str) -> None:
    ontology = load_ontology(DATA / f"{name}.ttl")
    assert ontology.left_out == ()
    for kind in (ontology.classes, ontology.roles, ontology.individuals):
        for iri in kind:
            languages = {t.language for t in ontology.annotations["http://www.w3.org/2000/01/rdf-schema#label"][iri]}
            assert languages >= {"en", "de"}, iri


@pytest.mark.skipif(not SHARED.is_dir(), reason="the folder of real knowledge bases is not here")
@pytest.mark.parametrize("path", sorted((SHARED / "real").glob("*.owl")), ids=lambda p: p.stem)
def test_knowledge_bases_that_others_made(path: Path) -> None:
    ontology = load_ontology(path)
    assert ontology.triples > 0
    assert ontology.classes
