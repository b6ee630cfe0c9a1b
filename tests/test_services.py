"""Starting, watching and ending the servers."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pexpect
import pytest

from tests.conftest import PREFIXES, ROOT, start_bot

pytestmark = pytest.mark.servers

KB = """
<urn:trains> a owl:Ontology ; rdfs:label "trains" .
:LongTrain owl:equivalentClass [ owl:intersectionOf ( :Train [ a owl:Restriction ; owl:onProperty :hasCar ;
    owl:someValuesFrom :LongCar ] ) ] .
:train_1 a :Train ; :hasCar :car_11 . :car_11 a :LongCar . :train_2 a :Train .
:train_3 a :Train ; rdfs:label "{{ 7*7 }}<script>" ; :hasCar :car_11 .
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def test_ones_own_knowledge_base_a_dying_action_server_and_ctrl_c(model: Path, home: Path, tmp_path: Path) -> None:
    kb = tmp_path / "trains.ttl"
    kb.write_text(PREFIXES + KB)
    bot = start_bot(tmp_path, "--kb", kb)
    children: list[int] = []
    try:
        output = bot.output.read_text()
        assert "Training" not in output and "Trained" not in output  # the model of this run is there already
        assert f"http://localhost:{bot.port}/" in output
        answer = bot.say("why is train 1 a long train?").text
        assert answer == (
            "Train 1 is a long train because it is a train and has a car that is a long car. "
            "I would not have classified train 1 as a long train if it did not have a car that is a long car."
        )
        assert "{{ 7*7 }}<script>" in bot.say("which ones are long trains").text

        (actions,) = [pid for pid in bot.children() if "bot.server" in Path(f"/proc/{pid}/cmdline").read_text()]
        os.kill(actions, signal.SIGKILL)
        apology = bot.say("why is train 1 a long train?").text
        assert apology.startswith("I am sorry, I cannot look that up just now")
        deadline = time.monotonic() + 30
        while bot.say("why is train 1 a long train?").text != answer:
            assert time.monotonic() < deadline
            time.sleep(0.5)
        children = bot.children()
        assert len(children) == 2
    finally:
        status = bot.stop()
    assert status == 0
    assert "Goodbye." in bot.output.read_text()
    assert not any(alive(pid) for pid in children)


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_behind(model: Path, home: Path, tmp_path: Path, sign: signal.Signals) -> None:
    kb = tmp_path / "trains.ttl"
    kb.write_text(PREFIXES + KB)
    bot = start_bot(tmp_path, "--kb", kb)
    children = bot.children()
    assert len(children) == 2
    bot.stop(sign)
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in children):
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_the_same_conversation_in_a_rasa_shell(model: Path, home: Path) -> None:
    shell = pexpect.spawn(sys.executable, ["-m", "bot.cli", "shell"], cwd=ROOT, encoding="utf-8", timeout=120)
    shell.setwinsize(50, 300)
    shell.expect("Your input")
    shell.send("why is Shelly a turtle?\r")
    shell.expect("Shelly is a turtle because it lays eggs, has scales and has a shell")
    shell.expect("Your input")
    shell.send("another one\r")
    shell.expect("if it did not lay eggs")
    shell.expect("Your input")
    shell.send("/stop\r")
    shell.expect(pexpect.EOF)
    shell.close()
    assert shell.exitstatus == 0


def test_ctrl_c_ends_the_shell_even_at_a_question(model: Path, home: Path) -> None:
    shell = pexpect.spawn(sys.executable, ["-m", "bot.cli", "shell"], cwd=ROOT, encoding="utf-8", timeout=120)
    shell.setwinsize(50, 300)
    shell.expect("Your input")
    shell.send("what do you know about Luna?\r")
    shell.expect("Which one do you mean")
    shell.expect("Type out")
    shell.sendintr()
    shell.expect(pexpect.EOF)
    assert "Traceback" not in shell.before
    shell.close()
    assert shell.exitstatus == 0
