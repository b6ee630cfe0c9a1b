"""Everything that can go wrong, as a person should hear it.

    WhyifError
    ├── KnowledgeBaseError     a file that cannot be read, or holds nothing to explain
    ├── ConceptSyntaxError     a class expression that cannot be parsed
    └── NameLookupError        a name that does not point to exactly one thing
        ├── UnknownName
        └── AmbiguousName

Each message is one line: what was expected, what came, what to do.
"""

from __future__ import annotations


class WhyifError(Exception):
    """Base of all errors that are the user's to mend; the message is one line."""


class KnowledgeBaseError(WhyifError):
    """A knowledge base cannot be read or holds nothing that could be explained."""


class ConceptSyntaxError(WhyifError):
    """A class expression is not in the supported part of the Manchester syntax."""


class NameLookupError(WhyifError):
    """A name points to nothing, or to more than one thing.

    Attributes:
        name: the name as it was given.
        candidates: labels (unknown name) or IRIs (ambiguous name) to choose from.
    """

    def __init__(self, message: str, name: str, candidates: tuple[str, ...]) -> None:
        super().__init__(message)
        self.name = name
        self.candidates = candidates


class UnknownName(NameLookupError):
    """No class, role or individual has this name."""


class AmbiguousName(NameLookupError):
    """Several things have this name."""
