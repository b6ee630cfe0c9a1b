"""The IRIs that Whyif gives a meaning to."""

from __future__ import annotations

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
SAY = "urn:whyif:say#"
LEARNED = "urn:whyif:learned#"

TYPE = RDF + "type"
LABEL = RDFS + "label"
COMMENT = RDFS + "comment"
PREF_LABEL = SKOS + "prefLabel"
ALT_LABEL = SKOS + "altLabel"
DEFINITION = SKOS + "definition"
THING = OWL + "Thing"

BUILT_IN = (RDF, RDFS, OWL, XSD)
ANNOTATION = (SKOS, DC, DCTERMS, SAY, LEARNED)


def local_name(iri: str) -> str:
    """The fragment or last path segment of an IRI; of a blank node its identifier."""
    for separator in ("#", "/", ":"):
        head, found, tail = iri.rpartition(separator)
        if found and tail:
            return tail
        iri = head if found else iri
    return iri
