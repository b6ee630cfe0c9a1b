"""What a concept is learned from: positive and negative examples, and the class names that must not be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from explainer.abox import Mask
from explainer.concepts import TOP, Concept, Iri, Name, subconcepts
from explainer.errors import LearningError
from explainer.namespaces import local_name
from explainer.reasoner import KnowledgeBase


@dataclass(frozen=True)
class Examples:
    """Individuals that are to be covered by a concept, and individuals that are not.

    Attributes:
        target: the class that is to be learned, and so is hidden; None for no class.

    Raises:
        LearningError: one side is empty, or they overlap.
    """

    target: Iri | None
    positives: tuple[Iri, ...]
    negatives: tuple[Iri, ...]

    def __post_init__(self) -> None:
        both = set(self.positives).intersection(self.negatives)
        if both:
            named = ", ".join(sorted(local_name(x) for x in both)[:3])
            raise LearningError(f"{named} cannot be both a positive and a negative example; leave one of the two out")
        name = f"of “{local_name(self.target)}”" if self.target else "given"
        if not self.positives:
            raise LearningError(f"there are no instances {name} to learn from; name some with --positive")
        if not self.negatives:
            raise LearningError(f"there is nothing to tell the instances {name} from; name others with --negative")


def examples_of(
    kb: KnowledgeBase,
    target: Iri | None = None,
    positives: Sequence[Iri] = (),
    negatives: Sequence[Iri] = (),
    siblings: bool = False,
    among: Concept = TOP,
) -> Examples:
    """The examples for a class, as far as they are not given: its instances, and others to tell them from.

    The others are those of the broadest class that the positives share, so that a tortoise is not compared with a
    habitat; with `siblings` those of the narrowest superclass of the target that has more instances. Where there is no
    such class they are all others.

    Args:
        among: a concept whose instances alone are taken.

    Raises:
        LearningError: there are no instances, or no others.
    """
    within = kb.extension(among)
    known = kb.extension(Name(target)) if target else np.zeros(kb.abox.size, np.bool_)
    members = _mask(kb, positives) if positives else known & within
    others = _relatives(kb, target, members, siblings) & within & ~members & ~known
    return Examples(target, tuple(positives) or _named(kb, members), tuple(negatives) or _named(kb, others))


def hidden(kb: KnowledgeBase, target: Iri | None) -> frozenset[Iri]:
    """The class names that would give a class away.

    These are its own, those of its subclasses and so of its synonyms, and those that T equates with something in terms
    of one of these, such as a turtle keeper with who keeps a turtle.
    """
    if target is None:
        return frozenset()
    found = {target} | {a for a in kb.ontology.classes if kb.subsumed(Name(a), Name(target))}
    while news := {a for a in _defined_by(kb, found) if a not in found}:
        found |= news
    return frozenset(found)


def _defined_by(kb: KnowledgeBase, names: set[Iri]) -> Iterator[Iri]:
    """The classes that T equates with a concept in which one of the names occurs."""
    for a, definitions in kb.ontology.definitions.items():
        if any(_mentions(definition, names) for definition in definitions):
            yield a
    for axiom in kb.ontology.subsumptions:
        if isinstance(axiom.sub, Name) and _mentions(axiom.sup, names) and kb.subsumed(axiom.sup, axiom.sub):
            yield axiom.sub.iri


def _mentions(concept: Concept, names: set[Iri]) -> bool:
    return any(isinstance(c, Name) and c.iri in names for c in subconcepts(concept))


def _relatives(kb: KnowledgeBase, target: Iri | None, positives: Mask, siblings: bool) -> Mask:
    unseen = hidden(kb, target)
    best, size = np.ones(len(positives), np.bool_), None
    for iri in kb.ontology.classes:
        if iri in unseen or (siblings and target and not kb.subsumed(Name(target), Name(iri))):
            continue
        members = kb.extension(Name(iri))
        count = int(members.sum())
        better = size is None or (count < size if siblings else count > size)
        if better and count > positives.sum() and not (positives & ~members).any():
            best, size = members, count
    return best


def _mask(kb: KnowledgeBase, individuals: Sequence[Iri]) -> Mask:
    members = np.zeros(kb.abox.size, np.bool_)
    members[[kb.number(x) for x in individuals]] = True
    return members


def _named(kb: KnowledgeBase, members: Mask) -> tuple[Iri, ...]:
    return tuple(kb.individuals[i] for i in np.flatnonzero(members).tolist())
