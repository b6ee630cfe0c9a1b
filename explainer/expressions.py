"""Class expressions of OWL as concepts: the OWL 2 mapping to RDF, as far as EL reaches.

Where an expression stands decides what may be done with one that EL has no words for. On the left of ⊑ and in
definitions it must be read exactly; on the right it may be *weakened*, as C ⊑ D ⊓ E entails C ⊑ D.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from explainer.concepts import TOP, Concept, Exists, Iri, Name, Nominal, conjunction
from explainer.namespaces import OWL, RDF, RDFS, THING, TYPE, XSD
from explainer.ontology import Text

CONSTRUCTORS = tuple(OWL + name for name in ("intersectionOf", "unionOf", "complementOf", "oneOf"))
DEEPEST = 50
LARGEST = 200_000
"""How deep a class expression may be nested, and how many parts it may have; some files are made to do harm."""

_FILLERS = (OWL + "someValuesFrom", OWL + "onClass")

Node = Mapping[Iri, list[Iri]]


class Unsupported(Exception):
    """A class expression, or another construct, outside the supported logic; the argument names it."""


class Expressions:
    """The class expressions of an RDF graph.

    Args:
        links: subject → predicate → objects, of what is not about individuals.
        literals: subject → predicate → literals, of the same.
        data_properties: those that are declared.
    """

    def __init__(
        self,
        links: Mapping[Iri, Node],
        literals: Mapping[Iri, Mapping[Iri, list[Text]]],
        data_properties: frozenset[Iri],
    ) -> None:
        self._links = links
        self._literals = literals
        self._data_properties = data_properties
        self._read: dict[Iri, Concept | str] = {}
        self._sizes: dict[Iri, int] = {}
        self._weakened: dict[Iri, tuple[Concept, tuple[str, ...]]] = {}

    def exactly(self, node: Iri, depth: int = DEEPEST) -> Concept:
        """The concept that a class expression stands for.

        Raises:
            Unsupported: it, or a part of it, lies outside EL.
        """
        if not node.startswith("_:"):
            return self._named_class(node)
        if node not in self._read:
            self._read[node] = "class expression that contains itself"
            try:
                self._require_bounds(node)
                self._read[node] = self._anonymous_class(node, depth)
            except Unsupported as error:
                self._read[node] = str(error)
        known = self._read[node]
        if isinstance(known, str):
            raise Unsupported(known)
        return known

    def alternatives(self, node: Iri) -> tuple[list[Concept], list[str]]:
        """Of the C₁ … Cₙ with node = C₁ ⊔ … ⊔ Cₙ those in EL, and what the others were left out for."""
        found: list[Concept] = []
        left_out = []
        for part in _opened(node, self._leaf_or("unionOf")):
            try:
                found += self._one_of(part)
            except Unsupported as error:
                left_out.append(str(error))
        return found, left_out

    def weakened(self, node: Iri, depth: int = DEEPEST) -> tuple[Concept, tuple[str, ...]]:
        """A concept that subsumes the expression, the strongest in EL that its parts allow, and what it leaves out."""
        if node not in self._weakened:
            self._weakened[node] = TOP, ("class expression that contains itself",)
            self._weakened[node] = self._weaken(node, depth)
        return self._weakened[node]

    def _weaken(self, node: Iri, depth: int) -> tuple[Concept, tuple[str, ...]]:
        try:
            self._require_bounds(node)
        except Unsupported as error:
            return TOP, (str(error),)
        try:
            concept = self.exactly(node, depth)
            if not isinstance(concept, Nominal):
                return concept, ()
            raise Unsupported(OWL + "oneOf")
        except Unsupported as error:
            properties = self._links.get(node, {}) if depth else {}
            members = self._leaf_or("intersectionOf")(node) if depth else []
            if members:
                parts = [self.weakened(m, depth - 1) for m in members]
                return conjunction(c for c, _ in parts), tuple(e for _, errors in parts for e in errors)
            if OWL + "someValuesFrom" in properties and self._is_plain_role(node):
                filler, errors = self.weakened(properties[OWL + "someValuesFrom"][0], depth - 1)
                return Exists(properties[OWL + "onProperty"][0], filler), errors
            if self._at_least(node) >= 1 and self._is_plain_role(node):
                filler, errors = self.weakened(properties.get(OWL + "onClass", [THING])[0], depth - 1)
                return Exists(properties[OWL + "onProperty"][0], filler), (str(error), *errors)
            return TOP, (str(error),)

    def members(self, node: Iri) -> list[Iri]:
        """The conjuncts of a class expression, nested conjunctions opened."""
        return _opened(node, self._leaf_or("intersectionOf"))

    def complement(self, node: Iri) -> Iri | None:
        """D where the expression is ¬D."""
        if not node.startswith("_:"):
            return None
        return next(iter(self._links.get(node, {}).get(OWL + "complementOf", ())), None)

    def items(self, head: Iri) -> list[Iri]:
        """The items of an RDF list.

        Raises:
            Unsupported: it is none, has an end without rdf:nil, or no end.
        """
        items: list[Iri] = []
        seen = set()
        while head != RDF + "nil":
            node = self._links.get(head, {})
            if head in seen or not node.get(RDF + "first") or not node.get(RDF + "rest"):
                raise Unsupported("malformed list")
            seen.add(head)
            items.append(node[RDF + "first"][0])
            head = node[RDF + "rest"][0]
        return items

    def _anonymous_class(self, node: Iri, depth: int) -> Concept:
        properties = self._links.get(node, {})
        if OWL + "intersectionOf" in properties:
            return conjunction(self.exactly(m, depth - 1) for m in self._parts(node, "intersectionOf"))
        if OWL + "onProperty" in properties:
            return self._restriction(node, depth)
        if OWL + "oneOf" in properties:
            members = self._parts(node, "oneOf")
            if len(members) == 1:
                return Nominal(members[0])
        raise Unsupported(self._constructor(node))

    def _require_bounds(self, node: Iri) -> None:
        if self._size(node, DEEPEST) > LARGEST:
            raise Unsupported("class expression that is too large or too deep")

    def _size(self, node: Iri, depth: int) -> int:
        """How many parts an expression has when it is written out."""
        if not node.startswith("_:"):
            return 1
        if not depth:
            return LARGEST + 1
        if node not in self._sizes:
            self._sizes[node] = 1  # while it is worked out, for an expression that contains itself
            properties = self._links.get(node, {})
            inside = [o for p in _FILLERS for o in properties.get(p, ())] + self._parts(node, "intersectionOf")
            self._sizes[node] = 1 + sum(self._size(part, depth - 1) for part in inside)
        return self._sizes[node]

    def _parts(self, node: Iri, constructor: str) -> list[Iri]:
        heads = self._links.get(node, {}).get(OWL + constructor, ()) if node.startswith("_:") else ()
        return [item for head in heads for item in self.items(head)]

    def _leaf_or(self, constructor: str) -> Callable[[Iri], list[Iri]]:
        """What a class expression is made of by a constructor; nothing where it is not, or badly."""

        def parts(node: Iri) -> list[Iri]:
            try:
                return self._parts(node, constructor)
            except Unsupported:
                return []

        return parts

    def _one_of(self, node: Iri) -> list[Concept]:
        members = self._parts(node, "oneOf")
        return [Nominal(member) for member in members] or [self.exactly(node)]

    def _named_class(self, node: Iri) -> Concept:
        if node == THING:
            return TOP
        if node != OWL + "Nothing" and (node.startswith((OWL, XSD, RDF)) or node == RDFS + "Literal"):
            raise Unsupported(node)
        return Name(node)

    def _restriction(self, node: Iri, depth: int) -> Concept:
        properties = self._links[node]
        role = self._role(node)
        if OWL + "someValuesFrom" in properties:
            return Exists(role, self.exactly(properties[OWL + "someValuesFrom"][0], depth - 1))
        if OWL + "hasValue" in properties:
            return Exists(role, Nominal(properties[OWL + "hasValue"][0]))
        if self._at_least(node) == 1 and not self._is_exact(node):
            return Exists(role, self.exactly(properties.get(OWL + "onClass", [THING])[0], depth - 1))
        raise Unsupported(self._constructor(node))

    def _role(self, node: Iri) -> Iri:
        role = next(iter(self._links.get(node, {}).get(OWL + "onProperty", ())), None)
        if role is None:
            raise Unsupported("restriction without a property")
        if role.startswith("_:"):
            raise Unsupported(OWL + "inverseOf")
        if role in self._data_properties or any(
            values for p, values in self._literals.get(node, {}).items() if p == OWL + "hasValue"
        ):
            raise Unsupported("restriction on a data property")
        return role

    def _is_plain_role(self, node: Iri) -> bool:
        try:
            self._role(node)
        except Unsupported:
            return False
        return True

    def _at_least(self, node: Iri) -> int:
        """n where the expression is or entails "at least n", else 0."""
        for cardinality in ("minCardinality", "minQualifiedCardinality", "cardinality", "qualifiedCardinality"):
            for text in self._literals.get(node, {}).get(OWL + cardinality, ()):
                if text.value.strip().isdecimal():
                    return int(text.value.strip()[:9])
        return 0

    def _is_exact(self, node: Iri) -> bool:
        return any(OWL + p in self._literals.get(node, {}) for p in ("cardinality", "qualifiedCardinality"))

    def _constructor(self, node: Iri) -> str:
        """What an anonymous class is made with."""
        properties = [*self._links.get(node, {}), *self._literals.get(node, {})]
        ignored = (TYPE, OWL + "onProperty", OWL + "onClass", *(p for p in properties if not p.startswith(OWL)))
        return next((p for p in properties if p not in ignored), "anonymous class")


def _opened(node: Iri, inside: Callable[[Iri], list[Iri]]) -> list[Iri]:
    """The node, or the innermost of what is inside it; each once."""
    queue = [node]
    seen = {node}
    innermost = []
    for at in queue:
        parts = inside(at)
        if not parts:
            innermost.append(at)
        queue += [part for part in dict.fromkeys(parts) if part not in seen]
        seen.update(parts)
    return innermost
