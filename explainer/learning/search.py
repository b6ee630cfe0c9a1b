"""Learning an EL concept from examples.

The method is bounded fitting (ten Cate, Funk, Jung and Lutz, "SAT-Based PAC Learning of Description Logic Concepts",
IJCAI 2023): for sizes 1, 2, 3 … is there a concept of that size that fits? What may stand in such a concept is grown
by size (`explainer.learning.fillers`), what is taken of it is chosen by a SAT solver
(`explainer.learning.selection`). First only what all positives share is grown, which finds a concept without errors
if there is one; where there is none, what enough of them share for fewer errors than those of the best one so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from explainer.concepts import TOP, Concept, Iri, conjunction, existentials
from explainer.learning.clock import Clock, TimeIsUp
from explainer.learning.fillers import Batch, Fillers, Growth
from explainer.learning.likeness import unavoidable_errors
from explainer.learning.selection import Coverage, Selection, Selector
from explainer.learning.surroundings import Place, Surroundings
from explainer.reasoner import KnowledgeBase

_SHARE_WITHOUT_ERRORS = 0.4
"""The part of the time that is spent on concepts without errors before others are considered."""

_TAKEN_AT_ONCE = 1000
"""How many conjuncts are compared with each other at once."""


@dataclass(frozen=True)
class Limits:
    """How far the search goes.

    Attributes:
        length: the greatest length of a concept (see `explainer.concepts.length`).
        depth: the greatest role depth; more deeply nested concepts are hard to understand.
        seconds: the time; what is best by then is taken.
        noise: the share of the examples that may be misclassified if that makes the concept shorter.
    """

    length: int = 15
    depth: int = 3
    seconds: float = 5.0
    noise: float = 0.0


DEFAULT = Limits()


@dataclass(frozen=True)
class Progress:
    """How far the search has come.

    Attributes:
        length: concepts up to this length have been considered.
        concept: the best one so far.
        errors: how many examples it misclassifies.
    """

    length: int
    concept: Concept
    errors: int


@dataclass(frozen=True)
class Found:
    """The result of a search.

    Attributes:
        concept: the best one found.
        complete: no concept within the limits is more accurate, nor shorter and as accurate.
    """

    concept: Concept
    complete: bool


def search(
    kb: KnowledgeBase,
    positives: Sequence[Iri],
    negatives: Sequence[Iri],
    hidden: frozenset[Iri] = frozenset(),
    limits: Limits = DEFAULT,
    progress: Callable[[Progress], None] | None = None,
) -> Found:
    """The concept that classifies most examples correctly; of several the shortest, then the most natural.

    Natural is what has fewer existential restrictions, then what comes first in the order of the file.

    Args:
        hidden: class names that must not occur in the concept.
        progress: called with what has been reached after each size, and with each better concept.
    """
    return _Search(kb, tuple(positives), tuple(negatives), hidden, limits, progress).found()


class _Search:
    def __init__(
        self,
        kb: KnowledgeBase,
        positives: tuple[Iri, ...],
        negatives: tuple[Iri, ...],
        hidden: frozenset[Iri],
        limits: Limits,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._kb = kb
        self._examples = positives, negatives
        self._surroundings = Surroundings(kb, hidden)
        self._place = Place.of_examples(self._surroundings, [kb.number(x) for x in (*positives, *negatives)])
        self._positives = np.arange(len(positives) + len(negatives)) < len(positives)
        self._most = (limits.length + 1) // 2
        self._depth = min(limits.depth, self._most - 1)
        self._allowed = int(limits.noise * len(self._positives))
        self._progress = progress or (lambda _: None)
        self._size = 1
        self._concept: Concept = TOP
        self._best = Selection((), len(negatives), 1, 0)
        self._least = 0
        self._undecided = False
        self._clock = Clock(limits.seconds)

    def found(self) -> Found:
        try:
            unavoidable = unavoidable_errors(
                self._kb, *self._examples, self._surroundings.visible, self._depth, self._clock
            )
            self._least = unavoidable
            self._allowed = max(self._allowed, unavoidable)
            complete = (not self._allowed and self._without_errors()) or self._with_errors()
            complete = complete and not self._undecided
        except TimeIsUp:
            complete = False
        return Found(self._concept, complete)

    def _without_errors(self) -> bool:
        """Whether a concept without errors is found in what all positives share."""
        clock, self._clock = self._clock, Clock(_SHARE_WITHOUT_ERRORS * self._clock.left)
        with suppress(TimeIsUp):
            self._grow(lambda: 0)
        self._clock = clock
        return self._best.errors == 0

    def _with_errors(self) -> bool:
        self._grow(self._bearable)
        return True

    def _bearable(self) -> int:
        """How many errors a concept may have and still be better than the best one, or shorter."""
        return max(self._best.errors, self._allowed)

    def _grow(self, missed: Callable[[], int]) -> None:
        """Consider all concepts by size whose every part misses at most so many positives."""
        growth = Growth(self._positives, 1, self._depth, self._clock)
        fillers = Fillers(self._place, growth)
        pool = _Pool(self._positives)
        for size in range(1, self._most + 1):
            self._size = size
            growth.needed = max(1, int(self._positives.sum()) - missed())
            if pool.take(fillers.items(size), size, self._clock):
                self._improve(pool)
            self._tell()
            shorter = self._best.size <= size + (self._best.errors <= self._least)
            if self._best.errors <= self._allowed and shorter:
                return  # nothing of what has not been considered is shorter, or as short and better

    def _improve(self, pool: _Pool) -> None:
        """Take the best selection of what is in the pool."""
        goals: tuple[Callable[[], tuple[int, ...] | None], ...] = (
            lambda: (self._best.errors - 1, self._most) if self._best.errors > self._allowed else None,
            lambda: (self._bearable(), self._best.size - 1),
            lambda: (self._best.errors - 1, self._best.size),
            lambda: (self._best.errors, self._best.size, self._best.nesting - 1) if self._best.nesting else None,
        )
        with Selector(
            pool.coverage,
            pool.sizes,
            [existentials(c) for c in pool.concepts],
            self._positives,
            self._most,
            self._clock,
        ) as selector:
            greedy = selector.greedy(self._most)
            better = greedy.errors < self._best.errors
            if better:
                self._accept(pool, greedy)
            for goal in goals:
                while (bounds := goal()) and (found := selector.at_most(*bounds)):
                    better = True
                    self._accept(pool, found)
            if better:
                self._accept(pool, selector.first_of_its_kind(self._best))
            self._undecided = self._undecided or selector.undecided

    def _accept(self, pool: _Pool, selection: Selection) -> None:
        self._best = selection
        self._concept = conjunction(pool.concepts[i] for i in selection.chosen)
        self._tell()

    def _tell(self) -> None:
        self._progress(Progress(2 * self._size - 1, self._concept, self._best.errors))


class _Pool:
    """Conjuncts to select from; none that another one outdoes."""

    def __init__(self, positives: npt.NDArray[np.bool_]) -> None:
        self._positives = positives
        self.concepts: list[Concept] = []
        self.sizes: list[int] = []
        self.coverage = np.zeros((0, len(positives)), np.bool_)

    def take(self, batch: Batch, size: int, clock: Clock) -> bool:
        """Add conjuncts of a size; whether one of them is worth having."""
        before = len(self.concepts)
        for start in range(0, len(batch.concepts), _TAKEN_AT_ONCE):
            clock.check()
            rows = slice(start, start + _TAKEN_AT_ONCE)
            coverage = np.unpackbits(batch.extensions[rows], axis=1, count=len(self._positives)).view(np.bool_)
            worth = np.flatnonzero(~coverage[:, ~self._positives].all(axis=1))
            worth = worth[~self._outdone(coverage[worth], self.coverage).any(axis=1)]
            by = self._outdone(coverage[worth], coverage[worth])
            first = np.tri(len(worth), k=-1, dtype=np.bool_)  # of several that do equally well the first stays
            worth = worth[~(by & (~by.T | first)).any(axis=1)]
            self.concepts += [batch.concepts[rows][i] for i in worth]
            self.sizes += [size] * len(worth)
            self.coverage = np.concatenate([self.coverage, coverage[worth]])
        return len(self.concepts) > before

    def _outdone(self, some: Coverage, others: Coverage) -> npt.NDArray[np.bool_]:
        """Where one of the first (row) is right about nothing that one of the others (column) is wrong about."""
        right = np.where(self._positives, some, ~some).astype(np.float32)
        wrong = np.where(self._positives, ~others, others).astype(np.float32)
        outdone: npt.NDArray[np.bool_] = right @ wrong.T == 0
        return outdone
