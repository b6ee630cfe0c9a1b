"""Learned rules in RDF: an equivalence axiom whose annotation says from which examples, when and how well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explainer.concepts import Iri
from explainer.expressions import Expressions, Unsupported
from explainer.namespaces import DCTERMS, LEARNED, OWL
from explainer.rdf import Triples
from explainer.rules import Rule

SOURCE, CREATED = DCTERMS + "source", DCTERMS + "created"
ACCURACY, PRECISION, RECALL, F1 = (LEARNED + name for name in ("accuracy", "precision", "recall", "f1"))
COMPLETE = LEARNED + "complete"
POSITIVE, NEGATIVE = LEARNED + "positive", LEARNED + "negative"
FALSE_POSITIVE, FALSE_NEGATIVE = LEARNED + "falsePositive", LEARNED + "falseNegative"

Links = Mapping[Iri, Mapping[Iri, Sequence[Iri]]]


def read_rules(triples: Triples, links: Links, expressions: Expressions) -> list[tuple[Iri, Rule]]:
    """The rules of a file in the order in which they were learned, each with the node of its class expression.

    Args:
        links: for each subject what is said of it with the vocabulary of OWL.
    """
    annotated = sorted({triples.names[s] for s, _ in triples.literals.get(ACCURACY, ())})
    examples = {p: _objects(triples, p) for p in (POSITIVE, NEGATIVE, FALSE_POSITIVE, FALSE_NEGATIVE)}
    texts = {
        p: {triples.names[s]: text.value for s, text in triples.literals.get(p, ())}
        for p in (SOURCE, CREATED, COMPLETE)
    }
    rules = []
    for node in annotated:
        said = links[node]
        target, expression = said.get(OWL + "annotatedSource", ()), said.get(OWL + "annotatedTarget", ())
        if OWL + "equivalentClass" not in said.get(OWL + "annotatedProperty", ()) or not target or not expression:
            continue
        try:
            concept = expressions.exactly(expression[0])
        except Unsupported:
            continue
        rule = Rule(
            target=target[0],
            concept=concept,
            positives=tuple(examples[POSITIVE].get(node, ())),
            negatives=tuple(examples[NEGATIVE].get(node, ())),
            false_positives=tuple(examples[FALSE_POSITIVE].get(node, ())),
            false_negatives=tuple(examples[FALSE_NEGATIVE].get(node, ())),
            complete=texts[COMPLETE].get(node) in ("true", "1"),
            source=texts[SOURCE].get(node, ""),
            learned=texts[CREATED].get(node, ""),
        )
        rules.append((expression[0], rule))
    return sorted(rules, key=lambda found: found[1].learned)


def learned_axioms(links: Links, rules: Sequence[tuple[Iri, Rule]], expressions: Expressions) -> set[tuple[Iri, Iri]]:
    """The equivalence axioms, as pairs of nodes, that are rules and so not part of T.

    Most tools write the class expression of an annotated axiom twice; then one with the same meaning is taken, rather
    not one that somebody else has annotated.
    """
    learned = {node for node, _ in rules}
    noted = {o for said in links.values() for o in said.get(OWL + "annotatedTarget", ())} - learned
    taken: set[tuple[Iri, Iri]] = set()
    for node, rule in rules:
        others = links[str(rule.target)].get(OWL + "equivalentClass", ())
        same = (
            [node]
            if node in others
            else sorted((o for o in others if _means(expressions, o, rule)), key=noted.__contains__)
        )
        taken.update([(str(rule.target), o) for o in same if (rule.target, o) not in taken][:1])
    return taken


def _means(expressions: Expressions, node: Iri, rule: Rule) -> bool:
    try:
        return expressions.exactly(node) == rule.concept
    except Unsupported:
        return False


def _objects(triples: Triples, predicate: Iri) -> dict[Iri, list[Iri]]:
    found: dict[Iri, list[Iri]] = {}
    subjects, objects = triples.links.get(predicate, ((), ()))
    for s, o in zip(subjects, objects, strict=True):
        found.setdefault(triples.names[s], []).append(triples.names[o])
    return found
