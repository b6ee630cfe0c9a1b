"""All 38 published learning tasks: what Whyif learns beside what ELTL of DL-Learner learned from the same examples."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from statistics import mean
from typing import Any

import pytest
from rich import box
from rich.console import Console
from rich.table import Table

from explainer import TOP, Exists, KnowledgeBase, Name
from explainer.concepts import Concept, Iri, length, subconcepts
from explainer.errors import LearningError
from explainer.learning import Examples, hidden, learn
from explainer.learning.search import search
from explainer.manchester import parse_concept, write_concept
from explainer.names import NameIndex
from tests.conftest import SHARED

REPRODUCTION = SHARED / "reproduction"
TASKS = json.loads((REPRODUCTION / "queries.json").read_text()) if REPRODUCTION.is_dir() else []
pytestmark = pytest.mark.skipif(not TASKS, reason="the published experiment is not here")


@dataclass(frozen=True)
class Task:
    """Examples as they are published; some individuals are on both sides."""

    dataset: str
    name: str
    kb: KnowledgeBase
    names: NameIndex
    target: Iri | None
    positives: tuple[Iri, ...]
    negatives: tuple[Iri, ...]
    eltl: Concept

    def accuracy(self, concept: Concept) -> float:
        covered = [self.kb.entails(concept, x) for x in self.positives]
        left_out = [not self.kb.entails(concept, x) for x in self.negatives]
        return mean(map(int, covered + left_out))

    def written(self, concept: Concept) -> str:
        return write_concept(concept, self.names)

    @property
    def contradictory(self) -> set[Iri]:
        return set(self.positives) & set(self.negatives)


@dataclass(frozen=True)
class Result:
    task: Task
    concept: Concept
    complete: bool
    seconds: float

    @property
    def accuracy(self) -> float:
        return self.task.accuracy(self.concept)


@cache
def loaded(dataset: str) -> tuple[KnowledgeBase, NameIndex]:
    kb = KnowledgeBase.load(REPRODUCTION / f"{dataset}.owl")
    return kb, NameIndex([kb.ontology])


def task_of(query: dict[str, Any]) -> Task:
    """The target is a class of the family and an individual among the animals, where nothing has to be hidden."""
    kb, names = loaded(query["dataset"])
    target = names.resolve(query["target"], "concept") if query["dataset"] == "family" else None
    examples = query["learned_from"]

    def resolved(side: Iterable[str]) -> tuple[Iri, ...]:
        return tuple(names.resolve(x, "individual") for x in side)

    positives, negatives = resolved(examples["positive"]), resolved(examples["negative"])
    eltl = parse_concept(query["concept"], names)
    return Task(query["dataset"], query["target"], kb, names, target, positives, negatives, eltl)


@pytest.fixture(scope="module")
def results() -> list[Result]:
    found = []
    for task in map(task_of, TASKS):
        start = time.perf_counter()
        best = search(task.kb, task.positives, task.negatives, hidden(task.kb, task.target))
        found.append(Result(task, best.concept, best.complete, time.perf_counter() - start))
    return found


def as_table(results: Iterable[Result]) -> Table:
    table = Table(title="What ELTL learned and what Whyif learns", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("target", no_wrap=True)
    for learner in ("ELTL", "Whyif"):
        table.add_column("acc.", justify="right")
        table.add_column("len.", justify="right")
        table.add_column(f"concept of {learner}")
    table.add_column("s", justify="right")
    for r in results:
        task = r.task
        theirs = (f"{task.accuracy(task.eltl):.2f}", str(length(task.eltl)), task.written(task.eltl))
        ours = (f"{r.accuracy:.2f}", str(length(r.concept)), task.written(r.concept))
        table.add_row(task.name, *theirs, *ours, f"{r.seconds:.2f}")
    return table


def test_the_table_of_all_38(results: list[Result], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print()
        Console(width=120).print(as_table(results))
        for dataset in ("animals", "family"):
            theirs, ours = means(results, dataset)
            print(f"mean accuracy, {dataset}: ELTL {theirs:.4f}, Whyif {ours:.4f}")
        print(f"all 38 tasks took {sum(r.seconds for r in results):.1f} s")
    assert [r.task.dataset for r in results] == ["animals"] * 20 + ["family"] * 18


def means(results: Iterable[Result], dataset: str) -> tuple[float, float]:
    """The mean accuracies of ELTL's concepts and of ours."""
    chosen = [r for r in results if r.task.dataset == dataset]
    return mean(r.task.accuracy(r.task.eltl) for r in chosen), mean(r.accuracy for r in chosen)


def test_never_less_accurate(results: list[Result]) -> None:
    assert [r.task.name for r in results if r.accuracy < r.task.accuracy(r.task.eltl)] == []


def test_never_longer_where_it_is_as_accurate(results: list[Result]) -> None:
    equal = [r for r in results if r.accuracy == r.task.accuracy(r.task.eltl)]
    assert equal
    assert [r.task.name for r in equal if length(r.concept) > length(r.task.eltl)] == []


def test_more_accurate_over_the_animals(results: list[Result]) -> None:
    theirs, ours = means(results, "animals")
    assert ours > theirs


def test_nothing_hidden_is_used(results: list[Result]) -> None:
    for r in results:
        used = {c.iri for c in subconcepts(r.concept) if isinstance(c, Name)}
        assert used.isdisjoint(hidden(r.task.kb, r.task.target)), r.task.name
        assert r.task.target is None or r.task.target in hidden(r.task.kb, r.task.target)


def test_every_search_ends_by_itself(results: list[Result]) -> None:
    assert all(r.complete for r in results)


def test_the_public_function_learns_the_same_where_no_example_is_on_both_sides(results: list[Result]) -> None:
    consistent = [r for r in results if not r.task.contradictory]
    assert len(consistent) == 26
    for r in consistent:
        rule = learn(r.task.kb, Examples(r.task.target, r.task.positives, r.task.negatives))
        assert (rule.concept, rule.accuracy) == (r.concept, pytest.approx(r.accuracy)), r.task.name


def test_never_less_accurate_without_the_examples_that_are_on_both_sides(results: list[Result]) -> None:
    contradictory = [r.task for r in results if r.task.contradictory]
    assert len(contradictory) == 12
    for task in contradictory:
        with pytest.raises(LearningError):
            Examples(task.target, task.positives, task.negatives)
        positives, negatives = (
            tuple(x for x in side if x not in task.contradictory) for side in (task.positives, task.negatives)
        )
        rule = learn(task.kb, Examples(task.target, positives, negatives))
        right = [task.kb.entails(task.eltl, x) for x in positives] + [
            not task.kb.entails(task.eltl, x) for x in negatives
        ]
        assert (rule.accuracy, -length(rule.concept)) >= (mean(map(int, right)), -length(task.eltl)), task.name


def test_the_measure_tells_good_concepts_from_bad_ones() -> None:
    task = next(task for task in map(task_of, TASKS) if task.name == "bat01")
    caves = Exists(task.names.resolve("habitat", "role"), Name(task.names.resolve("Caves", "concept")))
    assert (task.accuracy(caves), task.accuracy(TOP)) == (1, 0.05)
