"""Learning in the chat: real servers, animals that are told their kinds but not what makes them so."""

from __future__ import annotations

import json
import random
import statistics
import threading
import time
import urllib.request
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.conftest import DATA, Answer, Bot, start_bot

pytestmark = pytest.mark.servers

UNDEFINED = DATA / "undefined" / "animals.ttl"
LEARNED = DATA / "undefined" / "learned.ttl"

ONE_MOMENT = "One moment, I am comparing the"
RULE = "Whatever is a reptile and has a shell is a turtle. I have learned this rule from 4 turtles and 118 others"
BECAUSE = (
    "Shelly is a turtle because it is a reptile and has a shell. This is a rule that I have learned from 122 examples"
)

_senders = count()


@pytest.fixture
def sender() -> str:
    """A conversation of its own."""
    return f"learning-{next(_senders)}"


def hard(path: Path) -> Path:
    """A knowledge base in which some thousand things are zorgs by chance, so that there is no rule to be found."""
    rng = random.Random(0)
    lines = ["@prefix : <urn:hard#> ."]
    for i in range(1000):
        classes = [f":K{rng.randrange(10)}" for _ in range(4)] + ([":Zorg"] if rng.random() < 0.3 else [])
        roles = [f":r{rng.randrange(3)} :x{rng.randrange(1000)}" for _ in range(8)]
        lines.append(f":x{i} a {', '.join(classes)} ; {' ; '.join(roles)} .")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def undefined(model: Path, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bot]:
    """The bot with animals without definitions, and with a class that is hard to learn."""
    running = start_bot(home, "--kb", UNDEFINED, "--kb", hard(tmp_path_factory.mktemp("hard") / "hard.ttl"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def learned(model: Path, home: Path) -> Iterator[Bot]:
    """The bot with animals without definitions and the rules learned of them."""
    running = start_bot(home, "--kb", UNDEFINED, "--learned", LEARNED)
    yield running
    running.stop()


def test_where_nothing_is_defined_the_bot_offers_to_learn(undefined: Bot, sender: str) -> None:
    offer = undefined.say("Why is Shelly a turtle?", sender)
    assert offer.text.endswith("Shall I learn from examples what makes something a turtle?")
    assert [b["title"] for b in offer.buttons] == ["Learn what a turtle is"]
    answer = undefined.say("yes please", sender)
    assert answer.text.startswith(ONE_MOMENT)
    assert RULE in answer.text
    assert BECAUSE in answer.text
    assert answer.text.endswith("I would not have classified Shelly as a turtle if it did not have a shell.")
    assert undefined.say("another one", sender).text.endswith("if it were not a reptile.")
    assert undefined.say("and Donatello?", sender).text.startswith("Donatello is a turtle because it is a reptile")
    assert undefined.say("why is Tatu not a turtle?", sender).text.startswith(
        "Tatu is not a turtle: it has a shell, but it is not a reptile."
    )


def test_the_button_does_what_yes_does(undefined: Bot, sender: str) -> None:
    offer = undefined.say("Why is Donatello a turtle?", sender)
    assert "Donatello is a turtle because" in undefined.say(offer.buttons[0]["payload"], sender).text


def test_an_offer_can_be_left(undefined: Bot, sender: str) -> None:
    undefined.say("Why is Shelly a turtle?", sender)
    assert undefined.say("no thanks", sender).text.startswith("All right.")
    assert undefined.say("yes", sender).text.startswith("I have not offered anything")


@pytest.mark.parametrize("message", ["learn what a bird is", "what makes something a bird?", "what is a bird"])
def test_a_class_is_learned_when_asked_for(undefined: Bot, sender: str, message: str) -> None:
    answer = undefined.say(message, sender)
    assert ONE_MOMENT in answer.text
    assert "Whatever has feathers is a bird. I have learned this rule from 25 birds and 97 others" in answer.text
    assert undefined.say("why do you think Tweety is a bird?", sender).text.startswith(
        "Tweety is a bird because it has feathers. This is a rule that I have learned"
    )
    source = undefined.say("how did you come to think so?", sender).text
    assert "from animals.ttl; the birds were Adebar" in source
    assert "Accuracy 100 %" in source


def test_a_rule_says_which_individuals_it_gets_wrong(undefined: Bot, sender: str) -> None:
    answer = undefined.say("learn what domesticated means", sender).text
    assert "it is right about 113 of these 122: it misses" in answer, answer


def test_what_one_conversation_learns_another_does_not_go_by(undefined: Bot, sender: str) -> None:
    undefined.say("learn what an owl is", sender)
    assert "Shall I learn" in undefined.say("why is Luna an owl?", sender + "-other").text


def test_what_cannot_be_learned(undefined: Bot, sender: str) -> None:
    assert undefined.say("learn what spines are", sender).text.startswith("I cannot learn that")
    assert undefined.say("learn what a dinosaur is", sender).text.startswith("I do not know any class")
    assert undefined.say("learn it", sender + "-fresh").text == "Which class do you mean?"


def test_learning_takes_five_seconds_at_most_and_does_not_keep_others_waiting(undefined: Bot, sender: str) -> None:
    undefined.say("why is Shelly a turtle?", sender)
    answers: list[Answer] = []
    learner = threading.Thread(target=lambda: answers.append(undefined.say("learn what a zorg is", sender)))
    learner.start()
    others = []
    while learner.is_alive():
        others.append(undefined.say("what do you know about Shelly?", sender + "-other").seconds)
        time.sleep(0.1)
    assert "I have learned this rule from" in answers[0].text
    assert 2 < answers[0].seconds < 6
    assert len(others) > 8
    assert statistics.median(others) < 0.3
    assert max(others) < 1.5


def test_that_it_is_working_is_said_at_once(undefined: Bot, sender: str) -> None:
    body = json.dumps({"sender": sender, "message": "learn what a k3 is"}).encode()
    url = f"http://127.0.0.1:{undefined.port}/webhooks/rest/webhook?stream=true"
    start = time.perf_counter()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        first = response.readline()
        after = time.perf_counter() - start
        rest = response.read()
    assert ONE_MOMENT in json.loads(first)["text"]
    assert after < 1
    assert b"learned this rule" in rest
    assert time.perf_counter() - start > after + 1


def test_rules_that_were_written_down(learned: Bot, sender: str) -> None:
    answer = learned.say("why do you think Shelly is a turtle?", sender).text
    assert answer.startswith(BECAUSE)
    assert RULE in learned.say("what makes something a turtle?", sender).text
    assert "from animals.ttl; the turtles were" in learned.say("where did you learn that?", sender).text
    greeting = learned.say("hello", sender)
    assert greeting.buttons[0]["title"].startswith("Why ")
    assert "I have learned" in learned.say(greeting.buttons[0]["payload"], sender).text
