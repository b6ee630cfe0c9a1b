"""What a message is about: the individual and the class meant, by its names or by what was said before."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rasa_sdk import Tracker
from rasa_sdk.events import SlotSet
from rasa_sdk.executor import CollectingDispatcher

from explainer import catalog, speech
from explainer.catalog import Served
from explainer.concepts import Iri
from explainer.names import Entry, Kind
from explainer.rules import Rule
from explainer.suggestions import Suggestion

OFFERED, OFFERED_WHY = "offered", "offered_why"
"""The last question where the bot has offered to learn a class; after that it goes on explaining, or not."""


@dataclass(frozen=True)
class Topic:
    """Who and what is spoken of; None where nothing was named so far."""

    individual: Iri | None = None
    concept: Iri | None = None


class Unclear(Exception):
    """A name fits two things, or nothing, or is missing: the person has to be asked.

    Attributes:
        problem: "ambiguous", "unknown", "missing" or "apart" (individual and class live in different knowledge bases).
        kind: what is unclear, "individual" or "concept".
        name: the name as it was written, empty where it is missing.
        candidates: what may have been meant.
        topic: what is clear.
    """

    def __init__(
        self,
        problem: Literal["ambiguous", "unknown", "missing", "apart"],
        kind: Kind,
        name: str,
        candidates: Sequence[Entry],
        topic: Topic,
    ) -> None:
        super().__init__(problem)
        self.problem, self.kind, self.name, self.candidates, self.topic = problem, kind, name, candidates, topic


@dataclass(frozen=True)
class Mentions:
    """The names in the latest message: for each kind the readings of each name, in the order of the sentence."""

    individuals: tuple[tuple[Iri, ...], ...]
    concepts: tuple[tuple[Iri, ...], ...]
    unknown: tuple[str, ...]
    has_pronoun: bool


def mentions(tracker: Tracker) -> Mentions:
    """Group the entities of the latest message.

    A name of both an individual and a class ("the sea") is the class. An IRI that no knowledge base has, as a forged
    button may send, counts as unknown.
    """
    readings: dict[str, defaultdict[Any, dict[Iri, None]]] = {
        "individual": defaultdict(dict),
        "concept": defaultdict(dict),
    }
    unknown: list[str] = []
    has_pronoun = False
    for i, entity in enumerate(tracker.latest_message.get("entities") or []):
        kind, value = entity.get("entity"), str(entity.get("value"))
        if kind in readings and catalog.home_of(value):
            span = (entity["start"], entity["end"]) if entity.get("extractor") == "KnowledgeBaseLinker" else i
            readings[kind][span][value] = None
        elif kind == "pronoun":
            has_pronoun = True
        else:
            unknown.append(value)
    individuals = [span for span in readings["individual"] if span not in readings["concept"]]
    concepts = list(readings["concept"])
    return Mentions(
        tuple(tuple(readings["individual"][s]) for s in individuals),
        tuple(tuple(readings["concept"][s]) for s in concepts),
        tuple(unknown),
        has_pronoun,
    )


def about_individual_and_concept(tracker: Tracker) -> tuple[Served, Topic]:
    """The individual and the class that a question is about.

    Raises:
        Unclear: one of them is not known or not unique.
    """
    said = mentions(tracker)
    individual = _individual(said, tracker, said.concepts)
    concept = _concept(said, tracker, individual)
    return _common_home(individual, concept), Topic(individual, concept)


def about_concept(tracker: Tracker) -> tuple[Served, Iri]:
    """The class that a question is about.

    Raises:
        Unclear: it is not known or not unique.
    """
    concept = _concept(mentions(tracker), tracker, None)
    return catalog.home_of(concept)[0], concept


def about_anything(tracker: Tracker) -> tuple[Served, Topic]:
    """The individual, or else the class, that a question is about.

    Raises:
        Unclear: neither is known, or it is not unique.
    """
    said = mentions(tracker)
    if said.concepts and not said.individuals:
        concept = _concept(said, tracker, None)
        return catalog.home_of(concept)[0], Topic(None, concept)
    individual = _individual(said, tracker, ())
    return catalog.home_of(individual)[0], Topic(individual)


def _individual(said: Mentions, tracker: Tracker, concepts: Sequence[Sequence[Iri]]) -> Iri:
    if said.individuals:
        candidates = _in_homes_of(said.individuals[0], concepts[-1] if concepts else ())
        if len(candidates) == 1:
            return candidates[0]
        concept = concepts[-1][0] if concepts and len(concepts[-1]) == 1 else None
        raise Unclear("ambiguous", "individual", "", [Entry("individual", c) for c in candidates], Topic(None, concept))
    remembered = tracker.get_slot("individual")
    concept = concepts[-1][0] if concepts else None
    if said.unknown and not said.has_pronoun and (concepts or not remembered or len(said.unknown) > 1):
        raise _unknown("individual", said.unknown[0], Topic(None, concept))
    if remembered and catalog.home_of(remembered) and (not concept or _share_home(remembered, concept)):
        return str(remembered)
    raise Unclear("missing", "individual", "", (), Topic(None, concept))


def _concept(said: Mentions, tracker: Tracker, individual: Iri | None) -> Iri:
    if said.concepts:
        candidates = _in_homes_of(said.concepts[-1], (individual,) if individual else ())
        if len(candidates) == 1:
            return candidates[0]
        raise Unclear("ambiguous", "concept", "", [Entry("concept", c) for c in candidates], Topic(individual))
    if said.unknown:
        raise _unknown("concept", said.unknown[-1], Topic(individual))
    remembered = tracker.get_slot("concept")
    if remembered and catalog.home_of(remembered) and (not individual or _share_home(individual, remembered)):
        return str(remembered)
    raise Unclear("missing", "concept", "", (), Topic(individual))


def _share_home(one: Iri, other: Iri) -> bool:
    return bool(set(catalog.home_of(one)) & set(catalog.home_of(other)))


def _in_homes_of(candidates: Sequence[Iri], others: Sequence[Iri]) -> Sequence[Iri]:
    """The candidates that share a knowledge base with one of the others; all of them where none does."""
    homes = {s for other in others for s in catalog.home_of(other)}
    return [c for c in candidates if homes.intersection(catalog.home_of(c))] or candidates


def _common_home(individual: Iri, concept: Iri) -> Served:
    common = [s for s in catalog.home_of(individual) if s in catalog.home_of(concept)]
    if not common:
        raise Unclear("apart", "concept", "", (), Topic(individual, concept))
    return common[0]


def _unknown(kind: Kind, name: str, topic: Topic) -> Unclear:
    homes = {s for iri in (topic.individual, topic.concept) if iri for s in catalog.home_of(iri)}
    similar = [
        entry
        for entry in catalog.name_index().suggestions(name, kind, limit=6)
        if not homes or homes.intersection(catalog.home_of(entry.iri))
    ]
    return Unclear("unknown", kind, name, similar[:3], topic)


def ask_back(dispatcher: CollectingDispatcher, unclear: Unclear, question: str) -> list[dict[str, Any]]:
    """Ask which was meant, each candidate a button that asks the whole question; remember what is clear."""
    candidates = unclear.candidates or _choices(unclear)
    buttons = [
        {
            "title": speech.render(
                "candidate", say=home.say, iri=entry.iri, kind=entry.kind, alone=unclear.problem != "ambiguous"
            ),
            "payload": payload(question, _with(unclear.topic, entry)),
        }
        for entry in candidates
        for home in catalog.home_of(entry.iri)[:1]
    ]
    names = {iri: catalog.home_of(iri)[0].say.name(iri) for iri in _iris(unclear)}
    text = speech.render(
        "unclear", unclear=unclear, names=names, similar=bool(unclear.candidates), offered=bool(buttons)
    )
    dispatcher.utter_message(text=text, buttons=buttons)
    return remember(unclear.topic, question)


def _iris(unclear: Unclear) -> list[Iri]:
    return [
        iri for iri in (unclear.topic.individual, unclear.topic.concept, *(e.iri for e in unclear.candidates)) if iri
    ]


def _choices(unclear: Unclear) -> list[Entry]:
    """What could be meant where nothing was said: classes of the individual, or instances of the class."""
    if unclear.problem == "apart":
        return []
    known = unclear.topic.individual or unclear.topic.concept
    homes = catalog.home_of(known) if known else catalog.served()
    return [
        entry for home in homes for entry in home.choices(unclear.kind, unclear.topic.individual, unclear.topic.concept)
    ][:3]


def _with(topic: Topic, entry: Entry) -> Topic:
    if entry.kind == "individual":
        return Topic(entry.iri, topic.concept)
    return Topic(topic.individual, entry.iri)


def payload(intent: str, topic: Topic) -> str:
    """The message that a button sends: an intent with its entities."""
    entities = {"individual": topic.individual, "concept": topic.concept}
    return f"/{intent}{json.dumps({k: v for k, v in entities.items() if v})}"


def rule_for(tracker: Tracker, home: Served, concept: Iri) -> Rule | None:
    """What was learned of a class: before, or in this conversation."""
    rule = home.learn(concept) if has_learned(tracker, concept) else home.rule(concept)
    return rule if rule and rule.found else None


async def recall(tracker: Tracker) -> None:
    """Have at hand what this conversation has learned, also where it was another process that did."""
    for concept in tracker.get_slot("learned") or ():
        for home in catalog.home_of(concept)[:1]:
            await asyncio.to_thread(home.learn, concept)


def has_learned(tracker: Tracker, concept: Iri) -> bool:
    """Whether a class has been learned, or tried to be, in this conversation."""
    return concept in (tracker.get_slot("learned") or ())


def offer(dispatcher: CollectingDispatcher, home: Served, topic: Topic, text: str) -> None:
    """Say something and offer to learn the class that is spoken of."""
    assert topic.concept
    title = speech.question(Suggestion("ask_learn", home, concept=topic.concept))
    dispatcher.utter_message(text=text, buttons=[{"title": title, "payload": payload("ask_learn", topic)}])


def remember(topic: Topic, question: str, told: int = 0) -> list[dict[str, Any]]:
    """Slots for what is spoken of now; what the topic leaves open keeps its value."""
    slots = {"individual": topic.individual, "concept": topic.concept}
    kept = [SlotSet(name, value) for name, value in slots.items() if value]
    return [*kept, SlotSet("question", question), SlotSet("told", told)]
