"""From a file or an rdflib graph to triples, whatever the RDF syntax.

pyoxigraph parses; what it is too strict for (relative IRIs, odd encodings) falls to rdflib. OWL syntaxes that are
not RDF (functional, OWL/XML, Manchester) are turned into RDF by py-horned-owl first.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Union

import pyoxigraph as ox

from explainer.concepts import Iri
from explainer.errors import KnowledgeBaseError
from explainer.ontology import Text

if TYPE_CHECKING:
    import rdflib

Term = Union[Iri, Text]
Triple = tuple[Iri, Iri, Term]
Source = Union[str, Path, "rdflib.Graph"]

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


def read_triples(source: Source) -> list[Triple]:
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
    if not triples:
        raise KnowledgeBaseError(
            f"{path} holds no RDF statements; Whyif needs an OWL or RDF file such as Turtle or RDF/XML"
        )
    return triples


def source_name(source: Source) -> str:
    """How messages call the source."""
    return str(source) if isinstance(source, (str, Path)) else "graph"


def _parse(path: Path, data: bytes) -> list[Triple]:
    owl_syntax = _guess_owl_syntax(data)
    if owl_syntax:
        data = _owl_to_rdf(path, data, owl_syntax)
    rdf_format = _guess_format(path, data)
    try:
        return list(_from_oxigraph(ox.parse(data, format=rdf_format, base_iri="file:///kb")))
    except (SyntaxError, ValueError, OSError) as strict_error:
        try:
            return _from_rdflib(_parse_leniently(data, rdf_format))
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


def _parse_leniently(data: bytes, rdf_format: ox.RdfFormat) -> rdflib.Graph:
    import rdflib

    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    graph = rdflib.Graph() if not rdf_format.supports_datasets else rdflib.Dataset(default_union=True)
    return graph.parse(data=data, format=_RDFLIB_NAMES[rdf_format], publicID="file:///kb")


def _from_oxigraph(quads: Iterable[ox.Quad]) -> Iterator[Triple]:
    for quad in quads:
        if not isinstance(quad.subject, ox.Triple) and not isinstance(quad.object, ox.Triple):
            yield _oxigraph_resource(quad.subject), quad.predicate.value, _oxigraph_term(quad.object)


def _oxigraph_term(term: ox.NamedNode | ox.BlankNode | ox.Literal) -> Term:
    if isinstance(term, ox.Literal):
        return Text(term.value, (term.language or "").lower())
    return _oxigraph_resource(term)


def _oxigraph_resource(term: ox.NamedNode | ox.BlankNode) -> Iri:
    return f"_:{term.value}" if isinstance(term, ox.BlankNode) else term.value


def _from_rdflib(graph: rdflib.Graph) -> list[Triple]:
    """A graph's triples in an order that does not change from run to run."""
    import rdflib

    def term(node: rdflib.term.Node) -> Term:
        return Text(str(node), (node.language or "").lower()) if isinstance(node, rdflib.Literal) else resource(node)

    def resource(node: rdflib.term.Node) -> Iri:
        return f"_:{node}" if isinstance(node, rdflib.BNode) else str(node)

    return sorted(((resource(s), str(p), term(o)) for s, p, o in graph.triples((None, None, None))), key=str)
