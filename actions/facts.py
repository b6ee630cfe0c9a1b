"""What is known about an individual or a class, and who belongs to a class."""

from __future__ import annotations

from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.executor import CollectingDispatcher

from actions.conversation import (
    OFFERED,
    Topic,
    Unclear,
    about_anything,
    about_concept,
    ask_back,
    has_learned,
    offer,
    recall,
    remember,
    rule_for,
)
from actions.learning import begin
from explainer import speech
from explainer.catalog import Served


class ActionAbout(Action):
    """Answers "what do you know about X?" and "what is a Y?"."""

    def name(self) -> str:
        return "action_about"

    async def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        await recall(tracker)
        return tell_about(dispatcher, tracker)


class ActionMembers(Action):
    """Answers "which things are Y?"."""

    def name(self) -> str:
        return "action_members"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        return tell_members(dispatcher, tracker)


def tell_about(dispatcher: CollectingDispatcher, tracker: Tracker) -> list[dict[str, Any]]:
    """Say what is known about the individual, or else the class, that is spoken of."""
    try:
        home, topic = about_anything(tracker)
    except Unclear as unclear:
        return ask_back(dispatcher, unclear, "ask_about")
    if topic.individual:
        dispatcher.utter_message(text=speech.about_individual(home.say, topic.individual))
    elif topic.concept:
        return _tell_about_concept(dispatcher, tracker, home, topic)
    return remember(topic, "ask_about")


def _tell_about_concept(
    dispatcher: CollectingDispatcher, tracker: Tracker, home: Served, topic: Topic
) -> list[dict[str, Any]]:
    """Say what a class means; where that is not known, learn it, or offer to."""
    assert topic.concept
    rule = rule_for(tracker, home, topic.concept)
    unknown = not rule and home.is_undefined(topic.concept) and not has_learned(tracker, topic.concept)
    at_once = unknown and home.says_nothing_about(topic.concept)
    text = speech.about_concept(home.say, topic.concept, home.meaning(topic.concept), rule, unknown and not at_once)
    if unknown and not at_once:
        offer(dispatcher, home, topic, text)
        return remember(topic, OFFERED)
    dispatcher.utter_message(text=text)
    return begin(dispatcher, tracker, "ask_about") if at_once else remember(topic, "ask_about")


def tell_members(dispatcher: CollectingDispatcher, tracker: Tracker) -> list[dict[str, Any]]:
    """List the instances of the class that is spoken of."""
    try:
        home, concept = about_concept(tracker)
    except Unclear as unclear:
        return ask_back(dispatcher, unclear, "ask_members")
    dispatcher.utter_message(text=speech.members(home.say, home.meaning(concept)))
    return remember(Topic(None, concept), "ask_members")
