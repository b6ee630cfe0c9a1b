"""Which of many conjuncts to take together, so that the conjunction fits the examples best.

That is a question for a SAT solver. There is one variable for each conjunct and one for each example that is
misclassified; totalizers (Bailleux and Boufkhad, CP 2003) count the errors, the size and the nesting. Each answer is a
better selection, until the answer is that there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pysat.card import ITotalizer
from pysat.solvers import Minisat22

from explainer.learning.clock import Clock

_SHARE_OF_A_QUESTION = 0.2
"""The part of the time left that the solver may take for one question."""
_BEAM = 8
"""How many selections are grown side by side."""

Coverage = npt.NDArray[np.bool_]
"""Conjuncts (rows) by examples (columns): who is an instance."""


@dataclass(frozen=True)
class Selection:
    """Some of the conjuncts.

    Attributes:
        chosen: their rows, ascending.
        errors: how many examples their conjunction misclassifies.
        size: the sum of their sizes.
        nesting: the sum of their existential restrictions.
    """

    chosen: tuple[int, ...]
    errors: int
    size: int
    nesting: int


class Selector:
    """Selections of conjuncts that cover at least one positive example.

    Attributes:
        undecided: whether the solver has left a question.

    Args:
        coverage: whom each conjunct covers.
        sizes: the size of each conjunct.
        nestings: how many existential restrictions each has.
        positives: which of the examples are to be covered.
        most: the greatest sum of sizes.
        clock: says when to stop.
    """

    def __init__(
        self,
        coverage: Coverage,
        sizes: Sequence[int],
        nestings: Sequence[int],
        positives: npt.NDArray[np.bool_],
        most: int,
        clock: Clock,
    ) -> None:
        self._coverage, self._positives, self._clock = coverage, positives, clock
        self._sizes, self._nestings = np.array(sizes, np.int64), np.array(nestings, np.int64)
        self._solver = Minisat22()
        self._last = len(sizes)
        self.undecided = False
        self._counts = [
            self._count(self._errors(), len(positives)),
            self._count(_repeated(sizes), most),
            self._count(_repeated(nestings), most),
        ]

    def __enter__(self) -> Selector:
        return self

    def __exit__(self, *_: object) -> None:
        for part in (self._solver, *self._counts):
            part.delete()

    def _errors(self) -> list[int]:
        """For each example the variable that says that it is misclassified; examples that look alike share one."""
        described = np.concatenate([self._coverage, self._positives[None]])
        columns, twins = np.unique(described, axis=1, return_inverse=True)
        first = self._last + 1
        self._last += columns.shape[1]
        for i, column in enumerate(columns.T):
            self._clock.check()
            left_out = (np.flatnonzero(~column[:-1]) + 1).tolist()
            if column[-1]:
                self._solver.append_formula([[-v, first + i] for v in left_out])
            else:
                self._solver.add_clause([*left_out, first + i])
        self._solver.add_clause([-(first + int(i)) for i in np.flatnonzero(columns[-1])])
        return [first + int(i) for i in twins]

    def _count(self, variables: list[int], most: int) -> ITotalizer:
        self._clock.check()
        count = ITotalizer(variables, ubound=min(most, len(variables)), top_id=self._last)
        self._last = max(self._last, count.top_id)
        self._solver.append_formula(count.cnf.clauses)
        return count

    def at_most(self, errors: int, size: int, nesting: int | None = None) -> Selection | None:
        """Any selection with at most so many errors, that size and that nesting; None where there is none.

        A question that would take too much of the time is left; `undecided` is set then.
        """
        if errors < 0 or size < 1:
            return None
        bounds = [(count.rhs, most) for count, most in zip(self._counts, (errors, size, nesting), strict=True)]
        assumptions = [-rhs[most] for rhs, most in bounds if most is not None and most < len(rhs)]
        self._solver.clear_interrupt()
        with Clock(_SHARE_OF_A_QUESTION * self._clock.left).calling(self._solver.interrupt):
            answer = self._solver.solve_limited(assumptions, expect_interrupt=True)  # lets other threads go on
        self._clock.check()
        self.undecided = self.undecided or answer is None
        if not answer:
            return None
        chosen = [v - 1 for v in self._solver.get_model()[: len(self._sizes)] if v > 0]
        return self._measured(self._needed(chosen))

    def greedy(self, most: int) -> Selection:
        """A good selection of a size at the most, found by adding conjunct by conjunct to the best few so far."""
        best = self._measured([])
        beam = [best]
        while beam:
            grown: dict[tuple[int, ...], Selection] = {}
            for selection in beam:
                self._clock.check()
                covered = self._coverage[list(selection.chosen)].all(axis=0)
                right = ((self._coverage & covered) == self._positives).sum(axis=1)
                fits = self._sizes + selection.size <= most
                for i in np.argsort(-np.where(fits, right, -1), kind="stable")[:_BEAM].tolist():
                    if fits[i] and i not in selection.chosen:
                        found = self._measured([*selection.chosen, i])
                        grown[found.chosen] = found
            better = [s for s in grown.values() if s.errors < best.errors]
            beam = sorted(grown.values(), key=_order)[:_BEAM] if better else []
            best = min([best, *better], key=_order)
        return self._measured(self._needed(list(best.chosen)))

    def _needed(self, chosen: list[int]) -> list[int]:
        """The chosen without those that change nothing for the better, the largest of them first."""
        for i in sorted(chosen, key=lambda i: (-self._sizes[i], -i)):
            others = [j for j in chosen if j != i]
            if others and self._measured(others).errors <= self._measured(chosen).errors:
                chosen = others
        return chosen

    def _measured(self, chosen: Iterable[int]) -> Selection:
        rows = sorted(chosen)
        covered = self._coverage[rows].all(axis=0)
        errors = int((covered != self._positives).sum()) if covered[self._positives].any() else len(covered) + 1
        return Selection(tuple(rows), errors, int(self._sizes[rows].sum()), int(self._nestings[rows].sum()))

    def first_of_its_kind(self, selection: Selection) -> Selection:
        """The selection with each conjunct replaced by the first, in their order, that does as well in its place."""
        for at in range(len(selection.chosen)):
            self._clock.check()
            others = [*selection.chosen[:at], *selection.chosen[at + 1 :]]
            for i in range(selection.chosen[at]):
                found = self._measured([*others, i])
                if i not in others and (found.errors, found.size, found.nesting) <= (
                    selection.errors,
                    selection.size,
                    selection.nesting,
                ):
                    selection = found
                    break
        return selection


def _order(selection: Selection) -> tuple[object, ...]:
    return selection.errors, selection.size, selection.nesting, selection.chosen


def _repeated(weights: Sequence[int]) -> list[int]:
    """The variables 1, 2, 3 …, each as often as it weighs."""
    return [v for v, weight in enumerate(weights, 1) for _ in range(weight)]
