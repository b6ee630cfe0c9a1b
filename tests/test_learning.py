"""The concept learner: optimal, honest about what it learned, reproducible, and blind to what would give it away."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explainer import TOP, Exists, KnowledgeBase, Name, conjunction, learning
from explainer.concepts import Concept, Iri, length, role_depth, subconcepts
from explainer.errors import LearningError
from explainer.learning import MOST_AT_ONCE, Examples, Limits, Progress, cross_validated, examples_of, hidden, learn
from explainer.ontology import Ontology
from explainer.rules import Rule
from tests.conftest import KB, ROOT
from tests.strategies import CLASSES, EIGHT, ROLES, learning_tasks
from tests.test_learning_targets import Density, any_target, knowledge_base, split

Task = tuple[Ontology, tuple[Iri, ...], tuple[Iri, ...]]
Score = tuple[int, int]
"""Errors and length of a concept."""

relaxed = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


def class_(name: str) -> Name:
    return Name(KB + name)


def iris(names: str) -> tuple[Iri, ...]:
    return tuple(KB + name for name in names.split())


def class_names(concept: Concept) -> set[Iri]:
    return {c.iri for c in subconcepts(concept) if isinstance(c, Name)}


def some(role: str, filler: str) -> str:
    return f"[ a owl:Restriction ; owl:onProperty :{role} ; owl:someValuesFrom {filler} ]"


def both(*concepts: str) -> str:
    return f"[ a owl:Class ; owl:intersectionOf ( {' '.join(concepts)} ) ]"


def defined(name: str, *parts: str) -> str:
    return f":{name} owl:equivalentClass {both(*parts) if len(parts) > 1 else parts[0]} . "


def score(rule: Rule) -> Score:
    return rule.errors, length(rule.concept)


# --- optimal --------------------------------------------------------------------------------------------------------

LONGEST = 7


@cache
def simple(size: int) -> tuple[Concept, ...]:
    """All names and existential restrictions of 2 · size − 1 symbols."""
    if size == 1:
        return tuple(map(Name, CLASSES))
    return tuple(Exists(role, c) for role in ROLES for c in every(size - 1))


@cache
def conjunctions(size: int) -> frozenset[Concept]:
    pairs = ((c, d) for n in range(1, size) for c in (*simple(n), *conjunctions(n)) for d in simple(size - n))
    return frozenset(c for c in map(conjunction, pairs) if length(c) == 2 * size - 1)


@cache
def every(size: int) -> tuple[Concept, ...]:
    return (*((TOP,) if size == 1 else ()), *simple(size), *conjunctions(size))


ALL = [c for size in range(1, (LONGEST + 1) // 2 + 1) for c in every(size)]


def scores(kb: KnowledgeBase, examples: Examples) -> list[Score]:
    """The scores of all concepts that may be learned: those that cover a positive example."""
    unseen = hidden(kb, examples.target)
    found = []
    for concept in ALL:
        covered = sum(kb.entails(concept, x) for x in examples.positives)
        if covered and class_names(concept).isdisjoint(unseen):
            wrong = sum(kb.entails(concept, x) for x in examples.negatives)
            found.append((len(examples.positives) - covered + wrong, length(concept)))
    return found


def test_all_concepts_are_all_concepts() -> None:
    assert len(ALL) == len(set(ALL)) == 4 + 11 + 47 + 212
    assert Counter(map(length, ALL)) == {1: 4, 3: 11, 5: 47, 7: 212}
    assert max(map(role_depth, ALL)) == 3


@settings(relaxed, max_examples=150)
@given(learning_tasks(), st.sampled_from([None, *CLASSES]))
def test_nothing_is_more_accurate_and_nothing_as_accurate_is_shorter(task: Task, target: Iri | None) -> None:
    kb = KnowledgeBase(task[0])
    examples = Examples(target, *task[1:])
    rule = learn(kb, examples, Limits(length=LONGEST))
    assert rule.complete
    assert score(rule) == min(scores(kb, examples))


@settings(relaxed, max_examples=250)
@given(learning_tasks(), st.sampled_from([0.125, 0.25, 0.4]))
def test_with_noise_it_is_the_shortest_that_is_accurate_enough(task: Task, noise: float) -> None:
    kb = KnowledgeBase(task[0])
    examples = Examples(None, *task[1:])
    rule = learn(kb, examples, Limits(length=LONGEST, noise=noise))
    possible = scores(kb, examples)
    allowed = max(int(noise * len(EIGHT)), min(possible)[0])
    assert rule.complete
    assert rule.errors <= allowed
    assert length(rule.concept) == min(size for errors, size in possible if errors <= allowed)


@pytest.mark.parametrize(("noise", "errors", "size"), [(0.0, 0, 3), (0.25, 1, 1)])
def test_noise_allows_a_shorter_concept_though_one_without_errors_exists(
    kb_of: Any, noise: float, errors: int, size: int
) -> None:
    kb = kb_of(":p1 a :A ; :s :n1 . :p2 :s :n1 . :n1 a :B . :n2 a :B . ")
    rule = learn(kb, Examples(None, iris("p1 p2"), iris("n1 n2")), Limits(noise=noise))
    assert score(rule) == (errors, size)


def test_noise_does_not_excuse_errors_that_make_nothing_shorter(kb_of: Any) -> None:
    kb = kb_of(
        ":p1 a :A , :B ; :s :m . :p2 a :A , :B ; :s :m . :p3 a :C ; :s :m . :p4 a :C ."
        ":n1 a :A , :C . :n2 a :A , :C . :n3 a :B , :C . :n4 a :B , :C ."
    )
    examples = Examples(None, iris("p1 p2 p3 p4"), iris("n1 n2 n3 n4"))
    for noise in (0.0, 0.25):
        rule = learn(kb, examples, Limits(noise=noise))
        assert (rule.concept, rule.errors) == (Exists(KB + "s", TOP), 1)


# --- honest ---------------------------------------------------------------------------------------------------------


@relaxed
@given(learning_tasks(), st.sampled_from([None, *CLASSES]), st.sampled_from([0.0, 0.25]))
def test_what_a_rule_says_of_itself_is_what_the_reasoner_says(task: Task, target: Iri | None, noise: float) -> None:
    kb = KnowledgeBase(task[0])
    _, positives, negatives = task
    rule = learn(kb, Examples(target, positives, negatives), Limits(noise=noise, length=9))
    covered = {x for x in EIGHT if kb.entails(rule.concept, x)}
    assert (rule.target, rule.positives, rule.negatives) == (target, positives, negatives)
    assert rule.false_positives == tuple(x for x in negatives if x in covered)
    assert rule.false_negatives == tuple(x for x in positives if x not in covered)
    right = len(covered & set(positives))
    precision, recall = right / max(len(covered), 1), right / len(positives)
    assert rule.accuracy == pytest.approx(sum((x in covered) == (x in positives) for x in EIGHT) / len(EIGHT))
    assert (rule.precision, rule.recall) == pytest.approx((precision, recall))
    assert rule.f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert right or rule.concept == TOP


@relaxed
@given(learning_tasks(), st.integers(1, 9), st.integers(0, 3))
def test_concepts_are_no_longer_and_no_deeper_than_allowed(task: Task, longest: int, deepest: int) -> None:
    kb = KnowledgeBase(task[0])
    concept = learn(kb, Examples(None, *task[1:]), Limits(length=longest, depth=deepest)).concept
    assert length(concept) <= longest
    assert role_depth(concept) <= deepest


def test_what_fits_only_beyond_the_limits_is_not_learned(kb_of: Any) -> None:
    kb = kb_of(":p :r :q . :q :r :s . :s a :A . :n :r :m . :m :r :l . :l a :B . ")
    examples = Examples(None, iris("p"), iris("n"))
    fits = Exists(KB + "r", Exists(KB + "r", class_("A")))
    assert learn(kb, examples).concept == fits
    assert learn(kb, examples, Limits(length=5, depth=2)).concept == fits
    assert learn(kb, examples, Limits(length=4)).concept == TOP
    assert learn(kb, examples, Limits(depth=1)).concept == TOP


def noisy(seed: int, density: Density, each: int, flipped: int) -> tuple[KnowledgeBase, Examples]:
    """Examples of a random concept, some of which are on the wrong side."""
    rng = random.Random(seed)
    kb = knowledge_base(rng, density)
    while True:
        sides = split(kb, any_target(rng, kb, 5))
        if min(map(len, sides)) >= each:
            break
    positives, negatives = (rng.sample(side, each) for side in sides)
    positives[:flipped], negatives[:flipped] = negatives[:flipped], positives[:flipped]
    return kb, Examples(None, tuple(positives), tuple(negatives))


@pytest.fixture(scope="module")
def hard() -> tuple[KnowledgeBase, Examples]:
    return noisy(0, Density(10, 3, 4, 8), each=50, flipped=5)


def test_it_ends_when_its_time_is_up(hard: tuple[KnowledgeBase, Examples]) -> None:
    start = time.perf_counter()
    rule = learn(*hard, Limits(seconds=1))
    assert time.perf_counter() - start < 1.6
    assert not rule.complete
    assert rule.errors <= 10


def test_without_any_time_it_returns_something_and_says_that_it_is_not_done(
    hard: tuple[KnowledgeBase, Examples],
) -> None:
    start = time.perf_counter()
    rule = learn(*hard, Limits(seconds=0))
    assert time.perf_counter() - start < 0.6
    assert not rule.complete
    assert rule.positives == hard[1].positives


def test_it_says_that_it_is_done_only_when_more_time_does_not_help() -> None:
    done = set()
    for seed in range(6):
        kb, examples = noisy(seed, Density(10, 3, 2, 3), each=20, flipped=2)
        best = learn(kb, examples, Limits(length=7, seconds=20))
        assert best.complete
        for seconds in (0.0, 0.02, 0.1, 20):
            rule = learn(kb, examples, Limits(length=7, seconds=seconds))
            done.add(rule.complete)
            assert score(rule) >= score(best)
            assert not rule.complete or rule.concept == best.concept
    assert done == {True, False}


def test_progress_only_gets_better(hard: tuple[KnowledgeBase, Examples]) -> None:
    steps: list[Progress] = []
    rule = learn(*hard, Limits(seconds=0.5), steps.append)
    assert len(steps) > 3
    assert all(later.errors <= earlier.errors for earlier, later in pairwise(steps))
    assert all(step.length % 2 == 1 for step in steps)
    assert (steps[-1].concept, steps[-1].errors) == (rule.concept, rule.errors)
    assert len({step.errors for step in steps}) > 1


def test_progress_reaches_the_greatest_length_where_nothing_fits(kb_of: Any) -> None:
    steps: list[Progress] = []
    kb = kb_of(":p a :A . :q a :B . :n a :A , :B . ")
    learn(kb, Examples(None, iris("p q"), iris("n")), Limits(length=7), steps.append)
    assert steps
    assert steps[-1].errors == 1
    assert all(step.length % 2 == 1 and step.length <= 7 for step in steps)


# --- reproducible ---------------------------------------------------------------------------------------------------

LEARN_SEVERAL = """
from explainer import KnowledgeBase
from explainer.learning import Limits, examples_of, learn
from tests.test_learning import noisy
from tests.test_learning_targets import Density

for file in ("animals", "family"):
    kb = KnowledgeBase.load(f"data/{file}.ttl")
    for target in sorted(kb.ontology.definitions)[::5]:
        rule = learn(kb, examples_of(kb, target), Limits(length=9, seconds=60))
        print(target, rule.complete, rule.errors, rule.concept)
for seed in range(3):
    rule = learn(*noisy(seed, Density(10, 3, 2, 3), each=20, flipped=2), Limits(length=7, seconds=60))
    print(rule.complete, rule.errors, rule.concept)
"""


def learned_with_hash_seed(seed: int) -> list[str]:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-c", LEARN_SEVERAL]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert not result.returncode, result.stderr
    return result.stdout.splitlines()


def test_it_does_not_depend_on_the_order_of_hashes() -> None:
    one, other = map(learned_with_hash_seed, (1, 2))
    assert one == other
    assert len(one) > 10
    assert not any(" False " in line for line in one)


def test_the_same_examples_give_the_same_concept() -> None:
    kb, examples = noisy(1, Density(60, 10, 4, 6), each=20, flipped=1)
    for limits in (Limits(length=5, seconds=30), Limits(length=7, seconds=30, noise=0.1)):
        one, other = (learn(kb, examples, limits) for _ in range(2))
        assert one.complete
        assert repr(one.concept) == repr(other.concept)  # in the same order too


# --- blind to what would give the target away -----------------------------------------------------------------------

P, N = iris("p1 p2 p3 p4 p5 p6"), iris("n1 n2 n3 n4 n5 n6")


def told(positives: str, negatives: Callable[[int], str]) -> str:
    """What is said of p1 … p6 and n1 … n6; each has an r-successor that it is an s-successor of."""
    said = [(f"p{i}", positives) for i in range(1, 7)] + [(f"n{i}", negatives(i)) for i in range(1, 7)]
    return "".join(f":{x} a {classes} ; :r :of_{x} . :of_{x} :s :{x} . " for x, classes in said)


LONGER = told(":A , :P , :Q , :R", lambda i: (":P , :Q", ":Q , :R", ":P , :R")[i % 3])
"""Of :A; P ⊓ Q ⊓ R fits, and no shorter concept without what leaks."""
LESS_ACCURATE = told(":A , :P", lambda i: (":P", ":Q")[i % 2])
"""Of :A; P is the best there is without what leaks, and covers three of the others."""
LEAKS = {
    "synonym": (":A owl:equivalentClass :L . ", "L"),
    "synonym the other way round": (":L owl:equivalentClass :A . ", "L"),
    "synonym of a synonym": (":A owl:equivalentClass :K . :L owl:equivalentClass :K . ", "K L"),
    "subclass": (":L rdfs:subClassOf :A . " + "".join(f":p{i} a :L . " for i in range(1, 7)), "L"),
    "subclass by its definition": (defined("L", ":A", some("r", "owl:Thing")), "L"),
    "defined by the target": (defined("D", some("s", ":A")), "D"),
    "defined by the target and more": (
        defined("D", ":Q", some("s", ":A"))
        + "".join(f":of_{x} a :Q . " for x in [f"{side}{i}" for side in "pn" for i in range(1, 7)]),
        "D",
    ),
    "defined by more and a synonym, in depth": (
        defined("E", ":P", some("r", both(some("s", ":L"), "owl:Thing"))) + ":L owl:equivalentClass :A . ",
        "E L",
    ),
    "defined by a synonym": (":A owl:equivalentClass :L . " + defined("D", some("s", ":L")), "D L"),
    "defined by the target in depth": (defined("D", some("s", both(":A", some("r", "owl:Thing")))), "D"),
    "defined by what the target defines": (defined("D", some("s", ":A")) + defined("E", some("r", ":D")), "D E"),
    "synonym of what the target defines": (defined("D", some("s", ":A")) + ":E owl:equivalentClass :D . ", "D E"),
    "defined by two inclusions": (
        f":D rdfs:subClassOf {some('s', ':A')} . {some('s', ':A')} rdfs:subClassOf :D . ",
        "D",
    ),
}


@pytest.mark.parametrize("base", [LONGER, LESS_ACCURATE], ids=["longer", "less accurate"])
@pytest.mark.parametrize(("axioms", "leaks"), LEAKS.values(), ids=LEAKS.keys())
def test_nothing_gives_the_target_away(
    kb_of: Any, monkeypatch: pytest.MonkeyPatch, base: str, axioms: str, leaks: str
) -> None:
    kb = kb_of(base + axioms)
    target, leaking = KB + "A", set(iris(leaks))
    rule = learn(kb, Examples(target, P, N))
    assert class_names(rule.concept).isdisjoint({target} | leaking)
    monkeypatch.setattr(learning, "hidden", lambda kb, target: frozenset({target}))
    peeking = learn(kb, Examples(target, P, N))
    assert class_names(peeking.concept) & leaking
    assert score(peeking) < score(rule)
    assert {target} | leaking <= hidden(kb, target)


@pytest.mark.parametrize("base", [LONGER, LESS_ACCURATE], ids=["longer", "less accurate"])
def test_the_target_itself_is_not_used(kb_of: Any, monkeypatch: pytest.MonkeyPatch, base: str) -> None:
    kb = kb_of(base)
    rule = learn(kb, Examples(KB + "A", P, N))
    assert score(rule) == {LONGER: (0, 5), LESS_ACCURATE: (3, 1)}[base]
    monkeypatch.setattr(learning, "hidden", lambda kb, target: frozenset())
    assert learn(kb, Examples(KB + "A", P, N)).concept == class_("A")
    assert learn(kb, Examples(None, P, N)).concept == class_("A")


def test_the_target_is_not_used_of_others_either(kb_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    relatives = "".join(f":p{i} :t :p{i % 6 + 1} . :n{i} :t :n{i % 6 + 1} . " for i in range(1, 7))
    kb = kb_of(LESS_ACCURATE + relatives + defined("L", ":A", some("t", "owl:Thing")))
    rule = learn(kb, Examples(KB + "A", P, N))
    assert class_names(rule.concept).isdisjoint(iris("A L"))
    for visible in iris("A L"):
        monkeypatch.setattr(learning, "hidden", lambda kb, target, out=visible: frozenset(iris("A L")) - {out})
        assert visible in class_names(learn(kb, Examples(KB + "A", P, N)).concept)


def test_what_has_nothing_to_do_with_the_target_is_not_hidden(kb_of: Any) -> None:
    kb = kb_of(LONGER + ":A rdfs:subClassOf :Above . " + defined("O", ":P", some("r", ":Q")))
    assert hidden(kb, KB + "A") == {KB + "A"}
    assert hidden(kb, KB + "P") == set(iris("P O"))
    assert hidden(kb, None) == frozenset()


# --- unnamed fillers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axioms", "learned"),
    [
        (
            f":A rdfs:subClassOf {some('r', ':C')} . :B rdfs:subClassOf {some('r', ':C')} .",
            Exists(KB + "r", class_("C")),
        ),
        (
            f":A rdfs:subClassOf {some('r', some('s', ':C'))} . :B rdfs:subClassOf {some('r', some('s', ':C'))} .",
            Exists(KB + "r", Exists(KB + "s", class_("C"))),
        ),
        (
            f":q rdfs:subPropertyOf :r . :A rdfs:subClassOf {some('q', ':C')} . :B :q2 [] . :B rdfs:subClassOf"
            f" {some('r', ':C')} .",
            Exists(KB + "r", class_("C")),
        ),
        (
            f":A rdfs:subClassOf {some('r', ':E')} . :B rdfs:subClassOf {some('r', ':F')} . :E rdfs:subClassOf :C ."
            f" :F rdfs:subClassOf {both(':C', ':G')} .",
            Exists(KB + "r", class_("C")),
        ),
    ],
    ids=["told", "nested", "by a role inclusion", "by inclusions of the fillers"],
)
def test_unnamed_fillers_are_learned_from(kb_of: Any, axioms: str, learned: Concept) -> None:
    others = f":N rdfs:subClassOf {both(some('r', some('s', ':D')), some('q', ':D'))} . "
    kb = kb_of(axioms + others + ":p1 a :A . :p2 a :B . :p3 a :A . :n1 a :N . :n2 a :N , :C . ")
    rule = learn(kb, Examples(None, iris("p1 p2 p3"), iris("n1 n2")))
    assert (rule.errors, rule.concept) == (0, learned)
    assert not any(kb.links(x) for x in kb.individuals)


def test_named_and_unnamed_fillers_are_alike(kb_of: Any) -> None:
    kb = kb_of(
        f":A rdfs:subClassOf {some('r', ':C')} . :p1 a :A . :p2 :r :c . :c a :C . :n1 :r :d . :d a :D . :n2 a :C . "
    )
    assert learn(kb, Examples(None, iris("p1 p2"), iris("n1 n2"))).concept == Exists(KB + "r", class_("C"))


# --- examples -------------------------------------------------------------------------------------------------------

KENNEL = """
:Animal a owl:Class . :Mammal rdfs:subClassOf :Animal . :Canine rdfs:subClassOf :Mammal .
:Dog rdfs:subClassOf :Canine . :Bird rdfs:subClassOf :Animal . :Unicorn a owl:Class .
:rex a :Dog . :laika a :Dog . :tom a :Mammal . :tweety a :Bird . :flipper a :Mammal . :sea a :Habitat .
"""


def sides(examples: Examples) -> tuple[set[str], set[str]]:
    positives, negatives = ({x.removeprefix(KB) for x in side} for side in (examples.positives, examples.negatives))
    return positives, negatives


def test_the_others_are_those_of_the_broadest_class_that_the_positives_share(kb_of: Any) -> None:
    kb = kb_of(KENNEL)
    assert sides(examples_of(kb, KB + "Dog")) == ({"rex", "laika"}, {"tom", "tweety", "flipper"})
    assert sides(examples_of(kb, positives=iris("rex tom"))) == ({"rex", "tom"}, {"laika", "tweety", "flipper"})
    assert sides(examples_of(kb, positives=iris("rex sea"))) == (
        {"rex", "sea"},
        {"laika", "tom", "tweety", "flipper"},
    )


def test_siblings_are_those_of_the_nearest_superclass_that_has_more_instances(kb_of: Any) -> None:
    kb = kb_of(KENNEL)
    assert sides(examples_of(kb, KB + "Dog", siblings=True)) == ({"rex", "laika"}, {"tom", "flipper"})
    assert sides(examples_of(kb, KB + "Canine", siblings=True)) == ({"rex", "laika"}, {"tom", "flipper"})
    assert sides(examples_of(kb, KB + "Mammal", siblings=True))[1] == {"tweety"}
    assert sides(examples_of(kb, KB + "Habitat", siblings=True))[1] == {"rex", "laika", "tom", "tweety", "flipper"}


def test_given_examples_are_taken_as_they_are(kb_of: Any) -> None:
    kb = kb_of(KENNEL)
    assert sides(examples_of(kb, KB + "Dog", negatives=iris("sea"))) == ({"rex", "laika"}, {"sea"})
    assert sides(examples_of(kb, KB + "Dog", positives=iris("rex"))) == ({"rex"}, {"tom", "tweety", "flipper"})
    assert sides(examples_of(kb, KB + "Dog", iris("tom"), iris("rex"))) == ({"tom"}, {"rex"})
    assert sides(examples_of(kb, KB + "Dog", among=class_("Mammal")))[1] == {"tom", "flipper"}
    assert sides(examples_of(kb, KB + "Mammal", among=class_("Canine"), negatives=iris("sea")))[0] == {"rex", "laika"}


def test_examples_of_nothing_against_nothing_or_on_both_sides_are_refused(kb_of: Any) -> None:
    kb = kb_of(KENNEL + ":rex a :Any . :laika a :Any . :tom a :Any . :tweety a :Any . :flipper a :Any . :sea a :Any . ")
    for refused in (
        lambda: examples_of(kb, KB + "Unicorn"),
        lambda: examples_of(kb, KB + "Any"),
        lambda: examples_of(kb),
        lambda: examples_of(kb, KB + "Dog", iris("rex"), iris("rex tom")),
        lambda: examples_of(kb, KB + "Dog", among=class_("Bird")),
        lambda: examples_of(kb, KB + "Dog", among=class_("Dog")),
        lambda: Examples(None, (), iris("rex")),
        lambda: Examples(None, iris("rex"), ()),
        lambda: Examples(KB + "Dog", iris("rex tom"), iris("tom")),
    ):
        with pytest.raises(LearningError) as error:
            refused()
        assert "\n" not in str(error.value)
    with pytest.raises(LearningError, match="tom cannot be both"):
        Examples(KB + "Dog", iris("rex tom"), iris("tom"))
    with pytest.raises(KeyError):
        learn(kb, Examples(None, iris("rex"), iris("nobody")))


def test_a_class_of_one_instance_is_learned(kb_of: Any) -> None:
    kb = kb_of(KENNEL + ":Star rdfs:subClassOf :Animal . :laika a :Star ; :visited :space . ")
    rule = learn(kb, examples_of(kb, KB + "Star"))
    assert (rule.concept, rule.errors, rule.positives) == (Exists(KB + "visited", TOP), 0, iris("laika"))


def test_examples_that_no_concept_tells_apart_cost_an_error_each(kb_of: Any) -> None:
    kb = kb_of(":p a :A . :twin a :A . ")
    rule = learn(kb, Examples(None, iris("p"), iris("twin")))
    assert (rule.concept, rule.false_positives, rule.false_negatives, rule.complete) == (TOP, iris("twin"), (), True)
    assert (rule.accuracy, rule.precision, rule.recall, rule.f1) == (0.5, 0.5, 1, pytest.approx(2 / 3))


def test_the_best_is_found_among_contradictory_examples(kb_of: Any) -> None:
    kb = kb_of(":p1 a :A , :B . :p2 a :A , :B . :p3 a :A . :n1 a :B . :n2 a :B . :twin a :A , :B . ")
    rule = learn(kb, Examples(None, iris("p1 p2 p3"), iris("n1 n2 twin")))
    assert (rule.concept, rule.false_positives, rule.false_negatives) == (class_("A"), iris("twin"), ())
    assert (rule.accuracy, rule.precision, rule.recall) == (pytest.approx(5 / 6), 0.75, 1)


def test_individuals_of_which_nothing_is_said_can_be_examples(kb_of: Any) -> None:
    kb = kb_of(":p a owl:NamedIndividual . :n a :A . ")
    assert learn(kb, Examples(None, iris("p"), iris("n"))).concept == TOP
    assert learn(kb, Examples(None, iris("n"), iris("p"))).concept == class_("A")


# --- many examples --------------------------------------------------------------------------------------------------


def test_rare_examples_count_though_not_all_are_seen_at_once(kb_of: Any) -> None:
    """Nearly all negatives lack P; ten have it and lack Q, and ten positives that lack R are as rare."""
    positives, negatives = ([f"{side}{i:04}" for i in range(1500)] for side in "pn")
    assert len(positives) + len(negatives) > MOST_AT_ONCE
    rare = set(range(701, 1500, 75))
    classes = {x: "P , :Q" if int(x[1:]) in rare else "P , :Q , :R" for x in positives}
    classes |= {x: "P , :S" if int(x[1:]) in rare else "Q , :S" for x in negatives}
    kb = kb_of("".join(f":{x} a :{said} . " for x, said in classes.items()))
    steps: list[Progress] = []
    examples = Examples(None, tuple(KB + x for x in positives), tuple(KB + x for x in negatives))
    rule = learn(kb, examples, progress=steps.append)
    assert (rule.concept, rule.errors) == (conjunction((class_("P"), class_("Q"))), 0)
    assert any(not step.errors and step.concept != rule.concept for step in steps)


@pytest.mark.parametrize("seed", range(3))
def test_a_fitting_concept_of_thousands_of_examples_is_found(seed: int) -> None:
    rng = random.Random(seed)
    kb = knowledge_base(rng, Density(20, 5, 2, 4), individuals=3000)
    target = any_target(rng, kb, 5)
    positives, negatives = split(kb, target)
    rule = learn(kb, Examples(None, tuple(positives), tuple(negatives)), Limits(seconds=10))
    assert rule.size == 3000
    assert (rule.errors, rule.accuracy) == (0, 1)
    assert length(rule.concept) <= length(target)


# --- cross-validation -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [2, 3, 6])
def test_cross_validation_is_perfect_where_the_classes_are_easily_told_apart(kb_of: Any, parts: int) -> None:
    kb = kb_of(told(":A , :P", lambda i: ":Q"))
    assert cross_validated(kb, Examples(KB + "A", P, N), parts) == (1.0,) * parts


def test_cross_validation_tests_on_what_was_not_learned_from(kb_of: Any) -> None:
    own = "".join(f":{x[len(KB) :]} a :Own{i} . " for i, x in enumerate((*P, *N)))
    accuracies = cross_validated(kb_of(own), Examples(None, P, N), 3)
    assert len(accuracies) == 3
    assert all(0 <= accuracy < 1 for accuracy in accuracies)
    assert sum(accuracies) / 3 == pytest.approx(0.5)


@pytest.mark.parametrize("parts", [-1, 0, 1, 7])
def test_cross_validation_needs_examples_for_each_part(kb_of: Any, parts: int) -> None:
    with pytest.raises(LearningError, match="parts"):
        cross_validated(kb_of(LONGER), Examples(KB + "A", P, N), parts)
