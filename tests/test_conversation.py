"""A conversation with the running bot: real Rasa, real action server, over the REST channel."""

from __future__ import annotations

import json
import statistics
from itertools import count

import pytest

from tests.conftest import DATA, ROOT, Bot, run_whyif

pytestmark = pytest.mark.servers

CONVERSATION = [
    ("Hello!", "Hello! I explain why things are what they are"),
    ("what can I ask?", "You can ask me why something belongs to a class"),
    (
        "why is Shelly a turtle?",
        "Shelly is a turtle because it lays eggs, has scales and has a shell. "
        "I would not have classified Shelly as a turtle if it did not have a shell.",
    ),
    ("another explanation", "I would not have classified Shelly as a turtle if it did not lay eggs."),
    ("is there another reason?", "I would not have classified Shelly as a turtle if it did not have scales."),
    ("one more please", "That was all: I have no further explanation."),
    ("and Tatu?", "Tatu is not a turtle: it has scales and has a shell, but it does not lay eggs."),
    ("how could it become a turtle?", "Tatu is not a turtle:"),
    ("why is it a mammal", "Tatu is a mammal because it gives milk, is warm-blooded and has a backbone."),
    ("what do you know about Shelly?", "Shelly is a turtle. It lays eggs,"),
    ("which animals are penguins?", "I know 3 penguins: Pingu, Tux and Adele."),
    ("why is Pingu a penguin", "Pingu is a penguin because it is flightless, has flippers, swims and is a bird."),
    ("why isnt it an eagle?", "Pingu is not an eagle: it is a bird, but it does not have huge wings"),
    ("what is a marsupial?", "Whatever has a pouch, bears live young and is a mammal is a marsupial."),
    ("why does tweety have feathers", "Tweety has feathers because it is a songbird."),
    ("which animals live in the sea?", "Of those I know, "),
    ("why is Plato a bird", "Plato is not a bird:"),
    ("is plato a mamal", "Plato is a mammal because it gives milk"),
    (
        "Why is Anna a mother?",
        "Anna is a mother because she is female and has a child. "
        "I would not have classified Anna as a mother if she did not have a child.",
    ),
    ("another one", "I would not have classified Anna as a mother if she were not female."),
    (
        "why is she not a grandmother?",
        "Anna is not a grandmother: she is female, but she does not have a child who is a parent. "
        "I would have classified Anna as a grandmother if she had a child who is a parent.",
    ),
    ("what about an aunt?", "Anna is not an aunt:"),
    ("why is heinirch a granfather", "Heinrich is a grandfather because he is male and has a child who is a parent."),
    ("why is Kiran a sibling?", "Kiran is a sibling because they have a sibling."),
    ("Why is Ngozi a mother?", "I was told that Ngozi is a mother; nothing else I know leads to it."),
    ("who is Heinrich?", "Heinrich is a great-grandfather"),
    ("which people are great-grandmothers", "I know 9 great-grandmothers: Gerda, "),
    ("why is Fido a dog?", "I do not know anyone or anything called “Fido”."),
    ("why is Anna a dinosaur?", "I do not know any class called “dinosaur”."),
    ("what do you know about Luna?", "I know more than one Luna. Which one do you mean?"),
    ("why is Luna an owl?", "Luna is an owl because it has a facial disc"),
    ("why is Luna a granddaughter?", "Luna is a granddaughter because she is female and has a parent who has a"),
    ("why is Shelly a mother?", "Shelly and “mother” belong to different knowledge bases"),
    ("what's the weather like in Paris?", "I did not understand that."),
    ("thank you", "You are welcome."),
    ("bye", "Goodbye!"),
]

_senders = count()


@pytest.fixture
def sender() -> str:
    """A conversation of its own."""
    return f"conversation-{next(_senders)}"


def test_a_long_conversation_turn_by_turn(bot: Bot, sender: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(CONVERSATION) >= 25
    seconds = []
    for message, expected in CONVERSATION:
        answers = [bot.say(message, sender), bot.say(message, sender + "-again")]  # twice, as machines are noisy
        assert all(answer.text.startswith(expected) for answer in answers), (message, answers)
        seconds.append(min(answer.seconds for answer in answers))
    median, late = statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1]
    with capsys.disabled():
        print(f"\na turn takes {1000 * median:.0f} ms at the median, {1000 * late:.0f} ms at the 95th percentile")
    assert median <= 0.05
    assert late <= 0.15


def test_the_bot_and_the_command_rank_alike(bot: Bot, sender: str) -> None:
    for kb, individual, concept in (("animals", "Luna", "Owl"), ("family", "Heinrich", "Grandfather")):
        result = json.loads(run_whyif("explain", DATA / f"{kb}.ttl", individual, concept, "--json").stdout)
        texts = list(dict.fromkeys(c["text"] for c in result["counterfactuals"]))
        told = [bot.say(f"why is {individual} a {concept}?", sender).text]
        told += [bot.say("another one", sender).text for _ in texts[1:]]
        assert told[0] == f"{result['because']} {texts[0]}"
        assert told[1:] == texts[1:]
        assert "no further explanation" in bot.say("another one", sender).text


def test_buttons_ask_the_whole_question(bot: Bot, sender: str) -> None:
    unclear = bot.say("what do you know about Luna?", sender)
    assert [b["title"] for b in unclear.buttons] == ["Luna (owl)", "Luna (sister)"]
    assert bot.say(unclear.buttons[0]["payload"], sender).text.startswith("Luna is an owl. It")
    assert bot.say(unclear.buttons[1]["payload"], sender).text.startswith("Luna is a sister")


def test_a_question_back_can_be_answered_by_typing(bot: Bot, sender: str) -> None:
    assert bot.say("why is Shelly a dinosaur?", sender).text.startswith("I do not know any class")
    assert bot.say("a turtle", sender).text.startswith("Shelly is a turtle because")
    assert bot.say("why is Fido a turtle?", sender).text.startswith("I do not know anyone")
    assert bot.say("I meant Donatello", sender).text.startswith("Donatello is a turtle because")


def test_conversations_do_not_mix(bot: Bot, sender: str) -> None:
    bot.say("why is Shelly a turtle?", sender)
    bot.say("why is Anna a mother?", sender + "-other")
    assert bot.say("another one", sender).text.startswith("I would not have classified Shelly")
    assert bot.say("why is it a reptile?", sender + "-fresh").text == "Whom or what do you mean?"


def test_the_fallback_offers_questions_that_work(bot: Bot, sender: str) -> None:
    for message in ("asdf qwertz", "tell me a joke", "42"):
        answer = bot.say(message, sender)
        assert answer.text.startswith("I did not understand that.")
        assert 2 <= len(answer.buttons) <= 3
        for button in answer.buttons:
            assert not bot.say(button["payload"], sender).text.startswith(("I do not", "I did not"))


@pytest.mark.parametrize(
    "message",
    [
        "why " * 2500,
        "x" * 10_000,
        "😀😀😀",
        "{{ 7*7 }}",
        "{% for x in range(10) %}a{% endfor %}",
        "<script>alert(1)</script>",
        "why is <script>alert(1)</script> a turtle?",
        "why is {{ 7*7 }} a turtle",
        "/ask_why",
        "/nonsense",
        '/ask_why{"individual": "{{ 7*7 }}", "concept": 5}',
        '/ask_why{"individual": ["a"], "concept": {"b": 1}}',
        "/ask_why{",
        "/restart",
        "\u202eeltrut",
        "'; DROP TABLE events; --",
        "...",
        "?",
    ],
)
def test_odd_messages_get_sane_answers(bot: Bot, sender: str, message: str) -> None:
    answer = bot.say(message, sender)
    if message != "/restart":
        assert answer.text
    assert "49" not in answer.text
    assert "aaaaaaaaaa" not in answer.text
    assert "restarting" not in answer.text  # no action failed
    assert len(answer.text) < 1000
    assert bot.say("why is Shelly a turtle?", sender).text.startswith("Shelly is a turtle because")


def test_the_dialogue_that_readme_leads_with(bot: Bot, sender: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    dialogue = readme.split("```text\n")[1].split("```")[0]
    turns = [turn.split("\n", 1) for turn in dialogue.removeprefix("> ").split("\n> ")]
    assert len(turns) >= 4
    for message, answer in turns:
        assert bot.say(message, sender).text == " ".join(answer.split())
