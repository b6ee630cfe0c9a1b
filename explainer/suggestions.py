"""Questions worth asking of the knowledge bases at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from explainer import catalog
from explainer.catalog import Served
from explainer.concepts import Iri, Name
from explainer.reasons import most_specific


@dataclass(frozen=True)
class Suggestion:
    """A question: an intent, what it is about, and the knowledge base that answers it."""

    intent: str
    home: Served
    individual: Iri | None = None
    concept: Iri | None = None


def suggest(known: Sequence[Iri] = (), limit: int = 3) -> list[Suggestion]:
    """The most instructive questions, about the individuals and classes that are known to be meant if there are any."""
    homes = [s for iri in known for s in catalog.home_of(iri)] or list(catalog.served())
    by_home = [_questions(home, known) for home in dict.fromkeys(homes)]
    mixed = chain.from_iterable(zip_longest(*by_home))
    return list(dict.fromkeys(s for s in mixed if s))[:limit]


def _questions(home: Served, known: Sequence[Iri]) -> Iterator[Suggestion]:
    individuals = [i for i in known if i in home.ontology.abox.numbers]
    concepts = [c for c in known if c in home.ontology.classes]
    for x in individuals:
        for c in [*concepts, *_explainable_classes(home, x)][:1]:
            yield Suggestion("ask_why", home, x, c)
        yield Suggestion("ask_about", home, x)
    for c in concepts:
        yield Suggestion("ask_about", home, concept=c)
        yield Suggestion("ask_members", home, concept=c)
    if not known:
        yield from _showcase(home)


def _showcase(home: Served) -> Iterator[Suggestion]:
    """An individual of a defined class and why it is one, how another could become one, and who else is."""
    defined = ((x, c) for x in home.kb.individuals for c in _explainable_classes(home, x) if home.explains(c))
    x, c = next(defined, (home.kb.individuals[0], None))
    if c:
        yield Suggestion("ask_why", home, x, c)
        others = (y for y in home.kb.individuals if not home.kb.entails(Name(c), y))
        other = next((y for y in others if any(map(home.explains, _explainable_classes(home, y)))), None)
        if other:
            yield Suggestion("ask_why_not", home, other, c)
        yield Suggestion("ask_members", home, concept=c)
    else:
        yield from _to_learn(home)
    yield Suggestion("ask_about", home, x)


def _to_learn(home: Served) -> Iterator[Suggestion]:
    """Why an individual is of a kind that is not defined, and to learn that kind."""
    of_kinds = (
        (x, c)
        for x in home.kb.individuals
        for c in most_specific(home.kb, home.kb.features(x))
        if home.say.noun(Name(c)) and home.is_undefined(c)
    )
    for x, c in islice(of_kinds, 1):
        yield Suggestion("ask_why", home, x, c)
        yield Suggestion("ask_learn", home, concept=c)


def _explainable_classes(home: Served, x: Iri) -> list[Iri]:
    """The most specific defined classes of x, then the other ones that x was not simply told to be."""
    specific = most_specific(home.kb, home.kb.features(x))
    defined = [c for c in specific if home.explains(c)]
    told = {f.iri for f in home.ontology.asserted(x) if isinstance(f, Name)}
    inferred: Iterable[Iri] = (f.iri for f in home.kb.features(x) if isinstance(f, Name) and f.iri not in told)
    return list(dict.fromkeys([*defined, *inferred]))
