"""English inflection: from one phrase in the third person to the forms that explanations need.

A *predicate* is a phrase such as "has scales", "is female", "lives in the sea" or "can fly". Irregular past tenses
come from lemminflect, articles and plurals from inflect.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

_BASE = {"is": "be", "has": "have", "does": "do", "goes": "go", "was": "be"}
_PAST = {"be": "were", "have": "had", "do": "did"}
_MODAL_PAST = {
    "can": "could",
    "cannot": "could not",
    "may": "might",
    "must": "had to",
    "will": "would",
    "shall": "should",
}


def join(parts: Iterable[str], word: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    *init, last = parts
    return f"{', '.join(init)} {word} {last}" if init else last


def present(predicate: str, plural: bool = False) -> str:
    """ "has scales"; in the plural (as "they" asks for) "have scales"."""
    verb, rest = _split(predicate)
    if not plural or verb in _MODAL_PAST:
        return predicate
    return _with("are" if verb == "is" else _base(verb), rest)


def negated(predicate: str, plural: bool = False) -> str:
    """ "does not have scales", "is not female", "cannot fly"."""
    verb, rest = _split(under_negation(predicate))
    if verb in ("does", "is") and rest.startswith("not "):
        return present(_third_person(rest[4:]) if verb == "does" else f"is {rest[4:]}", plural)
    if verb == "is":
        return _with("are not" if plural else "is not", rest)
    if verb in _MODAL_PAST:
        return _with({"can": "cannot", "cannot": "can"}.get(verb, f"{verb} not"), rest)
    return _with(f"{'do' if plural else 'does'} not {_base(verb)}", rest)


def question(predicate: str, subject: str) -> str:
    """ "is Shelly a turtle", "does Shelly lay eggs", "can Tweety fly"."""
    verb, rest = _split(predicate)
    if verb == "is" or verb in _MODAL_PAST:
        return f"{verb} {subject} {rest}".strip()
    return _with(f"does {subject} {_base(verb)}", rest)


def if_so(predicate: str) -> str:
    """What follows "if it": "had scales", "were female", "laid eggs", "could fly"."""
    verb, rest = _split(predicate)
    return _with(_MODAL_PAST.get(verb) or _past(_base(verb)), rest)


def if_not(predicate: str) -> str:
    """What follows "if it" where the predicate does not hold: "did not have scales", "were not female"."""
    verb, rest = _split(under_negation(predicate))
    if verb in ("does", "is") and rest.startswith("not "):
        return if_so(_third_person(rest[4:]) if verb == "does" else f"is {rest[4:]}")
    if verb == "is":
        return _with("were not", rest)
    if verb in _MODAL_PAST:
        return _with({"can": "could not", "cannot": "could"}.get(verb, f"{_MODAL_PAST[verb]} not"), rest)
    return _with(f"did not {_base(verb)}", rest)


def article(noun: str) -> str:
    """The noun with its indefinite article: "a turtle", "an hour"."""
    return str(_inflect().a(noun))


def plural(noun: str) -> str:
    """ "turtles", "mothers-in-law", "geese"."""
    return str(_inflect().plural_noun(noun)) if noun else noun


def is_plural(noun: str) -> bool:
    """Whether a noun phrase looks like a plural ("scales", "four legs"), which takes no article."""
    last = noun.lower().split()[-1] if noun.split() else ""
    return len(last) > 3 and last.endswith("s") and not last.endswith(("ss", "us", "is"))


def under_negation(predicate: str) -> str:
    """ "is married to someone" is negated as "is not married to anyone"."""
    head, _, last = predicate.rpartition(" ")
    return f"{head} any{last[4:]}" if last in ("someone", "something", "somewhere") else predicate


def _split(predicate: str) -> tuple[str, str]:
    verb, _, rest = predicate.strip().partition(" ")
    return verb, rest


def _with(verb: str, rest: str) -> str:
    return f"{verb} {rest}" if rest else verb


def _base(verb: str) -> str:
    """The base form of a verb in the third person singular; exact for what English spelling allows."""
    if verb in _BASE:
        return _BASE[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("ches", "shes", "sses", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def _third_person(phrase: str) -> str:
    verb, rest = _split(phrase)
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return _with(verb[:-1] + "ies", rest)
    if verb.endswith(("ch", "sh", "ss", "x", "zz", "o")):
        return _with(verb + "es", rest)
    return _with("has" if verb == "have" else verb + "s", rest)


@cache
def _past(base: str) -> str:
    if base in _PAST:
        return _PAST[base]
    from lemminflect import getInflection

    forms = getInflection(base, tag="VBD")
    return str(forms[0]) if forms else base + ("d" if base.endswith("e") else "ed")


@cache
def _inflect():  # type: ignore[no-untyped-def]  # inflect 5 has no types
    import inflect

    return inflect.engine()
