"""Golden sentences: for every kind of feature, with phrases and without, with labels and without."""

from __future__ import annotations

from typing import Any

import pytest

from explainer import english, speech
from explainer.concepts import TOP, Exists, Name, conjunction, role_assertion
from explainer.counterfactuals import Request, explain
from explainer.reasoner import KnowledgeBase
from explainer.verbalise import Verbaliser
from tests.conftest import ANIMALS, FAMILY, KB

# --- inflection ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("predicate", "negated", "if_so", "if_not", "plural"),
    [
        ("has scales", "does not have scales", "had scales", "did not have scales", "have scales"),
        ("is female", "is not female", "were female", "were not female", "are female"),
        ("is a turtle", "is not a turtle", "were a turtle", "were not a turtle", "are a turtle"),
        ("lays eggs", "does not lay eggs", "laid eggs", "did not lay eggs", "lay eggs"),
        (
            "lives in the sea",
            "does not live in the sea",
            "lived in the sea",
            "did not live in the sea",
            "live in the sea",
        ),
        ("eats fish", "does not eat fish", "ate fish", "did not eat fish", "eat fish"),
        ("flies", "does not fly", "flew", "did not fly", "fly"),
        ("can fly", "cannot fly", "could fly", "could not fly", "can fly"),
        ("cannot fly", "can fly", "could not fly", "could fly", "cannot fly"),
        ("does not fly", "flies", "did not fly", "flew", "do not fly"),
        ("is not married", "is married", "were not married", "were married", "are not married"),
        ("teaches maths", "does not teach maths", "taught maths", "did not teach maths", "teach maths"),
        ("carries young", "does not carry young", "carried young", "did not carry young", "carry young"),
        (
            "is married to someone",
            "is not married to anyone",
            "were married to someone",
            "were not married to anyone",
            "are married to someone",
        ),
    ],
)
def test_forms_of_a_predicate(predicate: str, negated: str, if_so: str, if_not: str, plural: str) -> None:
    assert english.negated(predicate) == negated
    assert english.if_so(predicate) == if_so
    assert english.if_not(predicate) == if_not
    assert english.present(predicate, plural=True) == plural


def test_lists_articles_plurals() -> None:
    assert english.join(["a"]) == "a"
    assert english.join(["a", "b"]) == "a and b"
    assert english.join(["a", "b", "c"], "or") == "a, b or c"
    assert [english.article(n) for n in ("turtle", "eagle", "hour", "unicorn")] == [
        "a turtle",
        "an eagle",
        "an hour",
        "a unicorn",
    ]
    assert [english.plural(n) for n in ("turtle", "mother-in-law", "wife")] == ["turtles", "mothers-in-law", "wives"]
    assert english.question("is a turtle", "Shelly") == "is Shelly a turtle"
    assert english.question("lays eggs", "Shelly") == "does Shelly lay eggs"
    assert english.question("can fly", "Tweety") == "can Tweety fly"


# --- concepts -----------------------------------------------------------------------------------------------------


def has(role: str, filler: Any = TOP) -> Exists:
    return Exists(FAMILY + role, filler)


PARENT, FEMALE = Name(FAMILY + "Parent"), Name(FAMILY + "Female")


@pytest.mark.parametrize(
    ("concept", "said", "unsaid"),
    [
        (PARENT, "is a parent", "were not a parent"),
        (FEMALE, "is female", "were not female"),
        (has("hasChild"), "has a child", "did not have a child"),
        (has("hasChild", PARENT), "has a child who is a parent", "did not have a child who is a parent"),
        (
            has("hasChild", has("hasChild")),
            "has a child who has a child",
            "did not have a child who has a child",
        ),
        (
            has("hasChild", conjunction([FEMALE, has("hasChild", PARENT)])),
            "has a child who is female and has a child who is a parent",
            "did not have a child who is female and has a child who is a parent",
        ),
        (has("married"), "is married to someone", "were not married to anyone"),
        (has("married", has("hasParent")), "is married to someone who has a parent", None),
        (role_assertion(FAMILY + "hasChild", FAMILY + "Luna"), "has Luna as a child", "did not have Luna as a child"),
        (role_assertion(FAMILY + "married", FAMILY + "Anna"), "is married to Anna", "were not married to Anna"),
        (
            conjunction([FEMALE, has("hasChild")]),
            "is female and has a child",
            "were not female or did not have a child",
        ),
        (TOP, "exists", None),
    ],
)
def test_concepts_with_phrases(family: Verbaliser, concept: Any, said: str, unsaid: str | None) -> None:
    assert family.present(concept) == said
    if unsaid:
        assert family.if_not(concept) == unsaid


@pytest.mark.parametrize(
    ("concept", "said", "so"),
    [
        (Name(ANIMALS + "LaysEggs"), "lays eggs", "laid eggs"),
        (Name(ANIMALS + "Turtle"), "is a turtle", "were a turtle"),
        (Exists(ANIMALS + "hasCovering", Name(ANIMALS + "Scales")), "has scales", "had scales"),
        (Exists(ANIMALS + "livesIn", Name(ANIMALS + "Sea")), "lives in the sea", "lived in the sea"),
        (Exists(ANIMALS + "livesIn", TOP), "lives in a place", "lived in a place"),
        (role_assertion(ANIMALS + "hasPart", ANIMALS + "shell"), "has a shell", "had a shell"),
    ],
)
def test_values(animals: Verbaliser, concept: Any, said: str, so: str) -> None:
    assert animals.present(concept) == said
    assert animals.if_so(concept) == so


UNLABELLED = """
:HasEggs a owl:Class . :isHot a owl:Class . :LongCar a owl:Class . :Scales a owl:Class . :Parent a owl:Class .
:hasChild a owl:ObjectProperty . :hasCovering a owl:ObjectProperty . :livesIn a owl:ObjectProperty .
:isPartOf a owl:ObjectProperty . :married a owl:ObjectProperty . :topping a owl:ObjectProperty .
:teacherOf a owl:ObjectProperty . :locatedIn a owl:ObjectProperty .
:car_11 a :LongCar ; :hasChild :BlueCar ; :livesIn [] .
"""


@pytest.mark.parametrize(
    ("concept", "said", "unsaid"),
    [
        (Name(KB + "HasEggs"), "has eggs", "did not have eggs"),
        (Name(KB + "isHot"), "is hot", "were not hot"),
        (Name(KB + "LongCar"), "is a long car", "were not a long car"),
        (Exists(KB + "hasChild", TOP), "has a child", "did not have a child"),
        (
            Exists(KB + "hasCovering", Name(KB + "Scales")),
            "has scales as a covering",
            "did not have scales as a covering",
        ),
        (
            Exists(KB + "hasChild", Name(KB + "Parent")),
            "has a child that is a parent",
            "did not have a child that is a parent",
        ),
        (
            Exists(KB + "hasChild", Exists(KB + "hasChild", TOP)),
            "has a child that has a child",
            "did not have a child that has a child",
        ),
        (role_assertion(KB + "hasChild", KB + "BlueCar"), "has Blue Car as a child", None),
        (Exists(KB + "livesIn", Name(KB + "LongCar")), "lives in a long car", "did not live in a long car"),
        (Exists(KB + "livesIn", TOP), "lives in something", "did not live in anything"),
        (Exists(KB + "isPartOf", TOP), "is a part of something", "were not a part of anything"),
        (Exists(KB + "married", TOP), "is married to something", "were not married to anything"),
        (Exists(KB + "locatedIn", TOP), "is located in something", "were not located in anything"),
        (Exists(KB + "teacherOf", TOP), "is a teacher of something", "were not a teacher of anything"),
        (Exists(KB + "topping", TOP), "has a topping", "did not have a topping"),
    ],
)
def test_concepts_without_any_labels(kb_of: Any, concept: Any, said: str, unsaid: str | None) -> None:
    say = Verbaliser(kb_of(UNLABELLED))
    assert say.present(concept) == said
    if unsaid:
        assert say.if_not(concept) == unsaid


def test_names_without_labels(kb_of: Any) -> None:
    say = Verbaliser(kb_of(UNLABELLED))
    assert say.name(KB + "car_11") == "car 11"
    assert say.name(KB + "BlueCar") == "Blue Car"
    assert speech.about_individual(say, KB + "car_11") == (
        "Car 11 is a long car. It has Blue Car as a child and lives in a thing."
    )


# --- answers ------------------------------------------------------------------------------------------------------


def answer(say: Verbaliser, individual: str, concept: Any, top: int = 1) -> str:
    return speech.answer(say, explain(say.kb, Request(individual, concept)), top)


@pytest.mark.parametrize(
    ("individual", "concept", "expected"),
    [
        (
            "Shelly",
            "Turtle",
            "Shelly is a turtle because it lays eggs, has scales and has a shell. "
            "I would not have classified Shelly as a turtle if it did not have a shell.",
        ),
        (
            "Tatu",
            "Turtle",
            "Tatu is not a turtle: it has scales and has a shell, but it does not lay eggs. "
            "I would have classified Tatu as a turtle if it laid eggs.",
        ),
        (
            "Tweety",
            "WarmBlooded",
            "Tweety is warm-blooded because it is a songbird. "
            "I would not have said that Tweety is warm-blooded if it were not a songbird.",
        ),
        (
            "Rex",
            "Domesticated",
            "I was told that Rex is domesticated; nothing else I know leads to it. "
            "I would not have said that Rex is domesticated if I had not been told so.",
        ),
    ],
)
def test_answers_about_animals(animals: Verbaliser, individual: str, concept: str, expected: str) -> None:
    assert answer(animals, ANIMALS + individual, Name(ANIMALS + concept)) == expected


@pytest.mark.parametrize(
    ("individual", "concept", "expected"),
    [
        (
            "Anna",
            "Mother",
            "Anna is a mother because she is female and has a child. "
            "I would not have classified Anna as a mother if she did not have a child.",
        ),
        (
            "Heinrich",
            "Grandfather",
            "Heinrich is a grandfather because he is male and has a child who is a parent. "
            "I would not have classified Heinrich as a grandfather if he were not male.",
        ),
        (
            "Kiran",
            "Sibling",
            "Kiran is a sibling because they have a sibling. "
            "I would not have classified Kiran as a sibling if they did not have a sibling.",
        ),
        (
            "Kiran",
            "Parent",
            "Kiran is not a parent: they do not have a child. "
            "I would have classified Kiran as a parent if they had a child.",
        ),
        (
            "Jakob",
            "Husband",
            "Jakob is not a husband: he is male, but he is not married to anyone. "
            "I would have classified Jakob as a husband if he were married to someone.",
        ),
        (
            "Ngozi",
            "Mother",
            "I was told that Ngozi is a mother; nothing else I know leads to it. "
            "It means that she is female and has a child. "
            "I would not have classified Ngozi as a mother if she did not have a child.",
        ),
        (
            "Jakob",
            "Schoolchild",
            "As far as I know, Jakob is not a schoolchild. "
            "I would have classified Jakob as a schoolchild if I had been told so.",
        ),
    ],
)
def test_answers_about_people(family: Verbaliser, individual: str, concept: str, expected: str) -> None:
    assert answer(family, FAMILY + individual, Name(FAMILY + concept)) == expected


def test_several_removals_at_once(kb_of: Any) -> None:
    say = Verbaliser(
        kb_of("""
        :Reptilian rdfs:label "reptilian"@en .
        :HasScales say:phrase "has scales"@en . :LaysEggs say:phrase "lays eggs"@en .
        :IsGreen say:phrase "is green"@en .
        :HasScales rdfs:subClassOf :Reptilian . :LaysEggs rdfs:subClassOf :Reptilian .
        :x a :HasScales , :LaysEggs ; rdfs:label "Rango" . :y a :HasScales , :LaysEggs , :IsGreen ; rdfs:label "Lola" .
        :IsGreen rdfs:subClassOf :Reptilian .
        """)
    )
    assert answer(say, KB + "x", Name(KB + "Reptilian")).endswith("if it neither had scales nor laid eggs.")
    assert answer(say, KB + "y", Name(KB + "Reptilian")).endswith(
        "if it did not have scales, did not lay eggs and were not green."
    )


def test_explicit_phrases_win(kb_of: Any) -> None:
    say = Verbaliser(
        kb_of("""
        :Fit owl:equivalentClass [ owl:intersectionOf ( :Sporty [ a owl:Restriction ; owl:onProperty :trains ;
            owl:someValuesFrom :Gym ] ) ] ; rdfs:label "fit person"@en .
        :Sporty say:phrase "does sports"@en ; say:ifNot "did no sports"@en ; say:ifSo "did some sports"@en .
        :trains say:phrase "trains in {object}"@en ; say:ifNot "trained nowhere near {object}"@en .
        :Gym say:object "the gym"@en .
        :x a :Sporty ; rdfs:label "Max" ; say:pronoun "he"@en ; :trains :gym .
        :gym a :Gym . :y :trains :gym ; rdfs:label "Kim" .
        """)
    )
    texts = [
        speech.counterfactual(say, e, i)
        for e in [explain(say.kb, Request(KB + "x", Name(KB + "Fit")))]
        for i in range(len(e.counterfactuals))
    ]
    assert sorted(texts) == [
        "I would not have classified Max as a fit person if he did no sports.",
        "I would not have classified Max as a fit person if he trained nowhere near the gym.",
    ]
    assert answer(say, KB + "y", Name(KB + "Fit")).endswith("if it did some sports.")


def test_an_individual_without_a_name_is_called_by_its_kind(kb_of: Any) -> None:
    kb = kb_of("""
        :Turtle owl:equivalentClass [ owl:intersectionOf ( :Animal :Scaly ) ] ; rdfs:label "turtle"@en .
        :Animal say:noun "animal"@en ; rdfs:label "animal"@en . :Scaly say:phrase "has scales"@en .
        [] a :Animal , :Scaly .
    """)
    (x,) = kb.individuals
    assert answer(Verbaliser(kb), x, Name(KB + "Turtle")).startswith("This animal is a turtle because it")


HOSTILE = """
:Evil rdfs:label "{{ 7*7 }}"@en ; owl:equivalentClass [ owl:intersectionOf ( :P :Q ) ] .
:P say:phrase "has <script>alert(1)</script>"@en . :Q rdfs:label "{% raw %}${jndi:x}"@en .
:x a :P , :Q ; rdfs:label "<b>Bob</b>\\n\\n\\u202e{{ config }}{object}"@en .
"""


def test_nothing_in_a_label_is_interpreted(kb_of: Any) -> None:
    say = Verbaliser(kb_of(HOSTILE))
    text = answer(say, KB + "x", Name(KB + "Evil"))
    assert "49" not in text
    assert "{{ 7*7 }}" in text and "{{ config }}" in text and "<script>alert(1)</script>" in text
    assert "\u202e" not in text
    assert "\n" not in text


@pytest.mark.parametrize("name", ["animals", "family"])
def test_no_answer_about_a_demo_shows_its_machinery(name: str, request: pytest.FixtureRequest) -> None:
    """Every individual with every defined class: no IRI, no logic, no camel case, no leftover of a template."""
    say: Verbaliser = request.getfixturevalue(name)
    kb: KnowledgeBase = say.kb
    for x in kb.individuals[::9]:
        for iri in list(kb.ontology.definitions)[::4]:
            text = answer(say, x, Name(iri), top=3)
            assert not any(bad in text for bad in ("urn:", "#", "∃", "⊓", "{", "}", "None", "  ", "_")), text
            assert not any(word[1:] != word[1:].lower() for word in text.replace("-", " ").split()), text
            assert text.endswith(".")
