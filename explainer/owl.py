"""From triples to an `Ontology`: the axioms and assertions of OWL 2 that Whyif reasons with; the rest is tallied.

Used: rdf:type, rdfs:subClassOf, owl:equivalentClass, disjointness, rdfs:domain and rdfs:range, rdfs:subPropertyOf,
owl:equivalentProperty, transitive roles and role chains, and between named individuals inverse and symmetric roles;
in class expressions what `explainer.expressions` reads. A union on the left of ⊑ is split, a complement on the right
is a disjointness.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from explainer.assertions import Assertions
from explainer.concepts import TOP, Concept, Exists, Iri, Name, Nominal, conjuncts, subconcepts
from explainer.expressions import CONSTRUCTORS, Expressions, Unsupported
from explainer.namespaces import ANNOTATION, BUILT_IN, OWL, RDF, RDFS, TYPE, XSD, local_name
from explainer.ontology import (
    ABox,
    Disjointness,
    Ontology,
    Range,
    RoleChain,
    RoleInclusion,
    Subsumption,
    Tally,
    Text,
)
from explainer.provenance import learned_axioms, read_rules
from explainer.rdf import Source, Triples, read_triples, source_name

_CLASS_TYPES = {OWL + "Class", RDFS + "Class", OWL + "Restriction", RDFS + "Datatype"}
_ROLE_TYPES = {OWL + "ObjectProperty"}
_ROLE_CHARACTERISTICS = {
    OWL + name
    for name in (
        "TransitiveProperty",
        "SymmetricProperty",
        "AsymmetricProperty",
        "ReflexiveProperty",
        "IrreflexiveProperty",
        "InverseFunctionalProperty",
    )
}
_OTHER_PROPERTY_TYPES = {
    OWL + name for name in ("DatatypeProperty", "AnnotationProperty", "OntologyProperty", "FunctionalProperty")
} | {RDF + "Property"}
_DATA_TYPE, _ANNOTATION_TYPE = OWL + "DatatypeProperty", OWL + "AnnotationProperty"
_AXIOM_TYPES = {
    OWL + name
    for name in (
        "Axiom",
        "Annotation",
        "AllDisjointClasses",
        "AllDisjointProperties",
        "AllDifferent",
        "NegativePropertyAssertion",
    )
} | {RDF + "List", RDF + "Statement"}
_TERMINOLOGY = _CLASS_TYPES | _ROLE_TYPES | _ROLE_CHARACTERISTICS | _OTHER_PROPERTY_TYPES | {OWL + "Ontology"}
_STRUCTURE = {
    RDF + "first",
    OWL + "onProperty",
    RDFS + "subClassOf",
    OWL + "equivalentClass",
    RDFS + "subPropertyOf",
    RDF + "reifies",
    *CONSTRUCTORS,
}
_TAKES_NO_LITERAL = {
    TYPE,
    *(RDFS + name for name in ("subClassOf", "subPropertyOf", "domain", "range")),
    *(OWL + name for name in ("equivalentClass", "equivalentProperty", "disjointWith", "inverseOf", "onProperty")),
    *(OWL + name for name in ("someValuesFrom", "allValuesFrom", "onClass", "members", "propertyChainAxiom")),
}
_AXIOMS_LEFT_OUT = {
    OWL + name for name in ("propertyDisjointWith", "hasKey", "sameAs", "differentFrom", "imports", "hasSelf")
}
_TYPES_LEFT_OUT = {
    *(_ROLE_CHARACTERISTICS - {OWL + "TransitiveProperty"}),
    *(OWL + name for name in ("AllDisjointProperties", "AllDifferent", "NegativePropertyAssertion")),
    OWL + "FunctionalProperty",
}
_ONLY_BETWEEN_INDIVIDUALS = {OWL + "inverseOf", OWL + "SymmetricProperty"}


def load_ontology(source: Source) -> Ontology:
    """Read a knowledge base.

    Raises:
        KnowledgeBaseError: the source cannot be read (see `read_triples`).
    """
    return _Reader(read_triples(source), source_name(source)).ontology()


class _Reader:
    def __init__(self, triples: Triples, source: str) -> None:
        self.triples = triples
        self.source = source
        self.types: defaultdict[Iri, set[Iri]] = defaultdict(set)
        self.links: defaultdict[Iri, defaultdict[Iri, list[Iri]]] = defaultdict(lambda: defaultdict(list))
        self.literals: defaultdict[Iri, defaultdict[Iri, list[Text]]] = defaultdict(lambda: defaultdict(list))
        self._read_terminology()
        self.expressions = Expressions(self.links, self.literals, frozenset(self._declared(_DATA_TYPE)))
        rules = read_rules(triples, self.links, self.expressions)
        self.rules = {str(rule.target): rule for _, rule in rules}
        self.learned = learned_axioms(self.links, rules, self.expressions)
        self.tally = Tally()
        self.subsumptions: list[Subsumption] = []
        self.role_inclusions: list[RoleInclusion] = []
        self.chains: list[RoleChain] = []
        self.ranges: list[Range] = []
        self.disjointnesses: list[Disjointness] = []
        self.flips: list[RoleInclusion] = []
        self.definitions: defaultdict[Iri, list[Concept]] = defaultdict(list)

    def _read_terminology(self) -> None:
        """Gather what is said with the built-in vocabulary; what is said of individuals stays in columns."""
        names = self.triples.names
        for predicate, (subjects, objects) in self.triples.links.items():
            if not predicate.startswith(BUILT_IN):
                continue
            if predicate == TYPE:
                kinds = np.frombuffer(objects, np.int32)
                known = [i for i in np.unique(kinds).tolist() if names[i] in _TERMINOLOGY | _AXIOM_TYPES]
                chosen = np.isin(kinds, known)
                for s, o in zip(
                    np.frombuffer(subjects, np.int32)[chosen].tolist(), kinds[chosen].tolist(), strict=True
                ):
                    self.types[names[s]].add(names[o])
                continue
            for s, o in zip(subjects, objects, strict=True):
                self.links[names[s]][predicate].append(names[o])
        for predicate, pairs in self.triples.literals.items():
            if predicate.startswith(OWL):
                for s, text in pairs:
                    self.literals[names[s]][predicate].append(text)

    def _tally_misplaced_literals(self) -> None:
        for predicate in sorted(_TAKES_NO_LITERAL & self.triples.literals.keys()):
            for s, _ in self.triples.literals[predicate]:
                self._leave_out(f"literal as the value of {local_name(predicate)}", self.triples.names[s])

    def ontology(self) -> Ontology:
        for subject in list(dict.fromkeys([*self.links, *self.types])):
            self._read_class_axioms(subject)
            self._read_role_axioms(subject)
            self._tally_left_out(subject)
        self._tally_misplaced_literals()
        assertions = Assertions(
            self.triples, self._terminology(), frozenset(_TERMINOLOGY | _AXIOM_TYPES), self._is_role, self._is_data
        )
        kinds = assertions.complex_kinds()
        abox = assertions.abox({kind: self._weakened(kind, kind) for kind in kinds}, self._nominals())
        return Ontology(
            source=self.source,
            iri=next((s for s, types in self.types.items() if OWL + "Ontology" in types), None),
            subsumptions=tuple(dict.fromkeys(self.subsumptions)),
            role_inclusions=tuple(dict.fromkeys(self.role_inclusions)),
            chains=tuple(dict.fromkeys(self.chains)),
            ranges=tuple(dict.fromkeys(self.ranges)),
            disjointnesses=tuple(dict.fromkeys(self.disjointnesses)),
            flips=tuple(dict.fromkeys(self.flips)),
            definitions={a: tuple(dict.fromkeys(d)) for a, d in self.definitions.items()},
            abox=abox,
            classes=tuple(self._classes(abox)),
            roles=tuple(self._roles(abox)),
            facts=assertions.facts(),
            annotations=assertions.annotations(),
            rules=self.rules,
            left_out=self.tally.report(),
            triples=self.triples.count,
        )

    def _declared(self, *kinds: Iri) -> list[Iri]:
        return [s for s, types in self.types.items() if not types.isdisjoint(kinds)]

    # --- classes ------------------------------------------------------------------------------------------

    def _read_class_axioms(self, node: Iri) -> None:
        properties = self.links[node]
        for sup in properties.get(RDFS + "subClassOf", ()):
            self._subsume(node, sup)
        for other in properties.get(OWL + "equivalentClass", ()):
            if (node, other) not in self.learned:
                self._equate(node, other)
        for other in properties.get(OWL + "disjointWith", ()):
            self._disjoint([node, other], node)
        for members in properties.get(OWL + "disjointUnionOf", ()):
            parts = self._items(members, node)
            self._disjoint(parts, node)
            for part in parts:
                self._subsume(part, node)
            self._leave_out(OWL + "disjointUnionOf", node)
        if OWL + "AllDisjointClasses" in self.types.get(node, ()):
            for members in properties.get(OWL + "members", ()):
                self._disjoint(self._items(members, node), node)
        if not node.startswith("_:"):
            for constructor in CONSTRUCTORS:
                if properties.get(constructor):
                    self._define_directly(node, constructor)

    def _subsume(self, sub: Iri, sup: Iri) -> None:
        alternatives = self._alternatives(sub, sub)
        kept = []
        for member in self.expressions.members(sup):
            excluded = self.expressions.complement(member)
            if excluded is None:
                kept.append(self._weakened(member, sub))
                continue
            others = self._alternatives(excluded, sub)
            self.disjointnesses += [Disjointness((one, other)) for one in alternatives for other in others]
        supported = [c for c in kept if c != TOP]
        self.subsumptions += [Subsumption(c, d) for c in alternatives for d in supported if c != d]

    def _alternatives(self, node: Iri, example: Iri) -> list[Concept]:
        concepts, left_out = self.expressions.alternatives(node)
        for construct in left_out:
            self._leave_out(construct, example)
        return concepts

    def _weakened(self, node: Iri, example: Iri) -> Concept:
        concept, left_out = self.expressions.weakened(node)
        for construct in left_out:
            self._leave_out(construct, example)
        return concept

    def _equate(self, one: Iri, other: Iri) -> None:
        self._subsume(one, other)
        tallied = self.tally
        self.tally = Tally()  # the other direction meets the same constructs: count them once
        self._subsume(other, one)
        self.tally = tallied
        for name, expression in ((one, other), (other, one)):
            if not name.startswith("_:") and expression.startswith("_:"):
                self._note_definition(name, expression)

    def _note_definition(self, name: Iri, expression: Iri) -> None:
        try:
            definition = self.expressions.exactly(expression)
        except Unsupported:
            return
        if not isinstance(definition, Name) and definition != TOP:
            self.definitions[name].append(definition)

    def _define_directly(self, node: Iri, constructor: Iri) -> None:
        """OWL 1 style: `A owl:intersectionOf (…)` on the named class itself."""
        anonymous = f"_:{constructor}:{node}"
        self.links[anonymous][constructor] = self.links[node][constructor]
        self._equate(node, anonymous)

    def _disjoint(self, members: Iterable[Iri], example: Iri) -> None:
        concepts = []
        for member in members:
            try:
                concepts.append(self.expressions.exactly(member))
            except Unsupported as error:
                self._leave_out(str(error), example)
        if len(concepts) > 1:
            self.disjointnesses.append(Disjointness(tuple(concepts)))

    # --- roles --------------------------------------------------------------------------------------------

    def _read_role_axioms(self, node: Iri) -> None:
        types = self.types.get(node, set())
        if node.startswith("_:") or types & {_DATA_TYPE, _ANNOTATION_TYPE}:
            return
        properties = self.links[node]
        for sup in properties.get(RDFS + "subPropertyOf", ()):
            self._include(node, sup)
        for other in properties.get(OWL + "equivalentProperty", ()):
            self._include(node, other)
            self._include(other, node)
        for domain in properties.get(RDFS + "domain", ()):
            concept = self._weakened(domain, node)
            if concept != TOP:
                self.subsumptions.append(Subsumption(Exists(node, TOP), concept))
        for domain in properties.get(RDFS + "range", ()):
            concept = self._weakened(domain, node)
            self.ranges += [Range(node, part) for part in conjuncts(concept)]
        for chain in properties.get(OWL + "propertyChainAxiom", ()):
            self._chain(self._items(chain, node), node)
        for other in properties.get(OWL + "inverseOf", ()):
            if not other.startswith("_:"):
                self.flips += [RoleInclusion(node, other), RoleInclusion(other, node)]
        if OWL + "TransitiveProperty" in types:
            self.chains.append(RoleChain(node, node, node))
        if OWL + "SymmetricProperty" in types:
            self.flips.append(RoleInclusion(node, node))

    def _include(self, sub: Iri, sup: Iri) -> None:
        if sub.startswith("_:"):
            return
        if sup.startswith("_:"):
            inverted = self.links[sup].get(OWL + "inverseOf", ())
            self.flips += [RoleInclusion(sub, r) for r in inverted if not r.startswith("_:")]
            self._leave_out(OWL + "inverseOf", sub)
        elif not sup.startswith(OWL) and sub != sup:
            self.role_inclusions.append(RoleInclusion(sub, sup))

    def _chain(self, roles: list[Iri], sup: Iri) -> None:
        """r₁ ∘ … ∘ rₙ ⊑ s, in pairs by roles for the rest of the chain."""
        if not roles:
            return
        if any(r.startswith("_:") for r in roles):
            self._leave_out(OWL + "propertyChainAxiom", sup)
            return
        if len(roles) == 1:
            self._include(roles[0], sup)
            return
        first, *rest = roles
        while len(rest) > 1:
            remainder = "_:chain " + " ".join(rest)
            self.chains.append(RoleChain(first, remainder, sup))
            sup, (first, *rest) = remainder, rest
        self.chains.append(RoleChain(first, rest[0], sup))

    def _items(self, head: Iri, example: Iri) -> list[Iri]:
        try:
            return self.expressions.items(head)
        except Unsupported as error:
            self._leave_out(str(error), example)
            return []

    # --- what is left out ---------------------------------------------------------------------------------

    def _tally_left_out(self, node: Iri) -> None:
        types = self.types.get(node, set())
        data = bool(types & {_DATA_TYPE, _ANNOTATION_TYPE})
        for predicate in sorted(_AXIOMS_LEFT_OUT & self.links[node].keys()):
            for _ in self.links[node][predicate]:
                self._leave_out(predicate, node)
        if not node.startswith("_:"):
            for _ in self.links[node].get(OWL + "inverseOf", ()):
                self._leave_out(OWL + "inverseOf", node)
        for kind in sorted(types & _TYPES_LEFT_OUT):
            if not (data and kind == OWL + "FunctionalProperty"):
                self._leave_out(kind, node)

    def _leave_out(self, construct: str, example: Iri) -> None:
        aside = " (used between named individuals only)" if construct in _ONLY_BETWEEN_INDIVIDUALS else ""
        for namespace, prefix in ((OWL, "owl:"), (RDFS, "rdfs:"), (XSD, "xsd:")):
            if construct.startswith(namespace):
                construct = prefix + construct[len(namespace) :]
        self.tally.add(construct + aside, local_name(self._named(example)))

    def _named(self, node: Iri) -> Iri:
        """The node, or where it is blank the first named thing that it speaks of."""
        reached = {node: None}
        queue = [node]
        for at in queue:
            if not at.startswith("_:"):
                return at
            after = [o for p, objects in self.links[at].items() for o in objects if p != TYPE]
            new = [o for o in dict.fromkeys(after) if o not in reached and not o.startswith(BUILT_IN)]
            reached.update(dict.fromkeys(new))
            queue += new
        return node

    # --- signature ----------------------------------------------------------------------------------------

    def _terminology(self) -> list[Iri]:
        typed = [s for s, types in self.types.items() if types]
        return [*typed, *(s for s, properties in self.links.items() if not _STRUCTURE.isdisjoint(properties))]

    def _is_role(self, predicate: Iri) -> bool:
        types = self.types.get(predicate, set())
        if types & (_ROLE_TYPES | _ROLE_CHARACTERISTICS):
            return True
        return not types & {_DATA_TYPE, _ANNOTATION_TYPE} and not predicate.startswith((*BUILT_IN, *ANNOTATION))

    def _is_data(self, predicate: Iri) -> bool:
        return not predicate.startswith((*BUILT_IN, *ANNOTATION)) and _ANNOTATION_TYPE not in self.types.get(
            predicate, ()
        )

    def _all_concepts(self) -> Iterator[Concept]:
        for axiom in self.subsumptions:
            yield from subconcepts(axiom.sub)
            yield from subconcepts(axiom.sup)
        for concept in (*(r.concept for r in self.ranges), *(c for d in self.disjointnesses for c in d.concepts)):
            yield from subconcepts(concept)

    def _nominals(self) -> list[Iri]:
        return list(dict.fromkeys(c.individual for c in self._all_concepts() if isinstance(c, Nominal)))

    def _classes(self, abox: ABox) -> list[Iri]:
        declared = [s for s in self._declared(OWL + "Class", RDFS + "Class") if not s.startswith("_:")]
        used = [c.iri for c in self._all_concepts() if isinstance(c, Name)]
        return [c for c in dict.fromkeys([*declared, *used, *abox.classes]) if not c.startswith(BUILT_IN)]

    def _roles(self, abox: ABox) -> list[Iri]:
        used = [c.role for c in self._all_concepts() if isinstance(c, Exists)]
        related = [r for axiom in (*self.role_inclusions, *self.flips) for r in (axiom.sub, axiom.sup)]
        declared = self._declared(*_ROLE_TYPES, *_ROLE_CHARACTERISTICS)
        return [r for r in dict.fromkeys([*declared, *used, *related, *abox.roles]) if not r.startswith("_:")]
