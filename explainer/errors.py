"""Everything that can go wrong, as a person should hear it.

    WhyifError
    ├── KnowledgeBaseError     a file that cannot be read, or holds nothing to explain
    │   └── InconsistentError  a knowledge base that contradicts itself
    ├── LearningError          examples from which nothing can be learned
    ├── ConceptSyntaxError     a class expression that cannot be parsed
    └── NameLookupError        a name that does not point to exactly one thing
        ├── UnknownName
        └── AmbiguousName

Each message is one line: what was expected, what came, what to do.
"""

from __future__ import annotations

from explainer.concepts import And, Concept, Exists, Name, Nominal
from explainer.namespaces import local_name


class WhyifError(Exception):
    """Base of all errors that are the user's to mend; the message is one line."""


class KnowledgeBaseError(WhyifError):
    """A knowledge base cannot be read or holds nothing that could be explained."""


class InconsistentError(KnowledgeBaseError):
    """A knowledge base contradicts itself, so that everything would follow from it.

    Attributes:
        individual: an individual that cannot exist as described.
        concepts: what it is and nothing can be: one concept that has no instance, or two that share none.
        count: how many such individuals there are.
    """

    def __init__(self, source: str, individual: str, concepts: tuple[Concept, ...], count: int) -> None:
        names = " and ".join(f"“{_name(c)}”" for c in concepts)
        clash = f"both {names}, which exclude each other" if len(concepts) > 1 else f"{names}, which nothing can be"
        others = f" (and {count - 1} more are in such a state)" if count > 1 else ""
        super().__init__(
            f"{source} contradicts itself: {local_name(individual)} is {clash}{others}; mend it, as everything "
            "would follow from it"
        )
        self.individual = individual
        self.concepts = concepts
        self.count = count


def _name(concept: Concept) -> str:
    if isinstance(concept, Name):
        return local_name(concept.iri)
    if isinstance(concept, Exists):
        return f"{local_name(concept.role)} some {_name(concept.filler)}"
    if isinstance(concept, And):
        return " and ".join(_name(part) for part in concept.conjuncts)
    return local_name(concept.individual) if isinstance(concept, Nominal) else "Thing"


class ConceptSyntaxError(WhyifError):
    """A class expression is not in the supported part of the Manchester syntax."""


class LearningError(WhyifError):
    """Nothing can be learned from the examples."""


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
