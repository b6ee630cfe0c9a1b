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
from explainer.counterfactuals import Counterfactual, Explanation, Reason, Request, explain
from explainer.errors import AmbiguousName, ConceptSyntaxError, KnowledgeBaseError, UnknownName, WhyifError
from explainer.reasoner import KnowledgeBase

__all__ = [
    "TOP",
    "AmbiguousName",
    "And",
    "ConceptSyntaxError",
    "Counterfactual",
    "Exists",
    "Explanation",
    "KnowledgeBase",
    "KnowledgeBaseError",
    "Name",
    "Nominal",
    "Reason",
    "Request",
    "Top",
    "UnknownName",
    "WhyifError",
    "conjunction",
    "explain",
]
