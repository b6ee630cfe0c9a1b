"""How far a counterfactual is from the facts, how likely it is, and in which order it is told.

δ, l_min and l_mean are those of Sieger et al., "Explaining ELH Concept Descriptions through Counterfactual
Reasoning". F(x) is the set of features of x in the materialised ABox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from explainer.concepts import Exists, Feature

Reading = Literal["assertions", "names"]
Likeliness = Literal["min", "mean"]


@dataclass(frozen=True)
class Likelihood:
    """Least and mean distance between the changed individual and the comparison individuals; smaller is likelier.

    Both are None where there is nobody to compare with.
    """

    l_min: int | None
    l_mean: float | None


def distance(one: Iterable[Feature], other: Iterable[Feature], reading: Reading = "assertions") -> int:
    """The number of features that one has and the other has not.

    Under the reading "assertions" a feature is a class or a (role, object) pair, under "names", the formula as it is
    printed in the paper, a class or a role name: then two individuals with different children do not differ in that.
    """
    return len(_elements(one, reading) ^ _elements(other, reading))


def likelihood(
    changed: Iterable[Feature], population: Iterable[Iterable[Feature]], reading: Reading = "assertions"
) -> Likelihood:
    """l_min and l_mean of a changed individual with respect to a population of comparison individuals."""
    features = _elements(changed, reading)
    distances = [len(features ^ _elements(other, reading)) for other in population]
    return Likelihood(min(distances), fmean(distances)) if distances else Likelihood(None, None)


def rank_key(rank: Likeliness) -> Callable[[Any], tuple[Any, ...]]:
    """The order of counterfactuals: least δ, then the chosen likeliness, then the other, then a stable tie-break."""

    def key(counterfactual: Any) -> tuple[Any, ...]:
        by_min, by_mean = counterfactual.l_min or 0, counterfactual.l_mean or 0.0
        likeliness = (by_min, by_mean) if rank == "min" else (by_mean, by_min)
        return (counterfactual.distance, *likeliness, repr(counterfactual.removed), repr(counterfactual.added))

    return key


def _elements(features: Iterable[Feature], reading: Reading) -> frozenset[object]:
    if reading == "assertions":
        return frozenset(features)
    return frozenset(f.role if isinstance(f, Exists) else f for f in features)
