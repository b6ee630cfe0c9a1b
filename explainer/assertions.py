"""From triples to the ABox and the annotations: what is said of individuals, in columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from explainer.concepts import Concept, Iri
from explainer.namespaces import ANNOTATION, BUILT_IN, OWL, RDFS, THING, TYPE
from explainer.ontology import ABox, ABoxBuilder, Text
from explainer.rdf import Triples

Facts = Mapping[Iri, tuple[tuple[Iri, Text], ...]]
Annotations = Mapping[Iri, Mapping[Iri, tuple[Text, ...]]]

_SAYS_NO_MORE_THAN_INDIVIDUAL = {OWL + "NamedIndividual", THING}


class Assertions:
    """Collects the assertions of a knowledge base.

    Args:
        triples: all that was read.
        terminology: the resources that are classes, properties, axioms or parts of these and nothing else.
        not_about_individuals: the classes of the vocabulary itself, such as owl:Class.
        is_role, is_data: what a predicate outside the built-in vocabulary is.
    """

    def __init__(
        self,
        triples: Triples,
        terminology: Iterable[Iri],
        not_about_individuals: frozenset[Iri],
        is_role: Callable[[Iri], bool],
        is_data: Callable[[Iri], bool],
    ) -> None:
        self._triples = triples
        self._not_about_individuals = not_about_individuals
        self._is_data = is_data
        position = {name: i for i, name in enumerate(triples.names)} if terminology else {}
        self._terminology = np.zeros(len(triples.names), bool)
        self._terminology[[position[name] for name in terminology if name in position]] = True
        self._kinds = dict(self._read_kinds())
        for subjects in self._kinds.values():
            self._terminology[subjects] = False
        self._roles = {p: self._pairs(p) for p in triples.links if is_role(p)}

    def complex_kinds(self) -> list[Iri]:
        """The anonymous classes that individuals are said to be instances of."""
        return [kind for kind in self._kinds if kind.startswith("_:")]

    def abox(self, concepts: Mapping[Iri, Concept], mentioned: Iterable[Iri]) -> ABox:
        """The ABox.

        Args:
            concepts: what the anonymous classes stand for.
            mentioned: individuals that occur in axioms.
        """
        names = self._triples.names
        known = np.zeros(len(names), bool)
        for subjects in self._kinds.values():
            known[subjects] = True
        for xs, ys in self._roles.values():
            known[xs] = known[ys] = True
        for _, s, _ in self._data():
            known[s] = True
        old = np.flatnonzero(known)
        number = np.full(len(names), -1, np.int32)
        number[old] = np.arange(len(old), dtype=np.int32)
        builder = ABoxBuilder([names[i] for i in old.tolist()])
        for kind, subjects in self._kinds.items():
            if kind.startswith("_:"):
                for x in number[subjects].tolist():
                    builder.tell(x, concepts[kind])
            elif kind not in _SAYS_NO_MORE_THAN_INDIVIDUAL:
                builder.classes[kind].append(number[subjects])
        for role, (xs, ys) in self._roles.items():
            builder.roles[role].append((number[xs], number[ys]))
        for x in mentioned:
            builder.number(x)
        return builder.abox()

    def facts(self) -> Facts:
        """The data property values of each individual."""
        facts: defaultdict[Iri, list[tuple[Iri, Text]]] = defaultdict(list)
        for predicate, s, text in self._data():
            facts[self._triples.names[s]].append((predicate, text))
        return {x: tuple(values) for x, values in facts.items()}

    def annotations(self) -> Annotations:
        """Annotation property → subject → texts."""
        names = self._triples.names
        found: dict[Iri, dict[Iri, tuple[Text, ...]]] = {}
        for predicate, pairs in self._triples.literals.items():
            if predicate.startswith((RDFS, *ANNOTATION)):
                texts: defaultdict[int, list[Text]] = defaultdict(list)
                for s, text in pairs:
                    texts[s].append(text)
                found[predicate] = {names[s]: tuple(dict.fromkeys(values)) for s, values in texts.items()}
        return found

    def _read_kinds(self) -> Iterator[tuple[Iri, npt.NDArray[np.int32]]]:
        if TYPE not in self._triples.links:
            return
        subjects, kinds = (np.frombuffer(column, np.int32) for column in self._triples.links[TYPE])
        order = np.argsort(kinds, kind="stable")
        subjects, kinds = subjects[order], kinds[order]
        starts = np.flatnonzero(np.diff(kinds, prepend=-1))
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(kinds)], strict=True):
            kind = self._triples.names[int(kinds[start])]
            about = kind in _SAYS_NO_MORE_THAN_INDIVIDUAL or kind == OWL + "Nothing"
            if about or not (kind in self._not_about_individuals or kind.startswith(BUILT_IN)):
                yield kind, np.unique(subjects[start:end])

    def _pairs(self, predicate: Iri) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        xs, ys = (np.frombuffer(column, np.int32) for column in self._triples.links[predicate])
        about_individuals = ~self._terminology[xs]
        return xs[about_individuals], ys[about_individuals]

    def _data(self) -> Iterator[tuple[Iri, int, Text]]:
        for predicate, pairs in self._triples.literals.items():
            if self._is_data(predicate):
                for s, text in pairs:
                    if not self._terminology[s]:
                        yield predicate, s, text
