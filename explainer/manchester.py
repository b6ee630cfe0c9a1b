"""Class expressions in the Manchester syntax, as far as ELH reaches: `A and (r some (B and C))`, `Thing`."""

from __future__ import annotations

import re

from explainer.concepts import TOP, And, Concept, Exists, Iri, Name, Nominal, conjunction, conjuncts
from explainer.errors import ConceptSyntaxError, UnknownName
from explainer.names import Kind, NameIndex
from explainer.namespaces import local_name

_TOKEN = re.compile(
    r"""\s*(?:(?P<iri><[^<>\s]+>)|(?P<quoted>'[^']*'|"[^"]*")|(?P<punctuation>[()])|(?P<word>[^\s()'"<>]+))"""
)
_PLAIN_NAME = re.compile(r"[\w-]+")
_UNSUPPORTED = {"or", "not", "only", "min", "max", "exactly", "value", "self", "inverse"}
_KEYWORDS = _UNSUPPORTED | {"and", "that", "some", "thing"}


def parse_concept(text: str, names: NameIndex) -> Concept:
    """Parse a class expression; names are IRIs, fragments or labels, in quotes where they contain spaces.

    Precedence is that of the Manchester syntax: `r some A and B` is `(r some A) and B`. A text that as a whole is the
    name of a class is that class.

    Raises:
        ConceptSyntaxError: not an expression, or one outside ELH.
        NameLookupError: a name points to no class or role, or to several.
    """
    if any(entry.kind == "concept" for entry in names.exact(text)) and not set("()") & set(text):
        return Name(names.resolve(text, "concept"))
    return _Parser(text, names).parse()


def write_concept(concept: Concept, names: NameIndex) -> str:
    """A concept as a class expression that `parse_concept` reads; nominals as `{…}`, which it does not."""
    if isinstance(concept, And):
        return " and ".join(_write_part(part, names) for part in conjuncts(concept))
    if isinstance(concept, Exists):
        return f"{_write_name(concept.role, 'role', names)} some {_write_part(concept.filler, names)}"
    if isinstance(concept, Nominal):
        return f"{{{_write_name(concept.individual, 'individual', names)}}}"
    return _write_name(concept.iri, "concept", names) if isinstance(concept, Name) else "Thing"


def _write_part(concept: Concept, names: NameIndex) -> str:
    text = write_concept(concept, names)
    return f"({text})" if isinstance(concept, (And, Exists)) else text


def _write_name(iri: Iri, kind: Kind, names: NameIndex) -> str:
    """The fragment where it says what is meant, else the whole IRI."""
    name = local_name(iri)
    plain = _PLAIN_NAME.fullmatch(name) and name.lower() not in _KEYWORDS
    return name if plain and [e.iri for e in names.exact(name) if e.kind == kind] == [iri] else f"<{iri}>"


class _Parser:
    def __init__(self, text: str, names: NameIndex) -> None:
        self.text = text
        self.names = names
        self.tokens = self._tokenise(text)
        self.position = 0

    def parse(self) -> Concept:
        concept = self._conjunction()
        if self.position < len(self.tokens):
            raise self._unexpected()
        return concept

    def _tokenise(self, text: str) -> list[str]:
        tokens, position = [], 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if not match:
                raise ConceptSyntaxError(f"cannot read “{text[position:].strip()}” in the class expression “{text}”")
            tokens.append(match.group().strip())
            position = match.end()
        return tokens

    def _peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self.position += 1
        return token

    def _conjunction(self) -> Concept:
        parts = [self._restriction()]
        while self._peek().lower() in ("and", "that"):
            self._next()
            parts.append(self._restriction())
        return conjunction(parts)

    def _restriction(self) -> Concept:
        token = self._next()
        if token == "(":
            concept = self._conjunction()
            if self._next() != ")":
                raise ConceptSyntaxError(f"a “)” is missing in the class expression “{self.text}”")
            return concept
        keyword = self._peek().lower()
        if keyword == "some":
            self._next()
            return Exists(self.names.resolve(_unquote(token), "role"), self._restriction())
        if token.lower() in _UNSUPPORTED or (keyword in _UNSUPPORTED and keyword != ""):
            word = token.lower() if token.lower() in _UNSUPPORTED else keyword
            raise ConceptSyntaxError(
                f"“{word}” is not supported in class expressions; use “and”, “some”, “Thing” and parentheses"
            )
        if token in ("", ")", "and", "some"):
            self.position -= 1
            raise self._unexpected()
        if token in ("Thing", "owl:Thing"):
            return TOP
        return Name(self._class(token))

    def _class(self, token: str) -> str:
        try:
            return self.names.resolve(_unquote(token), "concept")
        except UnknownName as error:
            if self._peek() and self._peek().lower() not in ("and", ")", "that"):
                raise ConceptSyntaxError(f"{error}; put names with spaces in quotes") from None
            raise

    def _unexpected(self) -> ConceptSyntaxError:
        found = f"“{self._peek()}”" if self._peek() else "the end"
        return ConceptSyntaxError(f"expected a class before {found} in the class expression “{self.text}”")


def _unquote(token: str) -> str:
    return token.strip("'\"")
