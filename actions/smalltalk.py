"""Greeting, help, a name alone, and what was not understood; each offers real questions about the knowledge bases."""

from __future__ import annotations

from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.executor import CollectingDispatcher

from actions.conversation import Topic, mentions, payload, recall
from actions.facts import tell_about, tell_members
from actions.learning import ask_learn, tell_source
from actions.why import explain
from explainer import catalog, speech
from explainer.suggestions import Suggestion, suggest

LONGEST_MESSAGE = 500
"""Characters; what is longer is no question that one could answer."""


class ActionGreet(Action):
    """Says hello, and what one can talk about."""

    def name(self) -> str:
        return "action_greet"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        dispatcher.utter_message(text=speech.render("greet", served=catalog.served()), buttons=_buttons(suggest()))
        return []


class ActionHelp(Action):
    """Says what can be asked."""

    def name(self) -> str:
        return "action_help"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        dispatcher.utter_message(text=speech.render("help", served=catalog.served()), buttons=_buttons(suggest()))
        return []


class ActionInform(Action):
    """Takes a name alone as the answer to a question back, or as the last question asked of something else."""

    def name(self) -> str:
        return "action_inform"

    async def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        await recall(tracker)
        question = tracker.get_slot("question") or "ask_about"
        if question == "ask_about":
            return tell_about(dispatcher, tracker)
        of_classes = {"ask_members": tell_members, "ask_source": tell_source, "ask_learn": ask_learn}
        if question in of_classes and not mentions(tracker).individuals:
            return of_classes[question](dispatcher, tracker)
        return explain(dispatcher, tracker, question if question.startswith("ask_why") else "ask_why")


class ActionFallback(Action):
    """Says what was understood, and offers questions that can be answered."""

    def name(self) -> str:
        return "action_fallback"

    def run(self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: Any) -> list[dict[str, Any]]:
        said = mentions(tracker)
        known = [iri for readings in (*said.individuals, *said.concepts) for iri in readings[:1]]
        names = [catalog.home_of(iri)[0].say.name(iri) for iri in known]
        too_long = len(tracker.latest_message.get("text") or "") > LONGEST_MESSAGE
        text = speech.render("not_understood", names=names, too_long=too_long)
        dispatcher.utter_message(text=text, buttons=_buttons(suggest(known)))
        return []


def _buttons(suggestions: list[Suggestion]) -> list[dict[str, str]]:
    return [
        {
            "title": speech.question(s),
            "payload": payload(s.intent, Topic(s.individual, s.concept)),
        }
        for s in suggestions
    ]
