"""From triples to an `Ontology`: the OWL 2 mapping to RDF, as far as ELH reaches.

Used: rdf:type, rdfs:subClassOf, owl:equivalentClass, owl:intersectionOf, owl:someValuesFrom, minimum
cardinality 1, rdfs:subPropertyOf, owl:equivalentProperty, rdfs:domain; a union on the left of ⊑ is split, and
of a conjunction on the right the supported part is kept, both of which are sound. The rest is tallied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from explainer.concepts import (
    TOP,
    Concept,
    Exists,
    Feature,
    Iri,
    Name,
    conjunction,
    conjuncts,
    role_assertion,
    subconcepts,
)
from explainer.namespaces import ANNOTATION, BUILT_IN, OWL, RDF, RDFS, THING, TYPE, XSD, local_name
from explainer.ontology import Ontology, RoleInclusion, Subsumption, Tally, Text
from explainer.rdf import Source, Triple, read_triples, source_name

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
_TERMINOLOGY = _CLASS_TYPES | _ROLE_TYPES | _ROLE_CHARACTERISTICS | _OTHER_PROPERTY_TYPES | {OWL + "Ontology"}
_AXIOMS_LEFT_OUT = {
    RDFS + "range",
    OWL + "inverseOf",
    OWL + "disjointWith",
    OWL + "propertyChainAxiom",
    OWL + "propertyDisjointWith",
    OWL + "disjointUnionOf",
    OWL + "hasKey",
    OWL + "sameAs",
    OWL + "differentFrom",
    OWL + "imports",
}
_AXIOM_TYPES_LEFT_OUT = {
    OWL + name for name in ("AllDisjointClasses", "AllDisjointProperties", "AllDifferent", "NegativePropertyAssertion")
}
_CLASS_CONSTRUCTORS = tuple(OWL + name for name in ("intersectionOf", "unionOf", "complementOf", "oneOf"))


def load_ontology(source: Source) -> Ontology:
    """Read a knowledge base.

    Raises:
        KnowledgeBaseError: the source cannot be read (see `read_triples`).
    """
    return _Reader(read_triples(source), source_name(source)).ontology()


class _Unsupported(Exception):
    """A class expression outside ELH; the argument names the construct."""


class _Reader:
    def __init__(self, triples: list[Triple], source: str) -> None:
        self.source = source
        self.count = len(triples)
        self.out: defaultdict[Iri, defaultdict[Iri, list[Iri]]] = defaultdict(lambda: defaultdict(list))
        self.texts: defaultdict[Iri, defaultdict[Iri, list[Text]]] = defaultdict(lambda: defaultdict(list))
        for s, p, o in triples:
            if isinstance(o, Text):
                self.texts[s][p].append(o)
            else:
                self.out[s][p].append(o)
        self.types = {s: set(po[TYPE]) for s, po in self.out.items() if TYPE in po}
        self.tally = Tally()
        self.subsumptions: list[Subsumption] = []
        self.role_inclusions: list[RoleInclusion] = []
        self.definitions: defaultdict[Iri, list[Concept]] = defaultdict(list)
        self.assertions: defaultdict[Iri, list[Feature]] = defaultdict(list)
        self.facts: defaultdict[Iri, list[tuple[Iri, Text]]] = defaultdict(list)
        self.anonymous = 0

    def ontology(self) -> Ontology:
        for subject in list(self.out):
            self._read_class_axioms(subject)
            self._read_role_axioms(subject)
            self._tally_left_out(subject)
        for subject in list(dict.fromkeys([*self.out, *self.texts])):
            if not self._is_terminology(subject):
                self._read_assertions(subject)
        return Ontology(
            source=self.source,
            iri=next((s for s, types in self.types.items() if OWL + "Ontology" in types), None),
            subsumptions=tuple(dict.fromkeys(self.subsumptions)),
            role_inclusions=tuple(dict.fromkeys(self.role_inclusions)),
            definitions={a: tuple(dict.fromkeys(d)) for a, d in self.definitions.items()},
            assertions={x: tuple(dict.fromkeys(features)) for x, features in self.assertions.items()},
            classes=tuple(self._classes()),
            roles=tuple(self._roles()),
            facts={x: tuple(values) for x, values in self.facts.items()},
            annotations=self._annotations(),
            left_out=self.tally.report(),
            triples=self.count,
        )

    # --- TBox ---------------------------------------------------------------------------------------------

    def _read_class_axioms(self, node: Iri) -> None:
        for sup in self.out[node].get(RDFS + "subClassOf", ()):
            self._subsume(node, sup)
        for other in self.out[node].get(OWL + "equivalentClass", ()):
            self._equate(node, other)
        if not node.startswith("_:"):
            for constructor in _CLASS_CONSTRUCTORS:
                for _ in self.out[node].get(constructor, ()):
                    self._define_directly(node, constructor)

    def _subsume(self, sub: Iri, sup: Iri) -> None:
        try:
            alternatives = self._alternatives(sub)
        except _Unsupported as error:
            self._leave_out(error, sub)
            return
        supported = conjunction(self._supported_conjuncts(sup, example=sub))
        if supported != TOP:
            self.subsumptions += [Subsumption(alternative, supported) for alternative in alternatives]

    def _equate(self, one: Iri, other: Iri) -> None:
        self._subsume(one, other)
        tallied = self.tally
        self.tally = Tally()  # the other direction meets the same constructs: count them once
        self._subsume(other, one)
        self.tally = tallied
        for name, expression in ((one, other), (other, one)):
            self._note_definition(name, expression)

    def _note_definition(self, name: Iri, expression: Iri) -> None:
        if name.startswith("_:") or not expression.startswith("_:"):
            return
        try:
            self.definitions[name].append(self._concept(expression))
        except _Unsupported:
            if not self.definitions[name]:
                del self.definitions[name]

    def _define_directly(self, node: Iri, constructor: Iri) -> None:
        """OWL 1 style: `A owl:intersectionOf (…)` on the named class itself."""
        anonymous = f"_:{constructor}:{node}"
        self.out[anonymous][constructor] = self.out[node][constructor]
        self._equate(node, anonymous)

    def _alternatives(self, node: Iri) -> list[Concept]:
        """The concepts C₁ … Cₙ with node = C₁ ⊔ … ⊔ Cₙ."""
        unions = self.out[node].get(OWL + "unionOf", ()) if node.startswith("_:") else ()
        if unions:
            return [c for member in self._list(unions[0]) for c in self._alternatives(member)]
        return [self._concept(node)]

    def _supported_conjuncts(self, node: Iri, example: Iri) -> Iterator[Concept]:
        for member in self._members(node):
            try:
                yield self._concept(member)
            except _Unsupported as error:
                self._leave_out(error, example)

    def _members(self, node: Iri) -> list[Iri]:
        """The conjuncts of a class expression, nested conjunctions opened."""
        heads = self.out[node].get(OWL + "intersectionOf", ()) if node.startswith("_:") else ()
        return [m for head in heads for item in self._list(head) for m in self._members(item)] or [node]

    def _concept(self, node: Iri) -> Concept:
        """The concept that a class expression stands for.

        Raises:
            _Unsupported: it, or a part of it, lies outside ELH.
        """
        if not node.startswith("_:"):
            return self._named_class(node)
        properties = self.out[node]
        if OWL + "intersectionOf" in properties:
            return conjunction(self._concept(m) for m in self._list(properties[OWL + "intersectionOf"][0]))
        if OWL + "onProperty" in properties:
            return self._restriction(node)
        constructor = next((c for c in _CLASS_CONSTRUCTORS if c in properties), "anonymous class")
        raise _Unsupported(constructor)

    def _named_class(self, node: Iri) -> Concept:
        if node == THING:
            return TOP
        if node.startswith((OWL, XSD, RDF)) or node == RDFS + "Literal":
            raise _Unsupported(node)
        return Name(node)

    def _restriction(self, node: Iri) -> Concept:
        properties = self.out[node]
        role = properties[OWL + "onProperty"][0]
        if role.startswith("_:"):
            raise _Unsupported(OWL + "inverseOf")
        if _DATA_TYPE in self.types.get(role, ()):
            raise _Unsupported("restriction on a data property")
        if OWL + "someValuesFrom" in properties:
            return Exists(role, self._concept(properties[OWL + "someValuesFrom"][0]))
        for cardinality in ("minCardinality", "minQualifiedCardinality"):
            values = self.texts[node].get(OWL + cardinality, ())
            if values and values[0].value.strip() == "1":
                on_class = properties.get(OWL + "onClass", [THING])
                return Exists(role, self._concept(on_class[0]))
        named = [p for p in (*properties, *self.texts[node]) if p not in (TYPE, OWL + "onProperty", OWL + "onClass")]
        raise _Unsupported(named[0] if named else "owl:Restriction")

    def _list(self, head: Iri) -> list[Iri]:
        items: list[Iri] = []
        seen = set()
        while head != RDF + "nil" and head not in seen:
            seen.add(head)
            items += self.out[head].get(RDF + "first", ())[:1]
            rest = self.out[head].get(RDF + "rest", ())
            head = rest[0] if rest else RDF + "nil"
        return items

    def _read_role_axioms(self, node: Iri) -> None:
        if node.startswith("_:") or self.types.get(node, set()) & {_DATA_TYPE, _ANNOTATION_TYPE}:
            return
        properties = self.out[node]
        for sup in properties.get(RDFS + "subPropertyOf", ()):
            self._include(node, sup)
        for other in properties.get(OWL + "equivalentProperty", ()):
            self._include(node, other)
            self._include(other, node)
        for domain in properties.get(RDFS + "domain", ()):
            concept = conjunction(self._supported_conjuncts(domain, example=node))
            if concept != TOP:
                self.subsumptions.append(Subsumption(Exists(node, TOP), concept))

    def _include(self, sub: Iri, sup: Iri) -> None:
        if sup.startswith("_:"):
            self._leave_out(_Unsupported(OWL + "inverseOf"), sub)
        elif not sup.startswith(OWL):
            self.role_inclusions.append(RoleInclusion(sub, sup))

    def _tally_left_out(self, node: Iri) -> None:
        for predicate in sorted(_AXIOMS_LEFT_OUT & self.out[node].keys()):
            if not (predicate == OWL + "inverseOf" and node.startswith("_:")) and not self._is_data_axiom(
                node, predicate
            ):
                for _ in self.out[node][predicate]:
                    self._leave_out(_Unsupported(predicate), node)
        for kind in sorted(self.types.get(node, set()) & (_ROLE_CHARACTERISTICS | _AXIOM_TYPES_LEFT_OUT)):
            self._leave_out(_Unsupported(kind), node)
        if OWL + "FunctionalProperty" in self.types.get(node, ()) and _DATA_TYPE not in self.types[node]:
            self._leave_out(_Unsupported(OWL + "FunctionalProperty"), node)

    def _is_data_axiom(self, node: Iri, predicate: Iri) -> bool:
        """Ranges of data and annotation properties say nothing about individuals' classes."""
        return predicate == RDFS + "range" and bool(self.types.get(node, set()) & {_DATA_TYPE, _ANNOTATION_TYPE})

    def _leave_out(self, error: _Unsupported, example: Iri) -> None:
        construct = str(error)
        for namespace, prefix in ((OWL, "owl:"), (RDFS, "rdfs:"), (XSD, "xsd:")):
            if construct.startswith(namespace):
                construct = prefix + construct[len(namespace) :]
        self.tally.add(construct, local_name(self._named(example)))

    def _named(self, node: Iri) -> Iri:
        """The node, or where it is blank the first named thing that it speaks of."""
        reached = [node]
        for at in reached:
            if not at.startswith("_:"):
                return at
            after = [o for p, objects in self.out[at].items() for o in objects if p != TYPE]
            reached += [o for o in after if o not in reached and not o.startswith(BUILT_IN)]
        return node

    # --- ABox ---------------------------------------------------------------------------------------------

    def _is_terminology(self, node: Iri) -> bool:
        """Whether the node is a class, a property, an axiom or part of one rather than an individual."""
        types = self.types.get(node, set())
        properties = self.out[node]
        if types - _TERMINOLOGY - _AXIOM_TYPES_LEFT_OUT - {OWL + "Axiom", OWL + "Annotation", RDF + "List"}:
            return False
        if types:
            return True
        structural = {
            RDF + "first",
            OWL + "onProperty",
            RDFS + "subClassOf",
            OWL + "equivalentClass",
            RDFS + "subPropertyOf",
        }
        return bool(structural & properties.keys()) or any(c in properties for c in _CLASS_CONSTRUCTORS)

    def _read_assertions(self, x: Iri) -> None:
        for kind in self.out[x].get(TYPE, ()):
            if kind in (OWL + "NamedIndividual", THING):
                self.assertions[x]
            elif kind not in _TERMINOLOGY and not kind.startswith(BUILT_IN):
                self._assert(x, self._supported_conjuncts(kind, example=x))
        for predicate, objects in self.out[x].items():
            if self._is_role(predicate):
                for y in objects:
                    self.assertions[x].append(role_assertion(predicate, y))
                    self.assertions[y]
        for predicate, values in self.texts.get(x, {}).items():
            if not predicate.startswith((*BUILT_IN, *ANNOTATION)) and _ANNOTATION_TYPE not in self.types.get(
                predicate, ()
            ):
                self.assertions[x]
                self.facts[x] += [(predicate, value) for value in values]

    def _assert(self, x: Iri, concepts: Iterable[Concept]) -> None:
        """C(x); an existential gets an unnamed filler of its own, which says the same."""
        self.assertions[x]
        for concept in concepts:
            for part in conjuncts(concept):
                if isinstance(part, Name):
                    self.assertions[x].append(part)
                elif isinstance(part, Exists):
                    self.anonymous += 1
                    y = f"_:unnamed{self.anonymous}"
                    self.assertions[x].append(role_assertion(part.role, y))
                    self._assert(y, conjuncts(part.filler))

    def _is_role(self, predicate: Iri) -> bool:
        types = self.types.get(predicate, set())
        if types & (_ROLE_TYPES | _ROLE_CHARACTERISTICS):
            return True
        return not types & {_DATA_TYPE, _ANNOTATION_TYPE} and not predicate.startswith((*BUILT_IN, *ANNOTATION))

    # --- signature and annotations ------------------------------------------------------------------------

    def _all_concepts(self) -> Iterator[Concept]:
        for axiom in self.subsumptions:
            yield from subconcepts(axiom.sub)
            yield from subconcepts(axiom.sup)
        for features in self.assertions.values():
            yield from features

    def _classes(self) -> Iterable[Iri]:
        declared = [
            s for s, types in self.types.items() if types & {OWL + "Class", RDFS + "Class"} and not s.startswith("_:")
        ]
        used = [c.iri for c in self._all_concepts() if isinstance(c, Name)]
        return (c for c in dict.fromkeys([*declared, *used]) if not c.startswith(BUILT_IN))

    def _roles(self) -> Iterable[Iri]:
        declared = [s for s, types in self.types.items() if types & (_ROLE_TYPES | _ROLE_CHARACTERISTICS)]
        used = [c.role for c in self._all_concepts() if isinstance(c, Exists)]
        included = [role for axiom in self.role_inclusions for role in (axiom.sub, axiom.sup)]
        return (r for r in dict.fromkeys([*declared, *used, *included]) if not r.startswith("_:"))

    def _annotations(self) -> dict[Iri, dict[Iri, tuple[Text, ...]]]:
        by_property: defaultdict[Iri, dict[Iri, tuple[Text, ...]]] = defaultdict(dict)
        for subject, properties in self.texts.items():
            for predicate, values in properties.items():
                if predicate.startswith((RDFS, *ANNOTATION)):
                    by_property[predicate][subject] = tuple(dict.fromkeys(values))
        return dict(by_property)
