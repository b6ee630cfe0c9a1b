"""Enumerating the minimal sets with a monotone property, in order of cost.

Both kinds of counterfactual are of this form: the minimal sets of features whose removal makes C(x) fail, and the
minimal sets of assertions that make it hold. The enumeration is the implicit hitting set algorithm (Moreno-Centeno
and Karp, "The Implicit Hitting Set Approach", Operations Research 61(2), 2013): each maximal set M that does *not*
work tells that every set that works contains something outside M; PySAT's `Hitman` proposes the smallest set that
obeys all that was learnt so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from pysat.examples.hitman import Hitman

Item = TypeVar("Item")


def minimal_sets(
    universe: Sequence[Item], works: Callable[[frozenset[Item]], bool], weights: Sequence[int] | None = None
) -> Iterator[frozenset[Item]]:
    """Yield the ⊆-minimal subsets of the universe that work, the cheapest first; lazy, exact and complete.

    Args:
        universe: the items, without repetition; their order decides ties between equally large sets.
        works: a monotone property: where S works, every superset of S does.
        weights: what each item costs, 1 or more; a set costs as much as its items together. Default: 1 each.
    """
    everything = range(len(universe))

    def chosen(indices: Iterable[int]) -> frozenset[Item]:
        return frozenset(universe[i] for i in indices)

    costs = None if weights is None else dict(zip(everything, weights, strict=True))
    with Hitman(htype="sorted", weights=costs) as proposals:
        while (proposal := proposals.get()) is not None:
            candidate = chosen(proposal)
            if works(candidate):
                yield candidate
                if not proposal:
                    return
                proposals.block(sorted(proposal))
                continue
            failing = list(proposal)
            for i in everything:
                if i not in failing and not works(chosen([*failing, i])):
                    failing.append(i)
            if len(failing) == len(universe):
                return
            proposals.hit([i for i in everything if i not in failing])
