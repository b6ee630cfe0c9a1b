"""Counterfactual explanations of why an individual is an instance of an ELH concept.

>>> from explainer import KnowledgeBase, Name, Request, explain
>>> kb = KnowledgeBase.load("data/animals.ttl")
>>> shelly, turtle = "urn:whyif:animals#Shelly", Name("urn:whyif:animals#Turtle")
>>> kb.entails(turtle, shelly)
True
>>> explain(kb, Request(shelly, turtle)).counterfactuals[0].distance
2
"""

from explainer.concepts import TOP, And, Exists, Name, Nominal, Top, conjunction
from explainer.counterfactuals import Counterfactual, Explanation, Request, every_counterfactual, explain
from explainer.errors import (
    AmbiguousName,
    ConceptSyntaxError,
    InconsistentError,
    KnowledgeBaseError,
    UnknownName,
    WhyifError,
)
from explainer.justification import Fact, Flip
from explainer.ontology import Disjointness, Range, RoleChain, RoleInclusion, Subsumption
from explainer.reasoner import KnowledgeBase
from explainer.reasons import Reason

__all__ = [
    "TOP",
    "AmbiguousName",
    "And",
    "ConceptSyntaxError",
    "Counterfactual",
    "Disjointness",
    "Exists",
    "Explanation",
    "Fact",
    "Flip",
    "InconsistentError",
    "KnowledgeBase",
    "KnowledgeBaseError",
    "Name",
    "Nominal",
    "Range",
    "Reason",
    "Request",
    "RoleChain",
    "RoleInclusion",
    "Subsumption",
    "Top",
    "UnknownName",
    "WhyifError",
    "conjunction",
    "every_counterfactual",
    "explain",
]
