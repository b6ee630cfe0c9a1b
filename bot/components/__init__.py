"""Rasa graph components of Whyif."""
