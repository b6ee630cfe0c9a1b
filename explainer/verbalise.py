"""Concepts in English: "lays eggs", "has a child who is a parent", "did not live in the sea"."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice

import numpy as np

from explainer import english
from explainer.abox import Mask
from explainer.concepts import TOP, And, Concept, Exists, Iri, Name, Nominal, Top, conjuncts
from explainer.lexicon import Lexicon
from explainer.reasoner import KnowledgeBase
from explainer.reasons import most_specific

_VERBS = frozenset(
    {"has", "is", "can", "cannot", "does", "lays", "eats", "gives", "lives", "breathes", "owns", "needs"}
)
_PREPOSITIONS = frozenset({"in", "of", "by", "to", "for", "with", "at", "on", "from", "under", "near", "about"})
_PERSONAL = ("he", "she", "they")


class Verbaliser:
    """Speaks about one knowledge base."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.kb = kb
        self.lexicon = Lexicon(kb.ontology)
        self._to_persons: dict[Iri, bool] = {}

    # --- individuals ------------------------------------------------------------------------------------------

    def name(self, iri: Iri) -> str:
        """What a class, role or individual is called; "this animal" for an individual without any name."""
        if iri.startswith("_:") and not self.lexicon.names(iri):
            return f"this {self._noun(iri)}"
        return self.lexicon.name(iri)

    def pronoun(self, x: Iri) -> str:
        """ "she", "he", "they" or "it": as annotated on x, else on the most specific of its classes that has one."""
        own = self.lexicon.phrase("pronoun", x)
        return own or self._of_most_specific_class("pronoun", x) or "it"

    def plural(self, x: Iri) -> bool:
        """Whether verbs after x's pronoun are in the plural."""
        return self.pronoun(x) == "they"

    def _noun(self, x: Iri) -> str:
        return self._of_most_specific_class("noun", x) or "thing"

    def _of_most_specific_class(self, kind: str, x: Iri) -> str | None:
        annotated = [f for f in self.kb.features(x) if isinstance(f, Name) and self.lexicon.phrase(kind, f.iri)]
        for a in annotated:
            if not any(self.kb.subsumed(b, a) and not self.kb.subsumed(a, b) for b in annotated):
                return self.lexicon.phrase(kind, a.iri)
        return None

    # --- predicates -------------------------------------------------------------------------------------------

    def present(self, concept: Concept, plural: bool = False) -> str:
        """ "lays eggs"."""
        return self._each(concept, lambda c: english.present(self._predicate(c), plural))

    def negated(self, concept: Concept, plural: bool = False) -> str:
        """ "does not lay eggs"."""
        return self._each(concept, lambda c: english.negated(self._predicate(c), plural), "or")

    def if_so(self, concept: Concept) -> str:
        """What follows "if it": "laid eggs"."""
        return self._each(concept, lambda c: self._explicit("ifSo", c) or english.if_so(self._predicate(c)))

    def if_not(self, concept: Concept) -> str:
        """What follows "if it": "did not lay eggs"."""
        return self._each(concept, self._if_not, "or")

    def none_of(self, concepts: Iterable[Concept]) -> str:
        """What follows "if it" where several predicates fail at once: "neither had scales nor laid eggs"."""
        concepts = tuple(concepts)
        if len(concepts) == 2:
            return f"neither {self.if_so(concepts[0])} nor {self.if_so(concepts[1])}"
        return english.join(self.if_not(c) for c in concepts)

    def would(self, concepts: Iterable[Concept]) -> str:
        """What follows "if it" where several predicates newly hold: "had scales and laid eggs"."""
        return english.join(self.if_so(c) for c in concepts)

    def all_of(self, concepts: Iterable[Concept], plural: bool = False) -> str:
        """ "lays eggs, has legs and has scales"."""
        return english.join(self.present(c, plural) for c in concepts)

    def lacks(self, concepts: Iterable[Concept], plural: bool = False) -> str:
        """ "does not have scales and is not female"."""
        return english.join(self.negated(c, plural) for c in concepts)

    def noun(self, concept: Concept) -> str | None:
        """ "a turtle", for a class that things *are*; None for one that is said by a predicate of its own."""
        if not isinstance(concept, Name) or self.lexicon.phrase("phrase", concept.iri) or self._is_verbal(concept.iri):
            return None
        label = self.lexicon.name(concept.iri)
        return label if english.is_plural(label) else english.article(label)

    def personal(self, concept: Concept) -> bool:
        """Whether the instances of a class are spoken of as he, she or they."""
        return any(self.pronoun(x) in _PERSONAL for x in islice(self.kb.instances(concept), 1))

    def kind_of(self, x: Iri) -> str | None:
        """What tells x from its namesakes: the name of its most specific class."""
        specific = most_specific(self.kb, self.kb.features(x))
        return self.lexicon.name(specific[0]) if specific else None

    def parts(self, concept: Concept) -> tuple[Concept, ...]:
        """The conjuncts of a concept."""
        return conjuncts(concept)

    def nouns(self, concept: Concept) -> str | None:
        """ "turtles", the plural of `noun`."""
        if not isinstance(concept, Name) or not self.noun(concept):
            return None
        label = self.lexicon.name(concept.iri)
        return label if english.is_plural(label) else english.plural(label)

    def relations(self, x: Iri, most: int = 8) -> list[str]:
        """What x is related to, one predicate for each role: "has Luna and Moritz as children", "lives in the sea"."""
        plural = self.plural(x)
        predicates = []
        told: set[tuple[Iri, Iri]] = set()
        by_role: dict[Iri, list[Iri]] = {}
        for f in self.kb.features(x):
            if isinstance(f, Exists) and isinstance(f.filler, Nominal):
                by_role.setdefault(f.role, []).append(f.filler.individual)
        for role, targets in sorted(by_role.items(), key=lambda item: -len(self.kb.tbox.superroles(item[0]))):
            new = [y for y in targets if (role, y) not in told]
            told |= {(s, y) for s in self.kb.tbox.superroles(role) for y in targets}
            if new:
                predicate = self._role_phrase(role).replace("{object}", self._individual_objects(role, new, most))
                predicates.append(english.present(predicate, plural))
        return predicates

    def _individual_objects(self, role: Iri, targets: list[Iri], most: int) -> str:
        noun = self._role_noun(role)
        if len(targets) == 1:
            return self._individual_object(targets[0], noun)
        names = [self.name(y) for y in targets[:most]] + (
            [f"{len(targets) - most} more"] if len(targets) > most else []
        )
        return f"{english.join(names)} as {english.plural(noun)}" if noun else english.join(names)

    def _each(self, concept: Concept, say: Callable[[Concept], str], word: str = "and") -> str:
        return english.join([say(c) for c in conjuncts(concept)] or ["exists"], word)

    def _predicate(self, concept: Concept) -> str:
        """One conjunct in the third person singular: "has scales"."""
        if isinstance(concept, Name):
            phrase = self.lexicon.phrase("phrase", concept.iri)
            return phrase or (f"is {self.noun(concept)}" if self.noun(concept) else self.lexicon.name(concept.iri))
        if isinstance(concept, Exists):
            return self._role_phrase(concept.role).replace("{object}", self._object(concept))
        if isinstance(concept, Nominal):
            return f"is {self.name(concept.individual)}"
        return "exists"

    def _if_not(self, concept: Concept) -> str:
        explicit = self._explicit("ifNot", concept)
        return english.under_negation(explicit) if explicit else english.if_not(self._predicate(concept))

    def _explicit(self, kind: str, concept: Concept) -> str | None:
        if isinstance(concept, Name):
            return self.lexicon.phrase(kind, concept.iri)
        if isinstance(concept, Exists):
            phrase = self.lexicon.phrase(kind, concept.role)
            return phrase.replace("{object}", self._object(concept)) if phrase else None
        return None

    def _is_verbal(self, class_iri: Iri) -> bool:
        """Whether a class is named by a predicate, such as HasEggs or isHot."""
        words = self.lexicon.name(class_iri).split()
        return len(words) > 1 and words[0] in _VERBS

    def role(self, role: Iri) -> str:
        """A role's predicate without its object: "is married to", "has a child"."""
        return english.present(self._predicate(Exists(role, TOP)), plural=False)

    # --- roles ------------------------------------------------------------------------------------------------

    def _role_phrase(self, role: Iri) -> str:
        annotated = self.lexicon.phrase("phrase", role)
        if annotated:
            return annotated if "{object}" in annotated else f"{annotated} {{object}}"
        words = self.lexicon.name(role).split()
        first, last = words[0].lower(), words[-1].lower()
        label = " ".join(words)
        if first == "has" and len(words) > 1:
            return "has {object}"
        if first == "is" and last == "of" and len(words) > 2:
            return f"is {english.article(' '.join(words[1:]))} {{object}}"
        if first in ("is", "can", "was") or (first.endswith("s") and not first.endswith("ss")):
            return f"{label} {{object}}"
        if first.endswith("ed"):
            return f"is {label} {{object}}" if last in _PREPOSITIONS else f"is {label} to {{object}}"
        if last in _PREPOSITIONS:
            return f"is {english.article(label)} {{object}}"
        return "has {object}"

    def _role_noun(self, role: Iri) -> str | None:
        """What the other end of a role of having is: "child" for hasChild. None where the role's phrase says it all."""
        if self._role_phrase(role) != "has {object}":
            return None
        annotated = self.lexicon.phrase("noun", role)
        if annotated or self.lexicon.phrase("phrase", role):
            return annotated
        words = self.lexicon.name(role).split()
        if words[0].lower() == "has" and len(words) > 1:
            return " ".join(words[1:])
        return " ".join(words)

    def _object(self, existential: Exists) -> str:
        """The object of a role's phrase: "scales", "a child", "a child who is a parent", "Anna as a child"."""
        role, filler = existential.role, existential.filler
        noun = self._role_noun(role)
        if isinstance(filler, Top):
            return self.lexicon.phrase("object", role) or (english.article(noun) if noun else "something")
        if isinstance(filler, Nominal):
            return self._individual_object(filler.individual, noun)
        if isinstance(filler, Name):
            annotated = self.lexicon.phrase("object", filler.iri)
            if annotated:
                return annotated
            named = self.noun(filler)
            if named and english.is_plural(named):
                return f"{named} as {english.article(noun)}" if noun else named
            if named and not noun:
                return named
        head = english.article(noun) if noun else ("someone" if self._leads_to_persons(role) else "something")
        relative = "who" if self._leads_to_persons(role) else "that"
        parts = filler.conjuncts if isinstance(filler, And) else (filler,)
        return f"{head} {relative} {self.all_of(parts)}"

    def _individual_object(self, y: Iri, noun: str | None) -> str:
        named = self.lexicon.names(y)
        if not named or y.startswith("_:"):
            return english.article(noun or self._noun(y))
        return f"{self.name(y)} as {english.article(noun)}" if noun else self.name(y)

    def _leads_to_persons(self, role: Iri) -> bool:
        """Whether a role has a filler that is spoken of as he, she or they."""
        known = self._to_persons.get(role)
        if known is None:
            edges = self.kb.abox.roles.get(role)
            targets = np.unique(edges.targets) if edges else np.zeros(0, np.int32)
            names = (self.kb.individuals[y] for y in targets[self._may_be_persons[targets]].tolist())
            known = self._to_persons[role] = any(self.pronoun(y) in _PERSONAL for y in names)
        return known

    @cached_property
    def _may_be_persons(self) -> Mask:
        """The individuals with such a pronoun, of their own or of a class of theirs."""
        persons = np.zeros(self.kb.abox.size, np.bool_)
        numbers = self.kb.ontology.abox.numbers
        for iri in self.lexicon.annotated("pronoun"):
            if self.lexicon.phrase("pronoun", iri) in _PERSONAL:
                if iri in numbers:
                    persons[numbers[iri]] = True
                else:
                    persons |= self.kb.extension(Name(iri))
        return persons
