"""Which examples no concept can tell apart, and how many errors that makes unavoidable.

Whatever holds of x in EL holds of y if the surroundings of y *simulate* those of x: y has x's names, and for each
r-successor of x one of y's that simulates it. A positive x and a negative y like that cost one error whatever is
learned, and pairs that share no example cost one each: the errors are at least a maximum matching of such pairs.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from explainer.abox import is_feature_role
from explainer.concepts import Iri
from explainer.learning.clock import Clock
from explainer.reasoner import Element, KnowledgeBase

_MOST_COMPARED = 50_000
"""Pairs of elements; where there are more, nothing is said."""


class _TooMany(Exception):
    pass


def unavoidable_errors(
    kb: KnowledgeBase,
    positives: tuple[Iri, ...],
    negatives: tuple[Iri, ...],
    visible: int,
    depth: int,
    clock: Clock,
) -> int:
    """The least number of errors of concepts of a role depth.

    Args:
        visible: the class names that are seen, as a type.
        depth: the greatest role depth.
        clock: says when to stop.
    """
    if len(positives) * len(negatives) > _MOST_COMPARED:
        return 0
    compared = 0

    @cache
    def successors(element: Element) -> tuple[tuple[Iri, Element], ...]:
        return tuple(dict.fromkeys((r, e) for r, e in kb.model.successors(element) if is_feature_role(r)))

    @cache
    def simulates(x: Element, y: Element, depth: int) -> bool:
        nonlocal compared
        compared += 1
        if compared % 1000 == 0:
            clock.check()
        if compared > _MOST_COMPARED:
            raise _TooMany
        if x == y:
            return True
        if kb.model.type_of(x) & visible & ~kb.model.type_of(y):
            return False
        if depth == 0:
            return True
        return all(any(role == s and simulates(e, f, depth - 1) for s, f in successors(y)) for role, e in successors(x))

    try:
        alike = [[simulates(x, y, depth) for y in negatives] for x in positives]
    except _TooMany:
        return 0
    matched: npt.NDArray[np.int32] = maximum_bipartite_matching(csr_matrix(np.array(alike, np.int8)))
    return int((matched >= 0).sum())
