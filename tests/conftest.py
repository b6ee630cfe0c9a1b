"""Shared fixtures: the demo knowledge bases, a trained model, and the running bot."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot import services
from explainer.reasoner import KnowledgeBase
from explainer.verbalise import Verbaliser

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
SHARED = ROOT.parent / "shared"
ANIMALS = "urn:whyif:animals#"
FAMILY = "urn:whyif:family#"


@pytest.fixture(scope="session")
def animals() -> Verbaliser:
    return Verbaliser(KnowledgeBase.load(DATA / "animals.ttl"))


@pytest.fixture(scope="session")
def family() -> Verbaliser:
    return Verbaliser(KnowledgeBase.load(DATA / "family.ttl"))


@pytest.fixture
def kb_of(tmp_path: Path) -> Any:
    """Make a knowledge base of Turtle text; the prefixes :, owl, rdfs, skos and say are there already."""

    def make(turtle: str) -> KnowledgeBase:
        path = tmp_path / "kb.ttl"
        path.write_text(PREFIXES + turtle, encoding="utf-8")
        return KnowledgeBase.load(path)

    return make


PREFIXES = """
@prefix : <http://example.org/kb#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix say: <urn:whyif:say#> .
"""
KB = "http://example.org/kb#"


def run_whyif(
    *arguments: str | Path, home: Path | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run the real command."""
    environment = {**os.environ, **({"WHYIF_HOME": str(home)} if home else {})}
    command = [sys.executable, "-m", "bot.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=timeout, cwd=ROOT)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A WHYIF_HOME of this test run alone."""
    path = tmp_path_factory.mktemp("home")
    before = os.environ.get("WHYIF_HOME")
    os.environ["WHYIF_HOME"] = str(path)
    yield path
    if before is None:
        del os.environ["WHYIF_HOME"]
    else:
        os.environ["WHYIF_HOME"] = before


@pytest.fixture(scope="session")
def model(home: Path) -> Path:
    """The model, trained once in a test run."""
    return services.train()


@dataclass
class Answer:
    """What the bot said to one message."""

    text: str
    buttons: list[dict[str, str]]
    seconds: float


@dataclass
class Bot:
    """A running `whyif chat`."""

    process: subprocess.Popen[str]
    port: int
    output: Path

    def say(self, message: str, sender: str = "test") -> Answer:
        """Send a message over the REST channel."""
        body = json.dumps({"sender": sender, "message": message}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/webhooks/rest/webhook", body, {"Content-Type": "application/json"}
        )
        start = time.perf_counter()
        with urllib.request.urlopen(request, timeout=60) as response:
            messages = json.loads(response.read())
        seconds = time.perf_counter() - start
        text = "\n".join(m["text"] for m in messages if "text" in m)
        return Answer(text, [b for m in messages for b in m.get("buttons", [])], seconds)

    def children(self) -> list[int]:
        """The processes that it has started, by their ids."""
        listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        pairs = [tuple(map(int, line.split())) for line in listing.splitlines()]
        return [pid for pid, parent in pairs if parent == self.process.pid]

    def stop(self, sign: signal.Signals = signal.SIGINT) -> int:
        """End it as Ctrl-C does."""
        self.process.send_signal(sign)
        return self.process.wait(30)


def start_bot(directory: Path, *arguments: str | Path) -> Bot:
    """Start `whyif chat` and wait until it says where to chat."""
    port = services.free_port()
    output = directory / f"chat-{port}.out"
    command = [sys.executable, "-m", "bot.cli", "chat", "--port", str(port), *map(str, arguments)]
    with output.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, text=True, cwd=ROOT)
    deadline = time.monotonic() + 240
    while "Ctrl-C" not in output.read_text():
        assert process.poll() is None, output.read_text()
        assert time.monotonic() < deadline, output.read_text()
        time.sleep(0.2)
    return Bot(process, port, output)


@pytest.fixture(scope="session")
def bot(model: Path, home: Path) -> Iterator[Bot]:
    """The bot with the demo knowledge bases, shared by all tests that only talk to it."""
    running = start_bot(home)
    yield running
    running.stop()
