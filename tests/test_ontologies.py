"""What follows from a knowledge base and what does not, one folder of `tests/ontologies` for each rule of the reasoner.

asserted.ttl is the knowledge base. entailed.ttl and not-entailed.ttl hold statements, read by themselves:

    :x a C              C(x), with C a class expression
    :x :r :y            r(x, y)
    C rdfs:subClassOf D C ⊑ D

An inconsistent knowledge base has inconsistent.txt instead: the words, one a line, that must be in the message that
refuses it. To add a case, add a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Union

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph
from rdflib.collection import Collection
from rdflib.term import Node

from explainer.concepts import TOP, Concept, Exists, Name, Nominal, conjunction, is_role_assertion, role_assertion
from explainer.errors import InconsistentError
from explainer.reasoner import KnowledgeBase

ONTOLOGIES = Path(__file__).parent / "ontologies"
CONSISTENT = sorted(path.parent for path in ONTOLOGIES.glob("*/entailed.ttl"))
INCONSISTENT = sorted(path.parent for path in ONTOLOGIES.glob("*/inconsistent.txt"))


class Instance(NamedTuple):
    """C(x)."""

    concept: Concept
    individual: str


class Inclusion(NamedTuple):
    """C ⊑ D."""

    sub: Concept
    sup: Concept


Statement = Union[Instance, Inclusion]


def concept_of(node: Node, graph: Graph) -> Concept:
    """The concept that a class expression stands for."""
    if not isinstance(node, BNode):
        return TOP if node == OWL.Thing else Name(str(node))
    parts = dict(graph.predicate_objects(node))
    if OWL.intersectionOf in parts:
        return conjunction(concept_of(part, graph) for part in Collection(graph, parts[OWL.intersectionOf]))
    if OWL.oneOf in parts:
        (individual,) = Collection(graph, parts[OWL.oneOf])
        return Nominal(str(individual))
    role = str(parts[OWL.onProperty])
    if OWL.hasValue in parts:
        return role_assertion(role, str(parts[OWL.hasValue]))
    return Exists(role, concept_of(parts[OWL.someValuesFrom], graph))


def statements(path: Path) -> Iterator[Statement]:
    """The statements of a file, sorted; what merely spells a class expression is none."""
    graph = Graph().parse(path)
    for s, p, o in sorted(graph):
        if p == RDFS.subClassOf:
            yield Inclusion(concept_of(s, graph), concept_of(o, graph))
        elif isinstance(s, BNode):
            continue
        elif p == RDF.type:
            yield Instance(concept_of(o, graph), str(s))
        else:
            assert not str(p).startswith((str(RDF), str(RDFS), str(OWL))), f"{path}: {p} is no statement"
            yield Instance(role_assertion(str(p), str(o)), str(s))


def holds(kb: KnowledgeBase, statement: Statement) -> bool:
    """Whether the knowledge base entails the statement."""
    if isinstance(statement, Inclusion):
        return kb.subsumed(statement.sub, statement.sup)
    return kb.entails(statement.concept, statement.individual)


def asserted(kb: KnowledgeBase, x: str) -> tuple[Concept, ...]:
    """What the file says of an individual."""
    ontology = kb.ontology
    return ontology.asserted(x)


def features(found: list[Statement]) -> set[Instance]:
    """Those of the statements that are about a feature: A(x) or r(x, y)."""
    return {
        s for s in found if isinstance(s, Instance) and (isinstance(s.concept, Name) or is_role_assertion(s.concept))
    }


def each(folders: list[Path]) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    """Run a test for each folder under its name."""
    return pytest.mark.parametrize("folder", folders, ids=lambda folder: folder.name)


@each(CONSISTENT)
def test_what_is_entailed_and_what_is_not(folder: Path) -> None:
    kb = KnowledgeBase.load(folder / "asserted.ttl")
    entailed, others = list(statements(folder / "entailed.ttl")), list(statements(folder / "not-entailed.ttl"))
    assert entailed and others
    missed = [s for s in entailed if not holds(kb, s)]
    invented = [s for s in others if holds(kb, s)]
    assert (missed, invented) == ([], [])


@each(CONSISTENT)
def test_features_are_what_is_entailed_of_names(folder: Path) -> None:
    kb = KnowledgeBase.load(folder / "asserted.ttl")
    materialised = {Instance(feature, x) for x in kb.individuals for feature in kb.features(x)}
    assert features(list(statements(folder / "entailed.ttl"))) <= materialised
    assert not features(list(statements(folder / "not-entailed.ttl"))) & materialised
    assert all(kb.entails(feature, x) for feature, x in materialised)
    assert features(list(materialised)) == materialised


@each(CONSISTENT)
def test_instances_are_those_of_whom_it_is_entailed(folder: Path) -> None:
    kb = KnowledgeBase.load(folder / "asserted.ttl")
    found = [*statements(folder / "entailed.ttl"), *statements(folder / "not-entailed.ttl")]
    for concept in {c for s in found for c in ((s.concept,) if isinstance(s, Instance) else s)}:
        assert list(kb.instances(concept)) == [x for x in kb.individuals if kb.entails(concept, x)], concept


@each(CONSISTENT)
def test_what_is_asserted_is_entailed(folder: Path) -> None:
    kb = KnowledgeBase.load(folder / "asserted.ttl")
    told = [Instance(feature, x) for x in kb.individuals for feature in asserted(kb, x)]
    assert told
    assert [s for s in told if not holds(kb, s)] == []
    assert [s for s in told if s.concept not in kb.features(s.individual)] == []
    assert [axiom for axiom in kb.ontology.subsumptions if not kb.subsumed(axiom.sub, axiom.sup)] == []


@each(INCONSISTENT)
def test_an_inconsistent_knowledge_base_is_refused(folder: Path) -> None:
    with pytest.raises(InconsistentError) as refusal:
        KnowledgeBase.load(folder / "asserted.ttl")
    message = str(refusal.value)
    assert "\n" not in message
    words = (folder / "inconsistent.txt").read_text(encoding="utf-8").split()
    assert [word for word in words if not re.search(rf"\b{re.escape(word)}\b", message)] == []


def test_every_folder_is_a_case() -> None:
    assert sorted({*CONSISTENT, *INCONSISTENT}) == sorted(path for path in ONTOLOGIES.iterdir() if path.is_dir())
