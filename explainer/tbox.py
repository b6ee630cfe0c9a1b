"""The saturated TBox, with types as integers: one bit for each concept of the vocabulary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from explainer.concepts import And, Concept, Exists, Iri, Name, Nominal, conjuncts
from explainer.ontology import Ontology
from explainer.saturation import BOTTOM, Saturation

Type = int
"""A set of concepts as a bit mask over `TBox.vocabulary`."""


def bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(positions: Iterable[int], width: int) -> int:
    """The integer with these bits set; `width` is an upper bound of the positions."""
    octets = bytearray(width // 8 + 1)
    for i in positions:
        octets[i >> 3] |= 1 << (i & 7)
    return int.from_bytes(octets, "little")


class TBox(Saturation):
    """A saturated TBox; for its arguments see `Saturation`.

    Attributes:
        name_mask: the class names of the vocabulary.
    """

    def __init__(self, ontology: Ontology, also: Iterable[Concept] = ()) -> None:
        super().__init__(ontology, also)
        names = (i for i, c in enumerate(self.vocabulary) if isinstance(c, Name) and c != BOTTOM)
        self.name_mask = mask_of(names, len(self.vocabulary))
        self._forget()

    def teach(self, individual: Iri, concepts: Iterable[int]) -> bool:
        """Let {y} be subsumed by more concepts, as the ABox says them of y; whether that is news."""
        self._forget()
        return super().teach(individual, concepts)

    def _forget(self) -> None:
        self._masks: dict[int, Type] = {}
        self._known_types: dict[Concept, Type] = {}
        self._seen: dict[Iri, tuple[Type, dict[int, Type]]] = {}

    def names(self, type_: Type) -> Type:
        """The part of a type that consists of class names."""
        return type_ & self.name_mask

    def concepts(self, type_: Type) -> Iterator[Concept]:
        """The concepts of a type, in the order of the vocabulary."""
        return (self.vocabulary[i] for i in bits(type_))

    def bit(self, concept: Concept) -> Type:
        """The type {concept}, 0 for a concept outside the vocabulary."""
        number = self._number.get(concept)
        return 0 if number is None else 1 << number

    def subsumers_mask(self, number: int) -> Type:
        """`subsumers` as a mask."""
        mask = self._masks.get(number)
        if mask is None:
            mask = self._masks[number] = mask_of(self.subsumers(number), len(self.vocabulary))
        return mask

    def type_of(self, concept: Concept) -> Type:
        """The type of an element of which only C is known: all of the vocabulary that subsumes C."""
        known = self._known_types.get(concept)
        if known is None:
            number = self._number.get(concept)
            known = self.close(self.asserted(concept)) if number is None else self.subsumers_mask(number)
            self._known_types[concept] = known
        return known

    def asserted(self, concept: Concept) -> Type:
        """What asserting C of an element contributes to its type, before `close`; for ∃r.{y} see `seen`."""
        type_ = self.bit(concept)
        for part in conjuncts(concept):
            type_ |= self.bit(part)
            if isinstance(part, Exists):
                filler = self.type_of(self.narrowed(part))
                type_ |= self.seen(part.role, filler) | (filler & self.bit(BOTTOM))
        return type_

    def seen(self, role: Iri, type_: Type) -> Type:
        """The concepts that an element gains by an r-edge to an element of the given type (rules ∃+ and chain)."""
        known = self._seen.get(role)
        if known is None:
            width = len(self.vocabulary)
            masks = {filler: mask_of(gained, width) for filler, gained in self.gains(role).items()}
            known = self._seen[role] = mask_of(masks, width), masks
        fillers, masks = known
        gained = 0
        for filler in bits(fillers & type_):
            gained |= masks[filler]
        return gained

    def close(self, type_: Type) -> Type:
        """The least type that contains the given one and what follows from it, its edges aside."""
        closed = 0
        for i in bits(type_ | 1):
            closed |= self.subsumers_mask(i)
        return self.join(closed)

    def grown(self, closed: Type, gained: Type) -> Type:
        """`close` for a closed type and what is added to it."""
        new = gained & ~closed
        if not new:
            return closed
        for i in bits(new):
            closed |= self.subsumers_mask(i)
        return self.join(closed)

    def join(self, type_: Type, within: Type = -1) -> Type:
        """`close` for a union of closed types, as far as the concepts of `within` go."""
        joints = self._joints
        newly = type_
        while newly := newly & within & self._joint_mask:
            whole = 0
            for i in bits(newly):
                for parts, conjunction_ in joints[i]:
                    if parts & type_ == parts and not conjunction_ & type_:
                        whole |= conjunction_
                for group in self._groups[i]:
                    if sum(type_ >> member & 1 for member in group) > 1:
                        whole |= self.bit(BOTTOM)
            gained = 0
            for i in bits(whole & ~type_):
                gained |= self.subsumers_mask(i)
            newly = gained & ~type_
            type_ |= gained
        return type_

    @cached_property
    def _joints(self) -> dict[int, list[tuple[Type, Type]]]:
        """For each conjunct its conjunctions: the mask of their conjuncts, and their own bit."""
        width = len(self.vocabulary)
        wholes = {whole: parts for found in self._conjunctions for parts, whole in found}
        joints = {whole: (mask_of(parts, width), 1 << whole) for whole, parts in wholes.items()}
        return {
            i: [joints[whole] for _, whole in conjunctions]
            for i, conjunctions in enumerate(self._conjunctions)
            if conjunctions or self._groups[i]
        }

    @cached_property
    def _joint_mask(self) -> Type:
        return mask_of(self._joints, len(self.vocabulary))

    def consistent(self, type_: Type) -> bool:
        """Whether something can have the type."""
        return not type_ & self.bit(BOTTOM)

    def witness_of(self, existential: Exists) -> Concept:
        """The element that stands for the filler of a concept ∃r.C of the vocabulary."""
        return self.vocabulary[self._witness[self._number[existential]][1]]

    @cached_property
    def existential_mask(self) -> Type:
        """The concepts ∃r.C of the vocabulary."""
        return mask_of(self._witness, len(self.vocabulary))

    @cached_property
    def carriers(self) -> Type:
        """The concepts other than names through which what is known of an individual reaches its predecessors.

        These are the complex fillers, and what they follow from without the help of a name.
        """
        complex_ = [not isinstance(c, (Name, Nominal)) and i > 0 for i, c in enumerate(self.vocabulary)]
        queue = [filler for fillers in self._gains.values() for filler in fillers if complex_[filler]]
        found = set(queue)
        leads_to: defaultdict[int, list[int]] = defaultdict(list)
        for i, told in enumerate(self._told):
            for d in told:
                leads_to[d].append(i)
        for i, concept in enumerate(self.vocabulary):
            if isinstance(concept, And):
                leads_to[i] += (self._number[part] for part in concept.conjuncts)
        for existential, (role, filler) in self._witness.items():
            for d in self.subsumers(filler):
                for gained in self.gains(role).get(d, ()):
                    leads_to[gained].append(existential)
        for at in queue:
            new = [c for c in leads_to[at] if complex_[c] and c not in found]
            found.update(new)
            queue += new
        return mask_of(found, len(self.vocabulary))

    @cached_property
    def fixed_mask(self) -> Type:
        """What is said of an individual by assertions: class names and nominals."""
        nominals = (i for i, c in enumerate(self.vocabulary) if isinstance(c, Nominal))
        return self.name_mask | mask_of(nominals, len(self.vocabulary))

    def relevant_mask(self, concept: Concept) -> Type:
        """The concepts of `relevant_to` as a mask."""
        return mask_of(self.relevant_to(concept)[0], len(self.vocabulary))
