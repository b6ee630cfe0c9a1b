"""`whyif learn` as people use it, and the learned concepts that the demo ships."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import rdflib
from rdflib.compare import isomorphic

from explainer.names import NameIndex
from explainer.owl import load_ontology
from tests.conftest import ANIMALS, DATA, PREFIXES, run_whyif
from tests.undefined import COPY, undefined

KB = DATA / "animals.ttl"
LEARNED = DATA / "undefined" / "learned.ttl"

SMALL = """
:Rex a :Dog ; :has :tail . :Fido a :Dog ; :has :tail . :Tom a :Cat ; :has :claws . :Tim a :Cat ; :has :claws .
:tail a :Tail . :claws a :Claws . :Solo a :Hermit .
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.ttl"
    path.write_text(PREFIXES + SMALL, encoding="utf-8")
    return path


def test_in_words_with_figures() -> None:
    done = run_whyif("learn", KB, "Turtle")
    assert done.returncode == 0
    assert done.stdout == (
        "Whatever is a reptile and has a shell is a turtle. I have learned this rule from 4 turtles and 118 others, "
        "and it is right about all of them.\n"
        "In Manchester syntax: Reptile and (hasPart some Shell)\n"
        "Accuracy 100.0 %, precision 100.0 %, recall 100.0 %, F1 100.0 %; length 5, role depth 1; "
        "nothing shorter does as well.\n"
    )
    assert not done.stderr.strip()


def test_the_expression_keeps_its_case() -> None:
    assert "\nIn Manchester syntax: hasPart some FacialDisc\n" in run_whyif("learn", KB, "Owl").stdout


def test_as_json() -> None:
    result = json.loads(run_whyif("learn", KB, "Turtle", "--json").stdout)
    assert result["class"] == ANIMALS + "Turtle"
    assert result["concept"] == "Reptile and (hasPart some Shell)"
    assert [result[k] for k in ("accuracy", "precision", "recall", "f1", "length", "role_depth")] == [1, 1, 1, 1, 5, 1]
    assert len(result["positives"]) == 4
    assert len(result["negatives"]) == 118
    assert result["false_positives"] == result["false_negatives"] == []
    assert result["complete"] is True


def test_a_rule_that_errs_says_about_whom() -> None:
    result = json.loads(run_whyif("learn", KB, "Flies", "--json").stdout)
    assert result["accuracy"] == pytest.approx(118 / 122, abs=1e-4)
    wrong = [x.removeprefix(ANIMALS) for x in result["false_positives"] + result["false_negatives"]]
    assert len(wrong) == 4
    assert "118 of these 122: it wrongly includes " in result["text"]
    assert all(name in result["text"] for name in wrong)


def test_examples_by_name() -> None:
    done = run_whyif("learn", KB, "--positive", "Shelly,Donatello", "--negative", "tatu", "--negative", "Tweety")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("What tells them apart is that each ")
    assert "2 positive examples and 2 others" in done.stdout


def test_siblings_and_among(tmp_path: Path) -> None:
    among = json.loads(run_whyif("learn", KB, "Turtle", "--among", "Reptile", "--json").stdout)
    assert len(among["positives"]) + len(among["negatives"]) == 14
    siblings = json.loads(run_whyif("learn", COPY, "Turtle", "--siblings", "--json").stdout)
    assert len(siblings["negatives"]) == 10  # the other reptiles
    assert siblings["concept"] == "hasPart some Shell"


def test_cross_validation_length_and_noise() -> None:
    done = run_whyif("learn", KB, "Mammal", "--cross-validate", "5", "--length", "1", "--noise", "0.1")
    assert "On unseen examples, in 5 parts: accuracy " in done.stdout
    assert json.loads(run_whyif("learn", KB, "Turtle", "--length", "1", "--json").stdout)["length"] == 1


def test_time_is_kept(tmp_path: Path) -> None:
    from tests.test_learning_conversation import hard

    result = json.loads(run_whyif("learn", hard(tmp_path / "hard.ttl"), "Zorg", "--time", "0.5", "--json").stdout)
    assert result["complete"] is False
    assert "there may be a better one" in run_whyif("learn", tmp_path / "hard.ttl", "Zorg", "--time", "0.5").stdout


def test_what_was_learned_explains(tmp_path: Path) -> None:
    path = tmp_path / "turtle.ttl"
    done = run_whyif("learn", COPY, "Turtle", "-o", path)
    assert f"wrote 1 definition to {path}" in done.stderr
    expected = (
        "Shelly is a turtle because it is a reptile and has a shell. This is a rule that I have learned from 122 "
        "examples; it is right about all of them.\n"
        "1. I would not have classified Shelly as a turtle if it did not have a shell.\n"
        "2. I would not have classified Shelly as a turtle if it were not a reptile.\n"
    )
    assert run_whyif("explain", COPY, "Shelly", "Turtle", "--learned", path).stdout == expected
    merged = tmp_path / "merged.ttl"
    merged.write_text(COPY.read_text(encoding="utf-8") + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert run_whyif("explain", merged, "Shelly", "Turtle").stdout == expected
    result = json.loads(run_whyif("explain", COPY, "Tatu", "Turtle", "--learned", path, "--json").stdout)
    assert (result["holds"], result["known"], result["rule"]["examples"]) == (False, False, 122)


def test_when_the_rule_and_what_was_told_differ(tmp_path: Path) -> None:
    path = tmp_path / "flies.ttl"
    run_whyif("learn", KB, "Flies", "-o", path)
    rule = load_ontology(path).rules[ANIMALS + "Flies"]
    included = rule.false_positives[0].removeprefix(ANIMALS)
    told = run_whyif("explain", KB, included, "Flies", "--learned", path).stdout
    assert told.startswith(
        f"By the rule that I have learned, {included} flies because it has wings, but I was not told"
    )
    domesticated = tmp_path / "domesticated.ttl"
    run_whyif("learn", KB, "Domesticated", "-o", domesticated)
    missed = load_ontology(domesticated).rules[ANIMALS + "Domesticated"].false_negatives[0].removeprefix(ANIMALS)
    told = run_whyif("explain", KB, missed, "Domesticated", "--learned", domesticated).stdout
    assert told.startswith(f"I was told that {missed} is domesticated, but the rule that I have learned does not fit: ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("Turtel",), "there is no class called “Turtel”; did you mean turtle"),
        (("Turtle", "--positive", "Shely"), "there is no individual called “Shely”; did you mean Shelly"),
        (("--positive", "Shelly", "--negative", "Shelly,Tatu"), "Shelly cannot be both a positive and a negative"),
        ((), "name a CLASS, or examples with --positive"),
        (("--negative", "Shelly"), "name a CLASS, or examples with --positive"),
        (("--positive", "Shelly", "--siblings"), "--siblings needs a CLASS"),
        (("Turtle", "--among", "Bird"), "there are no instances of “Turtle” to learn from"),
        (("Turtle", "--among", "Turtle"), "there is nothing to tell the instances of “Turtle” from"),
        (("Turtle", "--cross-validate", "5"), "there are 4 for 5 parts"),
        (("Turtle", "-o", "no/such/folder/file.ttl"), "cannot write to no/such/folder/file.ttl"),
    ],
)
def test_complaints_are_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    done = run_whyif("learn", KB, *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_class_with_one_instance(small: Path) -> None:
    done = run_whyif("learn", small, "Hermit")
    assert done.returncode == 0
    assert "1 hermit and " in done.stdout


def test_examples_that_look_alike(small: Path) -> None:
    done = run_whyif("learn", small, "--positive", "Rex", "--negative", "Fido,Tom")
    assert done.returncode == 0
    assert "it is right about 2 of these 3: it wrongly includes Fido." in done.stdout
    alike = run_whyif("learn", small, "--positive", "Rex", "--negative", "Fido", "-o", small.with_name("out.ttl"))
    assert "found nothing that tells them apart" in alike.stdout


def test_learned_files_that_do_not_fit(small: Path, tmp_path: Path) -> None:
    done = run_whyif("shell", "--kb", small, "--learned", LEARNED)
    assert (done.returncode, "is about a class of the knowledge base" in done.stderr) == (2, True)
    done = run_whyif("shell", "--kb", small, "--learned", small)
    assert (done.returncode, "there are no learned rules in" in done.stderr) == (2, True)
    done = run_whyif("explain", small, "Rex", "Dog", "--learned", tmp_path / "none.ttl")
    assert (done.returncode, "none.ttl" in done.stderr) == (2, True)


def test_the_copy_without_definitions_is_in_step() -> None:
    assert isomorphic(rdflib.Graph().parse(COPY), undefined(KB))
    assert not load_ontology(COPY).definitions


def test_the_learned_concepts_of_the_demo_are_those_that_the_command_makes(tmp_path: Path) -> None:
    path = tmp_path / "learned.ttl"
    done = run_whyif("learn", COPY, "--all", "-o", path, "--time", "60")  # so that no stall of the machine matters
    assert done.returncode == 0, done.stderr
    made, shipped = load_ontology(path).rules, load_ontology(LEARNED).rules
    assert len(shipped) > 60
    assert {c: (r.concept, r.positives, r.negatives) for c, r in made.items()} == {
        c: (r.concept, r.positives, r.negatives) for c, r in shipped.items()
    }
    names = NameIndex([load_ontology(COPY)])
    assert all(names.exact(line.split(":")[0]) for line in done.stdout.splitlines()[:-1])
    assert "Nothing good enough (F1 80 %) for " in done.stdout.splitlines()[-1]
