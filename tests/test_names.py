"""From what people type to the things they mean."""

from __future__ import annotations

import pytest

from bot.components.linking import Linker, pronouns
from explainer.concepts import TOP, Exists, Name, conjunction
from explainer.errors import AmbiguousName, ConceptSyntaxError, UnknownName
from explainer.manchester import parse_concept
from explainer.names import NameIndex, nearest, normalise
from explainer.verbalise import Verbaliser
from tests.conftest import ANIMALS, FAMILY


@pytest.fixture(scope="module")
def index(animals: Verbaliser, family: Verbaliser) -> NameIndex:
    return NameIndex([animals.kb.ontology, family.kb.ontology])


@pytest.fixture(scope="module")
def linker(index: NameIndex) -> Linker:
    words = (
        "why is not how what which who are there any animals all tell me about you know will so does have become could"
    )
    return Linker(index, [*words.split(), "a", "an", "the", "of", "in", "animal", "person"])


def found(linker: Linker, sentence: str) -> list[tuple[str, list[str]]]:
    linked = linker.link(sentence.replace("?", "").replace(",", "").split())
    return [(m.kind, [e.iri.rpartition("#")[2] for e in m.entries]) for m in linked.mentions]


def test_normalise() -> None:
    assert normalise("Mother-in-Law's") == "mother in law"
    assert normalise("  Żółw ÉTÉ_x ") == "zołw ete x"
    assert normalise("?!") == ""


def test_nearest() -> None:
    names = ["anna", "luna", "turtle", "great grandmother"]
    assert nearest("ana", names) == (1, ["anna"])
    assert nearest("tutrle", names) == (1, ["turtle"])
    assert nearest("grat grandmothre", names) == (2, ["great grandmother"])
    assert nearest("xx", names) == (0, [])
    assert nearest("una", names)[1] == []  # the first letter counts for two


@pytest.mark.parametrize(
    ("sentence", "mentions"),
    [
        ("why is Shelly a turtle?", [("individual", ["Shelly"]), ("concept", ["Turtle"])]),
        ("WHY IS SHELLY A TURTLE", [("individual", ["Shelly"]), ("concept", ["Turtle"])]),
        ("why is shely a turtel", [("individual", ["Shelly"]), ("concept", ["Turtle"])]),
        ("why is Shelly's a birds of prey", [("individual", ["Shelly"]), ("concept", ["BirdOfPrey"])]),
        ("which animals are turtles", [("concept", ["Turtle"])]),
        ("is Shelly an animal", [("individual", ["Shelly"]), ("concept", ["Animal"])]),
        ("is Anna a mother in law", [("individual", ["Anna"]), ("concept", ["MotherInLaw"])]),
        ("is Anna a mother-in-law", [("individual", ["Anna"]), ("concept", ["MotherInLaw"])]),
        ("is Anna a great-grandmohter", [("individual", ["Anna"]), ("concept", ["GreatGrandmother"])]),
        ("are there any workign mothers", [("concept", ["WorkingMother"])]),
        ("why does Shelly lay eggs", [("individual", ["Shelly"]), ("concept", ["LaysEggs"])]),
        ("why is Tweety warm blooded", [("individual", ["Tweety"]), ("concept", ["WarmBlooded"])]),
        ("tell me about Luna", [("individual", ["Luna", "Luna"])]),
        ("why is Fido a turtle", [("unknown", []), ("concept", ["Turtle"])]),
        ("why is it a turtle", [("pronoun", []), ("concept", ["Turtle"])]),
        ("why is this animal a turtle", [("pronoun", []), ("concept", ["Turtle"])]),
        ("why is this turtle a reptile", [("pronoun", []), ("concept", ["Reptile"])]),
        ("why is {{7*7}} a turtle", [("concept", ["Turtle"])]),
        ("", []),
    ],
)
def test_linking(linker: Linker, sentence: str, mentions: list[tuple[str, list[str]]]) -> None:
    assert found(linker, sentence) == mentions


def test_question_words_are_corrected(linker: Linker) -> None:
    assert linker.link(["wyh", "is", "Shelly", "a", "trutle"]).spelling == {0: "why"}
    assert linker.link(["whihc", "animals", "are", "turtles"]).spelling == {0: "which"}


def test_long_messages_are_not_searched(linker: Linker) -> None:
    assert linker.link(["turtle"] * 5000).mentions == ()


def test_pronouns() -> None:
    assert [(m.start, m.end) for m in pronouns(["why", "is", "it", "what", "that", "person"])] == [(2, 3), (4, 6)]


def test_resolve(index: NameIndex) -> None:
    assert index.resolve("Shelly", "individual") == ANIMALS + "Shelly"
    assert index.resolve(ANIMALS + "Shelly", "individual") == ANIMALS + "Shelly"
    assert index.resolve(f"<{ANIMALS}Shelly>", "individual") == ANIMALS + "Shelly"
    assert index.resolve("great-grandmothers", "concept") == FAMILY + "GreatGrandmother"
    with pytest.raises(UnknownName, match="no individual called “Shely”; did you mean Shelly"):
        index.resolve("Shely", "individual")
    with pytest.raises(AmbiguousName, match="2 things") as error:
        index.resolve("Luna", "individual")
    assert error.value.candidates == (ANIMALS + "Luna", FAMILY + "Luna")


def test_class_expressions(index: NameIndex) -> None:
    parent, female = Name(FAMILY + "Parent"), Name(FAMILY + "Female")
    child = FAMILY + "hasChild"
    assert parse_concept("Parent", index) == parent
    assert parse_concept("Female and (hasChild some (Parent and Female))", index) == conjunction(
        [female, Exists(child, conjunction([parent, female]))]
    )
    assert parse_concept("hasChild some Thing and Female", index) == conjunction([female, Exists(child, TOP)])
    assert parse_concept("'great-grandmother' and Female", index) == conjunction(
        [female, Name(FAMILY + "GreatGrandmother")]
    )
    assert parse_concept(f"<{child}> some owl:Thing", index) == Exists(child, TOP)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected a class before the end"),
        ("Female and", "before the end"),
        ("(Female", "“\\)” is missing"),
        ("Female )", "before “\\)”"),
        ("hasChild only Female", "“only” is not supported"),
        ("not Female", "“not” is not supported"),
        ("hasChild some", "before the end"),
    ],
)
def test_bad_class_expressions(index: NameIndex, text: str, complaint: str) -> None:
    with pytest.raises(ConceptSyntaxError, match=complaint):
        parse_concept(text, index)


def test_unknown_names_in_class_expressions(index: NameIndex) -> None:
    with pytest.raises(UnknownName, match="no role called “hasChlid”; did you mean has child"):
        parse_concept("hasChlid some Thing", index)
    with pytest.raises(UnknownName, match="no class called “Femal”"):
        parse_concept("Femal", index)
