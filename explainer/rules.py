"""Learned rules: what membership of a class was found to go with in examples.

A rule is a hypothesis, not knowledge: it explains why something would be classified as it is, and nothing is inferred
from it. In RDF it is an equivalence axiom that is annotated with how it was learned (see `explainer.provenance`), so
that other tools show it as a definition.
"""

from __future__ import annotations

from dataclasses import dataclass

from explainer.concepts import TOP, Concept, Iri

_USEFUL = 0.8
"""The least F1 of a rule that is taken without being asked for."""


@dataclass(frozen=True)
class Rule:
    """A concept learned for a class.

    Attributes:
        target: the class; None where the examples are those of no class.
        concept: who meets it is taken for an instance of the class.
        positives, negatives: the examples.
        false_positives: the negative examples that meet the concept.
        false_negatives: the positive examples that do not.
        complete: whether the search ended by itself: no concept within its limits does better.
        source: the knowledge base that the examples are from.
        learned: when, as xsd:dateTime in UTC.
    """

    target: Iri | None
    concept: Concept
    positives: tuple[Iri, ...]
    negatives: tuple[Iri, ...]
    false_positives: tuple[Iri, ...]
    false_negatives: tuple[Iri, ...]
    complete: bool
    source: str
    learned: str

    @property
    def found(self) -> bool:
        """Whether anything was found that tells the examples apart."""
        return self.concept != TOP

    @property
    def useful(self) -> bool:
        """Whether the rule is right often enough to be relied on."""
        return self.found and self.f1 >= _USEFUL

    @property
    def size(self) -> int:
        """How many examples there are."""
        return len(self.positives) + len(self.negatives)

    @property
    def errors(self) -> int:
        """How many of them the concept misclassifies."""
        return len(self.false_positives) + len(self.false_negatives)

    @property
    def true_positives(self) -> int:
        """How many positive examples meet the concept."""
        return len(self.positives) - len(self.false_negatives)

    @property
    def accuracy(self) -> float:
        """The share of the examples that are classified correctly."""
        return _share(self.size - self.errors, self.size)

    @property
    def precision(self) -> float:
        """The share of positives among the examples that meet the concept; 0 where none does."""
        return _share(self.true_positives, self.true_positives + len(self.false_positives))

    @property
    def recall(self) -> float:
        """The share of the positives that meet the concept."""
        return _share(self.true_positives, len(self.positives))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where both are."""
        return _share(2 * self.true_positives, self.true_positives + len(self.false_positives) + len(self.positives))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
