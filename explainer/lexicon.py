"""How a knowledge base says its own things: names, phrases, nouns and pronouns from its annotations.

The vocabulary `say:` (urn:whyif:say#) is described in README. Where an annotation is missing, something sensible is
made from the label, and where there is no label either, from the IRI.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from explainer.concepts import Iri
from explainer.namespaces import ALT_LABEL, LABEL, PREF_LABEL, SAY, local_name
from explainer.ontology import Ontology

_LONGEST_NAME = 120
_WORD_BOUNDARY = re.compile(
    r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|(?<=[A-ZÄÖÜ])(?=[A-ZÄÖÜ][a-zäöüß])|[_\s]+|(?<=\w)-(?=[A-Z])"
)


def split_identifier(identifier: str) -> list[str]:
    """ "hasCovering" → ["has", "Covering"], "car_11" → ["car", "11"], "HTTPServer" → ["HTTP", "Server"]."""
    return [word for word in _WORD_BOUNDARY.split(unquote(identifier)) if word]


class Lexicon:
    """The annotations of one knowledge base in one language ("en", "de")."""

    def __init__(self, ontology: Ontology, language: str = "en") -> None:
        self.language = language
        self._annotations = ontology.annotations
        self._terminology = {*ontology.classes, *ontology.roles}

    def name(self, iri: Iri) -> str:
        """What people call a class, role or individual: its label, or the words of its IRI."""
        label = self.label(iri)
        if label and not (iri in self._terminology and label == local_name(iri)):
            return label
        return self._words_of(iri)

    def label(self, iri: Iri) -> str | None:
        """The annotated label, if there is one."""
        label = self.text(PREF_LABEL, iri) or self.text(LABEL, iri)
        return _tidy(label) if label else None

    def names(self, iri: Iri) -> tuple[str, ...]:
        """All names that people may use: labels, alternative labels, the IRI's words and its fragment."""
        labels = [t for prop in (PREF_LABEL, LABEL, ALT_LABEL) for t in self.all_texts(prop, iri)]
        if iri.startswith("_:"):
            return tuple(dict.fromkeys(map(_tidy, labels)))
        return tuple(dict.fromkeys(map(_tidy, [*labels, self._words_of(iri), local_name(iri)])))

    def phrase(self, kind: str, iri: Iri) -> str | None:
        """The annotation `say:kind`, one of phrase, ifNot, ifSo, object, noun, pronoun."""
        text = self.text(SAY + kind, iri)
        return _tidy(text) if text else None

    def annotated(self, kind: str) -> Iterable[Iri]:
        """What has an annotation `say:kind`."""
        return self._annotations.get(SAY + kind, {})

    def text(self, prop: Iri, subject: Iri) -> str | None:
        """The first value of an annotation in this language, else one without a language."""
        values = self.all_texts(prop, subject)
        return values[0] if values else None

    def all_texts(self, prop: Iri, subject: Iri) -> list[str]:
        """All values of an annotation in this language, then those without a language."""
        values = self._annotations.get(prop, {}).get(subject, ())
        here = [t.value for t in values if t.language.partition("-")[0] == self.language]
        return here + [t.value for t in values if not t.language]

    def _words_of(self, iri: Iri) -> str:
        words = split_identifier(local_name(iri))
        if iri in self._terminology:
            words = [w if w.isupper() and len(w) > 1 else w.lower() for w in words]
        return _tidy(" ".join(words)) or "something"


def _tidy(text: str) -> str:
    """One line of bounded length without control characters."""
    printable = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    line = " ".join(printable.split())
    return line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1] + "…"
