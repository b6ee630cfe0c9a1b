"""How far a counterfactual is from the facts, how likely it is, and in which order it is told.

δ, l_min and l_mean are those of Sieger et al., "Explaining ELH Concept Descriptions through Counterfactual
Reasoning". F(x) is the set of features of x in the materialised ABox. A distance |F(x) ∆ F(y)| needs only counts,
|F(x)| + |F(y)| - 2 |F(x) ∩ F(y)|, so that all comparison individuals are counted at once, a feature at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from explainer.abox import Mask
from explainer.concepts import Exists, Feature, Iri, Name, Nominal
from explainer.reasoner import KnowledgeBase

Reading = Literal["assertions", "names"]
Likeliness = Literal["min", "mean"]


@dataclass(frozen=True)
class Likelihood:
    """Least and mean distance between the changed individual and the comparison individuals; smaller is likelier.

    All are None where there is nobody to compare with.

    Attributes:
        nearest: the comparison individual at the least distance, the first in the order of the file among equals.
    """

    l_min: int | None
    l_mean: float | None
    nearest: Iri | None


def distance(one: Iterable[Feature], other: Iterable[Feature], reading: Reading = "assertions") -> int:
    """The number of features that one has and the other has not.

    Under the reading "assertions" a feature is a class or a (role, object) pair, under "names", the formula as it is
    printed in the paper, a class or a role name: then two individuals with different children do not differ in that.
    """
    return len(_elements(one, reading) ^ _elements(other, reading))


class Population:
    """The individuals that changed versions of an individual are compared with.

    Args:
        kb: the knowledge base.
        members: who they are.
        reading: how distances count.
    """

    def __init__(self, kb: KnowledgeBase, members: Mask, reading: Reading = "assertions") -> None:
        self._kb = kb
        self._reading = reading
        self._members = np.flatnonzero(members)
        counts = kb.abox.feature_counts if reading == "assertions" else kb.abox.role_name_counts
        self._sizes = counts[self._members].astype(np.int32)
        self._columns: dict[object, npt.NDArray[np.int8]] = {}
        self._counted: tuple[frozenset[object], npt.NDArray[np.int32]] = (
            frozenset(),
            np.zeros(len(self._members), np.int32),
        )

    def __len__(self) -> int:
        return len(self._members)

    def distances(self, features: Iterable[Feature]) -> npt.NDArray[np.int32]:
        """The distance of an individual with these features to each of the population, in the order of the file."""
        elements = _elements(features, self._reading)
        counted, common = self._counted
        common = common.copy()
        for gone in counted - elements:
            common -= self._column(gone)
        for new in elements - counted:
            common += self._column(new)
        self._counted = elements, common
        distances: npt.NDArray[np.int32] = self._sizes + np.int32(len(elements)) - 2 * common
        return distances

    def likelihood(self, features: Iterable[Feature]) -> Likelihood:
        """l_min and l_mean of an individual with these features."""
        if not len(self):
            return Likelihood(None, None, None)
        distances = self.distances(features)
        nearest = int(distances.argmin())
        return Likelihood(
            int(distances[nearest]), float(distances.mean()), self._kb.individuals[int(self._members[nearest])]
        )

    def _column(self, element: object) -> npt.NDArray[np.int8]:
        """Who of the population has a feature (or, under "names", a role), as 0 and 1."""
        column = self._columns.get(element)
        if column is None:
            column = self._columns[element] = self._having(element)[self._members].view(np.int8)
        return column

    def _having(self, element: object) -> Mask:
        abox = self._kb.abox
        having = np.zeros(abox.size, np.bool_)
        if isinstance(element, Name):
            number = self._kb.tbox.number(element)
            return having if number is None else abox.mask(abox.column(number))
        if isinstance(element, Exists):
            assert isinstance(element.filler, Nominal)
            y = self._kb.ontology.abox.numbers.get(element.filler.individual)
            if y is not None and element.role in abox.roles:
                having[abox.roles[element.role].into_one(y)] = True
        elif element in abox.roles:
            having[abox.roles[str(element)].sources] = True
        return having


def rank_key(rank: Likeliness) -> Callable[[Any], tuple[Any, ...]]:
    """The order of counterfactuals: least cost, then least δ, the chosen likeliness, the other, a stable tie-break."""

    def key(counterfactual: Any) -> tuple[Any, ...]:
        by_min, by_mean = counterfactual.l_min or 0, counterfactual.l_mean or 0.0
        likeliness = (by_min, by_mean) if rank == "min" else (by_mean, by_min)
        last = (repr(counterfactual.removed), repr(counterfactual.added))
        return (counterfactual.cost, counterfactual.distance, *likeliness, *last)

    return key


def _elements(features: Iterable[Feature], reading: Reading) -> frozenset[object]:
    if reading == "assertions":
        return frozenset(features)
    return frozenset(f.role if isinstance(f, Exists) else f for f in features)
