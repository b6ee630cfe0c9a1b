"""The work of `whyif learn`: which examples are meant, and learning from them with a progress bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from explainer import learning
from explainer.concepts import TOP, Iri, Name
from explainer.errors import LearningError, WhyifError
from explainer.learning import Examples, Limits, examples_of
from explainer.manchester import parse_concept
from explainer.names import NameIndex
from explainer.namespaces import local_name
from explainer.reasoner import KnowledgeBase
from explainer.rules import Rule


def examples(
    kb: KnowledgeBase,
    names: NameIndex,
    target: str | None,
    positive: Sequence[str],
    negative: Sequence[str],
    siblings: bool,
    among: str | None,
) -> Examples:
    """The examples that the person means.

    Raises:
        LearningError: neither a class nor examples are named, or nothing can be learned from them.
        NameLookupError: a name fits nothing, or several things.
    """
    if not target and not positive:
        raise LearningError("name a CLASS, or examples with --positive and --negative, or take --all")
    if siblings and not target:
        raise LearningError("--siblings needs a CLASS, as it means the instances of its nearest superclass")
    return examples_of(
        kb,
        names.resolve(target, "concept") if target else None,
        tuple(_resolved(positive, names)),
        tuple(_resolved(negative, names)),
        siblings,
        parse_concept(among, names) if among else TOP,
    )


def every_class(kb: KnowledgeBase, siblings: bool, among: str | None, names: NameIndex) -> list[Examples]:
    """The examples for each class that has at least two instances and as many others, in the order of the file.

    Raises:
        LearningError: there is no such class.
    """
    found = []
    within = parse_concept(among, names) if among else TOP
    for iri in kb.ontology.classes:
        if kb.extension(Name(iri)).sum() >= learning.FEWEST:
            try:
                task = examples_of(kb, iri, siblings=siblings, among=within)
            except LearningError:
                continue
            if min(len(task.positives), len(task.negatives)) >= learning.FEWEST:
                found.append(task)
    if not found:
        raise LearningError(f"no class in {kb.ontology.source} has two instances or more, and others to tell them from")
    return found


def learned(kb: KnowledgeBase, tasks: Sequence[Examples], limits: Limits) -> list[Rule]:
    """Learn a rule from each set of examples; how far it has come is shown on the terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rules = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task("", total=len(tasks))
        for task in tasks:
            name = local_name(task.target) if task.target else "the examples"

            def tell(reached: learning.Progress, name: str = name) -> None:
                bar.update(shown, description=f"{name}: length {reached.length}, {reached.errors} errors")

            rules.append(learning.learn(kb, task, limits, tell))
            bar.advance(shown)
    return rules


def _resolved(texts: Sequence[str], names: NameIndex) -> Iterator[Iri]:
    """The individuals named, several in a text being separated by commas."""
    for text in texts:
        whole = [text] if "," not in text or names.exact(text) else text.split(",")
        for name in whole:
            if name.strip():
                yield names.resolve(name.strip(), "individual")


def require_writable(path: Path) -> None:
    """Say so before the work begins if its result could not be kept."""
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise WhyifError(f"cannot write to {path}: name a file in a folder that exists")
