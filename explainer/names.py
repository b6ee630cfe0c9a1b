"""From a name that a person uses to the things it may mean, and what they may have meant instead."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA, JaroWinkler

from explainer import english
from explainer.concepts import Iri
from explainer.errors import AmbiguousName, UnknownName
from explainer.lexicon import Lexicon
from explainer.ontology import Ontology

Kind = Literal["individual", "concept", "role"]

_NOT_A_WORD = re.compile(r"[^\w'’-]+")
_POSSESSIVE = re.compile(r"(['’]s|['’])$")


@dataclass(frozen=True)
class Entry:
    """A thing that has a name: an individual, a class ("concept") or a role."""

    kind: Kind
    iri: Iri


def normalise(text: str) -> str:
    """Lower case, without accents, possessive endings and punctuation: the form in which names are compared."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    words = (
        _POSSESSIVE.sub("", word).strip("'’-_") for word in _NOT_A_WORD.split(plain.replace("_", " ").replace("-", " "))
    )
    return " ".join(word for word in words if word)


def nearest(word: str, names: Sequence[str], most_typos: int = 2) -> tuple[int, list[str]]:
    """The names that differ from a word by the fewest typos, and by how many.

    A typo is a wrong, missing, extra or swapped letter. One is forgiven from four letters on, a second from seven on;
    three letters may only lack one or have two swapped. The first letter is seldom mistyped, so it counts for two.
    Of equally many typos, those further from the beginning are likelier.
    """
    budget = min(most_typos, 0 if len(word) < 3 else 1 if len(word) < 7 else 2)
    if budget < 1:
        return 0, []
    matches = process.extract(word, names, scorer=OSA.distance, score_cutoff=budget, limit=None)
    costs = [
        (int(distance) + (name[0] != word[0]), name)
        for name, distance, _ in matches
        if len(word) > 3 or len(name) > 3 or sorted(name) == sorted(word)
    ]
    least = min(costs, default=(0, ""))[0]
    best = {name: JaroWinkler.similarity(word, name) for cost, name in costs if cost == least <= budget}
    return least, [name for name, similarity in best.items() if similarity == max(best.values())]


def _predicate_forms(lexicon: Lexicon, class_iri: Iri) -> Iterable[str]:
    """How questions name a class that is said by a predicate: "lays eggs", "lay eggs"; of "is female" just "female"."""
    phrase = lexicon.phrase("phrase", class_iri)
    if phrase and phrase.startswith("is "):
        yield phrase[3:]
    elif phrase:
        yield from (phrase, english.present(phrase, plural=True))


class NameIndex:
    """All names of one or several knowledge bases; classes under their plurals, too.

    Attributes:
        longest: the number of words of the longest name.
    """

    def __init__(self, ontologies: Iterable[Ontology]) -> None:
        entries: defaultdict[str, dict[Entry, None]] = defaultdict(dict)
        verbatim: defaultdict[str, dict[Entry, None]] = defaultdict(dict)
        self._labels: dict[Entry, str] = {}
        for ontology in ontologies:
            lexicon = Lexicon(ontology)
            kinds: Mapping[Kind, Iterable[Iri]] = {
                "individual": ontology.individuals,
                "concept": ontology.classes,
                "role": ontology.roles,
            }
            for kind, iris in kinds.items():
                for iri in iris:
                    entry = Entry(kind, iri)
                    self._labels[entry] = lexicon.name(iri)
                    for name in lexicon.names(iri):
                        verbatim[name][entry] = None
                        for form in {name, english.plural(name)} if kind == "concept" else {name}:
                            entries[normalise(form)][entry] = None
                    for form in _predicate_forms(lexicon, iri) if kind == "concept" else ():
                        entries[normalise(form)][entry] = None
        entries.pop("", None)
        self._entries = {name: tuple(found) for name, found in entries.items()}
        self._names = list(self._entries)
        self._verbatim = {name: tuple(found) for name, found in verbatim.items()}
        self.longest = max((name.count(" ") + 1 for name in self._entries), default=0)

    def exact(self, text: str) -> tuple[Entry, ...]:
        """What has just this name, else what has it up to case, accents and punctuation."""
        return self._verbatim.get(text) or self._entries.get(normalise(text), ())

    def close(self, text: str) -> tuple[int, tuple[Entry, ...]]:
        """What has the name that differs least from this one, if only by a typo or two, and by how many."""
        typos, names = nearest(normalise(text), self._names)
        return typos, tuple(dict.fromkeys(e for name in names for e in self._entries[name]))

    def suggestions(self, text: str, kind: Kind, limit: int = 3) -> tuple[Entry, ...]:
        """The things of a kind whose names look most like the text, best first."""
        of_kind = {name: [e for e in found if e.kind == kind] for name, found in self._entries.items()}
        names = [name for name, found in of_kind.items() if found]
        ranked = process.extract(normalise(text), names, scorer=fuzz.ratio, score_cutoff=50, limit=limit * 3)
        return tuple(dict.fromkeys(e for name, _, _ in ranked for e in of_kind[name]))[:limit]

    def label(self, entry: Entry) -> str:
        """What the thing is called."""
        return self._labels[entry]

    def resolve_feature(self, text: str) -> Iri:
        """The class or role that an IRI, fragment or label names.

        Raises:
            NameLookupError: it names neither, or several; the message is that for classes.
        """
        try:
            return self.resolve(text, "concept")
        except UnknownName:
            if any(e.kind == "role" for e in self.exact(text)) or Entry("role", text.strip("<>")) in self._labels:
                return self.resolve(text, "role")
            raise

    def resolve(self, text: str, kind: Kind) -> Iri:
        """The one thing of a kind that an IRI, fragment or label names.

        Raises:
            UnknownName: nothing has this name; the message suggests similar ones.
            AmbiguousName: several things have it; the message lists their IRIs.
        """
        if Entry(kind, text.strip("<>")) in self._labels:
            return text.strip("<>")
        found = [e.iri for e in self.exact(text) if e.kind == kind]
        if len(found) == 1:
            return found[0]
        noun = "class" if kind == "concept" else kind
        if found:
            raise AmbiguousName(
                f"“{text}” is the name of {len(found)} things; use an IRI: {', '.join(found)}", text, tuple(found)
            )
        similar = tuple(self.label(e) for e in self.suggestions(text, kind))
        hint = f"; did you mean {english.join(similar, 'or')}?" if similar else ""
        raise UnknownName(f"there is no {noun} called “{text}”{hint}", text, similar)
