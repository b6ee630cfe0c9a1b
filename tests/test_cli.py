"""The `whyif` command as people use it: what it prints, and how it complains."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ANIMALS, DATA, PREFIXES, ROOT, run_whyif

KB = DATA / "animals.ttl"


def test_explain_in_words() -> None:
    done = run_whyif("explain", KB, "Shelly", "Turtle")
    assert done.returncode == 0
    assert done.stdout == (
        "Shelly is a turtle because it lays eggs, has scales and has a shell.\n"
        "1. I would not have classified Shelly as a turtle if it did not have a shell.\n"
        "2. I would not have classified Shelly as a turtle if it did not lay eggs.\n"
        "3. I would not have classified Shelly as a turtle if it did not have scales.\n"
    )


def test_explain_is_quick() -> None:
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        run_whyif("explain", KB, "Shelly", "Turtle")
        seconds.append(time.perf_counter() - start)
    assert sorted(seconds)[2] < 1.5, seconds


def test_explain_as_json() -> None:
    done = run_whyif("explain", KB, "Shelly", "Turtle", "--json")
    result = json.loads(done.stdout)
    assert list(result) == [
        "individual",
        "concept",
        "request",
        "holds",
        "because",
        "justification",
        "distance",
        "against",
        "counterfactuals",
    ]
    assert (result["individual"], result["concept"]) == (ANIMALS + "Shelly", "Turtle")
    assert (result["request"], result["holds"], result["distance"]) == ("rem", True, "assertions")
    assert result["because"] == "Shelly is a turtle because it lays eggs, has scales and has a shell."
    assert result["justification"][0] == "Shelly lays eggs."
    assert result["justification"][-1] == "Whatever lays eggs, has scales and has a shell is a turtle."
    assert result["against"]["population"] == "negatives"
    first = result["counterfactuals"][0]
    assert list(first) == ["removed", "added", "distance", "l_min", "l_mean", "nearest", "becomes", "text"]
    assert first["removed"] == [
        {"class": ANIMALS + "Turtle"},
        {"role": ANIMALS + "hasPart", "object": ANIMALS + "shell"},
    ]
    assert first["added"] == []
    assert first["distance"] == 2
    assert first["becomes"] and all(iri.startswith(ANIMALS) for iri in first["becomes"])
    assert first["text"] == "I would not have classified Shelly as a turtle if it did not have a shell."


def test_explain_what_does_not_hold() -> None:
    result = json.loads(run_whyif("explain", KB, "Tatu", "Turtle", "--json").stdout)
    assert (result["request"], result["holds"]) == ("add", False)
    assert {"class": ANIMALS + "LaysEggs"} in result["counterfactuals"][0]["added"]
    assert "if it laid eggs" in result["counterfactuals"][0]["text"]


def test_options_change_the_measure() -> None:
    options = ["--distance", "names", "--against", "others", "--among", "Reptile", "--rank", "mean"]
    result = json.loads(run_whyif("explain", KB, "Shelly", "Turtle", "--json", *options).stdout)
    assert result["distance"] == "names"
    assert result["against"] == {"population": "others", "size": 13}


def test_a_class_expression() -> None:
    done = run_whyif("explain", KB, "shelly", "LaysEggs and (hasCovering some Scales)", "--top", "1")
    assert done.stdout.startswith("Shelly lays eggs and has scales. I would not have said that")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("explain", KB, "Shely", "Turtle"), "no individual called “Shely”; did you mean Shelly"),
        (("explain", KB, "Shelly", "Turtel"), "no class called “Turtel”; did you mean turtle"),
        (("explain", KB, "Shelly", "hasCovring some Scales"), "no role called “hasCovring”; did you mean has covering"),
        (("explain", KB, "Shelly", "not Turtle"), "“not” is not supported"),
        (("explain", KB, "Shelly", "Turtle", "--rank", "best"), "--rank takes min or mean"),
        (("explain", "no-such-file.ttl", "a", "b"), "cannot open no-such-file.ttl: No such file"),
        (("explain", DATA, "a", "b"), "cannot open"),
        (("check", "no-such-file.ttl"), "cannot open no-such-file.ttl"),
        (("chat", "--kb", "no-such-file.ttl"), "cannot open no-such-file.ttl"),
        (("shell", "--kb", "no-such-file.ttl"), "cannot open no-such-file.ttl"),
        (("--kb", "no-such-file.ttl"), "cannot open no-such-file.ttl"),
    ],
)
def test_complaints_are_one_line_with_status_2(arguments: tuple[str | Path, ...], complaint: str) -> None:
    done = run_whyif(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("whyif: ")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("explain",), ("explain", KB), ("--port", "x"), ("nonsense",), ("--nonsense",)])
def test_wrong_usage_has_status_2_and_no_traceback(arguments: tuple[str | Path, ...]) -> None:
    done = run_whyif(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "Error" in done.stderr


@pytest.mark.parametrize(
    ("content", "complaint"),
    [("", "no RDF statements"), ("Hello!", "cannot read"), (PREFIXES + ":A a owl:Class .", "no individuals")],
)
def test_bad_knowledge_bases(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "kb.ttl"
    path.write_text(content)
    for arguments in (("explain", path, "x", "A"), ("chat", "--kb", path)):
        done = run_whyif(*arguments)
        assert done.returncode == 2
        assert complaint in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_busy_port() -> None:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        port = s.getsockname()[1]
        done = run_whyif("chat", "--port", str(port))
    assert done.returncode == 2
    assert re.fullmatch(rf"whyif: port {port} cannot be used .*; choose another one with --port N\n", done.stderr)


def test_check() -> None:
    done = run_whyif("check", KB)
    assert done.returncode == 0
    assert "Nothing was left out." in done.stdout
    assert json.loads(run_whyif("check", KB, "--json").stdout)["left_out"] == []


def test_check_counts_what_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "kb.ttl"
    path.write_text(PREFIXES + ":r a owl:ObjectProperty , owl:ReflexiveProperty . :x a :A .")
    assert "1 × owl:ReflexiveProperty (for example at r)" in run_whyif("check", path).stdout


def test_help() -> None:
    done = run_whyif("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("chat", "shell", "explain", "check"))


def test_readme_shows_what_the_commands_print() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in readme.split("```console\n")[1:]]
    commands = [command.split("\n", 1) for block in blocks for command in block.removeprefix("$ ").split("\n$ ")]
    assert len(commands) >= 3
    for command, printed in commands:
        words = shlex.split(command)
        assert words[:3] == ["uv", "run", "whyif"]
        assert run_whyif(*words[3:]).stdout.strip() == printed.strip(), command


def test_the_wheel_is_complete(tmp_path: Path) -> None:
    uv = os.environ.get("UV") or shutil.which("uv")
    if not uv:
        pytest.skip("needs uv")
    subprocess.run(
        [uv, "build", "--offline", "--wheel", "--out-dir", tmp_path], cwd=ROOT, check=True, capture_output=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path)
    for folder, installed in (("bot", "bot"), ("templates", "explainer/templates"), ("data", "explainer/data")):
        here = {p.relative_to(ROOT / folder) for p in (ROOT / folder).rglob("*.*") if "__pycache__" not in p.parts}
        assert {p.relative_to(tmp_path / installed) for p in (tmp_path / installed).rglob("*.*")} == here
    command = [sys.executable, "-m", "bot.cli", "explain", "explainer/data/animals.ttl", "Shelly", "Turtle"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith("Shelly is a turtle because"), done.stderr
