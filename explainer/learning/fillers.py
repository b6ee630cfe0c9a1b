"""Growing concepts at a place, size by size, each set of elements by the simplest concept that describes it.

Only what enough of the positive examples can reach is grown further: what they all have in common is, by definition,
their product (the least common subsumer of what is known of them), which is far too large to be written down, and
whose subconcepts are found here in the order of their size. Of two concepts with the same instances at a place the
one found first stands for both, as no concept around them could tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from explainer.concepts import TOP, Concept, Exists, Iri, conjunction, existentials
from explainer.learning.clock import Clock
from explainer.learning.surroundings import Extensions, Place

Packed = npt.NDArray[np.uint8]
"""Sets of elements, one in each row, eight to an octet."""
_ROWS = 4096
"""How many sets are looked at at once."""


@dataclass(frozen=True)
class Batch:
    """Concepts, and for each (row) which elements of the place are instances."""

    concepts: list[Concept]
    extensions: Packed


@dataclass
class Growth:
    """What decides how far concepts are grown.

    Attributes:
        positives: the columns of the positive examples.
        needed: how many of them a concept has to reach.
        most_depth: the greatest role depth.
        clock: says when to stop.
    """

    positives: npt.NDArray[np.bool_]
    needed: int
    most_depth: int
    clock: Clock


class Fillers:
    """The concepts grown at a place; each method may be called for sizes 1, 2, 3 … in this order, once each."""

    def __init__(self, place: Place, growth: Growth, depth: int = 0) -> None:
        self._place = place
        self._growth = growth
        self._depth = depth
        self._seen: set[bytes] = set()
        self._items: list[Batch] = []
        self._fillers: list[Batch] = []
        self._onward: dict[Iri, Fillers] = {}

    def items(self, size: int) -> Batch:
        """The new concepts of a size that are no conjunctions."""
        assert size == len(self._items) + 1
        batch = self._kept(self._names() if size == 1 else self._existentials(size))
        self._items.append(batch)
        return batch

    def fillers(self, size: int) -> Batch:
        """The new concepts of a size, ⊤ and conjunctions among them."""
        compound = self._kept(self._top() if size == 1 else self._conjunctions(size))
        items = self.items(size)
        batch = Batch(compound.concepts + items.concepts, np.concatenate([compound.extensions, items.extensions]))
        self._fillers.append(batch)
        return batch

    @property
    def _width(self) -> int:
        return len(self._place.elements)

    def _top(self) -> Iterator[tuple[list[Concept], Extensions]]:
        yield [TOP], np.ones((1, self._width), np.bool_)

    def _names(self) -> Iterator[tuple[list[Concept], Extensions]]:
        names = self._place.names
        if names:
            yield list(names), np.array(list(names.values()))

    def _existentials(self, size: int) -> Iterator[tuple[list[Concept], Extensions]]:
        if self._depth == self._growth.most_depth:
            return
        if size == 2:
            steps = self._place.onward.items()
            self._onward = {r: Fillers(step.place, self._growth, self._depth + 1) for r, step in steps}
        found: list[tuple[list[Concept], Extensions]] = []
        for role, onward in list(self._onward.items()):
            batch = onward.fillers(size - 1)
            if size == 2 and not batch.concepts:
                del self._onward[role]  # too few reach this place at all
            for rows in _chunks(len(batch.concepts)):
                inner = np.unpackbits(batch.extensions[rows], axis=1, count=onward._width).view(np.bool_)
                outer = self._place.onward[role].back(inner)
                found.append(([Exists(role, c) for c in batch.concepts[rows]], outer))
        yield from found

    def _conjunctions(self, size: int) -> Iterator[tuple[list[Concept], Extensions]]:
        for part in range(1, size):
            fillers, items = self._fillers[part - 1], self._items[size - part - 1]
            for concept, extension in zip(items.concepts, items.extensions, strict=True):
                for rows in _chunks(len(fillers.concepts)):
                    common = np.unpackbits(fillers.extensions[rows] & extension, axis=1, count=self._width)
                    yield [conjunction((c, concept)) for c in fillers.concepts[rows]], common.view(np.bool_)

    def _kept(self, grown: Iterator[tuple[list[Concept], Extensions]]) -> Batch:
        """What enough positives reach of what has been grown, and what says something new; the simplest first."""
        concepts: list[Concept] = []
        places: dict[bytes, int] = {}
        kept: list[Packed] = []
        for some, extensions in grown:
            self._growth.clock.check()
            reached = self._place.reached(extensions)[:, self._growth.positives].sum(axis=1)
            enough = np.flatnonzero(reached >= self._growth.needed)
            for i, row in zip(enough.tolist(), np.packbits(extensions[enough], axis=1), strict=True):
                key = row.tobytes()
                if key not in self._seen:
                    self._seen.add(key)
                    places[key] = len(concepts)
                    concepts.append(some[i])
                    kept.append(row)
                elif key in places and existentials(some[i]) < existentials(concepts[places[key]]):
                    concepts[places[key]] = some[i]
        order = sorted(range(len(concepts)), key=lambda i: existentials(concepts[i]))
        rows = np.array(kept, np.uint8).reshape(len(kept), (self._width + 7) // 8)
        return Batch([concepts[i] for i in order], rows[order])


def _chunks(count: int) -> Iterator[slice]:
    return (slice(i, min(i + _ROWS, count)) for i in range(0, count, _ROWS))
