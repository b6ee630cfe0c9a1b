"""Makes `data/undefined/animals.ttl`, the animals without definitions: `python -m tests.undefined`.

What kind of animal each is, is told, with the kinds above it; the definitions from which that follows, and the comments
that put them into words, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import rdflib
from rdflib.namespace import OWL, RDF, RDFS

from explainer.concepts import Iri, Name
from explainer.reasoner import KnowledgeBase
from explainer.reasons import most_specific
from tests.conftest import DATA

COPY = DATA / "undefined" / "animals.ttl"
ABOUT = """# Whyif demo knowledge base: the animals without definitions
#
# The same animals as in ../animals.ttl, but nothing says what makes a turtle a turtle: each animal is told to be of its
# kind. learned.ttl has what can be learned of the kinds from these examples.
#
# SPDX-License-Identifier: Apache-2.0

"""


def undefined(path: Path) -> rdflib.Graph:
    """The knowledge base of a file with the kinds told instead of defined."""
    kb, graph = KnowledgeBase.load(path), rdflib.Graph().parse(path)
    kinds = list(kb.ontology.definitions)
    for kind in map(rdflib.URIRef, kinds):
        for definition in list(graph.objects(kind, OWL.equivalentClass)):
            _remove(graph, definition)
        graph.remove((kind, OWL.equivalentClass, None))
        graph.remove((kind, RDFS.comment, None))
    for sub, sup in _hierarchy(kb, kinds):
        graph.add((rdflib.URIRef(sub), RDFS.subClassOf, rdflib.URIRef(sup)))
    for x in kb.individuals:
        for kind in most_specific(kb, [Name(c) for c in kinds if kb.entails(Name(c), x)]):
            graph.add((rdflib.URIRef(x), RDF.type, rdflib.URIRef(kind)))
    return graph


def _remove(graph: rdflib.Graph, node: rdflib.term.Node) -> None:
    """Remove what is said of a blank node, and of those that it leads to."""
    if isinstance(node, rdflib.BNode):
        for predicate, value in list(graph.predicate_objects(node)):
            graph.remove((node, predicate, value))
            _remove(graph, value)


def _hierarchy(kb: KnowledgeBase, kinds: list[Iri]) -> Iterator[tuple[Iri, Iri]]:
    """Each kind with those directly above it."""
    for kind in kinds:
        above = [c for c in kinds if c != kind and kb.subsumed(Name(kind), Name(c))]
        yield from ((kind, c) for c in most_specific(kb, [Name(c) for c in above]))


if __name__ == "__main__":
    COPY.parent.mkdir(exist_ok=True)
    COPY.write_text(ABOUT + undefined(DATA / "animals.ttl").serialize(format="turtle"), encoding="utf-8")
