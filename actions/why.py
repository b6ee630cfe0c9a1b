"""Why, why not, and another explanation."""

from __future__ import annotations

from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.events import SlotSet
from rasa_sdk.executor import CollectingDispatcher

from actions.conversation import (
    OFFERED_WHY,
    Topic,
    Unclear,
    about_individual_and_concept,
    ask_back,
    has_learned,
    offer,
    recall,
    remember,
    rule_for,
)
from explainer import catalog, speech
from explainer.catalog import Served
from explainer.rules import Rule


class ActionExplain(Action):
    """Answers "why is X a Y?" and "why is X not a Y?" alike: the facts decide which of the two it is."""

    def name(self) -> str:
        return "action_explain"

    async def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        await recall(tracker)
        question = tracker.get_intent_of_latest_message() or "ask_why"
        return explain(dispatcher, tracker, question)


class ActionAnother(Action):
    """The next counterfactual of the last explanation."""

    def name(self) -> str:
        return "action_another"

    async def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        await recall(tracker)
        individual, concept = tracker.get_slot("individual"), tracker.get_slot("concept")
        told = int(tracker.get_slot("told") or 0)
        homes = [s for s in catalog.home_of(individual or "") if s in catalog.home_of(concept or "")]
        if not homes or not told:
            dispatcher.utter_message(text=speech.render("nothing_explained"))
            return []
        explanation = homes[0].explain(individual, concept, rule_for(tracker, homes[0], concept))
        dispatcher.utter_message(text=speech.another(homes[0].say, explanation, told))
        return [SlotSet("told", told + 1)]


def explain(dispatcher: CollectingDispatcher, tracker: Tracker, question: str) -> list[dict[str, Any]]:
    """Say why the individual that is spoken of belongs to the class that is spoken of, or why not."""
    try:
        home, topic = about_individual_and_concept(tracker)
    except Unclear as unclear:
        return ask_back(dispatcher, unclear, question)
    assert topic.individual and topic.concept
    rule = rule_for(tracker, home, topic.concept)
    explanation = home.explain(topic.individual, topic.concept, rule)
    if home.could_learn(explanation) and not has_learned(tracker, topic.concept):
        offer(dispatcher, home, topic, speech.offer(home.say, explanation))
        return remember(topic, OFFERED_WHY, told=1)
    return tell_why(dispatcher, home, topic, rule, question)


def tell_why(
    dispatcher: CollectingDispatcher, home: Served, topic: Topic, rule: Rule | None, question: str
) -> list[dict[str, Any]]:
    """Say why an individual belongs to a class, or why not, by a learned rule if there is one."""
    assert topic.individual and topic.concept
    explanation = home.explain(topic.individual, topic.concept, rule)
    dispatcher.utter_message(text=speech.first_answer(home.say, explanation, asked_why_not=question == "ask_why_not"))
    return remember(topic, question, told=1)
