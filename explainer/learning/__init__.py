"""Learning what makes something an instance of a class, from examples: positives and negatives in, an EL concept out.

>>> from explainer import KnowledgeBase
>>> from explainer.learning import examples_of, learn
>>> kb = KnowledgeBase.load("data/animals.ttl")
>>> rule = learn(kb, examples_of(kb, "urn:whyif:animals#Penguin"))
>>> rule.accuracy
1.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from explainer.concepts import TOP, Concept, Iri, length
from explainer.errors import LearningError
from explainer.learning.clock import Clock
from explainer.learning.examples import Examples, examples_of, hidden
from explainer.learning.search import DEFAULT, Limits, Progress, search
from explainer.reasoner import KnowledgeBase
from explainer.rules import Rule

__all__ = ["Examples", "Limits", "Progress", "cross_validated", "examples_of", "hidden", "learn"]

MOST_AT_ONCE = 800
"""How many examples the search sees; of more it sees a sample, and then those that it got wrong."""
_MOST_ROUNDS = 5

FEWEST = 2
"""How many instances a class should have for a rule that says more than what one of them is like."""


def learn(
    kb: KnowledgeBase,
    examples: Examples,
    limits: Limits = DEFAULT,
    progress: Callable[[Progress], None] | None = None,
) -> Rule:
    """Learn the concept that classifies most examples correctly; of several the shortest, then the most natural.

    The class to be learned and what would give it away (see `hidden`) do not occur in the concept. The same examples
    give the same concept, unless time runs out.

    Args:
        limits: how far the search goes; when time is up, the best concept so far is taken.
        progress: called with each better concept and after each length.

    Raises:
        KeyError: an example is not in the knowledge base.
    """
    unseen = hidden(kb, examples.target)
    clock = Clock(limits.seconds)
    positives, negatives = _samples(examples)
    best: Rule | None = None
    for _ in range(_MOST_ROUNDS):
        reached: dict[Concept, None] = {}

        def note(step: Progress, reached: dict[Concept, None] = reached) -> None:
            reached[step.concept] = None
            if progress:
                progress(step)

        found = search(kb, positives, negatives, unseen, replace(limits, seconds=clock.left), note)
        latest = _rule(kb, examples, found.concept, found.complete)
        best = _best(kb, examples, latest, reached, best)
        missed = _news(latest.false_negatives, positives), _news(latest.false_positives, negatives)
        if not any(missed) or clock.left < 0:
            break
        positives, negatives = positives + missed[0], negatives + missed[1]
    assert best is not None
    return best


def cross_validated(kb: KnowledgeBase, examples: Examples, parts: int, limits: Limits = DEFAULT) -> tuple[float, ...]:
    """The accuracies on each part of the examples of what is learned from the other parts (k-fold, stratified).

    Raises:
        LearningError: there are fewer positive or negative examples than parts, or less than two parts.
    """
    fewest = min(len(examples.positives), len(examples.negatives))
    if not 2 <= parts <= fewest:
        raise LearningError(
            f"cross-validation takes 2 parts or more, and as many positive and negative examples; there are {fewest} "
            f"for {parts} parts"
        )
    accuracies = []
    for part in range(parts):
        train, test = _divided(examples, part, parts)
        accuracies.append(_rule(kb, test, learn(kb, train, limits).concept, True).accuracy)
    return tuple(accuracies)


def _divided(examples: Examples, part: int, parts: int) -> tuple[Examples, Examples]:
    """All but every k-th example, and every k-th."""

    def where(chosen: Callable[[int], bool]) -> Examples:
        sides = (examples.positives, examples.negatives)
        positives, negatives = (tuple(x for i, x in enumerate(side) if chosen(i % parts)) for side in sides)
        return Examples(examples.target, positives, negatives)

    return where(lambda i: i != part), where(lambda i: i == part)


def _samples(examples: Examples) -> tuple[tuple[Iri, ...], tuple[Iri, ...]]:
    """As many positives and negatives as are seen at once; of the fewer ones as many as of the others, if there are."""
    sides = examples.positives, examples.negatives
    fewer = min(min(map(len, sides)), MOST_AT_ONCE // 2)
    return _spread(sides[0], MOST_AT_ONCE - fewer), _spread(sides[1], MOST_AT_ONCE - fewer)


def _spread(individuals: Sequence[Iri], most: int) -> tuple[Iri, ...]:
    """So many at the most, evenly spread over the file."""
    places = np.linspace(0, len(individuals) - 1, min(len(individuals), most)).astype(int)
    return tuple(individuals[i] for i in places.tolist())


def _news(wrong: Sequence[Iri], seen: Sequence[Iri]) -> tuple[Iri, ...]:
    known = set(seen)
    return _spread([x for x in wrong if x not in known], MOST_AT_ONCE // 4)


def _best(kb: KnowledgeBase, examples: Examples, latest: Rule, reached: Iterable[Concept], known: Rule | None) -> Rule:
    """The rule that is best on all examples; where the search saw all of them, that is what it has found."""
    if (known is None and latest.size <= MOST_AT_ONCE) or (latest.complete and not latest.errors):
        return latest  # on a sample, too, what is shorter makes errors
    others = [_rule(kb, examples, concept, complete=False) for concept in reached]
    rules = [*([known] if known else []), replace(latest, complete=False), *others]
    return min(rules, key=lambda rule: (rule.errors, length(rule.concept)))


def _rule(kb: KnowledgeBase, examples: Examples, concept: Concept, complete: bool) -> Rule:
    members = kb.extension(concept) if concept != TOP else np.ones(kb.abox.size, np.bool_)
    return Rule(
        target=examples.target,
        concept=concept,
        positives=examples.positives,
        negatives=examples.negatives,
        false_positives=tuple(x for x in examples.negatives if members[kb.number(x)]),
        false_negatives=tuple(x for x in examples.positives if not members[kb.number(x)]),
        complete=complete,
        source=Path(kb.ontology.source).name,
        learned=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
