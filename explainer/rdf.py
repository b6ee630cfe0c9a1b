"""From a file or an rdflib graph to triples, whatever the RDF syntax.

pyoxigraph parses; what it is too strict for (relative IRIs, say) falls to rdflib. OWL syntaxes that are not RDF
(functional, OWL/XML, Manchester) are turned into RDF by py-horned-owl first.
"""

from __future__ import annotations

import codecs
import logging
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import pyoxigraph as ox

from explainer.concepts import Iri
from explainer.errors import KnowledgeBaseError
from explainer.namespaces import RDF
from explainer.ontology import Text

if TYPE_CHECKING:
    import rdflib

_BASE = "file:///kb"
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_XML_ENCODING = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["'](?P<encoding>[\w.-]+)["'][^>]*?\?>""")
_XML_ROOT = re.compile(rb"<([\w.-]+:)?RDF[\s>]")
_XML_END = re.compile(rb"(</[\w.:-]+\s*>|/>)\s*(<!--.*?-->\s*)*$", re.DOTALL)
_ENTITY = re.compile(rb"""<!ENTITY\s+([^\s%]+)\s+("[^"]*"|'[^']*')""")
_REFERENCE = re.compile(rb"&([\w.:-]+);")
_LARGEST_EXPANSION = 200_000_000
_PARENTHESIS = re.compile(rb"(?P<open>\()|\)")
_TAG = re.compile(rb"(?P<open><[\w.:-]+(?:\s[^<>]*)?(?<!/)>)|</[\w.:-]+\s*>")
_DEEPEST = 500
_BY_LINE = (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS)

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


def read_graph(source: Source) -> rdflib.Graph:
    """The same as an rdflib graph; a graph is returned as it is.

    Raises:
        KnowledgeBaseError: no such file, or not RDF.
    """
    if not isinstance(source, (str, Path)):
        return source
    path = Path(source)
    triples = read_triples(path)
    data = _as_utf_8(path, path.read_bytes())
    owl_syntax = _guess_owl_syntax(data)
    if owl_syntax:
        data = _owl_to_rdf(path, data, owl_syntax)
    for rdf_format in _likely_formats(path, data):
        try:
            graph = _parse_by_rdflib(data, rdf_format)
        except Exception:
            continue
        if len(graph):
            return graph
    raise KnowledgeBaseError(f"cannot turn the {triples.count} triples of {path} into a graph")


def source_name(source: Source) -> str:
    """How messages call the source."""
    return str(source) if isinstance(source, (str, Path)) else "graph"


def _parse(path: Path, data: bytes) -> Triples:
    data = _as_utf_8(path, data)
    owl_syntax = _guess_owl_syntax(data)
    if owl_syntax:
        data = _owl_to_rdf(path, data, owl_syntax)
    likely, *others = _likely_formats(path, data)
    problem = ""
    for rdf_format in (likely, *others):
        try:
            return _from_oxigraph(ox.parse(data, format=rdf_format, base_iri=_BASE))
        except (SyntaxError, ValueError, OSError) as error:
            problem = problem or " ".join(str(error).split())[:200]
    try:
        if likely is ox.RdfFormat.JSON_LD:
            raise KnowledgeBaseError(problem)  # rdflib would fetch contexts from the network
        if likely in _BY_LINE:
            return _from_oxigraph(ox.parse(data, format=likely, base_iri=_BASE, lenient=True))
        return _from_rdflib(_parse_by_rdflib(data, likely))
    except Exception:
        shown = " ".join(str(path).split())
        raise KnowledgeBaseError(f"cannot read {shown} as {_RDFLIB_NAMES[likely]}: {problem}") from None


def _as_utf_8(path: Path, data: bytes) -> bytes:
    """The same text in UTF-8 without a byte-order mark, as far as its encoding can be told."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            data = _recoded(path, data[len(mark) :], encoding)
    declared = _XML_ENCODING.match(data)
    if declared and declared["encoding"].lower() not in (b"utf-8", b"utf8"):
        encoding = declared["encoding"].decode()
        recoded = data if declared["encoding"].lower().startswith(b"utf-16") else _recoded(path, data, encoding)
        data = _XML_ENCODING.sub(b"<?xml version='1.0'?>", recoded, count=1)
    return data


def _recoded(path: Path, data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except (LookupError, UnicodeError):
        raise KnowledgeBaseError(f"cannot read {path}: it is not in the encoding {encoding}") from None


def _guess_owl_syntax(data: bytes) -> str | None:
    """The OWL syntax that is not RDF, as py-horned-owl calls it: functional, OWL/XML or Manchester."""
    head = data[:4000].lstrip()
    if head.startswith((b"Prefix(", b"Ontology(")):
        return "ofn"
    if head.startswith((b"Prefix:", b"Ontology:")):
        return "omn"
    return "owx" if b"<Ontology" in head and b"<rdf:RDF" not in head else None


def _owl_to_rdf(path: Path, data: bytes, syntax: str) -> bytes:
    from pyhornedowl import open_ontology_from_string

    if _depth(data, _PARENTHESIS) > _DEEPEST:
        raise KnowledgeBaseError(f"cannot read {path} as OWL ({syntax}): its expressions are nested too deeply")
    try:
        ontology = open_ontology_from_string(data.decode(), syntax)  # type: ignore[arg-type]
        return ontology.save_to_string("rdf").encode()
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise KnowledgeBaseError(f"cannot read {path} as OWL ({syntax}): {reason}") from None


def _depth(data: bytes, bracket: re.Pattern[bytes]) -> int:
    """How deep brackets are nested, of which the pattern finds either an `open` or a closing one."""
    deepest = depth = 0
    for match in bracket.finditer(data):
        depth += 1 if match["open"] else -1
        deepest = max(deepest, depth)
    return deepest


def _likely_formats(path: Path, data: bytes) -> tuple[ox.RdfFormat, ...]:
    """By content where that is plain, else by the file's suffix, else Turtle; then what else it might be."""
    head = data[:100_000].lstrip()
    if head[:1000].lower().startswith((b"<!doctype html", b"<html")):
        raise KnowledgeBaseError(f"cannot read {path}: it is a web page; download the ontology itself")
    by_suffix = _BY_SUFFIX.get(path.suffix.lower(), ox.RdfFormat.TURTLE)
    if head.startswith(b"<") and (head.startswith((b"<?xml", b"<!")) or _XML_ROOT.search(head)):
        if _expanded(data) > _LARGEST_EXPANSION:
            raise KnowledgeBaseError(f"cannot read {path} as xml: its entities would make it far too large")
        if _depth(data, _TAG) > _DEEPEST:
            raise KnowledgeBaseError(f"cannot read {path} as xml: its elements are nested too deeply")
        if not _XML_END.search(data[-10_000:]):
            raise KnowledgeBaseError(
                f"cannot read {path} as xml: it does not end with the root element; is it cut off?"
            )
        return (ox.RdfFormat.RDF_XML,)
    if head.startswith((b"{", b"[")):
        return tuple(dict.fromkeys((by_suffix, ox.RdfFormat.JSON_LD, ox.RdfFormat.TURTLE, ox.RdfFormat.TRIG)))
    textual = by_suffix if by_suffix not in (ox.RdfFormat.RDF_XML, ox.RdfFormat.JSON_LD) else ox.RdfFormat.TURTLE
    return tuple(dict.fromkeys((textual, ox.RdfFormat.TURTLE)))


def _expanded(data: bytes) -> int:
    """How large what stands for entities is, in octets; what refers to itself counts as endless."""
    values = {name: value[1:-1] for name, value in _ENTITY.findall(data[:1_000_000])}
    sizes: dict[bytes, float] = {}

    def size(name: bytes, above: frozenset[bytes]) -> float:
        if name in above or len(above) > 100:
            return float("inf")
        if name not in sizes:
            inside = _REFERENCE.findall(values[name])
            sizes[name] = len(values[name]) + sum(size(n, above | {name}) for n in inside if n in values)
        return sizes[name]

    occurrences = Counter(_REFERENCE.findall(data)) if values else Counter[bytes]()
    return int(min(sum(n * size(name, frozenset()) for name, n in occurrences.items() if name in values), 1e18))


def _parse_by_rdflib(data: bytes, rdf_format: ox.RdfFormat) -> rdflib.Graph:
    import rdflib

    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    graph = rdflib.Graph() if not rdf_format.supports_datasets else rdflib.Dataset(default_union=True)
    return graph.parse(data=data, format=_RDFLIB_NAMES[rdf_format], publicID=_BASE)


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
        elif p == RDF + "reifies":
            target = subject
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
