"""Files that are broken, hostile or merely odd: answered or refused in one line, soon and in little memory."""

from __future__ import annotations

import codecs
import gzip
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pyoxigraph as ox
import pytest
import rdflib

from tests.conftest import KB, PREFIXES, ROOT

SECONDS = 20
KILOBYTES = 1_500_000
DEEP = 100_000
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
OWL = "http://www.w3.org/2002/07/owl#"
GOOD = (
    PREFIXES
    + f"@prefix rdf: <{RDF}> ."
    + """
:A owl:equivalentClass [ owl:intersectionOf ( :B [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :C ] ) ] .
:r a owl:ObjectProperty .
:x a :B ; :r :y .
:y a :C .
"""
)
"""A knowledge base in which x is an A."""
TRIG = PREFIXES + "{ :A rdfs:subClassOf :B . } :g1 { :A owl:equivalentClass :C . } GRAPH :g2 { :x a :C . }"
JSON_LD = json.dumps({"@context": {"@vocab": KB}, "@id": KB + "x", "@type": "A"})
RDF_XML = f"""<?xml version="1.0" encoding="ENCODING"?>DOCTYPE
<rdf:RDF xmlns:rdf="{RDF}" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="{OWL}" xmlns="{KB}">
  <owl:Class rdf:about="{KB}A"/>
  <A rdf:about="{KB}x"><rdfs:label>LABEL</rdfs:label></A>
</rdf:RDF>
"""


class Ran(NamedTuple):
    """What a command has printed, and its exit status."""

    status: int
    stdout: str
    stderr: str


def rdf_xml(label: str = "x", doctype: str = "", encoding: str = "UTF-8") -> str:
    return RDF_XML.replace("ENCODING", encoding).replace("DOCTYPE", doctype).replace("LABEL", label)


def other_prefixes(xml: str) -> str:
    """The same RDF/XML without its first line, and with RDF's own namespace as the one that needs no prefix."""
    renamed = (
        xml.split("?>")[1]
        .replace(f'xmlns="{KB}"', f'xmlns:kb="{KB}"')
        .replace("xmlns:rdf=", f'xmlns="{RDF}" xmlns:rdf=')
    )
    return renamed.replace("rdf:RDF", "RDF").replace("<A ", "<kb:A ").replace("</A>", "</kb:A>")


def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start the real command with little memory and with no proxy between it and the network."""
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    limited = ("sh", "-c", f'ulimit -c 0; ulimit -v {KILOBYTES}; exec "$0" "$@"')
    command = [*limited, sys.executable, "-m", "bot.cli", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=environment)


def finish(process: subprocess.Popen[bytes]) -> Ran:
    """Wait for a command; whatever it was given, it must end well or refuse in one line."""
    try:
        stdout, stderr = (output.decode() for output in process.communicate(timeout=SECONDS))
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail(f"not done within {SECONDS} seconds: {process.args!r}")
    assert "Traceback" not in stderr, stderr[-2000:]
    assert process.returncode in (0, 2), (process.returncode, stderr[-2000:])
    if process.returncode == 2:
        assert stdout == ""
        assert stderr.startswith("whyif: ")
        assert len(stderr.splitlines()) == 1, stderr[:2000]
        assert len(stderr) < 1000
    else:
        assert stderr == ""
    return Ran(process.returncode, stdout, stderr)


def explain(path: Path) -> Ran:
    """Ask why x is an A."""
    return finish(start("explain", path, KB + "x", KB + "A"))


def report(path: Path) -> dict[str, Any]:
    """What was read from a file that can be read."""
    ran = finish(start("check", path, "--json"))
    assert ran.status == 0, ran.stderr
    return dict(json.loads(ran.stdout))


def check_and_explain(path: Path) -> tuple[Ran, Ran]:
    """Both commands at the same time."""
    checking, explaining = start("check", path), start("explain", path, KB + "x", KB + "A")
    return finish(checking), finish(explaining)


def assert_is_an_a(ran: Ran) -> None:
    assert ran.status == 0, ran.stderr
    assert " is an a" in ran.stdout


def write(directory: Path, name: str, content: bytes) -> Path:
    path = directory / name
    path.write_bytes(content)
    return path


# --- files that are each given to `whyif explain` ----------------------------------------------------------------

REFUSED = {
    "empty.ttl": (b"", "no RDF statements"),
    "white space.owl": (b" \n\t\r\n  ", "no RDF statements"),
    "prose.ttl": (b"Dear diary, today I saw a turtle.", "cannot read"),
    "truncated.ttl": (GOOD.encode()[:-6], "cannot read"),
    "truncated-in-a-tag.owl": (rdf_xml().encode()[:-5], "cannot read"),
    "truncated-in-a-text.owl": (rdf_xml().encode()[:-30], "cannot read"),
    "truncated.jsonld": (JSON_LD.encode()[:-4], "cannot read"),
    "image.owl": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)), "cannot read"),
    "zeros.ttl": (bytes(5000), "cannot read"),
    "page.owl": (b"<!DOCTYPE html>\n<html><head><title>kb.owl</title></head><body>Sign in</body></html>", ""),
    "table.csv": (b"name,class\nx,A\ny,C\n", "cannot read"),
    "terms.obo": (b"format-version: 1.2\n\n[Term]\nid: A:1\nname: a\nis_a: A:2\n", "cannot read"),
    "two\nlines.ttl": (b"no triple", "cannot read"),
    "no individuals.ttl": (PREFIXES.encode() + b":A rdfs:subClassOf :B .", "no individuals"),
    "member of nothing.ttl": (GOOD.encode() + b":odd a owl:Nothing .", "odd"),
}

LOADED = {
    "mark.ttl": codecs.BOM_UTF8 + GOOD.encode(),
    "mark.owl": codecs.BOM_UTF8 + rdf_xml().encode(),
    "mark.jsonld": codecs.BOM_UTF8 + JSON_LD.encode(),
    "utf-16.owl": rdf_xml(encoding="UTF-16").encode("utf-16"),
    "latin-1.owl": rdf_xml("Gef\u00fc\u00dfe", encoding="ISO-8859-1").encode("latin-1"),
    "entities.owl": rdf_xml("&a;&b;", '<!DOCTYPE rdf:RDF [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>').encode(),
    "late root.owl": rdf_xml(doctype=f"<!-- {'licence ' * 1000} -->").encode(),
    "other prefixes.owl": other_prefixes(rdf_xml()).encode(),
    "rdf-xml.ttl": rdf_xml().encode(),
    "rdf-xml.json": rdf_xml().encode(),
    "turtle.owl": GOOD.encode(),
    "turtle.rdf": GOOD.encode(),
    "turtle.json": GOOD.encode(),
    "turtle.nt": GOOD.encode(),
    "TURTLE.TTL": GOOD.replace("\n", "\r\n").encode(),
    "json-ld": JSON_LD.encode(),
    "json-ld.ttl": JSON_LD.encode(),
    "graphs.trig": TRIG.encode(),
    "graphs.nq": ox.serialize(ox.parse(TRIG, format=ox.RdfFormat.TRIG), format=ox.RdfFormat.N_QUADS),
    "relative.ttl": GOOD.encode() + b"<#odd> a <#Odd> . <other> a <> .",
    "spaces.nt": f'<{KB}x> <{RDF}type> <{KB}A> .\n<{KB}o d"d> <{RDF}type> <{KB}A{{}}> .\n'.encode(),
}

EITHER = {
    "utf-16.ttl": GOOD.encode("utf-16"),
    "latin-1.ttl": (GOOD + ':x rdfs:label "Gef\u00fc\u00dfe" .').encode("latin-1"),
    "compressed.ttl.gz": gzip.compress(GOOD.encode()),
    "half a character.ttl": GOOD.encode() + b':x rdfs:label "\\uD800" .',
}

ODD = {
    "lists that are odd": """
        :D1 owl:equivalentClass [ owl:intersectionOf _:l ] . _:l rdf:first :B ; rdf:rest _:l .
        :D2 owl:equivalentClass [ owl:intersectionOf [ rdf:first :B ] ] .
        :D3 owl:equivalentClass [ owl:unionOf [ rdf:first :B , :C ; rdf:rest ( :x ) , () ] ] .
        :D4 owl:equivalentClass [ owl:intersectionOf () ] . [ owl:unionOf () ] rdfs:subClassOf :D4 .""",
    "lists that are none": """
        :D owl:equivalentClass [ owl:intersectionOf :B ] , [ owl:unionOf "B" ] , [ owl:oneOf :x ] ,
            [ owl:intersectionOf [ rdf:rest rdf:nil ] ] .""",
    "restrictions that are odd": """
        :D rdfs:subClassOf [ owl:onProperty :r , :s ; owl:someValuesFrom :B ] ,
            [ owl:onProperty :r ; owl:hasValue :y ; owl:cardinality 1 ] .""",
    "restrictions that are none": """
        :D owl:equivalentClass [ a owl:Restriction ; owl:someValuesFrom :B ] ,
            [ a owl:Restriction ; owl:onProperty :r ] , [ a owl:Restriction ] , [ a owl:Class ] ,
            [ owl:onProperty "r" ; owl:someValuesFrom "B" ; owl:onClass "C" ] .""",
    "cardinalities that are none": """
        :D rdfs:subClassOf [ owl:onProperty :r ; owl:minCardinality "many" ] ,
            [ owl:onProperty :r ; owl:cardinality -1 ] , [ owl:onProperty :r ; owl:minCardinality 1.5e300 ] ,
            [ owl:onProperty :r ; owl:cardinality :x ] ,
            [ owl:onProperty :r ; owl:minQualifiedCardinality "\u0663" ; owl:onClass [] ] .""",
    "class expression that contains itself": """
        :D owl:equivalentClass _:d . _:d owl:onProperty :r ; owl:someValuesFrom _:d . :x a :D .
        :E rdfs:subClassOf _:e . _:e owl:intersectionOf ( :B _:e ) .
        _:f owl:unionOf ( :B _:f ) ; rdfs:subClassOf :F . [] owl:complementOf _:g . _:g owl:complementOf _:g .""",
    "two class expressions that contain each other": """
        :D owl:equivalentClass _:d . _:d owl:intersectionOf ( :B _:e ) . :x a _:d .
        _:e owl:onProperty :r ; owl:someValuesFrom _:d .""",
    "axioms about themselves": """
        :r rdfs:subPropertyOf :r ; owl:inverseOf :r ; owl:equivalentProperty :r ; owl:propertyChainAxiom ( :r ) , () .
        :s rdfs:subPropertyOf :t . :t rdfs:subPropertyOf :u , :s . :u rdfs:subPropertyOf :s .
        :D owl:equivalentClass :D . :x a :D . :E rdfs:subClassOf :E ; owl:disjointUnionOf ( :E ) , () .""",
    "axioms of blank nodes": """
        [] rdfs:subClassOf [] ; owl:equivalentClass [] ; owl:disjointWith [] .
        [] rdfs:subPropertyOf [] ; owl:inverseOf [] ; rdfs:domain [] ; rdfs:range [] ; owl:propertyChainAxiom [] .
        [] a owl:AllDisjointClasses . [] a owl:Axiom . [] a [] . :x a [] . [] owl:members [] .""",
    "axioms of literals": """
        :D rdfs:subClassOf "B" ; owl:equivalentClass "B" ; owl:disjointWith "B" ; owl:disjointUnionOf "B" .
        :r rdfs:domain "B" ; rdfs:range "B" ; rdfs:subPropertyOf "s" ; owl:inverseOf "s" ; owl:propertyChainAxiom "s" .
        [] a owl:AllDisjointClasses ; owl:members "B" .""",
    "axioms of built-in names": """
        owl:Thing rdfs:subClassOf owl:Thing ; owl:equivalentClass :Any . owl:Nothing rdfs:subClassOf :D .
        owl:topObjectProperty rdfs:subPropertyOf owl:topObjectProperty . :y owl:topObjectProperty :x .
        rdf:type rdfs:domain :D . rdfs:label rdfs:range :D . owl:sameAs a owl:ObjectProperty .
        owl:Thing a owl:Class , :Odd . rdf:nil a :Odd .""",
    "values of the wrong kind": """
        :x a "A" ; :r "y" , 7 ; :age :y , [] . :age a owl:DatatypeProperty . [] a :B ; :r "z" .
        :x owl:sameAs 2 ; owl:differentFrom 3 . :s a owl:ObjectProperty , owl:DatatypeProperty . :x :s :y , 7 .
        :D rdfs:subClassOf [ owl:oneOf ( 1 2 ) ] , [ owl:onProperty :r ; owl:hasValue "y" ] ,
            [ owl:onProperty :r ; owl:someValuesFrom [ owl:oneOf () ] ] .""",
    "one name for everything": """
        :r a owl:Class , :C ; :r :r ; rdfs:subClassOf :r .
        :C a :C , owl:NamedIndividual , owl:ObjectProperty ; :C :C .""",
    "the same triple again": ":x a :B , :B . :x :r :y , :y . :x a :B .",
    "annotated axioms": """
        [ a owl:Axiom ; owl:annotatedSource :x ; owl:annotatedProperty :r ; owl:annotatedTarget :y ;
            rdfs:comment "odd" ; :since :y ] .
        [ a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B ] .
        [ a owl:Annotation ; owl:annotatedSource [] ; rdfs:comment "odd" ] .
        [ a rdf:Statement ; rdf:subject :x ; rdf:predicate :r ; rdf:object :y ] .""",
    "quoted triples": "<< :x :r :y >> :certainty 0.9 . :x :r :y {| :since 2020 |} .",
    "quoted triple as a value": ":x :knows << :y a :Odd >> .",
    "literals that are odd": """
        :x rdfs:label "\\u0000\\u0001\\u001B[31m\\u202E\\uFFFF\\U0010FFFF" , "x"@en-x-y-z-odd , ""@de , " " , 7 , :y ;
            :age "old"^^<http://www.w3.org/2001/XMLSchema#integer> , "1"^^:odd , 1e999 .""",
}


def deep_turtle() -> str:
    return GOOD + ":D rdfs:subClassOf " + "[ owl:onProperty :r ; owl:someValuesFrom " * DEEP + ":B" + " ]" * DEEP + " ."


def deep_n_triples() -> str:
    steps = (f"_:b{i} <{OWL}onProperty> <{KB}r> .\n_:b{i} <{OWL}someValuesFrom> _:b{i + 1} .\n" for i in range(DEEP))
    return f"<{KB}x> <{RDF}type> <{KB}A> .\n<{KB}A> <{rdflib.RDFS.subClassOf}> _:b0 .\n" + "".join(steps)


def deep_xml() -> str:
    opening = f'<owl:Restriction><owl:onProperty rdf:resource="{KB}r"/><owl:someValuesFrom>'
    closing = "</owl:someValuesFrom></owl:Restriction>"
    deep = f"<rdfs:subClassOf>{opening * DEEP}<owl:Class/>{closing * DEEP}</rdfs:subClassOf>"
    return rdf_xml().replace(f'<owl:Class rdf:about="{KB}A"/>', f'<owl:Class rdf:about="{KB}A">{deep}</owl:Class>')


def deep_json() -> str:
    nested = f'{{"{KB}s": ' * DEEP + "1" + "}" * DEEP
    return f'{{"@id": "{KB}x", "@type": "{KB}A", "{KB}r": {nested}}}'


def deep_functional() -> str:
    deep = "ObjectSomeValuesFrom(:r " * DEEP + ":B" + ")" * DEEP
    return f"Prefix(:=<{KB}>)\nOntology(SubClassOf(:D {deep}) ClassAssertion(:A :x))"


def long_list() -> str:
    members = " ".join(f":M{i % 5000}" for i in range(DEEP))
    expressions = f"[ owl:intersectionOf ( {members} ) ] . [ owl:unionOf ( {members} ) ] rdfs:subClassOf :U ."
    return GOOD + ":D owl:equivalentClass " + expressions


def cycle_of_classes() -> str:
    return GOOD + "".join(f":C{i} rdfs:subClassOf :C{(i + 1) % 1000} .\n" for i in range(1000)) + ":x a :C7 ."


def chain_of_classes() -> str:
    return GOOD + "".join(f":C{i} rdfs:subClassOf :C{i + 1} .\n" for i in range(1200)) + ":y a :C0 ."


def shared_expressions() -> str:
    """A class expression of 80 nodes that would have 2⁴⁰ parts were it written out."""
    steps = "".join(
        f"_:n{i} owl:intersectionOf ( [ owl:onProperty :r ; owl:someValuesFrom _:n{i + 1} ] "
        f"[ owl:onProperty :s ; owl:someValuesFrom _:n{i + 1} ] ) .\n"
        for i in range(40)
    )
    return GOOD + steps + "_:n40 owl:intersectionOf ( :B :C ) . :D owl:equivalentClass _:n0 ."


def loop_of_individuals() -> str:
    return GOOD + "".join(f":i{i} :r :i{(i + 1) % 5000} .\n" for i in range(5000)) + ":i0 :r :x . :x :r :i0 ."


def many_labels() -> str:
    return GOOD + ":x rdfs:label " + " , ".join(f'"label {i}"' for i in range(10_000)) + " ."


MUCH = {
    "long list.ttl": long_list,
    "cycle of classes.ttl": cycle_of_classes,
    "chain of classes.ttl": chain_of_classes,
    "loop of individuals.ttl": loop_of_individuals,
    "many labels.ttl": many_labels,
}
TOO_DEEP = {
    "deep.ttl": deep_turtle,
    "deep.nt": deep_n_triples,
    "deep.owl": deep_xml,
    "deep.jsonld": deep_json,
    "deep.ofn": deep_functional,
    "shared.ttl": shared_expressions,
}


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Ran]]]:
    """The answers to all these files by their names, asked for two at a time."""
    odd = {f"{name}.ttl": (GOOD + statements).encode() for name, statements in ODD.items()}
    refused = {name: content for name, (content, _) in REFUSED.items()}
    large = {name: make().encode() for name, make in {**MUCH, **TOO_DEEP}.items()}
    files = {**refused, **LOADED, **EITHER, **odd, **large}
    directory = tmp_path_factory.mktemp("input")
    with ThreadPoolExecutor(2) as pool:
        yield {name: pool.submit(explain, write(directory, name, content)) for name, content in files.items()}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_knowledge_base_is_refused(explained: dict[str, Future[Ran]], name: str) -> None:
    ran = explained[name].result()
    assert ran.status == 2, ran.stdout
    assert REFUSED[name][1] in ran.stderr
    assert name.split("\n")[0] in ran.stderr


@pytest.mark.parametrize("name", LOADED)
def test_syntaxes_suffixes_and_encodings_that_do_not_match(explained: dict[str, Future[Ran]], name: str) -> None:
    assert_is_an_a(explained[name].result())


@pytest.mark.parametrize("name", EITHER)
def test_what_may_be_read_or_refused(explained: dict[str, Future[Ran]], name: str) -> None:
    ran = explained[name].result()
    assert ran.status == 0 or "cannot read" in ran.stderr


@pytest.mark.parametrize("name", ODD)
def test_odd_statements_leave_the_rest_alone(explained: dict[str, Future[Ran]], name: str) -> None:
    assert_is_an_a(explained[f"{name}.ttl"].result())


@pytest.mark.parametrize("name", MUCH)
def test_much_of_something(explained: dict[str, Future[Ran]], name: str) -> None:
    assert_is_an_a(explained[name].result())


@pytest.mark.parametrize("name", TOO_DEEP)
def test_what_is_too_deep_is_answered_or_refused(explained: dict[str, Future[Ran]], name: str) -> None:
    explained[name].result()


# --- what `whyif check` says --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["missing", "directory", "loop of links", "socket", "not for us"])
def test_what_cannot_be_opened_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    path = tmp_path / "kb.ttl"
    if kind == "directory":
        path.mkdir()
    elif kind == "loop of links":
        path.symlink_to(path)
    elif kind == "socket":
        monkeypatch.chdir(tmp_path)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    elif kind == "not for us":
        write(tmp_path, path.name, GOOD.encode()).chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("root may read everything")
    ran = finish(start("check", path))
    assert ran.status == 2
    assert "cannot open" in ran.stderr


@pytest.mark.parametrize(
    ("name", "individuals"),
    [("annotated axioms", 2), ("one name for everything", 4), ("quoted triples", 2)],
)
def test_what_is_an_individual(tmp_path: Path, name: str, individuals: int) -> None:
    assert report(write(tmp_path, "kb.ttl", (GOOD + ODD[name]).encode()))["individuals"] == individuals


def test_what_says_nothing_is_in_the_report(tmp_path: Path) -> None:
    statements = ':x a "A" . :D rdfs:subClassOf "B" . :E rdfs:subClassOf [ owl:someValuesFrom :B ] .'
    left_out = report(write(tmp_path, "kb.ttl", (GOOD + statements).encode()))["left_out"]
    assert sum(item["count"] for item in left_out) == 3, left_out


@pytest.mark.parametrize("name", ["lists that are none", "restrictions that are none"])
def test_what_is_malformed_defines_nothing(tmp_path: Path, name: str) -> None:
    turtle = GOOD + ":D a owl:Class ." + ODD[name]
    ran = finish(start("explain", write(tmp_path, "kb.ttl", turtle.encode()), KB + "x", KB + "D"))
    assert " is not a d" in ran.stdout


def test_a_label_of_a_megabyte(tmp_path: Path) -> None:
    ran = explain(write(tmp_path, "kb.ttl", (GOOD + f':x rdfs:label "{"long " * 200_000}" .').encode()))
    assert_is_an_a(ran)
    assert len(ran.stdout) < 100_000


def test_labels_do_not_steer_the_terminal(tmp_path: Path) -> None:
    label = r"red \u001B[31m\u009B\u202E\u2066\u0007\u0000\r\nwhyif: done"
    ran = explain(write(tmp_path, "kb.ttl", (GOOD + f':x rdfs:label "{label}" .').encode()))
    assert_is_an_a(ran)
    assert not set("\x1b\x9b\u202e\u2066\x07\x00\r") & set(ran.stdout)
    assert not any(line.startswith("whyif:") for line in ran.stdout.splitlines())


# --- files that reach for something else --------------------------------------------------------------------------


@pytest.fixture
def requests() -> Iterator[tuple[str, list[str]]]:
    """A web server's address and what it has been asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def test_imports_are_reported_and_not_fetched(tmp_path: Path, requests: tuple[str, list[str]]) -> None:
    address, asked = requests
    path = write(tmp_path, "kb.ttl", f"{GOOD}:kb a owl:Ontology ; owl:imports <{address}/other.owl> .".encode())
    assert_is_an_a(explain(path))
    assert "owl:imports" in [left_out["construct"] for left_out in report(path)["left_out"]]
    assert asked == []


@pytest.mark.parametrize("name", ["context.jsonld", "document-type.owl", "import.ofn"])
def test_nothing_is_fetched(tmp_path: Path, requests: tuple[str, list[str]], name: str) -> None:
    address, asked = requests
    entity = f'<!DOCTYPE rdf:RDF SYSTEM "{address}/dtd" [<!ENTITY e SYSTEM "{address}/e">]>'
    content = {
        "context.jsonld": f'{{"@context": "{address}/context.jsonld", "@id": "{KB}x", "@type": "{KB}A"}}',
        "document-type.owl": rdf_xml("&e;", entity),
        "import.ofn": f"Prefix(:=<{KB}>) Ontology(<{KB}> Import(<{address}/other.owl>) ClassAssertion(:A :x))",
    }[name]
    explain(write(tmp_path, name, content.encode()))
    assert asked == []


def test_external_entities_are_not_read(tmp_path: Path) -> None:
    secret = write(tmp_path, "secret.txt", b"sesame")
    content = rdf_xml("&e;", f'<!DOCTYPE rdf:RDF [<!ENTITY e SYSTEM "{secret.as_uri()}">]>')
    for ran in check_and_explain(write(tmp_path, "kb.owl", content.encode())):
        assert "sesame" not in (ran.stdout + ran.stderr).lower()


@pytest.mark.parametrize("levels", [10, 100])
def test_entities_do_not_explode(tmp_path: Path, levels: int) -> None:
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, levels))
    content = rdf_xml(f"&e{levels - 1};", f'<!DOCTYPE rdf:RDF [<!ENTITY e0 "lol">{entities}]>')
    explain(write(tmp_path, "kb.owl", content.encode()))
