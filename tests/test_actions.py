"""The actions, each called with a fresh tracker: what they say, and what they remember."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from rasa_sdk import Action, Tracker
from rasa_sdk.executor import CollectingDispatcher

from actions.facts import ActionAbout, ActionMembers
from actions.learning import ActionAffirm, ActionAskLearn, ActionDeny, ActionLearn, ActionSource
from actions.smalltalk import ActionFallback, ActionGreet, ActionHelp, ActionInform
from actions.why import ActionAnother, ActionExplain
from explainer import catalog
from tests.conftest import ANIMALS, DATA, FAMILY

SHELLY, TURTLE, ANNA = ANIMALS + "Shelly", ANIMALS + "Turtle", FAMILY + "Anna"


UNDEFINED = DATA / "undefined" / "animals.ttl"


@pytest.fixture
def undefined(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The animals without definitions are served, instead of the demo knowledge bases."""
    monkeypatch.setenv(catalog.VARIABLE, str(UNDEFINED))
    for cached in (catalog.served, catalog.name_index):
        cached.cache_clear()
    yield
    for cached in (catalog.served, catalog.name_index):
        cached.cache_clear()


def entity(kind: str, value: str, start: int = 0) -> dict[str, Any]:
    return {
        "entity": kind,
        "value": value,
        "start": start,
        "end": start + 5,
        "extractor": "KnowledgeBaseLinker",
    }


def run(
    action: Action, *entities: dict[str, Any], intent: str = "ask_why", text: str = "", **slots: Any
) -> tuple[str, list[dict[str, str]], dict[str, Any]]:
    """What the action says, its buttons, and the slots it sets."""
    message = {"intent_ranking": [{"name": intent}], "entities": list(entities), "text": text}
    tracker = Tracker("me", slots, message, [], False, None, {}, "action_listen")
    dispatcher = CollectingDispatcher()
    events = action.run(dispatcher, tracker, {})
    if asyncio.iscoroutine(events):
        events = asyncio.run(events)
    (said,) = dispatcher.messages
    return said["text"], said["buttons"], {e["name"]: e.get("value") for e in events}


def test_explain_remembers_what_it_spoke_of() -> None:
    text, buttons, slots = run(ActionExplain(), entity("individual", SHELLY), entity("concept", TURTLE, 10))
    assert text.startswith("Shelly is a turtle because it lays eggs")
    assert buttons == []
    assert slots == {"individual": SHELLY, "concept": TURTLE, "question": "ask_why", "told": 1}


def test_a_pronoun_is_the_last_individual() -> None:
    text, _, _ = run(ActionExplain(), entity("pronoun", "it"), entity("concept", TURTLE, 10), individual=SHELLY)
    assert text.startswith("Shelly is a turtle")


def test_another() -> None:
    said = [run(ActionAnother(), individual=SHELLY, concept=TURTLE, told=told) for told in (1, 2, 3, 4)]
    assert [text for text, _, _ in said] == [
        "I would not have classified Shelly as a turtle if it did not lay eggs.",
        "I would not have classified Shelly as a turtle if it did not have scales.",
        "That was all: I have no further explanation.",
        "That was all: I have no further explanation.",
    ]
    assert said[0][2] == {"told": 2}
    assert run(ActionAnother())[0].startswith("I have not explained anything yet")


def test_why_not_of_what_is_so() -> None:
    text, _, _ = run(ActionExplain(), entity("individual", SHELLY), entity("concept", TURTLE, 10), intent="ask_why_not")
    assert text.startswith("Actually it is so: Shelly is a turtle")


def test_an_unknown_individual_gets_suggestions_that_keep_the_question() -> None:
    text, buttons, slots = run(ActionExplain(), entity("unknown", "Shelby"), entity("concept", TURTLE, 10))
    assert text == "I do not know anyone or anything called “Shelby”. Did you mean one of these?"
    assert {"title": "Shelly", "payload": f'/ask_why{{"individual": "{SHELLY}", "concept": "{TURTLE}"}}'} in buttons
    assert slots["concept"] == TURTLE
    assert slots["question"] == "ask_why"


def test_an_unknown_class() -> None:
    text, buttons, slots = run(ActionExplain(), entity("individual", SHELLY), entity("unknown", "dinosaur", 10))
    assert text.startswith("I do not know any class called “dinosaur”.")
    assert all("Shelly" in b["payload"] and "family" not in b["payload"] for b in buttons)
    assert slots["individual"] == SHELLY


def test_two_things_with_one_name() -> None:
    lunas = [entity("individual", ANIMALS + "Luna"), entity("individual", FAMILY + "Luna")]
    text, buttons, _ = run(ActionAbout(), *lunas, intent="ask_about")
    assert text == "I know more than one Luna. Which one do you mean?"
    assert [b["title"] for b in buttons] == ["Luna (owl)", "Luna (sister)"]
    for concept, expected in ((ANIMALS + "Owl", "Luna is an owl"), (FAMILY + "Daughter", "Luna is a daughter")):
        assert run(ActionExplain(), *lunas, entity("concept", concept, 10))[0].startswith(expected)


def test_an_individual_and_a_class_of_different_knowledge_bases() -> None:
    text, buttons, _ = run(ActionExplain(), entity("individual", SHELLY), entity("concept", FAMILY + "Mother", 10))
    assert text == "Shelly and “mother” belong to different knowledge bases, so I cannot relate them."
    assert buttons == []


def test_a_remembered_class_is_not_used_for_another_knowledge_base() -> None:
    text, buttons, _ = run(ActionExplain(), entity("individual", SHELLY), concept=FAMILY + "Mother")
    assert text == "Which class of Shelly do you mean?"
    assert any("Turtle" in b["payload"] for b in buttons)


def test_values_are_had_not_been() -> None:
    scales = [entity("individual", ANIMALS + "scales", 10), entity("concept", ANIMALS + "Scales", 10)]
    text, _, _ = run(ActionExplain(), entity("individual", SHELLY), *scales)
    assert text == (
        "I was told that Shelly has scales; nothing else I know leads to it. "
        "I would not have said that Shelly has scales if I had not been told so."
    )
    text, _, _ = run(ActionMembers(), *scales, intent="ask_members")
    assert text.startswith("Of those I know, ")
    assert " have scales: Shelly" in text
    feathers = entity("concept", ANIMALS + "Feathers", 10)
    text, _, _ = run(ActionExplain(), entity("individual", ANIMALS + "Tweety"), feathers)
    assert text == (
        "Tweety has feathers because it is a songbird. "
        "I would not have said that Tweety has feathers if it were not a songbird."
    )


def test_about_an_individual_and_a_class() -> None:
    text, _, slots = run(ActionAbout(), entity("individual", SHELLY), intent="ask_about")
    assert text.startswith("Shelly is a turtle. It lays eggs,")
    assert slots["question"] == "ask_about"
    text, _, _ = run(ActionAbout(), entity("concept", TURTLE), intent="ask_about")
    assert text.startswith("Whatever lays eggs, has scales and has a shell is a turtle. I know 4 turtles: Shelly,")


def test_members() -> None:
    text, _, _ = run(ActionMembers(), entity("concept", ANIMALS + "Penguin"), intent="ask_members")
    assert text == "I know 3 penguins: Pingu, Tux and Adele."
    text, _, _ = run(ActionMembers(), entity("concept", FAMILY + "Female"), intent="ask_members")
    assert text.startswith("Of those I know, ") and " are female: " in text


@pytest.mark.parametrize(
    ("question", "name", "expected"),
    [
        (None, entity("individual", SHELLY), "Shelly is a turtle. It lays eggs"),
        ("ask_about", entity("concept", TURTLE), "Whatever lays eggs"),
        ("ask_members", entity("concept", TURTLE), "I know 4 turtles"),
        ("ask_why", entity("concept", ANIMALS + "Bird"), "Shelly is not a bird"),
        ("ask_why", entity("individual", ANIMALS + "Tatu"), "Tatu is not a turtle"),
    ],
)
def test_a_name_alone_repeats_the_last_question(question: str | None, name: dict[str, Any], expected: str) -> None:
    text, _, _ = run(ActionInform(), name, intent="inform", individual=SHELLY, concept=TURTLE, question=question)
    assert text.startswith(expected)


@pytest.mark.parametrize("action", [ActionGreet(), ActionHelp(), ActionFallback()])
def test_real_questions_are_offered(action: Action) -> None:
    _, buttons, _ = run(action)
    assert 2 <= len(buttons) <= 3
    assert all(b["payload"].startswith("/ask_") and b["title"].endswith("?") for b in buttons)
    assert any("animals" in b["payload"] for b in buttons) and any("family" in b["payload"] for b in buttons)


def test_the_fallback_says_what_was_understood() -> None:
    text, buttons, _ = run(ActionFallback(), entity("individual", SHELLY), text="Shelly blah")
    assert text == "I am not sure what you want to know, but I understood Shelly. You could ask:"
    assert buttons[0]["title"] == "Why is Shelly a turtle?"
    assert run(ActionFallback(), text="x" * 501)[0].startswith("That is more than I can take in at once.")


@pytest.mark.parametrize("value", ["http://evil.example/x", "{{ 7*7 }}", "", "<script>"])
def test_forged_buttons(value: str) -> None:
    forged = {"entity": "individual", "value": value, "extractor": "RegexMessageHandler"}
    concept = {"entity": "concept", "value": TURTLE, "extractor": "RegexMessageHandler"}
    text, _, _ = run(ActionExplain(), forged, concept)
    assert text.startswith(f"I do not know anyone or anything called “{value}”.")


# --- learning -----------------------------------------------------------------------------------------------------


def test_a_told_class_is_offered_to_be_learned(undefined: None) -> None:
    text, buttons, slots = run(ActionExplain(), entity("individual", SHELLY), entity("concept", TURTLE, 10))
    assert text == (
        "I was told that Shelly is a turtle, and I have no definition that would say why. "
        "Shall I learn from examples what makes something a turtle?"
    )
    assert buttons == [
        {
            "title": "Learn what a turtle is",
            "payload": f'/ask_learn{{"individual": "{SHELLY}", "concept": "{TURTLE}"}}',
        }
    ]
    assert slots["question"] == "offered_why"
    text, _, slots = run(ActionAffirm(), **slots)
    assert text == "One moment, I am comparing the turtles with the others."
    assert "action_learn" in slots
    assert slots["question"] == "offered_why"


def test_learning_follows_the_announcement() -> None:
    text, _, slots = run(ActionAskLearn(), entity("concept", TURTLE), intent="ask_learn")
    assert (text, "action_learn" in slots) == ("One moment, I am comparing the turtles with the others.", True)
    text, _, after = run(ActionLearn(), **{k: v for k, v in slots.items() if k != "action_learn"})
    assert text.startswith("Whatever is a reptile and has a shell is a turtle.")
    assert after["learned"] == [TURTLE]
    assert "action_listen" in after


def test_what_was_learned_in_the_conversation_explains() -> None:
    asked = (entity("individual", SHELLY), entity("concept", TURTLE, 10))
    text, _, _ = run(ActionExplain(), *asked, learned=[TURTLE])
    assert text.startswith(
        "Shelly is a turtle because it is a reptile and has a shell. This is a rule that I have learned"
    )
    assert run(ActionExplain(), *asked)[0].startswith("Shelly is a turtle because it lays eggs")


def test_an_offer_is_taken_or_left() -> None:
    assert run(ActionAffirm())[0].startswith("I have not offered anything")
    assert run(ActionDeny())[2] == {"question": None}


def test_where_it_comes_from() -> None:
    defined = run(ActionSource(), entity("concept", TURTLE), intent="ask_source")[0]
    assert defined.startswith(
        "That is a definition in the knowledge base, not a rule that I learned: whatever lays eggs,"
    )
    learned = run(ActionSource(), entity("concept", TURTLE), intent="ask_source", learned=[TURTLE])[0]
    assert "the turtles were Shelly, Donatello, Methuselah and Coralie." in learned
    told = run(ActionSource(), entity("concept", ANIMALS + "LaysEggs"), intent="ask_source")[0]
    assert told.startswith("I was told which ones those are")


def test_a_name_alone_after_learning_is_learned_too() -> None:
    text, _, _ = run(ActionInform(), entity("concept", ANIMALS + "Owl"), intent="inform", question="ask_learn")
    assert text == "One moment, I am comparing the owls with the others."


def test_too_few_examples(undefined: None) -> None:
    spines = ANIMALS + "Spines"
    assert run(ActionAskLearn(), entity("concept", spines), intent="ask_learn")[0].startswith("I cannot learn that")


def test_another_process_knows_what_the_conversation_has_learned(undefined: None) -> None:
    catalog.served.cache_clear()  # as after a restart of the action server
    asked = (entity("individual", SHELLY), entity("concept", TURTLE, 10))
    assert "This is a rule that I have learned" in run(ActionExplain(), *asked, learned=[TURTLE])[0]
