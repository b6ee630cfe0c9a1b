"""Held-out questions through the trained pipeline; the files were written without sight of the training data."""

from __future__ import annotations

import asyncio
import csv
import os
from pathlib import Path

import pytest

from tests.conftest import ROOT

FILES = ("held_out_questions.tsv", "held_out_learning.tsv")


@pytest.mark.servers
@pytest.mark.parametrize("name", FILES)
def test_held_out_questions(name: str, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.environ.setdefault("WHYIF_ACTIONS_URL", "http://127.0.0.1:1/webhook")
    from rasa.core.agent import Agent

    agent = Agent.load(str(model))
    with (ROOT / "tests" / name).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) >= 80
    wrong_intents, wrong_links, naming = [], [], 0
    for row in rows:
        parsed = asyncio.run(agent.parse_message(row["question"]))
        if parsed["intent"]["name"] != row["intent"]:
            wrong_intents.append((row["question"], row["intent"], parsed["intent"]["name"]))
        expected = {(kind, row[kind]) for kind in ("individual", "concept") if row[kind]}
        if expected:
            naming += 1
            found = {(e["entity"], e["value"].rpartition("#")[2]) for e in parsed["entities"]}
            found = {(kind, name) for kind, name in found if kind in ("individual", "concept")}
            if found != expected:
                wrong_links.append((row["question"], expected, found))
    intents = 1 - len(wrong_intents) / len(rows)
    links = 1 - len(wrong_links) / naming
    with capsys.disabled():
        print(f"\n{name}: intent right in {intents:.1%} of {len(rows)}, names in {links:.1%} of {naming}")
    assert intents >= 0.95, wrong_intents
    assert links >= 0.95, wrong_links
