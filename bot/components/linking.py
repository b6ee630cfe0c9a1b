"""Finding the names of a knowledge base in a sentence; free of Rasa.

Every word is claimed once, by the first of these that fits: a pronoun, an exact name (the longest first), a word that
questions are made of, a name with a typo or a question word with a typo (whichever is nearer). What is left over is
unknown: most likely a name that the knowledge base does not have.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from explainer.names import Entry, NameIndex, nearest, normalise

MOST_WORDS = 60
"""Longer messages are no questions; they are not searched for names."""

PRONOUNS = frozenset({"it", "he", "she", "him", "her", "they", "them"})
DEMONSTRATIVES = frozenset({"this", "that", "these", "those"})
BEFORE_A_NAME = frozenset({"a", "an", "is", "are", "as"})
GENERIC_NOUNS = frozenset({"one", "ones", "thing", "animal", "person", "individual", "creature", "guy"})

Kind = Literal["individual", "concept", "unknown", "pronoun"]


@dataclass(frozen=True)
class Mention:
    """The words start … end-1 of a sentence name one of `entries`, or stand for a name."""

    start: int
    end: int
    kind: Kind
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Linked:
    """A sentence with its names found.

    Attributes:
        mentions: in the order of the sentence, not overlapping.
        spelling: for the index of each misspelt question word the word that was meant.
    """

    mentions: tuple[Mention, ...]
    spelling: dict[int, str]


def pronouns(words: Sequence[str]) -> list[Mention]:
    """The words that point at what was spoken of: "it", "she", "this animal", "that one"."""
    plain = [normalise(word) for word in words]
    found = []
    for i, word in enumerate(plain):
        if word in PRONOUNS:
            found.append(Mention(i, i + 1, "pronoun"))
        elif word in DEMONSTRATIVES and plain[i + 1 : i + 2] and plain[i + 1] in GENERIC_NOUNS:
            found.append(Mention(i, i + 2, "pronoun"))
    return found


class Linker:
    """Links the names of `index` in sentences that are else made of the words in `vocabulary`."""

    def __init__(self, index: NameIndex, vocabulary: Iterable[str]) -> None:
        self.index = index
        self.vocabulary = frozenset(vocabulary) | DEMONSTRATIVES
        self._sorted_vocabulary = sorted(self.vocabulary)

    def link(self, words: Sequence[str]) -> Linked:
        """Find the names in a sentence, given as its words."""
        if len(words) > MOST_WORDS:
            return Linked((), {})
        mentions = pronouns(words)
        claimed = {i for mention in mentions for i in range(mention.start, mention.end)}
        mentions += self._exact_mentions(words, claimed)
        claimed |= {i for i, word in enumerate(words) if normalise(word) in self.vocabulary or not normalise(word)}
        mentions = self._misspelt_mentions(words, claimed, mentions)
        spelling = self._corrected(words, claimed)
        mentions += self._unknown_mentions(words, claimed)
        mentions = [m for m in mentions if not self._is_outdone(words, m, mentions)]
        return Linked(tuple(sorted((_pointing_back(words, m) for m in mentions), key=lambda m: m.start)), spelling)

    def _exact_mentions(self, words: Sequence[str], claimed: set[int]) -> Iterable[Mention]:
        for start, end in self._spans(words, claimed, range(len(words))):
            text = " ".join(words[start:end])
            entries = _things(self.index.exact(text))
            if entries and not self._is_function_word(words, start, end):
                claimed.update(range(start, end))
                yield Mention(start, end, _kind(entries), entries)

    def _misspelt_mentions(self, words: Sequence[str], claimed: set[int], found: list[Mention]) -> list[Mention]:
        """The mentions and those that a typo hides; "workign mother" is one name, although "mother" is another."""
        named = {i for mention in found for i in range(mention.start, mention.end)}
        unclaimed = set(range(len(words))) - claimed
        mentions = list(found)
        for start, end in self._spans(words, (), unclaimed | named):
            span = set(range(start, end))
            typos, close = self.index.close(" ".join(words[start:end])) if span & unclaimed else (0, ())
            entries = _things(close)
            if entries and not (len(span) == 1 and self._similar_word(normalise(words[start]), typos - 1)):
                mentions = [m for m in mentions if not span & set(range(m.start, m.end))]
                mentions.append(Mention(start, end, _kind(entries), entries))
                claimed |= span
                unclaimed -= span
        return mentions

    def _spans(self, words: Sequence[str], taken: Container[int], ends: Iterable[int]) -> Iterable[tuple[int, int]]:
        """The spans that begin and end at one of `ends` and overlap nothing taken meanwhile, the longest first."""
        ends = set(ends)
        for length in range(min(self.index.longest, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                span = range(start, start + length)
                if span[0] in ends and span[-1] in ends and not any(i in taken for i in span):
                    yield start, start + length

    def _is_function_word(self, words: Sequence[str], start: int, end: int) -> bool:
        """Whether a name is also a question word and used as such: "which animals" but not "an animal"."""
        if end - start > 1 or normalise(words[start]) not in self.vocabulary:
            return False
        before = normalise(words[start - 1]) if start else ""
        return before not in BEFORE_A_NAME and not (start and words[start][:1].isupper())

    def _is_outdone(self, words: Sequence[str], mention: Mention, mentions: Sequence[Mention]) -> bool:
        """Whether a class that is also a question word is followed by another: "when is an animal a bird"."""
        later = any(m.kind == "concept" and m.start > mention.start for m in mentions)
        return mention.kind == "concept" and later and normalise(words[mention.start]) in self.vocabulary

    def _corrected(self, words: Sequence[str], claimed: set[int]) -> dict[int, str]:
        spelling = {}
        for i, word in enumerate(words):
            found = None if i in claimed or (word[:1].isupper() and i) else self._similar_word(normalise(word))
            if found:
                spelling[i] = found
                claimed.add(i)
        return spelling

    def _similar_word(self, word: str, most_typos: int = 2) -> str | None:
        """The question word that is nearest to a misspelt one."""
        _, names = nearest(word, self._sorted_vocabulary, most_typos)
        return names[0] if names else None

    def _unknown_mentions(self, words: Sequence[str], claimed: set[int]) -> Iterable[Mention]:
        start = 0
        while start < len(words):
            end = start
            while end < len(words) and end not in claimed and any(c.isalpha() for c in words[end]):
                end += 1
            if end > start:
                yield Mention(start, end, "unknown")
            start = max(end, start + 1)


def _things(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(e for e in entries if e.kind != "role")


def _kind(entries: Iterable[Entry]) -> Kind:
    """A name of individuals alone is an individual's, any other one a class's."""
    return "individual" if all(entry.kind == "individual" for entry in entries) else "concept"


def _pointing_back(words: Sequence[str], mention: Mention) -> Mention:
    """A class that is only named to point at something spoken of, "this turtle", as the pronoun that it is."""
    before = normalise(words[mention.start - 1]) if mention.start else ""
    if mention.kind == "concept" and before in DEMONSTRATIVES:
        return Mention(mention.start - 1, mention.end, "pronoun")
    return mention
