"""Supposing that an individual had other features than it has, everything else being equal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from explainer.abox import is_feature_role
from explainer.concepts import Concept, Exists, Feature, Iri, Nominal, conjuncts, role_assertion
from explainer.errors import InconsistentError
from explainer.ontology import ABox
from explainer.reasoner import Element, KnowledgeBase, Links, Model
from explainer.tbox import Type, mask_of


class Supposition:
    """K with the assertions about one individual x taken out of A*, so that others can be put in.

    What A* says about the other individuals stays, as the definition of a local change asks. Only what they owe to x
    through a complex concept (no feature, so not in A*) is inferred anew: `_loop` has the individuals concerned. What
    others' assertions say of x stays too: the ranges of the roles that lead to x. An assertion s(y, x) that mirrors
    r(x, y), s being the inverse of r, is the same fact and not held against a change of it.

    Where T itself speaks of {x}, or of the nominal of somebody in the loop, the types in T rest on what x is: then each
    knowledge base is made anew.
    """

    def __init__(self, kb: KnowledgeBase, x: Iri) -> None:
        self.kb = kb
        self.x = x
        tbox = kb.tbox
        self._loop = _loop(kb, x) if tbox.carriers else {}
        self._told = {y: tbox.close(kb.type_of(y) & tbox.fixed_mask) for y in self._loop}
        self._into: defaultdict[Iri, set[Iri]] = defaultdict(set)
        for y in self._loop:
            for targets in kb.links(y).values():
                for z in targets:
                    if isinstance(z, str):
                        self._into[z].add(y)
        self._about_x = self._said_by_others()
        self._anew = any(tbox.number(Nominal(y)) is not None for y in (x, *self._loop))
        self._latest: tuple[tuple[Concept, ...], Model] | None = None
        self._base = dict(self._told)
        self._settle(self._base, tbox.close(self._about_x), {}, [x, *self._told])

    def model(self, assertions: Iterable[Concept]) -> Model:
        """The canonical model of K in which just the given concepts are asserted of x.

        A concept ∃r.{y} is a role assertion to y; any other ∃r.D gives x a fresh r-successor that is a D.
        """
        assertions = tuple(assertions)
        if self._latest is None or self._latest[0] != assertions:
            self._latest = assertions, self._model(assertions)
        return self._latest[1]

    def _model(self, assertions: tuple[Concept, ...]) -> Model:
        if self._anew:
            return self._rebuilt(assertions).model
        kb = self.kb
        links = self._links_of(assertions)
        types = dict(self._base)
        self._settle(types, self._told_of_x(assertions, links), links, [self.x])
        return Model(
            kb.tbox,
            lambda y: types[y] if y in types else kb.type_of(y),
            lambda y: links if y == self.x else kb.links(y),
        )

    def oracle(
        self, always: Iterable[Concept], optional: Sequence[Concept], concept: Concept
    ) -> Callable[[Iterable[int]], bool]:
        """`entails` for one C(x) and many sets of assertions: some always, of others a choice, by their places.

        Where nothing but the types of what x is related to counts, each assertion contributes to the type of x what it
        contributes alone, and only conjunctions remain to be looked at, those that C(x) can rest on. A conjunct ∃r.D of
        C outside the vocabulary has a bit of its own, which the assertions that meet it contribute.
        """
        always = tuple(always)
        conditions = self._conditions(concept)
        parts = [self._contributed(c, conditions) for c in (*always, *optional)]
        tbox = self.kb.tbox
        relevant = tbox.relevant_mask(concept)
        moving = self._anew or any(self._moves(c, relevant) for c in (*always, *optional))
        if moving or self.kb.ontology.chains or not conditions or min(parts, default=0) < 0:
            return lambda chosen: self.entails((*always, *(optional[i] for i in chosen)), concept)
        within = relevant | -1 << len(tbox.vocabulary)
        base = tbox.close(self._about_x)
        for part in parts[: len(always)]:
            base |= part
        base &= within
        optional_parts = [part & within for part in parts[len(always) :]]
        masks = list(conditions.values())

        def holds(chosen: Iterable[int]) -> bool:
            type_ = base
            for i in chosen:
                type_ |= optional_parts[i]
            return all(type_ & mask for mask in masks) or all(tbox.join(type_, within) & mask for mask in masks)

        return holds

    def _conditions(self, concept: Concept) -> dict[Concept, Type]:
        """The conjuncts of C, each with the bits of which one is needed; empty where bits cannot tell."""
        tbox = self.kb.tbox
        if tbox.bit(concept):
            return {concept: tbox.bit(concept)}
        conditions: dict[Concept, Type] = {}
        for part in conjuncts(concept):
            if tbox.bit(part):
                conditions[part] = tbox.bit(part)
            elif isinstance(part, Exists):
                own = 1 << (len(tbox.vocabulary) + len(conditions))
                conditions[part] = own | self.kb.unnamed(part)
            else:
                return {}
        return conditions

    def entails(self, assertions: Iterable[Concept], concept: Concept) -> bool:
        """Whether C(x) holds where just the given concepts are asserted of x; everything does in a contradiction."""
        assertions = tuple(assertions)
        return not self.consistent(assertions) or self.model(assertions).satisfies(self.x, concept)

    def consistent(self, assertions: Iterable[Concept]) -> bool:
        """Whether the given concepts may be asserted of x without a contradiction."""
        try:
            return self.kb.tbox.consistent(self.model(assertions).type_of(self.x))
        except InconsistentError:
            return False

    def _moves(self, assertion: Concept, relevant: Type) -> bool:
        """Whether what an assertion contributes to the relevant part of x's type depends on x itself by a loop."""
        if not isinstance(assertion, Exists) or not isinstance(assertion.filler, Nominal):
            return False
        changing = self._loop.get(assertion.filler.individual, 0)
        return bool(changing and self.kb.tbox.seen(assertion.role, changing) & relevant)

    def _contributed(self, assertion: Concept, conditions: Mapping[Concept, Type]) -> int:
        """What an assertion adds to the type of x whatever else is asserted; -1 where that is not all it does."""
        tbox = self.kb.tbox
        if not isinstance(assertion, Exists):
            return tbox.close(tbox.asserted(assertion))
        y: Element = assertion.filler
        if isinstance(y, Nominal):
            y = y.individual
            if y == self.x:
                return -1
            type_ = tbox.seen(assertion.role, self._type_at(y, assertion.role, {}))
        else:
            type_ = tbox.asserted(assertion)
        for part, bits in conditions.items():
            if not tbox.bit(part) and isinstance(part, Exists) and part.role in tbox.superroles(assertion.role):
                if self._leads_back(y, part.filler):
                    return -1
                if self.kb.model.satisfies(y, part.filler):
                    type_ |= bits & -1 << len(tbox.vocabulary)
        return tbox.join(tbox.close(type_ & (1 << len(tbox.vocabulary)) - 1) | type_)

    def _leads_back(self, y: Element, concept: Concept) -> bool:
        """Whether to see if y is a D one has to look at x."""
        if not isinstance(y, str):
            return False
        return y == self.x or any(
            self._leads_back(z, part.filler)
            for part in conjuncts(concept)
            if isinstance(part, Exists)
            for z in self.kb.links(y).get(part.role, ())
        )

    def features(self, assertions: Iterable[Concept]) -> tuple[Feature, ...]:
        """The features that x has where just the given concepts are asserted of it; fresh fillers are "_:new1" …."""
        assertions = tuple(assertions)
        if self._anew:
            return self._rebuilt(assertions).features(self.x)
        tbox = self.kb.tbox
        type_ = self.model(assertions).type_of(self.x)
        links: dict[tuple[Iri, Element], None] = {
            (role, y): None for role, ys in self._links_of(assertions).items() for y in ys
        }
        for concept in tbox.concepts(type_ & tbox.existential_mask):
            if isinstance(concept, Exists) and isinstance(concept.filler, Nominal):
                for role in tbox.superroles(concept.role):
                    links[role, concept.filler.individual] = None
        fresh: dict[Element, Iri] = {}
        pairs = (
            role_assertion(role, y if isinstance(y, str) else fresh.setdefault(y, f"_:new{len(fresh) + 1}"))
            for role, y in links
            if is_feature_role(role)
        )
        return (*tbox.concepts(tbox.names(type_)), *pairs)  # type: ignore[arg-type]

    def _rebuilt(self, assertions: tuple[Concept, ...]) -> KnowledgeBase:
        kb = self.kb
        told = {y: assertions if y == self.x else kb.features(y) for y in kb.individuals}
        return KnowledgeBase(replace(kb.ontology, abox=ABox.of(told), flips=()), kb.also)

    # --- x ------------------------------------------------------------------------------------------------

    def _said_by_others(self) -> Type:
        kb, tbox = self.kb, self.kb.tbox
        x = kb.number(self.x)
        said = tbox.bit(Nominal(self.x))
        for role, edges in kb.abox.roles.items():
            ranges = tbox.ranges(role)
            if ranges and any(y != x for y in edges.into_one(x).tolist()):
                for concept in ranges:
                    said |= 1 << concept
        return said

    def _told_of_x(self, assertions: tuple[Concept, ...], links: Links) -> Type:
        tbox = self.kb.tbox
        type_ = self._about_x
        for concept in assertions:
            if not isinstance(concept, Exists) or not isinstance(concept.filler, Nominal):
                type_ |= tbox.asserted(concept)
        for role, targets in links.items():
            if self.x in targets:
                for concept_number in tbox.ranges(role):
                    type_ |= 1 << concept_number
        return tbox.close(type_)

    def _links_of(self, assertions: Iterable[Concept]) -> Links:
        links: defaultdict[Iri, dict[Element, None]] = defaultdict(dict)
        for concept in assertions:
            if isinstance(concept, Exists):
                target = concept.filler.individual if isinstance(concept.filler, Nominal) else concept.filler
                for role in self.kb.tbox.superroles(concept.role):
                    links[role][target] = None
        if self.kb.ontology.chains:
            self._follow_chains(links)
        return {role: tuple(targets) for role, targets in links.items()}

    def _follow_chains(self, links: defaultdict[Iri, dict[Element, None]]) -> None:
        grown = True
        while grown:
            before = sum(map(len, links.values()))
            for chain in self.kb.ontology.chains:
                for y in [y for y in links.get(chain.first, ()) if isinstance(y, str)]:
                    further: Mapping[Iri, Iterable[Element]] = links if y == self.x else self.kb.links(y)
                    for z in tuple(further.get(chain.second, ())):
                        for role in self.kb.tbox.superroles(chain.sup):
                            links[role][z] = None
            grown = sum(map(len, links.values())) > before

    # --- the others ---------------------------------------------------------------------------------------

    def _settle(self, types: dict[Iri, Type], told_of_x: Type, links: Links, start: Iterable[Iri]) -> None:
        """Grow `types` to the least fixpoint for x and the individuals of the loop."""
        tbox, x = self.kb.tbox, self.x
        types[x] = told_of_x
        seen_by_x = {y for targets in links.values() for y in targets}
        queue = dict.fromkeys([*start, *self._into.get(x, ()), x])
        while queue:
            e, _ = queue.popitem()
            gained = 0
            for role, targets in (links if e == x else self.kb.links(e)).items():
                for f in targets:
                    gained |= tbox.seen(role, self._type_at(f, role, types))
            type_ = tbox.grown(types[e], gained)
            if type_ != types[e]:
                types[e] = type_
                queue.update(dict.fromkeys(self._into.get(e, ())))
                if e in seen_by_x:
                    queue[x] = None

    def _type_at(self, f: Element, role: Iri, types: Mapping[Iri, Type]) -> Type:
        """The type of the far end of an edge."""
        tbox = self.kb.tbox
        known = types.get(f) if isinstance(f, str) else None
        type_ = self.kb.model.type_of(f) if known is None else known
        return tbox.grown(type_, mask_of(tbox.ranges(role), len(tbox.vocabulary)))


def _loop(kb: KnowledgeBase, x: Iri) -> dict[Iri, Type]:
    """The individuals whose types may depend on x through complex concepts alone, in a way that others see: in what."""
    tbox, abox = kb.tbox, kb.abox
    start = kb.number(x)
    everything = (1 << len(tbox.vocabulary)) - 1
    affected: dict[int, Type] = {}
    queue = [(start, everything)]
    while queue:
        z, changing = queue.pop()
        for role, edges in abox.roles.items():
            gained = tbox.seen(role, changing) & tbox.carriers
            if not gained:
                continue
            for y in set(edges.into_one(z).tolist()):
                grown = (tbox.close(gained) & tbox.carriers) | affected.get(y, 0)
                if y != start and grown != affected.get(y, 0):
                    affected[y] = grown
                    queue.append((y, grown))
    return {kb.individuals[y]: affected[y] for y in sorted(affected)}
