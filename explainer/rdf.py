"""From a file or an rdflib graph to triples, whatever the RDF syntax.

pyoxigraph parses; what it does not read (encodings other than UTF-8) falls to rdflib. OWL syntaxes that are
not RDF (functional, OWL/XML, Manchester) are turned into RDF by py-horned-owl first.
"""

from __future__ import annotations

import logging
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import pyoxigraph as ox

from explainer.concepts import Iri
from explainer.errors import KnowledgeBaseError
from explainer.ontology import Text

if TYPE_CHECKING:
    import rdflib

Source = Union[str, Path, "rdflib.Graph"]
Links = tuple["array[int]", "array[int]"]
"""The subjects and, in parallel, the objects of a predicate's triples, by number."""


@dataclass(frozen=True)
class Triples:
    """The triples of a file or graph by predicate, with numbered resources.

    Attributes:
        names: the resources in the order of their first occurrence: IRIs and blank nodes ("_:…").
        links: predicate → the triples whose object is a resource.
        literals: predicate → the (subject, literal) of the triples whose object is one.
        count: how many triples there are.
    """

    names: Sequence[Iri]
    links: Mapping[Iri, Links]
    literals: Mapping[Iri, list[tuple[int, Text]]]
    count: int


_BY_SUFFIX = {
    ".ttl": ox.RdfFormat.TURTLE,
    ".n3": ox.RdfFormat.N3,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".nq": ox.RdfFormat.N_QUADS,
    ".trig": ox.RdfFormat.TRIG,
    ".rdf": ox.RdfFormat.RDF_XML,
    ".xml": ox.RdfFormat.RDF_XML,
    ".jsonld": ox.RdfFormat.JSON_LD,
    ".json": ox.RdfFormat.JSON_LD,
}
_RDFLIB_NAMES = {
    ox.RdfFormat.TURTLE: "turtle",
    ox.RdfFormat.N3: "n3",
    ox.RdfFormat.N_TRIPLES: "nt",
    ox.RdfFormat.N_QUADS: "nquads",
    ox.RdfFormat.TRIG: "trig",
    ox.RdfFormat.RDF_XML: "xml",
    ox.RdfFormat.JSON_LD: "json-ld",
}


def read_triples(source: Source) -> Triples:
    """All triples of a file (any RDF syntax) or graph; blank nodes are named "_:…".

    Raises:
        KnowledgeBaseError: no such file, not RDF, or no triple in it.
    """
    if not isinstance(source, (str, Path)):
        return _from_rdflib(source)
    path = Path(source)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise KnowledgeBaseError(f"cannot open {path}: {error.strerror or error}") from error
    triples = _parse(path, data)
    if not triples.count:
        raise KnowledgeBaseError(
            f"{path} holds no RDF statements; Whyif needs an OWL or RDF file such as Turtle or RDF/XML"
        )
    return triples


def source_name(source: Source) -> str:
    """How messages call the source."""
    return str(source) if isinstance(source, (str, Path)) else "graph"


def _parse(path: Path, data: bytes) -> Triples:
    owl_syntax = _guess_owl_syntax(data)
    if owl_syntax:
        data = _owl_to_rdf(path, data, owl_syntax)
    rdf_format = _guess_format(path, data)
    try:
        return _from_oxigraph(ox.parse(data, format=rdf_format, base_iri="file:///kb", lenient=True))
    except (SyntaxError, ValueError, OSError) as strict_error:
        try:
            return _from_rdflib(_parse_by_rdflib(data, rdf_format))
        except Exception:
            reason = " ".join(str(strict_error).split())[:200]
            raise KnowledgeBaseError(f"cannot read {path} as {_RDFLIB_NAMES[rdf_format]}: {reason}") from None


def _guess_owl_syntax(data: bytes) -> str | None:
    """The OWL syntax that is not RDF, as py-horned-owl calls it: functional, OWL/XML or Manchester."""
    head = data[:4000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith((b"Prefix(", b"Ontology(")):
        return "ofn"
    if head.startswith((b"Prefix:", b"Ontology:")):
        return "omn"
    return "owx" if b"<Ontology" in head and b"<rdf:RDF" not in head else None


def _owl_to_rdf(path: Path, data: bytes, syntax: str) -> bytes:
    from pyhornedowl import open_ontology_from_string

    try:
        ontology = open_ontology_from_string(data.decode(), syntax)  # type: ignore[arg-type]
        return ontology.save_to_string("rdf").encode()
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise KnowledgeBaseError(f"cannot read {path} as OWL ({syntax}): {reason}") from None


def _guess_format(path: Path, data: bytes) -> ox.RdfFormat:
    """By content where it is plain, else by the file's suffix, else Turtle."""
    head = data[:4000].lstrip(b"\xef\xbb\xbf \t\r\n")
    suffix = path.suffix.lower()
    if b"<rdf:RDF" in head or head.startswith(b"<?xml"):
        return ox.RdfFormat.RDF_XML
    if suffix not in _BY_SUFFIX and head.startswith((b"{", b"[")):
        return ox.RdfFormat.JSON_LD
    return _BY_SUFFIX.get(suffix, ox.RdfFormat.TURTLE)


def _parse_by_rdflib(data: bytes, rdf_format: ox.RdfFormat) -> rdflib.Graph:
    import rdflib

    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    graph = rdflib.Graph() if not rdf_format.supports_datasets else rdflib.Dataset(default_union=True)
    return graph.parse(data=data, format=_RDFLIB_NAMES[rdf_format], publicID="file:///kb")


class _Numbers(dict[Iri, int]):
    """Resources numbered as they come."""

    def __missing__(self, name: Iri) -> int:
        number = self[name] = len(self)
        return number


def _from_oxigraph(quads: Iterable[ox.Quad]) -> Triples:
    """The hot loop of loading: nothing in it is a call that could be left out."""
    numbers = _Numbers()
    links: dict[Iri, Links] = {}
    literals: dict[Iri, list[tuple[int, Text]]] = {}
    named, blank, literal = ox.NamedNode, ox.BlankNode, ox.Literal
    count = 0
    for quad in quads:
        count += 1
        s: Any = quad.subject
        o: Any = quad.object
        p = quad.predicate.value
        kind, other = type(s), type(o)
        if kind is named:
            subject = numbers[s.value]
        elif kind is blank:
            subject = numbers["_:" + s.value]
        else:  # a quoted triple
            continue
        if other is named:
            target = numbers[o.value]
        elif other is blank:
            target = numbers["_:" + o.value]
        elif other is literal:
            literals.setdefault(p, []).append((subject, Text(o.value, (o.language or "").lower())))
            continue
        else:
            continue
        columns = links.get(p)
        if columns is None:
            columns = links[p] = (array("i"), array("i"))
        columns[0].append(subject)
        columns[1].append(target)
    return Triples(tuple(numbers), links, literals, count)


def _from_rdflib(graph: rdflib.Graph) -> Triples:
    """A graph's triples, in an order that does not change from run to run."""
    import rdflib

    def resource(node: rdflib.term.Node) -> Iri:
        return f"_:{node}" if isinstance(node, rdflib.BNode) else str(node)

    numbers = _Numbers()
    links: defaultdict[Iri, Links] = defaultdict(lambda: (array("i"), array("i")))
    literals: defaultdict[Iri, list[tuple[int, Text]]] = defaultdict(list)
    for s, p, o in sorted(graph.triples((None, None, None)), key=lambda triple: tuple(map(str, triple))):
        subject = numbers[resource(s)]
        if isinstance(o, rdflib.Literal):
            literals[str(p)].append((subject, Text(str(o), (o.language or "").lower())))
        else:
            links[str(p)][0].append(subject)
            links[str(p)][1].append(numbers[resource(o)])
    return Triples(tuple(numbers), dict(links), dict(literals), len(graph))
