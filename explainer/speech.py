"""Answers as text: Jinja templates over the explainer's data.

A template receives values and a `Verbaliser`; what comes from a knowledge base or from a person is only ever a value,
so nothing in it is interpreted. All sentences live in `templates/`, none in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from explainer import english
from explainer.concepts import Concept, Feature, Iri, Name, Nominal, length, role_depth
from explainer.counterfactuals import Explanation
from explainer.justification import Fact, Statement
from explainer.manchester import write_concept
from explainer.names import NameIndex
from explainer.namespaces import COMMENT, DEFINITION, local_name
from explainer.ontology import Ontology
from explainer.reasons import definitions, most_specific, telling_parts
from explainer.resources import directory
from explainer.rules import Rule
from explainer.suggestions import Suggestion
from explainer.verbalise import Verbaliser


@cache
def environment(language: str = "en") -> Environment:
    """The Jinja environment of a language; plain text, so nothing is escaped."""
    env = Environment(
        loader=FileSystemLoader(directory("templates") / language),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["listed"] = english.join
    env.filters["question"] = english.question
    return env


def render(template: str, **values: Any) -> str:
    """The text of a template (`why` for templates/en/why.jinja).

    A blank line in the template is a line break in the text, other white space is one space, and each line begins with
    a capital letter.
    """
    text = environment().get_template(f"{template}.jinja").render(**values)
    lines = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return "\n".join(line[0].upper() + line[1:] for line in lines if line)


def reason(say: Verbaliser, explanation: Explanation) -> str:
    """ "Shelly is a turtle because it lays eggs, has scales and has a shell." """
    premises = explanation.justification if explanation.reason.told else ()
    facts = [s for s in premises if isinstance(s, Fact) and not _goes_without_saying(say, s)]
    request = explanation.request
    values = {"say": say, "e": explanation, "x": request.individual, "c": request.concept}
    return render("reason_by_rule" if request.rule else "reason", **values, facts=facts)


def counterfactual(say: Verbaliser, explanation: Explanation, index: int) -> str:
    """ "I would not have classified Shelly as a turtle if it did not have scales." """
    return render(
        "counterfactual",
        say=say,
        e=explanation,
        x=explanation.request.individual,
        c=explanation.request.concept,
        change=explanation.counterfactuals[index],
    )


def statement(say: Verbaliser, s: Statement) -> str:
    """A premise of a justification: "Whatever lays eggs, has scales and has a shell is a turtle."

    What goes without saying is "".
    """
    if isinstance(s, Fact) and _goes_without_saying(say, s):
        return ""
    return render("statement", say=say, s=s, kind=type(s).__name__)


def _goes_without_saying(say: Verbaliser, fact: Fact) -> bool:
    """Whether the fact is that a value such as :scales belongs to the class Scales, by the same name."""
    name = say.name(fact.individual)
    return isinstance(fact.feature, Name) and name in (say.noun(fact.feature), say.name(fact.feature.iri))


def told_apart(explanation: Explanation) -> list[int]:
    """The counterfactuals worth telling: of those that say the same and differ in what goes with it, the first."""
    first: dict[frozenset[Concept], int] = {}
    for i, change in enumerate(explanation.counterfactuals):
        first.setdefault(frozenset(change.said), i)
    return list(first.values())


def answer(say: Verbaliser, explanation: Explanation, top: int = 1) -> str:
    """The reason and the `top` first counterfactuals: one in the same breath, several as a list."""
    first = [counterfactual(say, explanation, i) for i in told_apart(explanation)[:top]]
    return render("answer", reason=reason(say, explanation), counterfactuals=first)


def first_answer(say: Verbaliser, explanation: Explanation, asked_why_not: bool) -> str:
    """The reason and the most likely counterfactual, with what the question took for granted put right."""
    surprising = asked_why_not and explanation.holds
    text = answer(say, explanation)
    return render("surprise", text=text) if surprising else text


def another(say: Verbaliser, explanation: Explanation, told: int) -> str:
    """The counterfactual after the `told` first ones, or that there is none left."""
    left = told_apart(explanation)[told:]
    change = counterfactual(say, explanation, left[0]) if left else None
    return render("another", counterfactual=change, told=told)


def about_individual(say: Verbaliser, x: Iri) -> str:
    """All that is known about an individual."""
    specific = [Name(c) for c in most_specific(say.kb, say.kb.features(x))]
    nouns = [c for c in specific if say.noun(c)]
    predicates = [f for f in say.kb.features(x) if isinstance(f, Name) and not say.noun(f)]
    return render(
        "about_individual", say=say, x=x, nouns=nouns, predicates=predicates, facts=say.kb.ontology.facts.get(x, ())
    )


def about_concept(say: Verbaliser, iri: Iri, concept: Concept, rule: Rule | None = None, offering: bool = False) -> str:
    """What a class means, by its definition or by what was learned of it, and who belongs to it.

    Args:
        concept: what it is to "be" the class (see `Served.meaning`).
        offering: ask whether to learn it.
    """
    definition = next(iter(definitions(say.kb, concept)), None)
    parts = telling_parts(say.kb, definition) if definition else ()
    comment = say.lexicon.text(COMMENT, iri) or say.lexicon.text(DEFINITION, iri)
    return render(
        "about_concept",
        say=say,
        c=concept,
        name=say.name(iri),
        parts=parts,
        comment=comment,
        rule=learned(say, rule) if rule else None,
        offering=offering,
        members=members(say, concept),
    )


def learned(say: Verbaliser, rule: Rule) -> str:
    """A learned rule, how good it is, and which examples it gets wrong."""
    return render(
        "learned",
        say=say,
        rule=rule,
        c=Name(rule.target) if rule.target else None,
        parts=telling_parts(say.kb, rule.concept),
        included=[say.name(x) for x in rule.false_positives],
        missed=[say.name(x) for x in rule.false_negatives],
    )


def learning(say: Verbaliser, iri: Iri, can: bool) -> str:
    """That a class is going to be learned, or why it cannot be."""
    return render("learning", say=say, c=Name(iri), can=can, members=members(say, Name(iri)))


def offer(say: Verbaliser, explanation: Explanation) -> str:
    """What is known, and the question whether to learn the class."""
    request = explanation.request
    return render("offer", say=say, e=explanation, x=request.individual, c=request.concept)


def source(say: Verbaliser, iri: Iri, concept: Concept, rule: Rule | None) -> str:
    """Where what is said of a class comes from: a rule with its examples, a definition, or what was told."""
    definition = next(iter(definitions(say.kb, concept)), None)
    return render(
        "source",
        say=say,
        c=concept,
        name=say.name(iri),
        rule=rule,
        told=learned(say, rule) if rule else None,
        positives=[say.name(x) for x in rule.positives] if rule else [],
        parts=telling_parts(say.kb, definition) if definition else (),
    )


def rule_report(rule: dict[str, Any]) -> str:
    """A learned rule, as `rule_as_json` gives it, with all its figures."""
    return render("learned_figures", **rule)


def rules_report(rules: Sequence[dict[str, Any]]) -> str:
    """Learned rules, as `rule_as_json` gives them, a line for each; those that are not useful by name."""
    lines = [{**rule, "name": local_name(rule["class"])} for rule in rules]
    return render("learned_lines", lines=lines)


def members(say: Verbaliser, concept: Concept) -> str:
    """The instances of a concept by name."""
    names = [say.name(x) for x in say.kb.instances(concept)]
    return render("members", say=say, c=concept, names=names)


def question(suggestion: Suggestion) -> str:
    """A question as a person would ask it."""
    c = Name(suggestion.concept) if suggestion.concept else None
    return render("question", say=suggestion.home.say, s=suggestion, c=c)


def report(ontology: Ontology) -> str:
    """What was read from a file, and what was left out and why."""
    return render("report", o=ontology, instances_of=ontology.abox.size)


_FIGURES = ("accuracy", "precision", "recall", "f1")

# --- as data ------------------------------------------------------------------------------------------------------


def as_json(say: Verbaliser, explanation: Explanation, concept: str) -> dict[str, Any]:
    """The explanation as one JSON object; `concept` is the class expression as it was given."""
    request = explanation.request
    return {
        "individual": request.individual,
        "concept": concept,
        "request": explanation.kind,
        "holds": explanation.holds,
        "because": reason(say, explanation),
        "justification": list(filter(None, (statement(say, s) for s in explanation.justification))),
        "distance": request.reading,
        "against": {"population": request.against, "size": explanation.population_size},
        "counterfactuals": [
            {
                "removed": [_feature_as_json(f) for f in c.removed],
                "added": [_feature_as_json(f) for f in c.added],
                "distance": c.distance,
                "l_min": c.l_min,
                "l_mean": None if c.l_mean is None else round(c.l_mean, 4),
                "nearest": c.nearest,
                "becomes": list(c.becomes),
                "text": counterfactual(say, explanation, i),
            }
            for i, c in enumerate(explanation.counterfactuals)
        ],
        **(_rule_used(explanation, request.rule) if request.rule else {}),
    }


def _rule_used(explanation: Explanation, rule: Rule) -> dict[str, Any]:
    """What sets an explanation by a learned rule apart: whether the class is known of x, and how good the rule is."""
    figures = {figure: round(getattr(rule, figure), 4) for figure in _FIGURES}
    return {"known": explanation.known, "rule": {**figures, "examples": rule.size, "learned": rule.learned}}


def rule_as_json(say: Verbaliser, rule: Rule, validated: Sequence[float], names: NameIndex) -> dict[str, Any]:
    """A learned rule as one JSON object.

    Args:
        validated: the accuracies in the parts of a cross-validation.
    """
    return {
        "class": rule.target,
        "concept": write_concept(rule.concept, names),
        **{figure: round(getattr(rule, figure), 4) for figure in _FIGURES},
        "cross_validation": [round(accuracy, 4) for accuracy in validated] or None,
        "length": length(rule.concept),
        "role_depth": role_depth(rule.concept),
        "positives": list(rule.positives),
        "negatives": list(rule.negatives),
        "false_positives": list(rule.false_positives),
        "false_negatives": list(rule.false_negatives),
        "complete": rule.complete,
        "useful": rule.useful,
        "learned": rule.learned,
        "source": rule.source,
        "text": learned(say, rule),
    }


def report_as_json(ontology: Ontology) -> dict[str, Any]:
    """What was read from a file, and what was left out, as one JSON object."""
    return {
        "source": ontology.source,
        "triples": ontology.triples,
        "classes": len(ontology.classes),
        "roles": len(ontology.roles),
        "individuals": len(ontology.individuals),
        "subsumptions": len(ontology.subsumptions),
        "role_inclusions": len(ontology.role_inclusions),
        "left_out": [asdict(left_out) for left_out in ontology.left_out],
    }


def _feature_as_json(feature: Feature) -> dict[str, str]:
    if isinstance(feature, Name):
        return {"class": feature.iri}
    assert isinstance(feature.filler, Nominal)
    return {"role": feature.role, "object": feature.filler.individual}
