"""Learning a class from examples, and where a rule comes from.

Learning takes seconds, so it has an action of its own, after one that says so; it runs beside the event loop, which
goes on answering others.
"""

from __future__ import annotations

import asyncio
from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.events import FollowupAction, SlotSet
from rasa_sdk.executor import CollectingDispatcher

from actions.conversation import (
    OFFERED,
    OFFERED_WHY,
    Topic,
    Unclear,
    about_concept,
    ask_back,
    mentions,
    recall,
    remember,
    rule_for,
)
from actions.why import tell_why
from explainer import catalog, speech


class ActionAskLearn(Action):
    """Answers "learn what a Y is": says what is going to be done."""

    def name(self) -> str:
        return "action_ask_learn"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        return ask_learn(dispatcher, tracker)


class ActionLearn(Action):
    """Learns the class that is spoken of, and says what was found; then goes on with what was asked before."""

    def name(self) -> str:
        return "action_learn"

    async def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        individual, concept = tracker.get_slot("individual"), tracker.get_slot("concept")
        home = catalog.home_of(concept)[0]
        rule = await asyncio.to_thread(home.learn, concept)
        dispatcher.utter_message(text=speech.learned(home.say, rule))
        learned = [*(c for c in tracker.get_slot("learned") or () if c != concept), concept]
        events = [SlotSet("learned", learned), FollowupAction("action_listen")]
        if tracker.get_slot("question") == OFFERED_WHY and rule.found and individual:
            return [*events, *tell_why(dispatcher, home, Topic(individual, concept), rule, "ask_why")]
        return [*events, *remember(Topic(None, concept), "ask_learn")]


class ActionSource(Action):
    """Answers "how did you come to think so?"."""

    def name(self) -> str:
        return "action_source"

    async def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        await recall(tracker)
        return tell_source(dispatcher, tracker)


class ActionAffirm(Action):
    """Takes an offer."""

    def name(self) -> str:
        return "action_affirm"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        offered = tracker.get_slot("question")
        if offered in (OFFERED, OFFERED_WHY):
            return begin(dispatcher, tracker, offered)
        dispatcher.utter_message(text=speech.render("nothing_offered"))
        return []


class ActionDeny(Action):
    """Leaves an offer."""

    def name(self) -> str:
        return "action_deny"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        dispatcher.utter_message(text=speech.render("declined"))
        return [SlotSet("question", None)]


def ask_learn(dispatcher: CollectingDispatcher, tracker: Tracker) -> list[dict[str, Any]]:
    """Begin to learn the class that is spoken of."""
    return begin(dispatcher, tracker, "ask_learn")


def tell_source(dispatcher: CollectingDispatcher, tracker: Tracker) -> list[dict[str, Any]]:
    """Say where what is said of the class that is spoken of comes from."""
    try:
        home, concept = about_concept(tracker)
    except Unclear as unclear:
        return ask_back(dispatcher, unclear, "ask_source")
    rule = rule_for(tracker, home, concept)
    dispatcher.utter_message(text=speech.source(home.say, concept, home.meaning(concept), rule))
    return remember(Topic(None, concept), "ask_source")


def begin(dispatcher: CollectingDispatcher, tracker: Tracker, question: str) -> list[dict[str, Any]]:
    """Say that the class that is spoken of is going to be learned, or why it cannot be.

    Args:
        question: what was asked or offered, to go on from when it has been learned.
    """
    try:
        home, concept = about_concept(tracker)
    except Unclear as unclear:
        return ask_back(dispatcher, unclear, "ask_learn")
    can = home.can_learn(concept)
    dispatcher.utter_message(text=speech.learning(home.say, concept, can))
    learn = [FollowupAction("action_learn")] if can else []
    named = mentions(tracker).individuals
    if named and can:
        return [*remember(Topic(named[0][0], concept), OFFERED_WHY), *learn]
    return [*remember(Topic(None, concept), question), *learn]
