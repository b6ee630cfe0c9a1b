"""Enumerating the minimal sets with a monotone property, in order of cost.

Both kinds of counterfactual are of this form: the minimal sets of features whose removal makes C(x) fail, and the
minimal sets of assertions that make it hold. The enumeration is the implicit hitting set algorithm (Moreno-Centeno
and Karp, "The Implicit Hitting Set Approach", Operations Research 61(2), 2013): each maximal set M that does *not*
work tells that every set that works contains something outside M; PySAT's `Hitman` proposes the smallest set that
obeys all that was learnt so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pysat.examples.hitman import Hitman


def minimal_sets(
    size: int, works: Callable[[Iterable[int]], bool], weights: Sequence[int] | None = None
) -> Iterator[frozenset[int]]:
    """Yield the ⊆-minimal subsets of {0 … size - 1} that work, the cheapest first; lazy, exact and complete.

    Args:
        size: how many items there are; their order decides ties between equally large sets.
        works: a monotone property: where S works, every superset of S does.
        weights: what each item costs, 1 or more; a set costs as much as its items together. Default: 1 each.
    """
    costs = None if weights is None else dict(enumerate(weights))
    with Hitman(htype="sorted", weights=costs) as proposals:
        while (proposal := proposals.get()) is not None:
            if works(proposal):
                yield frozenset(proposal)
                if not proposal:
                    return
                proposals.block(sorted(proposal), weights=costs)
                continue
            others = [i for i in range(size) if i not in proposal]
            obstacle = _minimal_obstacle(others, lambda kept: not works(_complement(kept, size)))
            if not obstacle:
                return
            proposals.hit(sorted(obstacle), weights=costs)


def _complement(items: Iterable[int], size: int) -> list[int]:
    chosen = set(items)
    return [i for i in range(size) if i not in chosen]


def _minimal_obstacle(candidates: list[int], blocks: Callable[[list[int]], bool]) -> list[int]:
    """A minimal part of the candidates that blocks, which they do together.

    This is QuickXplain (Junker, AAAI 2004): about k log(n / k) questions for k of n.
    """

    def within(background: list[int], news: bool, items: list[int]) -> list[int]:
        if news and blocks(background):
            return []
        if len(items) == 1:
            return items
        first, second = items[: len(items) // 2], items[len(items) // 2 :]
        needed = within([*background, *first], bool(first), second)
        return [*within([*background, *needed], bool(needed), first), *needed]

    return within([], True, candidates) if candidates else []
