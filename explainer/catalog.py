"""The knowledge bases that a process serves: those named in WHYIF_KB, else the demo ones; each is loaded once.

The learned rules in the files named in WHYIF_LEARNED are added to the knowledge bases that have their classes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial
from itertools import chain, islice
from pathlib import Path

import numpy as np

from explainer.abox import is_feature_role
from explainer.concepts import Concept, Exists, Iri, Name
from explainer.counterfactuals import Explanation, Request, explain
from explainer.errors import KnowledgeBaseError
from explainer.learning import FEWEST, Limits, examples_of, learn
from explainer.names import Entry, Kind, NameIndex
from explainer.namespaces import COMMENT, DEFINITION, local_name
from explainer.ontology import Ontology
from explainer.owl import load_ontology
from explainer.reasoner import KnowledgeBase
from explainer.reasons import most_specific
from explainer.resources import demo_knowledge_bases
from explainer.rules import Rule
from explainer.verbalise import Verbaliser

VARIABLE = "WHYIF_KB"
LEARNED_VARIABLE = "WHYIF_LEARNED"
_IN_CHAT = Limits(seconds=4)  # for an answer within five, with all that goes before and after


def paths() -> tuple[Path, ...]:
    """The files to serve; several in WHYIF_KB are separated like those in PATH."""
    return _named_in(VARIABLE) or demo_knowledge_bases()


def _named_in(variable: str) -> tuple[Path, ...]:
    return tuple(Path(p) for p in os.environ.get(variable, "").split(os.pathsep) if p)


def load(path: Path, learned: Sequence[Path] = ()) -> Ontology:
    """Read a knowledge base, and from other files the learned rules about its classes.

    Raises:
        KnowledgeBaseError: a file cannot be read.
    """
    ontology = load_ontology(path)
    classes = set(ontology.classes)
    more = {iri: rule for p in learned for iri, rule in load_ontology(p).rules.items() if iri in classes}
    return replace(ontology, rules={**ontology.rules, **more})


def require_rules_about(path: Path, classes: Collection[Iri]) -> None:
    """Check that a file has learned rules about some of the classes.

    Raises:
        KnowledgeBaseError: it has none, or cannot be read.
    """
    rules = load_ontology(path).rules
    if not rules:
        raise KnowledgeBaseError(
            f"there are no learned rules in {path}; make such a file with: whyif learn KB CLASS -o FILE"
        )
    if not set(classes) & rules.keys():
        example = local_name(next(iter(rules)))
        raise KnowledgeBaseError(
            f"none of the rules in {path} is about a class of the knowledge base, such as “{example}”"
        )


@dataclass(frozen=True, eq=False)
class Served:
    """A knowledge base with the one who speaks about it."""

    path: Path
    ontology: Ontology

    @cached_property
    def kb(self) -> KnowledgeBase:
        return KnowledgeBase(self.ontology)

    @cached_property
    def say(self) -> Verbaliser:
        return Verbaliser(self.kb)

    def explain(self, individual: Iri, concept: Iri, rule: Rule | None = None) -> Explanation:
        """Why the individual belongs to the class or not, by a learned rule if there is one; worked out once."""
        meaning = self.meaning(concept, individual)
        return self._explain(Request(individual, meaning, rule=rule if meaning == Name(concept) else None))

    # --- learning ---------------------------------------------------------------------------------------------

    def rule(self, concept: Iri) -> Rule | None:
        """What has been learned of a class and was written down."""
        return self.ontology.rules.get(concept)

    def learn(self, concept: Iri) -> Rule:
        """Learn a class that `can_learn` from its instances, in a few seconds at most; once."""
        return self._learn(concept)

    @cached_property
    def _learn(self) -> Callable[[Iri], Rule]:
        return lru_cache(maxsize=1000)(lambda concept: learn(self.kb, examples_of(self.kb, concept), _IN_CHAT))

    def can_learn(self, concept: Iri) -> bool:
        """Whether there are examples enough of a class, and others."""
        count = int(self.kb.extension(Name(concept)).sum())
        return self.meaning(concept) == Name(concept) and FEWEST <= count < len(self.kb.individuals)

    def is_undefined(self, concept: Iri) -> bool:
        """Whether a class has no definition but could be learned."""
        return not self.ontology.definitions.get(concept) and self.can_learn(concept)

    def says_nothing_about(self, concept: Iri) -> bool:
        """Whether there is not even a comment on a class of things, of which one wants to know what they are."""
        comment = self.say.lexicon.text(COMMENT, concept) or self.say.lexicon.text(DEFINITION, concept)
        return not comment and self.say.noun(Name(concept)) is not None

    def explains(self, concept: Iri) -> bool:
        """Whether there is a definition or a learned rule of a class."""
        return concept in self.ontology.definitions or concept in self.ontology.rules

    def could_learn(self, explanation: Explanation) -> bool:
        """Whether an explanation says nothing, and learning the class might help."""
        concept, reason = explanation.request.concept, explanation.reason
        says_nothing = not (explanation.request.rule or reason.holding or reason.missing)
        return says_nothing and isinstance(concept, Name) and self.is_undefined(concept.iri)

    def meaning(self, concept: Iri, individual: Iri | None = None) -> Concept:
        """What it is to "be" a class: with feathers, the sea and other mere values, to have them or to live there.

        A class is one of values where its instances are related to nothing, but others to them; then ∃r.A is meant, by
        the first role r in which the individual has such a value, or else anybody has.
        """
        name = Name(concept)
        if (individual and self.kb.entails(name, individual)) or concept not in self._roles_to_values:
            return name
        readings = [Exists(role, name) for role in self._roles_to_values[concept]]
        return next((c for c in readings if individual and self.kb.entails(c, individual)), readings[0])

    @cached_property
    def _roles_to_values(self) -> dict[Iri, list[Iri]]:
        """For each class of values the roles that lead to them, the most used first."""
        abox = self.kb.abox
        roles = {role: edges for role, edges in abox.roles.items() if is_feature_role(role)}
        acting = np.zeros(abox.size, np.bool_)
        for edges in roles.values():
            acting[edges.sources] = True
        led_to = {role: np.bincount(edges.targets, minlength=abox.size) for role, edges in roles.items()}
        found = {}
        for concept in self.ontology.classes:
            members = self.kb.extension(Name(concept))
            if members.any() and not (members & acting).any():
                counts = {role: int(times[members].sum()) for role, times in led_to.items()}
                used = sorted((role for role in counts if counts[role]), key=lambda role: -counts[role])
                if used:
                    found[concept] = used
        return found

    @cached_property
    def _explain(self) -> Callable[[Request], Explanation]:
        return lru_cache(maxsize=1000)(partial(explain, self.kb))

    def choices(self, kind: Kind, individual: Iri | None, concept: Iri | None) -> list[Entry]:
        """What a question may be about where its individual or its class was left out."""
        if kind == "individual":
            candidates = self.kb.instances(Name(concept)) if concept else iter(self.kb.individuals)
            return [Entry(kind, x) for x in islice(candidates, 3)]
        if individual:
            return [Entry(kind, c) for c in most_specific(self.kb, self.kb.features(individual))[:3]]
        instructive = (c for c in self.ontology.classes if self.is_undefined(c) and self.say.noun(Name(c)))
        classes = dict.fromkeys(chain(self.ontology.definitions, instructive, self.ontology.classes))
        return [Entry(kind, c) for c in islice(classes, 3)]

    @property
    def name(self) -> str:
        """The label of the ontology, else the file's name without suffix."""
        return (self.ontology.iri and self.say.lexicon.label(self.ontology.iri)) or self.path.stem


@cache
def served() -> tuple[Served, ...]:
    """The knowledge bases of this process.

    Raises:
        KnowledgeBaseError: a file cannot be read.
    """
    return tuple(Served(path, load(path, _named_in(LEARNED_VARIABLE))) for path in paths())


@cache
def name_index() -> NameIndex:
    """All names in all knowledge bases of this process."""
    return NameIndex(s.ontology for s in served())


def home_of(iri: Iri) -> tuple[Served, ...]:
    """The knowledge bases that have an individual or class of this IRI."""
    return tuple(s for s in served() if iri in s.ontology.abox.numbers or iri in s.ontology.classes)
