"""What is found out, as RDF: counterfactual knowledge bases, and learned rules.

A counterfactual knowledge base is K' = (T, A') with A' the materialised ABox after the change of x.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import rdflib
from rdflib.collection import Collection
from rdflib.namespace import DCTERMS, OWL, RDF, XSD

from explainer import provenance
from explainer.concepts import And, Concept, Exists, Feature, Iri, Name, Nominal
from explainer.counterfactuals import Counterfactual, Explanation
from explainer.errors import WhyifError
from explainer.namespaces import LEARNED
from explainer.rdf import Source, read_graph
from explainer.reasoner import KnowledgeBase
from explainer.rules import Rule

Node = rdflib.term.IdentifiedNode


def save(kb: KnowledgeBase, source: Source, explanation: Explanation, directory: Path, most: int) -> list[Path]:
    """Write the knowledge base of each of the first counterfactuals, in their order, as `1.ttl`, `2.ttl` …

    Args:
        source: what the knowledge base was read from.
        most: how many.

    Raises:
        WhyifError: the directory cannot be written to.
    """
    x = explanation.request.individual
    original = read_graph(source)
    written = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for i, counterfactual in enumerate(explanation.counterfactuals[:most], 1):
            path = directory / f"{i}.ttl"
            path.write_text(_turtle(changed_graph(kb, original, x, counterfactual)), encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise WhyifError(f"cannot write to {directory}: {error.strerror or error}") from error
    return written


def changed_graph(kb: KnowledgeBase, original: rdflib.Graph, x: Iri, counterfactual: Counterfactual) -> rdflib.Graph:
    """The graph of K' for a counterfactual about x; blank nodes that stand for individuals keep their names."""
    graph = rdflib.Graph()
    for prefix, namespace in original.namespaces():
        graph.bind(prefix, namespace)
    for triple in original:
        if not _is_assertion(kb, x, triple):
            graph.add(triple)
    gone = set(counterfactual.removed)
    for y in kb.individuals:
        features = kb.features(y)
        for feature in [f for f in features if f not in gone] if y == x else features:
            _assert(graph, y, feature)
    for concept in (*counterfactual.added, *(counterfactual.said if counterfactual.added else ())):
        _assert(graph, x, concept)
    for mirrored in _mirrors(kb, x, gone):
        graph.remove(mirrored)
    return graph


def _is_assertion(kb: KnowledgeBase, x: Iri, triple: tuple[rdflib.term.Node, ...]) -> bool:
    """Whether a triple says of x that it belongs to a class or is related to something."""
    s, p, o = triple
    if s != _node(x):
        return False
    return (p == RDF.type and o not in (OWL.NamedIndividual, OWL.Thing)) or str(p) in kb.abox.roles


def save_rules(rules: Iterable[Rule], source: Source, path: Path) -> None:
    """Write learned rules as OWL definitions, annotated with how they were learned.

    Args:
        source: what the knowledge base was read from.

    Raises:
        WhyifError: the file cannot be written.
    """
    text = _filled(_turtle(rules_graph(rules, read_graph(source))))
    try:
        path.write_text(_ABOUT_RULES + text, encoding="utf-8")
    except OSError as error:
        raise WhyifError(f"cannot write to {path}: {error.strerror or error}") from error


def rules_graph(rules: Iterable[Rule], original: rdflib.Graph) -> rdflib.Graph:
    """Learned rules as equivalence axioms with annotations, in the prefixes of the knowledge base.

    The class expression is written twice, for the axiom and for its annotation, as other OWL tools do it.
    """
    graph = rdflib.Graph()
    for prefix, namespace in original.namespaces():
        graph.bind(prefix, namespace)
    graph.bind("learned", LEARNED)
    for name in (*_FIGURES, provenance.COMPLETE, *_EXAMPLES):
        graph.add((rdflib.URIRef(name), RDF.type, OWL.AnnotationProperty))
    for i, rule in enumerate(sorted(rules, key=lambda rule: rule.target or "")):
        if rule.target:  # the name of the blank node decides its place in the file
            _add_rule(graph, rule, rdflib.URIRef(rule.target), rdflib.BNode(f"rule{i:06}"))
    return graph


def _turtle(graph: rdflib.Graph) -> str:
    """A graph in Turtle; in N-Triples, which is Turtle too, where rdflib loses a part of a shared list."""
    text = graph.serialize(format="turtle")
    return text if len(rdflib.Graph().parse(data=text, format="turtle")) == len(graph) else graph.serialize(format="nt")


def _filled(turtle: str) -> str:
    """Turtle with several names in a line, where rdflib puts each in a line of its own."""
    lines: list[str] = []
    for line in turtle.splitlines():
        last = lines[-1] if lines else ""
        if last.endswith(",") and line.startswith(" " * 8 + ":") and len(last) + len(line.strip()) < _LINE:
            lines[-1] = f"{last} {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


_LINE = 119
_ABOUT_RULES = "# Definitions that Whyif learned from examples, and how well each of them fits them.\n\n"
_FIGURES = {
    provenance.ACCURACY: "accuracy",
    provenance.PRECISION: "precision",
    provenance.RECALL: "recall",
    provenance.F1: "f1",
}
_EXAMPLES = {
    provenance.POSITIVE: "positives",
    provenance.NEGATIVE: "negatives",
    provenance.FALSE_POSITIVE: "false_positives",
    provenance.FALSE_NEGATIVE: "false_negatives",
}


def _add_rule(graph: rdflib.Graph, rule: Rule, target: Node, axiom: Node) -> None:
    graph.add((target, RDF.type, OWL.Class))
    graph.add((target, OWL.equivalentClass, expression(graph, rule.concept)))
    graph.add((axiom, RDF.type, OWL.Axiom))
    graph.add((axiom, OWL.annotatedSource, target))
    graph.add((axiom, OWL.annotatedProperty, OWL.equivalentClass))
    graph.add((axiom, OWL.annotatedTarget, expression(graph, rule.concept)))
    graph.add((axiom, DCTERMS.source, rdflib.Literal(rule.source)))
    graph.add((axiom, DCTERMS.created, rdflib.Literal(rule.learned, datatype=XSD.dateTime)))
    graph.add((axiom, rdflib.URIRef(provenance.COMPLETE), rdflib.Literal(rule.complete)))
    for name, figure in _FIGURES.items():
        graph.add((axiom, rdflib.URIRef(name), rdflib.Literal(Decimal(f"{getattr(rule, figure):.4f}"))))
    for name, side in _EXAMPLES.items():
        for x in getattr(rule, side):
            graph.add((axiom, rdflib.URIRef(name), _node(x)))


def _mirrors(kb: KnowledgeBase, x: Iri, gone: set[Feature]) -> list[tuple[Node, Node, Node]]:
    """The assertions s(y, x) that are the removed r(x, y) seen from the other side."""
    return [
        (_node(f.filler.individual), rdflib.URIRef(flip.sup), _node(x))
        for f in gone
        if isinstance(f, Exists) and isinstance(f.filler, Nominal)
        for flip in kb.ontology.flips
        if flip.sub == f.role
    ]


def _assert(graph: rdflib.Graph, x: Iri, feature: Concept) -> None:
    if isinstance(feature, Exists) and isinstance(feature.filler, Nominal):
        graph.add((_node(x), rdflib.URIRef(feature.role), _node(feature.filler.individual)))
    else:
        graph.add((_node(x), RDF.type, expression(graph, feature)))


def expression(graph: rdflib.Graph, concept: Concept) -> Node:
    """The class expression for a concept; its triples are added to the graph."""
    if isinstance(concept, Name):
        return rdflib.URIRef(concept.iri)
    if not isinstance(concept, (And, Exists, Nominal)):
        return OWL.Thing
    node = rdflib.BNode()
    if isinstance(concept, And):
        members: list[rdflib.term.Node] = [expression(graph, part) for part in concept.conjuncts]
        graph.add((node, RDF.type, OWL.Class))
        graph.add((node, OWL.intersectionOf, Collection(graph, rdflib.BNode(), members).uri))
    elif isinstance(concept, Exists):
        graph.add((node, RDF.type, OWL.Restriction))
        graph.add((node, OWL.onProperty, rdflib.URIRef(concept.role)))
        graph.add((node, OWL.someValuesFrom, expression(graph, concept.filler)))
    else:
        graph.add((node, RDF.type, OWL.Class))
        graph.add((node, OWL.oneOf, Collection(graph, rdflib.BNode(), [_node(concept.individual)]).uri))
    return node


def _node(iri: Iri) -> Node:
    return rdflib.BNode(iri[2:].replace(" ", "_")) if iri.startswith("_:") else rdflib.URIRef(iri)
