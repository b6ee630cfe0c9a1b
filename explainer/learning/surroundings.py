"""What surrounds the examples: the elements of the canonical model that they reach, place by place.

A *place* is the end of a path of roles r₁ … rₖ that starts at the examples. What a concept ∃r₁.(… ∃rₖ.C) says of an
example depends on C only by the elements at that place, so that sets of elements are all that the search looks at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from explainer.abox import is_feature_role
from explainer.concepts import Concept, Iri, Name
from explainer.reasoner import Element, KnowledgeBase
from explainer.saturation import BOTTOM
from explainer.tbox import mask_of

Elements = npt.NDArray[np.int64]
"""Individuals by their numbers, and anonymous elements by the numbers after those."""
Extensions = npt.NDArray[np.bool_]
"""Sets of elements of a place, one in each row."""


class Surroundings:
    """The canonical model of a knowledge base, to be walked from given individuals.

    Args:
        kb: the knowledge base.
        hidden: the class names that must not be seen.
    """

    def __init__(self, kb: KnowledgeBase, hidden: Iterable[Iri] = ()) -> None:
        unseen = {Name(iri) for iri in hidden} | {BOTTOM}
        self._kb = kb
        self._anonymous: list[Concept] = []
        self._places: dict[Element, int] = {}
        self._numbers = [(i, c) for i, c in enumerate(kb.tbox.vocabulary) if isinstance(c, Name) and c not in unseen]
        self.visible = mask_of((i for i, _ in self._numbers), len(kb.tbox.vocabulary))

    def element(self, number: int) -> Element:
        """The individual or anonymous element of a number."""
        size = self._kb.abox.size
        return self._kb.individuals[number] if number < size else self._anonymous[number - size]

    def names(self, elements: Elements) -> dict[Name, npt.NDArray[np.bool_]]:
        """For each visible class name which of the elements are instances; names of none are left out."""
        abox, tbox = self._kb.abox, self._kb.tbox
        named = elements < abox.size
        individuals = elements[named]
        types = [tbox.type_of(self._anonymous[i - abox.size]) for i in elements[~named].tolist()]
        found = {}
        for number, name in self._numbers:
            having = np.zeros(len(elements), np.bool_)
            having[named] = abox.chosen(abox.column(number), individuals)
            if types:
                having[~named] = [type_ >> number & 1 for type_ in types]
            if having.any():
                found[name] = having
        return found

    def links(self, elements: Elements) -> dict[Iri, tuple[npt.NDArray[np.int64], Elements]]:
        """For each role the pairs in which an element, given by its place among the elements, is related to another."""
        rows: defaultdict[Iri, list[npt.NDArray[np.int64]]] = defaultdict(list)
        targets: defaultdict[Iri, list[Elements]] = defaultdict(list)

        def add(role: Iri, some_rows: npt.ArrayLike, some: npt.ArrayLike) -> None:
            if is_feature_role(role):
                rows[role].append(np.asarray(some_rows, np.int64))
                targets[role].append(np.asarray(some, np.int64))

        named = np.flatnonzero(elements < self._kb.abox.size)
        individuals = elements[named]
        for role, (places, ends) in self._kb.abox.links(individuals).items():
            add(role, named[places], ends)
        for number, superroles, witness in self._kb.anonymous_fillers:
            having = named[self._kb.abox.chosen(self._kb.abox.column(number), individuals)]
            end = self._number(witness)
            for role in superroles:
                add(role, having, np.full(len(having), end))
        for row in np.flatnonzero(elements >= self._kb.abox.size).tolist():
            for role, element in self._kb.model.successors(self.element(int(elements[row]))):
                add(role, [row], [self._number(element)])
        pairs = {role: (np.concatenate(rows[role]), np.concatenate(targets[role])) for role in sorted(rows)}
        return {role: found for role, found in pairs.items() if len(found[0])}

    def _number(self, element: Element) -> int:
        if isinstance(element, str):
            return self._kb.number(element)
        if element not in self._places:
            self._places[element] = self._kb.abox.size + len(self._anonymous)
            self._anonymous.append(element)
        return self._places[element]


class Place:
    """The end of a path of roles.

    Attributes:
        elements: what is there, each once.
        owners: for each element (row) which of the examples (column) reach it.
        names: for each visible class name the set of its instances here.
    """

    def __init__(self, surroundings: Surroundings, elements: Elements, owners: npt.NDArray[np.bool_]) -> None:
        self._surroundings = surroundings
        self.elements = elements
        self.owners = owners

    @classmethod
    def of_examples(cls, surroundings: Surroundings, examples: Sequence[int]) -> Place:
        """Where the examples themselves are: the end of the empty path."""
        return cls(surroundings, np.array(examples, np.int64), np.eye(len(examples), dtype=np.bool_))

    @cached_property
    def names(self) -> dict[Name, npt.NDArray[np.bool_]]:
        return self._surroundings.names(self.elements)

    @cached_property
    def onward(self) -> dict[Iri, Step]:
        """The places one role further."""
        return {role: self._step(*pairs) for role, pairs in self._surroundings.links(self.elements).items()}

    def _step(self, rows: npt.NDArray[np.int64], targets: Elements) -> Step:
        elements, columns = np.unique(targets, return_inverse=True)
        shape = (len(self.elements), len(elements))
        relation = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)
        owners = relation.T @ self.owners.astype(np.float32) > 0
        return Step(relation, Place(self._surroundings, elements, owners))

    def reached(self, extensions: Extensions) -> Extensions:
        """For each set of elements here the examples that reach one of them."""
        return extensions.astype(np.float32) @ self._reach > 0

    @cached_property
    def _reach(self) -> npt.NDArray[np.float32]:
        return self.owners.astype(np.float32)


class Step:
    """From a place one role on: which of its elements are related to which at the place reached."""

    def __init__(self, relation: sparse.csr_matrix, place: Place) -> None:
        self._relation = relation
        self.place = place

    def back(self, extensions: Extensions) -> Extensions:
        """∃r: for each set of elements at the place reached the elements that are related to one of them."""
        related: Extensions = (self._relation @ extensions.T.astype(np.float32)).T > 0
        return related
