"""The ABox, materialised: A* by columns of bits, one column for each concept, one bit for each individual.

The rules are those of `explainer.tbox`, applied to the individuals. A worklist of concepts whose column has grown
passes on what is new: to the subsumers of the concept, to the conjunctions that it completes, and against the edges of
the roles to the concepts ∃r.C. The cost is linear in the number of individuals and assertions.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from explainer.concepts import Iri
from explainer.ontology import ABox, Individuals, Ontology, Rows
from explainer.saturation import BOTTOM, reachability
from explainer.tbox import TBox

Column = npt.NDArray[np.uint8]
"""A set of individuals, packed, eight to an octet, the lowest bit first."""
Mask = npt.NDArray[np.bool_]
"""A set of individuals, unpacked."""
Pairs = npt.NDArray[np.int64]
"""Role assertions as sorted keys y · 2³² + x, without repetition."""


def is_feature_role(role: Iri) -> bool:
    """Whether a role is one of the file, not one that stands for a part of a chain."""
    return not role.startswith("_:")


class Edges:
    """The role assertions r(x, y) of one role, sorted by y.

    Attributes:
        pairs: the keys.
    """

    def __init__(self, pairs: Pairs, individuals: int) -> None:
        self.pairs = pairs
        self._individuals = individuals

    @cached_property
    def sources(self) -> Individuals:
        return (self.pairs & 0xFFFFFFFF).astype(np.int32)

    @property
    def targets(self) -> Individuals:
        return (self.pairs >> 32).astype(np.int32)

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Where the sources of each target begin."""
        return np.searchsorted(self.pairs, np.arange(self._individuals + 1, dtype=np.int64) << 32)

    def into(self, targets: npt.NDArray[np.int64]) -> Individuals:
        """The sources of edges to any of the targets, with repetitions."""
        starts = self.starts[targets]
        counts = self.starts[targets + 1] - starts
        if not len(targets) or not (total := int(counts.sum())):
            return np.zeros(0, np.int32)
        shifts = np.repeat(starts - (np.cumsum(counts) - counts), counts)
        found: Individuals = self.sources[shifts + np.arange(total)]
        return found

    def into_one(self, target: int) -> Individuals:
        """The sources of edges to a target."""
        starts = self.starts
        return self.sources[starts[target] : starts[target + 1]]


class Materialised:
    """A*: what K entails of the named individuals.

    Attributes:
        size: the number of individuals.
        roles: for each role its assertions in A*.
    """

    def __init__(self, ontology: Ontology, tbox: TBox) -> None:
        self.tbox = tbox
        self.size = len(ontology.individuals)
        numbers = {y: ontology.abox.numbers[y] for y in tbox.nominals()}
        pairs = _closed_roles(ontology, self.size, {})
        while True:
            self.roles = {role: Edges(keys, self.size) for role, keys in pairs.items()}
            self._columns = self._saturated(ontology.abox, numbers)
            taught = [tbox.teach(y, self._type(n)) for y, n in numbers.items()]
            derived = self._links_to_nominals(numbers)
            if not any(taught) and not derived:
                break
            pairs = _closed_roles(ontology, self.size, {r: e.pairs for r, e in self.roles.items()} | derived)
        order = sorted(self._columns)
        self._numbers = np.array(order, np.int64)
        self._matrix = np.stack([self._columns[c] for c in order]) if order else np.zeros((0, self._octets), np.uint8)
        self._columns = {c: self._matrix[i] for i, c in enumerate(order)}

    @property
    def _octets(self) -> int:
        return (self.size + 7) // 8

    # --- what follows -------------------------------------------------------------------------------------

    def column(self, concept: int) -> Column:
        """The instances of a concept of the vocabulary."""
        found = self._columns.get(concept)
        return np.zeros(self._octets, np.uint8) if found is None else found

    def concepts_of(self, x: int) -> list[int]:
        """The numbers of the concepts that an individual is an instance of, ascending."""
        return self._numbers[(self._matrix[:, x >> 3] >> (x & 7)) & 1 == 1].tolist()  # type: ignore[no-any-return]

    def mask(self, column: Column) -> Mask:
        """A column, unpacked."""
        return np.unpackbits(column, count=self.size, bitorder="little").view(np.bool_)

    def chosen(self, column: Column, individuals: npt.NDArray[np.int64]) -> Mask:
        """Which of the individuals are in a column."""
        found: Mask = ((column[individuals >> 3] >> (individuals & 7).astype(np.uint8)) & 1).view(np.bool_)
        return found

    def predecessors(self, role: Iri, targets: Mask) -> Mask:
        """The individuals that are related by the role to one of the targets."""
        found = np.zeros(self.size, np.bool_)
        edges = self.roles.get(role)
        if edges is not None:
            found[edges.into(np.flatnonzero(targets))] = True
        return found

    @cached_property
    def _outgoing(self) -> Rows:
        return Rows([(edges.sources, edges.targets) for edges in self.roles.values()], self.size)

    def links(self, xs: npt.NDArray[np.int64]) -> dict[Iri, tuple[npt.NDArray[np.int64], Individuals]]:
        """For each role, those for parts of chains included, the pairs r(x, y); x by its place among the xs."""
        places, kinds, ys = self._outgoing.of(xs)
        roles = list(self.roles)
        return {roles[k]: (places[kinds == k], ys[kinds == k]) for k in np.unique(kinds).tolist()}

    def successors(self, x: int) -> dict[Iri, list[int]]:
        """For each role the individuals that x is related to, in their order; roles for parts of chains included."""
        roles = list(self.roles)
        found: defaultdict[Iri, list[int]] = defaultdict(list)
        for kind, y in self._outgoing.at(x):
            found[roles[kind]].append(y)
        return found

    @cached_property
    def _class_counts(self) -> npt.NDArray[np.int32]:
        counts = np.zeros(self.size, np.int32)
        for concept, column in self._columns.items():
            if self.tbox.name_mask >> concept & 1:
                counts += self.mask(column)
        return counts

    @cached_property
    def feature_counts(self) -> npt.NDArray[np.int32]:
        """How many features each individual has."""
        counts = self._class_counts.copy()
        for role, edges in self.roles.items():
            if is_feature_role(role):
                counts += np.bincount(edges.sources, minlength=self.size).astype(np.int32)
        return counts

    @cached_property
    def role_name_counts(self) -> npt.NDArray[np.int32]:
        """How many classes and role names each individual has."""
        counts = self._class_counts.copy()
        for role, edges in self.roles.items():
            if is_feature_role(role):
                counts[np.unique(edges.sources)] += 1
        return counts

    # --- saturation ---------------------------------------------------------------------------------------

    def _saturated(self, abox: ABox, nominals: dict[Iri, int]) -> dict[int, Column]:
        tbox = self.tbox
        columns: dict[int, Column] = {}
        news: dict[int, Column] = {}
        queue: deque[int] = deque()
        incoming = self._incoming()

        def add(concept: int, column: Column) -> None:
            known = columns.get(concept)
            fresh = column & ~known if known is not None else column
            if not fresh.any():
                return
            columns[concept] = known | fresh if known is not None else column.copy()
            if concept in news:
                news[concept] |= fresh
            else:
                news[concept] = fresh.copy()
                queue.append(concept)

        add(0, self._packed(np.arange(self.size)))
        for a, xs in abox.classes.items():
            add(tbox.number_of_name(a), self._packed(xs))
        for y, n in nominals.items():
            add(tbox.nominals()[y], self._packed(np.array([n])))
        for role, edges in self.roles.items():
            for concept in tbox.ranges(role):
                add(concept, self._packed(edges.targets))
        while queue:
            concept = queue.popleft()
            fresh = news.pop(concept)
            for subsumer in tbox.subsumers(concept):
                if subsumer != concept:
                    add(subsumer, fresh)
            for parts, whole in tbox.conjunctions_with(concept):
                if all(part in columns for part in parts):
                    add(whole, np.bitwise_and.reduce([fresh, *(columns[part] for part in parts)]))
            gained = incoming.get(concept, ())
            if gained:
                rows = np.flatnonzero(self.mask(fresh))
                for role, existentials in gained:
                    column = self._packed(self.roles[role].into(rows))
                    for existential in existentials:
                        add(existential, column)
        for group in tbox.disjoint_groups():
            self._mark_clashes(columns, group)
        return columns

    def _incoming(self) -> dict[int, list[tuple[Iri, list[int]]]]:
        """For each concept C the roles r that anybody has, with the concepts gained by an r-edge to a C.

        The edges of a role include those of its subroles, so that only what the role itself gives is looked at.
        """
        found: defaultdict[int, list[tuple[Iri, list[int]]]] = defaultdict(list)
        for role in self.roles:
            for filler, gained in self.tbox.own_gains(role).items():
                found[filler].append((role, gained))
        return found

    def _mark_clashes(self, columns: dict[int, Column], group: frozenset[int]) -> None:
        once = np.zeros(self._octets, np.uint8)
        twice = np.zeros(self._octets, np.uint8)
        for member in group:
            if member in columns:
                twice |= once & columns[member]
                once |= columns[member]
        bottom = self.tbox.number(BOTTOM)
        if bottom is not None and twice.any():
            columns[bottom] = columns.get(bottom, np.zeros(self._octets, np.uint8)) | twice

    def _packed(self, members: Iterable[int]) -> Column:
        mask = np.zeros(self.size, np.bool_)
        mask[members] = True
        return np.packbits(mask, bitorder="little")

    def _type(self, x: int) -> list[int]:
        return [c for c, column in self._columns.items() if column[x >> 3] >> (x & 7) & 1]

    def _links_to_nominals(self, numbers: dict[Iri, int]) -> dict[Iri, Pairs]:
        """The role assertions that follow from the instances of ∃r.{y}, where they are news."""
        derived: defaultdict[Iri, list[Pairs]] = defaultdict(list)
        for concept, role, y in self.tbox.links_to_individuals():
            if concept in self._columns:
                xs = np.flatnonzero(self.mask(self._columns[concept]))
                keys = xs.astype(np.int64) | (numbers[y] << 32)
                if role not in self.roles or not np.isin(keys, self.roles[role].pairs).all():
                    derived[role].append(keys)
        old = {role: [self.roles[role].pairs] if role in self.roles else [] for role in derived}
        return {role: np.unique(np.concatenate([*old[role], *keys])) for role, keys in derived.items()}


# --- roles --------------------------------------------------------------------------------------------------------


def _closed_roles(ontology: Ontology, size: int, more: dict[Iri, Pairs]) -> dict[Iri, Pairs]:
    """The role assertions that follow: by role inclusions, inverse and symmetric roles, and chains."""
    directed = _directed_closure(ontology)
    collected: defaultdict[Iri, list[Pairs]] = defaultdict(list)
    for role, (xs, ys) in ontology.abox.roles.items():
        _collect(collected, directed, role, (ys.astype(np.int64) << 32) | xs)
    for role, keys in more.items():
        _collect(collected, directed, role, keys)
    pairs = {role: np.unique(np.concatenate(parts)) for role, parts in collected.items()}
    grown = bool(ontology.chains)
    while grown:
        grown = False
        for chain in ontology.chains:
            if chain.first in pairs and chain.second in pairs:
                joined = _joined(Edges(pairs[chain.first], size), Edges(pairs[chain.second], size))
                collected = defaultdict(list)
                _collect(collected, directed, chain.sup, joined)
                for role, parts in collected.items():
                    known = pairs.get(role, np.zeros(0, np.int64))
                    pairs[role] = np.unique(np.concatenate([known, *parts]))
                    grown = grown or len(pairs[role]) > len(known)
    return pairs


def _collect(
    collected: defaultdict[Iri, list[Pairs]],
    directed: dict[tuple[Iri, bool], tuple[tuple[Iri, bool], ...]],
    role: Iri,
    keys: Pairs,
) -> None:
    for superrole, flipped in directed.get((role, False), ((role, False),)):
        collected[superrole].append((keys >> 32) | ((keys & 0xFFFFFFFF) << 32) if flipped else keys)


def _directed_closure(ontology: Ontology) -> dict[tuple[Iri, bool], tuple[tuple[Iri, bool], ...]]:
    """For each role r, either way, the roles s, either way, with r ⊑ s."""
    return reachability(
        ((axiom.sub, way), (axiom.sup, way != flip))
        for flip, axioms in ((False, ontology.role_inclusions), (True, ontology.flips))
        for axiom in axioms
        for way in (False, True)
    )


def _joined(first: Edges, second: Edges) -> Pairs:
    """The keys of r ∘ s: for each s(y, z) the sources of the r-edges into y."""
    ys = second.sources.astype(np.int64)
    counts = first.starts[ys + 1] - first.starts[ys]
    zs = np.repeat(second.targets.astype(np.int64), counts)
    keys: Pairs = np.unique((zs << 32) | first.into(ys))
    return keys
